#!/usr/bin/env python3
"""Holds the program against the packages that others read and write their files with.

usage: formats.py KOMPAKT npy|netcdf|hdf5

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import subprocess
import sys
import zipfile

try:
    import numpy as np
    from program import (BAD_ARGUMENT, BAD_MAGIC, BOUND, CORRUPT, FILL, IO, PROGRAM, TYPE_MISMATCH, Folder, smooth,
                         within_bound)
    if sys.argv[2] != "npy":
        import h5py
    if sys.argv[2] == "netcdf":
        from scipy.io import netcdf_file
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

FORMAT = sys.argv[2]
LARGE = (20, 200, 300)  # too large for the least memory

TYPES = ["f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def mode_of(dtype):
    return ["-m", "abs", "-e", BOUND] if dtype[0] == "f" else ["-m", "lossless"]


def test_npy():
    folder = Folder()
    for dtype in TYPES:
        for shape in [(), (7,), (1,), (5, 6), (4, 5, 6), (2, 1, 3, 4)] if dtype == "f4" else [(4, 5, 6)]:
            for order in "CF":
                array = np.asarray(smooth(shape, dtype), order=order)
                np.save(folder / "a.npy", array)
                folder.run("compress", "-i", "a.npy", *mode_of(dtype), "-o", "a.kpk", "--name", "a", "--force",
                           "--replace-archive", "--exec", "serial")
                folder.run("decompress", "-i", "a.kpk", "-o", "b.npy", "--force", "--exec", "serial")
                restored = np.load(folder / "b.npy")
                assert within_bound(array, restored), (dtype, shape, order)
                assert restored.flags.f_contiguous == array.flags.f_contiguous
    array = np.asfortranarray(smooth((20, 30, 40), "f4"))
    np.save(folder / "f.npy", array)
    folder.run("compress", "-i", "f.npy", "-m", "abs", "-e", BOUND, "-o", "f.kpk")
    folder.run("extract", "-i", "f.kpk", "--roi", "3:9,:,5", "-o", "part.npy")  # slowest first
    assert within_bound(array[5:6, :, 3:9], np.load(folder / "part.npy"))
    folder.damaged("f.npy", "")
    other_numbers(folder)
    pipes(folder)
    several_arrays(folder)


def other_numbers(folder):
    """Big-endian numbers, float16, bfloat16 and truth come back as the nearest type that has all of their values."""
    halves = np.arange(2**16, dtype="u2").view("f2")
    wave = smooth((30, 40), "f8")
    for name, array, wanted, remark in [
            ("big", np.asfortranarray(wave.astype(">f8")), "f8", None), ("short", wave.astype(">i2"), "i2", None),
            ("half", halves, "f2", None), ("turned", halves.astype(">f2"), "f2", None),
            ("brain", halves.view("V2"), "V2", "bfloat16"), ("truth", wave > 50, "u1", "u8")]:
        np.save(folder / f"{name}.npy", array)
        outcome = folder.call("compress", "-i", f"{name}.npy", "-m", "lossless", "-o", f"{name}.kpk")
        assert outcome.returncode == 0 and (remark or "") in outcome.stderr, outcome
        assert outcome.stderr.count("note") == (remark is not None), outcome
        folder.run("decompress", "-i", f"{name}.kpk", "-o", f"{name}.out.npy")
        restored = np.load(folder / f"{name}.out.npy")
        assert restored.dtype == wanted and np.array_equal(restored, array.astype(wanted), equal_nan=wanted[0] == "f"), name
        folder.run("compare", "-i", f"{name}.npy", f"{name}.kpk")


def pipes(folder):
    """An array on standard input says what it is; whatever else comes that way must be described."""
    field = smooth((20, 30), "f4")
    np.save(folder / "piped.npy", field)
    whole = (folder / "piped.npy").read_bytes()
    words = ["compress", "-i", "-", "-m", "r2r", "-e", "+1e-3", "-o", "piped.kpk", "--force"]

    def call(data, *more):
        return subprocess.run([PROGRAM, *words, *more], cwd=folder.path, input=data, capture_output=True, check=False)

    assert call(whole).returncode == 0
    folder.run("decompress", "-i", "piped.kpk", "-o", "piped.out.npy")
    assert within_bound(field, np.load(folder / "piped.out.npy"), 1e-3 * np.ptp(field))
    for data, status, mention in [(whole[:-1], CORRUPT, b"cut off"), (whole + b"x", CORRUPT, b"behind the last value"),
                                  (field.tobytes(), BAD_ARGUMENT, b"give -t and -l"), (b"", BAD_ARGUMENT, b"give -t and -l")]:
        outcome = call(data)
        assert outcome.returncode == status and mention in outcome.stderr, outcome
    assert call(field.tobytes(), "-t", "f32", "-l", "30X20").returncode == 0  # a capital X is one too
    piped_npz(folder, field, call)


def piped_npz(folder, field, call):
    """As the only array of floats, through a pipe and from a file; of several none is guessed."""
    np.savez(folder / "piped.npz", field=field, count=np.arange(7))
    for source in ((folder / "piped.npz").read_bytes(), None):
        if source is None:
            with open(folder / "piped.npz", "rb") as file:
                outcome = subprocess.run([PROGRAM, "compress", "-", "-m", "r2r", "-e", "1e-3", "-o", "piped.kpk", "--force"],
                                         cwd=folder.path, stdin=file, capture_output=True, check=False)
        else:
            outcome = call(source)
        assert outcome.returncode == 0, outcome
        folder.run("decompress", "-i", "piped.kpk", "-o", "piped.out.npy", "--force")
        assert within_bound(field, np.load(folder / "piped.out.npy"), 1e-3 * np.ptp(field))
        (folder / "piped.out.npy").unlink()
    whole = (folder / "piped.npz").read_bytes()
    np.savez(folder / "several.npz", a=field, b=field)
    for data, status, mention in [((folder / "several.npz").read_bytes(), BAD_ARGUMENT, b"FILE.npz:NAME"),
                                  (whole[:-30], CORRUPT, b"damaged zip file"),
                                  (whole[:300] + bytes([whole[300] ^ 1]) + whole[301:], CORRUPT, b"standard input")]:
        outcome = call(data)
        assert outcome.returncode == status and mention in outcome.stderr, outcome


def several_arrays(folder):
    """Each member of an .npz is a variable, stored or deflated, also with the headers of zip64."""
    arrays = {"a": smooth((30, 40), "f4"), "b": np.asfortranarray(smooth((5, 6), ">f8")), "mask": np.eye(9) > 0,
              "n": np.arange(7), "inner/deep": smooth((3,), "f4")}
    np.savez(folder / "stored.npz", **arrays)
    np.savez_compressed(folder / "deflated.npz", **arrays)
    with zipfile.ZipFile(folder / "large.npz", "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            with file.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)
    readable = ["stored"]
    words = ["compress", "deflated.npz", "-m", "lossless", "-o"]
    if "built without zlib" in folder.call(*words, "probe.kpk").stderr:
        folder.refused(BAD_ARGUMENT, ["deflated.npz", "zlib1g-dev"], *words, "never.kpk")
    else:
        readable += ["deflated", "large"]
    for name in readable:
        folder.run("compress", f"{name}.npz", "-m", "lossless", "-o", f"{name}.kpk", "--memory", "40M")
        for key, array in arrays.items():
            folder.run("decompress", "-i", f"{name}.kpk", "--name", key, "-o", "one.npy", "--force")
            restored = np.load(folder / "one.npy")
            assert np.array_equal(restored, array) and restored.flags.f_contiguous == array.flags.f_contiguous, (name, key)
        folder.damaged(f"{name}.npz", ":a")
    with zipfile.ZipFile(folder / "others.npz", "w") as file:
        file.writestr("readme.txt", "text")
        file.writestr("a.npy", (folder / "piped.npy").read_bytes(), zipfile.ZIP_BZIP2)
    np.savez(folder / "object.npz", a=np.array([None]))
    words = ["-m", "abs", "-e", BOUND, "-o", "never.kpk"]
    folder.refused(BAD_ARGUMENT, ["others.npz:a", "method 12"], "compress", "-i", "others.npz:a", *words)
    folder.refused(BAD_ARGUMENT, ["object.npz:a", "'|O'"], "compress", "-i", "object.npz:a", *words)
    folder.refused(BAD_ARGUMENT, ["object.npz:a", "'|O'"], "compress", "object.npz", *words)
    folder.refused(BAD_ARGUMENT, ["no variable 'c'", "'inner/deep'"], "compress", "-i", "stored.npz:c", *words)
    folder.refused(BAD_ARGUMENT, ["never.npz", "only read"], "decompress", "-i", "piped.kpk", "-o", "never.npz")
    (folder / "none.npz").write_bytes(b"no zip")
    folder.refused(BAD_MAGIC, ["none.npz"], "compress", "-i", "none.npz", *words)


def attributes_of(dataset):
    """Of a variable, in the packages' own terms, for comparison."""
    internal = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid",
                "_Netcdf4Coordinates", "_nc3_strict")
    attributes = {}
    for key, value in dataset.attrs.items():
        if key in internal:
            continue
        text = value.decode() if isinstance(value, bytes) else value
        attributes[key] = text if isinstance(text, str) else np.atleast_1d(value).tolist()
    return attributes


