#!/usr/bin/env python3
"""What the user has not said destroys nothing: fill values, coordinates and names of netCDF files through archives and copies.

usage: plain_call.py KOMPAKT

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import shutil
import struct
import subprocess
import sys

try:
    import h5py
    import netCDF4
    import numpy as np
    from program import BAD_ARGUMENT, BOUND_VIOLATED, Folder
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

BOUNDS = [("r2r", "1e-3"), ("abs", "0.007"), ("pwr", "1e-3"), ("psnr", "60")]


def sea():
    return np.random.default_rng(0).standard_normal((40, 60)).cumsum(-1) + 280


def through(folder, name, *words):
    """A file through an archive and back."""
    folder.run("compress", name, *words, "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
    folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
    return folder / "back.nc"


def test_every_declared_fill_value_comes_back():
    folder = Folder()
    for name, fill, others in [("both", -999.9, [-99.9]), ("list", None, [-99.9, -98.7]), ("far", 1e20, [-1e30, 9.0])]:
        x = sea()
        for i, value in enumerate(others + [fill] * bool(fill)):
            x[5 * i : 5 * i + 5] = value
        with netCDF4.Dataset(folder / "in.nc", "w") as file:
            file.createDimension("y", 40)
            file.createDimension("x", 60)
            v = file.createVariable("t", "f4", ("y", "x"), fill_value=fill or False)
            v.set_auto_mask(False)
            v.missing_value = np.array(others, "f4")
            v[:] = x
        with netCDF4.Dataset(folder / "in.nc") as file:
            mask = np.ma.getmaskarray(file["t"][:])
        for mode, bound in BOUNDS:
            for path in (through(folder, "in.nc", "-m", mode, "-e", bound), copy(folder, mode, bound)):
                with netCDF4.Dataset(path) as file:
                    y = file["t"][:]
                np.testing.assert_array_equal(np.ma.getmaskarray(y), mask, f"{name} {mode}")
                assert np.abs(y - x)[~mask].max() < 0.5, (name, mode)


def test_declared_fill_values_count_in_no_range_of_a_compare():
    folder = Folder()
    for fill, others in ((1e20, [-999.0]), (-999.0, [1e20, -30000.0])):
        for name, x in (("in.nc", sea()), ("lost.nc", np.full((40, 60), 280.0))):
            with netCDF4.Dataset(folder / name, "w") as file:
                file.createDimension("y", 40)
                file.createDimension("x", 60)
                v = file.createVariable("t", "f4", ("y", "x"), fill_value=fill)
                v.set_auto_mask(False)
                v.missing_value = np.array(others, "f4")
                x[:10] = fill
                x[10 : 10 + len(others)] = np.array(others)[:, None]
                v[:] = x
        outcome = folder.call("compare", "in.nc", "lost.nc", "-m", "r2r", "-e", "1e-3")
        assert outcome.returncode == BOUND_VIOLATED, outcome.stdout + outcome.stderr
        folder.run("compress", "in.nc:t", "-o", "t.kpk", "-m", "r2r", "-e", "1e-3", "--replace-archive", "--force")
        folder.run("decompress", "-i", "t.kpk", "-o", "t.npy", "--force", "--quiet")
        for compared in ("t.kpk", "t.npy"):
            metrics = folder.json("compare", "in.nc:t", compared, "-m", "r2r", "-e", "1e-3")
            assert metrics["fill_values"] == 600 + 60 * len(others), (compared, metrics)


def copy(folder, mode, bound):
    folder.run("repack", "in.nc", "copy.nc", "-m", mode, "-e", bound, "--force", "--quiet")
    return folder / "copy.nc"


def test_a_value_that_is_only_found_is_not_declared():
    folder = Folder()
    rng = np.random.default_rng(3)
    wind = np.where(rng.random((60, 80)) < 0.2, 0, 5 + rng.random((60, 80)))
    with netCDF4.Dataset(folder / "wind.nc", "w") as file:
        file.createDimension("y", 60)
        file.createDimension("x", 80)
        file.createVariable("wind", "f4", ("y", "x"))[:] = wind
    for mode, bound in (("abs", "0.01"), ("r2r", "1e-3")):
        with netCDF4.Dataset(through(folder, "wind.nc", "-m", mode, "-e", bound)) as file:
            assert "_FillValue" not in file["wind"].ncattrs()
            assert np.ma.count_masked(file["wind"][:]) == 0
            assert abs(file["wind"][:].mean() - wind.mean()) < 0.01


def write_cf(path):
    with netCDF4.Dataset(path, "w") as d:
        for name, n in (("time", 120), ("y", 20), ("x", 30), ("nv", 2), ("lev", 26), ("node", 500)):
            d.createDimension(name, n)

        def put(name, dims, values, **attributes):
            v = d.createVariable(name, "f8", dims)
            v.setncatts(attributes)
            v[...] = values

        rng, eta = np.random.default_rng(0), np.linspace(0.003, 0.993, 26)
        put("time", ("time",), np.arange(120) * 30.4375 + 15, units="days since 1850-01-01", bounds="time_bnds")
        put("time_bnds", ("time", "nv"), rng.random((120, 2)).cumsum(0))
        put("lat", ("y", "x"), rng.random((20, 30)) * 90, units="degrees_north")
        put("depth_of_cell", ("y", "x"), rng.random((20, 30)) * 9)
        put("lev", ("lev",), eta, formula_terms="a: hyam b: hybm p0: P0", units="1")
        put("hyam", ("lev",), 0.2 * eta * (1 - eta))
        put("hybm", ("lev",), eta**2)
        put("P0", (), 100000.0, units="Pa")
        put("areacella", ("y", "x"), rng.random((20, 30)) * 1e9)
        put("mesh", (), 0.0, cf_role="mesh_topology", node_coordinates="node_x node_y")
        put("node_x", ("node",), rng.random(500) * 360)
        put("node_y", ("node",), rng.random(500) * 180 - 90)
        put("rotated", ("y", "x"), rng.random((20, 30)), standard_name="grid_latitude", units="degrees")
        put("T", ("time", "y", "x"), rng.random((120, 20, 30)).cumsum(1) + 280, coordinates="lat depth_of_cell",
            cell_measures="area: areacella", units="K")


def test_what_describes_data_stays_exact():
    folder = Folder()
    write_cf(folder / "in.nc")
    for mode, bound in (("r2r", "1e-3"), ("abs", "0.01")):
        for path in (through(folder, "in.nc", "-m", mode, "-e", bound), copy(folder, mode, bound)):
            with netCDF4.Dataset(folder / "in.nc") as f, netCDF4.Dataset(path) as g:
                changed = {n for n in f.variables if np.any(np.asarray(f[n][...]) != np.asarray(g[n][...]))}
            assert changed == {"T"}, changed
    outcome = folder.call("compress", "in.nc", "-m", "abs", "-e", "0.01", "-o", "b.kpk")
    assert "9 variables say where, when or how others are, and stay exact" in outcome.stderr, outcome.stderr
    # Named whole they get their bound; a pattern does not mean them.
    named = through(folder, "in.nc", "-m", "abs", "-e", "0.01", "--bound", "lat=abs:0.5", "--bound", "*=abs:0.001")
    with netCDF4.Dataset(folder / "in.nc") as f, netCDF4.Dataset(named) as g:
        error = {n: np.abs(np.asarray(f[n][...]) - np.asarray(g[n][...])).max() for n in ("lat", "node_x", "T")}
    assert 0.001 < error["lat"] <= 0.5 and error["node_x"] == 0 and 0 < error["T"] <= 0.001, error


def test_a_pattern_means_variables_and_no_files():
    folder = Folder()
    for name in ("tmean", "other"):
        with netCDF4.Dataset(folder / f"{name}.nc", "w") as file:
            file.createDimension("n", 5000)
            for variable in ("tas", "pr"):
                file.createVariable(variable, "f4", ("n",))[:] = np.random.default_rng(1).random(5000)
    folder.run("compress", "tmean.nc", "other.nc", "-m", "r2r", "-e", "1e-3", "--bound", "t*=abs:0.1", "--bound",
               "other/pr=abs:0.2", "-o", "a.kpk", "--quiet")
    fields = folder.json("info", "a.kpk")["fields"]
    bounds = {field["name"]: (field["bound_mode"], field["bound_value"]) for field in fields}
    assert bounds == {"tmean/tas": ("abs", 0.1), "tmean/pr": ("r2r", 1e-3), "other/tas": ("abs", 0.1),
                      "other/pr": ("abs", 0.2)}, bounds


def test_dimensions_that_grow_go_on_growing():
    folder = Folder()
    with netCDF4.Dataset(folder / "grow.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 4)
        file.createVariable("time", "f8", ("time",))[:] = [1, 2, 3]
        file.createVariable("t", "f4", ("time", "x"))[:] = np.arange(12).reshape(3, 4)
        file.createVariable("p", "f4", ("time",))[:] = [4, 5, 6]
    with netCDF4.Dataset(through(folder, "grow.nc", "-m", "abs", "-e", "0.01"), "a") as file:
        assert file.dimensions["time"].isunlimited() and len(file.dimensions["time"]) == 3
        assert not file.dimensions["x"].isunlimited() and list(file.dimensions) == ["time", "x"]
        file["t"][3] = 4
        assert len(file.dimensions["time"]) == 4
    with netCDF4.Dataset(folder / "grow.nc", "a") as file:
        file.createDimension("step", None)
        file.createVariable("none", "f4", ("step", "x")).units = "K"
        file.createDimension("wide", 300000)
        file.createVariable("large", "f4", ("time", "wide"))[:] = np.arange(900000).reshape(3, 300000)
    folder.run("compress", "grow.nc", "-m", "abs", "-e", "0.01", "-o", "grow.kpk", "--quiet")
    folder.run("decompress", "grow.kpk", "-o", "grow.h5", "--quiet")
    with h5py.File(folder / "grow.h5", "a") as file:
        shapes = {name: file[name].maxshape for name in file}
        assert shapes == {"time": (None,), "t": (None, 4), "p": (None,), "none": (None, 4), "large": (None, 300000)}, shapes
        assert np.array_equal(file["t"][:], np.arange(12).reshape(3, 4)) and file["none"].shape == (0, 4)
        assert np.abs(file["large"][:] - np.arange(900000).reshape(3, 300000)).max() <= 0.01
        file["t"].resize(4, axis=0)


def test_fill_values_are_no_part_of_what_compare_says():
    folder = Folder()
    x = sea().astype("f4")
    x[:, 20:50] = 1e20
    np.save(folder / "x.npy", x)
    folder.run("compress", "-i", "x.npy", "-m", "r2r", "-e", "1e-3", "-o", "x.kpk")
    folder.run("decompress", "-i", "x.kpk", "-o", "y.npy")
    y = np.load(folder / "y.npy")
    values = x < 1e19
    rmse = np.sqrt(np.mean((y[values].astype("f8") - x[values]) ** 2))
    told = folder.json("compare", "-i", "x.npy", "x.kpk")
    assert abs(told["rmse"] - rmse) < 1e-6 * rmse, (told["rmse"], rmse)
    assert abs(told["psnr_db"] - 20 * np.log10(np.ptp(x[values]) / rmse)) < 1e-3, told


def test_values_that_make_the_range_are_refused():
    folder = Folder()
    x = np.random.default_rng(0).random((300, 400), "f4")
    x[::100, 7] = [1e20, 3e19, 5e21]
    np.save(folder / "x.npy", x)
    for mode, bound in (("r2r", "1e-3"), ("psnr", "60")):
        outcome = folder.call("compress", "-i", "x.npy", "-m", mode, "-e", bound, "-o", "x.kpk")
        assert outcome.returncode == BAD_ARGUMENT and "3 values, such as 5e+21" in outcome.stderr, outcome
        assert not (folder / "x.kpk").exists()
    folder.run("compress", "-i", "x.npy", "-m", "r2r", "-e", "1e-3", "--fill", "none", "-o", "x.kpk")


def test_info_lists_the_variables_of_a_file():
    folder = Folder()
    write_cf(folder / "in.nc")
    found = {one["name"]: one for one in folder.json("info", "in.nc")["variables"]}
    assert found["T"]["compress"] == "within the bound" and found["T"]["dimensions"] == ["time", "y", "x"]
    assert found["lat"]["compress"].startswith("lossless: it locates or describes") and found["P0"]["shape"] == []
    np.save(folder / "x.npy", np.zeros((3, 4), "i2"))
    assert folder.json("info", "x.npy")["variables"][0]["compress"] == "lossless: integers"
    assert "within the bound" in folder.run("info", "in.nc")


def test_info_says_how_variables_are_stored():
    folder = Folder()
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("time")
        file.createDimension("x", 50)
        field = file.createVariable("field", "f4", ("time", "x"), chunksizes=(10, 25))
        field[:], field.units = np.zeros((40, 50)), "K"
        packed = file.createVariable("packed", "i2", ("x",), contiguous=True)
        packed.scale_factor, packed.add_offset = 0.01, 273
        packed[:] = 273
    with h5py.File(folder / "in.h5", "w") as file:
        file.create_dataset("field", data=np.zeros((40, 50), "f4"), maxshape=(None, 50), chunks=(10, 25))
    said = {line.split()[0]: line for line in folder.run("info", "in.nc").splitlines()}
    assert "f32, 40 x 50 (time, x), unlimited time, chunks 10 x 25, K; within the bound" in said["field"], said
    assert "i16, 50 (x), scale_factor 0.01, add_offset 273; within the bound, in the numbers" in said["packed"], said
    found = {one["name"]: one for one in folder.json("info", "in.nc")["variables"]}
    assert found["field"]["chunk"] == [10, 25] and found["field"]["unlimited"] == ["time"] and found["packed"]["chunk"] == []
    assert "f32, 40 x 50, unlimited, chunks 10 x 25; within the bound" in folder.run("info", "in.h5")
    assert "chunks 10 x 25" in folder.run("info", "in.nc:field")


def test_words_are_those_of_the_filter():
    folder = Folder()
    told = folder.json("words", "-m", "abs", "-e", "0.01")
    low, high = struct.unpack("<2I", struct.pack("<d", 0.01))
    assert told["words"][:8] == [1, 0, low, high, 0, 0, 0, 0] and len(told["words"]) == 15, told
    several = folder.json("words", "-m", "r2r", "-e", "1e-3", "-c", "huffman", "--fill", "auto/1e20")["words"]
    assert several[1] == 1 and several[4] == 1 and several[7] == 1 << 8 and len(several) == 17, several
    assert f"UD={told['filter']},0,15,1,0,{low},{high}" in folder.run("words", "-m", "abs", "-e", "0.01")
    # For all variables they would move coordinates.
    said = folder.run("words", "-m", "r2r", "-e", "1e-3")
    assert "-f NAME:UD=" in said and "-F 'NAME," in said and "*" not in said, said
    folder.refused(BAD_ARGUMENT, ["-1"], "words", "-m", "abs", "-e", "-1")
    # A range that is given makes the bound of all chunks; what the filter does not keep is not dropped.
    ranged = folder.json("words", "-m", "r2r", "-e", "1e-3", "--range", "4")["words"]
    (bound,) = struct.unpack("<d", struct.pack("<2I", *ranged[2:4]))
    assert ranged[1] == 0 and 0.00399999 < bound <= 0.004, ranged
    folder.refused(BAD_ARGUMENT, ["axis", "leave it out"], "words", "-m", "abs", "-e", "0.01", "--axis", "0")
    folder.refused(BAD_ARGUMENT, ["goal", "leave it out"], "words", "-m", "abs", "-e", "0.01", "--for", "ratio")


def test_the_words_for_ncgen_are_read_by_it():
    folder = Folder()
    if shutil.which("ncgen") is None:
        return
    line = next(line for line in folder.run("words", "-m", "abs", "-e", "0.01").splitlines() if line.startswith("ncgen"))
    line = line.removeprefix("ncgen").strip().replace("NAME", "t")
    (folder / "in.cdl").write_text("netcdf in { dimensions: x = 4000; variables: float t(x); t:_Storage = \"chunked\"; "
                                   f"t:_ChunkSizes = 2000; {line} }}\n")
    subprocess.run(["ncgen", "-4", "-o", "out.nc", "in.cdl"], cwd=folder.path, check=True)
    with h5py.File(folder / "out.nc") as file:
        filters = file["t"].id.get_create_plist()
        told = folder.json("words", "-m", "abs", "-e", "0.01")
        assert filters.get_nfilters() == 1 and filters.get_filter(0)[0] == told["filter"]
        assert list(filters.get_filter(0)[2])[:7] == told["words"][:7]  # it completes the others


def test_enumerations_are_kept_as_numbers():
    folder = Folder()
    numbers = np.array([0, 1, 1, 7], "i2")
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("x", 4)
        kind = file.createEnumType("i2", "colour_t", {"red": 0, "green": 1, "none": 7})
        file.createVariable("colour", kind, ("x",))[:] = numbers
        file.createVariable("t", "f4", ("x",))[:] = numbers
    for name in ("in.nc", "in.h5"):
        (folder / "in.h5").write_bytes((folder / "in.nc").read_bytes())
        outcome = folder.call("compress", name, "-m", "r2r", "-e", "1e-3", "-o", "a.kpk", "--force", "--replace-archive")
        assert outcome.returncode == 0 and f"'{name}:colour': its values are an enumeration" in outcome.stderr, outcome
        folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
        with netCDF4.Dataset(folder / "back.nc") as file:
            assert file["colour"].dtype == "i2" and np.array_equal(file["colour"][:].filled(), numbers), file["colour"]


def write_other_types(path):
    """Texts, structures and lists beside a field, and complex numbers as structures of r and i."""
    pair, part = np.dtype([("a", "f4"), ("b", "i4")]), np.dtype([("r", "f4"), ("i", "f4")])
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 50)
        file.createDimension("n", 5000)
        file.createVariable("t", "f4", ("n",))[:] = np.sin(np.arange(5000) / 9)
        file.createVariable("words", str, ("x",))[:] = np.array([f"word {i}" for i in range(50)], object)
        file.createVariable("word", str, ())[...] = "alone"
        file.createVariable("pairs", file.createCompoundType(pair, "pair_t"), ("x",))[:] = np.ones(50, pair)
        file.createVariable("waves", file.createCompoundType(part, "wave_t"), ("x",))[:] = np.ones(50, part)
        file.createVariable("lists", file.createVLType("i4", "list_t"), ("x",))[7] = np.arange(3, dtype="i4")
    with h5py.File(path, "a") as file:
        file["bytes"] = np.full(50, b"ab", "V2")
        file["bytes"].dims[0].attach_scale(file["x"])


def test_other_types_are_named_and_stop_nothing():
    folder = Folder()
    write_other_types(folder / "in.nc")
    (folder / "in.h5").write_bytes((folder / "in.nc").read_bytes())
    kinds = {"words": "texts", "word": "texts", "pairs": "structures", "lists": "lists of any length", "bytes": "opaque bytes"}
    for name in ("in.nc", "in.h5"):
        outcome = folder.call("compress", name, "-m", "abs", "-e", 0.01, "-o", "a.kpk", "--force", "--replace-archive")
        assert outcome.returncode == 0, outcome
        for variable, kind in kinds.items():
            said = f"note: '{name}:{variable}' is left out: its values are {kind}; "
            assert outcome.stderr.count(f"{name}:{variable}'") == 1 and said in outcome.stderr, (variable, outcome.stderr)
        fates = {one["name"]: one["compress"] for one in folder.json("info", name)["variables"]}
        assert all(fates[variable].startswith(f"left out: its values are {kind}; ") for variable, kind in kinds.items()), fates
        waves = f"note: '{name}:waves' is left out: its values are complex numbers, which netCDF does not have; name the file .h5"
        assert (waves in outcome.stderr) == (name == "in.nc") == (fates["waves"] != "within the bound"), (fates, outcome.stderr)
        stored = {field["name"] for field in folder.json("info", "a.kpk")["fields"]}
        assert stored == ({"t"} if name == "in.nc" else {"t", "waves"}), stored
        folder.run("repack", name, "copy.nc", "--bound", "t=abs:0.01", "--force", "--quiet")
        with h5py.File(folder / name) as file, h5py.File(folder / "copy.nc") as copy:
            for variable in (*kinds, "waves"):
                assert copy[variable].id.get_type() == file[variable].id.get_type(), variable
                assert list(map(str, np.ravel(copy[variable][...]))) == list(map(str, np.ravel(file[variable][...]))), variable
            assert {"pair_t", "wave_t", "list_t"} < set(copy)
        with netCDF4.Dataset(folder / "copy.nc") as copy:
            assert set(copy.cmptypes) == {"pair_t", "wave_t"} and set(copy.vltypes) == {"list_t"}


def write_unlike_hdf5(path):
    """What netCDF-4 means and HDF5 does not say: records that nobody has written, dimensions of no variable, y that is no axis."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("Time", None), ("z", 12), ("y", 30), ("unused", 7)):
            file.createDimension(name, length)
        file.createVariable("T", "f4", ("Time", "z", "y"))[0:3] = np.random.default_rng(0).random((3, 12, 30))
        file.createVariable("ZNU", "f4", ("Time", "z"))[0] = np.linspace(1, 0, 12)
        file.createVariable("IVG", "i4", ("Time", "y"))[0:3] = np.arange(90).reshape(3, 30)
        file.createVariable("y", "f4", ("z", "y"))[:] = np.linspace(0, 1, 360).reshape(12, 30)
        file["T"].coordinates = "y"


