#!/usr/bin/env python3
"""Measures what compression changes in a run of gray_scott, beside the error that the scheme itself makes.

usage: report.py GRAY_SCOTT KOMPAKT [--points N] [--steps N] [--mpiexec "COMMAND -n"] [--of TEXT] -o FILE.json

GRAY_SCOTT and KOMPAKT are the two programs. A run of twice --steps is restarted half way from checkpoints within several bounds and by
several pipelines; a second one keeps its states for derivatives; two ranks exchange compressed halos. FILE gets distances to the
uninterrupted run, to runs with half the time step and twice the spacing, spectra and ratios. It needs NumPy.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

SPACING = 2.5 / 256
CODINGS = (("fixedlength", "auto"), ("bitshuffle", "interpolate"), ("huffman", "interpolate"))
BOUNDS = ("1e-2", "1e-3", "1e-4", "1e-5", "1e-6")


class Runs:
    """Calls of the program, each in a folder of its own."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.points = arguments.points

    def run(self, *words, points=None, spacing=SPACING, ranks=1):
        """What the program has measured."""
        result = self.folder / "run.json"
        front = [*self.arguments.mpiexec.split(), str(ranks)] if ranks > 1 else []
        command = [*front, self.arguments.gray_scott, "--points", points or self.points, "--spacing", repr(spacing),
                   *words, "--json", result]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        return json.loads(result.read_text())

    def checkpoints(self, name, source=None):
        """A folder for checkpoints, with those of another one."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        if source:
            shutil.copytree(source, folder)
        else:
            folder.mkdir()
        return folder

    def field(self, folder, name="v", points=None):
        """A value of the newest checkpoint."""
        file = folder / (folder / "gray-scott.latest").read_text().strip()
        raw = self.folder / "values.f64"
        raw.unlink(missing_ok=True)
        subprocess.run([self.arguments.kompakt, "decompress", "-i", file, "--name", name, "-o", raw], check=True,
                       stdout=subprocess.DEVNULL)
        return numpy.fromfile(raw).reshape([points or self.points] * 3)

    def end_of(self, name, *words, points=None, **how):
        """Runs with these words and gives back v at the end."""
        folder = self.checkpoints(name)
        self.run(*words, "--checkpoints", folder, points=points, **how)
        return self.field(folder, points=points)


def distance(a, b):
    return {"max": float(numpy.abs(a - b).max()), "rms": float(numpy.sqrt(numpy.mean((a - b) ** 2)))}


def spectrum(values):
    """Power in shells of one wave number each, from 0 on."""
    power = numpy.abs(numpy.fft.fftn(values) / values.size) ** 2
    waves = numpy.fft.fftfreq(values.shape[0], 1 / values.shape[0])
    radius = numpy.sqrt(sum(axis ** 2 for axis in numpy.meshgrid(waves, waves, waves)))
    shells = numpy.rint(radius).astype(int)
    return [float(shell) for shell in numpy.bincount(shells.ravel(), power.ravel())[:values.shape[0] // 2 + 1]]


def restarts(runs, steps):
    """Distances at the end of runs that went on from a lossy checkpoint, and what the scheme itself is off by."""
    start = runs.checkpoints("start")
    runs.run("--steps", steps - 1, "--checkpoints", start)

    def restarted(*coding):
        folder = runs.checkpoints("restarted", start)
        runs.run("--steps", 1, "--checkpoints", folder, "--restart", "newest", "--checkpoint-bound", *coding)
        measured = json.loads((runs.folder / "run.json").read_text())
        end = runs.run("--steps", steps, "--checkpoints", folder, "--restart", "newest")
        return measured, end, runs.field(folder)

    _, exact_means, exact = restarted("lossless")
    fine = runs.end_of("fine", "--steps", 4 * steps, "--dt", 0.5)
    coarse = runs.end_of("coarse", "--steps", 2 * steps, points=runs.points // 2, spacing=2 * SPACING)
    result = {
        "mean_v": exact_means["mean_v"], "mean_u": exact_means["mean_u"], "mean_reaction": exact_means["mean_reaction"],
        # Of second order: what is left of the error with half the step is a third of the distance.
        "time_step": {key: 4 / 3 * value for key, value in distance(fine, exact).items()},
        "spacing": {key: value / 3 for key, value in distance(coarse, exact[::2, ::2, ::2]).items()},
        "spectrum": spectrum(exact), "runs": [],
    }
    for pipeline, predictor in CODINGS:
        for bound in BOUNDS:
            saved, end, values = restarted(bound, "--pipeline", pipeline, "--predictor", predictor)
            result["runs"].append({
                "pipeline": pipeline, "predictor": predictor, "bound": float(bound),
                "ratio": saved["checkpoint_raw_bytes"] / saved["checkpoint_bytes"], **distance(values, exact),
                "mean_v": end["mean_v"], "mean_u": end["mean_u"], "mean_reaction": end["mean_reaction"],
                "spectrum_of_difference": spectrum(values - exact)})
            print(json.dumps({key: value for key, value in result["runs"][-1].items() if "spectrum" not in key}), flush=True)
    return result


def derivatives(runs, steps):
    """Derivatives with states that were kept within bounds."""
    exact = runs.run("--steps", steps, "--sensitivity")
    result = {"by_feed": exact["by_feed"], "runs": []}
    for pipeline, predictor in CODINGS[:2]:
        for bound in BOUNDS:
            run = runs.run("--steps", steps, "--sensitivity", "--states-bound", bound, "--pipeline", pipeline,
                           "--predictor", predictor)
            result["runs"].append({
                "pipeline": pipeline, "predictor": predictor, "bound": float(bound),
                "ratio": run["state_raw_bytes"] / run["state_bytes"],
                "relative_error": abs(run["by_feed"] / exact["by_feed"] - 1),
                "forward_s": run["forward_s"], "backward_s": run["backward_s"]})
            print(json.dumps(result["runs"][-1]), flush=True)
    return result


def halos(runs, steps):
    """Two ranks, with halos within bounds relative to the range of a plane."""
    exact = runs.end_of("halo", "--steps", steps, ranks=2)
    result = []
    for bound in ("lossless", *BOUNDS):
        folder = runs.checkpoints("halo")
        run = runs.run("--steps", steps, "--checkpoints", folder, "--halo-bound", bound, ranks=2)
        result.append({"bound": bound, "ratio": run["halo_value_bytes"] / run["halo_sent_bytes"],
                       "iterations": run["iterations"], **distance(runs.field(folder), exact)})
        print(json.dumps(result[-1]), flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gray_scott")
    parser.add_argument("kompakt")
    parser.add_argument("--points", type=int, default=64, help="along each index; even")
    parser.add_argument("--steps", type=int, default=100, help="of half a run")
    parser.add_argument("--mpiexec", default="mpiexec -n", help="in front of the number of ranks; empty: no halos")
    parser.add_argument("--of", default="", help="machine and commit, for the file")
    parser.add_argument("-o", dest="output", type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(arguments, Path(folder))
        result = {"of": arguments.of, "points": arguments.points, "steps": arguments.steps, "dt": 1, "spacing": SPACING,
                  "restarts": restarts(runs, arguments.steps), "derivatives": derivatives(runs, arguments.steps // 2)}
        if arguments.mpiexec:
            result["halos"] = halos(runs, arguments.steps // 2)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"report: error: {error}")