def write_classic(path, version):
    """A file with axes, a record variable with a fill value, integers and texts."""
    field = smooth((6, 30, 40), ">f4")
    field[2, 3:5, 4] = FILL
    with netcdf_file(path, "w", version=version) as file:
        for name, length in [("time", None), ("lat", 30), ("lon", 40)]:
            file.createDimension(name, length)
        for name, length in [("lat", 30), ("lon", 40)]:
            axis = file.createVariable(name, "f8", (name,))
            axis[:] = np.arange(length) / 7
            axis.units = "degrees"
        variable = file.createVariable("temperature", "f4", ("time", "lat", "lon"))
        variable._FillValue = FILL
        variable.units = "K"
        variable.long_name = "air temperature"
        variable.valid_range = np.array([0, 1000], ">f4")
        variable.level = np.int16(3)
        variable[:] = field
        file.createVariable("count", "i2", ("lat",))[:] = np.arange(30)
        file.createVariable("name", "c", ("lat",))[:] = np.array(list("abc" * 10), "S1")
        time = file.createVariable("time", "i4", ("time",))
        time[:] = 10 * np.arange(6)
    return field


def test_netcdf():
    folder = Folder()
    for version in (1, 2):
        name = f"v{version}.nc"
        field = write_classic(folder / name, version)
        alone = folder.json("compress", "-i", f"{name}:temperature", "-m", "abs", "-e", BOUND, "-o", f"{name}.kpk")
        assert alone["shape"] == [6, 30, 40] and alone["dtype"] == "f32" and alone["masked"] == 2, alone
        assert alone["fill"] == float(FILL)
        report = folder.json("compress", name, "-o", f"{name}.all", "--bound", f"t*=abs:{BOUND}")
        names = [one["name"] for one in report["fields"]]
        assert sorted(names) == ["count", "lat", "lon", "name", "temperature", "time"], names
        modes = {one["name"]: one["bound_mode"] for one in report["fields"]}
        assert modes.pop("temperature") == "abs" and set(modes.values()) == {"lossless"}, modes
        folder.run("decompress", "-i", f"{name}.all", "-o", "out.nc", "--force")
        with h5py.File(folder / "out.nc") as out:
            assert within_bound(field, out["temperature"][...])
            assert np.array_equal(out["lat"][...], np.arange(30) / 7)
            assert out["name"][...].tobytes() == 10 * b"abc"
            assert np.array_equal(out["time"][...], 10 * np.arange(6))
            assert [scale[0].name for scale in out["temperature"].dims] == ["/time", "/lat", "/lon"]
            attributes = attributes_of(out["temperature"])
            assert attributes == {
                "_FillValue": [FILL], "units": "K", "long_name": "air temperature", "valid_range": [0, 1000],
                "level": [3]}, attributes
            assert out["temperature"].attrs["level"].dtype == "i2"
        folder.run("compare", "-i", f"{name}:temperature", "out.nc:temperature", "-m", "abs", "-e", BOUND)
        # What the program has written is read by it too, and by the same name as HDF5.
        outcome = folder.call("decompress", "-i", f"{name}.all", "-o", "out.h5", "--force")
        if "built without HDF5" not in outcome.stderr:
            assert outcome.returncode == 0, outcome.stderr
            folder.run("compare", "-i", "out.nc:temperature", "out.h5:/temperature", "-m", "lossless")
        folder.run("compress", "-i", "out.nc", "-m", "lossless", "-o", "again.kpk", "--force")
        folder.run("extract", "-i", f"{name}.all", "--name", "temperature", "--roi", "1:3,:,7", "-o", "part.nc:a/b",
                   "--force")
        with h5py.File(folder / "part.nc") as out:
            assert within_bound(field[1:3, :, 7:8], out["a/b"][...])
    large = smooth(LARGE, "f4")
    with netcdf_file(folder / "large.nc", "w") as file:
        for name, length in zip("tyx", LARGE):
            file.createDimension(name, length)
        file.createVariable("x", "f8", ("x",))[:] = np.arange(LARGE[2])
        file.createVariable("large", "f4", "tyx")[:] = large
    slabs_are_those_of_a_raw_file(folder, "large.nc", large)
    bad_netcdf(folder)
    folder.damaged("v1.nc", ":temperature")
    folder.damaged("out.nc", ":temperature")
    several_files(folder)
    scalar(folder)
    kinds_of_netcdf4(folder)


