"""Compressors as they are timed: from memory to memory, in seconds of a call, after calls that do not count."""

import json
import os
import shlex
import subprocess
import typing

import bench_table
import pipelines
from call_times import BOUND_THREADS, median_s
from coded import Refused
from fields import BadInput
from peer import without_fill

# By the name in tables and pictures: words of `kompakt compress -c` and, behind --pipeline, of bench_pipelines.
OURS = {
    "fixedlength": "fixedlength --variant auto",
    "bitshuffle": "bitshuffle --variant nested",
    "huffman": "huffman --variant auto",
    "bitshuffle, interpolate": "bitshuffle --variant nested --predictor interpolate",
    "huffman, interpolate": "huffman --variant auto --predictor interpolate",
}
NO_FILL = "--fill none"


class Timing(typing.NamedTuple):
    """Seconds of a call, and the bytes of the stream."""
    compress_s: float
    decompress_s: float
    stream_bytes: int


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