def without_netcdf_properties(path):
    """As older versions of netCDF write it."""
    with h5py.File(path, "a") as file:
        del file.attrs["_NCProperties"]


def described(path):
    with netCDF4.Dataset(path) as file:
        sizes = {name: (len(one), one.isunlimited()) for name, one in file.dimensions.items()}
        return sizes, {name: (v.dimensions, v.shape, v.dtype, v.ncattrs()) for name, v in file.variables.items()}


def test_netcdf_is_told_by_its_content():
    folder = Folder()
    write_unlike_hdf5(folder / "in.nc")
    for name, change in (("wrfout_d01_2020-01-01_00:00:00", None), ("old.2020", without_netcdf_properties)):
        (folder / name).write_bytes((folder / "in.nc").read_bytes())
        if change:
            change(folder / name)
        path = through(folder, name, "-m", "abs", "-e", "0.01")
        assert described(path) == described(folder / "in.nc"), (described(path), described(folder / "in.nc"))
        with netCDF4.Dataset(folder / "in.nc") as f, netCDF4.Dataset(path) as g:
            np.testing.assert_array_equal(np.ma.getmaskarray(g["ZNU"][:]), np.ma.getmaskarray(f["ZNU"][:]))
            assert np.array_equal(f["y"][:], g["y"][:]) and np.array_equal(f["IVG"][:], g["IVG"][:])
    with h5py.File(folder / "plain", "w") as file:
        file["group/field"] = sea()
    folder.run("compress", "plain", "-m", "abs", "-e", "0.01", "-o", "h.kpk", "--quiet")
    folder.run("decompress", "-i", "h.kpk", "-o", "h.h5", "--quiet")
    with h5py.File(folder / "h.h5") as file:
        assert np.abs(file["group/field"][:] - sea()).max() <= 0.01


