"""How a game shows itself: names of actions, drawings and pictures never fail, for any viewer."""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ElementTree

from playout.checker.contract.findings import Broken, Spot
from playout.checker.contract.probe import Probe


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
