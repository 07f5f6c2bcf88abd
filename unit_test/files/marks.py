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
    from program import BAD_ARGUMENT, BOUND_VIOLATED, Folder
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

BOUND = 0.01
WORDS = ["-m", "abs", "-e", BOUND]
NAMING = {"coordinates": "other", "bounds": "other", "climatology": "other", "formula_terms": "a: other",
          "cell_measures": "area: other", "grid_mapping": "other", "ancillary_variables": "other"}
DESCRIBING = [{"units": "days since 2000-01-01"}, {"units": "degrees_north"}, {"units": "degrees_east"},
              {"standard_name": "latitude"}, {"standard_name": "longitude"}, {"standard_name": "time"},
              {"standard_name": "air_temperature status_flag"}, {"standard_name": "quality_flag"},
              {"standard_name": "air_temperature number_of_observations"}, {"standard_name": "soil_type"}, {"standard_name": "land_binary_mask"},
              {"flag_values": np.array([0, 1, 2], "f4"), "flag_meanings": "sea land ice"}, {"flag_masks": np.array([1, 2], "f4")}]


def noise(seed, shape=(40, 60)):
    return np.random.default_rng(seed).standard_normal(shape).cumsum(-1) + 280


def write(path, t, other, of_t, of_other, dtype="f4", fill=None):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 40)
        file.createDimension("x", 60)
        for name, values, attributes, kind in (("t", t, of_t, dtype), ("other", other, of_other, "f4"),
                                               ("plain", noise(9), {}, "f4")):
            own = fill if name == "t" and fill is not None else False
            variable = file.createVariable(name, kind, ("y", "x"), fill_value=None if own == "default" else own)
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


def test_what_an_attribute_of_the_file_names_stays_exact():
    """xarray writes one for coordinates that no variable names."""
    folder = Folder()
    t, other = noise(1).astype("f4"), noise(2).astype("f4")
    write(folder / "in.nc", t, other, {}, {})
    with netCDF4.Dataset(folder / "in.nc", "a") as file:
        file.coordinates = "other"
        inner = file.createGroup("inner")
        inner.coordinates = "there"
        for name in ("there", "beside"):
            inner.createVariable(name, "f4", ("y", "x"))[:] = other
    for way, file in both_ways(folder):
        assert np.array_equal(file["other"][:], other) and np.array_equal(file["inner/there"][:], other), way
        for name, values in (("t", t), ("inner/beside", other)):
            assert 0 < np.abs(file[name][:] - values).max() <= BOUND, (name, way)
        assert file.coordinates == "other" and file["inner"].coordinates == "there", way


