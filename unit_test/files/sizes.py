#!/usr/bin/env python3
"""Sizes and bytes of copies and archives: none is larger than its input without a note, and two runs write the same file.

usage: sizes.py KOMPAKT

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import re
import sys
import time

try:
    import h5py
    import netCDF4
    import numpy as np
    from program import Folder, smooth
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

ABS = ["-m", "abs", "-e", "1e-3"]
RNG = np.random.default_rng(0)


def write(path, variables, file_format="NETCDF4", **storage):
    """A file of netCDF with a variable for each array."""
    with netCDF4.Dataset(path, "w", format=file_format) as file:
        for name, values in variables.items():
            dims = [f"{name}_{axis}" for axis in range(values.ndim)]
            for dim, extent in zip(dims, values.shape):
                file.createDimension(dim, extent)
            file.createVariable(name, values.dtype, dims, **(storage if dims else {}))[...] = values


def limit_of(path):
    size = path.stat().st_size
    return size + max(4096, size // 100)


def sparse(count):
    """Few values beside zeros, of which deflate makes next to nothing."""
    return ((RNG.random(count) < 0.01) * np.round(RNG.random(count), 1)).astype("f4")


def test_what_the_filter_makes_no_smaller_stays_as_it_is():
    folder = Folder()
    small = {f"s{i}": RNG.random(20).astype("f4") for i in range(50)}
    for storage in ({}, {"zlib": True}):
        write(folder / "in.nc", {**small, "sparse": sparse(200000), "zero": np.zeros(200000, "f4"),
                                 "field": smooth((100, 200), "f4")}, **storage)
        outcome = folder.call("repack", "in.nc", "out.nc", *ABS, "--verify", "--json", "--force")
        assert outcome.returncode == 0, outcome
        assert (folder / "out.nc").stat().st_size < (folder / "in.nc").stat().st_size
        if storage:  # whose chunks the filter makes smaller still
            continue
        with h5py.File(folder / "in.nc") as before, h5py.File(folder / "out.nc") as after:
            assert {name for name in after if name in small and after[name].chunks is None} == set(small)
            assert all(np.array_equal(before[name][()], after[name][()]) for name in small)
        assert "50 variables stay as in 'in.nc', because the filter makes them no smaller: 's0'" in outcome.stderr, outcome.stderr
        assert "'field'" not in outcome.stderr, outcome.stderr


def test_a_chunk_beyond_the_end_is_no_larger_than_its_values():
    """HDF5 fills it with the fill value, which netCDF sets to 9.97e36 unasked."""
    folder = Folder()
    field = smooth((100, 40, 50), "f4")
    for mode in ("r2r", "abs"):
        sizes = []
        for chunk in (60, 50):
            write(folder / "in.nc", {"field": field}, chunksizes=(chunk, 40, 50))
            outcome = folder.call("repack", "in.nc", "out.nc", "-m", mode, "-e", "1e-3", "--chunk", f"{chunk},40,50",
                                  "--verify", "--force")
            assert outcome.returncode == 0, outcome
            with h5py.File(folder / "out.nc") as after:
                sizes.append(after["field"].id.get_storage_size())
        assert sizes[0] < 1.3 * sizes[1], (mode, sizes)


def test_a_file_that_would_only_grow_is_copied():
    folder = Folder()
    write(folder / "in.nc", {"noise": RNG.integers(0, 256, 4 * 50000, "u1").view("f4"), "tiny": np.ones(3, "f4")})
    report = folder.json("repack", "in.nc", "out.nc", "-m", "lossless", "--verify")
    assert report["files"][0]["variables"] == [] and sorted(report["files"][0]["unchanged"]) == ["noise", "tiny"]
    assert (folder / "in.nc").read_bytes() == (folder / "out.nc").read_bytes()


def test_an_archive_is_no_larger_or_says_so():
    folder = Folder()
    noise = RNG.integers(0, 2**32, 10**5, "u4")
    mask = np.zeros((500, 500), "i1")
    mask[100:200, 150:300] = 1
    for name, variables, file_format, storage in [
            ("noise", {"noise": noise.view("i4")}, "NETCDF3_CLASSIC", {}),
            ("scalars", {f"s{i}": np.float32(i) for i in range(100)}, "NETCDF3_CLASSIC", {}),
            ("ends", {f"ends{i}": RNG.random(2) for i in range(100)}, "NETCDF3_CLASSIC", {}),
            ("mask", {"mask": mask}, "NETCDF4", {"zlib": True})]:
        write(folder / "in.nc", variables, file_format, **storage)
        outcome = folder.call("compress", "in.nc", "-o", f"{name}.kpk", *ABS)
        assert outcome.returncode == 0 and not outcome.stderr, outcome
        assert (folder / f"{name}.kpk").stat().st_size < limit_of(folder / "in.nc"), name
    write(folder / "in.nc", {f"v{i}": noise[70 * i:70 * i + 70].view("f4") for i in range(100)}, "NETCDF3_CLASSIC")
    outcome = folder.call("compress", "in.nc", "-o", "short.kpk", *ABS)
    assert (folder / "short.kpk").stat().st_size > limit_of(folder / "in.nc")
    assert "the streams of 100 of 100 fields are no smaller than their values" in outcome.stderr, outcome.stderr
    with netCDF4.Dataset(folder / "in.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 100)
        for i in range(50):
            file.createVariable(f"v{i}", "f4", "x").history = "2000 letters of history ".ljust(2000, ".")
    outcome = folder.call("compress", "in.nc", "-o", "described.kpk", *ABS)
    taken = re.search("of 0 of 50 fields are .* attributes take ([0-9]+) bytes", outcome.stderr)
    assert taken and 100000 < int(taken[1]) < 110000, outcome.stderr


def test_errors_that_save_no_byte_are_not_made():
    """The header of a stream alone is larger than a few values."""
    folder = Folder()
    tiny, sigma, field = RNG.random(20).astype("f8"), RNG.random(5).astype("f4"), smooth((100, 200), "f4")
    write(folder / "in.nc", {"tiny": tiny, "sigma": sigma, "field": field})
    for words in (ABS, ["-m", "r2r", "-e", "1e-2", "--for", "ratio"]):
        folder.run("compress", "in.nc", *words, "-o", "in.kpk", "--force", "--replace-archive", "--quiet")
        folder.run("decompress", "-i", "in.kpk", "-o", "out.nc", "--force", "--quiet")
        with netCDF4.Dataset(folder / "out.nc") as file:
            assert np.array_equal(file["tiny"][:], tiny) and np.array_equal(file["sigma"][:], sigma), words
            assert 0 < np.abs(file["field"][:] - field).max(), words
        assert "damaged" not in folder.run("verify", "in.kpk")


def test_two_runs_write_the_same_bytes():
    folder = Folder()
    field = smooth((60, 80), "f4")
    with h5py.File(folder / "in.h5", "w", track_order=True, libver="v108") as file:
        file.create_dataset("group/inner/field", data=field, track_times=True)
        file.create_dataset("texts", data=["a", "b"], track_times=True)
        file.create_dataset("whole", data=np.arange(1000), track_times=True, compression="gzip")
        file["refs"] = np.array([file["texts"].ref], h5py.ref_dtype)
    folder.run("compress", "in.h5", *ABS, "-o", "in.kpk", "--skip", "texts", "--skip", "refs")
    for run in (1, 2):
        folder.run("repack", "in.h5", f"copy{run}.h5", *ABS)
        folder.run("decompress", "-i", "in.kpk", "-o", f"back{run}.h5")
        folder.run("decompress", "-i", "in.kpk", "-o", f"back{run}.nc")
        time.sleep(1.1)  # the times that HDF5 keeps are whole seconds
    for name in ("copy{}.h5", "back{}.h5", "back{}.nc"):
        first, second = ((folder / name.format(run)).read_bytes() for run in (1, 2))
        assert first == second, name


def test_types_with_names_have_the_same_bytes():
    """Of HDF5 and netCDF, in files whose objects have times."""
    folder = Folder()
    pair = np.dtype([("u", "f4"), ("v", "f4")])
    with h5py.File(folder / "in.h5", "w", libver="latest" if h5py.version.hdf5_version_tuple < (1, 14) else "v110") as file:
        file["pair"], file["group/kind"] = pair, np.dtype("f8")
        file["pair"].attrs["units"] = "m/s"
        file.create_dataset("wind", data=np.ones(5, pair), dtype=file["pair"])
        file["field"] = smooth((60, 80), "f4")
    with netCDF4.Dataset(folder / "in.nc", "w") as file:
        file.createDimension("x", 2000)
        kind = file.createEnumType("i1", "colour", {"red": 0, "green": 1})
        file.createVariable("pair", file.createCompoundType(pair, "pair_t"), ("x",))[:] = np.ones(2000, pair)
        file.createVariable("colours", kind, ("x",))[:] = np.ones(2000, "i1")
        file.createVariable("list", file.createVLType("f4", "list_t"), ("x",))[0] = np.ones(3, "f4")
        file.createVariable("field", "f4", ("x",))[:] = smooth((2000,), "f4")
    for end in ("h5", "nc"):
        for run in (1, 2):
            folder.run("repack", f"in.{end}", f"copy{run}.{end}", *ABS)
            time.sleep(1.1)
        first, second = ((folder / f"copy{run}.{end}").read_bytes() for run in (1, 2))
        assert first == second, end
    with h5py.File(folder / "copy1.h5") as file:
        assert isinstance(file["pair"], h5py.Datatype) and file["pair"].attrs["units"] == "m/s" and file["pair"].dtype == pair
        assert h5py.h5t.TypeID.committed(file["wind"].id.get_type())
    with netCDF4.Dataset(folder / "copy1.nc") as file:
        assert set(file.cmptypes) == {"pair_t"} and set(file.enumtypes) == {"colour"} and set(file.vltypes) == {"list_t"}
        assert file["colours"].datatype.enum_dict == {"red": 0, "green": 1} and file["list"][0].tolist() == [1, 1, 1]


def test_a_dataset_of_nine_indices_is_named_and_stays():
    folder = Folder()
    nine = smooth((2, 2, 2, 2, 2, 2, 2, 3, 5), "f4")
    with h5py.File(folder / "in.h5", "w") as file:
        file.create_dataset("nine", data=nine, compression="gzip")
        file["field"] = smooth((100, 200), "f4")
    outcome = folder.call("repack", "in.h5", "out.h5", *ABS, "--json")
    assert outcome.returncode == 0, outcome
    assert "'in.h5:nine' stays as it is: it has 9 indices" in outcome.stderr, outcome.stderr
    with h5py.File(folder / "out.h5") as file:
        assert np.array_equal(file["nine"][()], nine) and file["nine"].compression == "gzip"
        assert np.abs(file["field"][()] - smooth((100, 200), "f4")).max() <= 1e-3


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: passed")
