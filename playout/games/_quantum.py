"""What quantum board games share: boards in superposition, and sums over them.

An action is a unit complex vector over the sites. The state is a superposition: every board has an amplitude. A move sends
each unfinished board to all its children, with its amplitude times the action's component of the site; equal boards add
(interference), placements on a taken site vanish, finished boards keep their amplitude. The payoff is the mean over the
boards at the end, each weighing its amplitude squared.

Only the directions of the actions count: lengths and phases cancel, and derivatives along them are zero.

A move that leaves at most ANNIHILATED of the weight it found destroys the state, as a move onto a taken site does in the
classical game: whoever makes it has lost, whatever comes later. (Were such a state worth 0, a player about to lose would
escape by playing where a mark is already.)
"""

import numpy as np

from playout.picture import INK, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture

ANNIHILATED = 1e-9
OPEN = 2
"""The worth of a board that is not finished."""


class Graph:
    """Every board that can come about, in the order of the plies, with the boards that it comes from.

    `mark(ply)` is what the mover places, `result(board)` the first player's result (-1, 0 or 1), None while the game goes on.
    The tables are narrow, since a payoff reads all of them: those of tic-tac-toe stay below 64 KiB together.
    """

    def __init__(self, sites, moves, mark, result):
        self.sites, self.moves = sites, moves
        self.boards = [(0,) * sites]
        worth, edges = [OPEN], [[]]
        plies, ply = [0, 1], [0]
        for stage in range(moves):
            found = {}
            for parent in ply:
                board = self.boards[parent]
                for site in range(sites):
                    if board[site] == 0:
                        child = (*board[:site], mark(stage), *board[site + 1 :])
                        found.setdefault(child, []).append((parent, site))
            ply = []
            for child, parents in found.items():
                self.boards.append(child)
                found_worth = result(child)
                worth.append(OPEN if found_worth is None else int(found_worth))
                edges.append(parents)
                if found_worth is None:
                    ply.append(len(self.boards) - 1)
            plies.append(len(self.boards))
        if max(4 * len(self.boards), sum(map(len, edges))) >= 1 << 15:
            raise ValueError(f"{len(self.boards)} boards are too many for tables of 16 bits")
        self.ply = np.array(plies, np.int16)
        """The boards of ply t have the numbers ply[t] to ply[t + 1] - 1."""
        self.first = np.cumsum([0, *map(len, edges)]).astype(np.int16)
        self.parent = np.array([parent for into in edges for parent, _ in into], np.int16)
        self.site = np.array([site for into in edges for _, site in into], np.int8)
        self.worth = np.array(worth, np.int8)
        self.marks = np.array(self.boards, np.int8)

    @property
    def scratch(self):
        """Numbers to work in: an amplitude and its derivative for every board, three sums for every stage."""
        return 4 * len(self.boards) + 3 * (self.moves + 1)

    def superposition(self, actions, stage):
        """The amplitude of every board after so many moves; the stage of the annihilating move, or -1."""
        amplitudes = np.zeros(len(self.boards), np.complex128)
        amplitudes[0] = 1.0
        now = np.arange(len(self.boards)) == 0
        child = np.repeat(np.arange(len(self.boards)), np.diff(self.first))
        for ply in range(stage):
            action = np.ascontiguousarray(actions[ply], np.float64).view(np.complex128)
            edges = slice(self.first[self.ply[ply + 1]], self.first[self.ply[ply + 2]])
            before = (abs(amplitudes[now]) ** 2).sum() * (abs(action) ** 2).sum()
            np.add.at(amplitudes, child[edges], amplitudes[self.parent[edges]] * action[self.site[edges]])
            now &= self.worth != OPEN
            now[self.ply[ply + 1] : self.ply[ply + 2]] = True
            if (abs(amplitudes[now]) ** 2).sum() <= ANNIHILATED * before:
                return np.where(now, amplitudes, 0), ply
        return np.where(now, amplitudes, 0), -1

    def chances(self, actions, stage):
        """For every site and mark (0: empty) the probability to find it there; then how the game stands, in words."""
        amplitudes, annihilated = self.superposition(actions, stage)
        weights = abs(amplitudes) ** 2
        shares = np.array([[weights[self.marks[:, site] == mark].sum() for mark in (0, 1, 2)] for site in range(self.sites)])
        total = max(weights.sum(), 1e-300)
        return shares / total, caption(stage, self.moves, annihilated, (weights * self.worth).sum() / total)


