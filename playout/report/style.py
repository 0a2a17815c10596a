"""The look of a report: one sheet for light, dark, phone and paper. Charts take their colours from the same variables."""

from __future__ import annotations

SERIES = tuple(f"var(--s{i})" for i in range(6))
"""One colour per action that a chart names; the chosen action always has the first."""
INK, MUTED, GRID, FAINT = "var(--ink)", "var(--muted)", "var(--grid)", "var(--faint)"

SHADES = 17
"""Steps from bad over neutral, in the middle, to good; `shade` gives one with the ink that is readable on it."""
Colour = tuple[int, int, int]


def shade(part: float) -> tuple[str, str]:
    """(fill, ink) for a part from -1, bad, to +1, good."""
    step = round((max(-1.0, min(1.0, part)) + 1) / 2 * (SHADES - 1))
    return f"var(--d{step})", f"var(--e{step})"


def _shades(bad: Colour, middle: Colour, good: Colour) -> str:
    """Orange to blue, which nearly everybody can tell apart; steeper near the middle, so that small differences show."""
    words = []
    for step in range(SHADES):
        part = 2 * step / (SHADES - 1) - 1
        weight, end = abs(part) ** 0.8, good if part > 0 else bad
        red, green, blue = (round(m + (e - m) * weight) for m, e in zip(middle, end))
        ink = "#ffffff" if 0.3 * red + 0.59 * green + 0.11 * blue < 145 else "#1d1c19"
        words.append(f"--d{step}: #{red:02x}{green:02x}{blue:02x}; --e{step}: {ink};")
    return ":root { " + " ".join(words) + " }"


LIGHT_SHADES = _shades((190, 92, 30), (233, 228, 216), (30, 96, 148))
DARK_SHADES = _shades((226, 128, 58), (60, 63, 68), (96, 168, 220))

LIGHT = """--page: #f4f1ea; --card: #fffdf9; --ink: #2b2a27; --muted: #716b5f; --grid: #e2dccf; --faint: #b9b1a2; --edge: #e5dfd2;
  --accent: #2e6f9e; --pick: #e8f1f7; --s0: #2e6f9e; --s1: #d1495b; --s2: #d08a1d; --s3: #4c956c; --s4: #8e5aa8; --s5: #3a9d9d;"""
DARK = """--page: #17181a; --card: #202225; --ink: #e8e5de; --muted: #a49e92; --grid: #34373b; --faint: #6d6a64; --edge: #303338;
  --accent: #7cb8e0; --pick: #24323d; --s0: #6fb3e0; --s1: #ec7a88; --s2: #eab358; --s3: #7cc79a; --s4: #c295da; --s5: #6fcfcf;"""
"""The colours of everything, by day and by night; the studio has the same."""

