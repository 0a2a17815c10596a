"""Loss game: three players move once each with a number; what one gains depends on all."""

players = 3
stages = 3
dimension = 1
bounds = (-5.0, 5.0)


def payoffs(actions, out):
    x, y, z = actions[0, 0], actions[1, 0], actions[2, 0]
    out[0] = -7 * x * x + 9 * x * z + x - z
    out[1] = -2 * y * y - 4 * y * z - 10 * x * x + 2 * x * z - 3 * z * z + 4 * y + 7 * x - 8 * z - 8 * x * y * z
    out[2] = -10 * z * z - 9 * y * z + 9 * y * y - 5 * z - 2 * y
