"""Runs of the benchmark programs of perf_test, as JSON."""

import json
import os
import shlex
import shutil
import subprocess

from bench_table import labels, operation, round_trips
from call_times import BOUND_THREADS
from checked import short
from parts import Failure, Skipped


def run(command, environment=None):
    """Runs a command to its end; a Failure with its last line if it fails."""
    words = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **BOUND_THREADS, **(environment or {})})
    if result.returncode:
        lines = (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()
        raise Failure(f"{shlex.join(words[:4])} … ended with exit code {result.returncode}: {lines[-1]}")


def benchmark(trial, program, *flags, environment=None, launcher=()):
    """The report of a benchmark program."""
    path, report = trial.programs / program, trial.work / f"{program}.json"
    if not path.is_file():
        raise Skipped(f"{program} is not built")
    run([*launcher, path, *flags, f"--benchmark_out={report}", "--benchmark_out_format=json"], environment)
    result = json.loads(report.read_text(encoding="utf-8"))
    failed = [entry["name"] for entry in result["benchmarks"] if entry.get("error_occurred")]
    if failed:
        raise Failure(f"{program} failed in {failed[0]}")
    trial.context = {**trial.context, **{key: result["context"][key] for key in ("compiler", "kokkos_version", "gpu", "gpu_driver")
                                         if key in result["context"]}}
    return result["benchmarks"]


def figures(pair):
    """Figures of a compress line and its decompress line."""
    there, back = pair["compress"], pair["decompress"]
    words = labels(there)
    return {"pipeline": words["pipeline"], "variant": words["variant"], "predictor": words["predictor"], "bound": words["bound"],
            "extents": words["extents"], "ratio": short(there["ratio"]), "psnr": short(there["psnr_db"]),
            "compress_gbps": short(there["gbps"], 4), "decompress_gbps": short(back["gbps"], 4),
            "copy_gbps": short(there["copy_gbps"], 4), "violations": 0}


def pipelines(trial, *flags, environment=None):
    """Rows of bench_pipelines, which fails if a value is outside its bound."""
    entries = benchmark(trial, "bench_pipelines", "--exec", trial.space, *flags, environment=environment)
    return [figures(pair) for pair in round_trips(entries) if operation(pair["compress"]) == "compress"]


def launcher(ranks):
    """The words that start so many ranks of MPI; Skipped without MPI."""
    program = shutil.which("mpiexec")
    if not program:
        raise Skipped("there is no mpiexec on the PATH; scripts/setup mpi installs it")
    words = [program, "-n", str(ranks), "--oversubscribe"]
    return words + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
