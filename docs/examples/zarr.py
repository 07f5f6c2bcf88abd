#!/usr/bin/env python3
"""What docs/integrations/zarr.md shows: the code between "[zarr NAME]" and "[/zarr]" is printed there.

usage: PYTHONPATH=… zarr.py [KOMPAKT]; writes into a folder that it removes. Ends with 77 where a package is missing.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile

# In this folder is a file called zarr.py.
sys.path.pop(0)

try:
    import dask
    import h5netcdf
    import h5py
    import numcodecs
    import numpy as np
    import xarray as xr
    import zarr

    import kompakt
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.chdir(folder)

values = np.cumsum(np.random.default_rng(1).standard_normal((64, 128, 128)), axis=2).astype("f4")
bound = 0.01


def require(found, expected=values, within=bound):
    assert np.abs(expected.astype("f8") - found).max() <= within


# [zarr write]
import zarr
from kompakt.zarr import Kompakt

array = zarr.create_array("run.zarr", shape=values.shape, chunks=(64, 64, 64), dtype="f4",
                          serializer=Kompakt(bound, "abs"), compressors=None)
array[...] = values
# [/zarr]

# [zarr read]
box = zarr.open_array("run.zarr", mode="r")[10:20, 5, ::2]  # reads and decompresses what the box touches
# [/zarr]
require(box, values[10:20, 5, ::2])

# [zarr range]
width = kompakt.value_range(values)["width"]
one_bound = Kompakt(1e-3, "r2r", value_range=width)  # 1e-3 of the range of the whole array, in every chunk
# [/zarr]
array = zarr.create_array("range.zarr", data=values, chunks=(64, 64, 64), serializer=one_bound, compressors=None)
require(array[...], within=1e-3 * width)

# [zarr sharded]
zarr.create_array("sharded.zarr", data=values, chunks=(32, 32, 32), shards=(64, 128, 128),
                  serializer=Kompakt(bound, "abs"), compressors=None)
# [/zarr]
require(zarr.open_array("sharded.zarr")[3:9], values[3:9])

# [zarr second]
import kompakt.numcodecs

zarr.create_array("second.zarr", data=values, chunks=(64, 64, 64), zarr_format=2,
                  compressors=kompakt.numcodecs.Kompakt(bound, "abs"))
# [/zarr]
require(zarr.open_array("second.zarr")[...])

# [zarr numcodecs]
import numcodecs

codec = numcodecs.get_codec({"id": "kompakt", "bound": 0.01, "mode": "abs"})
restored = codec.decode(codec.encode(values))
# [/zarr]
require(restored)

dataset = xr.Dataset({"t": (("z", "y", "x"), values, {"units": "K"})}, coords={"x": np.arange(128.0)})
dataset.to_netcdf("run.nc", engine="h5netcdf")

# [zarr xarray]
import xarray as xr

lossy = {"serializer": Kompakt(bound, "abs"), "compressors": None, "chunks": (64, 64, 64)}
dataset.to_zarr("dataset.zarr", zarr_format=3, consolidated=False, encoding={"t": lossy})
# [/zarr]
require(xr.open_zarr("dataset.zarr", consolidated=False)["t"].values)

# [zarr netcdf]
import kompakt.h5py

lossy = {**kompakt.h5py.Kompakt(bound, "abs"), "chunksizes": (64, 64, 64)}
dataset.to_netcdf("dataset.nc", engine="h5netcdf", encoding={"t": lossy})
# [/zarr]
with xr.open_dataset("dataset.nc", engine="h5netcdf") as found:
    require(found["t"].values)

dataset["wind"] = dataset["t"] + 1

# [zarr accessor]
import kompakt.xarray

bounds = {"t*": "abs:0.01", "wind": "pwr:1e-3"}  # names, or patterns of names
dataset.kompakt.to_zarr("bounded.zarr", bounds=bounds, default="r2r:1e-4")
dataset.kompakt.to_netcdf("bounded.nc", bounds=bounds)
dataset.kompakt.to_kpk("bounded.kpk", bounds=bounds)
# [/zarr]
for name, engine in ("zarr", "zarr"), ("nc", "h5netcdf"), ("kpk", "kompakt"):
    with xr.open_dataset(f"bounded.{name}", engine=engine) as found:
        require(found["t"].values)
        assert (found["x"] == dataset["x"]).all()

# [zarr again]
opened = xr.open_zarr("dataset.zarr", consolidated=False)
opened["t"].encoding.clear()  # of all variables: opened.drop_encoding()
opened.to_zarr("exact.zarr", zarr_format=3, consolidated=False)
# [/zarr]
assert (xr.open_zarr("exact.zarr", consolidated=False)["t"].values == opened["t"].values).all()

# [zarr h5py]
import h5py

with h5py.File("run.h5", "w") as file:
    file.create_dataset("t", data=values, chunks=(64, 64, 64), **kompakt.h5py.Kompakt(bound, "abs"))
with h5py.File("run.h5") as file:
    restored = file["t"][...]
# [/zarr]
require(restored)

if len(sys.argv) > 1:
    subprocess.run([sys.argv[1], "compress", "run.nc", "-o", "run.kpk", "-m", "abs", "-e", str(bound)], check=True)
else:
    with kompakt.Archive("run.kpk", "w") as archive:
        archive.append("t", values, {"_dimensions": "z/y/x", "units": "K"}, bound=bound, mode="abs")
        archive.append("x", np.arange(128.0), {"_dimensions": "x"}, mode="lossless")

# [zarr archive]
run = xr.open_dataset("run.kpk", engine="kompakt", chunks={"z": 16})  # of kompakt compress run.nc -o run.kpk …
mean = run["t"].sel(x=slice(10, 20)).mean("z").compute()
# [/zarr]
require(mean.values, values[:, :, 10:21].astype("f8").mean(axis=0), 1.1 * bound)
assert run["t"].attrs == {"units": "K"}