def scalar(folder):
    """A number without an index stays one."""
    np.save(folder / "s.npy", np.float64(2.5))
    folder.run("compress", "s.npy", "-o", "s.kpk", "-m", "lossless")
    folder.run("decompress", "-i", "s.kpk", "-o", "s.nc")
    folder.run("compress", "s.nc", "-o", "s2.kpk", "-m", "lossless")
    folder.run("decompress", "-i", "s2.kpk", "-o", "s2.npy")
    assert (folder / "s2.npy").read_bytes() == (folder / "s.npy").read_bytes()


def kinds_of_netcdf4(folder):
    """What only the package of netCDF writes: CDF-5, and groups, chunks, other bytes first."""
    try:
        import netCDF4
    except ImportError:
        print("skipped: CDF-5 and kinds of netCDF-4, as netCDF4 is not installed")
        return
    field = smooth((6, 30, 40), "f4")
    for kind in ("NETCDF3_64BIT_DATA", "NETCDF4"):
        with netCDF4.Dataset(folder / f"{kind}.nc", "w", format=kind) as file:
            group = file.createGroup("ocean") if kind == "NETCDF4" else file
            for name, length in [("time", None), ("lat", 30), ("lon", 40)]:
                group.createDimension(name, length)
            options = {"zlib": True, "chunksizes": (4, 7, 11), "endian": "big"} if kind == "NETCDF4" else {}
            dtype = ">f4" if kind == "NETCDF4" else "f4"
            group.createVariable("salt", dtype, ("time", "lat", "lon"), **options)[:] = field
        word = f"{kind}.nc:ocean/salt" if kind == "NETCDF4" else f"{kind}.nc:salt"
        folder.run("compress", "-i", word, "-m", "abs", "-e", BOUND, "-o", "k.kpk", "--force")
        folder.run("decompress", "-i", "k.kpk", "-o", "k.npy", "--force")
        assert within_bound(field, np.load(folder / "k.npy")), kind
        outcome = folder.call("decompress", "-i", "k.kpk", "-o", f"{kind}.nc:other", "--force")
        assert outcome.returncode != 0 and "would be lost" in outcome.stderr, outcome


