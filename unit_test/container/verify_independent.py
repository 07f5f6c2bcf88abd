#!/usr/bin/env python3
"""Holds scripts/verify-independent against streams that keep their promise, and fields that are a unit in the last place off.

usage: verify_independent.py KOMPAKT

The fields of golden streams are made here, without the library. Each of their bounds is reached at one value from both sides: the last
number within it must be accepted, and the next one found. KOMPAKT, the program, makes what golden streams do not have: complex
numbers, several frames with a PSNR, and an absolute bound of f16, whose golden stream takes long to decode.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import math
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import golden_fields
import reference_decoder

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/verify-independent"
# A stream for each mode, kind of numbers and coding of numbers; the value that is changed lies behind this share of the field.
REACHED = {"square_2d_f32": 0.4, "square_2d_f64": 0.2, "chain_1d_f32": 0.5, "chain_1d_f64": 0.1, "fill_square_f64": 0.9, "relative_chain_f32": 0.3,
           "relative_chain_f64": 0.7, "rans_spikes_f32": 0.6, "bounded_i8": 0.5, "bounded_u8": 0.2, "bounded_i16": 0.8, "bounded_u16": 0.3,
           "bounded_i32": 0.4, "bounded_i64": 0.6, "bf16_r2r": 0.3, "bf16_pwr": 0.6, "narrow_chain_f32": 0.5,
           "narrow_chain_f64": 0.3}
UNCHANGED = ("lossless_chain_f32", "rans_bits_f64", "steps_mask_f64", "lossless_u64", "f16_lossless")
STREAM, FIELD = "stream.kpk", "field.raw"


def load(path):
    loader = importlib.machinery.SourceFileLoader("verify_independent_script", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


SCRIPTED = load(SCRIPT)
DECODE, DECODED = reference_decoder.decode, {}


def decode(stream):
    """Decodes a stream once, however many fields it is compared with."""
    key = (bytes(stream.payload), *stream.origin, *map(str, stream.common()))
    if key not in DECODED:
        DECODED[key] = DECODE(stream)
    return DECODED[key]


def outcome(*words):
    """Exit code and line of the script."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = SCRIPTED.main(list(map(str, words)))
    line = err.getvalue() if status else out.getvalue()
    if line.count("\n") != 1 or (out if status else err).getvalue():
        sys.exit(f"{words}: not one line but {out.getvalue()!r} and {err.getvalue()!r}")
    return status, line


def expect(status, mention, *words):
    found, line = outcome(*words)
    if found != status or mention not in line:
        sys.exit(f"{words}: exit code {found}, where {status} is right, with '{mention}' in: {line}")


def golden(name):
    return ROOT / f"unit_test/golden/{name}.kpk"


class Numbers:
    """Values of a type in their order: each has a key, one more than the key of the value below it."""

    def __init__(self, frame):
        self.size, self.dtype, self.is_float = frame.value_bytes, frame.dtype, frame.dtype in (0, 1, 10, 11)
        self.half = 1 << (8 * self.size - 1)

    def key(self, bits):
        if self.is_float:
            return self.half - 1 - bits if bits >= self.half else bits
        return bits - 2 * self.half if bits >= self.half and self.dtype % 2 == 0 else bits

    def bits(self, key):
        return self.half - 1 - key if self.is_float and key < 0 else key % (2 * self.half)

    def number(self, bits):
        """None if it is not finite."""
        if not self.is_float:
            return Fraction(self.key(bits))
        bits, letters = (bits << 16, "If") if self.dtype == 11 else (bits, {0: "If", 1: "Qd", 10: "He"}[self.dtype])
        number, = struct.unpack("<" + letters[1], struct.pack("<" + letters[0], bits))
        return Fraction(number) if math.isfinite(number) else None


def limit_of(frame, x):
    """The error that a value may have."""
    stored, is_integer = Fraction(frame.kept_bound), 2 <= frame.dtype < 10
    if frame.mode == 2:
        limit = stored * (2 if frame.dtype > 1 else 1) * abs(x)
        return math.floor(limit) if is_integer else limit
    return math.floor(stored) if is_integer else stored


