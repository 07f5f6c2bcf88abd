"""The Python of docs/tutorial.md, which shows the lines between marks.

usage: tutorial.py field FILE.nc     makes a file with two variables
       tutorial.py read ARCHIVE      reads a part of one
"""

import sys

import h5py
import kompakt
import numpy as np


def field(path):
    """Writes a file of netCDF-4: temperature and salinity of a small ocean with an island."""
    rng = np.random.default_rng(25)
    depth, lat, lon = np.linspace(0, 1000, 24), np.linspace(-60, 60, 72), np.linspace(0, 357, 120)
    z, y, x = np.meshgrid(depth, np.radians(lat), np.radians(lon), indexing="ij")
    eddies = sum(np.cos(k * x + rng.uniform(0, 6)) * np.cos(k * y + rng.uniform(0, 6)) / k for k in range(2, 24))
    temperature = 275 + 27 * np.cos(y) ** 2 * np.exp(-z / 400) + 0.8 * eddies * np.exp(-z / 250)
    salinity = 34.7 + 1.2 * np.cos(2 * y) * np.exp(-z / 500) + 0.1 * eddies
    land = (x - 4) ** 2 + (2 * y) ** 2 < 0.4
    with h5py.File(path, "w") as file:
        for name, values, units in (("depth", depth, "m"), ("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            file[name] = values
            file[name].make_scale(name)
            file[name].attrs["units"] = units
        for name, values, units in (("temperature", temperature, "K"), ("salinity", salinity, "g/kg")):
            file[name] = np.where(land, 1e20, values).astype(np.float32)
            file[name].attrs.update(units=units, long_name=f"Sea water {name}", _FillValue=np.float32(1e20))
            for axis, scale in enumerate(("depth", "lat", "lon")):
                file[name].dims[axis].attach_scale(file[scale])


def read(path):
    # [tutorial read]
    with kompakt.open(path) as archive:
        temperature = archive["temperature"]
        surface = temperature[0]  # reads what it needs of the file
        print(temperature.shape, temperature.attrs["units"], "mean at the surface", surface[surface < 1e19].mean())
    # [/tutorial]


if __name__ == "__main__":
    {"field": field, "read": read}[sys.argv[1]](sys.argv[2])
