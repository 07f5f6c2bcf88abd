#!/usr/bin/env python3
"""Extracts the demo's fields into a folder: raw little-endian arrays and a manifest.

usage: fetch_fields.py FOLDER

The source is two netCDF-4 files of the PyPI package iris-sample-data (UK Open Government Licence,
British Crown copyright, Met Office). The package is only needed while this runs: it is unpacked
into a temporary folder and not kept. FOLDER appears complete or not at all.
"""

import hashlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

PACKAGE = "iris-sample-data==2.5.2"

# name, netCDF-4 file, variable, shape (slowest..fastest)
FIELDS = [
    ("air_temperature", "A1B_north_america.nc", "air_temperature", (240, 37, 49)),
    ("ocean_temperature", "orca2_votemper.nc", "votemper", (148, 180)),
]


def fill_value(variable):
    """The declared fill value if the field holds it, else None."""
    for attribute in ("_FillValue", "missing_value"):
        if attribute in variable.attrs:
            value = np.float32(np.ravel(variable.attrs[attribute])[0])
            if np.any(variable[()] == value):
                return float(value)
    return None


def extract(source, folder, name, variable, shape):
    with h5py.File(source, "r") as netcdf:
        data = netcdf[variable]
        if data.dtype != np.float32 or np.squeeze(data[()]).shape != shape:
            raise ValueError(f"{source.name}: {variable} is {data.dtype} {data.shape}, not float32 {shape}")
        fill = fill_value(data)
        array = np.ascontiguousarray(np.squeeze(data[()]), dtype="<f4")
    valid = array[np.isfinite(array)]
    if fill is not None:
        valid = valid[valid != np.float32(fill)]
    low, high = float(valid.min()), float(valid.max())
    if not (math.isfinite(low) and low < high):
        raise ValueError(f"{source.name}: {variable} has the range {low} .. {high}")
    raw = array.tobytes()
    (folder / f"{name}.f32").write_bytes(raw)
    return {
        "name": name,
        "file": f"{name}.f32",
        "dtype": "f32",
        "shape": list(shape),
        "fill": fill,
        "min": low,
        "max": high,
        "bytes": len(raw),
        "sha256": hashlib.sha256(raw).hexdigest(),
        "source": f"{PACKAGE}: {source.name}, {variable}",
        "licence": "UK Open Government Licence",
    }


def main():
    target = pathlib.Path(sys.argv[1]).resolve()
    if target.exists() and not (target / "manifest.json").is_file():
        raise ValueError(f"'{target}' exists and has no manifest of fields, so it is not replaced; name another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that the last step is a rename within one file system.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="fields.partial.") as work:
        package = pathlib.Path(work, "package")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-deps",
             "--disable-pip-version-check", "--target", str(package), PACKAGE],
            check=True,
        )
        samples = package / "iris_sample_data" / "sample_data"
        folder = pathlib.Path(work, "fields")
        folder.mkdir()
        entries = [
            extract(samples / source, folder, name, variable, shape)
            for name, source, variable, shape in FIELDS
        ]
        lines = ",\n".join(json.dumps(entry) for entry in entries)
        (folder / "manifest.json").write_text(f"[\n{lines}\n]\n")
        if target.exists():
            target.rename(pathlib.Path(work, "replaced"))
        folder.rename(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: fetch_fields.py FOLDER")
    try:
        main()
    except (OSError, KeyError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"fetch_fields: {error}")
