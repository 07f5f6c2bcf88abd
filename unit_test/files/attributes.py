#!/usr/bin/env python3
"""Attributes and dimension scales through archives and back, as h5py and netCDF4 see them.

usage: attributes.py KOMPAKT

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import sys

try:
    import h5py
    import netCDF4
    import numpy as np
    from program import BOUND, Folder, smooth, within_bound
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

ABS = ["-m", "abs", "-e", BOUND]
GLOBAL = {"title": "A run", "levels": np.array([1, 2, 3], "i2"), "scale": np.float64(0.1)}


def write(path, title):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(GLOBAL | {"title": title})
        file.createDimension("lat", 30)
        file.createDimension("lon", 40)
        for name in ["lat", "lon"]:
            file.createVariable(name, "f8", (name,))[:] = np.arange(len(file.dimensions[name])) / 7
        air = file.createVariable("air", "f4", ("lat", "lon"))
        air.units = "K"
        air[:] = smooth((30, 40), "f4")
        ocean = file.createGroup("ocean")
        ocean.note = "sea"
        ocean.createDimension("depth", 5)
        deep = ocean.createGroup("deep")
        deep.level = np.float32(2.5)
        deep.createVariable("salt", "f4", ("depth", "lat"))[:] = smooth((5, 30), "f4")


def attributes(owner):
    return {key: np.asarray(owner.getncattr(key)).tolist() for key in owner.ncattrs()}


def notes(folder, *words):
    """What a call that succeeds says on standard error, a line each."""
    outcome = folder.call(*words)
    assert outcome.returncode == 0, outcome
    lines = outcome.stderr.splitlines()
    assert all(line.startswith("kompakt: note: ") for line in lines), lines
    return lines


def test_groups():
    folder = Folder()
    write(folder / "in.nc", "A run")
    wanted = {key: np.asarray(value).tolist() for key, value in GLOBAL.items()}
    assert notes(folder, "compress", "in.nc", "-o", "all.kpk", *ABS) == []
    for suffix in ["nc", "h5"]:
        assert notes(folder, "decompress", "-i", "all.kpk", "-o", f"out.{suffix}") == []
        with netCDF4.Dataset(folder / f"out.{suffix}") as out:
            assert attributes(out) == wanted, (suffix, attributes(out))
            assert out.getncattr("levels").dtype == "i2" and out["air"].units == "K"
            assert attributes(out["ocean"]) == {"note": "sea"} and attributes(out["ocean/deep"]) == {"level": 2.5}
            assert out["air"].dimensions == ("lat", "lon") and within_bound(smooth((30, 40), "f4"), out["air"][...].data)
    # A variable alone takes what is said of its groups with it, also under another name.
    folder.run("compress", "-i", "in.nc:ocean/deep/salt", *ABS, "-o", "one.kpk", "--name", "salt")
    folder.run("decompress", "-i", "one.kpk", "-o", "one.nc")
    with netCDF4.Dataset(folder / "one.nc") as out:
        assert attributes(out) == wanted | {"note": "sea", "level": 2.5}, attributes(out)
    # Of several files each has its own.
    write(folder / "other.nc", "Another one")
    folder.run("compress", "in.nc", "other.nc", "-o", "two.kpk", *ABS)
    folder.run("decompress", "-i", "two.kpk", "-o", "two.nc")
    with netCDF4.Dataset(folder / "two.nc") as out:
        assert (out["in"].title, out["other"].title) == ("A run", "Another one") and out.ncattrs() == []
        assert attributes(out["other/ocean/deep"]) == {"level": 2.5}


def test_scales():
    folder = Folder()
    write(folder / "in.nc", "A run")
    folder.run("compress", "in.nc", "-o", "all.kpk", *ABS)
    folder.run("decompress", "-i", "all.kpk", "-o", "out.h5")
    with h5py.File(folder / "out.h5") as out:
        assert out["lat"].is_scale and out["lon"].is_scale and not out["air"].is_scale
        assert [dim[0].name for dim in out["air"].dims] == ["/lat", "/lon"]
        assert [len(dim) for dim in out["ocean/deep/salt"].dims] == [0, 1]  # there is no axis of the depth
        assert [dim.label for dim in out["ocean/deep/salt"].dims] == ["depth", "lat"]
        users = sorted((out[who].name, int(index)) for who, index in out["lat"].attrs["REFERENCE_LIST"])
        assert users == [("/air", 0), ("/ocean/deep/salt", 1)], users
    # Scales name dimensions where there are no labels.
    with h5py.File(folder / "scaled.h5", "w") as file:
        file["x"], file["y"], file["field"] = np.arange(3.0), np.arange(4.0), smooth((3, 4), "f4")
        for index, name in enumerate(["x", "y"]):
            file[name].make_scale(name)
            file["field"].dims[index].attach_scale(file[name])
    folder.run("compress", "-i", "scaled.h5:field", *ABS, "-o", "scaled.kpk", "--name", "field")
    folder.run("decompress", "-i", "scaled.kpk", "-o", "scaled.nc")
    with netCDF4.Dataset(folder / "scaled.nc") as out:
        assert out["field"].dimensions == ("x", "y")


def test_what_cannot_be_kept():
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        file["x"] = smooth((3, 4), "f4")
        file["x"].attrs["m/s"] = np.arange(3, dtype="i2")
        file["x"].attrs["pair"] = np.zeros(2, [("a", "f4"), ("b", "i4")])
        file.attrs["who"] = file["x"].ref
        file["x"].attrs["units"] = "K"
    said = notes(folder, "compress", "-i", "in.h5:x", *ABS, "-o", "x.kpk", "--name", "x")
    assert len(said) == 2 and "'pair' of 'x'" in said[0] and "'who' of the file" in said[1], said
    said = notes(folder, "decompress", "-i", "x.kpk", "-o", "x.nc")
    assert len(said) == 1 and "'m/s' of 'x'" in said[0] and "netCDF" in said[0], said
    with netCDF4.Dataset(folder / "x.nc") as out:
        assert out["x"].ncattrs() == ["units"] and within_bound(smooth((3, 4), "f4"), out["x"][...].data)
    assert notes(folder, "decompress", "-i", "x.kpk", "-o", "x.h5") == []
    with h5py.File(folder / "x.h5") as out:
        assert out["x"].attrs["m/s"].tolist() == [0, 1, 2] and out["x"].attrs["m/s"].dtype == "i2"
    np.save(folder / "a.npy", smooth((3, 4), "f4"))
    folder.run("compress", "-i", "a.npy", *ABS, "-o", "long.kpk", "--name", "a", "--attribute", "long=" + 65535 * "x",
               "--attribute", "CLASS=mine")
    said = notes(folder, "decompress", "-i", "long.kpk", "-o", "long.h5")
    assert said == [], said
    with h5py.File(folder / "long.h5") as out:
        assert len(out["a"].attrs["long"]) == 65535 and out["a"].attrs["CLASS"] == b"mine"
    assert folder.call("decompress", "-i", "x.kpk", "-o", "quiet.nc", "--quiet").stderr == ""


def write_namesakes(path):
    """Dimensions of groups that have the names or the lengths of others."""
    with netCDF4.Dataset(path, "w") as file:
        inner = file.createGroup("g")
        deep = inner.createGroup("h")
        for group, lengths in [(file, {"x": 4, "y": 5, "t": None}), (inner, {"x": 4, "z": 5, "t": None}), (deep, {"x": 7, "t": 6})]:
            for name, length in lengths.items():
                group.createDimension(name, length)
        for group, name, dims, shape in [(file, "a", ("t", "x"), (3, 4)), (inner, "a", ("x", "z"), (4, 5)), (inner, "b", ("t", "y"), (2, 5)),
                                         (deep, "x", ("x",), (7,)), (deep, "b", ("x", "t", "z"), (7, 6, 5))]:
            group.createVariable(name, "f4", dims)[:] = smooth(shape, "f4")
        deep.createDimension("y", 9)  # no variable has it


def dimensions_of(group):
    """Dimensions of a group and those in it, and the groups that declare the dimensions of variables."""
    own = {name: (len(one), one.isunlimited()) for name, one in group.dimensions.items()}
    used = {name: [(one.name, one.group().path) for one in variable.get_dims()] for name, variable in group.variables.items()}
    return {group.path: (own, used)} | {path: it for inner in group.groups.values() for path, it in dimensions_of(inner).items()}


def test_dimensions_of_groups():
    folder = Folder()
    write_namesakes(folder / "in.nc")
    with netCDF4.Dataset(folder / "in.nc") as file:
        wanted = dimensions_of(file)
    assert notes(folder, "compress", "in.nc", "-o", "in.kpk", *ABS) == []
    assert notes(folder, "decompress", "in.kpk", "-o", "out.nc") == []
    with netCDF4.Dataset(folder / "out.nc") as out:
        assert dimensions_of(out) == wanted, dimensions_of(out)
    # Among the groups of several files, too.
    (folder / "other.nc").write_bytes((folder / "in.nc").read_bytes())
    folder.run("compress", "in.nc", "other.nc", "-o", "two.kpk", *ABS)
    folder.run("compress", "in.nc", "-o", "two.kpk", "--append", *ABS)
    folder.run("decompress", "two.kpk", "-o", "two.nc")
    with netCDF4.Dataset(folder / "two.nc") as out:
        both = dimensions_of(out)
        assert [both["/other" + path.rstrip("/")][0] for path in wanted] == [own for own, _ in wanted.values()], both
    # HDF5 has dimensions that are variables: x of the innermost group, and no other x.
    folder.run("decompress", "in.kpk", "-o", "out.h5", "--quiet")
    with h5py.File(folder / "out.h5") as out:
        assert [[scale.name for scale in dim.values()] for dim in out["g/h/b"].dims] == [["/g/h/x"], [], []]
    folder.run("remove", "in.kpk", "a", "g/a", "g/b")
    folder.run("extract", "-i", "in.kpk", "--name", "g/h/b", "--roi", "0:2,0:6,0:5", "-o", "part.nc:g/h/b")
    with netCDF4.Dataset(folder / "part.nc") as out:
        assert dimensions_of(out)["/g/h"][1]["b"] == [("x", "/g/h"), ("t", "/g/h"), ("z", "/g")]


def test_dimensions_of_a_strange_archive_stop_nothing():
    """Lengths and names that no file of netCDF can have."""
    folder = Folder()
    name, longest = "n" * 254, "m" * 300
    for field, rows, more in [("a", 8, ["--attribute", f"./_dimensions=x=18446744073709551615/{longest}=3"]), ("b", 5, ["--append"])]:
        np.save(folder / "in.npy", smooth((rows, 6), "f4"))
        folder.run("compress", "-i", "in.npy", *ABS, "-o", "in.kpk", "--name", field, "--attribute", f"_dimensions={name}/y", *more)
    said = notes(folder, "decompress", "in.kpk", "-o", "out.nc")
    for wanted in ("the dimension 'x' of '/', which no variable has, is left out", f"the dimension '{longest}' of '/', which",
                   f"the dimension '{name}' of 'b' is called 'dim_5', as one of another length has its name"):
        assert any(wanted in line for line in said), said
    with netCDF4.Dataset(folder / "out.nc") as out:
        assert out["a"].dimensions == (name, "y") and out["b"].dimensions == ("dim_5", "y")


def test_a_dimension_that_gets_another_name_is_told():
    folder = Folder()
    write_namesakes(folder / "in.nc")
    for name in ("in.nc:a", "in.nc:g/b"):
        folder.run("compress", "-i", name, *ABS, "-o", "a.kpk", "--append", "--name", name[-1])
    said = notes(folder, "decompress", "a.kpk", "-o", "a.nc")
    assert said == ["kompakt: note: the dimension 't' of 'b' is called 't_2', as one of another length has its name"], said
    with netCDF4.Dataset(folder / "a.nc") as out:
        assert out["a"].dimensions == ("t", "x") and out["b"].dimensions == ("t_2", "y") and out.dimensions["t_2"].isunlimited()


RESERVED = {"_NoFill": "mine", "_types": "f32 units", "_dimensions": "a/b", "_unlimited": "x", "_part 2 of units": "m", "_own _types": "x", "_scale_name": "x",
            "./units": np.int16(3), "../title": "x", "_dimension_levels": np.arange(3)}


def test_names_that_archives_use_are_attributes_like_others():
    folder = Folder()
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("x", 4)
        for name, fill in (("none", False), ("own", None), ("marked", False)):
            file.createVariable(name, "f4", ("x",), fill_value=fill)[:] = smooth((4,), "f4")
            file[name].setncatts({key: value for key, value in RESERVED.items() if "/" not in key and name != "none"})
        file.setncatts({key: value for key, value in RESERVED.items() if "/" not in key})
        file.createDimension("alone", 7)
    with h5py.File(folder / "of.h5", "w") as file:
        file["g/x"] = smooth((3, 4), "f4")
        for owner in (file, file["g"], file["g/x"]):
            owner.attrs.update(RESERVED)
    for source in ("in.nc", "of.h5"):
        end = source.rpartition(".")[2]
        assert notes(folder, "compress", source, "-o", f"{source}.kpk", *ABS) == []
        assert notes(folder, "decompress", f"{source}.kpk", "-o", f"out.{end}") == []
    with netCDF4.Dataset(folder / "in.nc") as file, netCDF4.Dataset(folder / "out.nc") as out:
        assert attributes(out) == attributes(file) and len(out.dimensions["alone"]) == 7
        for name in file.variables:
            assert attributes(out[name]) == attributes(file[name]), (name, out[name])
            assert out[name].get_fill_value() is None if name != "own" else out[name].get_fill_value() is not None, name
    with h5py.File(folder / "out.h5") as out:
        for path in ("/", "g", "g/x"):
            assert {key: value for key, value in out[path].attrs.items() if key in RESERVED}.keys() == RESERVED.keys(), path
            assert out[path].attrs["./units"] == 3 and out[path].attrs["_NoFill"] == "mine"


def write_unusual(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)  # of no length yet
        file.createDimension("alone", 7)
        file.createDimension("x", 4)
        file.createDimension("letters", 5)
        group = file.createGroup("inner")
        group.createDimension("own", 3)
        file.setncattr_string("history", ["one", "two, °"])
        file.createVariable("empty", "f4", ("time", "x")).units = "K"
        file.createVariable("rotated_pole", "S1", ()).setncatts(
            {"grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 39.25})
        file.createVariable("names", "S1", ("x", "letters"))[:] = np.array([list("Basel")] * 3 + [list("ab\0\0\0")], "S1")
        field = file.createVariable("t", "f4", ("x",))
        field.grid_mapping = "rotated_pole"
        field.setncattr_string("remarks", ["first", "second"])
        field[:] = [1, 2, 3, 4]


def require_unusual(path):
    with netCDF4.Dataset(path) as out:
        assert out.dimensions["time"].isunlimited() and len(out.dimensions["time"]) == 0
        assert out["empty"].dimensions == ("time", "x") and out["empty"].shape == (0, 4) and out["empty"].units == "K"
        pole = out["rotated_pole"]
        assert pole.dtype == "S1" and pole.shape == () and pole.grid_north_pole_latitude == 39.25
        out["names"].set_auto_chartostring(False)
        assert out["names"][:].data.tobytes() == b"BaselBaselBaselab\0\0\0" and out["names"].dtype == "S1"
        assert out["t"].remarks == ["first", "second"] and out.history == ["one", "two, °"], out["t"].remarks


def test_dimensions_lists_and_letters():
    folder = Folder()
    write_unusual(folder / "in.nc")
    said = notes(folder, "compress", "in.nc", "-o", "in.kpk", *ABS)
    assert len(said) == 1 and "the group 'in.nc:inner' is left out: no variable in it is stored" in said[0], said
    assert notes(folder, "decompress", "-i", "in.kpk", "-o", "out.nc") == []
    require_unusual(folder / "out.nc")
    with netCDF4.Dataset(folder / "out.nc") as out:
        assert len(out.dimensions["alone"]) == 7 and "inner" not in out.groups
    assert notes(folder, "repack", "in.nc", "copy.nc", *ABS, "--quiet") == []
    require_unusual(folder / "copy.nc")
    with netCDF4.Dataset(folder / "copy.nc") as out:
        assert len(out.dimensions["alone"]) == 7 and len(out["inner"].dimensions["own"]) == 3
    # By way of HDF5 all but the dimension that no variable has, which a note says.
    said = notes(folder, "decompress", "-i", "in.kpk", "-o", "out.h5")
    assert len(said) == 1 and "the dimension 'alone' of '/' is left out" in said[0], said
    folder.run("compress", "out.h5", "-o", "again.kpk", *ABS)
    folder.run("decompress", "-i", "again.kpk", "-o", "again.h5")
    with h5py.File(folder / "again.h5") as out:
        assert out["empty"].shape == (0, 4) and out["rotated_pole"].dtype == "S1" and out["names"].dtype == "S1"
        assert out["names"][0].tobytes() == b"Basel" and list(out["t"].attrs["remarks"]) == ["first", "second"]


def test_booleans_come_back_and_enumerations_keep_their_numbers():
    """h5py writes booleans as an enumeration."""
    folder = Folder()
    colours = h5py.enum_dtype({"red": 1, "green": 2, "blue": 700}, basetype=">i2")
    with h5py.File(folder / "in.h5", "w") as file:
        file["x"] = smooth((3, 4), "f4")
        file["x"].attrs["wet"] = True
        file["x"].attrs["marks"] = np.array([True, False, True])
        file["x"].attrs.create("colour", 700, dtype=colours)
        file.attrs["whole"] = False
        file.create_dataset("flags", data=np.arange(300).reshape(20, 15) % 7 < 3, fillvalue=True)
        file["one"] = True
    said = notes(folder, "compress", "in.h5", "-o", "in.kpk", *ABS)
    assert len(said) == 1 and "'colour' of 'x' loses the names of its numbers" in said[0], said
    assert notes(folder, "decompress", "in.kpk", "-o", "out.h5") == []
    with h5py.File(folder / "in.h5") as file, h5py.File(folder / "out.h5") as out:
        kept = dict(out["x"].attrs)
        assert kept["wet"] is np.True_ and kept["marks"].tolist() == [True, False, True] and kept["colour"] == 700, kept
        assert kept["marks"].dtype == bool and kept["colour"].dtype == "i2" and out.attrs["whole"] is np.False_, kept
        for name in ("flags", "one"):
            assert out[name].dtype == bool and np.array_equal(file[name][...], out[name][...]), name
            assert file[name].fillvalue == out[name].fillvalue and dict(out[name].attrs) == dict(file[name].attrs), name
    # What has no Booleans gets numbers, and a note for each.
    said = notes(folder, "decompress", "in.kpk", "-o", "out.nc")
    assert [sum(word in line for line in said) for word in ("stored as i8", "no Booleans")] == [2, 3] and len(said) == 5, said
    assert "stored as i8" in notes(folder, "decompress", "in.kpk", "--name", "flags", "-o", "flags.npy")[0]
    said = notes(folder, "compress", "-i", "in.h5:flags", "-m", "lossless", "-o", "stream.kpk")
    assert "the numbers 0 and 1 of the Booleans of 'flags'" in said[0], said


def test_attributes_that_netcdf_passes_over_are_named():
    """Its library has no types without a name, such as those that h5py gives Booleans."""
    folder = Folder()
    write(folder / "in.nc", "A run")
    with netCDF4.Dataset(folder / "in.nc", "a") as file:
        file.createEnumType("i2", "colours", {"red": 1, "blue": 700})
    with h5py.File(folder / "in.nc", "a") as file:
        file.attrs["whole"], file["ocean"].attrs["salty"] = False, True
        file["air"].attrs["wet"], file["air"].attrs["marks"] = True, np.array([True, False, True])
        file["air"].attrs.create("colour", 700, dtype=file["colours"])
    (folder / "in.h5").write_bytes((folder / "in.nc").read_bytes())
    said = [line for line in notes(folder, "compress", "in.nc", "-o", "in.kpk", *ABS) if "named type" not in line]
    assert said == ["kompakt: note: 4 attributes of 'in.nc' are left out, as netCDF passes over them; name the file .h5 to read it as HDF5: "
                    "':whole', '/ocean:salty', 'air:marks', 'air:wet'",
                    "kompakt: note: the attribute 'colour' of 'air' loses the names of its numbers: an archive keeps an enumeration as numbers"], said
    assert "'air:wet'" not in "".join(notes(folder, "compress", "in.h5", "-o", "of_h5.kpk", *ABS))
    numbers = {"colour": 700, "marks": [1, 0, 1], "wet": 1}
    for archive, suffix, keys in (("in.kpk", "nc", {"colour"}), ("in.kpk", "h5", {"colour"}), ("of_h5.kpk", "nc", set(numbers)),
                                  ("of_h5.kpk", "h5", {"colour"})):  # which has Booleans again
        folder.run("decompress", "-i", archive, "-o", f"out.{suffix}", "--force", "--quiet")
        with netCDF4.Dataset(folder / f"out.{suffix}") as out:
            kept = attributes(out["air"])
            assert {**kept, **{key: numbers[key] for key in keys}} == kept and set(kept) & set(numbers) == keys, kept
    folder.run("repack", "in.nc", "copy.nc", "--bound", f"air=abs:{BOUND}", "--quiet")
    with h5py.File(folder / "copy.nc") as copy:
        assert [copy["air"].attrs[key].dtype for key in ("wet", "marks")] == [bool, bool] and copy["air"].attrs["marks"].tolist() == [True, False, True]


def test_what_loses_its_shape_is_named():
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        file["x"] = smooth((3, 4), "f4")
        file["x"].attrs["matrix"] = np.eye(2)
        file["x"].attrs["poem"] = ["one\ntwo", "three"]
        file.attrs["table"] = [["a", "b"]]
    said = notes(folder, "compress", "in.h5", "-o", "in.kpk", *ABS)
    assert len(said) == 1 and "'poem' of 'x' loses its shape" in said[0], said
    assert notes(folder, "decompress", "in.kpk", "-o", "out.h5") == []
    with h5py.File(folder / "out.h5") as out:
        assert out["x"].attrs["matrix"].tolist() == [[1, 0], [0, 1]] and out.attrs["table"].tolist() == [["a", "b"]]
    said = notes(folder, "decompress", "in.kpk", "-o", "out.nc")
    assert len(said) == 2 and all("loses its shape: attributes of netCDF are lists" in line for line in said), said


# Values of attributes of HDF5 that a careless copy changes; the last ones have names that dimension scales have.
OF_HDF5 = {"text": "any °", "fixed": np.bytes_("fixed"), "padded": np.bytes_("ab  "), "inner": np.bytes_(b"ab\0cd"), "latin": np.bytes_(b"\xe9t\xe9"),
           "one": np.array([5], "i4"), "one_text": np.array(["t"], object), "none": np.zeros(0, "f4"), "letters": np.array([b"a", b"bcd"]),
           "block": np.arange(6, dtype="u2").reshape(1, 2, 3), "number": np.float16(1.5), "wave": np.complex64(1 + 2j), "blank": "",
           "CLASS": np.bytes_("IMAGE"), "NAME": "foo", "DIMENSION_LIST": "mine", "REFERENCE_LIST": np.arange(3), "_Netcdf4Dimid": "no"}


def same_attribute(one, other):
    return type(one) is type(other) and np.shape(one) == np.shape(other) and np.array_equal(one, other) and (
        not hasattr(one, "dtype") or one.dtype.kind == other.dtype.kind)


def test_attributes_of_hdf5_come_back_as_they_were():
    folder = Folder()
    with h5py.File(folder / "in.h5", "w", libver=("v108", "v110")) as file:
        file["g/x"] = smooth((300, 1000), "f4")
        for owner in (file, file["g"], file["g/x"]):
            for key, value in OF_HDF5.items():
                owner.attrs[key] = value
        file["g/x"].attrs["long"], file["g/x"].attrs["book"] = np.random.default_rng(1).random(9000), "é" * 40000
        file.attrs["long"] = np.arange(12000, dtype="i2")
    said = notes(folder, "compress", "in.h5", "-o", "in.kpk", *ABS)
    assert said == [], said
    said = notes(folder, "decompress", "in.kpk", "-o", "out.h5")
    assert said == [], said
    with h5py.File(folder / "in.h5") as file, h5py.File(folder / "out.h5") as out:
        for path in ("/", "g", "g/x"):
            wanted, found = dict(file[path].attrs), dict(out[path].attrs)
            assert set(found) - {"DIMENSION_LABELS"} == set(wanted), set(found) ^ set(wanted)
            for key, value in wanted.items():
                assert same_attribute(value, found[key]), (path, key, value, found[key])
    said = notes(folder, "decompress", "in.kpk", "-o", "out.nc")
    named = [key for key in OF_HDF5 if any(f"the attribute '{key}' of 'g/x' " in line for line in said)]
    assert named == ["block", "wave", "CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_Netcdf4Dimid"], said
    with netCDF4.Dataset(folder / "out.nc") as out:
        kept = out["g/x"]
        assert kept.wave.tolist() == [1, 2] and kept.block.tolist() == [0, 1, 2, 3, 4, 5] and len(kept.long) == 9000 and kept.text == "any °"


def test_scales_labels_and_fill_values_of_hdf5_come_back_where_they_were():
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        for index, (name, title) in enumerate({"x": "x", "y": "degrees of y", "z": "", "w": "/w", "v": "v"}.items()):
            file[name] = np.arange(3.0 + index)
            file[name].make_scale(title)
        del file["v"].attrs["NAME"]
        for name, dims, labels in (("plain", "xy", ""), ("labelled", "yz", "yz"), ("vague", "vw", ""), ("none", "", "")):
            data = smooth((30 + len(file), 40), "f4") if not dims else smooth([len(file[dim]) for dim in dims], "f4")
            file[name] = data
            for index, dim in enumerate(dims):
                file[name].dims[index].attach_scale(file[dim])
            for index, label in enumerate(labels):
                file[name].dims[index].label = label
        for dtype in ("f4", "i2", "c8"):
            file.create_dataset(f"both {dtype}", data=smooth((3, 4), dtype), fillvalue=np.array(7, dtype)[()]).attrs["_FillValue"] = np.array(7, dtype)
            file[f"attribute {dtype}"] = smooth((3, 4), dtype)
            file[f"attribute {dtype}"].attrs["_FillValue"] = np.array(7, dtype)
            if dtype != "c8":
                file.create_dataset(f"property {dtype}", data=smooth((3, 4), dtype), fillvalue=7)
    assert notes(folder, "compress", "in.h5", "-o", "in.kpk", *ABS) == []
    assert notes(folder, "decompress", "in.kpk", "-o", "out.h5") == []
    with h5py.File(folder / "in.h5") as file, h5py.File(folder / "out.h5") as out:
        for name, dataset in file.items():
            wanted, found = (dict(one.attrs) for one in (dataset, out[name]))
            assert set(wanted) == set(found), (name, wanted, found)
            for key in {"NAME", "_FillValue", "DIMENSION_LABELS"} & set(wanted):
                assert np.array_equal(wanted[key], found[key]), (name, key, wanted, found)
            assert dataset.fillvalue == out[name].fillvalue and out[name].is_scale == dataset.is_scale, name
    # Without the scales labels are all that there is, and netCDF has fill values as attributes alone.
    folder.run("extract", "-i", "in.kpk", "--name", "plain", "--roi", "0:2,0:2", "-o", "part.h5")
    folder.run("decompress", "in.kpk", "-o", "out.nc")
    with h5py.File(folder / "part.h5") as out:
        assert [dim.label for dim in out["plain"].dims] == ["x", "y"]
    with netCDF4.Dataset(folder / "out.nc") as out:
        assert all(out[f"{place} f4"]._FillValue == 7 for place in ("both", "attribute", "property"))


def test_large_attributes_of_groups_come_back():
    folder = Folder()
    large = {"list": np.random.default_rng(1).random(9000), "text": "é" * 40000, "names": ["name" * 30] * 1000, "many": ["a"] * 10000,
             "ragged": np.array([b"x" * 300] + [b"y"] * 999)}
    with h5py.File(folder / "in.h5", "w", libver=("v108", "v110")) as file:
        for path in ("x", "a/b/y", "a/z"):
            file[path] = smooth((3, 4), "f4")
        for owner in (file, file["a"], file["a/b"]):
            owner.attrs.update(large)
            owner.attrs["fixed"] = np.bytes_(b"f" * 70000)
    assert notes(folder, "compress", "in.h5", "-o", "in.kpk", *ABS) == []
    for words in (["-o", "out.h5"], ["-o", "again.h5"], ["--name", "a/z", "-o", "one.h5"]):
        assert notes(folder, "decompress", "in.kpk", *words) == []
    assert (folder / "out.h5").read_bytes() == (folder / "again.h5").read_bytes()
    for path in ("/", "a", "a/b"):
        with h5py.File(folder / "out.h5") as out:
            kept = {key: np.asarray(value).tolist() for key, value in out[path].attrs.items()}
            assert kept == {key: np.asarray(value).tolist() for key, value in large.items()} | {"fixed": b"f" * 70000}, path


def test_what_hdf5_refuses_is_named_with_its_reason():
    folder = Folder()
    np.save(folder / "a.npy", smooth((3, 4), "f4"))
    late = ["--attribute", "./late=" + "x" * 65535]
    for name, words in (("a", []), ("b", late)):
        folder.run("compress", "-i", "a.npy", *ABS, "-o", "a.kpk", "--append", "--name", name, *words)
    said = notes(folder, "decompress", "a.kpk", "-o", "a.h5")
    assert len(said) == 1 and "'late' of '/' is left out: HDF5 says: " in said[0] and "unknown error" not in said[0], said


def test_texts_of_netcdf_keep_their_types():
    folder = Folder()
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createVariable("x", "f4", ()).setncattr_string("string", "one")
        file["x"].letters = "one"
    folder.run("compress", "in.nc", "-o", "in.kpk", *ABS)
    folder.run("decompress", "in.kpk", "-o", "out.nc")
    with h5py.File(folder / "out.nc") as out:
        assert h5py.check_string_dtype(out["x"].attrs.get_id("string").dtype).length is None
        assert h5py.check_string_dtype(out["x"].attrs.get_id("letters").dtype).length == 3


def test_types_that_netcdf_has_not_are_told_and_stop_nothing():
    folder = Folder()
    values = {"half": smooth((3, 4), "f2"), "wave": smooth((3, 4), "c8") * (1 + 2j), "turned": smooth((3, 4), ">c16") * 1j}
    with h5py.File(folder / "in.h5", "w") as file:
        for name, value in values.items():
            file[name] = value.astype(value.dtype.newbyteorder(">") if name == "turned" else value.dtype)
        file["turned"].attrs["wave"] = np.array(1 + 2j, ">c8")
    assert notes(folder, "compress", "in.h5", "-o", "in.kpk", *ABS) == []
    assert notes(folder, "decompress", "in.kpk", "-o", "out.h5") == []
    said = notes(folder, "decompress", "in.kpk", "-o", "out.nc")
    assert len(said) == 4 and all(f"note: '{name}' is stored as" in "".join(said) for name in values), said
    assert sum("the attribute 'wave' of 'turned'" in line for line in said) == 1, said
    (folder / "again.h5").write_bytes((folder / "out.nc").read_bytes())
    for path in ("out.h5", "again.h5"):
        with h5py.File(folder / path) as out:
            for name, value in values.items():
                assert np.all(np.abs(out[name][...].astype("c16") - value) <= BOUND * 1.0001), (path, name)
            assert out["wave"].dtype == "c8" and out["turned"].dtype == "c16", (path, out["turned"].dtype)
    with netCDF4.Dataset(folder / "out.nc") as out:
        assert out["half"].dtype == "f4" and out["turned"].wave.tolist() == [1, 2]


def test_a_fill_value_that_netcdf_refuses_leaves_none():
    folder = Folder()
    fills = {"none": np.zeros(0, "f4"), "two": np.array([1, 2], "f4"), "text": "no", "number": np.array([5], "i4"), "digits": "-999"}
    with h5py.File(folder / "in.h5", "w") as file:
        for name, fill in fills.items():
            file[name] = smooth((3, 4), "f4")
            file[name].attrs["_FillValue"] = fill
    folder.run("compress", "in.h5", "-o", "in.kpk", *ABS)
    said = notes(folder, "decompress", "in.kpk", "-o", "out.nc")
    assert len(said) == 3 and all(f"'_FillValue' of '{name}'" in "".join(said) for name in ("none", "two", "text")), said
    with netCDF4.Dataset(folder / "out.nc") as out:
        kept = {name: out[name].getncattr("_FillValue") for name in fills if "_FillValue" in out[name].ncattrs()}
        assert kept == {"number": 5, "digits": -999}, kept


def test_info_shortens_long_texts_for_people():
    folder = Folder()
    np.save(folder / "a.npy", smooth((3, 4), "f4"))
    short, long = "é" * 300, "€" * 1000
    folder.run("compress", "-i", "a.npy", *ABS, "-o", "a.kpk", "--name", "a", "--attribute", f"short={short}", "--attribute", f"long={long}")
    for words in ([], ["--name", "a"]):
        said = folder.run("info", "a.kpk", *words)
        assert f"long={long[:300]}... and 700 letters more" in said and f"short={short}" in said and short + "." not in said, said
    assert folder.json("info", "a.kpk", "--name", "a")["attributes"]["long"] == long


def test_empty_archive():
    folder = Folder()
    np.save(folder / "a.npy", smooth((3, 4), "f4"))
    folder.run("compress", "-i", "a.npy", *ABS, "-o", "a.kpk", "--name", "a")
    folder.run("remove", "a.kpk", "a")
    for suffix in ["nc", "h5"]:
        folder.run("decompress", "-i", "a.kpk", "-o", f"none.{suffix}")
        with h5py.File(folder / f"none.{suffix}") as out:
            assert list(out) == []
    with netCDF4.Dataset(folder / "none.nc") as out:
        assert not out.variables


for test in [test_groups, test_scales, test_what_cannot_be_kept, test_dimensions_of_groups,
             test_dimensions_of_a_strange_archive_stop_nothing,
             test_a_dimension_that_gets_another_name_is_told, test_names_that_archives_use_are_attributes_like_others,
             test_dimensions_lists_and_letters,
             test_booleans_come_back_and_enumerations_keep_their_numbers, test_attributes_that_netcdf_passes_over_are_named,
             test_what_loses_its_shape_is_named, test_attributes_of_hdf5_come_back_as_they_were,
             test_scales_labels_and_fill_values_of_hdf5_come_back_where_they_were,
             test_large_attributes_of_groups_come_back, test_what_hdf5_refuses_is_named_with_its_reason, test_info_shortens_long_texts_for_people,
             test_texts_of_netcdf_keep_their_types,
             test_types_that_netcdf_has_not_are_told_and_stop_nothing, test_a_fill_value_that_netcdf_refuses_leaves_none, test_empty_archive]:
    test()
print("attributes: as it should be")
