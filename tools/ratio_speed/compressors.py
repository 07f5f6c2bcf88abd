"""Compressors as they are timed: from memory to memory, in seconds of a call, after calls that do not count."""

import ctypes
import json
import os
import shlex
import statistics
import subprocess
import time
import typing

import bench_table
import pipelines
from coded import Refused
from fields import BadInput
from peers import without_fill

# By the name in tables and pictures: words of `kompakt compress -c` and, behind --pipeline, of bench_pipelines.
OURS = {
    "fixedlength": "fixedlength --variant auto",
    "bitshuffle": "bitshuffle --variant deep",
    "huffman": "huffman --variant auto",
    "bitshuffle, interpolate": "bitshuffle --variant deep --predictor interpolate",
    "huffman, interpolate": "huffman --variant auto --predictor interpolate",
}
NO_FILL = "--fill none"
WARM_UP_CALLS = 2  # as perf_test/support/timing.hpp has them
BOUND_THREADS = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}  # as scripts/bench has it
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt() in glibc
LARGE = 1 << 30


class Timing(typing.NamedTuple):
    """Seconds of a call, and the bytes of the stream."""
    compress_s: float
    decompress_s: float
    stream_bytes: int


def keep_freed_memory():
    """Lets malloc keep what is freed, so that peers, which allocate in every call, do not pay for fresh pages that
    a workspace does not need. Without effect where the C library is not glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
        mallopt(M_TRIM_THRESHOLD, LARGE)


class Pipeline:
    """One of kompakt. Its values are those of the program, its times those of the benchmark of pipelines."""

    def __init__(self, name, programs, threads, work):
        self.name, self.threads, self.words, self.work = name, threads, OURS[name], work
        self.program, self.bench = (programs / word for word in ("kompakt", "bench_pipelines"))
        self.command = pipelines.Kompakt(self.program, f"{self.words} {NO_FILL}", work)
        self.context = None

    def round_trip(self, field, bound):
        return self.command.round_trip(field, bound)

    def run(self, field, bounds, threads, samples):
        """The report of the benchmark."""
        entry, report = field.entry, self.work / "bench.json"
        words = [self.bench, "--field", f"field:{entry.path}:{entry.dtype}:{','.join(map(str, entry.shape))}",
                 "--mode", "abs", "--bounds", ",".join(map(repr, bounds)), "--pipeline", *shlex.split(self.words),
                 *NO_FILL.split(), "--exec", "openmp", "--threads", str(threads), "--samples", str(samples),
                 f"--benchmark_out={report}", "--benchmark_out_format=json"]
        try:
            result = subprocess.run(list(map(str, words)), env={**BOUND_THREADS, **os.environ}, capture_output=True,
                                    text=True)
        except OSError as error:
            raise BadInput(f"{self.bench}: {error.strerror}; build it, or name its folder with --programs") from None
        if result.returncode:
            reason = (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()[-1]
            raise pipelines.Failure(f"{shlex.join(map(str, words))} ended with exit code {result.returncode}: {reason}")
        return json.loads(report.read_text())

    def times(self, field, bounds, threads, samples):
        """A Timing for each bound."""
        report = self.run(field, bounds, threads, samples)
        self.context = report["context"]
        raw_bytes = field.values.nbytes
        return [Timing(raw_bytes / there["gbps"] / 1e9, raw_bytes / back["gbps"] / 1e9,
                       round(raw_bytes / there["ratio"]))
                for there, back in map(dict.values, bench_table.round_trips(report["benchmarks"]))]


def median_s(call, samples):
    """As median_s() of perf_test/support/timing.hpp."""
    for _ in range(WARM_UP_CALLS):
        call()
    times = []
    for _ in range(samples):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median_low(times)


class TimedPeer:
    """One of compare_ratios, on one thread: neither package offers more."""
    threads = (1,)

    def __init__(self, peer):
        self.peer, self.name = peer, peer.name

    def round_trip(self, field, bound):
        return self.peer.round_trip(field, bound)

    def times(self, field, bounds, threads, samples):
        """A Timing for each bound."""
        values, times = without_fill(field), []
        for bound in bounds:
            stream = self.peer.compress(values, bound)
            times.append(Timing(median_s(lambda: self.peer.compress(values, bound), samples),
                                median_s(lambda: self.peer.decompress(stream, values), samples), len(stream)))
        return times


def refuse_holes(field):
    """What hides fill values from peers, and masks them for us, is no part of what is timed here."""
    if not field.all_finite or field.is_fill.any():
        raise Refused("fill values, NaN or infinities")
