#!/usr/bin/env python3
"""Integers within a bound, decoded as docs/format.md says.

usage: bounded_integers.py KOMPAKT

Made fields of all integer types are compressed in each mode and coding, with and without fill value and limits, and decompressed by the
program. reference_decoder.py must come to the same bytes, each integer within the whole part of the bound, and the bound of the numbers
must be the one that the page names. Numbers that no encoder writes must become the integers that the page says, too.
"""

import fractions
import itertools
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import reference_decoder

TYPES = [f"{sign}{bits}" for bits in (8, 16, 32, 64) for sign in "iu"]
BOUNDS = [("abs", ("0.5", "1", "3.75", "40")), ("r2r", ("1e-3", "0.02", "0.1")), ("pwr", ("1e-3", "0.06", "0.7")), ("psnr", ("30", "50"))]
CODINGS = [
    ["-c", "fixedlength"],
    ["-c", "bitshuffle", "--pack"],
    ["-c", "huffman"],
    ["-c", "rans"],
    ["-c", "bitshuffle", "--variant", "fz", "--predictor", "tile"],
    ["-c", "huffman", "--predictor", "interpolate", "--no-checksum"],
    ["-c", "rans", "--predictor", "interpolate", "--pack"],
]
SHAPES = [(701,), (33, 21), (9, 8, 9), (1, 700)]
EXACT = 1 << 53  # integers below it are doubles


def ends_of(dtype):
    """The lowest and the highest integer of a type that are doubles."""
    bits = int(dtype[1:])
    lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype[0] == "i" else (0, (1 << bits) - 1)
    return max(lowest, 1 - EXACT), min(highest, EXACT - 1)


