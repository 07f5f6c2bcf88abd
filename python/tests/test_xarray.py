"""Archives as datasets, and datasets in Zarr and netCDF."""

import copy
import os
import pickle
import shutil
import subprocess

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
pytest.importorskip("dask")

import integrations
from fields import largest_error, turbulence

import kompakt
import kompakt.xarray

_BOUND = 1e-3


def dataset():
    t = turbulence(32)[:20, :24]
    t[3, 4:6] = np.nan
    return xr.Dataset(
        {"t": (("time", "y", "x"), t, {"units": "K", "valid_range": np.array([-9, 9], "f4"), "coordinates": "area"}),
         "p": (("y", "x"), 1000 + t[0].astype("f8"), {"long_name": "pressure"}),
         "level": ((), np.float32(7.5))},
        coords={"time": ("time", np.arange(20.0), {"units": "hours since 2020-01-01"}),
                "x": np.arange(32, dtype="f4") / 3, "area": (("y", "x"), np.ones((24, 32)))},
        attrs={"title": "a run", "count": np.int16(3)})


_TEXTS = {
    "t": {"units": "K", "valid_range": "-9, 9", "coordinates": "area", "_dimensions": "time/y/x",
          "_types": "f32 valid_range\ni16 ./count", "./title": "a run", "./count": "3"},
    "p": {"long_name": "pressure", "_dimensions": "y/x"}, "level": {"_dimensions": ""},
    "time": {"units": "hours since 2020-01-01", "_dimensions": "time"}, "x": {"_dimensions": "x"},
    "area": {"_dimensions": "y/x"}}


@pytest.fixture
def archive(tmp_path):
    """The dataset as the program stores it."""
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as file:
        for name, texts in _TEXTS.items():
            values = np.atleast_1d(dataset()[name].values)
            mode = "abs" if name in ("t", "p") else "lossless"
            if name == "time":
                values = np.arange(20.0)
            file.append(name, values, texts, bound=_BOUND, mode=mode)
    return path


def require_same(found, expected=None):
    """All but the values of t and p are those of the dataset, and these are within the bound."""
    expected = xr.decode_cf(dataset() if expected is None else expected)
    found = found.compute()
    for name in ("t", "p"):
        assert largest_error(expected[name].values, found[name].values) <= _BOUND
        found[name].values = expected[name].values
    xr.testing.assert_identical(found, expected)


# ------------------------------------------------------------------------------------------ archives


def test_archive_is_the_dataset_that_it_was_made_of(archive):
    expected = dataset()
    del expected["t"].attrs["coordinates"]
    with xr.open_dataset(archive, engine="kompakt") as found:
        assert found["t"].attrs["valid_range"].dtype == np.float32
        assert found.attrs["count"].dtype == np.int16
        assert found["t"].dtype == np.float32 and found["level"].shape == ()
        require_same(found, expected)
    with xr.open_dataset(archive) as found:  # by its name
        assert "area" in found.coords


def test_selection_reads_what_it_takes(archive, monkeypatch):
    keys = []
    read = kompakt.Variable.read
    monkeypatch.setattr(kompakt.Variable, "read", lambda self, key=..., *a, **k: keys.append((self.name, key)) or read(self, key, *a, **k))
    with xr.open_dataset(archive, engine="kompakt", decode_times=False) as found:
        keys.clear()
        part = found["t"].isel(time=3, y=slice(20, 4, -3), x=[1, 5, 30])
        assert not keys
        values = part.values
        assert [name for name, _ in keys] == ["t"]
        assert keys[0][1][0] == 3
        assert largest_error(dataset()["t"].values[3, 20:4:-3][:, [1, 5, 30]], values) <= _BOUND
        points = found["t"].isel(time=xr.DataArray([1, 2], dims="n"), x=xr.DataArray([3, 31], dims="n"))
        assert largest_error(dataset()["t"].values[[1, 2], :, [3, 31]], points.transpose("n", "y").values) <= _BOUND


