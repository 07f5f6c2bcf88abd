#!/usr/bin/env python3
"""Fields that the program interpolates, decoded as section 10 of docs/format.md says.

usage: interpolated_fields.py KOMPAKT

Made fields of odd extents are compressed and decompressed by the program; reference_decoder.py must come to the same
bytes. Between them the streams must have all forms of records on level 0 and above, or nothing is shown.
"""

import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import reference_decoder
import reference_levels

FILL = 1e20
CODINGS = (["-c", "bitshuffle"], ["-c", "huffman", "--no-checksum"], ["-c", "huffman", "--codebook", "custom"], ["-c", "rans"])
# extents slowest first, what is in the field, type, bound, its mode
FIELDS = [
    ((1,), "waves", "f32", "1e-3", "abs"),
    ((5,), "nan", "f64", "1e-3", "abs"),
    ((2051,), "waves", "f64", "1e-4", "abs"),
    ((32801,), "spikes", "f32", "1e-2", "abs"),
    ((1, 5, 1), "fill", "f32", "1e-2", "abs"),
    ((3, 2), "waves", "f32", "1e-3", "abs"),
    ((33, 65), "fill", "f64", "1e-3", "abs"),
    ((67, 141), "nan", "f32", "1e-3", "abs"),
    ((4, 31, 7), "waves", "f32", "1e-4", "abs"),
    ((5, 4, 3), "noise", "f64", "1e-6", "abs"),
    ((5, 9, 17), "constant", "f32", "1e-3", "abs"),
    ((18, 35, 67), "spikes", "f32", "1e-3", "abs"),
    ((9, 17, 33), "noise", "f32", "1e-9", "abs"),
    ((17, 19, 21), "noise", "f64", "1e-10", "abs"),
    ((3, 5, 8, 21), "waves", "f64", "1e-3", "abs"),
    ((2, 3, 4, 5, 33), "fill", "f32", "1e-2", "abs"),
    ((1,), "waves", "f64", "1e-3", "pwr"),
    ((2051,), "nan", "f32", "1e-2", "pwr"),
    ((33, 65), "zeros", "f64", "1e-3", "pwr"),
    ((67, 41), "fill", "f32", "1e-1", "pwr"),
    ((5, 9, 17), "constant", "f64", "1e-7", "pwr"),
    ((9, 17, 33), "spikes", "f64", "1e-6", "pwr"),
    ((9, 17, 33), "noise", "f32", "1e-6", "pwr"),
    ((3, 5, 8, 21), "zeros", "f32", "1e-4", "pwr"),
]


def make_values(extents, kind, seed):
    """Waves along all indices, with what `kind` says in them."""
    numbers = random.Random(seed)
    values = []
    for number in range(math.prod(extents)):
        value, rest = 0.0, number
        for axis, extent in enumerate(reversed(extents)):
            value += math.sin((0.09 + 0.04 * axis) * (rest % extent) + seed + axis)
            rest //= extent
        values.append(value)
    size = len(values)
    if kind == "constant":
        return [math.pi] * size
    if kind == "noise":
        return [value + numbers.uniform(-1, 1) for value in values]
    if kind == "nan":
        return [numbers.choice((math.nan, -math.inf)) if numbers.random() < 0.02 else v for v in values]
    if kind == "fill":
        return [FILL if size // 4 <= i < size // 2 or i % 97 == 0 else v for i, v in enumerate(values)]
    if kind == "zeros":
        return [numbers.choice((0.0, -0.0)) if size // 2 < i < size // 2 + 300 or i % 53 == 0 else v
                for i, v in enumerate(values)]
    if kind == "spikes":
        return [value * (1e7 if numbers.random() < 0.01 else 1) for value in values]
    return values


def forms_of(data):
    """Which forms of records a stream has, each with whether it is of level 0."""
    stream, forms, chunk = reference_decoder.Stream(data), set(), 0
    n, kind = stream.folded(), stream.shape_of_tiles
    for level in range(reference_levels.LEVELS[kind], -1, -1):
        extents = reference_levels.extents_of(n, level)
        for tiles in reference_levels.chunks_of(kind, n, level):
            records = reference_decoder.records_of(stream, chunk, reference_levels.record_lengths)
            for begin, words in zip(tiles, records):
                inside = reference_decoder.points_inside(reference_levels.TILES[kind], begin, extents)
                raw = len(inside) * stream.value_words
                form = "empty" if not words else "raw" if len(words) == raw else "coded"
                forms.add((form, level == 0))
                if form == "coded" and words[0] & 4:
                    forms.add(("tail", level == 0))
            chunk += 1
    return forms


def check(program, folder, field, coding):
    """Forms of the records of a field's stream, if both decode it to the same."""
    extents, kind, dtype, bound, mode = field
    values = make_values(extents, kind, len(extents))
    raw, stream, output = (Path(folder) / name for name in ("raw", "stream", "output"))
    raw.write_bytes(struct.pack(f"<{len(values)}{dict(f32='f', f64='d')[dtype]}", *values))
    fill = ["--fill", str(FILL)] if kind == "fill" else []
    subprocess.run([program, "compress", "-i", raw, "-t", dtype, "--shape", ",".join(map(str, extents)),
                    "-m", mode, "-e", bound, *coding, "--predictor", "interpolate", *fill,
                    "-o", stream, "--force", "--quiet"], check=True)
    subprocess.run([program, "decompress", "-i", stream, "-o", output, "--force", "--quiet"], check=True)
    data = stream.read_bytes()
    if reference_decoder.decode(reference_decoder.Stream(data)) != output.read_bytes():
        sys.exit(f"{extents} {kind} {dtype} {mode} {coding[1:]}: the program decodes other values than "
                 "docs/format.md says")
    return forms_of(data)


def main(program):
    forms = set()
    with tempfile.TemporaryDirectory() as folder:
        for number, field in enumerate(FIELDS):
            codings = CODINGS if math.prod(field[0]) < 3000 else [CODINGS[number % len(CODINGS)]]
            for coding in codings:
                forms |= check(program, folder, field, coding)
    wanted = {(form, finest) for form in ("empty", "raw", "coded", "tail") for finest in (True, False)}
    if forms != wanted - {("tail", False)}:
        sys.exit(f"these fields have records of the forms {sorted(forms)}")
    print(f"{len(FIELDS)} interpolated fields decoded as docs/format.md says")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
