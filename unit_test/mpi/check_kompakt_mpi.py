#!/usr/bin/env python3
"""Holds kompakt-mpi against kompakt: same bytes for any number of ranks, read by kompakt, refusals that leave nothing.

usage: check_kompakt_mpi.py KOMPAKT KOMPAKT_MPI MPIEXEC... (the command line in front of the number of ranks)
"""

import array
import math
import subprocess
import sys
import tempfile
from pathlib import Path

kompakt, kompakt_mpi, *mpiexec = sys.argv[1:]
SHAPE = (40, 48, 64)
FIELD = ["-t", "f32", "--shape", ",".join(map(str, SHAPE))]


def run(ranks, *arguments):
    return subprocess.run([*mpiexec, str(ranks), kompakt_mpi, *map(str, arguments)],
                          capture_output=True, text=True, timeout=100)


def succeed(done):
    if done.returncode != 0:
        sys.exit(f"{done.args}: exit code {done.returncode}: {done.stderr}")
    return done


def expect_refusal(done, code, words):
    lines = [line for line in done.stderr.splitlines() if line.startswith("kompakt-mpi: ")]
    if done.returncode != code or len(lines) != 1 or words not in lines[0]:
        sys.exit(f"expected {code} and '{words}': {done.returncode}, {done.stderr}")


def make_field(path):
    planes, rows, columns = SHAPE
    values = array.array("f", (math.sin(0.1 * x) + math.cos(0.07 * y) + 0.02 * z
                               for z in range(planes) for y in range(rows) for x in range(columns)))
    path.write_bytes(values.tobytes())
    return values


def check_bytes(folder, raw, values):
    written = []
    for ranks in (1, 3):
        stream = folder / f"stream-{ranks}.kpk"
        succeed(run(ranks, "compress", "-i", raw, *FIELD, "-m", "r2r", "-e", "1e-3", "--slab", "100K", "-o", stream))
        archive = folder / f"archive-{ranks}.kpk"
        for name in ("a", "b"):
            succeed(run(ranks, "compress", "-i", raw, *FIELD, "-m", "abs", "-e", "1e-3", "-c", "huffman", "--slab", "100K",
                        "-o", archive, "--name", name, "--append", "--attribute", "units=K"))
        written.append((stream.read_bytes(), archive.read_bytes()))
    if written[0] != written[1]:
        sys.exit("the bytes depend on the number of ranks")
    for arguments, bound in ((["-i", stream], 1e-3 * (max(values) - min(values))),
                             (["-i", archive, "--name", "b"], 1e-3)):
        serial, many = folder / "serial.raw", folder / "many.raw"
        subprocess.run([kompakt, "decompress", *arguments, "-o", serial, "--force", "--quiet"], check=True)
        succeed(run(3, "decompress", *arguments, "-o", many, "--force", "--slab", "70K"))
        if serial.read_bytes() != many.read_bytes():
            sys.exit("kompakt and kompakt-mpi decompress to other values")
        back = array.array("f", many.read_bytes())
        if max(abs(a - b) for a, b in zip(values, back)) > bound:
            sys.exit("the bound is not kept")
    subprocess.run([kompakt, "verify", stream, "--quiet"], check=True)


def check_land(folder):
    """Land that fills whole slabs is masked, and leaves the range, as kompakt does with the whole field; a lone peak is refused."""
    raw, stream, back = folder / "land.raw", folder / "land.kpk", folder / "land.back"
    planes, rows, columns = SHAPE
    values = make_field(raw)
    values = array.array("f", (280 + value for value in values))
    sea = len(values) // 2
    values[sea:] = array.array("f", [1e20]) * (len(values) - sea)
    raw.write_bytes(values.tobytes())
    for bound, most in ((["-m", "r2r", "-e", "1e-3"], 0.01), (["-m", "pwr", "-e", "1e-3"], 0.3)):
        succeed(run(2, "compress", "-i", raw, *FIELD, *bound, "--slab", "100K", "-o", stream, "--force"))
        subprocess.run([kompakt, "decompress", "-i", stream, "-o", back, "--force", "--quiet"], check=True)
        restored = array.array("f", back.read_bytes())
        if restored[sea:] != values[sea:]:
            sys.exit(f"{bound}: land is not what it was")
        if max(abs(a - b) for a, b in zip(values[:sea], restored[:sea])) > most:
            sys.exit(f"{bound}: land counted in the range")
    values[sea:] = array.array("f", [281]) * (len(values) - sea)
    values[7] = 1e30
    raw.write_bytes(values.tobytes())
    expect_refusal(run(2, "compress", "-i", raw, *FIELD, "-m", "r2r", "-e", "1e-3", "--slab", "100K", "-o", folder / "none.kpk"),
                   1, "the range comes from 1 value")


def check_refusals(folder, raw):
    out = folder / "none.kpk"
    common = ["-i", raw, "-m", "abs", "-e", "1e-3", "-o", out]
    expect_refusal(run(2, "compress", *common, "-t", "f64", "--shape", "40,48,64"), 1, "check -t and the extents")
    expect_refusal(run(2, "compress", *common, *FIELD, "--slab", "5"), 1, "--slab: 5")
    expect_refusal(run(2, "compress", *common, *FIELD, "--memory", "1G"), 1, "--memory 1G")
    expect_refusal(run(2, "compress", "-i", folder / "missing", "-m", "abs", "-e", "1", "-o", out, *FIELD), 21, "missing")
    expect_refusal(run(2, "decompress", "-i", raw, "-o", out), 10, "rank 0")
    left = [path.name for path in folder.iterdir() if "none" in path.name]
    if left:
        sys.exit(f"left behind: {left}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw = folder / "field.raw"
        values = make_field(raw)
        check_bytes(folder, raw, values)
        check_land(folder)
        check_refusals(folder, raw)
    print("kompakt-mpi: same bytes for 1 and 3 ranks, read by kompakt; refusals leave nothing")


main()
