"""`playout fit`, and what the other commands say of what it kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import playout
from playout.arena import choices as table
from playout.arena import fit as fits
from playout.arena.choices import Choice
from playout.planner.fit import keep, kept
from tests.arena.test_fit import ticking
from tests.cli.conftest import Cli
from tests.planner.test_fit import WORDS, some

GAME = playout.load("tic-tac-toe")
FIT = ("fit", "tic-tac-toe", "--engine", "here", "--simulations", "10", "--openings", "0")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


PLANTED = (Choice("playouts", ({"playouts": 60},), lambda game: True),)


@pytest.mark.compiles
def test_a_fit_in_words_and_as_json(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "CHOICES", PLANTED)
    monkeypatch.setattr(fits, "Fitter", partial(fits.Fitter, clock=ticking(0.15)))
    ran = cli(*FIT)
    assert ran.code == 0, ran.err
    assert "playouts=60" in ran.out and "to the end" in ran.out
    ((found, _),) = kept(GAME)
    assert f"kept: playouts=60 got {found.got} that took no part in finding it" in ran.out
    assert "--no-fit leaves it aside, and playout fit tic-tac-toe --forget removes it" in ran.out
    monkeypatch.setattr(fits, "Fitter", partial(fits.Fitter.func, clock=ticking(0.55)))  # type: ignore[attr-defined]
    data = cli(*FIT, "--json").data
    assert data["fit"]["budget"] == {"simulations": 10} and data["fit"]["explored"] > 20 and data["kept"] is False
    assert [fit for fit, _ in kept(GAME)] == [found], "what is not confirmed takes nothing away"


def test_to_show_and_to_forget(cli: Cli) -> None:
    assert cli("fit", "tic-tac-toe", "--show").out == (
        "no fit is kept for tic-tac-toe as its rules are now; playout fit tic-tac-toe finds one\n"
    )
    file = keep(some())
    shown = cli("fit", "tic-tac-toe", "--show").out
    assert f"tic-tac-toe: {WORDS}. It is in {file}." in shown
    data = cli("fit", "tic-tac-toe", "--show", "--json").data
    (fit,) = data["fits"]
    assert fit["settings"] == {"c": 0.25, "transpositions": True} and fit["file"] == str(file)
    for number in range(2):
        keep(some(budget={"simulations": 10 + number}))
    ran = cli("fit", "tic-tac-toe", "--show", "--report", "fit.html")
    assert ran.out.count("It is in") == 3 and ran.err == "report written: fit.html\n"
    assert "At 11 simulations a move: c=0.25, transpositions=true, better than auto." in Path("fit.html").read_text()
    assert cli("fit", "tic-tac-toe", "--show", "--simulations", "11").out.count("It is in") == 1
    assert "no fit is kept for tic-tac-toe at 1 ms a move as its rules are now, and no page is written; playout fit" in (
        cli("fit", "tic-tac-toe", "--show", "--move-seconds", "0.001", "--report", "none.html").out
    )
    assert not Path("none.html").exists()
    one = cli("fit", "tic-tac-toe", "--forget", "--simulations", "10").out
    assert one == "the fit of tic-tac-toe at 10 simulations a move is forgotten\n"
    assert cli("fit", "tic-tac-toe", "--forget").out == "the 2 fits of tic-tac-toe are forgotten\n"
    keep(some())
    assert cli("fit", "tic-tac-toe", "--forget", "--json").data == {"forgotten": 1}
    assert cli("fit", "tic-tac-toe", "--forget").out == "no fit is kept for tic-tac-toe; nothing to forget\n"
    assert cli("fit", "tic-tac-toe", "--show", "--json").data == {"fits": []}


@pytest.mark.compiles
def test_the_commands_say_what_they_use(cli: Cli) -> None:
    keep(some())
    search = ("search", "tic-tac-toe", "--simulations", "30", "--seed", "1")
    assert f"(auto: {WORDS}" in cli(*search).out
    assert f"auto:   {WORDS}" in cli(*search, "--moves", "a1 b2 a2 b1").out, "said where a proof leaves it out of the reason, too"
    data = cli(*search, "--json").data
    assert data["auto"].startswith(WORDS) and data["settings"]["c"] == 0.25
    assert cli(*search, "--json", "--no-fit").data["settings"]["c"] == 0.5
    by_hand = cli(*search, "--json", "--c", "1").data
    assert by_hand["settings"]["c"] == 1 and not by_hand["settings"]["transpositions"] and "left aside" in by_hand["auto"]
    play = ("play", "tic-tac-toe", "--watch", "--agent", "uct:simulations=5")
    said = cli(*play).out
    assert "player 0: uct:simulations=5,c=0.25,transpositions=true\n" in said and WORDS in said
    assert "player 0: uct:simulations=5\n" in cli(*play, "--no-fit").out
    arena = ("arena", "tic-tac-toe", "uct:simulations=5", "random", "--games", "2", "--engine", "here")
    said = cli(*arena).out
    assert f"uct:simulations=5,c=0.25,transpositions=true: {WORDS}" in said
    assert "fitted" not in cli(*arena, "--no-fit").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("loss-1d",),
            "a fit works with actions that can be listed, and actions of loss-1d are real vectors; use playout search",
        ),
        (("tic-tac-toe", "--show", "--forget"), "--show and --forget do not go together; leave one of them out"),
        (
            ("tic-tac-toe", "--forget", "--move-seconds", "0.1", "--simulations", "5"),
            "give the budget of a move in seconds or in simulations, not in both",
        ),
        (("tic-tac-toe", "--show", "--move-seconds", "-1"), "the seconds of a move are -1.0; give a number above 0"),
        (
            ("tic-tac-toe", "--forget", "--report", "x.html"),
            "--forget has nothing to report on; leave --report out, or take --show",
        ),
        (("tic-tac-toe", "--seconds", "0"), "seconds is 0.0; give the time of the whole fit, a number above 0"),
        (("tic-tac-toe", "--simulations", "0"), "simulations is 0; give a whole number from 1 to 2,000,000,000"),
    ],
)
def test_what_is_refused(cli: Cli, words: tuple[str, ...], sentence: str) -> None:
    ran = cli("fit", *words)
    assert ran.code == 2 and ran.err.startswith(f"playout: {sentence}")


@pytest.mark.compiles
def test_stopped_before_the_end_it_keeps_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fits.Fitter, "_halve", interrupted)
    monkeypatch.setattr(table, "CHOICES", table.CHOICES[:3])  # what needs no other kernel
    ran = cli(*FIT)
    assert ran.code == 130 and "stopped before the end, so nothing was kept" in ran.err and not kept(GAME)
