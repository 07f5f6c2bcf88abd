#!/usr/bin/env python3
"""What docs/integrations/hdf5.md shows of Python: the code between "[hdf5 NAME]" and "[/hdf5]" is printed there.

usage: HDF5_PLUGIN_PATH=… hdf5.py, in a folder of its own. Ends with 77 where h5py or a package is missing.
"""

import sys

try:
    import numpy as np
    import h5py
    import netCDF4
    import openpmd_api
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

field = np.cumsum(np.random.default_rng(1).standard_normal((64, 128, 128)), axis=2).astype("f4")
bound = 0.01

# [hdf5 h5py]
import struct

import h5py

KOMPAKT = 52048
ABS, R2R, PWR, PSNR, LOSSLESS = range(5)


def kompakt(mode, value=0.0, *more):
    """How a dataset is compressed: 1, the mode of the bound, its value as a double in two words."""
    return {"compression": KOMPAKT,
            "compression_opts": (1, mode, *struct.unpack("<2I", struct.pack("<d", value)), *more)}


with h5py.File("field.h5", "w") as file:
    file.create_dataset("t", data=field, chunks=(64, 64, 64), **kompakt(ABS, bound))
with h5py.File("field.h5") as file:  # readers need no options
    restored = file["t"][...]
# [/hdf5]
assert np.abs(field.astype("f8") - restored).max() <= bound

with h5py.File("made.h5", "w", track_order=True) as file:
    file.create_dataset("t", data=np.zeros_like(field), chunks=(64, 64, 64), **kompakt(ABS, bound))
# [hdf5 netcdf4]
with netCDF4.Dataset("made.h5", "a") as file:  # of h5py.File("made.h5", "w", track_order=True)
    file["t"][:] = field
# [/hdf5]
with netCDF4.Dataset("made.h5") as file:
    assert np.abs(field.astype("f8") - file["t"][:]).max() <= bound

# [hdf5 openpmd]
import json

import openpmd_api as io

_, mode, low, high = kompakt(ABS, bound)["compression_opts"]
# Version, mode, value; pipeline, predictor, variant; extents are given; no fill value; float; extents of a chunk.
words = [1, mode, low, high, 0, 0, 0, 1, 3, 0, 0, 1, 64, 64, 64]
filters = [{"id": KOMPAKT, "flags": "mandatory", "cd_values": words}]
options = {"hdf5": {"dataset": {"chunks": [64, 64, 64], "permanent_filters": filters}}}
series = io.Series("series.h5", io.Access.create, json.dumps(options))
density = series.iterations[0].meshes["density"]
density.reset_dataset(io.Dataset(field.dtype, field.shape))
density.store_chunk(field)
series.close()
# [/hdf5]
series = io.Series("series.h5", io.Access.read_only)
restored = series.iterations[0].meshes["density"].load_chunk()
series.flush()
assert np.abs(field.astype("f8") - restored).max() <= bound
