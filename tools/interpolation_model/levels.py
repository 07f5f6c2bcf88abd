"""The arithmetic of the predictor `interpolate`, bit for bit that of the library (docs/format.md, section 10).

Integers are int32 and wrap around, as the library's do. Arrays have z, y, x, of which x runs fastest.
"""

import dataclasses
import itertools

import numpy as np

STEPS = 32  # of the lattice in twice the bound
MOST = 1 << 26  # largest value of the lattice
TILES = {"chain": (1, 1, 1024), "square": (1, 32, 32), "brick": (8, 8, 16)}
LEVELS = {"chain": 6, "square": 4, "brick": 3}
AXES = {"chain": (2,), "square": (1, 2), "brick": (0, 1, 2)}


@dataclasses.dataclass(frozen=True)
class Method:
    """What may be chosen; by default what the library does."""
    bins: tuple = (31, 21, 13, 9, 7, 7, 7, 7)  # steps in a bin of each level
    weights: tuple = (1, 1 / 2)  # of the sums of means that correct faces and middles
    linear: bool = False  # between the two nearest points
    more_levels: int = 0  # than the library has
    by_class: bool = True  # the order of residuals


def folded(field):
    """A field with its shape of tiles, and its extents as that has them."""
    extents = [n for n in field.shape if n != 1]
    while len(extents) > 3:
        extents[:2] = [extents[0] * extents[1]]
    extents = [1] * (3 - len(extents)) + extents
    if extents[1] == 1:
        return "chain", field.reshape(extents)
    if extents[0] > 4:
        return "brick", field.reshape(extents)
    return "square", field.reshape(1, -1, extents[2])


def are_within(a, b, bound):
    """Whether numbers are at most so far apart, in exact arithmetic."""
    a, b = a.astype("f8"), b.astype("f8")
    difference = a - b
    back = difference - a
    rest = (a - (difference - back)) - (b + back)  # of the difference, which is rounded
    return (np.abs(difference) < bound) | ((np.abs(difference) == bound) & (np.sign(difference) * rest <= 0))


class Multiples:
    """The lattice of an absolute bound."""

    def __init__(self, bound, values):
        self.bound, self.dtype = bound, values.dtype

    def of(self, number):
        return self.dtype.type(min(number, float(np.finfo(self.dtype).max)))

    def nearest(self, values, steps):
        """Multiples of so many steps, as numbers of the values' type."""
        return np.rint(values * self.of(1 / (2 * (self.bound / STEPS * steps))))

    def bins(self, values, steps):
        """Bins of the coarsest level: the nearest one, or the one beside it where that alone has the value."""
        half = self.bound / STEPS * steps
        nearest, width = self.nearest(values, steps), self.of(2 * half)
        beside = nearest + np.where(values > nearest * width, 1, -1).astype(self.dtype)
        is_beside = ~are_within(values, nearest * width, half) & are_within(values, beside * width, half)
        return np.where(is_beside, beside, nearest)

    def reconstruct(self, lattice):
        """The values that it stands for."""
        return lattice.astype(self.dtype) * self.of(2 * (self.bound / STEPS))


