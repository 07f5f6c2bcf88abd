"""The fields of some golden streams, made as unit_test/support/fields.hpp and unit_test/pipeline/test_golden.cpp make them."""

import functools
import math
import struct

import reference_decoder

WORD = 1 << 64
FILL = 2.0**66
FLOATS = {"f32": "f", "f64": "d"}
INTEGERS = {f"{sign}{bits}": (int(bits), sign == "i") for sign in "iu" for bits in (8, 16, 32, 64)}


def mixed(x):  # splitmix64
    x = (x + 0x9E3779B97F4A7C15) % WORD
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB % WORD
    return x ^ x >> 31


def uniform(i, seed):
    """A number in [-1, 1)."""
    bits = mixed((i * 2654435761 + seed) % WORD)
    return ((bits - WORD if bits >> 63 else bits) >> 11) * 2.0**-52


def smooth(i, extents):
    total = 0.001 * uniform(i, 1)
    for axis in reversed(range(len(extents))):
        n = extents[axis]
        x = (i % n + 0.5) / n - 0.4
        total += x * x * (axis + 1)
        i //= n
    return total


def surfaces(i, extents):
    index = [0, 0, 0]
    for k, n in enumerate(extents[:-4:-1]):
        index[k] = i % n
        i //= n
    return uniform(index[0] * 65537 + index[1], 1) + uniform(index[1] * 65537 + index[2], 2)


def is_land(i, extents):
    x, y = i % extents[-1], i // extents[-1]
    return x < extents[-1] // 2 and y % 64 < 40 or mixed(y + 1) % 13 == 0 or mixed(i + 1) % 301 == 0


