"""The look of the studio: the colours of reports, by day and by night, one accent, room around things, figures that do not jump about."""

from __future__ import annotations

from playout.report.style import DARK, DARK_SHADES, LIGHT, LIGHT_SHADES

CSS = (
    f"""
{LIGHT_SHADES}
{DARK_SHADES.replace(":root", "body.body--dark")}
:root {{ {LIGHT} }}
body.body--dark {{ {DARK} }}
"""
    + """
:root { --round: 14px; }
body { --q-primary: #2e6f9e !important; }
body.body--dark { --q-primary: #7cb8e0 !important; color-scheme: dark; }
body, body.body--dark { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial,
  sans-serif; font-variant-numeric: tabular-nums; }
.nicegui-content { padding: 0; gap: 0; display: block; width: 100%; }
.num { font-variant-numeric: tabular-nums; text-align: right; }
.quiet, .hint { color: var(--muted); font-size: 0.86rem; font-weight: 400; }
.hint { margin-left: 0.5em; }
.swatch { display: inline-block; width: 0.62em; height: 0.62em; border-radius: 50%; margin-right: 0.45em; }
p { margin: 0; }

header.bar { display: flex; align-items: center; gap: 18px; padding: 12px 22px; max-width: 1560px; margin: 0 auto; flex-wrap: wrap; }
.mark { font-size: 1.16rem; font-weight: 700; letter-spacing: -0.02em; color: var(--ink); text-decoration: none; }
.mark span { color: var(--accent); font-weight: 500; margin-left: 0.3em; }
header.bar nav { display: flex; gap: 4px; margin-left: auto; align-items: center; }
header.bar nav a { color: var(--muted); text-decoration: none; padding: 4px 10px; border-radius: 8px; font-size: 0.92rem; }
header.bar nav a[aria-current], header.bar nav a:hover { color: var(--ink); background: var(--pick); }
.picker { min-width: 230px; }
main.studio { display: grid; grid-template-columns: minmax(0, 1.12fr) minmax(380px, 1fr); gap: 18px; max-width: 1560px; margin: 0 auto;
  padding: 4px 22px 40px; align-items: start; }
main.studio > div { display: grid; gap: 18px; min-width: 0; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: var(--round); padding: 16px 18px; min-width: 0; }
.card h2 { font-size: 0.8rem; font-weight: 600; letter-spacing: 0.05em; text-transform: uppercase; color: var(--muted); margin: 0;
  line-height: 1.6; }
.row { display: flex; align-items: center; gap: 8px; flex-wrap: wrap; }
.row.apart { justify-content: space-between; }
.card > * + * { margin-top: 10px; }
.card > div:empty { display: none; }

.stage { padding: 18px; }
.status { font-size: 1.06rem; min-height: 1.7em; }
.board { display: flex; justify-content: center; --tall: min(66vh, 640px); }
.board > div { width: 100%; }
.stage .preview, body[data-following] .stage .board { display: none; }
body[data-following] .stage .preview { display: flex; outline: 2px dashed var(--accent); outline-offset: 6px; border-radius: 8px; }
.fit { width: min(100%, calc(var(--tall) * var(--ratio))); margin: 0 auto; }
.fit svg { display: block; width: 100%; height: auto; border-radius: 8px; }
.fit.text { color: var(--ink); }
[data-action], [data-part] { cursor: pointer; }
svg [data-action]:hover .hit, svg [data-part]:hover .hit, svg [data-action]:focus-visible .hit, svg [data-part]:focus-visible .hit {
  fill: var(--accent); fill-opacity: 0.28; }
svg [data-part][aria-pressed="true"] .hit { fill: var(--accent); fill-opacity: 0.4; }
svg [data-part][data-next] .hit { fill: var(--accent); fill-opacity: 0.2; }
svg [data-action]:not(:has(.hit)):hover, svg [data-part]:not(:has(.hit)):hover { filter: brightness(1.08) saturate(1.2); }
svg [tabindex]:focus { outline: none; }
svg [tabindex]:focus-visible { outline: 3px solid var(--accent); outline-offset: -2px; }
.passing { text-align: center; padding: 12vh 20px; }
.passing .status { font-size: 1.2rem; margin-bottom: 18px; }
.controls .q-btn { min-width: 38px; }
.acts { display: flex; flex-wrap: wrap; gap: 6px; max-height: 188px; overflow: auto; padding: 2px; }
button.act, button.move { font: inherit; color: var(--ink); background: var(--page); border: 1px solid var(--edge); border-radius: 9px;
  padding: 4px 12px; cursor: pointer; }
button.act:hover, button.move:hover { border-color: var(--accent); }
button.act:focus-visible, button.move:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.moves { max-height: 320px; overflow: auto; display: grid; gap: 2px; align-content: start; }
button.move { display: grid; grid-template-columns: 2.6em 1fr; gap: 8px; text-align: left; border-color: transparent; background: none;
  padding: 3px 8px; width: 100%; }
button.move .num { color: var(--muted); }
button.move small { color: var(--muted); margin-left: 0.7em; }
button.move[aria-current] { background: var(--pick); font-weight: 600; }
button.move.later { opacity: 0.55; }
.seats { display: grid; gap: 8px; }
.seat { display: grid; grid-template-columns: minmax(84px, auto) 1fr; gap: 10px; align-items: center; }
table.results, table.thought, table.plain { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
table.results th, table.thought th, table.plain th { text-align: left; font-weight: 500; color: var(--muted); font-size: 0.78rem; }
table th.num { text-align: right; }
table.results td, table.thought td, table.results th, table.thought th, table.plain td, table.plain th { padding: 4px 8px; white-space: nowrap; }
table.plain td { border-top: 1px solid var(--grid); }
.scroll { overflow-x: auto; }

.headline { display: flex; align-items: baseline; gap: 14px; min-height: 2.2em; flex-wrap: wrap; }
.headline .best { font-size: 1.35rem; font-weight: 650; overflow-wrap: anywhere; }
.headline .worth { font-size: 1.1rem; color: var(--accent); min-width: 4.2em; text-align: left; }
table.thought tr.pick td { background: var(--pick); font-weight: 600; }
table.thought tbody tr + tr td { border-top: 1px solid var(--grid); }
table.thought td.name { max-width: 13em; overflow: hidden; text-overflow: ellipsis; }
table.thought td.bar { width: 30%; min-width: 60px; }
table.thought td.bar i { display: block; height: 9px; border-radius: 5px; min-width: 2px; transition: width 0.25s; }
.think .q-tab-panels + .why { margin-top: 12px; }
.why { line-height: 1.5; min-height: 4.5em; overflow-wrap: anywhere; }
.strip { display: grid; grid-template-columns: repeat(auto-fill, minmax(96px, 1fr)); gap: 12px; list-style: none; padding: 0; margin: 0; }
.strip .frame { --tall: 110px; min-height: 60px; display: flex; align-items: center; }
.strip li { font-size: 0.84rem; text-align: center; min-width: 0; overflow-wrap: anywhere; }
.strip li { transition: transform 0.15s; }
.strip li:hover { transform: scale(1.5); z-index: 5; position: relative; background: var(--card); border-radius: 8px;
  box-shadow: 0 6px 24px rgb(0 0 0 / 0.25); }
.chart svg { width: 100%; height: auto; display: block; }
.panels { display: grid; gap: 18px; }
.q-tab-panel > *, .q-tab-panels { width: 100%; }
.q-field--with-bottom { padding-bottom: 0; }
.q-tab { text-transform: none; min-height: 34px; padding: 0 12px; }
.q-tabs { min-height: 34px; }
.q-tab-panel { padding: 12px 0 0; }
.q-tab-panels, .q-tab-panels.q-dark { background: transparent; }
.q-btn { text-transform: none; border-radius: 9px; }
.q-field--outlined .q-field__control { border-radius: 10px; }
.q-card, .q-menu, .q-dark.q-menu { background: var(--card); }
.body--dark .q-btn.bg-primary .q-btn__content { color: #10222e; }
.worlds h3 { font-size: 0.98rem; font-weight: 600; line-height: 1.4; margin: 10px 0 2px; letter-spacing: 0; }
.worlds .note { color: var(--muted); font-size: 0.82rem; }
.worlds .board { --tall: 300px; }
.title { flex: 1 1 0; min-width: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.headline:empty { display: none; }
.q-linear-progress { border-radius: 4px; }
iframe.report { width: 100%; height: 70vh; border: 0; border-radius: 10px; background: var(--card); }
.beside { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 18px; align-items: start; }
.beside .board { --tall: 360px; }
.tall { max-height: 340px; overflow: auto; }
main.arena { grid-template-columns: minmax(300px, 0.5fr) minmax(0, 1.5fr); }
.form { width: 100%; display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 10px; }
.empty { color: var(--muted); padding: 8px 0; }
[data-steps], [data-place] { cursor: pointer; }
.here { display: grid; grid-template-columns: 110px 1fr; gap: 16px; align-items: center; margin-bottom: 10px; }
.here .frame { --tall: 100px; }
[data-vector] { cursor: crosshair; }
[data-vector]:hover { fill: var(--accent); fill-opacity: 0.25; }
.sliders { display: grid; gap: 10px; }
.slide { display: grid; grid-template-columns: 8em 1fr; gap: 14px; align-items: center; }
.findings { margin: 6px 0 0; padding-left: 18px; overflow-wrap: anywhere; }
.bad { color: var(--s1); } .good { color: var(--s3); }
a { color: var(--accent); }
:focus-visible { outline-color: var(--accent); }

@media (max-width: 980px) {
  main.studio, main.studio.arena { grid-template-columns: minmax(0, 1fr); padding: 4px 12px 30px; gap: 12px; }
  main.studio > div { gap: 12px; }
  header.bar { padding: 10px 12px; gap: 10px; }
  header.bar nav { margin-left: 0; flex-wrap: wrap; }
  .card { padding: 12px; }
  .board { --tall: 72vh; }
  .beside { grid-template-columns: minmax(0, 1fr); }
  .picker { min-width: 0; flex: 1 1 200px; }
  .title { flex: 1 1 100%; order: 5; white-space: normal; }
  table.thought th:nth-child(6), table.thought td:nth-child(6), table.thought td.bar, table.thought th:nth-child(3) { display: none; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
"""
)

