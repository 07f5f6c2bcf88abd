"""What tests through other programs share: skipping, fields, exact checks, a folder of their own."""

import fractions
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

SKIPPED = 77
BOUND = 0.01


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


try:
    import numpy as np

    from exact_errors import count_violations
except ImportError as missing:
    skip(missing)


def field(dtype="f4", shape=(70, 65, 130), seed=1):
    """A rough field with some NaN and infinities."""
    steps = np.random.default_rng(seed).standard_normal(shape)
    x = np.cumsum(steps, axis=-1).astype(dtype)
    x.flat[:: 1009] = np.nan
    x.flat[5 :: 2003] = np.inf
    return x


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def require_bound(x, y, bound=BOUND):
    """|x - y| <= bound for every value, in exact arithmetic."""
    require(x.shape == y.shape and x.dtype == y.dtype, f"{y.shape} {y.dtype} instead of {x.shape} {x.dtype}")
    wrong, largest = count_violations(np.ascontiguousarray(x), np.ascontiguousarray(y), bound)
    require(wrong == 0, f"{wrong} values outside of {bound}, the largest error is {largest}")


def require_same(x, y):
    require(x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes(), "values differ")


def require_relative(x, y, value):
    bound = fractions.Fraction(value)
    for a, b in zip(x[np.isfinite(x)].flat, y[np.isfinite(x)].flat):
        a, b = fractions.Fraction(float(a)), fractions.Fraction(float(b))
        require(abs(a - b) <= bound * abs(a), f"{float(a)} became {float(b)}")


def require_smaller(path, array, factor=2):
    size = os.path.getsize(path)
    require(size * factor < array.nbytes, f"{path} has {size} bytes for {array.nbytes} of values: not compressed")


def run(*command, fails=False, **more):
    """Runs a program of the system; returns what it prints. Skips the test if there is none."""
    try:
        done = subprocess.run([str(part) for part in command], text=True, capture_output=True, check=False, **more)
    except FileNotFoundError:
        skip(f"no {command[0]} found")
    output = done.stdout + done.stderr
    require((done.returncode != 0) == fails and done.returncode >= 0,
            f"{' '.join(map(str, command))} ended with {done.returncode}:\n{output}")
    return output


def main_of(tests, usage):
    """Runs the test that the command line names in an empty folder.

    usage: what stands in front of the command
    """
    if len(sys.argv) != 2 or sys.argv[1] not in tests:
        sys.exit(f"usage: {usage} {sys.argv[0]} {'|'.join(tests)}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tests[sys.argv[1]]()
        os.chdir("/")
    print("as expected")