def nonfinite(i, word):
    """Bits of a NaN with a payload, or of an infinity."""
    quiet, infinity, size = (0x7FC00000, 0x7F800000, 1 << 32) if word == "f" else (0x7FF8 << 48, 0x7FF0 << 48, WORD)
    payload = mixed(i + 1) % size >> 10
    return (quiet | payload >> 4, infinity, infinity | size // 2)[i % 3]


def make_field(family, extents, dtype):
    """Bytes of a field of floating-point numbers."""
    word = FLOATS[dtype]
    unsigned, number, walk, field = {"f": "I", "d": "Q"}[word], struct.Struct("<" + word), 0.0, []
    for i in range(math.prod(extents)):
        u, value = uniform(i, 8), smooth(i, extents)
        walk += u
        if family == "bits" or family == "nan_islands" and mixed(i // 13 + 1) % 11 == 0:
            bits = nonfinite(i, word) if family == "nan_islands" else mixed(i + 1) % (1 << 8 * number.size)
            field.append(struct.pack("<" + unsigned, bits))
            continue
        if family == "walk":
            value = walk
        elif family == "constant":
            value = 3.25
        elif family == "zeros":
            value = u if mixed(i + 1) % 997 == 0 else 0.0
        elif family == "lattice":
            value = math.floor(u * 40) / 8
        elif family == "spikes" and mixed(i + 1) % 501 == 0:
            value = u * 1e30
        elif family == "land" and is_land(i, extents):
            value = FILL
        elif family == "surfaces":
            value = surfaces(i, extents)
        field.append(number.pack(value))
    return b"".join(field)


def make_integers(extents, dtype, lift=0, fill=None):
    """Bytes of integers that walk around the end of their type, or around a number; every eleventh may be a fill value."""
    bits, is_signed = INTEGERS[dtype]
    walk, field = 0, []
    for i in range(math.prod(extents)):
        walk += mixed(i + 1) % 5 - 2
        value = fill if fill is not None and i % 11 == 0 else walk + lift
        field.append((value % (1 << bits)).to_bytes(bits // 8, "little"))
    return b"".join(field)


def make_halves(dtype):
    numbers = struct.unpack("<8400I", make_field("smooth", (7, 40, 30), "f32"))
    return struct.pack("<8400H", *(reference_decoder.rounded_half(dtype, bits) for bits in numbers))


@functools.cache
def field_of(name):
    """Bytes of the field of a golden stream."""
    family, *arguments = FIELDS[name]
    return family(*arguments)


FIELDS = {
    "chain_1d_f32": (make_field, "walk", (5000,), "f32"),
    "chain_1d_f64": (make_field, "walk", (5000,), "f64"),
    "square_2d_f32": (make_field, "smooth", (50, 70), "f32"),
    "square_2d_f64": (make_field, "smooth", (50, 70), "f64"),
    "first_fastest_f32": (make_field, "smooth", (37, 19, 3, 2), "f32"),
    "axis_first_fastest_f64": (make_field, "smooth", (37, 19, 13), "f64"),
    "axis_three_first_fastest_f32": (make_field, "smooth", (5, 9, 3, 11, 7), "f32"),
    "axis_three_f64": (make_field, "smooth", (7, 11, 13, 17), "f64"),
    "narrow_chain_f32": (make_field, "smooth", (5000,), "f32"),
    "narrow_chain_f64": (make_field, "smooth", (5000,), "f64"),
    "nan_islands_f32": (make_field, "nan_islands", (3, 40, 45), "f32"),
    "nan_islands_f64": (make_field, "nan_islands", (3, 40, 45), "f64"),
    "raw_tiles_f32": (make_field, "bits", (1500,), "f32"),
    "raw_tiles_f64": (make_field, "bits", (1500,), "f64"),
    "constant_f32": (make_field, "constant", (9000,), "f32"),
    "zeros_f64": (make_field, "zeros", (100, 100), "f64"),
    "empty_f64": (make_field, "zeros", (4, 0), "f64"),
    "deep_square_f32": (make_field, "smooth", (50, 70), "f32"),
    "fz_chain_f32": (make_field, "walk", (5000,), "f32"),
    "huffman_square_f64": (make_field, "smooth", (50, 70), "f64"),
    "interpolate_nan_islands_f32": (make_field, "nan_islands", (3, 40, 45), "f32"),
    "interpolate_tiny_bound_f64": (make_field, "spikes", (9, 17, 33), "f64"),
    "interpolate_relative_chain_f32": (make_field, "nan_islands", (5000,), "f32"),
    "packed_chain_f32": (make_field, "smooth", (5000,), "f32"),
    "rans_spikes_f32": (make_field, "spikes", (3000,), "f32"),
    "rans_brick_f64": (make_field, "surfaces", (11, 19, 37), "f64"),
    "fill_chain_f32": (make_field, "land", (5000,), "f32"),
    "fill_square_f64": (make_field, "land", (70, 90), "f64"),
    "limits_chain_f32": (make_field, "smooth", (5000,), "f32"),
    "limits_fill_f64": (make_field, "land", (70, 90), "f64"),
    "limits_relative_f32": (make_field, "smooth", (2000,), "f32"),
    "relative_chain_f32": (make_field, "nan_islands", (5000,), "f32"),
    "relative_chain_f64": (make_field, "nan_islands", (5000,), "f64"),
    "relative_square_f32": (make_field, "zeros", (70, 90), "f32"),
    "rans_relative_f64": (make_field, "walk", (70, 90), "f64"),
    "lossless_chain_f32": (make_field, "nan_islands", (5000,), "f32"),
    "rans_bits_f64": (make_field, "bits", (1500,), "f64"),
    "steps_multiples_f32": (make_field, "lattice", (5000,), "f32"),
    "steps_mask_f64": (make_field, "lattice", (70, 90), "f64"),
    "lossless_i8": (make_integers, (9, 10, 30), "i8"),
    "lossless_u64": (make_integers, (37, 19, 3), "u64"),
    "rans_lossless_i16": (make_integers, (9, 10, 30), "i16"),
    "bounded_i8": (make_integers, (9, 10, 30), "i8", 100),
    "bounded_u8": (make_integers, (5000,), "u8", 100),
    "bounded_i16": (make_integers, (70, 90), "i16", 10000, -999),
    "bounded_u16": (make_integers, (17, 20, 30), "u16", 10000, 65535),
    "bounded_i32": (make_integers, (70, 90), "i32", 10000),
    "bounded_i64": (make_integers, (5000,), "i64", 10000),
    "bounded_u64": (make_integers, (50, 40), "u64", 10000),
    "f16_lossless": (make_halves, "f16"),
    "bf16_r2r": (make_halves, "bf16"),
    "bf16_pwr": (make_halves, "bf16"),
}
