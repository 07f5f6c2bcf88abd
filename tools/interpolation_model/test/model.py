#!/usr/bin/env python3
"""Holds the model of interpolation against streams of the program.

usage: model.py KOMPAKT

The lattices of all levels, as unit_test/container/reference_decoder.py reads them, and the values that the program
decompresses must be the model's bit for bit, and so must the length of streams of bitshuffle; that of huffman must be
near. Exits 1 with a line if they differ, and with 77, which ctest takes for a skipped test, without NumPy.
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

sys.dont_write_bytecode = True
TOOL = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TOOL), str(TOOL.parents[1] / "unit_test" / "container")]
import reference_decoder
from levels import predict
from sizes import stream_bytes

# Extents, slowest first, and how much of a field is noise.
FIELDS = [((5001,), 0), ((5,), 1), ((37, 61), 0), ((41, 133), 0.1), ((4, 31, 7), 0.3), ((5, 9, 17), 1),
          ((10, 19, 67), 0.01), ((3, 5, 8, 21), 0)]
BOUNDS = {"abs": 2e-3, "pwr": 1e-3}


def make_field(extents, noise, dtype):
    """Waves along each index."""
    indices = np.meshgrid(*map(np.arange, extents), indexing="ij")
    waves = sum(np.sin((0.08 + 0.03 * axis) * index + axis) for axis, index in enumerate(indices))
    numbers = np.random.Generator(np.random.PCG64(len(extents))).random(extents)
    return (waves * np.cos(0.05 * indices[-1]) + noise * numbers).astype(dtype)


def compress(program, folder, field, pipeline, mode):
    """A stream, and the values that the program makes of it."""
    raw, stream, output = (pathlib.Path(folder) / name for name in ("raw", "stream", "output"))
    field.tofile(raw)
    subprocess.run([program, "compress", "-i", raw, "-t", f"f{8 * field.itemsize}", "--shape",
                    ",".join(map(str, field.shape)), "-m", mode, "-e", str(BOUNDS[mode]), "-c", pipeline, "--predictor",
                    "interpolate", "--fill", "none", "-o", stream, "--force", "--quiet"], check=True)
    subprocess.run([program, "decompress", "-i", stream, "-o", output, "--force", "--quiet"], check=True)
    return stream.read_bytes(), np.fromfile(output, field.dtype).reshape(field.shape)


def check(program, folder, field, mode):
    kind, levels, expected = predict(field, BOUNDS[mode], mode=mode)
    sizes = stream_bytes(kind, levels, field.itemsize // 4, field.ndim)
    data, restored = compress(program, folder, field, "bitshuffle", mode)
    stream = reference_decoder.Stream(data)
    *above, _ = reference_decoder.decode_levels(stream, stream.folded())
    for read, (_, lattice) in zip(above, levels):
        if (np.array(read.values, np.uint32) != lattice.ravel().view(np.uint32)).any():
            return f"a level of extents {read.n} has another lattice"
    expected = expected.reshape(field.shape)
    if ((restored != expected) & (restored != field)).any():  # a raw record has the field's own values
        return "the program decompresses other values"
    if len(data) != sizes[0]:
        return f"a stream of bitshuffle has {len(data)} bytes, not {sizes[0]}"
    huffman, _ = compress(program, folder, field, "huffman", mode)
    if abs(len(huffman) - sizes[1]) > 0.12 * len(huffman) + 200:
        return f"a stream of huffman has {len(huffman)} bytes, far from {sizes[1]}"
    return None


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        for extents, noise in FIELDS:
            for dtype in ("<f4", "<f8"):
                field = make_field(extents, noise, np.dtype(dtype))
                for mode, values in (("abs", field), ("pwr", np.exp(field))):
                    wrong = check(program, folder, values, mode)
                    if wrong:
                        sys.exit(f"{extents} {dtype} {mode}: {wrong}")
    print(f"{len(FIELDS)} fields of each type are interpolated as the model says")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