def test_dask_reads_chunks_side_by_side(archive):
    with xr.open_dataset(archive, engine="kompakt", chunks={"time": 3, "x": 10}) as found:
        assert found["t"].chunks[0] == (3,) * 6 + (2,)
        expected = np.nanmean(dataset()["t"].values, axis=0)
        assert np.abs(found["t"].mean("time").compute(scheduler="threads").values - expected).max() <= 2 * _BOUND
        again = pickle.loads(pickle.dumps(found))
        assert np.array_equal(again["t"].values, found["t"].values, equal_nan=True)
        assert np.array_equal(copy.deepcopy(found)["p"].values, found["p"].values)


@pytest.mark.parametrize("shape, order, options, slabs", [
    ((40, 32, 32), "C", {}, (16, 32, 32)),  # of bricks, which have 8 planes
    ((40, 32, 32), "C", {"pipeline": "bitshuffle", "predictor": "interpolate"}, (16, 32, 32)),
    ((32, 32, 40), "F", {}, (32, 32, 16)), ((2, 40, 32, 32), "C", {}, (1, 16, 32, 32)), ((400, 200), "C", {}, (96, 200)),
    ((30000,), "C", {}, (20480,)), ((20, 32, 32), "C", {}, (20, 32, 32))])
def test_preferred_chunks_are_slabs_of_whole_units(tmp_path, monkeypatch, shape, order, options, slabs):
    monkeypatch.setattr(kompakt.xarray, "_SLAB_BYTES", 20 * 32 * 32 * 4)
    values = np.asarray(np.sin(np.indices(shape).sum(axis=0) / 3), "f4", order=order)
    (tmp_path / "t.kpk").write_bytes(kompakt.compress(values, _BOUND, "abs", **{"pipeline": "fixedlength", "predictor": "tile", **options}))
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt", chunks={}) as found:
        field = found["field"]
        assert tuple(chunks[0] for chunks in field.chunks) == slabs
        cut = {dim: slab for dim, slab, extent in zip(field.dims, slabs, shape) if slab < extent}
        assert field.encoding.get("preferred_chunks", {}) == cut
        assert largest_error(values, field.values) <= _BOUND
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt", chunks="auto") as found:
        assert found["field"].chunks == tuple((extent,) for extent in shape)  # dask takes some of them at once


@pytest.mark.filterwarnings("error")
def test_chunks_of_small_variables_can_be_any(archive):
    with xr.open_dataset(archive, engine="kompakt", chunks={"time": 7, "x": 5}) as found:
        assert found["t"].chunks[0][0] == 7


def test_file_can_be_replaced_after_it_was_closed(archive):
    found = xr.open_dataset(archive, engine="kompakt")
    found.close()
    os.remove(archive)


def test_file_that_was_written_anew_is_not_read_as_the_old_one(archive):
    program = os.environ.get("KOMPAKT_PROGRAM") or shutil.which("kompakt")
    if program is None:
        pytest.skip("no program")
    opened, sent = (xr.open_dataset(archive, engine="kompakt") for _ in range(2))
    parcel = pickle.dumps(sent)
    sent.close()
    expected = kompakt.open(archive)["p"].read()
    with kompakt.Archive(archive, "r+") as file:
        del file["t"]
    subprocess.run([program, "compact", archive], check=True, capture_output=True)
    np.testing.assert_array_equal(opened.p.values, expected)  # the file that was opened
    with pickle.loads(parcel) as again:
        np.testing.assert_array_equal(again.p.values, expected)  # the same field at another place
    with kompakt.Archive(archive, "r+") as file:
        file["p"] = np.zeros(expected.shape)
    for name in "pt":
        with pickle.loads(parcel) as again, pytest.raises(OSError, match=f"'{name}' is no longer what it was"):
            again[name].load()


