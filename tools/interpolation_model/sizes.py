"""Bytes of streams of interpolated fields: those of bitshuffle exactly, those of huffman as entropy codes would have them."""

import heapq

import numpy as np

from levels import TILES, tiles_of

TILES_OF_CHUNK = {"chain": (1, 1, 32), "square": (1, 8, 4), "brick": (2, 4, 4)}
HEAD_WORDS, LANES = 3, (32, 32)  # of a chunk; of a tile


def natural_lanes(tiles, kind):
    """The places of tiles in lanes."""
    split = {"chain": (32, 1, 1, 32), "square": (4, 8, 8, 4), "brick": (8, 8, 4, 4)}[kind]
    return tiles.reshape((-1,) + split).transpose(0, 1, 3, 2, 4).reshape((-1,) + LANES)


def class_lanes(tiles, kind):
    """The same of residuals that are sorted by parity: a class fills lanes, of which each has a block of it."""
    n = len(tiles)
    if kind == "chain":
        return tiles.reshape(n, 512, 2).transpose(0, 2, 1).reshape((n,) + LANES)
    if kind == "square":
        classes = tiles.reshape(n, 16, 2, 16, 2).transpose(0, 2, 4, 1, 3)
        return classes.reshape(n, 4, 2, 8, 4, 4).transpose(0, 1, 2, 4, 3, 5).reshape((n,) + LANES)
    classes = tiles.reshape(n, 4, 2, 4, 2, 8, 2).transpose(0, 2, 4, 6, 1, 3, 5)
    return classes.reshape(n, 8, 2, 2, 4, 2, 4).transpose(0, 1, 2, 5, 3, 4, 6).reshape((n,) + LANES)


def zigzag(numbers):
    numbers = numbers.astype(np.int64)
    return numbers << 1 ^ numbers >> 63


def differences(bins, kind):
    """Lorenzo residuals of the tiles of a coarsest level, and their bases."""
    tiles = tiles_of(bins, kind).astype(np.int64)
    for axis in (1, 2, 3):
        tiles = np.diff(tiles, axis=axis, prepend=0)
    bases = tiles[:, 0, 0, 0].copy()
    tiles[:, 0, 0, 0] = 0
    inside = tiles_of(np.ones(bins.shape, bool), kind)
    return np.where(inside, tiles, 0), bases


class Level:
    """What the coder sees of a level."""

    def __init__(self, residuals, kind, coarsest, by_class):
        self.values = tiles_of(np.ones(residuals.shape, np.int64), kind).sum((1, 2, 3))
        self.bases = np.zeros(len(self.values), np.int64)
        if coarsest:
            tiles, self.bases = differences(residuals, kind)
        else:
            tiles = tiles_of(residuals, kind)
        self.lanes = (natural_lanes if coarsest or not by_class else class_lanes)(tiles, kind)
        counts = [-(-n // t) for n, t in zip(residuals.shape, TILES[kind])]
        self.is_coded = self.lanes.any((1, 2)) | (self.bases != 0)
        chunks = np.pad(self.is_coded.reshape(counts), [(0, -n % t) for n, t in zip(counts, TILES_OF_CHUNK[kind])])
        split = [part for n, t in zip(chunks.shape, TILES_OF_CHUNK[kind]) for part in (n // t, t)]
        self.chunks = chunks.reshape(split).sum((1, 3, 5)).ravel()  # tiles of each that are coded

    def head_words(self):
        """Words of heads and bases of records."""
        codes = zigzag(self.bases)
        return (1 + (codes >= 1 << 16) + (codes >= 1 << 32))

    def chunk_bytes(self):
        """Bytes of heads of chunks and of their index."""
        some = self.chunks > 0
        return 8 * len(self.chunks) + 4 * (some * HEAD_WORDS + np.maximum(self.chunks - 1, 0) // 2).sum()


def deep_words(lanes, value_words):
    """The coder's words of each record of bitshuffle's nested planes."""
    wide = (lanes < -32768) | (lanes > 32767)
    codes = np.where(wide, 0, zigzag(lanes)).astype(np.uint32)
    planes = np.array([int(top).bit_length() for top in codes.max((1, 2))])
    pairs = (planes + 1) // 2
    size = (pairs + 1) // 2
    for j in range(pairs.max(initial=0)):
        flags = np.zeros((len(codes), 16, 2), bool)
        for k in range(2):
            stored = (codes >> np.uint32(2 * j + k) & 1).reshape(-1, 32, 4, 8).any(-1)
            size += stored.sum((1, 2))
            flags[:, :, k] = stored.reshape(-1, 16, 8).any(-1)
        group = flags.reshape(-1, 4, 8)  # bit l: lane l, plane 2 j + l % 2
        size += group.sum((1, 2)) + group.any(-1).sum(1)
    count = wide.sum((1, 2))
    return -(-size // 4) + np.where(count > 0, 1 + (count + 1) // 2 + count * value_words, 0)


def bitshuffle_bytes(levels, value_words):
    """Of the records of all levels."""
    total = 0
    for level in levels:
        words = level.head_words() + deep_words(level.lanes, value_words)
        total += 4 * np.minimum(words, level.values * value_words)[level.is_coded].sum()
    return int(total)


def code_bits(counts):
    """Bits of a whole text in the best prefix code."""
    heap = [int(count) for count in counts if count]
    if len(heap) < 2:
        return sum(heap)
    heapq.heapify(heap)
    total = 0
    while len(heap) > 1:
        both = heapq.heappop(heap) + heapq.heappop(heap)
        total += both
        heapq.heappush(heap, both)
    return total


def huffman_bytes(levels, value_words, radius=512):
    """About those of the records of all levels, with a codebook of the field's own."""
    lanes = np.concatenate([level.lanes[level.is_coded] for level in levels]).astype(np.int64)
    heads = sum(int(level.head_words()[level.is_coded].sum()) for level in levels)
    wide = np.abs(lanes) >= radius
    quads = lanes.reshape(-1, 32, 8, 4)
    some, small = quads.any(-1), (np.abs(quads) <= 1).all(-1)
    masks = (some << np.arange(8)).sum(-1)
    numbers = np.where(small, ((quads + 1) * (27, 9, 3, 1)).sum(-1), 40)[some]
    symbols = np.where(wide, 0, lanes + radius)
    other = symbols.reshape(quads.shape)[some & ~small].ravel()
    in_quads = sum(code_bits(np.bincount(part.ravel())) for part in (masks, numbers, other))
    pairs = len(lanes) * (12 + 16 * 5)
    bits = min(in_quads, code_bits(np.bincount(symbols.ravel()))) + pairs + 1400 + 4 * min(len(np.unique(other)), 300)
    return 4 * heads + bits // 8 + int(wide.sum()) * (2 + 4 * value_words)


def front_bytes(rank):
    """Header, section table and shape, up to the index."""
    return -(-(64 + 24 * 3) // 16) * 16 + -(-(8 + 24 * rank) // 16) * 16


def stream_bytes(kind, levels, value_words, rank, by_class=True):
    """Of bitshuffle, and about those of huffman, with checksums: what levels.predict() returns."""
    coded = [Level(residuals, kind, i == 0, by_class) for i, (residuals, _) in enumerate(levels)]
    chunks = sum(len(level.chunks) for level in coded)
    around = front_bytes(rank) + 8 * (chunks + 1) + -(8 * (chunks + 1)) % 16
    around += sum(int(level.chunk_bytes()) for level in coded) - 8 * chunks
    return around + bitshuffle_bytes(coded, value_words), around + huffman_bytes(coded, value_words)