CSS = (
    f"""
{LIGHT_SHADES}
@media (prefers-color-scheme: dark) {{ {DARK_SHADES} }}
@media print {{ {LIGHT_SHADES} }}
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
"""
    + """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica,
  Arial, sans-serif; }
main, header.top { max-width: 1120px; margin: 0 auto; padding: 0 18px; }
header.top { padding-top: 34px; }
h1 { font-size: 2.1rem; line-height: 1.15; margin: 0 0 6px; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { font-size: 1.45rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h3 { font-size: 0.98rem; margin: 0 0 2px; }
p { margin: 0 0 10px; }
a { color: var(--accent); }
.quiet { color: var(--muted); font-size: 0.88rem; }
.note { color: var(--muted); font-size: 0.82rem; line-height: 1.4; margin: 0 0 8px; }
.contents { display: grid; grid-template-columns: repeat(auto-fill, minmax(112px, 1fr)); gap: 12px; padding: 0; margin: 22px 0 0;
  list-style: none; }
.contents a { display: flex; flex-direction: column; height: 100%; text-decoration: none; color: inherit; background: var(--card);
  border: 1px solid var(--edge); border-radius: 12px; padding: 10px; }
.contents a:hover { border-color: var(--accent); }
.contents .board { flex: 1; display: flex; align-items: center; justify-content: center; min-height: 96px; margin-bottom: 8px; }
.contents .board { --tall: 104px; }
.contents li { min-width: 0; }
.contents b { display: block; font-size: 0.9rem; line-height: 1.25; overflow-wrap: anywhere; }
section.decision { margin: 30px 0; background: var(--card); border: 1px solid var(--edge); border-radius: 16px; padding: 24px; }
.game { color: var(--muted); font-size: 0.85rem; margin: 0 0 4px; }
.why { font-size: 1.02rem; margin: 8px 0 20px; max-width: 62em; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 26px 32px; align-items: start; }
.block { margin: 26px 0 0; }
.board { text-align: center; }
svg { max-width: 100%; height: auto; border-radius: 8px; }
.chart svg { width: 100%; border-radius: 0; display: block; }
.fit { width: min(100%, calc(var(--tall) * var(--ratio))); margin: 0 auto; }
.fit svg { display: block; width: 100%; height: auto; }
.two > .board { --tall: 380px; }
pre { text-align: left; display: inline-block; max-width: 100%; overflow-x: auto; background: var(--page); border-radius: 8px;
  padding: 10px 12px; margin: 0; line-height: 1.25; font: 14px/1.25 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.scroll { overflow: auto; max-height: 30rem; border: 1px solid var(--edge); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; text-align: right; white-space: nowrap; }
th { position: sticky; top: 0; background: var(--card); vertical-align: top; box-shadow: inset 0 -1px var(--edge); }
th small { display: block; font-weight: 400; color: var(--muted); font-size: 0.72rem; white-space: normal; line-height: 1.25;
  min-width: 5em; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
th:first-child, td:first-child { padding-right: 0; width: 1.6em; } th:first-child small { display: none; }
tbody tr + tr td { border-top: 1px solid var(--grid); }
tr.pick td { background: var(--pick); font-weight: 600; }
.swatch { display: inline-block; width: 0.62em; height: 0.62em; border-radius: 50%; margin-right: 0.45em; }
.film { display: grid; grid-template-columns: repeat(auto-fill, minmax(100px, 1fr)); gap: 12px; padding: 0; margin: 8px 0 0;
  list-style: none; }
.film li { text-align: center; font-size: 0.84rem; min-width: 0; }
.film .frame { --tall: 104px; height: 108px; display: flex; align-items: center; justify-content: center; overflow: hidden; }
.film.wide { grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); }
.film.wide .frame { height: auto; min-height: 60px; margin-bottom: 4px; }
.film b { overflow-wrap: anywhere; }
footer.spent { margin-top: 24px; border-top: 1px solid var(--edge); padding-top: 12px; font-size: 0.8rem; color: var(--muted); }
footer.spent dl { display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 0; }
footer.spent dt { display: inline; }
footer.spent dd { display: inline; margin: 0 0 0 0.35em; color: var(--ink); font-variant-numeric: tabular-nums; }
footer.spent p { margin: 8px 0 0; overflow-wrap: anywhere; }
footer.end { text-align: center; color: var(--muted); font-size: 0.82rem; padding: 4px 18px 40px; }
@media screen and (max-width: 760px) {
  main, header.top { padding-left: 10px; padding-right: 10px; } header.top { padding-top: 20px; }
  section.decision { padding: 16px 14px; margin: 18px 0; border-radius: 12px; } h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; }
  .two { grid-template-columns: minmax(0, 1fr); } .contents { grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); }
  .film { grid-template-columns: repeat(auto-fill, minmax(86px, 1fr)); }
  .film.wide { grid-template-columns: repeat(auto-fill, minmax(140px, 1fr)); }
}
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #111; --muted: #555; --grid: #ddd; --faint: #999; --edge: #ccc;
    --accent: #2e6f9e; --pick: #eef4f8; --s0: #2e6f9e; --s1: #d1495b; --s2: #d08a1d; --s3: #4c956c; --s4: #8e5aa8; --s5: #3a9d9d; }
  body { font-size: 11pt; } .scroll { max-height: none; overflow: visible; } section.decision { border: 0; padding: 0; }
  section.decision + section.decision { break-before: page; } .block, .film li, .two > * { break-inside: avoid; }
  th { position: static; } .two > .board { --tall: 240px; } h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; }
  th, td { padding: 3px 6px; }
}
"""
)

