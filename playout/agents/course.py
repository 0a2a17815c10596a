"""One game as its referee holds it: the true states, who sits where, what each of those who look is told, and taking back.

Terminal play and the studio are two ways to talk about a `Course`; neither decides by itself what a seat may see. The arena's referee
holds the truth on a compiled table instead, and shares with this one what `seats` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import msgspec

from playout.agents.announcing import guarded, news
from playout.agents.base import Agent
from playout.agents.seats import Seats, truth, world
from playout.game.state import State
from playout.game.stream import REFEREE, Stream
from playout.planner.decision import ONLY, Decision

ONE = "   (the only legal action)"
"""Behind an action that nobody had to think about."""


class Course:
    """The referee: it alone holds the true state; agents and persons get worlds, and persons the news that they can tell."""

    def __init__(self, start: State, agents: Sequence[Agent], persons: Iterable[int], seed: int) -> None:
        self.start = self.state = start
        self.agents, self.persons, self.seed = agents, list(persons), seed
        self.history: list[tuple[State, Any]] = []
        self.seats = Seats(agents, Stream(seed, REFEREE), peeking=[bool(getattr(agent, "peeks", False)) for agent in agents])
        self.guarded = bool(self.persons) and guarded(start, self.persons[0])
        """Whether anything is kept from the persons at the table."""
        self.looking: int | None = None
        """Who looks at the screen, where something is kept from somebody; else everybody does."""
        self.news: list[dict[int | None, str]] = []
        """By action, what each of those who may look is told of it; nothing for who has not noticed it."""
        self.remember()

    @property
    def eyes(self) -> list[int | None]:
        """Who is told apart when things are said: the persons, where anything is kept from them; else all eyes are one."""
        return list(self.persons) if self.guarded else [None]

    @property
    def viewer(self) -> int | None:
        """Whose eyes the drawing is for: who looks; where nothing is kept, the mover if it is a person; with none, everybody's."""
        if self.guarded:
            return self.looking
        if not self.persons:
            return None
        return self.state.mover if self.state.mover in self.persons else self.persons[0]

    @property
    def next_eyes(self) -> int:
        """Who is to look now, where the screen has to go round: the person to act, else whoever looked before."""
        mover = self.state.mover
        return mover if mover in self.persons else self.persons[0] if self.looking is None else self.looking

    def shown(self, player: int) -> State:
        """What a player is handed to decide on."""
        return self.seats.shown(player, partial(world, self.state), partial(truth, self.state))

    def advance(self, action: Any, reason: str = "", own: bool = False) -> None:
        """Play an action, and note who is to be told what of it; reasons, which may give cards away, go to those who hide nothing, and
        a mover's `own` to itself."""
        before, after = self.state, self.state.play(action)
        self.history.append((before, action))
        self.state = after
        self.seats.told(before, action, after)
        told = {eye: news(before, action, after, eye) for eye in self.eyes}
        heard = {eye: not self.guarded or (own and eye == before.mover) for eye in self.eyes}
        self.news.append({eye: words + reason * heard[eye] for eye, words in told.items() if words is not None})

    def remember(self) -> None:
        """Let histories be folded anew from the start, where an agent asks for them."""
        if self.seats.remembering:
            self.seats.begin(self.start, [action for _, action in self.history])

    def last_decision(self, player: int) -> int | None:
        """How many actions were played when a player last had something to decide; None where it never had."""
        places = [place for place, (state, _) in enumerate(self.history) if state.mover == player and not alone(state)]
        return places[-1] if places else None

    def back_to(self, place: int) -> int:
        """Take back all actions but the first so many; gives how many those are."""
        self.state = self.history[place][0]
        count = len(self.history) - place
        del self.history[place:], self.news[place:]
        self.remember()
        return count

    def results(self) -> list[tuple[str, float, str, str]]:
        """At the end, by player: its name, what it got, whether it won or all drew, and the agent."""
        returns = self.state.returns
        best = [value == max(returns) for value in returns]
        verdicts = [
            "" if len(returns) == 1 else "draw" if all(best) else "won" if best[player] and sum(best) == 1 else ""
            for player in range(len(returns))
        ]
        who = self.start.game.player_name
        return [
            (who(player), value, verdict, agent.name)
            for player, (value, verdict, agent) in enumerate(zip(returns, verdicts, self.agents))
        ]

    def to_dict(self) -> dict[str, Any]:
        """The game as plain data; `moves` played from `start` give it again.

        As long as the game goes on and something is kept from the person who looks, only that person's side of it.
        """
        data = {"game": self.state.game.spec, "seed": self.seed, "agents": [agent.name for agent in self.agents]}
        data |= {"player_names": self.start.game.player_names or None}
        data |= {"finished": self.state.over, "returns": self.state.returns if self.state.over else None}
        if self.guarded and not self.state.over:
            told = [words[self.looking] for words in self.news if self.looking in words]
            seen = msgspec.json.decode(self.state.to_json(self.looking))
            return data | {"viewer": self.looking, "told": told, "observation": seen["observation"]}
        return data | {
            "moves": [action for _, action in self.history],
            "names": [state.name(action) for state, action in self.history],
            "movers": [state.mover for state, _ in self.history],
            "start": msgspec.json.decode(self.start.to_json()),
            "state": msgspec.json.decode(self.state.to_json()),
        }


def alone(state: State) -> bool:
    """Whether there is one legal action, which is then played without asking: who is to act can see it anyhow."""
    return not state.game.continuous and len(state.legal) == 1


def reason(decision: Decision | None) -> str:
    """Behind an action: what an agent thought of it."""
    if decision is None:
        return ""
    if decision.stopped == ONLY:
        return ONE
    if decision.chosen.proven is not None:
        from playout.planner.why import result_words

        return f"   (proven: {result_words(decision.chosen.proven, decision.mover)})"
    mean = decision.chosen.mean
    return f"   ({decision.simulations:,} simulations" + ("" if mean is None else f", mean return {mean:+.3f}") + ")"
