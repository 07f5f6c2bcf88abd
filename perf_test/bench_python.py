#!/usr/bin/env python3
"""What calls of Python take, beside the same calls in C++ and the Python packages of SZ3 and zfp.

The package must be importable: PYTHONPATH=build/openmp/python with the Python of that build. C++ is bench_pipelines, which is
run in turn with the calls of Python, on the same field within the same absolute bound; its memory is used again, and so is that
of ours (out=). Peers allocate in every call, and malloc keeps what they free. A figure is the best of some rounds, each a
median of calls; every value is checked against the bound.

usage: bench_python.py [--programs FOLDER] [--extents N,N,N] [--device torch|cupy] [--peers sz3,zfp] [--json FILE] ...
"""

import argparse
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from call_times import BOUND_THREADS, keep_freed_memory, median_s

for variable, words in BOUND_THREADS.items():
    os.environ.setdefault(variable, words)  # before OpenMP is loaded
PROCESSORS = os.sched_getaffinity(0)  # before it binds this thread to one of them

import numpy as np

import kompakt

PIPELINES = ("fixedlength", "bitshuffle", "huffman")


def require_bound(name, original, restored, bound):
    error = np.abs(original.astype(np.longdouble) - restored.astype(np.longdouble)).max()
    if not error <= bound:
        raise SystemExit(f"bench_python.py: {name}: an error of {error} is outside of the bound {bound}")


# ---------------------------------------------------------------------------------------- where arrays lie


class Host:
    """Arrays of NumPy that begin at a multiple of 64 bytes, as Views of Kokkos do and results of kompakt.decompress."""

    def put(self, values):
        array = self.empty(values.shape, values.dtype)
        array[...] = values
        return array

    def empty(self, shape, dtype):
        room = np.zeros(math.prod(shape) * np.dtype(dtype).itemsize + 64, "u1")
        return np.ndarray(shape, dtype, room, -room.ctypes.data % 64)

    def get(self, array):
        return array


class Torch:
    """Tensors on the device."""

    def __init__(self):
        self.torch = importlib.import_module("torch")

    def put(self, values):
        return self.torch.from_numpy(values).cuda()

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=getattr(self.torch, np.dtype(dtype).name), device="cuda")

    def get(self, array):
        return array.cpu().numpy()


class CuPy:
    """Arrays on the device."""

    def __init__(self):
        self.cupy = importlib.import_module("cupy")

    def put(self, values):
        return self.cupy.asarray(values)

    def empty(self, shape, dtype):
        return self.cupy.empty(shape, dtype)

    def get(self, array):
        return self.cupy.asnumpy(array)


PLACES = {None: Host, "torch": Torch, "cupy": CuPy}


# ----------------------------------------------------------------------------------------- who is measured


class Ours:
    """kompakt.compress and kompakt.decompress, into memory that is used again."""

    def __init__(self, values, bound, pipeline, place, threads):
        self.values, self.bound, self.place, self.name = values, bound, place, pipeline
        self.options = {"mode": "abs", "pipeline": pipeline, "threads": threads}
        self.x = place.put(values)
        self.room = place.empty((kompakt.max_compressed_bytes(values, bound, "abs", pipeline),), "u1")
        self.y = place.empty(values.shape, values.dtype)

    def compress(self):
        return kompakt.compress(self.x, self.bound, out=self.room, **self.options)

    def times(self, samples):
        stream = self.compress()
        there = median_s(self.compress, samples)
        back = median_s(lambda: kompakt.decompress(stream, out=self.y, threads=self.options["threads"]), samples)
        require_bound(self.name, self.values, self.place.get(self.y), self.bound)
        return there, back, len(stream)


class Cpp:
    """bench_pipelines in a process of its own."""

    def __init__(self, values, bound, pipeline, program, space, threads, path):
        self.name, self.nbytes = pipeline, values.nbytes
        shape = ",".join(map(str, values.shape))
        self.command = [program, "--exec", space, "--field", f"field:{path}:f32:{shape}", "--mode", "abs", "--bounds", repr(bound),
                        "--pipeline", pipeline, "--variant", {"bitshuffle": "nested"}.get(pipeline, "auto"), "--fill", "none",
                        "--benchmark_format=json", *(["--threads", str(threads)] if threads else [])]
        self.context = {}

    def times(self, samples):
        done = subprocess.run([*map(str, self.command), "--samples", str(samples)], capture_output=True, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, PROCESSORS))
        if done.returncode:
            raise SystemExit(f"bench_python.py: {' '.join(map(str, self.command))} failed: {done.stderr or done.stdout}")
        report = json.loads(done.stdout)
        self.context = report["context"]
        lines = {line["name"].split("/")[0]: line for line in report["benchmarks"]}
        there, back = lines["compress"], lines["decompress"]
        return (self.nbytes / there["gbps"] / 1e9, self.nbytes / back["gbps"] / 1e9,
                round(self.nbytes / there["ratio"]))


