#!/usr/bin/env python3
"""Runs parallel_hdf5.cpp or file_per_rank.cpp on ranks of MPI and reads in one process what they have written.

usage: parallel_hdf5.py one|parts PROGRAM MPIEXEC... (the command line with the number of ranks, 4)
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; scripts/setup hdf5 installs it")
    sys.exit(77)

KOMPAKT = "52048"


def wave():
    k, j, i = np.ogrid[:96, :48, :64]
    return np.sin(0.1 * k) * np.cos(0.07 * j) + 0.01 * i


def require(condition, what):
    if not condition:
        sys.exit(what)


def check_one(path):
    """A dataset of parallel HDF5, and beside it what has been compressed."""
    with h5py.File(path) as file:
        restored, original = file["t"][...].astype(float), file["original"][...].astype(float)
        require(KOMPAKT in file["t"]._filters, "the filter was not used")
        require(file["t"].id.get_storage_size() * 4 < original.size * 4, "nothing is compressed")
    require(np.abs(restored - original).max() <= 1e-3, "the bound is not kept")
    require(np.abs(restored - wave()).max() <= 1e-3 + 1e-6, "other values")


def check_parts(path):
    with h5py.File(path) as file:
        restored = file["t"][...].astype(float)
        require(len(file["t"].virtual_sources()) == 4, "parts are missing")
    width = np.ptp(wave())
    error = np.abs(restored - wave()).max()
    require(error <= 1e-3 * width + 1e-5, f"the bound is not kept: {error}")
    require(error >= 1e-4 * width, f"not compressed: {error}")


def main(kind, program, *mpiexec):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("one.h5" if kind == "one" else "whole.h5")
        subprocess.run([*mpiexec, program, str(path) if kind == "one" else folder], check=True, timeout=100)
        check_one(path) if kind == "one" else check_parts(path)


main(*sys.argv[1:])
