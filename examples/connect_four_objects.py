"""Connect Four as an ordinary Python class, searched as it is, and how much faster the same game is as functions over a record.

One object is one state; there is nothing to inherit from. `examples/connect_four.py` is the other form of it.

Run it: python examples/connect_four_objects.py
    or: playout search examples/connect_four_objects.py:ConnectFour --simulations 1000
"""

import time
from pathlib import Path

import playout


class ConnectFour:
    """Connect Four with lists: drop discs into seven columns; four of a colour in a line win."""

    players = 2
    actions = 7
    returns_range = (-1, 1)
    longest = 42

    def __init__(self):
        self.columns = [[] for _ in range(7)]
        self.winner = None

    def copy(self):
        other = ConnectFour.__new__(ConnectFour)
        other.columns, other.winner = [list(column) for column in self.columns], self.winner
        return other

    def current_player(self):
        return sum(map(len, self.columns)) % 2

    def legal_actions(self):
        return [column for column in range(7) if len(self.columns[column]) < 6]

    def apply(self, action):
        player = self.current_player()
        self.columns[action].append(player)
        row = len(self.columns[action]) - 1
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if self.run(player, row, action, up, right) + self.run(player, row, action, -up, -right) >= 5:
                self.winner = player

    def run(self, player, row, column, up, right):
        length = 0
        while 0 <= column < 7 and 0 <= row < len(self.columns[column]) and self.columns[column][row] == player:
            row, column, length = row + up, column + right, length + 1
        return length

    def is_over(self):
        return self.winner is not None or all(len(column) == 6 for column in self.columns)

    def returns(self):
        if self.winner is None:
            return [0, 0]
        return [1, -1] if self.winner == 0 else [-1, 1]

    def action_name(self, action):
        return "abcdefg"[action]

    def __str__(self):
        cells = [["." if row >= len(column) else "XO"[column[row]] for column in self.columns] for row in reversed(range(6))]
        return "\n".join(" ".join(row) for row in [*cells, list("abcdefg")])


def main(simulations=1000, compiled=True):
    rates = {}
    for form, game in (
        ("objects", playout.load(ConnectFour)),
        ("record", playout.load(Path(__file__).with_name("connect_four.py"))),
    ):
        search = playout.Search(game, seed=1, trees=1, decisive_playouts="off", compiled=compiled)
        search.run(simulations=1)  # compiled, or loaded, before the clock runs
        budget = simulations if form == "objects" or not compiled else 100 * simulations
        began = time.perf_counter()
        decision = search.run(simulations=budget)
        rates[form] = budget / (time.perf_counter() - began)
        print(f"{form}: {rates[form]:,.0f} simulations a second, choice {decision.name} after {budget:,}")
    print(f"the record is {rates['record'] / rates['objects']:,.0f} times as fast")
    return rates


if __name__ == "__main__":
    main()