def last_within(frame, bits):
    """Bits of the number furthest above a reconstruction that may have become it, and of the next one."""
    numbers, y = Numbers(frame), Numbers(frame).number(bits)

    def is_within(key):
        x = numbers.number(numbers.bits(key))
        return x is not None and abs(x - y) <= limit_of(frame, x)
    inside, step = numbers.key(bits), 1
    while is_within(inside + step):
        inside, step = inside + step, 2 * step
    while step > 1:
        step //= 2
        inside += step * is_within(inside + step)
    return numbers.bits(inside), numbers.bits(inside + 1)


class Case:
    """A stream and its field in a folder, and fields that differ in a value."""

    def __init__(self, folder, stream, field):
        self.stream, self.path = stream, Path(folder) / FIELD
        self.data, self.field = stream.read_bytes(), field
        self.frame = next(reference_decoder.frames_of(self.data))
        self.size = self.frame.value_bytes

    def values(self, data):
        return struct.unpack(f"<{len(data) // self.size}{' BH I   Q'[self.size]}", data)

    def expect(self, status, mention, changes=(), words=()):
        """The outcome with some values, by their places, instead of the values of the field."""
        field = bytearray(self.field)
        for place, bits in dict(changes).items():
            field[place * self.size:(place + 1) * self.size] = bits.to_bytes(self.size, "little")
        self.path.write_bytes(field)
        expect(status, mention, self.stream, self.path, *words)


def place_behind(case, share, is_wanted):
    values, restored = case.values(case.field), case.values(reference_decoder.decode_sequence(case.data))
    first = int(share * len(values))
    return next((i, restored[i]) for i in range(first, len(values)) if is_wanted(values[i], restored[i]))


def check_golden(folder):
    for name in golden_fields.FIELDS:
        case = Case(folder, golden(name), golden_fields.field_of(name))
        case.expect(0, f"{len(case.field) // case.size} values keep")


def check_reached_bounds(folder):
    for name, share in REACHED.items():
        check_reached_bound(Case(folder, golden(name), golden_fields.field_of(name)), share)


