"""Games as ordinary Python classes, for the tests: each in the style of a tutorial."""


class TicTacToe:
    """Tic-tac-toe with a dict, whose actions are tuples; deepcopy copies it."""

    actions = [(column, row) for row in range(3) for column in range(3)]
    returns_range = (-1, 1)
    longest = 9

    def __init__(self):
        self.cells = {}
        self.turn = 0

    def legal_actions(self):
        return [cell for cell in self.actions if cell not in self.cells]

    def apply(self, action):
        self.cells[action] = self.turn
        self.turn = 1 - self.turn

    def current_player(self):
        return self.turn

    def line(self):
        lines = [[(c, r) for c in range(3)] for r in range(3)] + [[(c, r) for r in range(3)] for c in range(3)]
        lines += [[(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]
        for line in lines:
            owners = {self.cells.get(cell) for cell in line}
            if len(owners) == 1 and None not in owners:
                return owners.pop()
        return None

    def is_over(self):
        return self.line() is not None or len(self.cells) == 9

    def returns(self):
        winner = self.line()
        return {0: 0, 1: 0} if winner is None else {winner: 1, 1 - winner: -1}

    def action_name(self, action):
        return "abc"[action[0]] + str(action[1] + 1)


class Race:
    """Dice for one player, drawn by rng: roll or stop before a 1 comes; persistent, with slots."""

    players = 1
    actions = ["roll", "stop"]
    longest = 60
    __slots__ = ("done", "total")

    def __init__(self, total=0, done=False):
        self.total, self.done = total, done

    def legal_actions(self):
        return ["roll", "stop"]

    def apply(self, action, rng):
        if action == "stop":
            return Race(self.total, True)
        die = rng.randint(1, 6)
        return Race(0, True) if die == 1 else Race(self.total + die, self.total + die > 50)

    def is_over(self):
        return self.done

    def returns(self):
        return self.total


class Coin:
    """Three players guess a coin in turn; chance has its own turns, with probabilities."""

    players = 3
    actions = 2
    returns_so_far = True
    longest = 20

    def __init__(self, rounds=2, heads=0.75):
        self.rounds, self.heads = rounds, heads
        self.guesses, self.won, self.flip = [], [0, 0, 0], False

    def legal_actions(self):
        return [0, 1]

    def chance_outcomes(self):
        return [("tails", 1 - self.heads), ("heads", self.heads)] if self.flip else []

    def apply(self, action):
        if self.flip:
            for player, guess in enumerate(self.guesses[-3:]):
                self.won[player] += guess == (action == "heads")
            self.flip = False
        else:
            self.guesses.append(action)
            self.flip = len(self.guesses) % 3 == 0

    def current_player(self):
        return len(self.guesses) % 3

    def is_over(self):
        return len(self.guesses) == 3 * self.rounds and not self.flip

    def returns(self):
        return list(self.won)


class Kuhn:
    """Kuhn poker: three cards, one hidden from each player; worlds are found by playing the past again."""

    actions = ["pass", "bet"]
    returns_range = (-2, 2)
    longest = 12

    def __init__(self, rng=None):
        self.cards = [0, 1, 2]
        rng.shuffle(self.cards)
        self.history = ""

    def legal_actions(self):
        return list(self.actions)

    def apply(self, action):
        self.history += action[0]

    def current_player(self):
        return len(self.history) % 2

    def is_over(self):
        return self.history in ("pp", "pbp", "pbb", "bp", "bb")

    def returns(self):
        if self.history.endswith("bp"):
            winner = len(self.history) % 2
            return [1, -1] if winner == 0 else [-1, 1]
        stake = 2 if self.history.endswith("bb") else 1
        return [stake, -stake] if self.cards[0] > self.cards[1] else [-stake, stake]

    def observation(self, player):
        # At the end the cards lie open where nobody passed a bet.
        shown = self.cards[1 - player] if self.is_over() and not self.history.endswith("bp") else None
        return (self.cards[player], self.history, shown)


class ByPlace:
    """Nim with one heap of several, whose actions are not declared and come as a set."""

    returns_range = (-1, 1)

    def __init__(self, heaps=3):
        self.heaps, self.turn = [heaps, heaps + 1], 0

    def legal_actions(self):
        return {(heap, n) for heap, size in enumerate(self.heaps) for n in range(1, size + 1)}

    def apply(self, action):
        self.heaps[action[0]] -= action[1]
        self.turn = 1 - self.turn

    def current_player(self):
        return self.turn

    def is_over(self):
        return not any(self.heaps)

    def returns(self):
        return [-1, 1] if self.turn == 0 else [1, -1]

    def key(self):
        return tuple(self.heaps), self.turn
