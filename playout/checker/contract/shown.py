"""How a game shows itself: names of actions, drawings and pictures never fail, for any viewer."""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ElementTree

import numpy as np

from playout.checker.contract.findings import Broken, Spot
from playout.checker.contract.probe import Probe
from playout.game.clicks import NOT_YET, Marks, answers, read_marks

MOST_CLICKS = 20_000
"""Pairs of clicks that a check asks about in all: they are many, and states are alike in this."""


def check_shown(probe: Probe, spot: Spot, legal: tuple[int, ...]) -> None:
    """Ask for every name, drawing and picture of one state; a failure here does not stop the game."""
    for viewer in (None, *range(probe.game.players)):
        for role, ask in (("action_name", check_names), ("draw", _drawing), ("svg", _picture)):
            if probe.game.has(role):
                # Already among the findings; the other ways of showing can still be asked.
                with contextlib.suppress(Broken):
                    ask(probe, spot, legal, viewer)
        if viewer is not None and probe.game.has("hidden_facts"):
            with contextlib.suppress(Broken):
                _facts(probe, spot, viewer)


def check_names(probe: Probe, spot: Spot, legal: tuple[int, ...], viewer: int | None = None) -> None:
    """Every legal action has a name of its own."""
    where = probe.findings.where("action_name")
    known: dict[str, int] = {}
    for action in legal:
        name = probe.pure("action_name", spot, action, viewer)
        if not isinstance(name, str) or not name.strip():
            probe.findings.problem("action_name-type", f"{where} returned {name!r} for action {action} {spot}; return a text")
            return
        if name in known:
            probe.findings.problem(
                "action_name-same",
                f"{where} calls the actions {known[name]} and {action} both {name!r} {spot}; people choose actions by name, so "
                "give each legal action a name of its own",
            )
            return
        known[name] = action


def _drawing(probe: Probe, spot: Spot, legal: tuple[int, ...], viewer: int | None) -> None:
    text = probe.pure("draw", spot, viewer)
    if not isinstance(text, str):
        where = probe.findings.where("draw")
        probe.findings.problem(
            "draw-type", f"{where} returned {type(text).__name__} {spot}; return the drawing as a text, do not print it"
        )


def _facts(probe: Probe, spot: Spot, viewer: int) -> None:
    facts, where = probe.pure("hidden_facts", spot, viewer), probe.findings.where("hidden_facts")
    if not isinstance(facts, list | tuple) or not all(isinstance(fact, str) and fact.strip() for fact in facts):
        probe.findings.problem(
            "hidden_facts-type",
            f"{where} returned {facts!r} for player {viewer} {spot}; return a list of texts, empty where nothing is hidden",
        )
    elif len(set(facts)) < len(facts):
        probe.findings.problem(
            "hidden_facts-same", f"{where} says the same twice for player {viewer} {spot}: {facts!r}; say each thing once"
        )


def _picture(probe: Probe, spot: Spot, legal: tuple[int, ...], viewer: int | None) -> None:
    picture, where = probe.pure("svg", spot, viewer), probe.findings.where("svg")
    if not isinstance(picture, str):
        probe.findings.problem("svg-type", f"{where} returned {type(picture).__name__} {spot}; return the picture as a text")
        return
    try:
        root = ElementTree.fromstring(picture)
    except ElementTree.ParseError as error:
        probe.findings.problem(
            "svg-xml", f"{where} gave a picture that is no XML ({error}) {spot}; close every tag and escape <, > and & in texts"
        )
        return
    if root.tag.rpartition("}")[2] != "svg":
        probe.findings.problem(
            "svg-xml", f"{where} gave <{root.tag}> as the outer element {spot}; a picture is one <svg> element"
        )
    elif not root.tag.startswith("{http://www.w3.org/2000/svg}"):
        probe.findings.problem(
            "svg-xml", f"{where} gave an <svg> element without its namespace {spot}; add xmlns='http://www.w3.org/2000/svg'"
        )
    else:
        _left_out(probe, spot, picture)
        _marks(probe, spot, legal, viewer, read_marks(root))