def test_names_are_those_of_netcdf():
    folder = Folder()
    write_unlike_hdf5(folder / "in.nc")
    with netCDF4.Dataset(folder / "in.nc", "a") as file:
        del file["T"].coordinates
        inner = file.createGroup("inner")
        inner.createDimension("x", 400)
        inner.createDimension("t", 50)
        inner.createVariable("x", "f4", ("t", "x"))[:] = np.random.default_rng(0).random((50, 400)).cumsum(1)
    report = folder.json("repack", "in.nc", "copy.nc", "-m", "abs", "-e", "0.001", "--bound", "inner/x=abs:0.1", "--verify")["files"][0]
    assert {one["name"]: one["bound_value"] for one in report["variables"]}["inner/x"] == 0.1, report
    assert "y" in {*report["unchanged"], *(one["name"] for one in report["variables"])}, report
    assert "_nc4" not in str(report), report
    assert "_nc4" not in folder.run("repack", "in.nc", "copy.nc", "-m", "abs", "-e", "0.001", "--force")
    with netCDF4.Dataset(folder / "in.nc") as f, netCDF4.Dataset(folder / "copy.nc") as g:
        assert g["inner/x"].dimensions == ("t", "x") and g["y"].dimensions == ("z", "y")
        assert np.abs(f["inner/x"][:] - g["inner/x"][:]).max() <= 0.1
    # A name that says HDF5 has the same names, of what HDF5 reads.
    (folder / "in.h5").write_bytes((folder / "in.nc").read_bytes())
    names = {one["name"] for one in folder.json("info", "in.h5")["variables"]}
    assert {"y", "inner/x"} < names and "_nc4" not in str(names), names
    folder.run("compress", "-i", "in.h5:inner/x", "-m", "abs", "-e", "0.01", "-o", "x.kpk", "--quiet")
    # Datasets of another program may be called so, beside others.
    with h5py.File(folder / "own.h5", "w") as file:
        file["_nc4_non_coord_a"], file["a"] = sea(), sea() + 1
    folder.run("compress", "own.h5", "-m", "lossless", "-o", "own.kpk", "--quiet")
    folder.run("decompress", "-i", "own.kpk", "-o", "back.h5", "--quiet")
    with h5py.File(folder / "back.h5") as file:
        assert np.array_equal(file["_nc4_non_coord_a"][:], sea()) and np.array_equal(file["a"][:], sea() + 1)


