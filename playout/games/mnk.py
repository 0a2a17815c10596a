"""m,n,k games: k in a row wins on a board m wide and n high."""

import numpy as np

from playout import PlayoutError, Stream, below, lowest, parameter, pop
from playout.game.contract import ALL_LEGAL
from playout.picture import BOARD, BOARD_DARK, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, WHITE, Picture, choices, standing

m = parameter("m", 3, "columns of the board", low=1, high=50)
n = parameter("n", 3, "rows of the board", low=1, high=50)
k = parameter("k", 3, "length of a winning line", low=1, high=50)
if k > max(m, n):
    raise PlayoutError(f"parameter k={k} is out of range: no line of {k} fits on a board {m} wide and {n} high")

players = 2
actions = m * n
returns_range = (-1, 1)
encoding = (3, n, m)

# The board has a border of empty cells, so that a walk along a line stops at the edge without asking where it is.
# One cell between two rows is enough: it ends the one and begins the other.
WIDTH = m + 1
STEPS = (1, WIDTH - 1, WIDTH, WIDTH + 1)

# The free actions are kept as a list, the last one filling the gap of the one just taken, and `place` says where each
# of them stands in it. On 15x15 that is three times as fast as looking for the empty cells every time. The price: the
# order in the list tells how a board came about, so `key` must not look at it.
SMALL = np.uint8 if m * n <= 256 else np.int16

# Boards that fit 63 bits with the cell between two rows, which no stone is ever on, are kept as bitboards, too: a line is then
# found by shifting all stones at once, and so is every cell that would complete one.
FITS = n * WIDTH <= 63
PLACES = sum(((1 << m) - 1) << row * WIDTH for row in range(n))
State = np.dtype(
    [("stones", np.int64, 2)] * FITS
    + [
        ("board", np.int8, (n + 2) * WIDTH + 1),
        ("free", SMALL, m * n),
        ("place", SMALL, m * n),
        ("moves", np.int16),
        ("winner", np.int8),
    ]
)


def start(state, rng):
    for action in range(m * n):
        state.free[action] = action
        state.place[action] = action


def cell_of(action):
    return action + action // m + WIDTH + 1


def legal(state, out):
    count = m * n - state.moves
    for i in range(count):
        out[i] = state.free[i]
    return count


def pick(state, rng):
    return state.free[below(rng, m * n - state.moves)]


def play(state, action, rng):
    player = state.moves & 1
    cell = cell_of(action)
    state.board[cell] = player + 1
    state.moves += 1
    gap = state.place[action]
    last = state.free[m * n - state.moves]
    state.free[gap] = last
    state.place[last] = gap
    if made_line(state, cell, player):
        state.winner = player + 1


def in_line(state, cell, stone):
    """Whether a line of at least k goes through that cell, were such a stone on it."""
    for step in STEPS:
        length = 1 + run(state, cell, step, stone) + run(state, cell, -step, stone)
        if length >= k:
            return True
    return False


def run(state, cell, step, stone):
    """How many stones of a kind follow each other in a direction."""
    length = 0
    cell += step
    while state.board[cell] == stone:
        cell += step
        length += 1
    return length


if FITS:

    def made_line(state, cell, player):
        """Put the stone on the bitboard; whether it has made a line."""
        stones = state.stones[player] | 1 << cell - WIDTH - 1
        state.stones[player] = stones
        found = 0
        for step in STEPS:
            line = stones
            for _ in range(k - 1):
                line &= line >> step
            found |= line
        return found != 0

    def wins(state, out):
        if state.moves < 2 * k - 2:
            return 0
        return write_free(state, completing(state, state.moves & 1), out)

    def safe(state, out):
        theirs = completing(state, 1 - (state.moves & 1)) if state.moves >= 2 * k - 3 else 0
        if theirs == 0:
            return ALL_LEGAL
        # One cell must be taken, of two only one can be.
        return write_free(state, theirs, out) if theirs & (theirs - 1) == 0 else 0

    def completing(state, player):
        """The free cells that a stone of the player completes a line on, as a bitboard."""
        stones, free = state.stones[player], PLACES & ~(state.stones[0] | state.stones[1])
        found = 0
        for step in STEPS:
            window = one_missing(stones, free, step)
            if window != 0:
                for _ in range(k):
                    found |= window
                    window <<= step
        return found & free

    def one_missing(stones, free, step):
        """The first cells of all windows of k that hold one free cell and else only stones."""
        full, gapped = stones, free
        for _ in range(k - 1):
            gapped = gapped >> step & stones | full >> step & free
            full = full >> step & stones
        return gapped

    def write_free(state, cells, out):
        """The actions of these cells, in the order of the list of free ones."""
        count = 0
        while cells != 0:
            bit = lowest(cells)
            cells = pop(cells)
            action, at = bit - bit // WIDTH, count
            while at > 0 and state.place[out[at - 1]] > state.place[action]:
                out[at] = out[at - 1]
                at -= 1
            out[at] = action
            count += 1
        return count