def slabs_are_those_of_a_raw_file(folder, word, field):
    """Too large for its memory or not, whatever it is read from."""
    field.tofile(folder / "raw")
    for memory, in_slabs in (("33M", True), ("1G", False)):
        streams = []
        raw = ["raw", "-t", "f32", "--shape", ",".join(map(str, field.shape))]
        if word.endswith(".nc"):
            raw += ["--fill", "auto/9.969209968386869e+36"]  # which netCDF declares
        for input_ in ([word], raw):
            report = folder.json("compress", "-i", *input_, "-m", "r2r", "-e", BOUND, "-o", "x.kpk", "--memory",
                                 memory, "--force", "-c", "fixedlength", "--exec", "serial")
            assert (report["frames"] > 1) == in_slabs, report
            streams.append((folder / "x.kpk").read_bytes())
        assert streams[0] == streams[1], (word, memory)
        for name in ("slabs.nc", "slabs.h5"):
            outcome = folder.call("decompress", "-i", "x.kpk", "-o", name, "--memory", memory, "--force")
            assert outcome.returncode == 0 or "built without" in outcome.stderr, outcome
            if outcome.returncode == 0:
                folder.run("compare", "-i", word, name, "-m", "r2r", "-e", BOUND)


def bad_netcdf(folder):
    compress = ["-m", "abs", "-e", "1", "-o", "never.kpk"]
    names = ["lat", "lon", "temperature", "count", "name", "time"]
    folder.refused(BAD_ARGUMENT, ["no variable 'wind'", *names], "compress", "-i", "v1.nc:wind", *compress)
    folder.refused(BAD_ARGUMENT, ["letters", "lossless"], "compress", "-i", "v1.nc:name", *compress)
    folder.refused(TYPE_MISMATCH, ["v1.nc:temperature", "f64"], "compress", "-i", "v1.nc", "-t", "f64", *compress)
    folder.refused(TYPE_MISMATCH, ["6 x 30 x 40", "6 x 30 x 41"], "compress", "-i", "v1.nc", "--shape", "6,30,41",
                   *compress)
    folder.refused(IO, ["nowhere.nc"], "compress", "-i", "nowhere.nc", *compress)
    folder.refused(BAD_ARGUMENT, ["--bound wind=abs:1", "temperature"], "compress", "v1.nc", "--bound", "wind=abs:1",
                   *compress)
    folder.refused(BAD_ARGUMENT, ["v1.nc:temperature", "no bound"], "compress", "v1.nc", "-o", "never.kpk")
    for word in ("wind", "=abs:1", "wind=", "wind=abs", "wind=abs:x", "wind=lossless:1", "wind=much:1"):
        folder.refused(BAD_ARGUMENT, ["--bound " + word], "compress", "v1.nc", "--bound", word, *compress)
    folder.refused(IO, ["out.nc", "exists"], "decompress", "-i", "v1.nc.kpk", "-o", "out.nc")
    folder.refused(IO, ["out.nc"], "decompress", "-i", "v1.nc.kpk", "-o", "nowhere/out.nc")
    folder.refused(IO, ["input"], "compress", "-i", "v1.nc:temperature", "-m", "abs", "-e", "1", "-o", "v1.nc",
                   "--force")


