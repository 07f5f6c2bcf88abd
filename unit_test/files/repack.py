#!/usr/bin/env python3
"""Holds 'kompakt repack' against h5py, netCDF4 and the programs of HDF5 and netCDF.

usage: HDF5_PLUGIN_PATH=… repack.py KOMPAKT TEST

Exit status 77, which ctest takes for a skipped test, if a package or a program is not there.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
try:
    import h5py
    import numpy as np
    from exact_errors import count_violations
    from program import BAD_ARGUMENT, BAD_MAGIC, CORRUPT, FILL, IO, PROGRAM, UNSUPPORTED, Folder, smooth
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

BOUND = 0.01
ABS = ["-m", "abs", "-e", BOUND]
FILTER = "52048"
WITHOUT_PLUGIN = {key: value for key, value in os.environ.items() if key != "HDF5_PLUGIN_PATH"}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def client(*command, environment=None):
    """What a program prints that reads with the plugin."""
    if shutil.which(command[0]) is None:
        skip(f"no {command[0]} found")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120,
                          env=environment)
    if "was built without" in done.stderr:
        skip(done.stderr.strip())
    assert done.returncode == 0, f"{command}: {done.returncode}, {done.stdout}{done.stderr}"
    return done.stdout


def rough(shape, dtype="f4", seed=1):
    """Values that no pipeline can do without errors, some of them not finite."""
    x = np.cumsum(np.random.default_rng(seed).standard_normal(shape), axis=-1).astype(dtype)
    x.flat[:: 1009] = np.nan
    x.flat[5 :: 2003] = -np.inf
    return x


def require_bound(x, y, bound=BOUND):
    wrong, largest = count_violations(np.ascontiguousarray(x), np.ascontiguousarray(y.astype(x.dtype)), bound)
    assert wrong == 0, f"{wrong} values outside of {bound}, the largest error is {largest}"


def filters_of(dataset):
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]


def same_value(a, b):
    if isinstance(a, h5py.Empty):
        return isinstance(b, h5py.Empty) and a.dtype == b.dtype
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.hasobject:
        return all(same_value(x, y) if isinstance(x, np.ndarray) else x == y for x, y in zip(a.flat, b.flat))
    return a.tobytes() == b.tobytes()


def target_of(file, reference):
    return file[reference].name if reference else None


def selected(file, region):
    """The box of a region."""
    return h5py.h5r.get_region(region, file.id).get_select_bounds()


def require_same_attributes(x, y, but=()):
    """Of two objects, references by what they refer to; in the order that files know."""
    assert list(x.attrs) == list(y.attrs), (x.name, list(x.attrs), list(y.attrs))
    for key in set(x.attrs) - set(but):
        a, b = x.attrs[key], y.attrs[key]
        if key == "REFERENCE_LIST":
            a = sorted((target_of(x.file, one[0]), int(one[1])) for one in a)
            b = sorted((target_of(y.file, one[0]), int(one[1])) for one in b)
            assert a == b, (x.name, key, a, b)
        elif key == "DIMENSION_LIST":
            a = [[target_of(x.file, one) for one in row] for row in a]
            assert a == [[target_of(y.file, one) for one in row] for row in b], (x.name, key)
        elif isinstance(a, np.ndarray) and h5py.check_ref_dtype(a.dtype) is h5py.RegionReference:
            assert [selected(x.file, one) for one in a] == [selected(y.file, one) for one in b], (x.name, key)
        elif isinstance(a, h5py.h5r.RegionReference):
            assert x.file[a].name == y.file[b].name, (x.name, key)
            assert np.array_equal(selected(x.file, a), selected(y.file, b)), (x.name, key)
        elif isinstance(a, h5py.h5r.Reference):
            assert target_of(x.file, a) == target_of(y.file, b), (x.name, key)
        else:
            assert same_value(a, b), (x.name, key, a, b)
        assert x.attrs.get_id(key).get_type() == y.attrs.get_id(key).get_type(), (x.name, key)


def raw_chunks(dataset):
    if dataset.chunks is None:
        return []
    return [dataset.id.read_direct_chunk(dataset.id.get_chunk_info(i).chunk_offset) for i in
            range(dataset.id.get_num_chunks())]


def require_same_elsewhere(before, after, filtered):
    """Everything of a file of HDF5 but the values of variables with the filter."""
    objects = []
    before.visit(objects.append)
    found = []
    after.visit(found.append)
    assert objects == found, (objects, found)
    require_same_attributes(before, after)
    for name in objects:
        x, y = before[name], after[name]
        require_same_attributes(x, y)
        assert isinstance(x, type(y)), name
        if isinstance(x, h5py.Group):
            assert list(x) == list(y), (name, list(x), list(y))
            for key in x:
                link, other = x.get(key, getlink=True), y.get(key, getlink=True)
                assert vars(link) == vars(other) and isinstance(link, type(other)), (name, key)
        elif isinstance(x, h5py.Dataset):
            assert x.shape == y.shape and x.maxshape == y.maxshape, name
            if name in filtered:
                continue
            assert x.id.get_type() == y.id.get_type() and x.chunks == y.chunks, name
            assert filters_of(x) == filters_of(y), name
            if x.shape is not None and not x.dtype.hasobject:
                assert raw_chunks(x) == raw_chunks(y), name
                if "unknown" not in name:
                    assert same_value(x[()], y[()]), name


def write_netcdf(path):
    """A file with what netCDF-4 has: groups, shared and unlimited dimensions, types of its own, texts, filters."""
    try:
        import netCDF4
    except ImportError as missing:
        skip(missing)
    field = rough((30, 40, 70))
    field[3, 4:9] = FILL
    with netCDF4.Dataset(path, "w") as file:
        file.title, file.numbers = "A run", np.arange(5, dtype="i2")
        file.setncattr_string("texts", ["a", "b, °"])
        for name, length in [("time", None), ("lat", 40), ("lon", 70), ("nv", 2)]:
            file.createDimension(name, length)
        for name, length in [("time", 30), ("lat", 40), ("lon", 70)]:
            axis = file.createVariable(name, "f8" if name == "time" else "f4", (name,), zlib=name == "lon")
            axis.units = "of " + name
            axis[:] = np.arange(length) / 7
        air = file.createVariable("air", "f4", ("time", "lat", "lon"), zlib=True, shuffle=True, fill_value=FILL,
                                  chunksizes=(7, 40, 70))
        air.units, air.valid_range = "K", np.array([-100, 100], "f4")
        air[:] = field
        wind = file.createVariable("wind", "f8", ("time", "lat", "lon"))
        wind.missing_value = 1e20
        wind[:] = np.where(field == FILL, 1e20, field.astype("f8") / 3)
        count = file.createVariable("count", "i4", ("lat", "lon"), zlib=True, fletcher32=True)
        count[:] = np.arange(2800).reshape(40, 70)
        station = file.createVariable("station", str, ("lat",))
        station[:] = np.array([f"s{i}" for i in range(40)], object)
        pair = file.createCompoundType(np.dtype([("a", "f4"), ("b", "i4")]), "pair")
        file.createVariable("pairs", pair, ("nv",))[:] = np.array([(1, 2), (3, 4)], [("a", "f4"), ("b", "i4")])
        cloud = file.createEnumType("u1", "cloud", {"clear": 0, "cumulus": 1})
        file.createVariable("clouds", cloud, ("nv",))[:] = np.array([0, 1], "u1")
        row = file.createVariable("rows", file.createVLType("i4", "row"), ("nv",))
        row[0], row[1] = np.array([1, 2], "i4"), np.array([3], "i4")
        ocean = file.createGroup("ocean")
        ocean.note = "sea"
        ocean.createDimension("depth", 8)
        ocean.createVariable("depth", "f4", ("depth",))[:] = np.arange(8)
        ocean.createVariable("salt", "f4", ("depth", "lat", "lon"))[:] = field[:8]
        ocean.createVariable("scalar", "f4", ())[...] = 3
    return field


def test_netcdf():
    folder = Folder()
    field = write_netcdf(folder / "in.nc")
    report = folder.json("repack", "in.nc", "out.nc", *ABS, "--bound", "wind=r2r:1e-4", "--verify")
    filtered = [one["name"] for one in report["files"][0]["variables"]]
    assert sorted(filtered) == ["air", "ocean/salt", "wind"] and report["verified"], report
    unchanged = report["files"][0]["unchanged"]
    assert {"lat", "lon", "time", "count", "station", "ocean/depth", "ocean/scalar"} <= set(unchanged), unchanged
    with h5py.File(folder / "in.nc") as before, h5py.File(folder / "out.nc") as after:
        require_same_elsewhere(before, after, filtered)
        for name in filtered:
            assert filters_of(after[name]) == [int(FILTER)], name
        require_bound(field, after["air"][...])
        require_bound(field[:8], after["ocean/salt"][...])
        wind = before["wind"][...]
        valid = wind[np.isfinite(wind) & (wind != 1e20)]
        require_bound(wind, after["wind"][...], 1e-4 * (valid.max() - valid.min()))
        assert np.array_equal(wind == 1e20, after["wind"][...] == 1e20)
    client(PROGRAM, "compare", "-i", folder / "in.nc:air", folder / "out.nc:air", *ABS, environment=WITHOUT_PLUGIN)
    # The header is the same but for how values lie in the file.
    for option in ["-h", "-hs"]:
        lines = [[line.replace("netcdf out", "netcdf in") for line in client("ncdump", option, folder / name).splitlines()
                  if not re.search(":_(Filter|Storage|ChunkSizes|DeflateLevel|Shuffle) ", line)]
                 for name in ["in.nc", "out.nc"]]
        assert lines[0] == lines[1], lines
    kept = "time,lat,lon,count,station,pairs,clouds,rows,ocean/depth"
    assert client("ncdump", "-v", kept, folder / "in.nc").split("data:")[1] == \
        client("ncdump", "-v", kept, folder / "out.nc").split("data:")[1]
    # It stays a file of netCDF that others change.
    import netCDF4
    with netCDF4.Dataset(folder / "out.nc", "a") as file:
        file["air"][30] = field[0]
        file["air"].units = "degree"
    with netCDF4.Dataset(folder / "out.nc") as file:
        file.set_auto_mask(False)
        require_bound(field[0], file["air"][30])


def test_clients():
    folder = Folder()
    field = write_netcdf(folder / "in.nc")
    folder.run("repack", "in.nc", "out.nc", *ABS)
    client("h5diff", "-d", BOUND, folder / "in.nc", folder / "out.nc", "/air")
    client("h5diff", folder / "in.nc", folder / "out.nc", "/count")
    assert client("cdo", "-s", "showname", folder / "out.nc").split().count("air") == 1
    client("nccopy", "-F", "none", folder / "out.nc", folder / "plain.nc")
    with h5py.File(folder / "plain.nc") as plain:
        assert filters_of(plain["air"]) == []
        require_bound(field, plain["air"][...])


def write_hdf5(path):
    """A file with what HDF5 has and netCDF has not."""
    field = rough((50, 33, 21), "f8")
    with h5py.File(path, "w", userblock_size=1024, track_order=True, libver=("v108", "v110")) as file:
        file["z"] = field
        file["a/field"] = h5py.SoftLink("/z")
        file["a/again"] = file["z"]
        file["a/outer"] = h5py.ExternalLink("other.h5", "/x")
        file["a/nowhere"] = h5py.SoftLink("/nothing")
        file["a/loop"] = file["a"]
        file["kind"] = np.dtype([("x", "f4"), ("y", "i2")])
        file["f32"] = np.dtype("<f4")
        file.create_dataset("made", data=np.zeros(3, file["kind"].dtype), dtype=file["kind"])
        named = h5py.h5d.create(file.id, b"named", file["f32"].id, h5py.h5s.create_simple((40, 50)))
        h5py.Dataset(named)[...] = rough((40, 50))
        big = file.create_dataset("a/big", data=field[:9].astype(">f4"), chunks=(4, 33, 10), maxshape=(None, 33, 21),
                                  compression="gzip", fletcher32=True)
        big.attrs["long"] = np.arange(20000.0)
        for i in range(40):
            big.attrs[f"key {i}"] = i
        big.attrs.create("kind", np.zeros(1, file["kind"].dtype), dtype=file["kind"])
        big.attrs["none"] = h5py.Empty("f4")
        big.attrs["who"] = file["z"].ref
        big.attrs["where"] = file["z"].regionref[3:5, 2, :4]
        file.attrs["flag"] = True
        file["refs"] = np.array([file["z"].ref, file["a"].ref, h5py.Reference()], h5py.ref_dtype)
        file["regions"] = np.array([file["z"].regionref[1:9:2]], h5py.regionref_dtype)
        mixed = np.dtype([("who", h5py.ref_dtype), ("text", h5py.string_dtype())])
        file["mixed"] = np.array([(file["z"].ref, "abc"), (file["a/big"].ref, "ü")], mixed)
        file.create_dataset("unknown", data=np.arange(5000), chunks=(1000,), compression="lzf")
        file.create_dataset("texts", data=["a", "bb"], chunks=(1,), maxshape=(None,), compression="gzip")
        file["flags"] = np.array([True, False])
        file["half"] = np.zeros(3, "f2")
        file["zero"] = np.zeros((0, 3), "f4")
        file["empty"] = h5py.Empty("f8")
        file.create_dataset("compact", data=np.arange(3), dcpl=compact())
        file["z"].make_scale("height")
        file["a/big"].dims[0].attach_scale(file["z"])
        file["a/big"].dims[1].label = "middle"
        h5py.h5o.set_comment(file["a"].id, b"a remark")
    with open(path, "r+b") as file:
        file.write(b"mine" * 256)
    return field


def write_many_attributes(path, track_order, low):
    """Attributes so many and so long that they have a place of their own in the file."""
    with h5py.File(path, "w", track_order=track_order, libver=(low, "v110")) as file:
        file["x"] = rough((30, 30))
        file["kind"] = np.dtype([("x", "f4"), ("y", "i2")])
        file.create_dataset("n", data=np.arange(10), track_order=track_order)
        file.create_group("g", track_order=track_order)
        file.create_dataset("texts", data=["a"], track_order=track_order)
        for name in ["x", "kind", "n", "g", "texts"]:
            for i in range(40):
                file[name].attrs[f"key {i}"] = i
            file[name].attrs["who"] = file["x"].ref
            file[name].attrs["where"] = np.array([file["x"].regionref[3:5, 2:]], h5py.regionref_dtype)
            file[name].attrs.create("kind", np.zeros(1, file["kind"].dtype), dtype=file["kind"])
            if low == "v108":
                file[name].attrs["long"] = np.arange(20000.0)
        for i in range(100):
            file[f"g/{i}"] = h5py.SoftLink("/x")


def write_attributes_in_heaps(path, count):
    """Attributes of each kind on each kind of object of netCDF-4, which from 9 on lie in a heap: axes and variables on them
    have some of HDF5's own, of references."""
    import netCDF4
    with netCDF4.Dataset(path, "w") as file:
        for name in ["y", "x"]:
            file.createDimension(name, 16)
            file.createVariable(name, "f8", (name,))[:] = np.arange(16)
        pair = file.createCompoundType(np.dtype([("a", "f4"), ("b", "i4")]), "pair")
        inner = file.createGroup("inner")
        owners = [file, inner, file["x"]]
        for name, kind in [("f", "f4"), ("i", "i2"), ("s", str), ("p", pair), ("v", file.createVLType("i4", "row"))]:
            owners.append(file.createVariable(name, kind, ("y", "x")))
        file["f"][:], file["i"][:] = rough((16, 16)), 1
        file["v"][3, 4] = np.arange(5, dtype="i4")
        owners.append(inner.createVariable("deep", "i8", ("x",)))
        for owner in owners:
            for i in range(count):
                owner.setncattr(f"text {i}", "some words")
                owner.setncattr(f"numbers {i}", np.arange(i + 1, dtype="i4"))
                owner.setncattr_string(f"texts {i}", ["a", "b, \u00b0"])
                owner.setncattr(f"pair {i}", np.array([(1, 2)], [("a", "f4"), ("b", "i4")]))


