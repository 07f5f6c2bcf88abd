"""The records of rans, as docs/format.md describes them."""

import functools
import re
from pathlib import Path

from reference_levels import TILES, residual_place

BOOKS, SYMBOLS, ESCAPE, SUM = 128, 64, 63, 1 << 15
FINE, COARSE = 29, 3
LOGARITHMS = (
    0, 1, 3, 4, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 34, 35, 35, 36,
    37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 47, 48, 49, 50, 51, 52, 52, 53, 54, 55, 56, 56, 57, 58, 59, 60, 60, 61, 62, 63,
    63)


@functools.cache
def books():
    """Sums of the frequencies below each symbol of each book, and of all."""
    path = Path(__file__).resolve().parents[2] / "src/codec/coder/rans/books.inc"
    numbers = [int(n) for n in re.findall(r"\d+", re.sub("//.*", "", path.read_text(encoding="utf-8")))]
    assert len(numbers) == BOOKS * SYMBOLS
    found = [numbers[i:i + SYMBOLS] + [SUM] for i in range(0, len(numbers), SYMBOLS)]
    assert all(book[0] == 0 and all(a < b for a, b in zip(book, book[1:])) for book in found)
    return found


@functools.cache
def width_book(left, right, half):
    """The same for widths, with the expected one in half bits."""
    left, right = (38771, 46341, 52837, 60421)[left], (11351, 22702, 35896, 50764)[right]
    shares = []
    for symbol in range(SYMBOLS):
        share = 1 << 24
        for _ in range(abs(2 * symbol - half)):
            share = share * (left if 2 * symbol < half else right) >> 16
        shares.append(share)
    free = SUM - 3 * SYMBOLS
    counts = [3 + share * free // sum(shares) for share in shares]
    counts[shares.index(max(shares))] += SUM - sum(counts)
    return [sum(counts[:symbol]) for symbol in range(SYMBOLS + 1)]


class State:
    """Takes symbols and numbers from halfwords."""

    def __init__(self, halfwords):
        self.number = halfwords[0] | halfwords[1] << 16
        self.rest = list(reversed(halfwords[2:]))

    def _take_in(self):
        if self.number < 1 << 16 and self.rest:
            self.number = self.number << 16 | self.rest.pop()

    def symbol(self, book):
        low = self.number % SUM
        symbol = next(q for q in range(SYMBOLS) if book[q] <= low < book[q + 1])
        self.number = (book[symbol + 1] - book[symbol]) * (self.number // SUM) + low - book[symbol]
        assert self.number < 1 << 32
        self._take_in()
        return symbol

    def bits(self, count):
        """A number of any length: parts of 16 bits behind a first one of the rest."""
        value = 0
        while count > 0:
            part = (count - 1) % 16 + 1
            value = value << part | self.number % (1 << part)
            self.number >>= part
            self._take_in()
            count -= part
        return value


def logarithm(number):
    whole = number.bit_length() - 1
    return 64 * whole + LOGARITHMS[(number << 6 >> whole) - 64]


def natural_neighbours(point):
    """Places in front of one in natural order, and their weights."""
    x, y, z = point
    return [((x - 1, y, z), 2), ((x, y - 1, z), 2), ((x, y, z - 1), 2),
            ((x - 2, y, z), 1), ((x - 1, y - 1, z), 1), ((x + 1, y - 1, z), 1)]


def class_neighbours(point):
    """The same by classes; a point is its class and its place there."""
    c, i, j, k = point
    found = [((c, i - 1, j, k), 2), ((c, i, j - 1, k), 2), ((c, i, j, k - 1), 2)]
    if bin(c).count("1") > 1:
        for b, behind in enumerate(((i + 1, j, k), (i, j + 1, k), (i, j, k + 1))):
            if c >> b & 1:
                found += [((c - (1 << b), i, j, k), 1), ((c - (1 << b), *behind), 1)]
    return found


def points(extents):
    """x runs fastest."""
    return [(x, y, z) for z in range(extents[2]) for y in range(extents[1]) for x in range(extents[0])]


def order_of(kind, by_classes, inside):
    """For each point of a record, in order: where its residual lies, natural place or lane and register.

    `inside` has the points of the tile inside the field: others have no residual.
    """
    tile = TILES[kind]
    if not by_classes:
        return {p: p[0] + tile[0] * (p[1] + tile[1] * p[2]) for p in points(tile) if p in inside}
    odd = [2 if extent > 1 else 1 for extent in tile]
    half = [extent // n for extent, n in zip(tile, odd)]
    found = {}
    for c in range(1, odd[0] * odd[1] * odd[2]):
        for p in points(half):
            point = tuple(n * i + (c >> axis & 1) for axis, (i, n) in enumerate(zip(p, odd)))
            if point in inside:
                found[(c, *p)] = residual_place(kind, *point)
    return found


WIDTH_NEIGHBOURS = {(1, 0, 0): 6, (2, 0, 0): 2, (0, 1, 0): 4, (1, 1, 0): 2, (-1, 1, 0): 2, (0, 0, 1): 4, (1, 0, 1): 1,
                    (0, 1, 1): 1}


def take_widths(head, state, order, value_words, masked):
    """The same of a tile whose books are of widths."""
    mean, left, right, offset = head & 15, head >> 4 & 3, head >> 6 & 3, head >> 8 & 7
    zigzags = {}
    for point in order:
        total, weight = mean * 2 * value_words, 1
        for step, times in WIDTH_NEIGHBOURS.items():
            place = tuple(i - n for i, n in zip(point, step))
            if place in masked:  # as wide as the one before it
                while place in masked:
                    place = (place[0] - 1, 0, 0)
                total += times * zigzags.get(place, 0).bit_length()
                weight += times
            elif place in zigzags:
                total += times * zigzags[place].bit_length()
                weight += times
        half = (4 * total + weight) // (2 * weight) + offset - 3
        half = min(max(half, 0), 64 * value_words)
        own = half if half < 48 else 46 + half % 2
        symbol = state.symbol(width_book(left, right, own))
        width = state.bits(7) if symbol == ESCAPE else (half - own) // 2 + symbol
        assert width <= 32 * value_words
        zigzags[point] = state.bits(width - 1) | 1 << width - 1 if width > 0 else 0
    return zigzags


def take_all(head, state, order, value_words):
    """Zig-zagged residuals by their points."""
    mean, shape, offset = head & 63, head >> 6 & 3, head >> 8 & 3
    even = head >> 10 & 1
    of_tile = 16 if even else 2
    mean_256 = (181 if mean % 2 else 128) * 2**(mean // 2) // 8 - 16
    last_step, limit = (106, 1 << 31) if value_words == 1 else (202, 1 << 48)
    around = class_neighbours if len(next(iter(order))) == 4 else natural_neighbours
    zigzags = {}
    for point in order:
        total, weight = 0, of_tile
        for place, times in around(point):
            if place in zigzags:
                total += times * min(-(-zigzags[place] // 2), limit)
                weight += times
        step = 3 * (logarithm(256 * total + of_tile * mean_256 + weight) - logarithm(weight)) // 64 + offset - 2
        step = min(max(step, 0), last_step)
        book, low_bits = 32 * shape + step, 0
        if step >= FINE:
            book, low_bits = 32 * shape + FINE + (step - FINE) % COARSE, 1 + (step - FINE) // COARSE
        symbol = state.symbol(books()[book])
        if symbol == ESCAPE:
            count = state.bits(6)
            symbol = 62 + (1 << count) + state.bits(count)
        zigzags[point] = (symbol << low_bits | state.bits(low_bits)) % (1 << 32 * value_words)
    return zigzags


def zigzagged_residuals(stream, head, words):
    """The zig-zags of a record by natural place or by lane and register, and which of the two."""
    by_widths, by_classes = head >> 11 & 1, stream.by_classes
    assert not (by_widths and by_classes)
    halfwords = [word >> shift & 0xFFFF for word in words for shift in (0, 16)]
    if head >> 12:
        assert halfwords.pop() == 0
    assert len(halfwords) >= 2
    state, order = State(halfwords), order_of(stream.shape_of_tiles, by_classes, set(stream.inside))
    order = {point: place for point, place in order.items() if point not in stream.masked}
    if by_widths:
        zigzags = take_widths(head, state, order, stream.value_words, stream.masked)
    else:
        zigzags = take_all(head, state, order, stream.value_words)
    assert state.number == (50011 if by_widths else 1) and not state.rest
    return {order[point]: zigzag for point, zigzag in zigzags.items()}, by_classes
