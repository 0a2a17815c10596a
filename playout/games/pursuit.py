"""Pursuit: an evader and a pursuer take turns to step in the plane; how far apart they stand is what counts.

Each round the evader (player 0) steps first, then, with wind, a gust carries it on, then the pursuer (player 1) steps. A step
is (dx, dy), each at most as long as the mover's speed; walls, if there are any, stop it. After a round at distance d the
evader has escaped by d²/(d² + reach²): 0 when caught, 1/2 at the pursuer's reach, nearly 1 far away. The payoff is the mean
over the rounds, to the pursuer with the opposite sign.

In the open plane without wind the best play is known: both axes are chases of their own, the evader steps away from the
pursuer at full speed, the pursuer towards the evader as far as it can without passing it (`solution`).
"""

from playout import parameter
from playout.game.continuous import NATURE
from playout.picture import HIGHLIGHT, INK, LINE, MUTED, PAPER, PLAYER_COLOURS, Picture

rounds = parameter("rounds", 3, "rounds, in each of which both step", low=1, high=20)
evader = parameter("evader", 1.0, "speed of the evader", low=0.0, high=100.0)
pursuer = parameter("pursuer", 1.25, "speed of the pursuer", low=0.0, high=100.0)
arena = parameter("arena", 4.0, "distance of the walls from the middle, 0: no walls", low=0.0, high=1000.0)
wind = parameter("wind", 0.0, "the strongest gust that carries the evader, 0: no wind", low=0.0, high=100.0)
reach = parameter("reach", 1.0, "distance at which the evader has half escaped", low=0.001, high=1000.0)

players = 2
TURN = (0, NATURE, 1) if wind else (0, 1)
movers = TURN * rounds
stages = len(movers)
dimension = 2
returns_range = (-1, 1)

# Who is moved by each step of a round: a gust moves the evader too.
BODY = (0, 0, 1) if wind else (0, 1)
SPEED = (evader, wind, pursuer) if wind else (evader, pursuer)
STEPS = len(TURN)
# Within walls the evader has a little way to go before it is cornered.
START = ((0.0, 0.0), (-2.0, -1.0)) if not arena else ((0.25 * arena, 0.25 * arena), (-0.5 * arena, -0.25 * arena))


def position(stage, actions, body, axis):
    """Where a body stands before a stage."""
    place = START[body][axis]
    for before in range(stage):
        if BODY[before % STEPS] == body:
            place += actions[before, axis]
    return place


def bounds(stage, actions, low, high):
    for axis in range(2):
        speed = SPEED[stage % STEPS]
        low[axis] = -speed
        high[axis] = speed
        if arena > 0.0:
            # Rounding may leave a body a hair outside; a box must not be empty.
            place = min(arena, max(-arena, position(stage, actions, BODY[stage % STEPS], axis)))
            low[axis] = max(-speed, -arena - place)
            high[axis] = min(speed, arena - place)


def payoffs(actions, out):
    zero = 0.0 * actions[0, 0]
    x, y = START[0][0] - START[1][0] + zero, START[0][1] - START[1][1] + zero
    total = zero
    for stage in range(stages):
        side = 1 - 2 * BODY[stage % STEPS]
        x += side * actions[stage, 0]
        y += side * actions[stage, 1]
        if stage % STEPS == STEPS - 1:
            square = x * x + y * y
            total += square / (square + reach * reach)
    out[0] = total / rounds
    out[1] = -total / rounds


def best(stage, actions):
    step = [0.0, 0.0]
    for axis in range(2):
        gap = position(stage, actions, 0, axis) - position(stage, actions, 1, axis)
        if movers[stage] == 0:
            step[axis] = evader if gap >= 0.0 else -evader
        else:
            step[axis] = min(pursuer, max(-pursuer, gap))
    return step


solution = best if not arena and not wind else None


def course(state, body):
    """The places of a body so far, the start first."""
    places = [tuple(position(0, state.actions, body, axis) for axis in range(2))]
    for stage in range(state.stage):
        if BODY[stage % STEPS] == body:
            places.append(tuple(position(stage + 1, state.actions, body, axis) for axis in range(2)))
    return [(float(x), float(y)) for x, y in places]


def action_name(state, action):
    return f"({action[0] + 0.0:.3f}, {action[1] + 0.0:.3f})"


def draw(state):
    lines = []
    for body, name in enumerate(("evader ", "pursuer")):
        lines.append(f"{name} " + " -> ".join(f"({x + 0.0:.2f}, {y + 0.0:.2f})" for x, y in course(state, body)))
    (ax, ay), (bx, by) = course(state, 0)[-1], course(state, 1)[-1]
    when = (
        f"round {state.stage // STEPS + 1} of {rounds}" if state.stage < stages else f"after {rounds} round{'s' * (rounds != 1)}"
    )
    lines.append(f"distance {((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5:.3f}, {when}")
    return "\n".join(lines)


def svg(state):
    size, edge = 360, 24
    courses = [course(state, body) for body in (0, 1)]
    far = arena or 1.1 * max(1.0, *(abs(number) for places in courses for place in places for number in place))
    picture = Picture(size + 2 * edge, size + 2 * edge + 24, "Pursuit", PAPER)
    picture.rect(edge, edge, size, size, "#ffffff", INK if arena else LINE, 3 if arena else 1)

    def at(place):
        return edge + (place[0] + far) / (2 * far) * size, edge + (far - place[1]) / (2 * far) * size

    picture.circle(*at(courses[1][-1]), reach / (2 * far) * size, "none", MUTED, 1)
    for body, places in enumerate(courses):
        colour = PLAYER_COLOURS[body]
        picture.polyline([at(place) for place in places], colour, 2)
        for place in places[:-1]:
            picture.circle(*at(place), 3, colour)
        with picture.note(f"{('evader', 'pursuer')[body]} at ({places[-1][0]:.2f}, {places[-1][1]:.2f})"):
            picture.stone(*at(places[-1]), 8, body, "EP"[body])
    if state.stage < stages:
        picture.circle(*at(courses[BODY[state.stage % STEPS]][-1]), 10, "none", HIGHLIGHT, 2)
    picture.text(picture.width / 2, size + 2 * edge + 4, draw(state).splitlines()[-1], 13, INK)
    return str(picture)