def make_values(dtype, size, kind, numbers):
    """Waves: between the ends of the type, near both ends, or of all magnitudes; or one number everywhere."""
    lowest, highest = ends_of(dtype)
    middle, reach = (lowest + highest) // 2, min((highest - lowest) // 3, 30000)
    if kind == 0:
        return [middle + int(reach * math.sin(0.02 * i) + numbers.gauss(0, reach / 60)) for i in range(size)]
    if kind == 3:
        return [middle + numbers.randrange(reach)] * size
    if kind == 1:
        return [highest - numbers.randrange(20) if i // 40 % 2 else lowest + numbers.randrange(20) for i in range(size)]
    return [numbers.choice((0, 1, highest >> numbers.randrange(highest.bit_length()), lowest // 3)) for _ in range(size)]


def as_bytes(dtype, values):
    return b"".join(value.to_bytes(int(dtype[1:]) // 8, "little", signed=dtype[0] == "i") for value in values)


def from_bytes(dtype, data):
    size = int(dtype[1:]) // 8
    return [int.from_bytes(data[i:i + size], "little", signed=dtype[0] == "i") for i in range(0, len(data), size)]


def resolved(mode, bound, values, found):
    """The bound of a field, and what is allowed for a value; of a PSNR the stream's, which doubles have rounded."""
    wide = max(values) - min(values)
    if mode == "pwr":
        return bound, lambda x: math.floor(fractions.Fraction(bound) * abs(x))
    if mode == "psnr":
        enough, whole = wide / 10 ** (bound / 20), math.floor(found.bound)
        assert enough * (1 - 1e-12) - 1 <= whole <= enough * (1 + 1e-12)
    else:
        whole = math.floor(fractions.Fraction(bound) * (wide if mode == "r2r" else 1))
    return whole, lambda _: whole


def check(program, folder, number, dtype, mode, bound, coding):
    """Exits if a field of this number does not come back as the page says."""
    numbers, shape = random.Random(number), SHAPES[number % len(SHAPES)]
    values = make_values(dtype, math.prod(shape), 3 if number % 5 == 4 else number % 3, numbers)
    fill, words = None, ["--fill", "none"]
    if number % 4 > 1:
        fill = numbers.choice((*ends_of(dtype), values[5]))
        values[50:90], values[300:300 + numbers.randrange(1, 300)] = [fill] * 40, [fill] * 30
        words = ["--fill", str(fill)]
    values = values[:math.prod(shape)] + [values[0]] * (math.prod(shape) - len(values))
    counted = [x for x in values if x != fill] or [fill]
    lower, upper = min(counted), max(counted)
    if number % 2:
        lower = sorted(counted)[len(counted) // 10]
        words += ["--limits", f"{lower}:{upper}"]
    raw, stream, output = (Path(folder) / name for name in ("raw", "stream", "output"))
    raw.write_bytes(as_bytes(dtype, values))
    words = ["-m", mode, "-e", bound, *coding, *words]
    subprocess.run([program, "compress", "-i", raw, "-t", dtype, "--shape", ",".join(map(str, shape)), *words, "-o", stream, "--force",
                    "--quiet"], check=True)
    subprocess.run([program, "decompress", "-i", stream, "-o", output, "--force", "--quiet"], check=True)
    found = reference_decoder.Stream(stream.read_bytes())
    name = f"{dtype} {' '.join(words)}, field {number}"
    restored = reference_decoder.decode(found)
    if restored != output.read_bytes():
        sys.exit(f"{name}: the program decodes other values than docs/format.md says")
    value, allowed = resolved(mode, float(bound), counted, found)
    of_numbers = value / 2 if mode == "pwr" else math.nextafter(value + 0.5, 0)
    if mode in ("r2r", "psnr") and min(counted) == max(counted):
        of_numbers = 0
    if found.lossless or found.bound != of_numbers:
        sys.exit(f"{name}: the bound of the numbers is {found.bound}, and the integers have {value}")
    told = json.loads(subprocess.run([program, "info", "--json", stream], check=True, stdout=subprocess.PIPE).stdout)["bound_abs"]
    if mode != "pwr" and told != value:
        sys.exit(f"{name}: info tells the bound {told}, and the integers have {value}")
    for x, y in zip(values, from_bytes(dtype, restored), strict=True):
        if (x == fill) != (y == fill) or abs(x - y) > (0 if x == fill else allowed(x)):
            sys.exit(f"{name}: {x} came back as {y}")
        if number % 2 and lower <= x <= upper and not lower <= y <= upper and x != fill:
            sys.exit(f"{name}: {x} came back as {y}, outside of its limits")


def check_rounding(program, folder, dtype):
    """Exits if numbers that no encoder writes do not become the integers that the page says."""
    bits, numbers = int(dtype[1:]), random.Random(int(dtype[1:]))
    number = "f" if bits < 32 else "d"
    lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype[0] == "i" else (0, (1 << bits) - 1)
    written = [0.5, 1.5, 2.5, -0.5, -1.5, -0.0, 5e-324, math.inf, -math.inf, math.nan, 3e38, -3e38]
    written += [end + part for end in (lowest, highest) for part in (-1.5, -1, -0.75, -0.5, 0, 0.5, 0.75, 1, 1.5)]
    written += [sign * 2.0 ** power for sign in (-1, 1) for power in range(70)]
    written += [numbers.uniform(lowest, highest) for _ in range(1024 - len(written))]
    raw, stream, output = (Path(folder) / name for name in ("raw", "stream", "output"))
    # All of the field lies outside of the limits, so that its tile is stored raw; and no checksum covers its chunk.
    raw.write_bytes(as_bytes(dtype, [highest // 2 if bits < 64 else EXACT - 1] * 1024))
    subprocess.run([program, "compress", "-i", raw, "-t", dtype, "--shape", "1024", "-m", "abs", "-e", "0.5", "-c", "fixedlength", "--fill",
                    "none", "--limits=:3", "--no-checksum", "-o", stream, "--force", "--quiet"], check=True)
    data = stream.read_bytes()
    values = struct.pack(f"<1024{number}", *written)
    assert len(reference_decoder.Stream(data).payload) == 8 + len(values)
    stream.write_bytes(data[:len(data) - len(values)] + values)
    subprocess.run([program, "decompress", "-i", stream, "-o", output, "--force", "--quiet"], check=True)
    restored = reference_decoder.decode(reference_decoder.Stream(stream.read_bytes()))
    if restored != output.read_bytes():
        sys.exit(f"{dtype}: the program rounds other numbers than docs/format.md says")
    for x, y in zip(struct.unpack(f"<1024{number}", values), from_bytes(dtype, restored), strict=True):
        x = 3 if 3 < x < 3.5 else x  # moved to the limit
        nearest = lowest if math.isnan(x) or x == -math.inf else highest if x == math.inf else min(max(round(x), lowest), highest)
        if y != nearest:
            sys.exit(f"{dtype}: {x} became {y}")


def main(program):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for dtype in TYPES:
            check_rounding(program, folder, dtype)
        for dtype, (mode, bounds), coding in itertools.product(TYPES, BOUNDS, CODINGS):
            check(program, folder, count, dtype, mode, bounds[count % len(bounds)], coding)
            count += 1
    print(f"{count} fields of integers came back as docs/format.md says")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
