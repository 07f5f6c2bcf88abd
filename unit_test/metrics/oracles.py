#!/usr/bin/env python3
"""Holds 'kompakt compare --metrics --json' against NumPy, SciPy and scikit-image.

usage: oracles.py KOMPAKT [FOLDER OF RAW FIELDS WITH manifest.json]

Exit status 77, which ctest takes for a skipped test, if one of the three packages is not there.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import scipy.stats
    from skimage.metrics import structural_similarity
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

BINS, LAGS, WIDTH = 21, 10, 7
VIOLATED, NO_DEVICE = 20, 30  # exit codes of the program
# Both sides add up in double, each in its own order.
TOLERANCE = 1e-9


def slabs(x, y):
    """Parts of two fields that have all their windows between them, each with few."""
    for first in range(len(x) - WIDTH + 1 if x.ndim == 3 else 1):
        yield (x[first:first + WIDTH], y[first:first + WIDTH]) if x.ndim == 3 else (x, y)


def similarities(x, y, data_range):
    """SSIM of each window of finite values, from the definition: means first, then deviations."""
    axes = tuple(range(x.ndim, 2 * x.ndim))
    a, b = (np.lib.stride_tricks.sliding_window_view(f.astype(float), (WIDTH,) * f.ndim) for f in (x, y))
    finite = (np.isfinite(a) & np.isfinite(b)).all(axes)
    a, b = a[finite].reshape(-1, WIDTH**x.ndim), b[finite].reshape(-1, WIDTH**x.ndim)
    u, v = a.mean(1), b.mean(1)
    a, b = a - u[:, None], b - v[:, None]
    n = a.shape[1] - 1
    vx, vy, vxy = (a * a).sum(1) / n, (b * b).sum(1) / n, (a * b).sum(1) / n
    c1, c2 = (0.01 * data_range) ** 2, (0.03 * data_range) ** 2
    return (2 * u * v + c1) * (2 * vxy + c2) / ((u * u + v * v + c1) * (vx + vy + c2))


def expected_ssim(x, y, data_range):
    """Of up to three axes; further ones count fields. With scikit-image's value if it can have one."""
    x, y = np.squeeze(x), np.squeeze(y)
    fields = list(zip(x.reshape(-1, *x.shape[-3:]), y.reshape(-1, *y.shape[-3:]))) if x.ndim > 3 else [(x, y)]
    windows = np.concatenate([similarities(*slab, data_range) for a, b in fields for slab in slabs(a, b)])
    values = {"the definition": windows.mean()}
    # scikit-image subtracts squares of means: not for NaN, not for a field far from 0.
    if np.isfinite(x).all() and float(abs(x).max()) < 1e3 * data_range:
        values["scikit-image"] = np.mean([
            structural_similarity(a.astype(float), b.astype(float), win_size=WIDTH,
                                  data_range=data_range, gaussian_weights=False,
                                  use_sample_covariance=True) for a, b in fields])
    return values, len(windows)


def expected_autocorrelation(error):
    deviation = error - np.nanmean(error)
    products = [deviation[:-lag] * deviation[lag:] for lag in range(1, LAGS + 1)]
    return np.array([np.nanmean(p) for p in products]) / np.nanmean(deviation**2)


def expected_entropy(field):
    bits = field.reshape(-1).view(np.uint32 if field.itemsize == 4 else np.uint64)
    return scipy.stats.entropy(np.unique(bits, return_counts=True)[1], base=2)


class Expected:
    """What the oracles say of a field and of what it became: key, value, tolerance, who says so."""

    def __init__(self, x, y, bound):
        self.numbers = []
        finite = np.isfinite(x)
        with np.errstate(invalid="ignore"):
            error = np.where(finite, y.astype(float) - x.astype(float), np.nan).reshape(-1)
        self.basic(x[finite].astype(float), y[finite].astype(float), error[finite.reshape(-1)])
        values, windows = expected_ssim(x, y, float(np.ptp(x[finite].astype(float))))
        for oracle, value in values.items():
            self.add("ssim", value, TOLERANCE * abs(value), oracle)
        self.add("ssim_windows", windows)
        self.add("autocorrelation", expected_autocorrelation(error), TOLERANCE)
        self.add("entropy_original", expected_entropy(x), TOLERANCE, "SciPy")
        self.add("entropy_reconstructed", expected_entropy(y), TOLERANCE, "SciPy")
        inside = error[np.abs(error) <= bound]
        self.add("error_histogram/counts", np.histogram(inside / bound, BINS, (-1, 1))[0])
        self.add("error_histogram/below", (error < -bound).sum())
        self.add("error_histogram/above", (error > bound).sum())

    def basic(self, x, y, error):
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(x == 0, 0, np.abs(error) / np.abs(x))
        self.add("max_abs_error", np.abs(error).max())
        self.add("max_rel_error", relative.max())
        self.add("min", x.min())
        self.add("max", x.max())
        rmse = np.sqrt(np.mean(error**2))
        self.add("rmse", rmse, TOLERANCE * rmse)
        self.add("nrmse", rmse / np.ptp(x), TOLERANCE * rmse / np.ptp(x))
        self.add("psnr_db", 20 * np.log10(np.ptp(x) / rmse), TOLERANCE)
        self.add("mean_error", error.mean(), TOLERANCE * rmse)
        wide = np.stack([x, y]).astype(np.longdouble)
        wide -= wide.mean(axis=1, keepdims=True)
        pearson = (wide[0] * wide[1]).sum() / np.sqrt((wide[0]**2).sum() * (wide[1]**2).sum())
        self.add("pearson", float(pearson), 1e-12)
        self.add("pearson", scipy.stats.pearsonr(x, y).statistic, TOLERANCE, "SciPy")

    def add(self, key, value, tolerance=0, oracle="NumPy"):
        self.numbers.append((key, value, tolerance, oracle))

    def faults(self, name, report):
        """Prints what differs, and returns how much."""
        count = 0
        for key, expected, tolerance, oracle in self.numbers:
            actual = report
            for part in key.split("/"):
                actual = actual[part]
            if not np.all(np.abs(np.array(actual, dtype=float) - expected) <= tolerance):
                count += 1
                print(f"{name}: {key} is {actual}, by {oracle} {expected}")
        return count


