#!/usr/bin/env python3
"""Attributes and marks that say something about values, each alone, through an archive and through a copy with the filter.

usage: marks.py KOMPAKT

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import sys

try:
    import h5py
    import netCDF4
    import numpy as np
    from program import Folder
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

BOUND = 0.01
WORDS = ["-m", "abs", "-e", BOUND]
NAMING = {"coordinates": "other", "bounds": "other", "climatology": "other", "formula_terms": "a: other",
          "cell_measures": "area: other", "grid_mapping": "other", "ancillary_variables": "other"}
DESCRIBING = [{"units": "days since 2000-01-01"}, {"units": "degrees_north"}, {"units": "degrees_east"},
              {"standard_name": "latitude"}, {"standard_name": "longitude"}, {"standard_name": "time"}]


def noise(seed, shape=(40, 60)):
    return np.random.default_rng(seed).standard_normal(shape).cumsum(-1) + 280


def write(path, t, other, of_t, of_other, dtype="f4", fill=None):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 40)
        file.createDimension("x", 60)
        for name, values, attributes, kind in (("t", t, of_t, dtype), ("other", other, of_other, "f4"),
                                               ("plain", noise(9), {}, "f4")):
            variable = file.createVariable(name, kind, ("y", "x"), fill_value=fill if name == "t" and fill is not None else False)
            variable.set_auto_maskandscale(False)
            variable.setncatts(attributes)
            variable[:] = values


def both_ways(folder):
    """The file through an archive and back, and its copy with the filter."""
    folder.run("compress", "in.nc", *WORDS, "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
    folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
    folder.run("repack", "in.nc", "copy.nc", *WORDS, "--force", "--quiet")
    for name in ("back.nc", "copy.nc"):
        with netCDF4.Dataset(folder / name) as file:
            file.set_auto_maskandscale(False)
            yield name, file


def same_attributes(file, name, expected):
    found = {key: np.asarray(file[name].getncattr(key)).tolist() for key in file[name].ncattrs()}
    assert found == {key: np.asarray(value).tolist() for key, value in expected.items()}, (name, found)


def test_what_other_variables_name_stays_exact():
    folder = Folder()
    t, other = noise(1).astype("f4"), noise(2).astype("f4")
    for key, text in NAMING.items():
        write(folder / "in.nc", t, other, {key: text}, {})
        for way, file in both_ways(folder):
            assert np.array_equal(file["other"][:], other), (key, way)
            # A variable with bounds or terms is an axis itself.
            is_axis = key in ("bounds", "climatology", "formula_terms")
            assert np.array_equal(file["t"][:], t) if is_axis else 0 < np.abs(file["t"][:] - t).max() <= BOUND, (key, way)
            same_attributes(file, "t", {key: text})


def test_what_says_where_or_when_stays_exact():
    folder = Folder()
    t, other = noise(1).astype("f4"), noise(2).astype("f4")
    for attributes in DESCRIBING:
        write(folder / "in.nc", t, other, {}, attributes)
        for way, file in both_ways(folder):
            assert np.array_equal(file["other"][:], other), (attributes, way)
            assert 0 < np.abs(file["t"][:] - t).max() <= BOUND, (attributes, way)
            same_attributes(file, "other", attributes)


def test_values_that_lie_between_declared_limits_stay_there():
    folder = Folder()
    t = np.clip((noise(1) - 280) * 0.3 + 0.5, 0, 1).astype("f4")
    t[3, 3], t[4, 4] = 1.3, -0.004  # outside: bit for bit, or as the limit
    for attributes, upper in (({"valid_range": np.array([0, 1], "f4")}, 1), ({"valid_min": np.float64(0)}, np.inf),
                              ({"valid_min": np.float32(0), "valid_max": np.float32(1)}, 1)):
        write(folder / "in.nc", t, noise(2), attributes, {})
        inside = (t >= 0) & (t <= upper)
        for way, file in both_ways(folder):
            found = file["t"][:]
            assert 0 < np.abs(found - t).max() <= BOUND, (attributes, way)
            assert found[inside].min() >= 0 and found[inside].max() <= upper, (attributes, way)
            same_attributes(file, "t", attributes)
    folder.run("compress", "in.nc", *WORDS, "--limits", ":0.5", "-o", "b.kpk", "--quiet")
    assert "limits      :0.5," in folder.run("info", "b.kpk", "--name", "t")


def test_fill_values_come_back_bit_for_bit():
    folder = Folder()
    t = noise(1).astype("f4")
    t[5:9, 7:20] = -999.9
    missing = t == np.float32(-999.9)
    for attributes, fill in (({"missing_value": np.float32(-999.9)}, None), ({}, np.float32(-999.9))):
        write(folder / "in.nc", t, noise(2), attributes, {}, fill=fill)
        for way, file in both_ways(folder):
            found = file["t"][:]
            assert np.array_equal(found == np.float32(-999.9), missing), (attributes, way)
            assert 0 < np.abs(found - t)[~missing].max() <= BOUND, (attributes, way)
            same_attributes(file, "t", attributes if fill is None else {"_FillValue": fill})


def test_nan_and_infinities_come_back_bit_for_bit():
    folder = Folder()
    t = noise(1).astype("f4")
    t[3, 4:9], t[7, 7], t[8, 8] = np.nan, np.inf, -np.inf
    write(folder / "in.nc", t, noise(2), {}, {})
    for way, file in both_ways(folder):
        found, special = file["t"][:], ~np.isfinite(t)
        assert np.array_equal(found[special].view("u4"), t[special].view("u4")), way
        assert np.abs(found[~special] - t[~special]).max() <= BOUND, way


def test_packed_integers_and_flags_stay_exact():
    folder = Folder()
    values = np.random.default_rng(3).integers(-1000, 1000, (40, 60)).astype("i2")
    for attributes in ({"scale_factor": 0.01, "add_offset": 273.15},
                       {"flag_values": np.array([0, 1, 2], "i2"), "flag_meanings": "sea land ice"}):
        write(folder / "in.nc", values, noise(2), attributes, {}, dtype="i2")
        for way, file in both_ways(folder):
            assert np.array_equal(file["t"][:], values) and file["t"].dtype == "i2", (attributes, way)
            same_attributes(file, "t", attributes)


def test_packed_floats_have_the_bound_of_what_is_stored():
    folder = Folder()
    t, attributes = noise(1).astype("f4"), {"scale_factor": 2.0}
    write(folder / "in.nc", t, noise(2), attributes, {})
    for way, file in both_ways(folder):
        assert 0 < np.abs(file["t"][:] - t).max() <= BOUND, way
        same_attributes(file, "t", attributes)


def test_the_fill_value_of_hdf5_is_masked():
    folder = Folder()
    t = noise(1).astype("f4")
    t[5:9, 7:20] = -999
    with h5py.File(folder / "in.h5", "w") as file:
        file.create_dataset("t", data=t, fillvalue=-999, chunks=(40, 60))
    folder.run("compress", "in.h5", *WORDS, "-o", "a.kpk", "--quiet")
    folder.run("decompress", "-i", "a.kpk", "-o", "back.h5")
    folder.run("repack", "in.h5", "copy.h5", *WORDS, "--quiet")
    for way in ("back.h5", "copy.h5"):
        with h5py.File(folder / way) as file:
            assert np.array_equal(file["t"][:] == -999, t == -999) and file["t"].fillvalue == -999, way
            assert 0 < np.abs(file["t"][:] - t).max() <= BOUND, way


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: passed")
