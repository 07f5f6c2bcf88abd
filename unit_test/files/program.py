"""What the tests of files share that hold the program against packages of others. The first argument is the program."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PROGRAM = sys.argv[1]
BAD_ARGUMENT, BAD_MAGIC, UNSUPPORTED, CORRUPT, TYPE_MISMATCH, BOUND_VIOLATED, IO = 1, 10, 11, 12, 13, 20, 21
BOUND = 1e-3
FILL = np.float32(1e20)


class Folder:
    """A folder for the files of a test, in which the program is called."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def __truediv__(self, name):
        return self.path / name

    def call(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.path, capture_output=True, text=True, check=False,
                              timeout=60)

    def run(self, *words):
        outcome = self.call(*words)
        assert outcome.returncode == 0, f"{words}: {outcome.stderr}"
        return outcome.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"))

    def refused(self, status, mentions, *words):
        """One line that has all of `mentions`, and no file more or less."""
        before = sorted(self.path.iterdir())
        outcome = self.call(*words)
        assert outcome.returncode == status, f"{words}: {outcome.returncode}, {outcome.stderr}"
        assert outcome.stderr.startswith("kompakt: ") and outcome.stderr.count("\n") == 1, outcome.stderr
        for mention in mentions:
            assert mention in outcome.stderr, f"no {mention!r} in {outcome.stderr}"
        assert sorted(self.path.iterdir()) == before, f"{words}: files were left"

    def damaged(self, original, name):
        """What is cut off or altered ends with a message or with a field, never with a signal."""
        rng = np.random.default_rng(3)
        whole = (self / original).read_bytes()
        for left in sorted({0, 1, 7, 8, 9, 40, len(whole) // 3, len(whole) - 1}):
            (self / "cut").with_suffix(Path(original).suffix).write_bytes(whole[:left])
            cut = "cut" + Path(original).suffix + name
            outcome = self.call("compress", "-i", cut, "-m", "lossless", "-o", "never.kpk")
            assert outcome.returncode in (BAD_MAGIC, CORRUPT), f"{left} bytes: {outcome}"
        for _ in range(40):
            bytes_ = bytearray(whole)
            for _ in range(rng.integers(1, 4)):
                bytes_[rng.integers(0, min(len(bytes_), 2000))] = rng.integers(0, 256)
            (self / "hit").with_suffix(Path(original).suffix).write_bytes(bytes_)
            hit = "hit" + Path(original).suffix + name
            outcome = self.call("compress", "-i", hit, "-m", "lossless", "-o", "out.kpk", "--force", "--memory", "40M")
            assert outcome.returncode >= 0, f"ended by a signal: {outcome}"


def smooth(shape, dtype):
    """Waves, as numbers of a type."""
    size = int(np.prod(shape))
    wave = 50 + 40 * np.sin(0.01 * np.arange(size)).reshape(shape)
    return wave.astype(dtype)


def within_bound(original, restored, bound=BOUND):
    """Finite values within the bound, others and the fill value as they were."""
    same = (original == FILL) | ~np.isfinite(original)
    return (np.array_equal(original[same], restored[same], equal_nan=True) and original.shape == restored.shape and
            original.dtype.newbyteorder("=") == restored.dtype.newbyteorder("=") and
            np.all(np.abs(original[~same].astype(np.longdouble) - restored[~same]) <= bound))
