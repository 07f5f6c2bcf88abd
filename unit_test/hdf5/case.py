"""What the tests of the filter through other programs share: its words and chunks, and what all such tests do."""

import os
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from client_case import (BOUND, SKIPPED, field, main_of, require, require_bound, require_relative, require_same,
                         require_smaller, run, skip)
import numpy as np

FILTER = int(os.environ["KOMPAKT_FILTER_ID"])
ABS, R2R, PWR, PSNR, LOSSLESS = range(5)


def words(mode, value, *more):
    """cd_values for a bound."""
    return (1, mode, *struct.unpack("<2I", struct.pack("<d", value)), *more)


def chunks_of(shape, chunk):
    """Slices of all chunks."""
    starts = [range(0, n, c) for n, c in zip(shape, chunk)]
    for start in np.stack(np.meshgrid(*starts, indexing="ij"), -1).reshape(-1, len(shape)):
        yield tuple(slice(s, s + c) for s, c in zip(start, chunk))


def main(tests):
    main_of(tests, "KOMPAKT_FILTER_ID=… HDF5_PLUGIN_PATH=…")