def compact():
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    return plist


def test_hdf5():
    folder = Folder()
    field = write_hdf5(folder / "in.h5")
    report = folder.json("repack", "in.h5", "out.h5", *ABS, "--verify")
    filtered = [one["name"] for one in report["files"][0]["variables"]]
    assert sorted(filtered) == ["a/again", "a/big", "named"], filtered  # the first name by which a dataset is met
    assert (folder / "out.h5").read_bytes()[:1024] == b"mine" * 256
    with h5py.File(folder / "in.h5") as before, h5py.File(folder / "out.h5") as after:
        require_same_elsewhere(before, after, filtered + ["z", "refs", "regions", "mixed"])
        require_bound(field, after["z"][...])
        assert after["a/again"] == after["z"] and after["a/loop"] == after["a"]
        require_bound(before["named"][...], after["named"][...])
        require_bound(before["a/big"][...].astype("f4"), after["a/big"][...])
        assert after["named"].id.get_type().committed() and after["made"].id.get_type().committed()
        assert h5py.h5o.get_info(after["made"].id.get_type()).addr == h5py.h5o.get_info(after["kind"].id).addr
        assert [target_of(after, one) for one in after["refs"]] == ["/z", "/a", None]
        region = after["regions"][0]
        assert after[region].name == "/z" and selected(after, region) == selected(before, before["regions"][0])
        assert [(target_of(after, who), text) for who, text in after["mixed"]] == [("/z", b"abc"), ("/a/big", "ü".encode())]
        assert list(after["texts"].asstr()) == ["a", "bb"] and filters_of(after["texts"]) == filters_of(before["texts"])
        assert list(after) == list(before), list(after)
        assert after["compact"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
        assert after.id.get_comment(b"a") == b"a remark"
    for track_order, low in [(False, "earliest"), (True, "earliest"), (False, "v108"), (True, "v108")]:
        write_many_attributes(folder / "many.h5", track_order, low)
        folder.run("repack", "many.h5", "copy.h5", *ABS, "--force")
        folder.run("repack", "copy.h5", "twice.h5", *ABS, "--force")
        with h5py.File(folder / "many.h5") as before, h5py.File(folder / "twice.h5") as after:
            require_same_elsewhere(before, after, ["x"])
            require_bound(before["x"][...], after["x"][...], 2 * BOUND)
            kinds = {h5py.h5o.get_info(after[name].attrs.get_id("kind").get_type()).addr for name in ["x", "n", "g"]}
            assert kinds == {h5py.h5o.get_info(after["kind"].id).addr}, "types with a name are shared"
    # What a file has been copied to is copied again, by a program that has the filter itself.
    folder.run("repack", "out.h5", "again.h5", "-m", "lossless")
    with h5py.File(folder / "out.h5") as before, h5py.File(folder / "again.h5") as after:
        assert same_value(before["z"][...], after["z"][...])


def test_heaps():
    """Attributes that H5Ocopy() of HDF5 1.10 dies of."""
    try:
        import netCDF4  # noqa: F401
    except ImportError as missing:
        skip(missing)
    folder = Folder()
    for count in [1, 2, 3, 12]:
        write_attributes_in_heaps(folder / "in.nc", count)
        folder.run("repack", "in.nc", "out.nc", *ABS, "--force", "--verify")
        with h5py.File(folder / "in.nc") as before, h5py.File(folder / "out.nc") as after:
            require_same_elsewhere(before, after, ["f"])
            assert len(after["i"].attrs) > 4 * count
        kept = [client("ncdump", "-v", "i,s,p,v,inner/deep", folder / name).split("dimensions:")[1]
                for name in ["in.nc", "out.nc"]]
        assert kept[0] == kept[1]


def test_bounds():
    folder = Folder()
    x = rough((17, 60, 41))
    steps = x.copy()
    steps[8:] *= 100  # chunks of other ranges
    with h5py.File(folder / "in.h5", "w") as file:
        for name in ["abs", "pwr", "psnr", "deep", "exact"]:
            file[name] = x
        file["r2r"] = steps
        file["constant"] = np.full((30, 30), 2.5, "f8")
        file["nothing"] = np.full((30, 30), np.nan, "f4")
        file["number"] = np.arange(1000, dtype="i8")
        file["f8"] = rough((9, 8, 7, 6, 5), "f8")
        file["line"] = rough((5000,))
    words = ["--bound", "abs=abs:1e-3", "--bound", "pwr=pwr:1e-2", "--bound", "p*=psnr:60", "--bound", "pwr=pwr:1e-2",
             "--bound", "r2r=r2r:1e-4", "--bound", "[cn]*=r2r:1e-3", "--bound", "number=lossless", "--bound", "exact=lossless",
             "--bound", "f8=abs:1e-9", "--bound", "line=abs:0.1", "--bound", "deep=psnr:50"]
    for more in [[], ["-c", "huffman", "--predictor", "interpolate"], ["-c", "bitshuffle", "--pack"], ["--for", "ratio"],
                 ["-c", "fixedlength", "--no-checksum", "--exec", "serial"]]:
        own = words
        if "-c" in more and "fixedlength" not in more:  # which alone is lossless; interpolation has no bound of each value
            own = [{"number=lossless": "deep=psnr:50", "exact=lossless": "exact=abs:1e-5"}.get(word, word) for word in words]
            own = [word.replace("pwr=pwr:1e-2", "pwr=abs:1e-3") for word in own]
        report = folder.json("repack", "in.h5", "out.h5", *own, *more, "--verify", "--force")
        names = {one["name"]: one for one in report["files"][0]["variables"]}
        with h5py.File(folder / "in.h5") as file, h5py.File(folder / "out.h5") as out:
            require_bound(x, out["abs"][...], 1e-3)
            require_bound(steps, out["r2r"][...], names["r2r"]["bound_abs"])
            finite = steps[np.isfinite(steps)].astype("f8")
            width = finite.max() - finite.min()
            assert 0.99e-4 * width < names["r2r"]["bound_abs"] <= 1e-4 * width, "of all chunks together"
            if own == words:
                assert same_value(x, out["exact"][...]) and filters_of(out["number"]) == [int(FILTER)]
                a, b = x[np.isfinite(x)].astype("f8"), out["pwr"][...][np.isfinite(x)].astype("f8")
                assert np.all(np.abs(a - b) <= 1e-2 * np.abs(a))
            assert same_value(file["number"][...], out["number"][...])
            for name in ["constant", "nothing"]:
                assert same_value(file[name][...], out[name][...]), name
                assert names[name]["bound_abs"] is None
            require_bound(file["f8"][...], out["f8"][...], 1e-9)
            require_bound(file["line"][...], out["line"][...], 0.1)
            valid = np.isfinite(x)
            for name, decibels in [("psnr", 60), ("deep", 50)]:
                a, b = x[valid].astype("f8"), out[name][...][valid].astype("f8")
                reached = 20 * np.log10((a.max() - a.min()) / np.sqrt(np.mean((a - b) ** 2)))
                assert decibels <= reached < decibels + 6, (name, reached)
            assert all(filters_of(out[name]) == [int(FILTER)] for name in names)


def test_slabs():
    folder = Folder()
    large = rough((40, 300, 301))
    large[:, 100:120] = FILL
    with h5py.File(folder / "in.h5", "w") as file:
        file.create_dataset("x", data=large, chunks=(3, 64, 301), compression="gzip", fillvalue=FILL,
                            maxshape=(None, 300, 301))
        file["y"] = large[:5].reshape(-1)
    words = ["-m", "r2r", "-e", "1e-3", "-c", "bitshuffle", "--chunk", "x=16,70,80", "--chunk", "100000"]
    files = {}
    for memory in ["34M", "2G"]:
        verify = ["--verify"] if memory == "2G" else []
        report = folder.json("repack", "in.h5", f"{memory}.h5", *words, "--memory", memory, *verify)
        files[memory] = report["files"][0]["variables"]
        with h5py.File(folder / f"{memory}.h5") as out:
            require_bound(large, out["x"][...], files[memory][0]["bound_abs"])
            assert out["x"].chunks == (16, 70, 80) and out["y"].chunks == (100000,)
            assert np.array_equal(out["x"][...] == FILL, large == FILL)
    assert files["34M"] == files["2G"], files
    with h5py.File(folder / "34M.h5") as one, h5py.File(folder / "2G.h5") as other:
        assert raw_chunks(one["x"]) == raw_chunks(other["x"])
    report = folder.json("repack", "in.h5", "psnr.h5", "-m", "psnr", "-e", "70", "--memory", "50M", "--verify")
    own, usual = (report["files"][0]["variables"][i]["chunk"] for i in range(2))
    assert own == [3, 64, 301] and np.prod(usual) * 4 <= 1.1 * 2**20, (own, usual)
    # Without the plugin, the program reads what it has written.
    for words in [["compare", "-i", folder / "in.h5:x", folder / "2G.h5:x", "-m", "abs", "-e", files["2G"][0]["bound_abs"]],
                  ["compress", "-i", folder / "2G.h5:x", "-m", "lossless", "-o", folder / "x.kpk"]]:
        client(PROGRAM, *words, environment=WITHOUT_PLUGIN)


def test_ranks():
    """Datasets of more indices than the filter has axes, and of several slabs, whose pipeline a sample chooses."""
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        for shape in [(60000,), (300, 210), (3, 8, 30, 90), (2, 3, 5, 50, 44), (40, 200, 250)]:
            file.create_dataset("x".join(map(str, shape)), data=rough(shape), chunks=True)
    for words in [], ["--for", "ratio"], ["--memory", "33M"]:
        folder.run("repack", "in.h5", "out.h5", "-m", "r2r", "-e", "1e-3", *words, "--force", "--verify", "--quiet")


def test_folder():
    folder = Folder()
    for name in ["one", "two"]:
        with h5py.File(folder / f"{name}.h5", "w") as file:
            file["x"] = smooth((30, 40), "f4")
            file[name] = smooth((30, 40), "f4")
    report = folder.json("repack", "one.h5", "two.h5", "small/", "--bound", "x=abs:1e-3", "--bound", "two=abs:1e-2")
    assert [one["output"] for one in report["files"]] == ["small/one.h5", "small/two.h5"], report
    assert [one["unchanged"] for one in report["files"]] == [["one"], []], report
    folder.refused(IO, ["small/one.h5", "--force"], "repack", "one.h5", "two.h5", "small", *ABS)
    folder.refused(BAD_ARGUMENT, ["no folder"], "repack", "one.h5", "two.h5", "three.h5", *ABS)
    folder.refused(BAD_ARGUMENT, ["two files"], "repack", "one.h5", "one.h5", "other/", *ABS)
    folder.refused(IO, ["input"], "repack", "one.h5", "two.h5", ".", *ABS)


def test_refused():
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        file["x"] = smooth((30, 40), "f4")
        file["count"] = np.arange(5)
        file["alone"] = 2.5
    (folder / "raw.h5").write_bytes(b"x" * 4000)
    np.save(folder / "a.npy", smooth((3, 4), "f4"))
    (folder / "classic.nc").write_bytes(b"CDF\1" + bytes(28))
    with h5py.File(folder / "there.h5", "w") as file:
        file["precious"] = 1
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    for status, mentions, words in [
            (IO, ["there.h5", "--force"], ["in.h5", "there.h5", *ABS]),
            (IO, ["it is the input"], ["in.h5", "in.h5", "--force", *ABS]),
            (IO, ["nowhere"], ["in.h5", "nowhere/out.h5", *ABS]),
            (IO, ["missing.h5"], ["missing.h5", "out.h5", *ABS]),
            (BAD_ARGUMENT, ["no bound"], ["in.h5", "out.h5"]),
            (BAD_ARGUMENT, ["output"], ["in.h5", *ABS]),
            (BAD_ARGUMENT, ["T*", "'x'"], ["in.h5", "out.h5", "--bound", "T*=abs:1"]),
            (BAD_ARGUMENT, ["no name"], ["in.h5", "out.h5", "--bound", "abs:1"]),
            (BAD_ARGUMENT, ["--bound x=abs:nan: 'nan'"], ["in.h5", "out.h5", "--bound", "x=abs:nan"]),
            (BAD_ARGUMENT, ["--bound x=MODE"], ["in.h5:x", "out.h5", *ABS]),
            (BAD_ARGUMENT, ["--chunk 3", "1 indices"], ["in.h5", "out.h5", *ABS, "--chunk", "3"]),
            (BAD_ARGUMENT, ["--chunk x=0,4"], ["in.h5", "out.h5", *ABS, "--chunk", "x=0,4"]),
            (BAD_ARGUMENT, ["--chunk x=a,4"], ["in.h5", "out.h5", *ABS, "--chunk", "x=a,4"]),
            (BAD_ARGUMENT, ["nccopy -k nc4"], ["classic.nc", "out.nc", *ABS]),
            (BAD_MAGIC, ["raw.h5"], ["raw.h5", "out.h5", *ABS]),
            (BAD_ARGUMENT, ["a.npy"], ["a.npy", "out.h5", *ABS]),
            (BAD_ARGUMENT, ["--memory"], ["in.h5", "out.h5", "--bound", "x=abs:1", "--memory", "1M"])]:
        folder.refused(status, mentions, "repack", *words)
    assert before == {path.name: path.read_bytes() for path in folder.path.iterdir()}


def test_nothing_to_compress():
    """A copy with a note, whether its name is given or that of a folder."""
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        file["alone"] = 1.5
        file["count"] = np.arange(50)
    (folder / "to").mkdir()
    for output, copy in (("out.h5", "out.h5"), ("to/", "to/in.h5")):
        outcome = folder.call("repack", "in.h5", output, *ABS)
        assert outcome.returncode == 0 and f"'{copy}' is a copy of 'in.h5'" in outcome.stderr, outcome
        assert (folder / copy).read_bytes() == (folder / "in.h5").read_bytes()


def test_faults():
    """A full disk, stood for by a limit of the size of files, and damaged files."""
    folder = Folder()
    write_hdf5(folder / "in.h5")
    (folder / "out.h5").write_bytes(b"the one before")
    names = sorted(folder.path.iterdir())
    whole = (folder / "in.h5").read_bytes()
    folder.run("repack", "in.h5", "full.h5", *ABS)
    full_bytes = (folder / "full.h5").stat().st_size
    (folder / "full.h5").unlink()
    words = [PROGRAM, "repack", "in.h5", "out.h5", "--bound", "*=abs:0.01", "--force"]
    for limit in [0, 3000, full_bytes // 3, full_bytes // 2, full_bytes - 100]:
        outcome = subprocess.run(words, cwd=folder.path, capture_output=True, text=True, check=False, timeout=60,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert outcome.returncode == IO and outcome.stderr.count("\n") == 1, f"{limit} bytes: {outcome}"
        assert (folder / "out.h5").read_bytes() == b"the one before" and sorted(folder.path.iterdir()) == names
    rng = np.random.default_rng(3)
    for attempt in range(60):
        bytes_ = bytearray(whole)
        if attempt < 10:
            bytes_ = bytes_[: len(bytes_) * attempt // 10]
        else:
            for _ in range(rng.integers(1, 4)):
                bytes_[rng.integers(1024, min(len(bytes_), 30000))] = rng.integers(0, 256)
        (folder / "in.h5").write_bytes(bytes_)
        outcome = subprocess.run(words, cwd=folder.path, capture_output=True, text=True, check=False, timeout=60)
        assert outcome.returncode >= 0, f"ended by a signal: {outcome}"
        left = sorted(folder.path.iterdir())
        assert left == names, f"{outcome}: left {left}"
        if outcome.returncode == 0 or "all others are repacked" in outcome.stderr:
            (folder / "out.h5").write_bytes(b"the one before")
        else:
            assert outcome.returncode in (BAD_ARGUMENT, BAD_MAGIC, UNSUPPORTED, CORRUPT, IO), outcome
            assert (folder / "out.h5").read_bytes() == b"the one before", outcome


TESTS = {name.removeprefix("test_"): test for name, test in globals().items() if name.startswith("test_")}
if len(sys.argv) != 3 or sys.argv[2] not in TESTS:
    sys.exit(f"usage: HDF5_PLUGIN_PATH=… {sys.argv[0]} KOMPAKT {'|'.join(TESTS)}")
TESTS[sys.argv[2]]()
print("as it should be")