class Magnitudes:
    """The lattice of a bound relative to each value, of positive values: places on a scale (docs/format.md, section 5)."""

    UNIT = 63  # of what it is counted from

    def __init__(self, bound, values):
        self.dtype = values.dtype
        is_float = values.itemsize == 4
        self.mantissa, self.bias, rest, least = (23, 127, 2.0**-20, 2) if is_float else (52, 1023, 2.0**-49, 16)
        self.word = np.uint32 if is_float else np.uint64
        width = int(np.sqrt(8) * 2 * 2.0**self.mantissa * (1 - 2.0**-38) * (bound - rest) / (2 + bound - rest))
        self.width, self.origin = max(width // STEPS, least), 0
        sample = self.places(values.ravel()[list(self.sampled(values.size))])
        low, high = int(sample.min()), int(sample.max())
        half = min((high - low) // 2, MOST // 8 * 7 * self.width)
        self.origin = (high - half) // (self.UNIT * self.width) * self.UNIT

    @staticmethod
    def sampled(size):
        """Indices of the values of which the middle is what the lattice is counted from."""
        count = min(size, 128)
        for i in range(count):
            first, end, key = i * size // count, (i + 1) * size // count, 0x9E3779B9
            product = (i ^ key) * key
            yield first + (product % 2**32 ^ product >> 32) % (end - first)

    def places(self, values):
        bits = values.view(self.word)
        mask = self.word((1 << self.mantissa) - 1)
        exponents = (bits >> self.word(self.mantissa)).astype(np.int64)
        if not ((exponents > 1) & (exponents < 2 * self.bias)).all():
            raise ValueError("the model has no signs, zeros or exceptions: values must be positive, and not at the ends "
                             "of their type")
        significands = ((bits & mask) | self.word(self.bias << self.mantissa)).view(self.dtype)
        roots = np.sqrt(self.dtype.type(3) * significands - self.dtype.type(2)).view(self.word).astype(np.int64)
        return (exponents << self.mantissa) + roots - (self.bias << self.mantissa)

    def nearest(self, values, steps):
        width = self.width * steps
        # Of double rounded once, as the library has it: whole bins of an octave, and the rest by an addition.
        places, octave = self.places(values), 1 << self.mantissa
        if self.dtype.itemsize == 4:
            bins = (places + width // 2) // width
        else:
            exponents = values.view(self.word).astype(np.int64) >> self.mantissa
            part, whole = float(octave % width) / float(width), octave // width
            fraction = (places - (exponents << self.mantissa)) * 2.0**-self.mantissa
            bins = exponents * whole + np.rint(exponents * part + fraction * (float(octave) / float(width))).astype(np.int64)
        return bins - self.origin // steps

    bins = nearest

    def reconstruct(self, lattice):
        places = (lattice.astype(np.int64) + self.origin) * self.width
        one, mask = self.bias << self.mantissa, (1 << self.mantissa) - 1
        roots = (places & mask | one).astype(self.word).view(self.dtype)
        curve = (roots * roots + self.dtype.type(2)) * (self.dtype.type(1) / self.dtype.type(3))
        return ((places & ~mask) - one + curve.view(self.word).astype(np.int64)).astype(self.word).view(self.dtype)


LATTICES = {"abs": Multiples, "pwr": Magnitudes}


def points_of(array, level, axes):
    """Every 2^level-th point along these axes."""
    return array[tuple(slice(None, None, 1 << level) if a in axes else slice(None) for a in range(3))]


def extended(known, axis):
    """One point in front and two behind, along one axis, as the last two go on in a straight line."""
    a = np.moveaxis(known, axis, 0)
    if len(a) == 1:
        return np.moveaxis(np.repeat(a, 4, 0), 0, axis)
    slope = a[-1:] - a[-2:-1]
    return np.moveaxis(np.concatenate((a[:1] + (a[:1] - a[1:2]), a, a[-1:] + slope, a[-1:] + 2 * slope)), 0, axis)


def interpolated(known, extents, axes, linear=False):
    """What a level says of all points of the next finer one."""
    for axis in axes:
        known = extended(known, axis)
    for axis in axes[::-1]:  # along x first, since every axis rounds
        a = np.moveaxis(known, axis, 0)
        between = (a[1:-2] + a[2:-1] + 1) >> 1 if linear else (
            9 * (a[1:-2] + a[2:-1]) - (a[:-3] + a[3:]) + 8) >> 4
        both = np.stack((a[1:-2], between), 1).reshape((-1,) + a.shape[1:])
        known = np.moveaxis(both[:extents[axis]], 0, axis)
    return known


def tiles_of(array, kind):
    """Tiles one behind the other, along x first; zeros outside the array."""
    tile = TILES[kind]
    padded = np.pad(array, [(0, -n % t) for n, t in zip(array.shape, tile)])
    split = [part for n, t in zip(padded.shape, tile) for part in (n // t, t)]
    return padded.reshape(split).transpose(0, 2, 4, 1, 3, 5).reshape((-1,) + tile)


def untiled(tiles, kind, extents):
    tile = TILES[kind]
    counts = [-(-n // t) for n, t in zip(extents, tile)]
    array = tiles.reshape(counts + list(tile)).transpose(0, 3, 1, 4, 2, 5)
    array = array.reshape([c * t for c, t in zip(counts, tile)])
    return array[tuple(slice(n) for n in extents)]


def class_of(odd, axes):
    """The points of all tiles that have an odd index along these axes alone."""
    return (slice(None),) + tuple(slice(int(a in odd), None, 2) if a in axes else slice(None) for a in range(3))


def correct(wanted, predicted, kind, steps, weights):
    """Residuals of a level and its lattice. Points of the level above are right as predicted."""
    axes = AXES[kind]
    inside = tiles_of(np.ones(wanted.shape, bool), kind)
    off = tiles_of(wanted - predicted, kind)
    residuals, corrections = np.zeros_like(off), np.zeros_like(off)
    for count in range(1, len(axes) + 1):
        for odd in itertools.combinations(axes, count):
            here, total = class_of(odd, axes), 0
            for axis in odd if count > 1 else ():
                near = corrections[class_of([a for a in odd if a != axis], axes)]
                behind = np.concatenate((near, near.take([-1], axis + 1)), axis + 1).take(
                    range(1, near.shape[axis + 1] + 1), axis + 1)
                total = total + near + behind
            p = np.int32(0) if count == 1 else np.floor(
                total * (weights[count - 2] / 2) + 0.5).astype(np.int32)
            bins = np.rint((off[here] - p).astype(np.float32) * (np.float32(1) / np.float32(steps)))
            residuals[here] = np.where(inside[here], bins, 0)
            corrections[here] = p + residuals[here] * np.int32(steps)
    back = (untiled(part, kind, wanted.shape) for part in (residuals, corrections))
    residuals, corrections = back
    return residuals, predicted + corrections


def predict(field, bound, method=Method(), mode="abs"):
    """Shape of tiles, of each level, coarsest first, residuals (there: bins) and lattice, and what that stands for."""
    kind, values = folded(field)
    lattice = LATTICES[mode](bound, values)
    fine = lattice.nearest(values, 1)
    if not (np.abs(fine) <= MOST).all():
        raise ValueError(f"the model has no exceptions: values must be finite and at most {MOST} steps from 0")
    fine, axes, top = fine.astype(np.int32), AXES[kind], LEVELS[kind] + method.more_levels
    bins = lattice.bins(points_of(values, top, axes), method.bins[top]).astype(np.int32)
    levels = [(bins, bins * np.int32(method.bins[top]))]
    for level in range(top - 1, -1, -1):
        wanted = points_of(fine, level, axes)
        predicted = interpolated(levels[-1][1], wanted.shape, axes, method.linear)
        levels.append(correct(wanted, predicted, kind, method.bins[level], method.weights))
    return kind, levels, lattice.reconstruct(levels[-1][1])