class Sz3:
    """With its defaults; the wheel has no OpenMP, so one thread."""

    def __init__(self, values, bound):
        self.name, self.values, self.bound = "SZ3", values, bound
        self.module = importlib.import_module("pysz")
        self.version = f"pysz {importlib.metadata.version('pysz')}, 1 thread"

    def compress(self):
        config = self.module.szConfig(self.values.shape)
        config.errorBoundMode = self.module.szErrorBoundMode.ABS
        config.absErrorBound = self.bound
        return self.module.sz.compress(self.values, config)[0]

    def decompress(self, stream):
        return self.module.sz.decompress(stream, self.values.dtype, self.values.shape)[0]

    def times(self, samples):
        stream = self.compress()
        require_bound(self.name, self.values, self.decompress(stream), self.bound)
        return median_s(self.compress, samples), median_s(lambda: self.decompress(stream), samples), len(stream)


class Zfp(Sz3):
    """In its mode of fixed accuracy; zfpy has no way to ask zfp for threads, so one."""

    def __init__(self, values, bound):
        self.name, self.values, self.bound = "zfp", values, bound
        self.module = importlib.import_module("zfpy")
        self.version = f"zfpy {importlib.metadata.version('zfpy')}, 1 thread"

    def compress(self):
        return self.module.compress_numpy(self.values, tolerance=self.bound)

    def decompress(self, stream):
        return self.module.decompress_numpy(stream)


PEERS = {"sz3": Sz3, "zfp": Zfp}


# ------------------------------------------------------------------------------------------------- report


def measure(arguments, values, bound, path):
    """The best times of everybody, in turn; rows and what was run."""
    place, space = PLACES[arguments.device](), "cuda" if arguments.device else "openmp"
    program = arguments.programs / "bench_pipelines"
    pairs = [(Ours(values, bound, pipeline, place, arguments.threads),
              Cpp(values, bound, pipeline, program, space, arguments.threads, path)) for pipeline in arguments.pipelines]
    peers = [PEERS[name](values, bound) for name in arguments.peers]
    everybody = [("Python", ours) for ours, _ in pairs] + [("C++", cpp) for _, cpp in pairs] + [("Python", p) for p in peers]
    found = {}
    for _ in range(arguments.rounds):
        for language, subject in everybody:
            times = subject.times(arguments.samples)
            best = found.get((language, subject.name), times)
            found[language, subject.name] = tuple(map(min, best, times))
    context = pairs[0][1].context if pairs else {}
    return found, context, [peer.version for peer in peers]


def row(language, name, times, found, nbytes):
    there, back, stream_bytes = times
    cells = [name, language, f"{nbytes / stream_bytes:.2f}"]
    for one in (0, 1):
        time_s = (there, back)[one]
        cells.append(f"{nbytes / time_s / 1e9:.2f}")
        cpp = found.get(("C++", name))
        cells.append(f"{100 * cpp[one] / time_s:.1f}" if cpp and language == "Python" else "")
        cells.append(f"{1e6 * (time_s - cpp[one]):.1f}" if cpp and language == "Python" else "")
    return "| " + " | ".join(cells) + " |"


def take_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word for word in text.split(",") if word]  # noqa: E731
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("build/openmp/bin"),
                        help="folder with bench_pipelines and make_field")
    parser.add_argument("--extents", default="256,256,256", help="of the turbulence, slowest first")
    parser.add_argument("--bound", type=float, default=1e-3, help="times the range of the field")
    parser.add_argument("--pipelines", type=words, default=list(PIPELINES))
    parser.add_argument("--peers", type=words, default=[], help="sz3,zfp")
    parser.add_argument("--device", choices=["torch", "cupy"], help="arrays of which library, on the CUDA device")
    parser.add_argument("--threads", type=int, help="of kompakt on the host")
    parser.add_argument("--samples", type=int, default=11)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="also write the seconds there")
    return parser.parse_args()


def main():
    arguments = take_arguments()
    keep_freed_memory()
    shape = tuple(map(int, arguments.extents.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "turbulence.f32"
        subprocess.run([arguments.programs / "make_field", "--extents", arguments.extents, "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
        values = np.fromfile(path, "f4").reshape(shape)
        bound = arguments.bound * float(kompakt.value_range(values)["width"])
        found, context, versions = measure(arguments, values, bound, path)
    print("| compressor | called from | ratio | compress GB/s | % of C++ | µs more | decompress GB/s | % of C++ | µs more |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (language, name), times in found.items():
        print(row(language, name, times, found, values.nbytes))
    facts = [f"{arguments.extents} float32, bound {bound:g}", f"Python {platform.python_version()}", *versions,
             f"kompakt {kompakt.__version__} at {kompakt.__git_commit__}",
             context.get("gpu") if arguments.device else context.get("processor"),
             "" if arguments.device else f"{context.get('host_threads')} threads"]
    print("\n" + ", ".join(filter(None, facts)))
    if arguments.json:
        rows = [{"compressor": name, "language": language, "compress_s": a, "decompress_s": b, "stream_bytes": size}
                for (language, name), (a, b, size) in found.items()]
        arguments.json.write_text(json.dumps({"facts": facts, "context": context, "nbytes": values.nbytes, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