def several_files(folder):
    """Variables of the same name in several files, with bounds by the name in the archive."""
    report = folder.json("compress", "v1.nc", "v2.nc", "-o", "two.kpk", "-m", "abs", "-e", "1", "--bound",
                         "v2/temp*=abs:1e-4")
    bounds = {one["name"]: one["bound_abs"] for one in report["fields"] if "temperature" in one["name"]}
    assert bounds == {"v1/temperature": 1, "v2/temperature": 1e-4}, bounds
    folder.run("decompress", "-i", "two.kpk", "-o", "two.nc")
    folder.run("compare", "-i", "v2.nc:temperature", "two.nc:v2/temperature", "-m", "abs", "-e", "1e-4")
    folder.refused(BAD_ARGUMENT, ["already", "--replace"], "compress", "v1.nc", "v2.nc", "-o", "two.kpk", "--append",
                   "-m", "abs", "-e", "1")
    before = folder.json("info", "two.kpk")["fields"]
    folder.run("compress", "v1.nc", "v2.nc", "-o", "two.kpk", "--append", "--replace", "-m", "abs", "-e", "1")
    assert len(folder.json("info", "two.kpk")["fields"]) == len(before)


def enumerations_are_kept_as_numbers(folder):
    """Booleans are one; in a copy they stay what they are."""
    for name in ("flags", "kinds", "turned kinds", "turned wide kinds", "turned flags"):
        outcome = folder.call("compress", "a.h5:" + name, "-m", "lossless", "-o", "t.kpk", "--force", "--replace-archive")
        mention = f"'a.h5:{name}': its values are an enumeration, stored as its numbers"
        assert outcome.returncode == 0 and (mention in outcome.stderr) == ("flags" not in name), outcome
        folder.run("decompress", "-i", "t.kpk", "-o", "t.h5", "--force")
        with h5py.File(folder / "a.h5") as file, h5py.File(folder / "t.h5") as out:
            dtype = bool if "flags" in name else "u8" if "wide" in name else "i2"
            assert np.array_equal(file[name][...].astype(dtype), out[name][...]) and out[name].dtype == dtype, name
    outcome = folder.call("compress", "-i", "a.h5:flags", "-m", "abs", "-e", "1", "-o", "never.kpk")
    assert outcome.returncode == BAD_ARGUMENT and "give -m lossless" in outcome.stderr, outcome
    outcome = folder.call("repack", "a.h5", "copy.h5", "--bound", "big=abs:1e-3", "--bound", "flags=lossless")
    if "built without" in outcome.stderr:
        return
    assert outcome.returncode == 0 and "'a.h5:flags' stays as it is: its values are an enumeration" in outcome.stderr, outcome
    with h5py.File(folder / "a.h5") as file, h5py.File(folder / "copy.h5") as out:
        assert out["flags"].dtype == bool and np.array_equal(file["flags"], out["flags"])
        for name in ("turned kinds", "turned wide kinds", "turned flags"):
            assert out[name].id.get_type() == file[name].id.get_type() and np.array_equal(file[name], out[name]), name