def test_what_is_not_written_later_is_missing():
    folder = Folder()
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 50)
        for name, kind in (("t", "f4"), ("byte", "u1"), ("other", "f4")):
            file.createVariable(name, kind, ("time", "x"))[:] = np.arange(200).reshape(4, 50)
        file.createVariable("bare", "u1", ("time", "x"), fill_value=False)[:] = 255
        file.createVariable("fixed", "f8", ("x",))[:] = 0
    folder.run("compress", "in.nc", "-m", "abs", "-e", "0.01", "-o", "a.kpk", "--quiet")
    folder.run("extract", "-i", "a.kpk", "--name", "t", "--roi", "0:4,0:50", "-o", "part.nc", "--quiet")
    folder.run("decompress", "-i", "a.kpk", "-o", "out.nc", "--quiet")
    for name, variables in (("part.nc", ["t"]), ("out.nc", ["t", "byte", "other", "fixed"])):
        with netCDF4.Dataset(folder / name) as file:
            assert all(file[one].get_fill_value() is not None for one in variables), name
    with netCDF4.Dataset(folder / "out.nc", "a") as file:
        assert file["bare"].get_fill_value() is None and file["bare"].ncattrs() == []  # as in the file that was compressed
        file["other"][4] = 1
    with netCDF4.Dataset(folder / "out.nc") as file:
        assert file["t"].shape == (5, 50) and np.ma.getmaskarray(file["t"][4]).all(), file["t"][4]