def write_named(path, variables):
    """Variables of noise on y and x, with a name and attributes each; n stands for one index."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("y", 40), ("x", 60), ("n", 2400)):
            file.createDimension(name, length)
        for number, (name, dimensions, attributes) in enumerate(variables):
            variable = file.createVariable(name, "f4", tuple(dimensions))
            variable.setncatts(attributes)
            variable[:] = noise(number).reshape(variable.shape)


def test_places_are_known_by_their_names_and_units():
    folder = Folder()
    exact = [("latitude", "yx", {"units": "degrees"}), ("Latitude2", "yx", {"units": "deg", "long_name": "Latitude of points"}),
             ("Longitude", "yx", {"units": "deg"}), ("latCell", "n", {"units": "rad"}), ("lonVertex", "n", {"units": "radians"}),
             ("clat", "n", {"units": "radian", "long_name": "center latitude"}), ("XLAT", "yx", {}), ("XLONG_U", "yx", {}),
             ("CLAT_M", "yx", {"units": "degrees latitude"}), ("jd", "n", {"units": "day as %Y%m%d.%f"}),
             ("depth", "n", {"positive": "down"}), ("col", "yx", {"axis": "X"}), ("row", "yx", {"axis": "y "}),
             ("a", "yx", {}), ("b", "yx", {}), ("c", "yx", {}), ("d", "yx", {})]
    # Fluxes have a direction, and some programs give fields the letters of all their axes.
    within = [("rsds", "yx", {"positive": "down", "units": "W m-2"}), ("sst", "yx", {"axis": "TYX"}),
              ("latent_heat", "yx", {"units": "W m-2"}), ("latency", "yx", {}), ("lat_flux", "yx", {"units": "degrees"}),
              ("direction", "yx", {"units": "degrees", "long_name": "wind from direction"}), ("phase", "yx", {"units": "rad"}),
              ("angle", "yx", {"units": "degrees", "coordinates": "a,b"}), ("plain", "yx", {"coordinates": "(c, d)"}),
              ("day_of_year", "yx", {"units": "days"})]
    write_named(folder / "in.nc", exact + within)
    for way, file in both_ways(folder):
        with netCDF4.Dataset(folder / "in.nc") as original:
            for name, *_ in exact:
                assert np.array_equal(file[name][:], original[name][:]), (name, way)
            for name, *_ in within:
                assert 0 < np.abs(file[name][:] - original[name][:]).max() <= BOUND, (name, way)


def test_a_stream_of_its_own_says_what_it_leaves_out():
    folder = Folder()
    write(folder / "in.nc", noise(1), noise(2), {"units": "K"}, {}, fill=np.float32(-9))
    outcome = folder.call("compress", "-i", "in.nc:t", *WORDS, "-o", "t.kpk")
    assert outcome.returncode == 0 and outcome.stderr.count("\n") == 1, outcome
    for mention in ("note: ", "'t.kpk'", "'_FillValue'", "'units'", "'y'", "'x'", "--name t"):
        assert mention in outcome.stderr, outcome
    outcome = folder.call("compress", "-i", "in.nc:t", *WORDS, "--name", "t", "-o", "named.kpk")
    assert outcome.returncode == 0 and outcome.stderr == "", outcome
    np.save(folder / "t.npy", noise(1))
    outcome = folder.call("compress", "-i", "t.npy", *WORDS, "-o", "npy.kpk")
    assert outcome.returncode == 0 and outcome.stderr == "", outcome


def test_case_and_blanks_of_units_say_nothing():
    """Fortran pads texts with blanks, C with zeros."""
    folder = Folder()
    t, other = noise(1).astype("f4"), noise(2).astype("f4")
    for attributes in ({"units": "Days Since 1990-01-01"}, {"units": "hours since\t1990-01-01"}, {"units": "days\nSINCE 1990-01-01"},
                       {"units": "degrees_north "}, {"units": " Degrees_East"}, {"units": "DEGREEN\0\0"},
                       {"standard_name": "latitude "}, {"standard_name": "Longitude"}):
        write(folder / "in.nc", t, other, {}, attributes)
        for way, file in both_ways(folder):
            assert np.array_equal(file["other"][:], other), (attributes, way)
            assert 0 < np.abs(file["t"][:] - t).max() <= BOUND, (attributes, way)


DATES = ["YYYYMMDD", "yyyy-mm-dd hh:mm:ss", "YYYYMMDDThhmmZ", "yyyymmdd.f", "date as YYYYDDD", "hhmm", "%Y%m%d", "day as %Y%m%d.%f",
         "julian day", "modified Julian days", "MJD", "days from 1970-01-01", "s @ 1970-01-01", "seconds past J2000", "unix time",
         "decimal year", "day of year", "days_since_1970", "julian_day", "Julian_Date", "days before 1950-01-01", "gregorian day"]
# Units of time without a reference are those of data, such as the hours of sunshine.
DURATIONS = ["days", "hours", "s", "mm", "mm d-1", "mm/h", "% d-1", "%", "%/year", "ms", "m from 3 stations", "degrees from north", "dd", "K"]


def test_units_of_dates_stay_exact_and_durations_have_the_bound():
    folder = Folder()
    variables = [(f"v{number}", "n", {"units": units}) for number, units in enumerate(DATES + DURATIONS)]
    write_named(folder / "in.nc", variables)
    for way, file in both_ways(folder):
        with netCDF4.Dataset(folder / "in.nc") as original:
            for name, _, attributes in variables:
                errors = np.abs(file[name][:] - original[name][:])
                is_exact = errors.max() == 0
                assert is_exact == (attributes["units"] in DATES) and errors.max() <= BOUND, (attributes, way)


def test_what_is_called_bounds_stays_exact():
    """Also where no attribute says so, and of a dimension without a variable."""
    folder = Folder()
    names = ["a_bnds", "a_bounds", "a_vertices", "bounds_a", "vertices_a", "A_Bnds", "n_bnds", "climatology_bounds", "out_of_bounds",
             "bnds", "_bnds", "b_edges"]
    exact = names[:8]
    write_named(folder / "in.nc", [("a", "n", {}), *((name, "n", {}) for name in names)])
    for way, file in both_ways(folder):
        with netCDF4.Dataset(folder / "in.nc") as original:
            found = [name for name in names if np.array_equal(file[name][:], original[name][:])]
            assert found == exact, (way, found)


def test_ends_and_corners_of_coordinates_stay_exact():
    """By vaguer names, if they have two or four numbers for each one of a coordinate."""
    folder = Folder()
    lengths = {"time": 120, "y": 30, "x": 40, "two": 2, "four": 4}
    exact = {"lat": "y", "time": "time", "lat_b": "y two", "LAT_LIMITS": "y two", "timebnds": "time two", "time_limits": "time two",
             "lat_cells": "y four", "lat_corner": "y four"}
    others = {"t": "x", "t_b": "x two", "corner": "y x", "lat_verts": "y x", "lat_edge": "x two", "time_b": "two time", "latb": "y two",
              "late_b": "y two", "_b": "y two"}
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        for dim, length in lengths.items():
            file.createDimension(dim, length)
        for number, (name, dims) in enumerate((exact | others).items()):
            values = np.random.default_rng(number).random([lengths[dim] for dim in dims.split()])
            file.createVariable(name, "f8", dims.split())[:] = values
        file["lat"].units = "degrees_north"
    for way, file in both_ways(folder):
        with netCDF4.Dataset(folder / "in.nc") as original:
            found = [name for name in file.variables if np.array_equal(file[name][:], original[name][:])]
            assert found == list(exact), (way, found)


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


def test_fill_values_of_another_type_come_back_bit_for_bit():
    """CF wants the type of the values, but files have numbers of others, and some that the type of the values does not have."""
    folder = Folder()
    for dtype, value, fill in (("i4", 100000, np.float64(100000)), ("i4", -2000000000, np.float32(-2e9)),
                               ("i2", 80, np.array([80, -99999], "i4"))):
        t = np.rint(noise(1)).astype(dtype)
        t[5, 7] = t[20, 3] = value
        write(folder / "in.nc", t, noise(2), {"missing_value": fill}, {}, dtype=dtype)
        folder.run("compress", "-i", "in.nc:t", "-m", "abs", "-e", 5, "--name", "t", "-o", "a.kpk", "--force", "--replace-archive")
        folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force")
        with netCDF4.Dataset(folder / "back.nc") as file:
            file.set_auto_maskandscale(False)
            found = file["t"][:]
            assert np.array_equal(found == value, t == value) and 0 < np.abs(found - t).max() <= 5, (dtype, fill, found[5, 7])
            same_attributes(file, "t", {"missing_value": fill})


def test_default_fill_values_of_netcdf_come_back():
    """Without a _FillValue netCDF reads the value of the type as missing, in packed bytes as well. Few places are not found."""
    folder = Folder()
    for kind, scale in (("f4", None), ("f8", None), ("i2", 0.01), ("i4", 0.01), ("i1", 0.01), ("u1", 0.01)):
        if kind == "u1":
            fill = 255
        else:
            fill = netCDF4.default_fillvals[kind]
        values = np.random.default_rng(1).standard_normal((40, 60)).cumsum(-1) + 40
        t = (values if scale is None else np.clip(values, 1, 100)).astype(kind)
        t[3, 4] = t[5, 6] = t[5, 7] = fill
        missing = t == np.array(fill, kind)
        for disk in ("NETCDF4", "NETCDF3_CLASSIC"):
            if kind == "u1" and disk != "NETCDF4":
                continue
            with netCDF4.Dataset(folder / "in.nc", "w", format=disk) as file:
                file.createDimension("y", 40)
                file.createDimension("x", 60)
                t_ = file.createVariable("t", kind, ("y", "x"))
                if scale:
                    t_.scale_factor = scale
                t_.set_auto_maskandscale(False)
                t_[:] = t
            for mode, bound in (("abs", 0.05), ("r2r", 0.1), ("pwr", 0.1)):
                words = ["-m", mode, "-e", bound, "--force", "--quiet"]
                folder.run("compress", "in.nc", *words, "--replace-archive", "-o", "a.kpk")
                folder.run("compress", "-i", "in.nc:t", *words, "--replace-archive", "--name", "t", "-o", "one.kpk")
                outputs = ["a.nc", "one.nc"]
                for output in outputs:
                    folder.run("decompress", "-i", output.replace("nc", "kpk"), "-o", output, "--force", "--quiet")
                if disk == "NETCDF4":
                    folder.run("repack", "in.nc", "copy.nc", *words)
                    outputs.append("copy.nc")
                for output in outputs:
                    with netCDF4.Dataset(folder / output) as file:
                        file.set_auto_maskandscale(False)
                        found = file["t"][:]
                    case = (kind, disk, mode, output)
                    assert np.array_equal(found == t.dtype.type(fill), missing), case
                    assert 0 < np.abs(found.astype("f8") - t)[~missing].max() < 100, case


def test_plain_bytes_have_no_default_fill_value():
    """Conventions leave all values of bytes to data; a bound of their own then holds for 255 as for any other value."""
    folder = Folder()
    values = np.random.default_rng(1).integers(0, 256, (40, 60)).astype("u1")
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("y", 40)
        file.createDimension("x", 60)
        file.createVariable("t", "u1", ("y", "x"))[:] = values
    folder.run("compress", "in.nc", "--bound", "t=abs:3", "-o", "a.kpk", "--quiet")
    assert folder.json("info", "a.kpk", "--name", "t")["fill"] is None


def test_more_fill_values_than_can_be_masked_stop_no_other_variable():
    folder = Folder()
    t = noise(1).astype("f4")
    for count in (6, 8, 12):
        missing = -1000 - np.arange(count, dtype="f4")
        t[2, :count] = missing
        write(folder / "in.nc", t, noise(2), {"missing_value": missing}, {})
        for way, file in both_ways(folder):
            assert np.array_equal(file["t"][:][2, :count], missing), (count, way)
            assert (np.abs(file["t"][:] - t).max() == 0) == (count > 6), (count, way)
            assert 0 < np.abs(file["other"][:] - noise(2).astype("f4")).max() <= BOUND, (count, way)
        for verb, output in (("compress", ["-o", "n.kpk", "--replace-archive"]), ("repack", ["n.nc"])):
            outcome = folder.call(verb, "in.nc", *(output if verb == "repack" else []), *WORDS, "--force",
                                  *(output if verb == "compress" else []))
            assert outcome.returncode == 0 and ("at most 7 can be masked" in outcome.stderr) == (count > 6), outcome
        folder.run("compare", "in.nc:t", "n.kpk", "--name", "t", "--quiet")
    folder.refused(BAD_ARGUMENT, ["'in.nc:t'", "at most 7", "-m lossless"], "compress", "-i", "in.nc:t", *WORDS, "-o", "t.kpk")
    folder.run("compress", "-i", "in.nc:t", "-m", "lossless", "-o", "t.kpk", "--quiet")


def test_compare_tells_values_that_became_missing():
    folder = Folder()
    t, default = noise(1).astype("f4"), np.float32(netCDF4.default_fillvals["f4"])
    for attributes, fill, own in (({"missing_value": np.float32(-999)}, np.float32(-999), None), ({}, default, "default")):
        t[3, 4], t[5, 6] = fill, fill + fill / 2**20
        write(folder / "in.nc", t, noise(2), attributes, {}, fill=own)
        for places, said in (([(5, 6)], "1 of them became missing"), ([(3, 4)], "1 of them lost a fill value"), ([], "")):
            other = t.copy()
            for place in places:
                other[place] = fill if place == (5, 6) else t[5, 6]
            other.tofile(folder / "other.f32")
            outcome = folder.call("compare", "in.nc:t", "other.f32", "-m", "pwr", "-e", 1e-3)
            assert outcome.returncode == (BOUND_VIOLATED if places else 0) and said in outcome.stderr, (fill, outcome)
            # A PSNR bounds no single error.
            outcome = folder.call("compare", "in.nc:t", "other.f32", "-m", "psnr", "-e", 30)
            assert outcome.returncode == (BOUND_VIOLATED if places else 0) and said in outcome.stderr, (fill, outcome)
            assert "e+308" not in outcome.stderr and ("missing or not finite" in outcome.stderr) == bool(places), outcome


def test_nan_and_infinities_come_back_bit_for_bit():
    folder = Folder()
    t = noise(1).astype("f4")
    t[3, 4:9], t[7, 7], t[8, 8] = np.nan, np.inf, -np.inf
    write(folder / "in.nc", t, noise(2), {}, {})
    for way, file in both_ways(folder):
        found, special = file["t"][:], ~np.isfinite(t)
        assert np.array_equal(found[special].view("u4"), t[special].view("u4")), way
        assert np.abs(found[~special] - t[~special]).max() <= BOUND, way


def test_integers_and_flags_stay_exact():
    folder = Folder()
    values = np.random.default_rng(3).integers(-1000, 1000, (40, 60)).astype("i2")
    for attributes in ({}, {"flag_values": np.array([0, 1, 2], "i2"), "flag_meanings": "sea land ice"},
                       {"flag_masks": np.array([1, 2], "i2"), "scale_factor": 0.0001}):
        write(folder / "in.nc", values, noise(2), attributes, {}, dtype="i2")
        for way, file in both_ways(folder):
            assert np.array_equal(file["t"][:], values) and file["t"].dtype == "i2", (attributes, way)
            same_attributes(file, "t", attributes)


def test_packed_integers_have_the_bound_of_their_numbers():
    folder = Folder()
    values = np.random.default_rng(3).integers(-1000, 1000, (40, 60)).astype("i2")
    attributes = {"scale_factor": BOUND / 8, "add_offset": 273.15}
    write(folder / "in.nc", values, noise(2), attributes, {}, dtype="i2")
    for way, file in both_ways(folder):
        assert np.abs(file["t"][:].astype(int) - values).max() == 8 and file["t"].dtype == "i2", way
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


def set_options(folder, **texts):
    """A file of netCDF with texts as the attribute kompakt_options, and one of HDF5 with the same."""
    attributes = {"units": "K", "coordinates": "other"}
    write(folder / "in.nc", noise(1), noise(2), attributes, {})
    with netCDF4.Dataset(folder / "in.nc", "a") as file, h5py.File(folder / "in.h5", "w") as other:
        file.createVariable("count", "i4", ("y", "x"))[:] = np.arange(2400).reshape(40, 60)
        for name in file.variables:
            if name in texts:
                file[name].kompakt_options = texts[name]
            other[name] = file[name][:]
            other[name].attrs.update({key: file[name].getncattr(key) for key in file[name].ncattrs()})


def errors_of(folder, name):
    """Largest errors of the variables of in.nc in a copy, which has the same options as attributes."""
    reader, read = (h5py.File, lambda v: v.attrs) if name.endswith("h5") else (netCDF4.Dataset, lambda v: v.__dict__)
    with netCDF4.Dataset(folder / "in.nc") as file, reader(folder / name) as copy:
        for variable in file.variables:
            found = read(copy[variable]).get("kompakt_options")
            found = found.decode() if isinstance(found, bytes) else found  # text of a fixed length
            assert found == file[variable].__dict__.get("kompakt_options"), (name, variable)
        return {v: np.abs(np.asarray(copy[v][:], "f8") - np.asarray(file[v][:], "f8")).max() for v in file.variables}


OWN = {"t": "abs:0.5,predictor=interpolate,pack", "other": "abs:0.25", "count": "lossless"}


def test_an_attribute_says_the_options_of_its_variable():
    folder = Folder()
    set_options(folder, **OWN)
    for end in ("nc", "h5"):
        # Beside the bound and the method of the call, which all others have.
        folder.run("compress", f"in.{end}", *WORDS, "-c", "fixedlength", "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
        folder.run("decompress", "-i", "a.kpk", "-o", f"back.{end}", "--force", "--quiet")
        folder.run("repack", f"in.{end}", f"copy.{end}", *WORDS, "-c", "fixedlength", "--quiet")
        for way in (f"back.{end}", f"copy.{end}"):
            errors = errors_of(folder, way)
            assert BOUND < errors["t"] <= 0.5 and BOUND < errors["other"] <= 0.25, (way, errors)
            assert 0 < errors["plain"] <= BOUND and errors["count"] == 0, (way, errors)
        fields = {field["name"]: field for field in folder.json("info", "a.kpk")["fields"]}
        assert fields["t"]["pipeline"] == "bitshuffle" and fields["plain"]["pipeline"] == "fixedlength", fields
        assert folder.json("info", "a.kpk", "--name", "t")["options"].startswith("abs:0.5,pipeline=bitshuffle,")
        assert "predictor=interpolate" in folder.json("info", "a.kpk", "--name", "t")["options"]


def test_an_attribute_leaves_no_bound_to_be_given():
    folder = Folder()
    set_options(folder, **OWN)
    folder.run("repack", "in.nc", "copy.nc", "--quiet")  # all without a bound stay as they are
    errors = errors_of(folder, "copy.nc")
    assert errors["t"] > BOUND and errors["other"] > BOUND and errors["plain"] == 0, errors
    folder.refused(BAD_ARGUMENT, ["'in.nc:plain' has no bound", "kompakt_options"], "compress", "in.nc", "-o", "a.kpk")
    folder.run("compress", "in.nc", "--skip", "plain", "-o", "a.kpk", "--quiet")
    folder.run("compress", "-i", "in.h5:t", "-o", "t.kpk", "--quiet")
    assert folder.json("info", "t.kpk")["bound_value"] == 0.5
    set_options(folder)
    folder.refused(BAD_ARGUMENT, ["no bound is given", "kompakt_options"], "repack", "in.nc", "none.nc")
    folder.refused(BAD_ARGUMENT, ["-m is missing"], "compress", "-i", "in.nc:t", "-o", "b.kpk")


def test_a_bound_by_name_takes_the_place_of_an_attribute():
    folder = Folder()
    set_options(folder, t="abs:0.5", plain="abs:x")
    for named in ("t=abs:0.001", "t*=abs:0.001"):
        folder.run("compress", "in.nc", "--bound", "p*=abs:0.002", "--bound", named, "-o", "a.kpk", "--force", "--replace-archive",
                   "--quiet")
        bounds = {field["name"]: field["bound_value"] for field in folder.json("info", "a.kpk")["fields"]}
        assert bounds["t"] == 0.001 and bounds["plain"] == 0.002, bounds
    folder.run("compress", "-i", "in.nc:t", "-m", "abs", "-e", "0.03", "-o", "t.kpk", "--quiet")
    assert folder.json("info", "t.kpk")["bound_value"] == 0.03


def test_an_attribute_without_a_bound_has_that_of_the_call():
    folder = Folder()
    set_options(folder, t="pipeline=huffman,pack", other="pack")
    folder.run("compress", "in.nc", *WORDS, "-c", "fixedlength", "--variant", "outlier", "-o", "a.kpk", "--quiet")
    fields = {field["name"]: field for field in folder.json("info", "a.kpk")["fields"]}
    assert (fields["t"]["pipeline"], fields["t"]["bound_value"]) == ("huffman", BOUND), fields["t"]
    assert fields["plain"]["variant"] == "outlier" and fields["other"]["bound_mode"] == "lossless", fields
    set_options(folder, t="lossless", count="lossless")  # which only one pipeline can do
    folder.run("compress", "in.nc", *WORDS, "-c", "huffman", "--fill", "7", "-o", "c.kpk", "--quiet")
    assert {field["name"]: field["bound_mode"] for field in folder.json("info", "c.kpk")["fields"]}["t"] == "lossless"
    set_options(folder, t="abs:0.5,goal=ratio")
    folder.run("compress", "in.nc", *WORDS, "--for", "speed", "-o", "b.kpk", "--quiet")
    assert ",goal=" not in folder.json("info", "b.kpk", "--name", "t")["options"]
    assert "for ratio" in folder.run("info", "b.kpk", "--name", "t") and "for speed" in folder.run("info", "b.kpk", "--name", "plain")


def test_an_attribute_that_cannot_be_used_is_named():
    folder = Folder()
    for name, text, why in (("t", "abs:x", "'x' is no number"), ("t", "abs:-1", "-1"), ("t", "abs:0", "bound 0"),
                            ("t", "abs:1,predicter=tile", "no option 'predicter'"), ("t", "0.01", "write abs:0.01 or r2r:0.01"),
                            ("t", 0.01, "no text"), ("t", "", "no text"), ("t", "abs:1,goal=ratio,predictor=tile", "leave out"),
                            ("t", "abs:1,pipeline=fixedlength,predictor=interpolate", "interpolat"),
                            ("other", "packed", "'packed'")):
        set_options(folder, **{name: text})
        for end in ("nc", "h5"):
            mentions = [f"'in.{end}:{name}': its attribute kompakt_options", f"'{text}'", why]
            for words in (("compress", f"in.{end}", "-o", "a.kpk"), ("repack", f"in.{end}", f"copy.{end}")):
                folder.refused(BAD_ARGUMENT, mentions, *words, *WORDS)
            folder.refused(BAD_ARGUMENT, mentions, "compress", "-i", f"in.{end}:{name}", "-o", "a.kpk")
            fates = {v["name"]: v for v in folder.json("info", f"in.{end}")["variables"]}
            assert fates[name]["compress"].startswith("refused: ") and why in fates[name]["compress"], fates[name]
    folder.run("compress", "in.nc", *WORDS, "--skip", "other", "-o", "a.kpk", "--quiet")
    folder.run("repack", "in.nc", "copy.nc", *WORDS, "--skip", "other", "--quiet")


def test_info_says_what_compress_makes_of_an_attribute():
    folder = Folder()
    set_options(folder, t="pack", **{name: OWN[name] for name in ("other", "count")})
    for end in ("nc", "h5"):
        said = {v["name"]: (v["compress"], v["options"]) for v in folder.json("info", f"in.{end}")["variables"]}
        assert said["t"] == ("within the bound: kompakt_options 'pack'", "pack"), said
        assert said["other"] == ("within its own bound: kompakt_options 'abs:0.25'", "abs:0.25"), said
        assert said["count"] == ("lossless: kompakt_options 'lossless'", "lossless"), said
        assert said["plain"] == ("within the bound", None), said


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: passed")