else:

    def made_line(state, cell, player):
        # Only the stone just placed can have made a line, and nobody has k stones before move 2k - 1.
        return state.moves >= 2 * k - 1 and in_line(state, cell, player + 1)

    def wins(state, out):
        return completing(state, state.moves & 1, out) if state.moves >= 2 * k - 2 else 0

    def safe(state, out):
        theirs = completing(state, 1 - (state.moves & 1), out) if state.moves >= 2 * k - 3 else 0
        return ALL_LEGAL if theirs == 0 else 1 if theirs == 1 else 0

    def completing(state, player, out):
        """The free cells that a stone of the player completes a line on."""
        count = 0
        for i in range(m * n - state.moves):
            action = state.free[i]
            if in_line(state, cell_of(action), player + 1):
                out[count] = action
                count += 1
        return count


def mover(state):
    if state.winner != 0 or state.moves == m * n:
        return -1
    return state.moves & 1


def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.winner != 0:
        out[state.winner - 1] = 1.0
        out[2 - state.winner] = -1.0


# Up to 39 cells the board itself, read as a number in base 3, fits 63 bits: no two boards share a key. A bigger board
# gets a Zobrist key: the exclusive or of one random word for each stone (Zobrist 1970), where the chance that any two of a
# million boards share a key is one in twenty million. Either way the mover follows from the number of stones.
EXACT = m * n <= 39
_stream = Stream(seed=1970)
ZOBRIST = np.array([[0, _stream.next() >> 1, _stream.next() >> 1] for _ in range(m * n)], np.int64)


def key(state):
    total = 0
    for action in range(m * n):
        stone = state.board[cell_of(action)]
        if EXACT:
            total = 3 * total + stone
        else:
            total ^= ZOBRIST[action, stone]
    return total


# Where each action's cell lands when the board is turned and mirrored: 8 ways on a square, 4 on an oblong.
_square = np.arange(m * n).reshape(n, m)
_ways = [_square, _square[::-1], _square[:, ::-1], _square[::-1, ::-1]]
_ways += [way.T for way in _ways] if m == n else []
TURNS = symmetries = len(_ways)
TURNED = np.array([[cell_of(int(action)) for action in way.ravel()] for way in _ways], np.int64)


def canonical(state):
    least = 0
    for turn in range(TURNS):
        total = 0
        for action in range(m * n):
            stone = state.board[TURNED[turn, action]]
            if EXACT:
                total = 3 * total + stone
            else:
                total ^= ZOBRIST[action, stone]
        if turn == 0 or total < least:
            least = total
    return least