AGENTS_CSS = """
section.part h2 { margin-bottom: 6px; }
section.part > h2 + .two, section.part > h2 + .scroll, section.part > h2 + .facts { margin-top: 14px; }
.say { border-left: 4px solid var(--s2); background: var(--page); border-radius: 0 8px 8px 0; padding: 8px 14px; margin: 0 0 18px;
  font-size: 0.9rem; overflow-wrap: anywhere; }
.say p { margin: 2px 0; }
td.agent { white-space: pre-line; overflow-wrap: anywhere; min-width: 13em; }
td.agent, th.agent { text-align: left; }
td small { display: block; color: var(--muted); font-size: 0.86em; font-weight: 400; line-height: 1.25; }
table.plain td:first-child, table.plain th:first-child { padding: 0 0 0 2px; width: 0; }
.dotted td.agent { position: relative; padding-left: 1.9em; }
.dotted td.agent .swatch { position: absolute; left: 0.75em; top: calc(50% - 0.31em); }
.dotted th.agent { padding-left: 1.9em; }
.scroll.whole { max-height: none; }
.half { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 32px; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 12px; margin: 0 0 22px; }
.facts div { background: var(--page); border-radius: 10px; padding: 10px 14px; }
.facts dt { color: var(--muted); font-size: 0.8rem; }
.facts dd { margin: 0; font-size: 1.32rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
.facts dd small { display: block; font-size: 0.76rem; font-weight: 400; color: var(--muted); line-height: 1.35; }
.cross { width: auto; }
.cross th, .cross td, .cross td:first-child { text-align: center; padding: 5px 9px; width: auto; }
.cross td { border: 1px solid var(--card); min-width: 5em; }
.cross td small { color: inherit; opacity: 0.85; white-space: nowrap; }
.cross td.none { color: var(--faint); }
.cross tbody th { position: sticky; left: 0; top: auto; text-align: left; vertical-align: middle; font-weight: 400;
  white-space: normal; overflow-wrap: anywhere; min-width: 9em; max-width: 24em; box-shadow: inset -1px 0 var(--edge); }
.cross thead th small { display: block; max-width: 9em; min-width: 0; overflow-wrap: anywhere; }
.cross thead th:first-child { left: 0; z-index: 2; }
.cross thead th { z-index: 1; }
.cross.dense td { min-width: 0; padding: 4px 5px; }
.cross.dense th { padding: 4px 6px; }
details.more { margin-top: 14px; }
details.more summary { cursor: pointer; color: var(--accent); font-size: 0.9rem; margin-bottom: 8px; }
section.part + section.decision.part { margin-top: 22px; }
@media screen and (max-width: 760px) {
  .part table { font-size: 0.8rem; } .part th, .part td { padding: 5px 6px; } .part th small { min-width: 4em; }
  .cross tbody th { min-width: 8.5em; max-width: 34vw; font-size: 0.74rem; } .facts { grid-template-columns: 1fr 1fr; gap: 8px; }
  .half { grid-template-columns: minmax(0, 1fr); }
  td.agent { min-width: 10.5em; font-size: 0.8rem; line-height: 1.3; } .facts div { padding: 8px 10px; } .facts dd { font-size: 1.15rem; }
}
@media print {
  section.decision.part + section.decision.part { break-before: auto; margin-top: 26px; } h2, h3 { break-after: avoid; }
  .part table { font-size: 8pt; } .part tr { break-inside: avoid; } .block.list { break-inside: auto; } td.agent { min-width: 15em; }
  .part .cross.dense { font-size: 6pt; } .cross.dense th, .cross.dense td { padding: 1px 2px; }
  .cross tbody th { position: static; min-width: 8em; } .facts div { border: 1px solid var(--edge); }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
"""What pages about several agents need beyond `CSS`."""


def in_scheme(page: str, dark: bool) -> str:
    """A page of ours that is always dark, or never, whatever the browser prefers."""
    page = page.replace("@media (prefers-color-scheme: dark)", "@media all" if dark else "@media not all")
    return page.replace("color-scheme: light dark;", f"color-scheme: {'dark' if dark else 'light'};")