def test_two_files_share_no_group():
    folder = Folder()
    for place, title in (("a", "first"), ("b", "second")):
        (folder / place).mkdir()
        with netCDF4.Dataset(folder / place / "run.nc", "w") as file:
            file.createDimension("x", 40 if place == "a" else 50)
            file.createVariable(f"t_{place}", "f4", ("x",))[:] = 1
            file.createVariable("same", "f4", ("x",))[:] = 1
            file.title = title
    words = ["-m", "abs", "-e", "0.01", "-o"]
    folder.refused(BAD_ARGUMENT, ["'a/run.nc' and 'b/run.nc' would share the group 'run'", "an archive of each"], "compress",
                   "a/run.nc", "b/run.nc", *words, "s.kpk")
    folder.run("compress", "a/run.nc:t_a", "a/run.nc:same", *words, "one.kpk", "--quiet")  # one file
    folder.run("compress", "a/run.nc", *words, "s.kpk", "--quiet")
    for more in (["b/run.nc:t_b"], ["-i", "b/run.nc:t_b", "--name", "own"]):
        outcome = folder.call("compress", *more, *words, "s.kpk", "--append")
        assert outcome.returncode == 0 and "'title'" in outcome.stderr and "stay as the archive has them" in outcome.stderr, outcome
    folder.run("decompress", "-i", "s.kpk", "-o", "back.nc", "--quiet")
    with netCDF4.Dataset(folder / "back.nc") as file:
        assert file.title == "first" and {"t_a", "t_b", "own"} < set(file.variables)
    outcome = folder.call("compress", "a/run.nc", *words, "s.kpk", "--append", "--replace")
    assert outcome.returncode == 0 and "stay as the archive" not in outcome.stderr, outcome