def check_reached_bound(case, share):
    """The last value within a bound, and the first one outside."""
    numbers = Numbers(case.frame)
    inner = sorted(filter(None, map(numbers.number, case.values(case.field))))
    inner = inner[len(inner) // 8:-len(inner) // 8]  # so that neither end of the range is changed
    is_exact = case.frame.kept_bound < 1 and 2 <= case.frame.dtype < 10 and case.frame.mode != 2
    place, bits = place_behind(case, share, lambda before, after: (before != after or is_exact) and (
        inner[0] <= (numbers.number(before) or 0) <= inner[-1]))
    within, outside = last_within(case.frame, bits)
    case.expect(0, "values keep", {place: within})
    case.expect(20, f": value {place} at (", {place: outside})


def check_without_loss(folder):
    for name in UNCHANGED:
        case = Case(folder, golden(name), golden_fields.field_of(name))
        place = len(case.field) // case.size // 2
        case.expect(20, f": value {place} at (", {place: case.values(case.field)[place] ^ 1})
    case = Case(folder, golden("steps_mask_f64"), golden_fields.field_of("steps_mask_f64"))
    zero, _ = place_behind(case, 0.3, lambda before, _: before == 0)
    case.expect(20, f": value {zero} at (", {zero: 1 << 63})


def check_special_values(folder):
    """NaN, infinities, zeros, fill values, and values beside them."""
    case = Case(folder, golden("nan_islands_f32"), golden_fields.field_of("nan_islands_f32"))
    nan, _ = place_behind(case, 0.2, lambda before, _: before & 0x7FFFFFFF > 0x7F800000)
    infinity, _ = place_behind(case, 0.2, lambda before, _: before == 0x7F800000)
    number, after = place_behind(case, 0.2, lambda before, after: before != after)
    case.expect(20, "NaN and infinities", {nan: case.values(case.field)[nan] ^ 1})
    case.expect(20, "NaN and infinities", {infinity: 0xFF800000})
    case.expect(20, "NaN and infinities", {number: 0x7FC00000})
    case.expect(20, "which is not finite", {nan: after})
    declared = struct.unpack_from("<f", case.field, 4 * number)[0]
    case.expect(20, "fill values may not change", words=("--fill", declared))
    case.expect(0, "values keep", words=("--fill", "-1e20", "--fill", declared + 1))
    case = Case(folder, golden("relative_square_f32"), golden_fields.field_of("relative_square_f32"))
    zero, _ = place_behind(case, 0.5, lambda before, _: before == 0)
    case.expect(20, "zeros keep their sign", {zero: 1 << 31})
    case = Case(folder, golden("zeros_f64"), golden_fields.field_of("zeros_f64"))
    case.expect(0, "values keep", {0: 1 << 63})
    case.expect(20, ": value 7 at (0, 7): 1 became 0, further away than the bound 0.0001; 2 values break it", {7: 0x3FF << 52, 9999: 0x3FF << 52})
    case = Case(folder, golden("bounded_i16"), golden_fields.field_of("bounded_i16"))  # -999 at every eleventh place, a bound of 3
    case.expect(20, ": value 22 at (0, 22): -998 became -999, which is a fill value", {22: -998 % (1 << 16)})
    # What the decoder moves between the limits stays outside of them without that.
    case = Case(folder, golden("limits_chain_f32"), golden_fields.field_of("limits_chain_f32"))
    moved, reference_decoder.moved = reference_decoder.moved, lambda _, bits: bits
    DECODED.clear()
    case.expect(20, "which is not between the limits")
    reference_decoder.moved = moved
    DECODED.clear()


def check_range(folder):
    """A stored bound that is above the user's one, for a field whose highest values are a little lower."""
    for name in ("chain_1d_f32", "bf16_r2r", "bounded_u8"):
        case = Case(folder, golden(name), golden_fields.field_of(name))
        numbers, values = Numbers(case.frame), case.values(case.field)
        lowest, highest = (end(values, key=numbers.key) for end in (min, max))
        range_then = numbers.number(highest) - numbers.number(lowest)
        # Integers have whole bounds, so the range must fall below the one that makes the next whole bound.
        enough = 5 / Fraction(0.02) if name == "bounded_u8" else range_then
        lowered = next(numbers.bits(key) for key in range(numbers.key(highest), 0, -1)
                       if numbers.number(numbers.bits(key)) - numbers.number(lowest) < enough)
        changes = {place: lowered for place, bits in enumerate(values) if numbers.key(bits) > numbers.key(lowered)}
        case.expect(20, "the stored bound", changes)
        if name == "chain_1d_f32":
            case.expect(0, "values keep r2r", changes, ("--range", float(range_then)))


def check_decibels():
    """The decision of a PSNR, where rounding would err."""
    reaches = SCRIPTED.reaches
    assert reaches(20.0, Fraction(10), Fraction(7), 7) and not reaches(math.nextafter(20.0, 21), Fraction(10), Fraction(7), 7)
    assert not reaches(20.0, Fraction(10), Fraction(7) + Fraction(1, 10**400), 7)
    assert reaches(math.nextafter(20.0, 19), Fraction(10), Fraction(7), 7) and not reaches(1e300, Fraction(10), Fraction(7), 7)
    assert reaches(60.0, Fraction(0), Fraction(0), 7) and not reaches(60.0, Fraction(0), Fraction(1, 10**400), 7)


def npy(descr, order, shape, values):
    header = repr({"descr": descr, "fortran_order": order, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + values


def with_header(data, at, kind, number):
    """A stream with another number in its header, and a sound checksum."""
    data = bytearray(data)
    struct.pack_into("<" + kind, data, at, number)
    struct.pack_into("<I", data, 20, 0)
    struct.pack_into("<I", data, 20, reference_decoder.checksum(reference_decoder.words_of(data[:64 + 24 * data[15]]), 0))
    return bytes(data)


def check_headers(folder):
    """Streams whose header promises too much."""
    data, field = golden("square_2d_f64").read_bytes(), golden_fields.field_of("square_2d_f64")
    stream = Path(folder) / STREAM
    for at, kind, number, status, mention in (
            (40, "d", math.nextafter(1e-4, 0), 20, "the stored bound 0.0001 is above"), (40, "d", 1e-4, 0, "values keep"),
            (40, "d", math.nan, 12, "damaged"), (32, "d", math.inf, 12, "damaged"), (12, "B", 7, 12, "damaged"),
            (8, "H", 2, 11, "version 2"), (16, "I", 1 << 20, 11, "features"), (10, "B", 9, 12, "damaged"), (24, "Q", 0, 12, "damaged")):
        stream.write_bytes(with_header(data, at, kind, number))
        Case(folder, stream, field).expect(status, mention) if status in (0, 20) else expect(status, mention, stream, stream)


def check_bad_input(folder):
    folder, name = Path(folder), "square_2d_f64"
    data, field = golden(name).read_bytes(), golden_fields.field_of(name)
    raw, stream, other = folder / "raw", folder / STREAM, folder / "other"
    raw.write_bytes(field)
    stream.write_bytes(data)

    def with_other(bytes_of_other, status, mention, *words):
        other.write_bytes(bytes_of_other)
        expect(status, mention, *words)
    expect(21, "nowhere", folder / "nowhere", raw)
    expect(21, r"no\nwhere\udcff", "no\nwhere\udcff", raw)
    expect(21, "nowhere", stream, folder / "nowhere")
    expect(21, str(folder), stream, folder)
    expect(1, "--help", stream)
    expect(1, "--help", stream, raw, "--fil", "3")
    expect(1, "--range", stream, raw, "--range", "-3")
    expect(10, "--name", stream, raw, "--name", "a")
    with_other(field[:-8], 1, f"{len(field) - 8} bytes", stream, other)
    with_other(b"", 10, "no stream", other, raw)
    with_other(field, 10, "no stream", other, raw)
    with_other(data[:40], 12, "40 bytes", other, raw)
    with_other(data[:-4], 12, "damaged", other, raw)
    damaged = bytearray(data)
    damaged[-9] ^= 4
    with_other(damaged, 12, "checksum", other, raw)
    with_other(npy("<f8", False, (50, 70), field), 0, "values keep", stream, other)
    swapped = struct.pack(">3500d", *struct.unpack("<3500d", field))
    with_other(npy(">f8", False, (50, 70), swapped), 0, "values keep", stream, other)
    with_other(npy("<f4", False, (50, 70), field[::2]), 13, "f32", stream, other)
    with_other(npy("<f8", False, (70, 50), field), 13, "(70, 50)", stream, other)
    with_other(npy("<f8", True, (70, 50), field), 13, "Fortran", stream, other)
    with_other(npy("<f8", False, (50, 70), field[8:]), 1, "bytes", stream, other)
    with_other(npy([("a", "<f8")], False, (50, 70), field), 13, "[('a', '<f8')]", stream, other)
    with_other(npy("<f8", False, (50, 70), field)[:30], 12, "header", stream, other)
    with_other(npy("<f4", True, (37, 19, 3, 2), golden_fields.field_of("first_fastest_f32")), 0, "values keep", golden("first_fastest_f32"), other)
    fields = {letter: ({}, data) for letter in "ab"}
    archive = reference_decoder.make_chain(fields)
    with_other(archive, 0, "values keep", other, raw, "--name", "b")
    with_other(archive, 1, "one of a, b", other, raw)
    with_other(archive, 1, "--name c", other, raw, "--name", "c")
    with_other(archive[:-1], 12, "damaged", other, raw)


def check_process(folder):
    """Exit codes and lines of the script as a process."""
    name, raw = "chain_1d_f32", Path(folder) / FIELD
    field = golden_fields.field_of(name)
    raw.write_bytes(field)

    def run(status, mention, *words, python=(sys.executable,)):
        found = subprocess.run([*python, SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if found.returncode != status or mention not in found.stdout or "Traceback" in found.stdout:
            sys.exit(f"{words}: exit code {found.returncode}, where {status} is right: {found.stdout}")
    run(0, "5000 values keep r2r 0.001", golden(name), raw)
    run(1, "20000 bytes", golden("chain_1d_f64"), raw)
    run(0, "usage: scripts/verify-independent", "--help")
    run(1, "option -O", golden(name), raw, python=(sys.executable, "-O"))
    raw.write_bytes(bytes(4) + field[4:])
    run(20, ": value 0 at (0): 0", golden(name), raw)


def compressed(program, folder, field, *words):
    raw, stream = Path(folder) / FIELD, Path(folder) / STREAM
    raw.write_bytes(field)
    subprocess.run([program, "compress", "-i", raw, "-o", stream, "--force", "--quiet", *words], check=True)
    case = Case(folder, stream, field)
    output = Path(folder) / "output"
    subprocess.run([program, "decompress", "-i", stream, "-o", output, "--force", "--quiet"], check=True)
    if output.read_bytes() != reference_decoder.decode_sequence(case.data):
        sys.exit(f"{words}: the program decodes other values than docs/format.md says")
    return case


def check_program(program, folder):
    """Complex numbers, a PSNR of decimals, and frames."""
    parts = struct.unpack("<4000d", golden_fields.make_field("nan_islands", (40, 100), "f64"))
    complex_fields = {"c64": struct.pack("<4000f", *parts), "c128": struct.pack("<4000d", *parts)}
    for dtype, words in (("c64", "-m abs -e 1e-3"), ("c128", "-m r2r -e 1e-3 -c huffman --variant custom"), ("c128", "-m pwr -e 0.01"),
                         ("c64", "-m lossless"), ("c64", "-m abs -e 1e-3 --limits 0.1:0.5 --fill 0.25")):
        case = compressed(program, folder, complex_fields[dtype], "-t", dtype, "--shape", "40,50", *words.split())
        case.expect(0, "4000 parts of complex numbers keep")
        place, bits = place_behind(case, 0.5, lambda before, after: before == after if "lossless" in words else before != after)
        bits = bits ^ 1 if "lossless" in words else last_within(case.frame, bits)[1]
        case.expect(20, f": value {place} at ({place // 100}, {place // 2 % 50}) ({'imaginary' if place % 2 else 'real'} part)", {place: bits})
    for dtype, shape, words in (("c64", "4,5,10,10", "-m abs -e 1e-3 --axis 3:0:1 -c fixedlength"),
                                ("c128", "2,4,5,5,10", "-m r2r -e 1e-3 --axis 1:4:0 -c huffman")):
        case = compressed(program, folder, complex_fields[dtype], "-t", dtype, "--shape", shape, *words.split())
        assert any(case.frame.first)
        case.expect(0, "4000 parts of complex numbers keep")
    check_reached_bound(compressed(program, folder, golden_fields.make_halves("f16"), "-t", "f16", "-l", "30x40x7", "-m", "abs", "-e", "0.01",
                                   "-c", "fixedlength"), 0.5)
    # The stored bound is at most the user's by the square root of two, and not a unit in the last place more.
    case = compressed(program, folder, complex_fields["c128"], "-t", "c128", "--shape", "40,50", "-m", "abs", "-e", "1e-3")
    bound = case.frame.kept_bound
    while 2 * Fraction(bound) ** 2 <= Fraction(1e-3) ** 2:
        bound = math.nextafter(bound, 1)
    case.stream.write_bytes(with_header(case.data, 32, "d", bound))
    case.expect(20, "√2 times the stored bound")

    walk = golden_fields.make_field("walk", (61, 66, 67), "f32")
    case = compressed(program, folder, walk, "-t", "c64", "-l", "67x33x61", "-m", "psnr", "-e", "60.3", "--memory", "33M", "-c", "fixedlength")
    frames = list(reference_decoder.frames_of(case.data))
    assert len(frames) > 1
    case.expect(0, "and a PSNR of 60.")
    # In the last frame each value as far away as the bound allows.
    begin, restored = frames[-1].values_before(), case.values(reference_decoder.decode(frames[-1]))
    numbers = Numbers(frames[-1])
    changes = {}
    for place, bits in enumerate(restored, begin):
        x = struct.unpack("<f", struct.pack("<f", float(numbers.number(bits)) - 0.99 * frames[-1].kept_bound))[0]
        changes[place] = struct.unpack("<I", struct.pack("<f", x))[0]
    case.expect(20, f"the PSNR of the values {begin} to {begin + len(restored) - 1} is 5", changes)


def main(program):
    reference_decoder.decode = decode
    check_decibels()
    with tempfile.TemporaryDirectory() as folder:
        check_golden(folder)
        check_reached_bounds(folder)
        check_without_loss(folder)
        check_special_values(folder)
        check_range(folder)
        check_headers(folder)
        check_bad_input(folder)
        check_process(folder)
        check_program(program, folder)
    print(f"{len(golden_fields.FIELDS)} golden streams keep their promise, and each bound is decided to a unit in the last place")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