def encode(state, player, out):
    """The player's stones, the other's, and what is free."""
    for action in range(m * n):
        stone = state.board[cell_of(action)]
        plane = 2 if stone == 0 else 0 if stone == player + 1 else 1
        out[plane, action // m, action % m] = 1.0


def mirror_encoding(symmetry, encoded):
    return encoded.reshape(3, m * n)[:, _ways[symmetry].ravel()].reshape(3, n, m)


_lands = [np.argsort(way.ravel()) for way in _ways]


def mirror_action(symmetry, action):
    return _lands[symmetry][action]


# Patterns, what learned values can be a sum over where boards are too many for a table: every window of k cells that only one
# player has stones in, and every window of k + 2 cells whatever is in it. Windows that a symmetry of the board maps onto each
# other share their weights; of the longer ones only the content counts, not the place.
def _windows(length):
    """The actions of every straight window of that length, a row for each."""
    found = []
    for action in range(m * n):
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            x, y = action % m + (length - 1) * dx, action // m + (length - 1) * dy
            if x < m and 0 <= y < n:
                found.append([action + i * (dx + m * dy) for i in range(length)])
    return np.array(found, np.int64).reshape(-1, length)


def _placed(windows):
    """Each window read in the direction in which it lies on the least of its mirror images; which image that is, and whether
    the image is mapped onto itself backwards."""
    both = [images for way in _ways for images in (way.ravel()[windows], way.ravel()[windows][:, ::-1])]
    scale = (m * n) ** np.arange(windows.shape[1], dtype=np.int64)[::-1]
    names = np.array([images @ scale for images in both])
    least = names.argmin(axis=0)
    image = np.array(both)[least, np.arange(len(windows))]
    turned = (names == image[:, ::-1] @ scale).any(axis=0)
    classes = np.unique(names.min(axis=0), return_inverse=True)[1].reshape(-1)
    return np.where((least % 2 == 1)[:, None], windows[:, ::-1], windows), classes, turned


def _contents(length, backwards, alone):
    """The number of each content, read as digits 0 empty, 1 own, 2 other; -1 where it says nothing."""
    digits = np.arange(3**length)[:, None] // 3 ** np.arange(length)[::-1] % 3
    codes = np.arange(3**length)
    if backwards:
        codes = np.minimum(codes, digits[:, ::-1] @ 3 ** np.arange(length)[::-1])
    dull = ~digits.any(axis=1)
    if alone:
        dull |= (digits == 1).any(axis=1) & (digits == 2).any(axis=1)
    codes[dull] = -1
    return np.searchsorted(np.unique(codes[codes >= 0]), codes) - (codes < 0)


if k <= 5 and m * n <= 1000:
    _short, _class, _turned = _placed(_windows(k))
    _long = _windows(k + 2)
    SHORTS, LONGS, LONGER = len(_short), len(_long), k + 2
    SHORT_CELLS = np.array([[cell_of(int(a)) for a in row] for row in _short], np.int64).reshape(-1, k)
    LONG_CELLS = np.array([[cell_of(int(a)) for a in row] for row in _long], np.int64).reshape(-1, LONGER)
    CONTENT = np.array([_contents(k, False, True), _contents(k, True, True)], np.int64)
    LONG_CONTENT = _contents(LONGER, True, False).astype(np.int64)
    KINDS = int(CONTENT[0].max()) + 1
    BACKWARDS, OFFSET = _turned.astype(np.int64), _class.astype(np.int64) * KINDS
    SHORT = int(OFFSET.max()) + KINDS
    pattern_weights = SHORT + int(LONG_CONTENT.max()) + 1
    most_patterns = SHORTS + LONGS

    def patterns(state, player, out):
        own, count = player + 1, 0
        for window in range(SHORTS):
            code = 0
            for i in range(k):
                stone = state.board[SHORT_CELLS[window, i]]
                code = 3 * code + (0 if stone == 0 else 1 if stone == own else 2)
            content = CONTENT[BACKWARDS[window], code]
            if content >= 0:
                out[count] = OFFSET[window] + content
                count += 1
        for window in range(LONGS):
            code = 0
            for i in range(LONGER):
                stone = state.board[LONG_CELLS[window, i]]
                code = 3 * code + (0 if stone == 0 else 1 if stone == own else 2)
            content = LONG_CONTENT[code]
            if content >= 0:
                out[count] = SHORT + content
                count += 1
        return count


def letters(column):
    """Columns as in a spreadsheet: a to z, then aa, ab, ..."""
    last = chr(ord("a") + column % 26)
    return last if column < 26 else letters(column // 26 - 1) + last


def action_name(state, action):
    return f"{letters(action % m)}{action // m + 1}"


def draw(state):
    wide, high = len(letters(m - 1)), len(str(n))
    lines = [f"{'':{high}} " + " ".join(f"{letters(column):>{wide}}" for column in range(m))]
    for row in range(n):
        stones = [".XO"[state.board[cell_of(row * m + column)]] for column in range(m)]
        lines.append(f"{row + 1:>{high}} " + " ".join(f"{stone:>{wide}}" for stone in stones))
    return "\n".join(line.rstrip() for line in reversed(lines))


def svg(state):
    size, edge = (60, 34) if max(m, n) <= 6 else (30, 30)
    width, height = m * size + 2 * edge, n * size + 2 * edge
    picture = Picture(width, height, f"{k} in a row on {m} x {n}: {standing(mover(state), state.winner - 1, 'XO')}", PAPER)
    picture.rect(edge, edge, m * size, n * size, BOARD, BOARD_DARK, 3, rx=6)
    for column in range(1, m):
        picture.line(edge + column * size, edge + 4, edge + column * size, height - edge - 4, LINE, 1.2)
    for row in range(1, n):
        picture.line(edge + 4, edge + row * size, width - edge - 4, edge + row * size, LINE, 1.2)
    for column in range(m):
        picture.text(edge + (column + 0.5) * size, height - edge / 2 + 2, letters(column), 14, MUTED)
    for row in range(n):
        picture.text(edge / 2 - 2, height - edge - (row + 0.5) * size, str(row + 1), 14, MUTED)
    marked = choices(state, mover, legal, m * n)
    for action in range(m * n):
        cell = cell_of(action)
        stone = state.board[cell]
        x, y, r = edge + (action % m + 0.5) * size, height - edge - (action // m + 0.5) * size, 0.3 * size
        if stone == 0:
            if action in marked:
                with picture.action(action, action_name(state, action)):
                    picture.hit(x - size / 2, y - size / 2, size, size)
            continue
        colour = PLAYER_COLOURS[stone - 1]
        if in_line(state, cell, stone):
            picture.rect(x - 0.43 * size, y - 0.43 * size, 0.86 * size, 0.86 * size, WHITE, INK, 0.8, rx=0.12 * size)
        if stone == 1:
            picture.cross(x, y, 0.8 * r, colour, 0.13 * size)
        else:
            picture.circle(x, y, 0.87 * r, "none", colour, 0.13 * size)
    return str(picture)