def test_errors_and_notes_name_the_variable():
    folder = Folder()
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("y", 100)
        file.createDimension("x", 100)
        for name in ("fine", "hurt", "found"):
            file.createVariable(name, "f4", ("y", "x"))[:] = np.random.default_rng(0).random((100, 100))
        file["hurt"][3, 4] = np.float32(5e21)
        file["found"][40:60] = -77
    words = ["-m", "r2r", "-e", "1e-3"]
    told = ["'in.nc:hurt': the range comes from 1 value, 5e+21", "set the fill value to 5e+21"]
    folder.refused(BAD_ARGUMENT, [*told, "to none (--fill, --bound 'hurt=abs:E')"], "compress", "in.nc", *words, "-o", "a.kpk", "--quiet",
                   "--skip", "found")
    folder.refused(BAD_ARGUMENT, [*told, "-m abs -e E"], "compress", "-i", "in.nc:hurt", *words, "-o", "a.kpk")
    folder.refused(BAD_ARGUMENT, [*told, "--bound 'hurt=abs:E'"], "repack", "in.nc", "copy.nc", *words, "--skip", "found")
    for mentions, more in ((["'in.nc:found': --fill auto masks 2000 values of -77"], words),
                           (["'in.nc:found': --fill: 7 is nowhere", "'in.nc:fine': --fill: 7"], ["-m", "abs", "-e", "1", "--fill", "7"])):
        outcome = folder.call("compress", "in.nc", "--skip", "hurt", *more, "-o", "a.kpk", "--force", "--replace-archive")
        assert outcome.returncode == 0 and all(mention in outcome.stderr for mention in mentions), outcome
    outcome = folder.call("compress", "-i", "in.nc:fine", "-m", "abs", "-e", "1e-3", "--limits", "200:350", "-o", "fine.kpk")
    assert outcome.returncode == 0 and "'in.nc:fine': --limits 200:350" in outcome.stderr, outcome


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: passed")
