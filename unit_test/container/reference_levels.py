"""Section 10 of docs/format.md: the levels of an interpolated stream, and what predicts them."""

import itertools

WORD = 1 << 32
TILES = {0: (1024, 1, 1), 1: (32, 32, 1), 2: (16, 8, 8)}  # x, y, z
LEVELS = {0: 6, 1: 4, 2: 3}
TILES_OF_CHUNK = {0: (32, 1, 1), 1: (4, 8, 1), 2: (4, 4, 2)}
BIN_STEPS = (31, 21, 13, 9, 7, 7, 7)


def signed(number):
    return (number + WORD // 2) % WORD - WORD // 2


def shape_of_tiles(n):
    """The one that a field of these extents must have, not yet folded for it."""
    if n[1] == 1:
        return 0
    return 2 if n[2] > 4 else 1


def extents_of(n, level):
    return tuple(-(-e >> level) for e in n)


def boxes(n, sizes):
    """Where boxes of this size begin that cover these extents, along x first."""
    ranges = [range(0, extent, size) for extent, size in zip(n, sizes)]
    return [(x, y, z) for z, y, x in itertools.product(*ranges[::-1])]


def chunks_of(kind, n, level):
    """For each chunk of a level where its 32 tiles begin."""
    tile, tiles = TILES[kind], TILES_OF_CHUNK[kind]
    places = [t * e for t, e in zip(tile, tiles)]
    for begin in boxes(extents_of(n, level), places):
        yield [tuple(b + o for b, o in zip(begin, offset)) for offset in boxes(places, tile)]


def record_lengths(words):
    """Lengths of the 32 records of a chunk, and how many words of it lie behind them."""
    marked = [t for t in range(32) if words[0] >> t & 1]
    behind = max(-(-(len(marked) - 2) // 2), 0)
    packed = words[1:2] + words[len(words) - behind:]
    lengths = [0] * 32
    for number, t in enumerate(marked):
        lengths[t] = packed[number // 2] >> (number % 2 * 16) & 0xFFFF
    return lengths, behind


def class_of(x, y, z):
    return x % 2 | y % 2 << 1 | z % 2 << 2


def residual_place(kind, x, y, z):
    """Lane and register, as 32 l + r, of the residual of a point of a level that is not the coarsest."""
    c, i, j, k = class_of(x, y, z), x // 2, y // 2, z // 2
    lane, register = {0: (16 * c + i // 32, i % 32),
                      1: (8 * c + j // 8 * 4 + i // 4, j % 8 * 4 + i % 4),
                      2: (4 * c + k // 2 * 2 + i // 4, k % 2 * 16 + j * 4 + i % 4)}[kind]
    return 32 * lane + register


class Lattice:
    """Numbers at the points of a box; x runs fastest."""

    def __init__(self, n, begin=(0, 0, 0), values=None):
        self.n, self.begin = n, begin
        self.values = [0] * (n[0] * n[1] * n[2]) if values is None else values

    def index(self, x, y, z):
        x0, y0, z0 = self.begin
        return ((z - z0) * self.n[1] + y - y0) * self.n[0] + x - x0

    def __getitem__(self, at):
        return self.values[self.index(*at)]

    def __setitem__(self, at, value):
        self.values[self.index(*at)] = value

    def points(self):
        return ((x, y, z) for z, y, x in itertools.product(*(
            range(begin, begin + extent) for begin, extent in zip(self.begin[::-1], self.n[::-1]))))

    def along(self, axis, begin, extent, value_of):
        """A lattice with another range of one axis: value_of(i, line), where line(j) is the value here at j."""
        n, start = list(self.n), list(self.begin)
        n[axis], start[axis] = extent, begin
        result = Lattice(tuple(n), tuple(start))
        for at in result.points():
            def line(j, at=at):
                return self[at[:axis] + (j,) + at[axis + 1:]]
            result[at] = value_of(at[axis], line) % WORD
        return result


def extended(above):
    """A level that goes on beyond its ends."""
    for axis, n in enumerate(above.n):
        def value_of(i, line, n=n):
            if n == 1:
                return line(0)
            if i < 0:
                return 2 * line(0) - line(1)
            beyond = max(i - (n - 1), 0)
            return line(i - beyond) + (beyond * (line(n - 1) - line(n - 2)) if beyond else 0)
        above = above.along(axis, -1, n + 3, value_of)
    return above


def between(a, b, c, d):
    return signed(9 * (b + c) - (a + d) + 8) >> 4


def halfway(a, b):
    return signed(a + b + 1) >> 1


class Rules:
    """How the points of a tile follow from others: a number of 16 bits."""

    def __init__(self, number=0):
        self.linear = tuple(number >> axis & 1 for axis in range(3))
        self.quarters = [(0, 2, 4, 3)[number >> 3 + 2 * axis & 3] for axis in range(3)]
        self.faces = {axes: number >> 9 + 2 * i & 3 for i, axes in enumerate(((0, 1), (0, 2), (1, 2)))}
        self.sixth = number >> 15 & 1

    def weights(self, odd):
        """Weight of each axis on which an index is odd, what is added, and the shift."""
        if len(odd) == 3:
            return ((11, 11, 11), 32, 6) if self.sixth else ((1, 1, 1), 2, 2)
        rule = self.faces[odd]
        return ((1, 1), 2, 2) if rule == 1 else ((rule != 3, rule != 2), 1, 1)


def interpolated(above, n, linear=(0, 0, 0)):
    """What a level says of the points of the next finer one, of these extents."""
    finer = extended(above)
    for axis in range(3):
        def value_of(i, line, axis=axis):
            j = i // 2
            if i % 2 == 0:
                return line(j)
            if linear[axis]:
                return halfway(line(j), line(j + 1))
            return between(line(j - 1), line(j), line(j + 1), line(j + 2))
        finer = finer.along(axis, 0, n[axis], value_of)
    return finer


def moved(point, axis, by):
    return point[:axis] + (point[axis] + by,) + point[axis + 1:]


def neighbours(tile, point, axis):
    """Those along an axis on which its index is odd; the one in front twice where the other is behind the tile."""
    return moved(point, axis, -1), moved(point, axis, 1 if point[axis] + 1 < tile[axis] else -1)


def carried(tile, result, point, axis, quarters):
    """What a point with one odd index, along this axis, carries on."""
    along = [a for a, extent in enumerate(tile) if extent > 1 and a != axis] or [axis]
    before = [result[moved(point, a, -2)] for a in along if point[a] >= 2]
    total = sum(before) * (2 if len(before) == 1 else 1)
    return signed(quarters * total + 4) >> 3


def corrections(kind, residuals, bin_steps, rules):
    """What each point of a tile is corrected by, from residuals in lanes."""
    tile = TILES[kind]
    result = Lattice(tile)
    odd = {point: tuple(axis for axis, i in enumerate(point) if i % 2) for point in result.points()}
    for point in sorted((p for p in odd if odd[p]), key=lambda p: len(odd[p])):
        axes = odd[point]
        if len(axes) == 1:
            predicted = carried(tile, result, point, axes[0], rules.quarters[axes[0]])
        else:
            weights, half, shift = rules.weights(axes)
            total = sum(weight * sum(result[near] for near in neighbours(tile, point, axis))
                        for weight, axis in zip(weights, axes))
            predicted = signed(total + half) >> shift
        result[point] = (predicted + residuals[residual_place(kind, *point)] * bin_steps) % WORD
    return result
