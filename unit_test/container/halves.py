#!/usr/bin/env python3
"""Numbers of 16 bits, decoded as docs/format.md says.

usage: halves.py KOMPAKT

Made fields of f16 and bf16 are compressed in each mode and coding, with and without fill value and limits, and decompressed by the
program. reference_decoder.py must come to the same bytes, and each value must be within the bound, told by exact fractions.
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

TYPES = ("f16", "bf16")
BOUNDS = [("abs", ("1e-3", "0.02", "0.3", "1e-8")), ("r2r", ("1e-3", "0.02", "1e-5")), ("pwr", ("1e-3", "0.06", "0.7")),
          ("psnr", ("30", "50")), ("lossless", (None,))]
CODINGS = [
    ["-c", "fixedlength"],
    ["-c", "bitshuffle", "--pack"],
    ["-c", "huffman"],
    ["-c", "rans"],
    ["-c", "huffman", "--predictor", "interpolate", "--no-checksum"],
    ["-c", "rans", "--predictor", "interpolate", "--pack"],
]
LOSSLESS = [["-c", "fixedlength"], ["-c", "rans"], ["-c", "rans", "--pack"]]
SHAPES = [(701,), (33, 21), (9, 8, 9), (1, 700)]


def number_of(dtype, bits):
    """The number of these bits, which f32 has."""
    if dtype == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def nearest(dtype, number):
    return reference_decoder.rounded_half(dtype, struct.unpack("<I", struct.pack("<f", number))[0])


def make_values(dtype, size, kind, numbers):
    """Waves; numbers near powers of two; all bits; or one number everywhere."""
    if kind == 0:
        return [nearest(dtype, math.sin(0.02 * i) + numbers.gauss(0, 0.01)) for i in range(size)]
    if kind == 1:
        return [nearest(dtype, numbers.choice((-1, 1)) * 2.0 ** numbers.randrange(-6, 3)) + numbers.randrange(-3, 4) for _ in range(size)]
    if kind == 2:
        return [numbers.randrange(1 << 16) for _ in range(size)]
    return [nearest(dtype, numbers.uniform(1, 9))] * size


def allowed_error(mode, bound, values, x):
    """The error that a value may have; of a PSNR the one that no value spoils it with."""
    if mode == "pwr":
        return fractions.Fraction(bound) * abs(fractions.Fraction(x))
    finite = [fractions.Fraction(value) for value in values if math.isfinite(value)]
    wide = max(finite) - min(finite) if finite else 0
    return fractions.Fraction(bound) * (wide if mode == "r2r" else 1) if mode != "psnr" else float(wide) / 10 ** (bound / 20) * (1 + 1e-12)


def is_kept(dtype, mode, bound, counted, before, after):
    x, y = number_of(dtype, before), number_of(dtype, after)
    if mode == "lossless" or not math.isfinite(x):
        return before == after
    return math.isfinite(y) and abs(fractions.Fraction(x) - fractions.Fraction(y)) <= allowed_error(mode, bound, counted, x)


def check(program, folder, number, dtype, mode, bound, coding):
    """Exits if a field of this number does not come back as the page says."""
    numbers, shape = random.Random(number), SHAPES[number % len(SHAPES)]
    values = make_values(dtype, math.prod(shape), 3 if number % 7 == 6 else number % 3, numbers)
    fill, words = None, ["--fill", "none"]
    is_bounded = mode != "lossless"
    if is_bounded and number % 4 > 1:
        fill = numbers.choice((nearest(dtype, -999), values[5] & 0x7BFF, 0x3C00))
        values[50:90] = [fill] * 40
        words = ["--fill", repr(number_of(dtype, fill))]
    counted = [number_of(dtype, bits) for bits in values if bits != fill]
    upper = math.inf
    if is_bounded and number % 2:
        upper = sorted(x for x in (*counted, 1) if math.isfinite(x))[-20:][0]
        words += [f"--limits=:{upper!r}"]
        if fill is not None and number_of(dtype, fill) > upper:
            return False
    raw, stream, output = (Path(folder) / name for name in ("raw", "stream", "output"))
    raw.write_bytes(struct.pack(f"<{len(values)}H", *values))
    words = ["-m", mode, *(["-e", bound] if bound else []), *coding, *words]
    subprocess.run([program, "compress", "-i", raw, "-t", dtype, "--shape", ",".join(map(str, shape)), *words, "-o", stream, "--force",
                    "--quiet"], check=True)
    subprocess.run([program, "decompress", "-i", stream, "-o", output, "--force", "--quiet"], check=True)
    name = f"{dtype} {' '.join(words)}, field {number}"
    found = reference_decoder.Stream(stream.read_bytes())
    if reference_decoder.decode(found) != output.read_bytes():
        sys.exit(f"{name}: the program decodes other values than docs/format.md says")
    told = json.loads(subprocess.run([program, "info", "--json", stream], check=True, stdout=subprocess.PIPE).stdout)["bound_abs"]
    if mode == "abs" and told != float(bound) or mode in ("r2r", "psnr") and told != found.kept_bound:
        sys.exit(f"{name}: info tells the bound {told}")
    for x, y in zip(values, struct.unpack(f"<{len(values)}H", output.read_bytes()), strict=True):
        if (x == fill) != (y == fill) or not is_kept(dtype, mode, float(bound or 0), counted, x, y):
            sys.exit(f"{name}: {number_of(dtype, x)} came back as {number_of(dtype, y)}")
        if x != fill and number_of(dtype, x) <= upper < number_of(dtype, y):
            sys.exit(f"{name}: {number_of(dtype, x)} came back as {number_of(dtype, y)}, beyond the limit {upper}")
    return True


def main(program):
    count = done = 0
    with tempfile.TemporaryDirectory() as folder:
        for dtype, (mode, bounds) in itertools.product(TYPES, BOUNDS):
            for coding in LOSSLESS if mode == "lossless" else CODINGS:
                done += check(program, folder, count, dtype, mode, bounds[count % len(bounds)], coding)
                count += 1
    print(f"{done} fields of 16 bits came back as docs/format.md says")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
