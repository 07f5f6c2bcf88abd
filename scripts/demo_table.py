#!/usr/bin/env python3
"""Compresses fields with the program kompakt, decompresses them and checks every value.

usage: demo_table.py PROGRAMS FIELDS WORK

PROGRAMS holds kompakt, make_field and the benchmarks of the pipelines, FIELDS a manifest.json with raw
fields; WORK is for streams and reconstructions. Every field is compressed by every pipeline within every
bound, and a selection of these combinations is printed, with all in which a value is outside its bound.
The check does not use the library. Exit status 1 if a value is outside its bound.
"""

import json
import math
import pathlib
import subprocess
import sys

import bench_table
import numpy as np
from exact_errors import count_violations
from text_table import print_table

PIPELINES = ("fixedlength", "bitshuffle", "huffman")
BOUNDS = ("1e-2", "1e-3", "1e-4")  # of the range of the valid values
PRINTED_BOUND = "1e-3"  # the one that is printed and timed for each field and pipeline
PRINTED_WHOLE = ("turbulence", "fixedlength")  # printed within all bounds
LARGE_EXTENTS = (256, 256, 256)
SAMPLES = 10  # timed calls behind a throughput


class Failure(Exception):
    """Ends the demo with one line."""


def run(*words):
    """Standard output of a command."""
    words = [str(word) for word in words]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode != 0:
        reason = (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()[-1]
        raise Failure(f"{' '.join(words)} ended with exit code {result.returncode}: {reason}")
    return result.stdout


def psnr_db(x, y, valid, value_range):
    difference = x[valid].astype(np.float64) - y[valid].astype(np.float64)
    rmse = math.sqrt(np.mean(difference * difference))
    return 20 * math.log10(value_range / rmse) if rmse > 0 else math.inf


class Field:
    def __init__(self, name, path, shape, fill):
        self.name, self.path, self.shape = name, path, shape
        self.values = np.fromfile(path, "<f4")
        if self.values.size != math.prod(shape):
            raise Failure(f"{path} has {self.values.size} values, not {'x'.join(map(str, shape))}")
        self.valid = np.isfinite(self.values)
        if fill is not None:
            self.valid &= self.values != np.float32(fill)
        valid_values = self.values[self.valid]
        self.range = float(valid_values.max()) - float(valid_values.min())


def round_trip(kompakt, work, field, pipeline, bound_word):
    """One row of the table and the number of values outside the bound."""
    bound = float(bound_word) * field.range
    stream, restored = work / f"{field.name}.kpk", work / f"{field.name}.out"
    told = json.loads(run(
        kompakt, "compress", "-i", field.path, "-t", "f32",
        "--shape", ",".join(map(str, field.shape)), "-m", "abs", "-e", repr(bound), "-c", pipeline, "-o",
        stream, "--json", "--force"))
    run(kompakt, "decompress", "-i", stream, "-o", restored, "--json", "--force")

    values = np.fromfile(restored, "<f4")
    if values.size != field.values.size:
        raise Failure(f"{restored} has {values.size} values, the original {field.values.size}")
    violations, largest = count_violations(field.values, values, bound)
    ratio = field.path.stat().st_size / stream.stat().st_size
    if told["compressed_bytes"] != stream.stat().st_size or not math.isclose(told["ratio"], ratio):
        raise Failure(f"kompakt reports {told['compressed_bytes']} bytes for {stream}, which has "
                      f"{stream.stat().st_size}")
    psnr = psnr_db(field.values, values, field.valid, field.range)
    row = [field.name, "x".join(map(str, field.shape)), f"{bound_word} = {bound:.4g}",
           told["pipeline"], told["predictor"], f"{ratio:.2f}", f"{largest / bound:.6f}",
           str(told["exceptions"]), f"{psnr:.2f}"]
    return row, violations


def load_fields(folder, programs, work):
    fields = []
    for entry in json.loads((folder / "manifest.json").read_text()):
        fields.append(Field(entry["name"], folder / entry["file"], entry["shape"], entry["fill"]))
    large = work / "turbulence.f32"
    run(programs / "make_field", "--extents", ",".join(map(str, LARGE_EXTENTS)), "-o", large)
    return fields + [Field("turbulence", large, LARGE_EXTENTS, None)]


def check_fields(fields, kompakt, work):
    """Checks all combinations and prints the first table, a selection of them. Returns the numbers of
    combinations, of values checked and of values outside."""
    rows, combinations, checked, outside = [], 0, 0, 0
    for field in fields:
        for pipeline in PIPELINES:
            for bound_word in BOUNDS:
                row, violations = round_trip(kompakt, work, field, pipeline, bound_word)
                if violations:
                    rows.append(row + [f"{violations} OUTSIDE"])
                elif bound_word == PRINTED_BOUND or (field.name, pipeline) == PRINTED_WHOLE:
                    rows.append(row)
                combinations += 1
                checked += field.values.size
                outside += violations
    print_table(["field", "extents", "bound (of range = abs)", "pipeline", "predictor", "ratio",
                 "largest error / bound", "exceptions", "PSNR dB"] + ["values"] * (outside > 0),
                [row + [""] * (outside > 0 and len(row) == 9) for row in rows], text_columns=5)
    print("ratio: raw over compressed size; exceptions: values kept bit for bit, because a shorter form "
          "would break the bound.\nFill values are masked, and count neither for the range nor for the "
          "PSNR.\n", flush=True)
    return combinations, checked, outside


def throughput_row(programs, work, pipeline):
    """Row of a pipeline and the report that it is from."""
    report = work / f"bench_{pipeline}.json"
    run(programs / "bench_pipelines", "--pipeline", pipeline, "--extents",
        ",".join(map(str, LARGE_EXTENTS)), "--bounds", PRINTED_BOUND, "--variant", "auto", "--samples",
        SAMPLES, f"--benchmark_out={report}")
    result = json.loads(report.read_text())
    figures = {bench_table.operation(entry): entry for entry in result["benchmarks"]}
    row = ["turbulence", PRINTED_BOUND, pipeline]
    for operation in ("compress", "decompress"):
        entry = figures[operation]
        row += [f"{entry['gbps']:.2f}", f"{entry['percent_of_copy']:.0f} %"]
    return row + [f"{figures['copy']['gbps']:.2f}"], result


def print_throughput(programs, work):
    """Prints the second table: the large field in memory, beside a copy of it in the same run."""
    rows, benchmarks = [], []
    for pipeline in PIPELINES:
        row, result = throughput_row(programs, work, pipeline)
        rows.append(row)
        benchmarks += result["benchmarks"]
    print_table(["field", "bound", "pipeline", "compress GB/s", "of copy", "decompress GB/s",
                 "of copy", "copy GB/s"], rows, text_columns=3)
    context = result["context"]
    print(f"Throughput: memory to memory, median of {SAMPLES}, {context['host_threads']} threads, "
          f"{context['processor']}, commit {context['kompakt_commit']}.")
    note = bench_table.busy_note(benchmarks)
    if note:
        print(note)


def demo(programs, folder, work):
    work.mkdir(parents=True, exist_ok=True)
    print(flush=True)
    fields = load_fields(folder, programs, work)
    combinations, checked, outside = check_fields(fields, programs / "kompakt", work)
    print_throughput(programs, work)
    verdict = f"{outside} ARE OUTSIDE" if outside else "every value is within its bound"
    print(f"Checked {checked} values in {combinations} combinations of {len(fields)} fields, "
          f"{len(PIPELINES)} pipelines and {len(BOUNDS)} bounds, each one in exact arithmetic: {verdict}.",
          flush=True)
    return 0 if outside == 0 else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    try:
        sys.exit(demo(*map(pathlib.Path, sys.argv[1:])))
    except (Failure, OSError) as error:
        sys.exit(f"demo: error: {error}")
    except (KeyError, ValueError) as error:  # a report of another form than expected
        sys.exit(f"demo: error: {error!r}")