def functions(graph):
    """`payoffs` and `gradient` over a graph of boards."""
    moves, sites, boards = graph.moves, graph.sites, len(graph.boards)
    ply, first, parent, site = graph.ply, graph.first, graph.parent, graph.site
    worth = graph.worth
    adjoint, sums = 2 * boards, 4 * boards

    def sweep(actions, scratch):
        """Amplitudes and sums into scratch; the stage of the annihilating move, or the number of moves."""
        scratch[0] = 1.0
        scratch[1] = 0.0
        zero = 0.0 * actions[0, 0]
        total, kept, score = zero + 1.0, zero, zero
        for stage in range(moves):
            norm = zero
            for i in range(2 * sites):
                norm += actions[stage, i] * actions[stage, i]
            scratch[sums + 3 * stage] = kept
            scratch[sums + 3 * stage + 1] = score
            scratch[sums + 3 * stage + 2] = norm
            # A finished board takes no part in the move, but weighs as much against the others as for a unit action.
            kept *= norm
            score *= norm
            going = zero
            for board in range(ply[stage + 1], ply[stage + 2]):
                re, im = zero, zero
                for edge in range(first[board], first[board + 1]):
                    p, s = 2 * parent[edge], 2 * site[edge]
                    re += scratch[p] * actions[stage, s] - scratch[p + 1] * actions[stage, s + 1]
                    im += scratch[p] * actions[stage, s + 1] + scratch[p + 1] * actions[stage, s]
                scratch[2 * board] = re
                scratch[2 * board + 1] = im
                weight = re * re + im * im
                if worth[board] == OPEN:
                    going += weight
                else:
                    kept += weight
                    score += worth[board] * weight
            before = total * norm
            total = kept + going
            # `.real`, since the numbers may be complex where derivatives are taken.
            if total.real <= ANNIHILATED * before.real:
                return stage
        scratch[sums + 3 * moves] = kept
        scratch[sums + 3 * moves + 1] = score
        return moves

    def payoffs(actions, out, scratch):
        ended = sweep(actions, scratch)
        if ended < moves:
            out[ended % 2] = -1.0
            out[1 - ended % 2] = 1.0
            return
        out[0] = scratch[sums + 3 * moves + 1] / scratch[sums + 3 * moves]
        out[1] = -out[0]

    def gradient(actions, player, out, scratch):
        ended = sweep(actions, scratch)
        for stage in range(moves):
            for i in range(2 * sites):
                out[stage, i] = 0.0
        if ended < moves:
            return
        for i in range(2 * boards):
            scratch[adjoint + i] = 0.0
        kept = scratch[sums + 3 * moves]
        value = scratch[sums + 3 * moves + 1] / kept
        # By how much the payoff grows with a weight of worth 1 above the mean, seen from the ply that is looked at.
        rate = (1 - 2 * player) / kept
        for stage in range(moves - 1, -1, -1):
            earlier = scratch[sums + 3 * stage + 1] - value * scratch[sums + 3 * stage]
            for i in range(2 * sites):
                out[stage, i] += 2 * rate * earlier * actions[stage, i]
            for board in range(ply[stage + 1], ply[stage + 2]):
                re, im = scratch[adjoint + 2 * board], scratch[adjoint + 2 * board + 1]
                if worth[board] != OPEN:
                    re += 2 * rate * (worth[board] - value) * scratch[2 * board]
                    im += 2 * rate * (worth[board] - value) * scratch[2 * board + 1]
                for edge in range(first[board], first[board + 1]):
                    p, s = 2 * parent[edge], 2 * site[edge]
                    out[stage, s] += scratch[p] * re + scratch[p + 1] * im
                    out[stage, s + 1] += scratch[p] * im - scratch[p + 1] * re
                    scratch[adjoint + p] += actions[stage, s] * re + actions[stage, s + 1] * im
                    scratch[adjoint + p + 1] += actions[stage, s] * im - actions[stage, s + 1] * re
            rate *= scratch[sums + 3 * stage + 2]

    return payoffs, gradient


# What people look at