def test_groups_are_datasets_of_their_own(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w", bound_mode="lossless") as file:
        file.append("x", np.arange(4.0), {"_dimensions": "x", "./title": "root"})
        file.append("ocean/salt", np.ones(4), {"_dimensions": "x", "./name": "sea", "../title": "root"})
        file.append("ocean/deep/t", np.ones(4), {"_dimensions": "x", "../name": "sea", "./level": "9", "_types": "i32 ./level"})
    with xr.open_dataset(path, engine="kompakt") as root:
        assert set(root.variables) == {"x"} and root.attrs == {"title": "root"}
    with xr.open_dataset(path, engine="kompakt", group="ocean/deep") as deep:
        assert set(deep.variables) == {"t"} and deep.attrs == {"level": 9}
    tree = xr.open_datatree(path, engine="kompakt")
    assert set(tree.groups) == {"/", "/ocean", "/ocean/deep"}
    assert tree["ocean"].attrs == {"name": "sea"} and np.array_equal(tree["ocean/salt"].values, np.ones(4))
    assert set(xr.open_groups(path, engine="kompakt", group="ocean")) == {"/", "/deep"}
    with pytest.raises(KeyError, match="'atmosphere'.*'ocean'"):
        xr.open_dataset(path, engine="kompakt", group="atmosphere")


def test_a_variable_and_a_group_of_one_name_are_read_apart(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as file:
        for number, name in enumerate(("a/T", "a/T/err")):
            file[name] = np.full(5, number)
    with pytest.raises(ValueError, match="^'.*run.kpk' has the variable 'a/T' and a group of this name"):
        xr.open_datatree(path, engine="kompakt")
    groups = xr.open_groups(path, engine="kompakt")
    assert int(groups["/a"]["T"][0]) == 0 and int(groups["/a/T"]["err"][0]) == 1


def test_dimensions_without_names_are_shared_by_their_extents(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as file:
        file["a"], file["b"] = np.zeros((5, 7), "f4"), np.zeros((7, 7), "f4")
        file.append("c", np.zeros((5, 7), "f4"), {"_dimensions": "y/y"})
        file.append("d", np.zeros((5, 7), "f4"), {"_dimensions": "x"})
    with xr.open_dataset(path, engine="kompakt") as found:
        assert found["a"].dims == found["c"].dims == found["d"].dims == ("dim_0", "dim_1")
        assert found["b"].dims == ("dim_1", "dim_2")


def test_values_that_no_file_declares_are_shown(tmp_path):
    values = turbulence(32, 2)
    values[3] = 1e20
    (tmp_path / "t.kpk").write_bytes(kompakt.compress(values, fill_value=1e20))
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt") as found:
        assert (found["field"].values[3] == np.float32(1e20)).all() and "_FillValue" not in found["field"].encoding
        assert found["field"][5, ::-7].shape == (5,)
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt", mask_and_scale=False) as found:
        assert (found["field"].values[3] == np.float32(1e20)).all()


def test_threads_read_one_stream_side_by_side(tmp_path):
    values = turbulence(64)
    (tmp_path / "t.kpk").write_bytes(kompakt.compress(values, _BOUND, "abs"))
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt", chunks={"dim_0": 2, "dim_1": 16}) as found:
        for _ in range(5):
            assert largest_error(values, found["field"].compute(scheduler="threads", num_workers=8).values) <= _BOUND


@pytest.mark.parametrize("name", ["run.kpk", "t.kpk"])
def test_nothing_is_left_at_the_end_of_a_process_that_closes_nothing(archive, name):
    (archive.parent / "t.kpk").write_bytes(kompakt.compress(np.zeros((8, 8), "f4")))
    said = integrations.run_elsewhere("import sys, xarray; xarray.open_dataset(sys.argv[1], engine='kompakt').load()",
                                      archive.parent / name)
    assert "leaked" not in said


def test_a_file_of_something_else_is_refused_by_its_name(tmp_path):
    for content in b"", b"something else" * 9, kompakt.compress(np.zeros(99, "f4"))[:-9]:
        (tmp_path / "a.kpk").write_bytes(content)
        with pytest.raises(kompakt.Error, match=f"'{tmp_path}/a.kpk' is no archive"):
            xr.open_dataset(tmp_path / "a.kpk")


def test_texts_that_are_no_numbers_stay_texts(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as file:
        file.append("a", np.zeros(3, "f4"), {"n": "twelve", "m": "300", "empty": "", "x": "", "_FillValue": "none",
                                             "_types": "i32 n\nu8 m\nf16 q\nnonsense\nf32 empty\nf32 missing"})
    with xr.open_dataset(path, engine="kompakt", mask_and_scale=False) as found:
        attrs = found["a"].attrs
        assert (attrs["n"], attrs["m"], attrs["x"], attrs["_FillValue"]) == ("twelve", "300", "", "none")
        assert attrs["empty"].shape == (0,)


def test_texts_and_arrays_of_hdf5_are_texts_and_lists(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as file:
        file.append("g/a", np.zeros(3, "f4"), {
            "one": "5", "grid": "1, 2, 3, 4", "any": "K", "names": "a\nb", "latin": "233, 97", "zero": "97, 0, 98", "damaged": "1000", "long": "be",
            "_part 2 of long": "gin", "_part 2 of nothing": "x", "_dimensions": "x", "_dimension_levels": "1",
            "_scale_name": "an axis", "marks": "1, 0", "_types": "nofill\nunlabelled\nfill=property\nbool marks\ni32[1] one\nf64[2,2] grid\nstring any\nfixed names\nbytes latin\nbytes zero\nbytes damaged\nstring long"})
    with xr.open_dataset(path, engine="kompakt", group="g") as found:
        attrs = {key: np.asarray(value).tolist() for key, value in found["a"].attrs.items()}
    assert attrs == {"one": 5, "marks": [1, 0], "grid": [1, 2, 3, 4], "any": "K", "names": ["a", "b"], "latin": "\ufffda", "zero": "a\0b", "damaged": "1000",
                     "long": "begin"}


@pytest.mark.parametrize("bytes_of", [lambda b: b[:-200], lambda b: b"no archive at all" * 99, lambda b: b""])
def test_what_is_no_archive_is_refused(archive, bytes_of):
    archive.write_bytes(bytes_of(archive.read_bytes()))
    with pytest.raises(kompakt.Error):
        xr.open_dataset(archive, engine="kompakt")


def test_missing_files_and_bytes_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        xr.open_dataset(tmp_path / "nowhere.kpk", engine="kompakt")
    with pytest.raises(IsADirectoryError):
        xr.open_dataset(tmp_path, engine="kompakt")
    with pytest.raises(TypeError, match="path"):
        xr.open_dataset(b"bytes", engine="kompakt")


def test_archive_of_the_program_is_the_file_that_it_was_made_of(tmp_path):
    program = os.environ.get("KOMPAKT_PROGRAM") or shutil.which("kompakt")
    if not program:
        pytest.skip("the program kompakt is not there")
    pytest.importorskip("h5netcdf")
    dataset().to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    done = subprocess.run([program, "compress", "run.nc", "-o", "run.kpk", "-m", "abs", "-e", str(_BOUND), "--bound",
                           "area=lossless", "--bound", "level=lossless"], cwd=tmp_path, capture_output=True, text=True)
    if "netCDF" in done.stderr and done.returncode:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    with xr.open_dataset(tmp_path / "run.kpk", engine="kompakt") as found, \
            xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as expected:
        found = found.compute()
        for name in ("t", "p"):
            assert largest_error(expected[name].values, found[name].values) <= _BOUND
            found[name].values = expected[name].values
        xr.testing.assert_identical(found, expected.compute())


def test_marks_of_an_archive_are_decoded(tmp_path):
    path = tmp_path / "run.kpk"
    values = np.array([[1, -999, 3], [np.nan, 5, 1e20]], "f4")
    with kompakt.Archive(path, "w", bound_mode="lossless") as file:
        file.append("t", values, {"_dimensions": "y/x", "_FillValue": "-999", "missing_value": "1e+20", "_types": "f32 missing_value",
                                  "coordinates": "area"})
        file.append("packed", np.array([0, 100], "i2"), {
            "_dimensions": "n", "scale_factor": "0.5", "add_offset": "10", "_types": "f64 scale_factor\nf64 add_offset"})
        file.append("time", np.arange(2.0), {"_dimensions": "time", "units": "days since 2000-01-01"})
        file.append("area", np.ones((2, 3)), {"_dimensions": "y/x"})
    with xr.open_dataset(path, engine="kompakt") as found:
        assert np.array_equal(found["t"].values, [[1, np.nan, 3], [np.nan, 5, np.nan]], equal_nan=True)
        assert np.array_equal(found["packed"].values, [10, 60]) and "area" in found.coords
        assert found["time"].values[1] == np.datetime64("2000-01-02")


def test_letters_lists_and_empty_variables_of_the_program(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w", bound_mode="lossless") as file:
        file.append("pole", np.frombuffer(b"x", "u1"), {
            "_dimensions": "", "_types": "char\ntexts ./history\ntexts remarks", "remarks": "one\ntwo", "./history": "a\nb",
            "./_dimensions": "alone=7/time=0*"})
        file.append("names", np.frombuffer(b"Basel", "u1"), {"_dimensions": "letters", "_types": "char"})
        file.append("empty", np.zeros((0, 4), "f4"), {"_dimensions": "time/x", "_unlimited": "time"})
    with xr.open_dataset(path, engine="kompakt", concat_characters=False) as found:
        assert found.attrs == {"history": ["a", "b"]} and found["pole"].attrs == {"remarks": ["one", "two"]}
        assert found["pole"].dtype == "S1" and found["pole"].values == b"x"
        assert found["names"].values.tobytes() == b"Basel" and found["names"][1:3].values.tobytes() == b"as"
        assert found["empty"].shape == (0, 4) and found["empty"].values.shape == (0, 4)


# ------------------------------------------------------------------------------------------ Zarr and netCDF

_READ = """
import sys, xarray
xarray.open_dataset(sys.argv[1], engine=sys.argv[2]).load().drop_encoding().to_netcdf(sys.argv[3], engine="h5netcdf")
"""


def test_zarr_with_the_serializer_in_its_encoding(tmp_path):
    pytest.importorskip("zarr", minversion="3.1")
    pytest.importorskip("h5netcdf")
    from kompakt.zarr import Kompakt
    lossy = {"serializer": Kompakt(_BOUND, "abs"), "compressors": None}
    dataset().to_zarr(tmp_path / "a.zarr", zarr_format=3, consolidated=False,
                      encoding={"t": {**lossy, "chunks": (10, 24, 32)}, "p": lossy})
    integrations.run_elsewhere(_READ, tmp_path / "a.zarr", "zarr", tmp_path / "out.nc")
    with xr.open_dataset(tmp_path / "out.nc") as found, xr.open_zarr(tmp_path / "a.zarr", consolidated=False) as there:
        assert isinstance(there["t"].encoding["serializer"], Kompakt)
        for name in ("t", "p"):
            assert largest_error(dataset()[name].values, found[name].values) <= _BOUND
        assert found["t"].attrs["units"] == "K"
        there.isel(time=slice(0, 10)).load().drop_encoding().to_zarr(tmp_path / "b.zarr", consolidated=False)


def test_version_2_of_zarr_with_the_compressor_in_its_encoding(tmp_path):
    pytest.importorskip("zarr", minversion="3.1")
    from kompakt.numcodecs import Kompakt
    dataset().to_zarr(tmp_path / "a.zarr", zarr_format=2, encoding={"t": {"compressors": Kompakt(_BOUND, "abs")}})
    with xr.open_zarr(tmp_path / "a.zarr") as found:
        assert largest_error(dataset()["t"].values, found["t"].values) <= _BOUND


def test_netcdf_by_h5netcdf_with_the_filter_in_its_encoding(tmp_path, monkeypatch):
    pytest.importorskip("h5netcdf")
    import kompakt.h5py
    lossy = kompakt.h5py.Kompakt(_BOUND, "abs")
    dataset().to_netcdf(tmp_path / "a.nc", engine="h5netcdf",
                        encoding={"t": {**lossy, "chunksizes": (10, 24, 32)}, "p": lossy})
    monkeypatch.setenv("HDF5_PLUGIN_PATH", kompakt.hdf5_plugin_path())
    integrations.run_elsewhere(_READ, tmp_path / "a.nc", "h5netcdf", tmp_path / "out.nc")
    with xr.open_dataset(tmp_path / "out.nc", engine="h5netcdf") as found:
        for name in ("t", "p"):
            assert largest_error(dataset()[name].values, found[name].values) <= _BOUND
    with xr.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as found:
        assert found["t"].encoding["chunksizes"] == (10, 24, 32)