def write_turned_enumerations(file):
    """In the order of bytes of other machines, also of Booleans; some numbers have no name, which no library converts."""
    numbers = np.arange(300, dtype="i8").reshape(20, 15) * 7 % 301
    turned = h5py.h5t.enum_create(h5py.h5t.STD_I8BE)
    for number, word in enumerate((b"FALSE", b"TRUE")):
        turned.enum_insert(word, number)
    for name, kind, values in (("turned kinds", h5py.enum_dtype({"a": 0, "b": 300}, ">i2"), numbers),
                               ("turned wide kinds", h5py.enum_dtype({"a": 0, "b": 1}, ">u8"), numbers), ("turned flags", turned, numbers % 2)):
        kind = kind if isinstance(kind, h5py.h5t.TypeID) else h5py.h5t.py_create(kind, logical=True)
        dataset = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple(values.shape))
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(values.astype(kind.get_super().dtype)), mtype=kind)


def test_hdf5():
    folder = Folder()
    field = smooth((20, 30, 40), "f4")
    field[2, 3:5, 4] = FILL
    with h5py.File(folder / "a.h5", "w") as file:
        chunked = file.create_dataset("g/chunked", data=field, chunks=(7, 11, 13), compression="gzip",
                                      shuffle=True, fillvalue=FILL)
        chunked.attrs["units"] = "K"
        chunked.attrs["long_name"] = "Temperatur, °"
        chunked.attrs["level"] = np.int16(3)
        chunked.attrs["list"] = np.arange(3) / 3
        file["big"] = field.astype(">f4")
        file["scalar"] = 2.5
        for dtype in TYPES:
            file["types/" + dtype] = smooth((5, 6), ">" + dtype)
        file["structures"] = np.zeros(3, [("a", "f4"), ("b", "i4")])
        file["texts"] = ["a", "b"]
        write_turned_enumerations(file)
        file["flags"] = np.arange(300).reshape(20, 15) % 7 < 3
        file.create_dataset("kinds", data=np.arange(99, dtype="<i2") % 3, dtype=h5py.enum_dtype({"a": 0, "b": 1}, "<i2"))
        file["half"], file["turned half"] = smooth((4, 7), "f2"), smooth((4, 7), ">f2")
        file["complex"], file["wide"] = smooth((4, 7), "c8") * 1j, smooth((4, 7), "c16") * (1 + 2j)
        file["turned complex"] = (smooth((4, 7), "c8") * (1 + 2j)).astype(">c8")
        file["none"] = h5py.Empty("f4")
        file["zero"] = np.zeros((0, 3), "f4")
        file["rank"] = np.zeros((1,) * 9, "f4")
    report = folder.json("compress", "-i", "a.h5:/g/chunked", "-m", "abs", "-e", BOUND, "-o", "a.kpk", "--name", "a")
    assert report["masked"] == 2 and report["shape"] == [20, 30, 40], report
    folder.run("decompress", "-i", "a.kpk", "-o", "b.h5:x/y")
    with h5py.File(folder / "b.h5") as out:
        assert within_bound(field, out["x/y"][...]) and out["x/y"].fillvalue == FILL
        assert attributes_of(out["x/y"]) == {
            "units": "K", "long_name": "Temperatur, °", "level": [3], "list": [0, 1 / 3, 2 / 3]}
    for name in ["big", "scalar", "half", "turned half", "complex", "turned complex", "wide", *("types/" + dtype for dtype in TYPES)]:
        folder.run("compress", "-i", "a.h5:" + name, "-m", "lossless", "-o", "t.kpk", "--name", "t", "--force",
                   "--replace-archive")
        folder.run("decompress", "-i", "t.kpk", "-o", "t.h5", "--force")
        with h5py.File(folder / "a.h5") as file, h5py.File(folder / "t.h5") as out:
            assert np.array_equal(file[name][...], out["t"][...]) and file[name].shape == out["t"].shape, name
    enumerations_are_kept_as_numbers(folder)
    large = smooth(LARGE, "f4")
    with h5py.File(folder / "large.h5", "w") as file:
        file.create_dataset("large", data=large, chunks=(7, 64, 70), compression="gzip")
    slabs_are_those_of_a_raw_file(folder, "large.h5", large)
    compress = ["-m", "abs", "-e", "1", "-o", "never.kpk"]
    for name, mention in [("structures", "structures"), ("texts", "texts"),
                          ("none", "no values"), ("zero", "no values"), ("rank", "9 indices")]:
        folder.refused(BAD_ARGUMENT, ["a.h5:" + name, mention], "compress", "-i", "a.h5:" + name, *compress)
    folder.refused(BAD_ARGUMENT, ["a.h5:NAME", "'big'", "'g/chunked'"], "compress", "-i", "a.h5", *compress)
    folder.refused(BAD_ARGUMENT, ["no variable 'g'", "'big'"], "compress", "-i", "a.h5:g", *compress)
    folder.damaged("a.h5", ":g/chunked")


{"npy": test_npy, "netcdf": test_netcdf, "hdf5": test_hdf5}[FORMAT]()
print(f"{FORMAT}: as it should be")