def _left_out(probe: Probe, spot: Spot, picture: str) -> None:
    """What reports and the studio would not show of a picture."""
    # Here and not above: only games with pictures need it.
    from playout.report.clean import clean

    cleaned, where = clean(picture), probe.findings.where("svg")
    if cleaned.trouble:
        probe.findings.problem("svg-page", f"{where}: {cleaned.trouble.rstrip('.')}, {spot}")
    elif cleaned.left_out:
        probe.findings.note(
            "svg-left-out",
            f"{where} uses {', '.join(cleaned.left_out)} {spot}, which pages leave out of a picture; draw with plain shapes, texts and "
            "gradients",
        )


def _marks(probe: Probe, spot: Spot, legal: tuple[int, ...], viewer: int | None, marks: Marks) -> None:
    """What can be clicked on is legal; asked of all eyes, it is everything that is."""
    where, findings, eyes = probe.findings.where("svg"), probe.findings, "" if viewer is None else f" for viewer {viewer}"
    ids = {str(action) for action in legal}
    for word in marks.actions:
        if word not in ids:
            findings.problem(
                "svg-action",
                f"{where} marks data-action={word!r}{eyes} {spot}, which is no legal action there{_among(legal)}; mark only what `legal` lists",
            )
            return
    if marks.parts and not probe.game.has("clicked"):
        findings.problem(
            "svg-part",
            f"{where} marks data-part={marks.parts[0]!r} {spot}, and there is no clicked to make an action of it; add def "
            "clicked(state, parts), or mark actions themselves with data-action",
        )
        return
    if viewer is not None:
        return
    if not marks.actions and not marks.parts:
        if legal:
            findings.note(
                "svg-unmarked",
                f'{where} marks nothing to click on; data-action="{legal[0]}" on an element makes it a click for action {legal[0]}',
            )
        return
    reached, asked = _clicks(probe, spot, legal, marks.parts)
    lost = sorted(set(legal) - reached - {int(word) for word in marks.actions})
    if asked and lost:
        findings.note(
            "svg-unmarked",
            f"{where} marks nothing to click on for action {lost[0]} {spot}; that is chosen from the list of actions only",
        )


def _clicks(probe: Probe, spot: Spot, legal: tuple[int, ...], parts: tuple[str, ...]) -> tuple[set[int], bool]:
    """The legal actions that clicks on parts lead to, and whether all clicks could be asked about."""
    where = probe.findings.where("clicked") if parts else ""
    reached: set[int] = set()
    idle = set(parts)
    for clicks, answer in answers(lambda clicks: probe.pure("clicked", spot, clicks), parts):
        if isinstance(answer, bool) or not isinstance(answer, int | np.integer):
            probe.findings.problem(
                "clicked-type",
                f"{where} returned {answer!r} for {clicks!r} {spot}; return the id of an action, or -1 for none yet",
            )
            raise Broken()
        if answer != NOT_YET and answer not in legal:
            probe.findings.problem(
                "clicked-illegal",
                f"{where} made action {answer} of the clicks {clicks!r} {spot}, which is not legal there{_among(legal)}; return -1 where "
                "the clicks mean none",
            )
            raise Broken()
        if answer != NOT_YET:
            reached.add(int(answer))
            idle -= set(clicks)
        probe.clicks += len(clicks) - 1
        if probe.clicks > MOST_CLICKS:
            return reached, False
    if idle:
        probe.findings.note(
            "part-idle",
            f"{probe.findings.where('svg')} marks data-part={min(idle)!r} {spot}, and no two clicks with it lead to a legal action; "
            "mark only what can be moved, and where to",
        )
    return reached, True


def _among(legal: tuple[int, ...]) -> str:
    """The first legal actions in brackets."""
    if not legal:
        return " (the game is over)"
    return f" (legal: {', '.join(map(str, sorted(legal)[:8]))}{' ...' * (len(legal) > 8)})"