SCRIPT = """
window.studio = {
  filter(text) {
    const word = (text || "").toLowerCase();
    document.querySelectorAll(".acts .act").forEach(one => { one.hidden = !one.textContent.toLowerCase().includes(word); });
  },
  mark(event) {
    const found = event.target.closest("[data-action],[data-part],[data-place],[data-vector],[data-steps]");
    if (!found) return null;
    if (event.type === "keydown") {
      if ((event.key !== "Enter" && event.key !== " ") || found.tagName === "BUTTON") return null;
      event.preventDefault();
    }
    const data = found.dataset;
    return { action: data.action ?? null, part: data.part ?? null, place: data.place ?? null, vector: data.vector ?? null,
      steps: data.steps ?? null };
  },
  follow(event) {
    const box = document.querySelector(".stage .preview"), one = event.target.closest?.(".strip li .frame, .strip li");
    const frame = one && (one.querySelector(".frame") || one);
    if (!box || (!frame && !document.body.dataset.following)) return;
    if (frame) { document.body.dataset.following = "1"; box.innerHTML = `<div>${frame.innerHTML}</div>`; }
    else { delete document.body.dataset.following; box.replaceChildren(); }
  },
  keep() {
    document.querySelectorAll(".moves").forEach(box => {
      const here = box.querySelector("[aria-current]");
      if (here) box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2;
    });
  },
};
["mouseover", "focusin"].forEach(kind => document.addEventListener(kind, window.studio.follow));
"""
"""What runs in the page beside the library: which mark was clicked, and the search box of the list."""

MARKED = "(event) => { const found = window.studio.mark(event); if (found) emit(found); }"
"""The handler of clicks and keys on boards and lists."""