def smooth(shape, dtype, seed):
    """Waves along each axis and a little noise."""
    noise = np.random.default_rng(seed)
    field = 0.01 * noise.standard_normal(shape)
    for axis, n in enumerate(shape):
        wave = np.sin((0.7 + axis) * np.linspace(0, 9, n)) * (axis + 1)
        field = field + wave.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return field.astype(dtype)


def fields(folder):
    """Names, values and bounds relative to the range."""
    for dtype in (np.float32, np.float64):
        for shape in ((5000,), (61, 83), (9, 40, 133), (130, 7, 12), (3, 8, 9, 20), (30, 1, 30)):
            yield f"smooth {shape} {dtype.__name__}", smooth(shape, dtype, len(shape)), 1e-2
        far = smooth((20, 30, 40), dtype, 5)
        yield f"offset {dtype.__name__}", (far + 1e5).astype(dtype), 1e-2
        holes = smooth((20, 30, 40), dtype, 6)
        holes[4:6, 3, 7] = np.nan
        holes[-1, -1, -1] = np.inf
        yield f"NaN {dtype.__name__}", holes, 1e-3
    if folder and (folder / "manifest.json").is_file():
        for entry in json.loads((folder / "manifest.json").read_text()):
            dtype = {"f32": np.float32, "f64": np.float64}[entry["dtype"]]
            field = np.fromfile(folder / entry["file"], dtype).reshape(entry["shape"])
            yield entry["name"], field, 1e-3
            yield entry["name"] + " in double", field.astype(np.float64), 1e-5


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *words, codes=(0,)):
        result = subprocess.run([self.path, *words], capture_output=True, text=True)
        if result.returncode not in codes:
            sys.exit(f"oracles: {' '.join(map(str, words))}: {result.stderr}")
        return result

    def put(self, name, field):
        field.tofile(self.folder / name)
        return str(self.folder / name)

    def words(self, field, bound):
        shape = ",".join(map(str, field.shape))
        return ["-t", f"f{8 * field.itemsize}", "--shape", shape, "-m", "abs", "-e", repr(bound)]

    def reconstructed(self, field, bound, pipeline):
        stream, output = str(self.folder / "x.kpk"), str(self.folder / "y.raw")
        self.run("compress", "-i", self.put("x.raw", field), *self.words(field, bound),
                 "-c", pipeline, "-o", stream, "--force")
        self.run("decompress", "-i", stream, "-o", output, "--force")
        return np.fromfile(output, field.dtype).reshape(field.shape)

    def reports(self, x, y, bound):
        """Of each execution space that the program has."""
        words = ["compare", "--fill", "none", "-i", self.put("x.raw", x), self.put("y.raw", y), *self.words(x, bound)]
        for space in ("serial", "openmp", "cuda"):
            result = self.run(*words, "--metrics", "--json", "--exec", space,
                              codes=(0, VIOLATED, NO_DEVICE))
            if result.returncode != NO_DEVICE:
                yield space, json.loads(result.stdout)


def main():
    fields_folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    faults = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], Path(folder))
        for name, x, relative in fields(fields_folder):
            bound = float(relative * np.ptp(x[np.isfinite(x)].astype(float)))
            noise = np.random.default_rng(7).standard_normal(x.shape)
            for what, y in (("compressed", program.reconstructed(x, bound, "huffman")),
                            ("with noise", (x + 0.5 * bound * noise).astype(x.dtype))):
                expected = Expected(x, y, bound)
                for space, report in program.reports(x, y, bound):
                    faults += expected.faults(f"{name} {what}, {space}", report)
                    compared += 1
    print(f"{compared} comparisons, {faults} numbers differ")
    sys.exit(1 if faults or not compared else 0)


if __name__ == "__main__":
    main()