def polar(action):
    """Length and phase in degrees of every component; the longest has phase 0, since the phase of the whole is free."""
    vector = np.array(action, np.float64).view(np.complex128)
    lengths = abs(vector)
    top = vector[np.argmax(lengths.round(9))]
    phases = np.degrees(np.angle(vector * np.conj(top))).round(3)
    return lengths, phases + 0.0


def words(action, names):
    """A move as people write it: 0.71 a1 + 0.71∠90° b2, components of less than one in a thousand left out."""
    lengths, phases = polar(action)
    parts = []
    for name, length, phase in zip(names, lengths, phases, strict=True):
        if length**2 >= 0.001:
            size = "" if length > 0.9995 else f"{length:.2f}" + (f"∠{phase:.0f}° " if abs(phase) >= 0.5 else " ")
            parts.append(size + name)
    return " + ".join(parts)


def caption(stage, moves, annihilated, value):
    """Where the game stands, in a line."""
    names = ("first", "second")
    if annihilated >= 0:
        return f"move {annihilated + 1} annihilated the state: the {names[annihilated % 2]} player has lost"
    if stage >= moves:
        return f"the game is over: {value + 0.0:.4f} to the first player"
    return f"move {stage + 1} of {moves}: the {names[stage % 2]} player places"


def table(graph, state, names, letters):
    """Chances per site as text, a row for each mark and one for the last move."""
    chances, standing = graph.chances(state.actions, state.stage)
    rows = [("", *names)]
    for mark, letter in letters.items():
        rows.append((letter, *(f"{chance:.2f}" for chance in chances[:, mark])))
    lines = ["  ".join(f"{cell:>5}" for cell in row).rstrip() for row in rows]
    if state.stage:
        lines.append("last move: " + words(state.actions[state.stage - 1], names))
    return "\n".join([*lines, standing])


def cell(picture, x, y, size, chances, name):
    """A site: its chances as a stack of bars, one colour for each mark."""
    picture.rect(x, y, size, size, WHITE, MUTED, 1, rx=4)
    top = y + size
    for mark in (1, 2):
        height = size * float(chances[mark])
        if height >= 0.5:
            top -= height
            with picture.note(f"{'XO'[mark - 1]} in {name}: {chances[mark]:.3f}"):
                picture.rect(x, top, size, height, PLAYER_COLOURS[mark - 1])
                if height >= 0.14 * size:
                    picture.text(x + 0.9 * size, top + height / 2, "XO"[mark - 1], 0.13 * size, WHITE, bold=True)
    picture.text(x + 0.12 * size, y + 0.14 * size, name, 0.16 * size, INK)


def dial(picture, x, y, radius, length, phase):
    """An amplitude: a disc with its length as radius, in the colour of its phase, and a hand that shows the phase."""
    if length < 0.02:
        return
    r, angle = radius * float(length), np.radians(phase)
    with picture.note(f"amplitude {length:.3f}, phase {phase:.0f}°"):
        picture.circle(x, y, r, hue(phase), INK, 1)
        picture.line(x, y, x + r * np.cos(angle), y - r * np.sin(angle), INK, 1.5)


def hue(phase):
    """A phase in degrees as a colour of the wheel: 0 red, 120 green, 240 blue."""
    parts = [(phase / 60.0 + shift) % 6.0 for shift in (0.0, 4.0, 2.0)]
    levels = [round(255 * (0.35 + 0.6 * min(1.0, max(0.0, abs(part - 3.0) - 1.0)))) for part in parts]
    return "#" + "".join(f"{level:02x}" for level in levels)


def draw_picture(graph, state, title, places, names, size, edge):
    """All sites at their places (in units of `size`), with the last move as dials and a caption below."""
    chances, standing = graph.chances(state.actions, state.stage)
    wide, high = (1 + max(place[i] for place in places) for i in (0, 1))
    picture = Picture(max(wide * size, 300) + 2 * edge, high * size + 2 * edge + 30, title, PAPER)
    for site, (column, row) in enumerate(places):
        cell(picture, edge + column * size + 3, edge + row * size + 3, size - 6, chances[site], names[site])
    if state.stage:
        lengths, phases = polar(state.actions[state.stage - 1])
        for (column, row), length, phase in zip(places, lengths, phases, strict=True):
            dial(picture, edge + (column + 0.5) * size, edge + (row + 0.55) * size, 0.36 * size, length, phase)
    picture.text(picture.width / 2, high * size + 2 * edge + 6, standing, 13, INK)
    return str(picture)
