#!/usr/bin/env python3
"""A decoder written from docs/format.md alone, held against the library's.

usage: reference_decoder.py KOMPAKT STREAM.kpk...

KOMPAKT is the command line program; it decompresses each stream too, and every byte must agree. So it
does with the stream three times as the parts of a larger field, in a sequence of frames. All streams make an
archive, whose fields the program finds and writes into another one, which is read here; and one with an index for
each field, which the program reads, takes a field out of, and writes anew.
"""

import fractions
import functools
import importlib.machinery
import importlib.util
import itertools
import json
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import reference_bundles as bundles
import reference_levels as levels
import reference_packing as packing
import reference_rans as rans
from reference_levels import TILES, WORD

KNOWN_FEATURES = 9  # bits of the header


def mix(word, position, seed):
    key = ((position + 1) * 0x9E3779B8 + 2 * seed + 1) % WORD
    product = (word ^ key) * key
    return (product % WORD) ^ (product // WORD)


def checksum(words, seed, skip=None):
    return sum(mix(w, i, seed) for i, w in enumerate(words) if i != skip) % WORD


def words_of(data):
    return struct.unpack(f"<{len(data) // 4}I", data)


def unzigzag(code):
    return -(code + 1) // 2 if code & 1 else code // 2


def zigzag(number):
    return -2 * number - 1 if number < 0 else 2 * number


def codes_of(lengths):
    """Entries of an alphabet by (code, length), the code's first bit highest."""
    codes, code, last = {}, 0, 0
    for length, entry in sorted((n, i) for i, n in enumerate(lengths) if n):
        code <<= length - last
        codes[code, length] = entry
        code, last = code + 1, length
    assert code == 1 << last
    return codes


@functools.cache
def dictionary():
    """Lengths of symbols, masks and quads in all books of the dictionary."""
    path = str(Path(__file__).resolve().parents[2] / "tools/codebooks/make-codebooks")
    loader = importlib.machinery.SourceFileLoader("make_codebooks", path)
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_codebooks", loader))
    loader.exec_module(script)
    return script.make_dictionary(script.LIBRARY)


def books_of(section):
    """Codes of symbols, masks and quads from a codebook section; None for masks and quads without."""
    if section[0] == 2:
        assert section[1:3] == bytes((9, 1)) and not any(section[6:])
        assert (section[4] == 255) == (section[5] == 255)
        return [codes_of(books[number]) if number < 255 else None for books, number in
                zip(dictionary(), (section[3], section[4], section[5]))]
    kind, log_radius, first, count, symbols_only = struct.unpack_from("<BBHHH", section)
    assert kind == 1 and symbols_only <= 1
    lengths = section[8:]
    if log_radius <= 13:
        lengths = [n for byte in lengths for n in (byte & 15, byte >> 4)]
    symbols = [lengths[0]] + (first - 1) * [0] + list(lengths[1:count + 1])
    if symbols_only:
        return [codes_of(symbols), None, None]
    return [codes_of(part) for part in
            (symbols, lengths[count + 1:count + 257], lengths[count + 257:count + 338])]


def reason_of(bits):
    """Goal of a choice, None if nobody chose, and ratios of huffman, bitshuffle, fixedlength and rans."""
    codes = [bits >> shift & 0x7FF for shift in (3, 14, 25, 36)]
    ratios = struct.unpack("<4e", struct.pack("<4H", *(code << 4 for code in codes)))
    goal = (None, "ratio", "speed", "balanced", "smallest")[bits & 7]
    assert bits >> 47 == 0 and all(map(math.isfinite, ratios))
    assert not any(codes) or goal in ("ratio", "balanced", "smallest")
    return goal, ratios


class Stream:
    def __init__(self, data):
        assert data[:8] == bytes.fromhex("894b504b0d0a1a0a")
        (version, self.pipeline, dtype, mode, self.variant, tiling, sections, self.features,
         check, size, self.bound, self.bound_value) = struct.unpack_from("<HBBBBBBIIQdd", data, 8)
        assert version == 1 and self.pipeline in (1, 2, 3, 4) and size == len(data)
        assert self.features < 1 << KNOWN_FEATURES
        self.dtype, self.mode, self.are_parts = dtype, mode, self.features >> 8 & 1
        self.shape_of_tiles, predictor = tiling & 15, tiling >> 4
        assert predictor in (0, 1)  # Lorenzo, interpolation
        self.has_levels = predictor == 1
        assert not self.has_levels or (self.pipeline, self.variant) in (
            (1, 2), (1, 5), (1, 6), (2, 2), (2, 4), (4, 2))
        front = data[:20] + bytes(4) + data[24:64 + 24 * sections]
        assert checksum(words_of(front), 0) == check
        self.value_bytes = (4, 8, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2)[dtype]
        self.relative = mode == 2
        self.lossless, self.halves = mode == 4, {10: "f16", 11: "bf16"}.get(dtype)
        # Without loss integers, and numbers of 16 bits, are bins; within a bound they are coded as the numbers that they are.
        self.are_bins = dtype > 1
        self.are_numbers = self.are_bins and not self.lossless
        self.is_signed = dtype % 2 == 0
        self.value_words = (1 if self.value_bytes < 4 else 2) if self.are_numbers else -(-self.value_bytes // 4)
        assert not self.has_levels or mode < 4
        assert not self.lossless or self.pipeline in (3, 4)
        assert self.pipeline != 4 or self.variant == 2
        self.constant, self.kept_bound = struct.unpack_from("<Q", data, 56)[0], self.bound
        if self.halves and mode in (0, 1, 3):
            self.constant, self.bound = struct.unpack_from("<If", data, 56)
        self.half_step = self.bound / 32 if self.has_levels else self.bound
        self.kind_of_steps = self.features >> 5 & 7
        self.width = None
        if self.kind_of_steps == 6:
            assert mode in (0, 1) and dtype < 2 and not self.has_levels and not self.features >> 1 & 1
            self.width, self.kind_of_steps = struct.unpack_from("<d" if dtype else "<f", data, 56)[0], 0
            assert 0 < self.width < float("inf")
        assert self.kind_of_steps < 5 and (self.lossless or self.kind_of_steps == 0)
        if self.kind_of_steps:
            self.step, self.offset, self.bound = struct.unpack_from("<d", data, 56)[0], self.bound, 0
        assert not self.lossless or self.bound == 0
        part = {}
        for i in range(sections):
            key, section_check, offset, length = struct.unpack_from("<IIQQ", data, 64 + 24 * i)
            part[key] = data[offset:offset + length]
            assert key not in (1, 4, 5, 6, 7, 8) or checksum(words_of(part[key]), key) == section_check
        rank, self.order = part[1][0] & 15, part[1][1] & 1
        self.first = part[1][1] >> 4, part[1][1] >> 1 & 7, part[1][0] >> 4
        indices = rank - (self.features >> 8 & 1)
        assert all(number == 0 or number + before < indices for before, number in enumerate(self.first))
        self.goal, self.ratios = reason_of(int.from_bytes(part[1][2:8], "little"))
        axes = [struct.unpack_from("<QQQ", part[1], 8 + 24 * i) for i in range(rank)]
        self.extents, self.origin, self.total = ([axis[i] for axis in axes] for i in range(3))
        assert all(total == 0 or origin + extent <= total for extent, origin, total in axes)
        assert not self.are_parts or dtype < 2 and self.fastest_first(axes)[-1] == (2, 0, 2)
        if self.features & 8:
            self.index, self.payload = packing.unpack(part[7], part[2], part[3])
        else:
            self.index, self.payload = struct.unpack(f"<{len(part[2]) // 8}Q", part[2]), part[3]
        assert (5 in part) == bool(self.features & 4)
        self.fill = struct.unpack("<Q", part[5])[0] if 5 in part else None
        assert (8 in part) == bool(self.features & 16)
        self.limits = struct.unpack("<2d", part[8]) if 8 in part else None
        assert not self.limits or self.limits[0] <= self.limits[1] and all(map(self.is_limit, self.limits))
        self.books = books_of(part[4]) if 4 in part else None
        self.radius = 1 << part[4][1] if 4 in part else 0

    def is_limit(self, number):
        """Whether it is infinite, or a value of the type."""
        if math.isinf(number):
            return True
        try:
            rounded = struct.unpack("<f", struct.pack("<f", number))[0] if self.value_words == 1 else number
        except OverflowError:
            return False
        return rounded == number

    def common(self):
        """What all frames of a field agree in."""
        bound = None if self.mode == 3 else self.kept_bound
        return (self.dtype, self.order, self.total, self.pipeline, self.variant, self.mode, self.bound_value, bound, self.limits,
                self.features & 1, self.are_parts)

    def values_before(self):
        """How many values of the whole field lie before the first one of this frame."""
        place = 0
        slowest_first = list(zip(self.fastest_first(self.origin), self.fastest_first(self.total)))[::-1]
        for origin, total in slowest_first[self.are_parts:]:
            place = place * total + origin
        return place * (1 + self.are_parts)

    def masked_bits(self, marked):
        """Bits of what a masked place holds."""
        if not self.relative:
            return self.fill
        if not marked:
            return 0
        return 1 << (32 * self.value_words - 1) if self.fill is None else self.fill

    def fastest_first(self, numbers):
        """Numbers of the indices, the fastest in memory first."""
        return numbers[::-1] if self.order == 0 else numbers

    def coded_order(self, numbers):
        """Numbers of the indices, fastest first, in the order in which they are coded."""
        left, coded = list(numbers), []
        for number in self.first:
            if left:
                coded.append(left.pop(number))
        return coded + left

    def in_memory_order(self, values):
        """Values in the order of the field's memory."""
        if self.first == (0, 0, 0):
            return values
        extents = self.fastest_first(self.extents)
        coded = itertools.accumulate(self.coded_order(extents)[:-1], int.__mul__, initial=1)
        strides = [stride for _, stride in sorted(zip(self.coded_order(range(len(extents))), coded))]
        places = [0]
        for extent, stride in zip(extents, strides):
            places = [place + i * stride for i in range(extent) for place in places]
        return [values[place] for place in places]

    def folded(self):
        extents = self.coded_order(self.fastest_first(self.extents))
        n = [e for e in extents if e != 1] + [1, 1, 1]
        x, y, z = n[0], n[1], 1
        for e in n[2:]:
            z *= e
        assert not (self.has_levels and x * y * z) or (
            self.shape_of_tiles == levels.shape_of_tiles((x, y, z)))
        return {0: (x * y * z, 1, 1), 1: (x, y * z, 1), 2: (x, y, z)}[self.shape_of_tiles]

    def value_bits(self, bin_):
        """Bits of what a bin, or a value of the lattice, stands for."""
        if self.features & 2:
            return self.constant
        if self.kind_of_steps:
            return self.step_bits(bin_)
        if self.lossless:
            inverted = 0 if self.are_bins or bin_ >= 0 else (1 << (32 * self.value_words - 1)) - 1
            return (bin_ ^ inverted) % (1 << (32 * self.value_words))
        if self.value_words == 2 and not self.relative:
            step = self.width or min(2 * self.half_step, sys.float_info.max)
            return struct.unpack("<Q", struct.pack("<d", float(bin_) * step))[0]
        if self.relative:
            return self.relative_bits(bin_)
        largest = struct.unpack("<f", bytes.fromhex("ffff7f7f"))[0]
        step = self.width or struct.unpack("<f", struct.pack("<f", min(2 * self.half_step, largest)))[0]
        number = struct.unpack("<f", struct.pack("<f", float(bin_)))[0]
        # 24 bits times 24 bits is exact in a double, so the product is rounded once.
        try:
            return struct.unpack("<I", struct.pack("<f", number * step))[0]
        except OverflowError:  # only of an exception, whose value comes from the list
            return 0x7F800000 | (0x80000000 if bin_ < 0 else 0)

    def step_bits(self, bin_):
        """Bits of the value that a number of steps stands for."""
        kind, bits = {1: ("<f", 32), 2: ("<d", 64)}[self.value_words]

        def rounded(x):
            return struct.unpack(kind, struct.pack(kind, x))[0]

        if self.kind_of_steps == 4:
            key = bin_ << int(self.step) | ((1 << int(self.step)) - 1 if bin_ < 0 else 0)
            return (key ^ ((1 << (bits - 1)) - 1 if bin_ < 0 else 0)) % (1 << bits)
        try:
            value = bin_ / self.step if self.kind_of_steps == 3 else bin_ * self.step
            value = (rounded(value) if self.kind_of_steps == 2 else value) + self.offset
            return int.from_bytes(struct.pack(kind, value), "little")
        except OverflowError:  # only of an exception, whose value comes from the list
            return 0

    def relative_bits(self, bin_):
        """Bits of the magnitude of a bin on the scale of bounds relative to each value."""
        kind, mantissa, bias, room, least = {
            1: ("<f", 23, 127, 2.0**-20, 4),
            2: ("<d", 52, 1023, 2.0**-49, 16),
        }[self.value_words]

        def rounded(x):
            return struct.unpack(kind, struct.pack(kind, x))[0]

        room = self.bound - room
        width = math.sqrt(8) * 2 * 2.0**mantissa * (1 - 2.0**-38) * room / (2 + room)
        width = max(int(width), least)
        if self.has_levels:
            width = max(width // 32, {1: 2, 2: 16}[self.value_words])
            bin_ += self.constant // (63 * width) * 63
        place = bin_ * width % (1 << (32 * self.value_words))
        root = 1 + place % (1 << mantissa) / (1 << mantissa)
        magnitude = rounded(rounded(rounded(root * root) + 2) * rounded(1 / 3))
        bits = struct.unpack("<I" if kind == "<f" else "<Q", struct.pack(kind, magnitude))[0]
        return (bits + (((place >> mantissa) - bias) << mantissa)) % (1 << (32 * self.value_words))


def natural_place(kind, place):
    lane, register = divmod(place, 32)
    first, pitch = {0: (32 * lane, 4), 1: (lane // 8 * 256 + lane % 8 * 4, 32),
                    2: (lane // 4 * 128 + lane % 4 * 4, 16)}[kind]
    return first + register // 4 * pitch + register % 4


def fixedlength_residuals(_, coder_bits, words):
    """The 1024 residuals in lanes, and how many words they took."""
    codes, used = lane_codes(coder_bits, words)
    return [unzigzag(code) for lane in codes for code in lane], used


def lane_codes(coder_bits, words):
    """The 32 lanes of 32 codes of a fixedlength record, and how many words they took."""
    smallest, width_planes, outlier_class = coder_bits & 63, coder_bits >> 6 & 7, coder_bits >> 9 & 3
    widths = [smallest + sum((words[j] >> lane & 1) << j for j in range(width_planes))
              for lane in range(32)]
    at = width_planes
    outliers = {}
    if outlier_class:
        bits, mask = 4 << outlier_class, words[at]
        packed = sum(w << (32 * i) for i, w in enumerate(words[at + 1:]))
        for lane in range(32):
            if mask >> lane & 1:
                outliers[lane] = packed >> (len(outliers) * bits) & ((1 << bits) - 1)
        at += 1 + -(-len(outliers) * bits // 32)
    codes = [[0] * 32 for _ in range(32)]
    for plane in range(max(widths)):
        for lane in (lane for lane in range(32) if widths[lane] > plane):
            for register in range(32):
                codes[lane][register] |= (words[at] >> register & 1) << plane
            at += 1
    for lane, high in outliers.items():
        codes[lane][0] |= high << widths[lane]
    return codes, at


def blocks_planes(count, words):
    """Planes of each lane, and how many words they took."""
    planes = [[0] * 16 for _ in range(32)]
    at = -(-count // 4)
    for p in range(count):
        flags = words[p // 4] >> (p % 4 * 8) & 0xFF
        for block in (block for block in range(8) if flags >> block & 1):
            for i in range(4):
                planes[4 * block + i][p] = words[at + i]
            at += 4
    return planes, at


def deep_planes(count, words):
    """Planes of each lane, and how many words they took."""
    data = struct.pack(f"<{len(words)}I", *words)
    pairs = -(-count // 2)
    at = -(-pairs // 2)
    tops = int.from_bytes(data[:at], "little")
    groups = [[0] * 4 for _ in range(pairs)]
    for bit in range(4 * pairs):
        if tops >> bit & 1:
            groups[bit // 4][bit % 4], at = data[at], at + 1
    marks = [[0] * 16 for _ in range(32)]
    for j in range(pairs):
        for lane in range(32):
            if groups[j][lane // 8] >> lane % 8 & 1:
                plane = 2 * j + lane % 2
                marks[lane & ~1][plane], marks[lane | 1][plane] = data[at] & 15, data[at] >> 4
                at += 1
    planes = [[0] * 16 for _ in range(32)]
    for lane in range(32):
        for plane in range(count):
            for byte in range(4):
                if marks[lane][plane] >> byte & 1:
                    planes[lane][plane] |= data[at] << (8 * byte)
                    at += 1
    return planes, -(-at // 4)


def outlier_list(stream, words):
    """Places and residuals of a list in front of a record's other words, and how many words it took."""
    entries, size = words[0], stream.value_words
    values = 1 + -(-entries // 2)
    wide = [(words[1 + i // 2] >> (i % 2 * 16) & 0xFFFF,
             sum(w << (32 * k) for k, w in enumerate(words[values + i * size:values + (i + 1) * size])))
            for i in range(entries)]
    return wide, values + entries * size


def take_code(bits, codes):
    """The entry whose code an iterator over bits begins with."""
    code, length = 0, 0
    while (code, length) not in codes:
        code, length = code << 1 | next(bits), length + 1
    return codes[code, length]


def lane_values(stream, bits):
    """The 32 residuals of a lane's string."""
    symbols, masks, quads = stream.books
    mask, values = take_code(bits, masks) if masks else 255, []
    for quad in range(8):
        number = None
        if mask >> quad & 1:
            number = take_code(bits, quads) if quads else 40
        if number == 40:
            found = [take_code(bits, symbols) for _ in range(4)]
            values += [symbol - stream.radius if symbol else 0 for symbol in found]
        else:
            number = 40 if number is None else number
            values += [number // 3 ** (3 - i) % 3 - 1 for i in range(4)]
    return values


def huffman_residuals(stream, coder_bits, words):
    """The 1024 residuals in lanes, and how many words they took."""
    if coder_bits == 0 and not words:
        return [0] * 1024, 0
    wide, at = outlier_list(stream, words) if coder_bits >> 4 else ([], 0)
    width = coder_bits & 15
    number = sum(w << (32 * i) for i, w in enumerate(words[at:]))
    least = number & 0xFFF
    ends = [12 + 16 * width]
    for pair in range(16):
        ends.append(ends[-1] + least + (number >> (12 + pair * width) & ((1 << width) - 1)))
    residuals = []
    for begin, end in zip(ends, ends[1:]):
        residuals += lane_values(stream, (number >> i & 1 for i in range(begin, end)))
        residuals += lane_values(stream, (number >> i & 1 for i in reversed(range(begin, end))))
    for place, value in wide:
        residuals[place] = value
    return residuals, at + -(-ends[-1] // 32)


def bitshuffle_residuals(stream, coder_bits, words):
    """The 1024 residuals in lanes, and how many words they took."""
    count, sign_magnitude = coder_bits & 31, stream.variant == 3
    wide, at = outlier_list(stream, words) if coder_bits >> 5 & 1 else ([], 0)
    planes, used = (blocks_planes if sign_magnitude else deep_planes)(count, words[at:])
    residuals = []
    for lane in range(32):
        for register in range(32):
            code = sum((planes[lane][p] >> register & 1) << p for p in range(16))
            sign = -1 if code & 1 else 1
            residuals.append(sign * (code >> 1) if sign_magnitude else unzigzag(code))
    for place, value in wide:
        residuals[place] = value
    return residuals, at + used


def rans_residuals(stream, coder_bits, words):
    """The 1024 residuals in lanes, and how many words they took."""
    residuals = [0] * 1024
    if not words:
        assert coder_bits == 0
        return residuals, 0
    zigzags, by_classes = rans.zigzagged_residuals(stream, coder_bits, words)
    for place in range(1024):
        key = place if by_classes else natural_place(stream.shape_of_tiles, place)
        residuals[place] = unzigzag(zigzags.get(key, 0))
    return residuals, len(words)


RESIDUALS = {1: huffman_residuals, 2: bitshuffle_residuals, 3: fixedlength_residuals, 4: rans_residuals}


def prefix_sums(values, shape):
    nx, ny, nz = shape
    for stride, extent in ((nx * ny, nz), (nx, ny), (1, nx)):
        for i in range(1024):
            if i // stride % extent > 0:
                values[i] += values[i - stride]


def places_of(stored, mask):
    """Places in lanes that have a bit."""
    if stored == 0:
        return []
    if stored == 1:
        return range(1024)
    some, full, rest = mask[0], mask[1], list(mask[2:])
    assert full & ~some == 0
    places = []
    for lane in range(32):
        word = 0xFFFFFFFF * (full >> lane & 1) if not (some & ~full) >> lane & 1 else rest.pop(0)
        places += [32 * lane + register for register in range(32) if word >> register & 1]
    assert not rest
    return places


def split_coded(stream, words):
    """Residuals in lanes, base, number of exceptions, forms of mask and signs, and the words of these."""
    head, at = words[0], 1
    form = head & 3
    code = head >> 16 if form == 1 else 0
    for i in range(max(form - 1, 0)):
        code |= words[at] << (32 * i)
        at += 1
    tail = (0, 0, 0)
    if head & 4:
        tail, at = (words[at] & 0xFFFF, words[at] >> 16 & 0xFF, words[at] >> 24), at + 1
    count, *masks = tail
    end = len(words) - -(-count // 2) - count * stream.value_words - sum(m for m in masks if m > 1)
    in_chain = stream.shape_of_tiles == 0 and not stream.has_levels
    masked = places_of(masks[0], words[end:end + masks[0]]) if in_chain else ()
    stream.masked = {(place, 0, 0) for place in masked}
    residuals, used = RESIDUALS[stream.pipeline](stream, head >> 3 & 0x1FFF, words[at:end])
    assert at + used == end
    return residuals, unzigzag(code), tail, words[end:]


def lorenzo_bins(stream, residuals, base):
    """The 1024 bins of a tile, in natural order."""
    bins = [0] * 1024
    for place in range(1024):
        bins[natural_place(stream.shape_of_tiles, place)] = residuals[place]
    bins[0] += base
    prefix_sums(bins, TILES[stream.shape_of_tiles])
    half = 1 << (32 * stream.value_words - 1)
    return [(b + half) % (2 * half) - half for b in bins]


def overwrite(stream, bits, tail, words):
    """Puts signs, masked values and exceptions in their places of a tile."""
    (count, mask, signs), at, w = tail, 0, stream.value_words
    assert not mask or stream.fill is not None or stream.relative
    assert not signs or stream.relative
    masked = places_of(mask, words[:mask])
    at += mask if mask > 1 else 0
    marked = set(places_of(signs, words[at:at + signs]))
    at += signs if signs > 1 else 0
    for place in marked:
        bits[natural_place(stream.shape_of_tiles, place)] ^= 1 << (32 * w - 1)
    for place in masked:
        bits[natural_place(stream.shape_of_tiles, place)] = stream.masked_bits(place in marked)
    assert mask != 1 or count == 0
    tail = words[at:]
    raw = tail[-(-count // 2):]
    for i in range(count):
        place = tail[i // 2] >> (i % 2 * 16) & 0xFFFF
        bits[natural_place(stream.shape_of_tiles, place)] = raw[i * w] | (raw[i * w + 1] << 32 if w == 2 else 0)


def decode_coded(stream, words):
    """Bits of the 1024 places of a tile, in natural order; exceptions included."""
    residuals, base, tail, rest = split_coded(stream, words)
    bits = [stream.value_bits(b) for b in lorenzo_bins(stream, residuals, base)]
    overwrite(stream, bits, tail, rest)
    return bits


def points_inside(shape, begin, n):
    """Places of a tile that are in a field of these extents."""
    return [(x, y, z) for z in range(min(shape[2], n[2] - begin[2]))
            for y in range(min(shape[1], n[1] - begin[1]))
            for x in range(min(shape[0], n[0] - begin[0]))]


def raw_values(stream, words):
    """Numbers of a raw record."""
    w = stream.value_words
    return [words[i] | (words[i + 1] << 32 if w == 2 else 0) for i in range(0, len(words), w)]


def decode(stream):
    n = stream.folded()
    if 0 in n:
        field = []
    elif stream.has_levels:
        *_, finest = decode_levels(stream, n)
        field = finest.values
    else:
        field = decode_tiles(stream, n)
    if stream.limits:
        field = [moved(stream, bits) for bits in field]
    field = stream.in_memory_order(field)
    if stream.are_parts:
        half = len(field) // 2
        field = [part for number in zip(field[:half], field[half:]) for part in number]
    if stream.are_numbers:
        field = [rounded_half(stream.halves, bits) if stream.halves else integer(stream, bits) for bits in field]
    elif stream.halves:
        field = [bits ^ 0x7FFF if bits & 0x8000 else bits for bits in field]
    # Of values of 8 and 16 bits the rest of their word means nothing.
    size = stream.value_bytes
    return struct.pack(f"<{len(field)}{' BH I   Q'[size]}", *(v % (1 << 8 * size) for v in field))


def number_of(stream, bits):
    """The number of these bits."""
    letter, number = ("f", "I") if stream.value_words == 1 else ("d", "Q")
    return struct.unpack("<" + letter, struct.pack("<" + number, bits))[0]


def integer(stream, bits):
    """The integer nearest to a number, inside its type."""
    size = 8 * stream.value_bytes
    lowest, highest = (-(1 << size - 1), (1 << size - 1) - 1) if stream.is_signed else (0, (1 << size) - 1)
    number = number_of(stream, bits)
    if not number > lowest:
        return lowest
    return min(round(number), highest) if number < math.inf else highest


def rounded_half(kind, bits):
    """Bits of the number of 16 bits nearest to one of f32, the largest finite one for all above it."""
    mantissa, bias, least = (10, 15, -24) if kind == "f16" else (7, 127, -133)
    sign, magnitude, dropped = bits >> 16 & 0x8000, bits & 0x7FFFFFFF, 23 - mantissa
    infinity = (2 * bias + 1) << mantissa
    if magnitude >= 0x7F800000:
        payload = magnitude >> dropped & (1 << mantissa) - 1
        return sign | infinity | (payload or (magnitude > 0x7F800000) << mantissa - 1)
    number = fractions.Fraction(struct.unpack("<f", struct.pack("<I", magnitude))[0])
    if number == 0:
        return sign
    exponent = max(math.frexp(number)[1] - 1, 1 - bias)
    # A number of steps of its binade. Rounded up to the next one it is the first number there, and bits count on.
    steps = round(number / fractions.Fraction(2) ** max(exponent - mantissa, least))
    return sign | min(((exponent + bias - 1) << mantissa) + steps, infinity - 1)


def moved(stream, bits):
    """Bits of a value, or of the limit that it is moved to."""
    letter, number = ("f", "I") if stream.value_words == 1 else ("d", "Q")
    value = number_of(stream, bits)
    lower, upper = stream.limits
    assert lower <= upper
    if bits == stream.fill or lower <= value <= upper or not math.isfinite(value):
        return bits
    limit = lower if value < lower else upper
    exact_limit, exact_value = fractions.Fraction(limit), fractions.Fraction(value)
    allowed = fractions.Fraction(stream.bound) * (abs(exact_value) if stream.relative else 1)
    if abs(exact_limit - exact_value) > allowed:
        return bits
    return struct.unpack("<" + number, struct.pack("<" + letter, limit))[0]


def decode_tiles(stream, n):
    """Bits of the values of a field whose tiles are predicted alone."""
    shape = TILES[stream.shape_of_tiles]
    field = levels.Lattice(n)
    for tile, begin in enumerate(levels.boxes(n, shape)):
        inside = stream.inside = points_inside(shape, begin, n)
        stream.by_classes = False
        words = record_of(stream, tile)
        if len(words) == len(inside) * stream.value_words:
            packed = raw_values(stream, words)
        else:
            places = decode_coded(stream, words) if words else [stream.value_bits(0)] * 1024
            packed = [places[(z * shape[1] + y) * shape[0] + x] for x, y, z in inside]
        for point, bits in zip(inside, packed):
            field[tuple(b + i for b, i in zip(begin, point))] = bits
    return field.values


def decode_levels(stream, n):
    """The lattice of each level, coarsest first; of level 0 the bits of the field's values."""
    kind, chunk, above = stream.shape_of_tiles, 0, None
    for level in range(levels.LEVELS[kind], -1, -1):
        extents = levels.extents_of(n, level)
        here = levels.Lattice(extents)
        predicted = None if above is None else functools.cache(functools.partial(levels.interpolated, above, extents))
        for tiles in levels.chunks_of(kind, n, level):
            records = records_of(stream, chunk, levels.record_lengths)
            for begin, words in zip(tiles, records or [()] * 32):
                decode_level_tile(stream, here, predicted, level, begin, words)
            chunk += 1
        yield here
        above = here
    assert chunk + 1 == len(stream.index)


def decode_level_tile(stream, lattice, predicted, level, begin, words):
    """Puts the values of a tile in the lattice of its level; at level 0 their bits.

    predicted(linear) is what the level above says of this one.
    """
    kind = stream.shape_of_tiles
    inside = stream.inside = points_inside(TILES[kind], begin, lattice.n)
    stream.by_classes = level < levels.LEVELS[kind]
    if not inside:
        assert not words
        return
    if len(words) == len(inside) * stream.value_words:
        found = raw_values(stream, words)
        assert level == 0 or max(found) < WORD
    else:
        empty = [0] * 1024, 0, (0, 0, 0), ()
        residuals, base, tail, rest = split_coded(stream, words) if words else empty
        steps = levels.BIN_STEPS[level]
        if level == levels.LEVELS[kind]:
            bins = lorenzo_bins(stream, residuals, base)
            tile = levels.Lattice(TILES[kind], (0, 0, 0), [steps * b % WORD for b in bins])
        else:
            assert base == 0 or stream.pipeline == 4
            rules = levels.Rules(zigzag(base))
            tile = levels.corrections(kind, residuals, steps, rules)
            said = predicted(rules.linear)
            for point in inside:
                tile[point] = (tile[point] + said[tuple(b + i for b, i in zip(begin, point))]) % WORD
        if level == 0:
            tile.values = [stream.value_bits(levels.signed(value)) for value in tile.values]
            overwrite(stream, tile.values, tail, rest)
        else:
            assert tail == (0, 0, 0) and not rest
        found = [tile[point] for point in inside]
    for point, value in zip(inside, found):
        lattice[tuple(b + i for b, i in zip(begin, point))] = value


def four_lengths(words):
    """Lengths of the records of a chunk of four tiles, and that no words lie behind them."""
    return [words[i // 2] >> (i % 2 * 16) & 0xFFFF for i in range(4)], 0


def checksum_of_chunk(words, chunk):
    return checksum(words, chunk % WORD * 0x85EBCA6B % WORD ^ chunk // WORD, skip=2)


def records_of(stream, chunk, lengths_of):
    """The records of a chunk; nothing if all are empty."""
    words = words_of(stream.payload[stream.index[chunk]:stream.index[chunk + 1]])
    if not words:
        return []
    at = 2
    if stream.features & 1:
        at = 3
        assert checksum_of_chunk(words, chunk) == words[2]
    lengths, behind = lengths_of(words)
    ends = list(itertools.accumulate(lengths, initial=at))
    assert ends[-1] + behind == len(words)
    return [words[begin:end] for begin, end in zip(ends, ends[1:])]


def record_of(stream, tile):
    records = records_of(stream, tile // 4, four_lengths)
    return records[tile % 4] if records else ()


def frames_of(data):
    """Frames of a file of one or several, which make one field."""
    at, count, first = 0, 0, None
    while at < len(data):
        end = at + struct.unpack_from("<Q", data, at + 24)[0]
        frame = Stream(data[at:end])
        first = first or frame
        assert frame.common() == first.common() and frame.values_before() == count
        count += math.prod(frame.extents)
        yield frame
        at = -(-end // 16) * 16
        assert not any(data[end:at])
    assert count == math.prod(first.total)


def decode_sequence(data):
    """Values of a file of one frame or several."""
    return b"".join(map(decode, frames_of(data)))


def with_shape(data, change):
    """A stream whose shape section, from the place that it gets, `change` has altered."""
    data = bytearray(data)
    sections = data[15]
    entry = next(64 + 24 * i for i in range(sections) if data[64 + 24 * i] == 1)
    shape, length = struct.unpack_from("<QQ", data, entry + 8)
    change(data, shape)
    struct.pack_into("<I", data, entry + 4, checksum(words_of(data[shape:shape + length]), 1))
    struct.pack_into("<I", data, 20, 0)
    struct.pack_into("<I", data, 20, checksum(words_of(data[:64 + 24 * sections]), 0))
    return bytes(data)


def as_part(data, number, count):
    """A stream of a whole field as one of `count` equal parts along the slowest index."""
    def move(data, shape):
        rank, order = data[shape] & 15, data[shape + 1] & 1
        axis = shape + 8 + 24 * (rank - 1 if order else 0)
        extent = struct.unpack_from("<Q", data, axis)[0]
        struct.pack_into("<QQ", data, axis + 8, number * extent, count * extent)
    data = with_shape(data, move)
    return data + bytes(-len(data) % 16 if number + 1 < count else 0)


def with_other_rules(data, stream):
    """An interpolated stream of rans, whose chunks have checksums, with rules at random: in the place of every base that the
    head of a record has. Raw records get other values there.
    """
    data, numbers = bytearray(data), random.Random(len(data))
    entries = [struct.unpack_from("<IIQQ", data, 64 + 24 * i) for i in range(data[15])]
    payload = next(offset for section, _, offset, _ in entries if section == 3)
    for chunk, (begin, end) in enumerate(zip(stream.index, stream.index[1:])):
        words, at = list(words_of(stream.payload[begin:end])), 3
        for length in levels.record_lengths(words)[0] if words else ():
            if length and words[at] & 3 < 2:
                words[at] = words[at] & 0xFFFC | 1 | numbers.randrange(1, 1 << 16) << 16
            at += length
        if words:
            words[2] = checksum_of_chunk(words, chunk)
        struct.pack_into(f"<{len(words)}I", data, payload + begin, *words)
    return bytes(data)


def as_chosen(data, goal, ratios):
    """A stream whose pipeline was chosen."""
    codes = struct.unpack("<4H", struct.pack("<4e", *ratios))
    bits = goal | sum(code >> 4 << shift for code, shift in zip(codes, (3, 14, 25, 36)))

    def choose(data, shape):
        data[shape + 2:shape + 8] = bits.to_bytes(6, "little")
    return with_shape(data, choose)


def check_reason(program, data):
    for goal, ratios in ((1, (8.5, 4.25, 2.5, 0)), (2, (0, 0, 0, 0)), (3, (1.5, 64, 1024, 0)), (4, (2, 3, 1.25, 4.5))):
        chosen = as_chosen(data, goal, ratios)
        stream = Stream(chosen)
        assert stream.ratios == ratios
        info = json.loads(subprocess.run([program, "info", "--json", "-"], check=True, input=chosen,
                                         stdout=subprocess.PIPE).stdout)
        said = re.findall(r"\d[\d.]*", info["chosen_by"])
        told = info["chosen_for"], sorted(map(float, said))
        if told != (stream.goal, sorted(filter(None, ratios))):
            sys.exit("the program tells another reason than docs/format.md says: " + str(info))


def check(program, name, data, expected):
    with tempfile.TemporaryDirectory() as folder:
        stream, output = Path(folder) / "stream", Path(folder) / "field"
        stream.write_bytes(data)
        subprocess.run([program, "decompress", "-i", stream, "-o", output], check=True,
                       stdout=subprocess.DEVNULL)
        if output.read_bytes() != expected:
            sys.exit(f"{name}: the program decodes other values than docs/format.md says")


BLOCK = struct.Struct("<8sHHIQQ")  # magic, version, kind, checksum, offset, bytes
START, ENTRY, INDEX, TRAILER, REMOVAL, BUNDLE = 1, 2, 3, 4, 5, 6
REPEATED = 0xffff


def padded(data, alignment):
    return data + bytes(-len(data) % alignment)


def stream_checksum(data):
    return checksum(words_of(padded(data, 4)), 0)


def block_body(data, offset, kind, front=0):
    """Body of the block of this kind that begins there; so many bytes in front are missing in the data."""
    magic, version, found, check, place, size = BLOCK.unpack_from(data, offset - front)
    assert (magic, version, found, place) == (b"\x89KPA\r\n\x1a\n", 1, kind, offset)
    block = data[offset - front:offset - front + size]
    assert len(block) == size and size % 16 == 0
    assert (checksum(words_of(block), kind, skip=3) + mix(0, 3, kind)) % WORD == check
    return block[BLOCK.size:]


def read_record(body, begin):
    """Name, attributes, stream's place, length and checksum; and where the next record begins.

    A record that repeats a bundle has the bytes of the block in place of attributes."""
    offset, size, check, name_bytes, count = struct.unpack_from("<QQIHH", body, begin)
    at, attributes = begin + 24 + name_bytes, {}
    name = body[begin + 24:at].decode()
    if not name and count == REPEATED:
        return (name, body[at:at + size], offset, size, check), at + size
    for _ in range(count):
        key, value = struct.unpack_from("<HH", body, at)
        text = body[at + 4:at + 4 + key + value]
        attributes[text[:key].decode()] = text[key:].decode()
        at += 4 + key + value
    assert len(attributes) == count
    return (name, attributes, offset, size, check), begin + -(-(at - begin) // 8) * 8


def read_chain(data, trailer):
    """Bodies of the index blocks, oldest first, each with its place and the end of the one before it."""
    chain, end = [], trailer
    offset, size = struct.unpack("<QQ", block_body(data, trailer, TRAILER))
    assert size and offset + size == trailer
    while size:
        assert offset + size <= end
        body = block_body(data, offset, INDEX)
        assert len(body) + BLOCK.size == size
        before, before_size = struct.unpack_from("<QQ", body)
        chain.append((body, offset, before + before_size))
        end, offset, size = offset, before, before_size
    return chain[::-1]


def read_field(data, record):
    name, attributes, place, length, check = record
    stream = data[place:place + length]
    assert stream_checksum(stream) == check
    entry, _ = read_record(block_body(data, -(-(place + length) // 16) * 16, ENTRY), 0)
    assert entry == record
    return attributes, stream


def read_archive(data):
    """Attributes and stream of each field by its name."""
    block_body(data, 0, START)
    fields = {}
    for body, index, end in read_chain(data, len(data) - 48):
        at, added, begin, gone = 24, False, end, set()
        for _ in range(struct.unpack_from("<Q", body, 16)[0]):
            record, at = read_record(body, at)
            name, attributes, place, length, check = record
            if length == 0:
                assert not added and not attributes and check == 0 and place < index
                if place < begin:
                    assert fields.pop(name)[2] == place
                else:
                    gone.add((name, place))
                continue
            assert place % 16 == 0 and name not in fields and end <= place and place + length <= index
            for field in fields_of(data, record):
                if (field[0], field[3]) in gone:
                    gone.remove((field[0], field[3]))
                else:
                    fields[field[0]] = field[1:]
            end, added = place + length, True
        assert not gone
    return {name: field[:2] for name, field in fields.items()}


def fields_of(data, record):
    """Name, attributes, stream and place of the field of a record, or of the members of its bundle."""
    name, attributes, place, length, check = record
    if name:
        return [(name, *read_field(data, record), place)]
    assert check == 0
    body = block_body(attributes, place, BUNDLE, place) if attributes else block_body(data, place, BUNDLE)
    assert len(body) + BLOCK.size == length
    return [(*field, place + BLOCK.size + behind) for behind, *field in bundles.read_bundle(body, checksum)]


def make_block(offset, kind, body):
    body = padded(body, 16)
    head = BLOCK.pack(b"\x89KPA\r\n\x1a\n", 1, kind, 0, offset, BLOCK.size + len(body))
    check = checksum(words_of(head + body), kind)
    return head[:12] + struct.pack("<I", check) + head[16:] + body


def make_record(place, name, attributes, stream):
    check = stream_checksum(stream) if stream else 0
    record = struct.pack("<QQIHH", place, len(stream), check, len(name.encode()), len(attributes))
    record += name.encode()
    for key, value in attributes.items():
        key, value = key.encode(), value.encode()
        record += struct.pack("<HH", len(key), len(value)) + key + value
    return padded(record, 8)


def with_field(data, name, attributes, stream):
    """An archive with one more stream and its entry; and the record of it."""
    record = make_record(len(data), name, attributes, stream)
    data = padded(data + stream, 16)
    return data + make_block(len(data), ENTRY, record), record


def with_index(data, before, records):
    """An archive with an index of these behind the one before, and a trailer; and the place of the index."""
    body = struct.pack("<QQQ", *before, len(records)) + b"".join(records)
    index = make_block(len(data), INDEX, body)
    place = len(data), len(index)
    data += index
    return data + make_block(len(data), TRAILER, struct.pack("<QQ", *place)), place


def make_archive(fields):
    """An archive without index and trailer, as one is after an append that was interrupted."""
    data = make_block(0, START, b"")
    for name, (attributes, stream) in fields.items():
        data, _ = with_field(data, name, attributes, stream)
    return data


def make_chain(fields):
    """An archive of fields that were appended one by one, each in place of one that was there for a while."""
    data, place = with_index(make_block(0, START, b""), (0, 0), [])
    for name, (attributes, stream) in fields.items():
        gone = make_record(len(data), name, {}, b"")
        data, record = with_field(data, name, {"gone": "yes"}, stream)
        data, place = with_index(data, place, [record])
        data, record = with_field(data, name, attributes, stream)
        data += make_block(len(data), REMOVAL, gone)
        data, place = with_index(data, place, [gone, record])
    return data


def small_fields(program):
    """Streams of a few values, which archives keep in another form."""
    codings = ["-m abs -e 0.01", "-m r2r -e 0.001", "-m pwr -e 0.01", "-m psnr -e 50", "-m lossless",
               "-m abs -e 0.01 -c huffman", "-m r2r -e 0.1 -c rans --predictor interpolate", "-m abs -e 0.1 --limits 0:9",
               "-m abs -e 0.1 --fill 3", "-m abs -e 2", "-m abs -e 0.01 --for ratio"]
    fields = {}
    with tempfile.TemporaryDirectory() as folder:
        raw, stream = Path(folder) / "raw", Path(folder) / "stream"
        for kind, code in (("f32", "f"), ("f64", "d"), ("i16", "h")):
            for count, shape in ((1, "1"), (60, "5,1,12")):
                raw.write_bytes(struct.pack(f"<{count}{code}", *range(3, count + 3)))
                for number, words in enumerate(codings):
                    subprocess.run([program, "compress", "-i", raw, "-o", stream, "-t", kind, "--shape", shape, "--force",
                                    *words.split()], check=True, stdout=subprocess.DEVNULL)
                    fields[f"{kind} {shape} {number}"] = ({"coding": words}, stream.read_bytes())
        # Behind so many bytes an index repeats the bundle of the field that follows.
        raw.write_bytes(random.Random(1).randbytes(80000))
        subprocess.run([program, "compress", "-i", raw, "-o", stream, "-t", "i32", "--shape", "20000", "--force", "-m", "lossless"],
                       check=True, stdout=subprocess.DEVNULL)
        fields["noise"] = ({}, stream.read_bytes())
        fields["behind"] = fields["f32 1 0"]
    return fields


def check_archive(program, fields):
    def run(*words):
        subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL)

    with tempfile.TemporaryDirectory() as folder:
        broken, written, chain = (Path(folder) / name for name in ("broken", "written", "chain"))
        broken.write_bytes(make_archive(fields))
        run("repair", "-i", broken, "-o", written)
        if read_archive(written.read_bytes()) != fields:
            sys.exit("the program writes other archives than docs/format.md says")
        data = written.read_bytes()
        heads = [found.start() for found in re.finditer(re.escape(b"\x89KPA\r\n\x1a\n" + struct.pack("<HH", 1, BUNDLE)), data)]
        in_place = [struct.unpack_from("<Q", data, at + 16)[0] == at for at in heads]
        assert in_place.count(True) > 1 and in_place.count(False) > 0
        chain.write_bytes(make_chain(fields))
        assert read_archive(chain.read_bytes()) == fields
        run("verify", chain)
        written.unlink()
        run("compact", chain, "-o", written)
        if read_archive(written.read_bytes()) != fields:
            sys.exit("the program reads other archives than docs/format.md says")
        name, *others = fields
        run("remove", chain, name)
        if read_archive(chain.read_bytes()) != {other: fields[other] for other in others}:
            sys.exit("the program removes fields in another way than docs/format.md says")


def main(program, names):
    fields = {}
    for name in names:
        data = Path(name).read_bytes()
        fields[Path(name).stem] = ({"file": name, "größe": str(len(data)), "note": "two\n\tlines"}, data)
        expected = decode_sequence(data)
        if not expected:
            continue  # the program refuses fields without values
        check(program, name, data, expected)
        parts = b"".join(as_part(data, number, 3) for number in range(3))
        check(program, name + " three times", parts, 3 * expected)
        stream = next(frames_of(data))
        if stream.pipeline == 4 and stream.has_levels:
            ruled = with_other_rules(data, stream)
            check(program, name + " by other rules", ruled, decode_sequence(ruled))
    first = Path(names[0]).read_bytes()
    parts = b"".join(as_part(first, number, 3) for number in range(3))
    assert decode_sequence(parts) == 3 * decode_sequence(first)
    check_reason(program, first)
    fields["three times"] = ({}, parts)
    fields |= small_fields(program)
    check_archive(program, fields)
    print(f"{len(names)} streams decoded as docs/format.md says")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
