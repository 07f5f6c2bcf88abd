"""Datasets that write themselves: bounds by names, exact coordinates, and files that are whole or as they were."""

import ast
import os
import re
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
pytest.importorskip("dask")

from fields import largest_error, turbulence

import kompakt
import kompakt.xarray
from kompakt import _whole

_BOUND = 1e-2
_LAND = np.float32(-4.25)  # among the values, so that nobody finds it
DATA = {"ta": 1e-3, "tb": _BOUND, "p": _BOUND}
BOUNDS = {"t*": "abs:0.01", "ta": "abs:1e-3", "p": {"bound": _BOUND, "mode": "abs", "pipeline": "huffman"}}


def dataset():
    """Two fields and all kinds of variables that have to stay exact, decoded as from a file."""
    field = turbulence(32)[:20, :24]
    land = field.copy()
    land[:, 3:9, 5] = _LAND
    rng = np.random.default_rng(3)
    places = rng.normal(size=(24, 32)).astype("f4")
    raw = xr.Dataset(
        {"ta": (("time", "y", "x"), field, {"units": "K", "cell_measures": "area: cells", "grid_mapping": "crs"}),
         "tb": (("time", "y", "x"), land, {"_FillValue": _LAND, "missing_value": _LAND, "ancillary_variables": "flags"}),
         "p": (("y", "x"), 1000 + field[0].astype("f8"), {"long_name": "pressure", "coordinates": "lat"}),
         "count": (("y", "x"), rng.integers(0, 9, (24, 32)).astype("i4")),
         "packed": (("y", "x"), rng.integers(0, 99, (24, 32)).astype("i2"), {"scale_factor": 0.5, "_FillValue": np.int16(-1)}),
         "lat": (("y", "x"), places), "cells": (("y", "x"), places + 1), "flags": (("y", "x"), places + 2),
         "y_bnds": (("y", "two"), np.arange(48.0).reshape(24, 2)), "crs": ((), np.float64(1.1)),
         "tau": ("x", places[0], {"units": "degrees_east"})},
        coords={"time": ("time", np.arange(20.0), {"units": "hours since 2020-01-01"}),
                "x": np.arange(32, dtype="f4") / 3, "y": ("y", np.arange(24.0), {"bounds": "y_bnds"})},
        attrs={"title": "a run", "count": np.int16(3)})
    return xr.decode_cf(raw)


def zarr3(written, path, **options):
    pytest.importorskip("zarr", minversion="3.1")
    written.kompakt.to_zarr(path, zarr_format=3, consolidated=False, **options)
    return xr.open_zarr(path, consolidated=False)


def zarr2(written, path, **options):
    pytest.importorskip("zarr", minversion="3.1")
    written.kompakt.to_zarr(path, zarr_format=2, **options)
    return xr.open_zarr(path)


def netcdf(written, path, **options):
    pytest.importorskip("h5netcdf")
    written.kompakt.to_netcdf(path, **options)
    return xr.open_dataset(path, engine="h5netcdf")


def kpk(written, path, **options):
    written.kompakt.to_kpk(path, **{"mode": "w", **options})
    return xr.open_dataset(path, engine="kompakt")


WRITERS = pytest.mark.parametrize("write", [zarr3, zarr2, netcdf, kpk], ids=lambda write: write.__name__)


def require_within(expected, found, bounds=DATA):
    """Values of `bounds` are within their bound and not all the same, everything else is exact."""
    with found:
        found = found.load()
    for name, bound in bounds.items():
        assert found[name].dtype == expected[name].dtype
        assert largest_error(expected[name].values, found[name].values) <= bound, name
        assert not np.array_equal(expected[name].values, found[name].values, equal_nan=True), name
        found[name].values = expected[name].values
    xr.testing.assert_identical(found, expected.load())


@WRITERS
@pytest.mark.parametrize("chunks", [None, {"time": 7}])
def test_dataset_comes_back_within_its_bounds(tmp_path, write, chunks):
    written = dataset() if chunks is None else dataset().chunk(chunks)
    require_within(dataset(), write(written, tmp_path / "a", bounds=BOUNDS))


@pytest.mark.parametrize("name", ["ta", None, "time"])
@WRITERS
def test_an_array_writes_itself(tmp_path, write, name):
    """Also one without a name, and one with the name of a coordinate."""
    array = dataset()["ta"].rename(name)
    write(array, tmp_path / "a", bound="abs:0.01").close()
    engine = {"netcdf": "h5netcdf", "kpk": "kompakt"}.get(write.__name__, "zarr")
    options = {} if engine != "zarr" else {"consolidated": False}
    with xr.open_dataarray(tmp_path / "a", engine=engine, **options) as found:
        assert found.name == (name if name == "ta" else None) and found.attrs["units"] == "K"
        assert 1e-3 < largest_error(array.values, found.values) <= 0.01
        for coordinate in array.coords:
            xr.testing.assert_equal(found[coordinate].reset_coords(drop=True), array[coordinate].reset_coords(drop=True))


def test_an_array_of_integers_has_the_bound_that_it_is_given(tmp_path):
    array = xr.DataArray(np.random.default_rng(0).integers(0, 10**6, 9999), name="count")
    for bound, largest in ((None, 0), ("abs:100", 100)):
        array.kompakt.to_kpk(tmp_path / "a", bound=bound, mode="w")
        found = kompakt.open(tmp_path / "a")["count"].read()
        assert np.abs(found - array.values).max() == largest
    with pytest.raises(TypeError, match="bound="):
        array.kompakt.to_kpk(tmp_path / "a", bounds="abs:100")


@WRITERS
def test_what_was_written_is_written_again(tmp_path, write):
    first = write(dataset(), tmp_path / "a", bounds=BOUNDS).load()
    first.close()
    require_within(first, write(first, tmp_path / "b", bounds={"tb": "abs:0.5"}, default="lossless"), {"tb": 0.5})


@pytest.mark.parametrize("first, second", [(zarr2, zarr3), (zarr3, zarr2)], ids=["to 3", "to 2"])
@pytest.mark.parametrize("writer", ["kompakt", "xarray"])
def test_what_one_version_of_zarr_has_is_written_in_the_other(tmp_path, first, second, writer):
    if writer == "kompakt":
        opened = first(dataset(), tmp_path / "a", bounds=BOUNDS)
    else:
        dataset().to_zarr(tmp_path / "a", zarr_format=2 if first is zarr2 else 3, consolidated=False)
        opened = xr.open_zarr(tmp_path / "a", consolidated=False)
    opened["tau"].encoding["shards"] = None if first is zarr2 else (32,)
    assert opened["lat"].encoding["compressors"]
    require_within(opened.load(), second(opened, tmp_path / "b", default="abs:0.03"), dict.fromkeys(DATA, 0.03))


def test_a_variable_of_a_compressed_file_is_written_without_its_filter(tmp_path):
    opened = netcdf(dataset(), tmp_path / "a", bounds={"count": "abs:3"})
    opened.load().close()
    xr.testing.assert_equal(netcdf(opened, tmp_path / "b", default="lossless").load(), opened)


@WRITERS
def test_names_that_decoding_moves_into_the_encoding_are_looked_at(tmp_path, write):
    expected = xr.decode_cf(dataset(), decode_coords="all")
    assert expected["ta"].encoding["grid_mapping"] == "crs" and "crs" in expected.coords
    found = write(expected, tmp_path / "a", bounds=BOUNDS, **({} if write is kpk else {"encoding": {"ta": {}}}))
    require_within(expected, xr.decode_cf(found, decode_coords="all"))


@WRITERS
def test_default_is_the_bound_of_compress(tmp_path, write):
    expected = dataset()
    ranges = {name: 1e-3 * float(expected[name].max() - expected[name].min()) for name in DATA}
    require_within(expected, write(expected, tmp_path / "a"), ranges)


@WRITERS
def test_declared_fill_values_come_back_and_count_in_no_range(tmp_path, write):
    expected = dataset()[["tb"]]
    found = write(expected, tmp_path / "a", bounds={"tb": "r2r:1e-4"})
    assert found["tb"].encoding["_FillValue"] == _LAND
    require_within(expected, found, {"tb": 1e-4 * float(expected.tb.max() - expected.tb.min())})


@WRITERS
@pytest.mark.parametrize("attributes, upper", [({"valid_range": np.array([0, 1], "f4")}, 1), ({"valid_min": 0.0}, np.inf)])
def test_declared_limits_are_kept(tmp_path, write, attributes, upper):
    field = np.clip(turbulence(32) * 0.3 + 0.5, 0, 1).astype("f4")
    written = xr.Dataset({"c": (("z", "y", "x"), field, attributes)})
    found = write(written, str(tmp_path / "f"), default="abs:0.01").c.values
    assert found.min() >= 0 and found.max() <= upper and largest_error(found, field) <= _BOUND


@WRITERS
@pytest.mark.parametrize("attributes, limits", [({"valid_range": np.array([-9.5, 1e20])}, (-9, None)),
                                                ({"valid_max": np.float32(8.9), "valid_min": np.int16(-9)}, (-9, 8)),
                                                ({"valid_range": np.array([-9, 40000], "i4")}, None)])
def test_limits_of_integers_that_are_floats_are_rounded_inwards(tmp_path, write, attributes, limits):
    lower, upper = ((-30, 30)[end] if limit is None else limit for end, limit in enumerate(limits or (None, None)))
    field = np.clip(np.round(turbulence(32) * 20), lower, upper).astype("i2")
    written = xr.Dataset({"n": (("z", "y", "x"), field, attributes)})
    found = write(written, str(tmp_path / "f"), bounds={"n": "abs:4"}).n.values
    assert (found != field).any() and largest_error(found, field) <= 4
    assert limits is None or found.min() >= lower and (limits[1] is None or found.max() <= upper)
    if write is kpk:
        with kompakt.open(tmp_path / "f") as archive:
            assert archive["n"].info.limits == (limits and (limits[0], np.inf if limits[1] is None else limits[1]))


def test_limits_that_no_integer_meets_are_named(tmp_path):
    written = xr.Dataset({"n": (("x",), np.arange(5000, dtype="i2"), {"valid_range": np.array([0.25, 0.75])})})
    with pytest.warns(UserWarning, match="'n' has no limits: no integer lies inside valid_range 0.25, 0.75") as warned:
        written.kompakt.to_kpk(tmp_path / "a.kpk", bounds={"n": "abs:4"})
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written.kompakt.to_kpk(tmp_path / "b.kpk", bounds={"n": "lossless"})
        written.kompakt.to_kpk(tmp_path / "c.kpk")


@WRITERS
def test_bounds_are_texts_of_options(tmp_path, write):
    texts = {"t*": "abs:0.01,predictor=interpolate,pack", "ta": "abs:1e-3,pipeline=huffman", "p": "abs:0.01,variant=fz,pipeline=bitshuffle"}
    found = write(dataset(), tmp_path / "a", bounds=texts)
    require_within(dataset(), found)
    if write is kpk:
        with kompakt.open(tmp_path / "a") as archive:
            infos = {name: archive[name].info for name in DATA}
        assert (infos["tb"].method, infos["tb"].pack, infos["ta"].pipeline, infos["p"].variant) == ("interpolation", True, "huffman", "fz")
    elif write is not netcdf:
        codec = found["tb"].encoding["serializer" if write is zarr3 else "compressors"]
        codec = codec[0] if isinstance(codec, (list, tuple)) else codec
        assert (codec.bound, codec.predictor, codec.pack) == (0.01, "interpolate", True)


# ------------------------------------------------------------------------------------------ the attribute kompakt_options

def with_options(**texts):
    written = dataset()
    for name, text in texts.items():
        written[name].attrs["kompakt_options"] = text
    return written


@WRITERS
def test_an_attribute_says_the_options_of_its_variable(tmp_path, write):
    expected = with_options(ta="abs:0.05,predictor=interpolate,pack", tb="abs:0.5", lat="abs:0.25", count="lossless")
    found = write(expected, tmp_path / "a", bounds={"tb": "abs:1e-3"}, default="abs:0.01").load()
    errors = {name: largest_error(expected[name].values, found[name].values) for name in ("ta", "tb", "p", "lat", "cells")}
    assert 0.01 < errors["ta"] <= 0.05 and 0.01 < errors["lat"] <= 0.25 and errors["cells"] == 0, errors
    assert 0 < errors["tb"] <= 1e-3 and 0 < errors["p"] <= 0.01, errors
    for name in ("ta", "tb", "lat", "count"):
        assert found[name].attrs["kompakt_options"] == expected[name].attrs["kompakt_options"], name


@WRITERS
def test_a_pattern_in_a_call_takes_the_place_of_an_attribute(tmp_path, write):
    expected = with_options(ta="abs:0.5")
    assert largest_error(expected.ta.values, write(expected, tmp_path / "a", bounds={"t*": "abs:1e-3"}).ta.values) <= 1e-3


def test_an_attribute_without_a_bound_has_that_of_the_default(tmp_path):
    kpk(with_options(ta="pipeline=huffman", lat="pack"), tmp_path / "a", default="abs:0.02,predictor=tile").close()
    with kompakt.open(tmp_path / "a") as archive:
        infos = {name: archive[name].info for name in ("ta", "p", "lat")}
    assert (infos["ta"].pipeline, infos["ta"].mode, infos["ta"].bound) == ("huffman", "abs", 0.02)
    assert infos["p"].pipeline == "bitshuffle" and infos["lat"].mode == "lossless"


@WRITERS
@pytest.mark.parametrize("name, text, why", [
    ("ta", "abs:x", "'x' is no number"), ("ta", "abs:-1", "-1"), ("ta", "abs:0.01,predicter=tile", "no option 'predicter'"),
    ("ta", "0.01", "write abs:0.01 or r2r:0.01"), ("ta", 0.01, "no text"), ("ta", "abs:1,goal=ratio,predictor=tile", "predictor 'tile'"),
    ("packed", "abs:0.01", "only stored without loss"), ("lat", "packed", "'packed'")])
def test_an_attribute_that_cannot_be_used_is_named(tmp_path, write, name, text, why):
    with pytest.raises(ValueError) as caught:
        write(with_options(**{name: text}), tmp_path / "a")
    message = str(caught.value)
    assert f"{name!r}: its attribute kompakt_options=" in message and str(text) in message and why in message, message
    assert "\n" not in message and not os.listdir(tmp_path)
    if name != "packed":
        write(with_options(**{name: text}), tmp_path / "a", bounds={name: "abs:0.01"})  # which takes its place


# ------------------------------------------------------------------------------------------ one bound of a variable

def slopes(fill=None, elsewhere=True):
    """Chunks of ranges between 1 and 100, and where there are values; a fill value has a chunk of its own, and places elsewhere."""
    values = turbulence(32) * np.linspace(1, 100, 32, dtype="f4")[:, None, None]
    sea = np.ones(values.shape, bool)
    if fill is not None:
        sea[8:16] = False
        sea[20, 3:9] = not elsewhere
        values[~sea] = fill
    return values, sea


@WRITERS
@pytest.mark.parametrize("chunks", [None, {"z": 8}])
def test_a_bound_of_the_range_is_that_of_the_whole_variable(tmp_path, write, chunks):
    values, sea = slopes()
    written = xr.Dataset({"t": (("z", "y", "x"), values)})
    cut = {} if write is kpk else {"encoding": {"t": {"chunksizes" if write is netcdf else "chunks": (8, 32, 32)}}}
    bound = 1e-3 * np.ptp(values.astype("f8"))
    with write(written if chunks is None else written.chunk(chunks), tmp_path / "a", default="r2r:1e-3", **cut) as found:
        assert largest_error(values, found.t.values) <= bound
        assert largest_error(values[:8], found.t.values[:8]) > 2e-3 * np.ptp(values[:8].astype("f8"))  # of a chunk
    with write(written, tmp_path / "b", default="psnr:50", **cut) as found:
        error = found.t.values.astype("f8") - values
        assert 20 * np.log10(np.ptp(values.astype("f8")) / np.sqrt(np.mean(error ** 2))) >= 50


@pytest.mark.parametrize("write", [zarr3, zarr2, netcdf], ids=lambda write: write.__name__)
@pytest.mark.parametrize("fill", [1e20, -9999.0, 9.96921e36])
@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_chunk_of_fill_values_alone_is_in_no_range(tmp_path, write, fill, elsewhere):
    values, sea = slopes(fill, elsewhere)
    written = xr.Dataset({"t": (("z", "y", "x"), values)}).chunk({"z": 8})
    with write(written, tmp_path / "a", default="r2r:1e-3") as found:
        assert np.array_equal(found.t.values == np.float32(fill), ~sea)
        assert np.abs(found.t.values.astype("f8") - values)[sea].max() <= 1e-3 * np.ptp(values[sea].astype("f8"))


@pytest.mark.parametrize("write", [zarr3, zarr2, netcdf], ids=lambda write: write.__name__)
def test_few_values_that_make_the_range_of_all_chunks_are_refused(tmp_path, write):
    values = turbulence(64)
    values[20, 5, 3:6] = 2e20, 3e19, 5e21
    with pytest.raises(ValueError, match=r"'t': .*3 values, such as 5e\+21"):
        write(xr.Dataset({"t": (("z", "y", "x"), values)}).chunk({"z": 16}), tmp_path / "a")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("write", [zarr3, zarr2, netcdf], ids=lambda write: write.__name__)
def test_chunks_of_dask_are_measured_one_at_a_time(tmp_path, write, monkeypatch):
    import dask.array

    made, sizes = [], []
    values, _ = slopes()

    def block(of, block_id=None):
        made.append(block_id)
        return of

    field = kompakt._arrays.field
    monkeypatch.setattr(kompakt._arrays, "field", lambda array, *rest: sizes.append(array.size) or field(array, *rest))
    lazy = dask.array.from_array(values, chunks=(8, 32, 32)).map_blocks(block, dtype="f4", meta=np.empty((0, 0, 0), "f4"))
    made.clear()
    with write(xr.Dataset({"t": (("z", "y", "x"), lazy)}), tmp_path / "a", default="r2r:1e-3") as found:
        assert largest_error(values, found.t.values) <= 1e-3 * np.ptp(values.astype("f8"))
    assert sorted(made) == sorted(2 * [(i, 0, 0) for i in range(4)])
    assert max(sizes) == 8 * 32 * 32


def test_archive_has_the_options_of_each_variable(tmp_path):
    kpk(dataset(), tmp_path / "a.kpk", bounds=BOUNDS, default="lossless").close()
    with kompakt.open(tmp_path / "a.kpk") as archive:
        assert archive["p"].info.pipeline == "huffman"
        assert archive["tb"].info.fill_value == _LAND and archive["tb"].info.resolved_bound == _BOUND
        exact = {name for name in archive if archive[name].info.mode == "lossless"}
        assert exact == set(archive) - set(DATA)
        assert archive["ta"].attrs["./title"] == "a run"


def test_chunks_are_those_of_the_encoding(tmp_path):
    found = zarr3(dataset(), tmp_path / "a", bounds=BOUNDS, encoding={"ta": {"chunks": (10, 24, 16)}})
    assert found["ta"].encoding["chunks"] == (10, 24, 16)
    assert found["ta"].attrs["grid_mapping"] == "crs"
    found = netcdf(dataset(), tmp_path / "a.nc", bounds=BOUNDS, encoding={"tb": {"chunksizes": (10, 24, 16)}})
    assert found["tb"].encoding["chunksizes"] == (10, 24, 16) and found["tb"].encoding["_FillValue"] == _LAND


@pytest.mark.parametrize("goal", ["ratio", "speed", "smallest"])
def test_goals_choose_for_netcdf_by_the_values(tmp_path, goal):
    written = dataset()[["ta"]]
    require_within(written, netcdf(written, tmp_path / "a.nc", bounds={"ta": {"bound": "abs:1e-3", "goal": goal}}), {"ta": 1e-3})


def test_supporting_variable_gets_a_bound_by_its_whole_name(tmp_path):
    require_within(dataset(), kpk(dataset(), tmp_path / "a.kpk", bounds={"flags": "abs:0.5"}, default="lossless"), {"flags": 0.5})


@WRITERS
def test_integers_get_a_bound_by_their_name_or_their_attribute(tmp_path, write):
    expected = dataset()
    by_pattern = write(expected, tmp_path / "a", bounds={"*": "abs:3"})
    xr.testing.assert_equal(by_pattern["count"], expected["count"])
    for number, written in enumerate((expected, with_options(count="abs:3"))):
        bounds = {"count": "abs:3"} if number == 0 else None
        found = write(written, tmp_path / f"b{number}", bounds=bounds)["count"]
        assert found.dtype == expected["count"].dtype
        assert 0 < np.abs(found.values - expected["count"].values).max() <= 3


@WRITERS
@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_ends_that_all_chunks_share_are_no_fill_values(tmp_path, write, dtype):
    """Waves in steps, whose crests come back in every chunk."""
    waves = np.round(1000 * np.sin(np.arange(54000) / 500) + 7).reshape(600, 90).astype(dtype)
    written = xr.Dataset({"t": (("y", "x"), waves)}).chunk({"y": 100})
    found = write(written, str(tmp_path / "f"), bounds={"t": "r2r:0.01"}).t
    assert 0 < largest_error(found.values, waves) <= 20
    crests = found.values[waves == 1007]
    assert (crests != 1007).any(), "they are values as others"


@WRITERS
@pytest.mark.parametrize("dtype, fill", [("i8", -9223372036854775806), ("u8", 18446744073709551614)])
@pytest.mark.parametrize("bound", ["r2r:0.01", "psnr:50"])
def test_a_fill_value_that_no_float64_holds_makes_a_variable_exact(tmp_path, write, dtype, fill, bound):
    """The default ones of netCDF, even in one place: no chunk has a range with it."""
    values = np.round(1000 * turbulence(32) + 5000).astype(dtype)
    expected = {has_fill: xr.Dataset({"n": (("z", "y", "x"), values.copy(), {"_FillValue": values.dtype.type(fill)})}).chunk({"z": 8})
                for has_fill in (False, True)}
    expected[True].n.data = np.where(np.arange(32**3).reshape(values.shape) == 77, values.dtype.type(fill), values)
    for has_fill, written in expected.items():
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            write(written, str(tmp_path / f"f{has_fill}"), bounds={"n": bound})
        said = [note for note in noted if "'n' stays exact, because it has values of 2**53 or more" in str(note.message)]
        assert len(said) == has_fill and all(note.filename == __file__ for note in said), noted
        engine = {"kpk": "kompakt", "netcdf": "h5netcdf"}.get(write.__name__, "zarr")
        more = {"consolidated": False} if engine == "zarr" else {}
        with xr.open_dataset(str(tmp_path / f"f{has_fill}"), engine=engine, mask_and_scale=False, **more) as found:
            assert found.n.dtype == dtype and np.array_equal(found.n.values, written.n.values) == has_fill


@WRITERS
def test_what_is_exact_for_another_reason_is_not_called_too_large(tmp_path, write):
    written = xr.Dataset({"same": ("x", np.full(1000, 7.5)), "none": ("x", np.full(1000, np.nan)), "count": ("x", np.full(1000, 3)),
                          "t": ("x", np.round(turbulence(10).ravel() * 64).astype("f4") / 64)})
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        write(written, str(tmp_path / "f"), bounds={"count": "r2r:0.1", "t": "abs:1e-12,goal=ratio"})
    assert not [note for note in noted if "stays exact" in str(note.message)], noted


@WRITERS
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_bound_of_complex_numbers_holds_for_their_magnitude(tmp_path, write, dtype):
    waves = (turbulence(32)[:20] * np.exp(1j * np.arange(32))).astype(dtype)
    written = xr.Dataset({"psi": (("z", "y", "x"), waves)}).chunk({"z": 7})
    more = {"invalid_netcdf": True} if write is netcdf else {}  # netCDF itself has no complex numbers
    for bounds, bound in ({"psi": "abs:0.01"}, 0.01), ({}, 1e-3 * 2 * np.abs(waves).max()):
        found = write(written, tmp_path / f"a{len(bounds)}", bounds=bounds, **more)["psi"]
        assert found.dtype == waves.dtype
        assert 0 < np.abs(found.values.astype("c16") - waves).max() <= bound


@WRITERS
@pytest.mark.parametrize("bounds, said", [
    ({"wind*": "abs:1"}, r"bounds\['wind\*'\] fits no variable; there are 'ta'"),
    ({"tau*": "abs:1"}, r"bounds\['tau\*'\] fits 'tau' alone"), ({"cou*": "abs:1"}, r"fits 'count' alone"),
    ({"packed": "abs:1"}, "'packed' is only stored without loss, because its values are packed"),
    ({"ta": "abs:-1"}, r"bounds\['ta'\]='abs:-1': .*bound -1"), ({"ta": 0.01}, r"bounds\['ta'\]=0.01: this does not say"),
    ({"ta": "1e-3"}, r"bounds\['ta'\]='1e-3': .*has no mode"), ({"ta": "pack,limits=0:1"}, "does not say"), ({"ta": "mode=abs"}, "mode abs has no bound"),
    ({"ta": "abs:1,speed=9"}, "'speed'"), ({"ta": None}, r"bounds\['ta'\]=None"),
    ({"ta": "rel:0.1"}, "'rel'"), ({"ta": {"bound": "abs:1", "pipeline": "zfp"}}, "'zfp'"), ({"ta": True}, "=True")])
def test_bounds_that_mean_nothing_are_refused_before_anything_is_written(tmp_path, write, bounds, said):
    with pytest.raises((ValueError, TypeError), match=said):
        write(dataset(), tmp_path / "a", bounds=bounds)
    assert not os.listdir(tmp_path)


def failing(after=None):
    """The dataset with values that cannot be made, or a process that ends when they are to be made."""
    def fail(values):
        if after is not None:
            os.kill(os.getpid(), after)
        raise RuntimeError("no values")

    broken = dataset().chunk({"time": 5})
    broken["ta"] = xr.apply_ufunc(fail, broken["ta"], dask="parallelized", output_dtypes=["f4"])
    return broken


@pytest.mark.parametrize("write", [netcdf, kpk], ids=lambda write: write.__name__)
def test_a_file_stays_as_it_was_if_writing_fails(tmp_path, write):
    path = tmp_path / "a"
    path.write_bytes(b"precious")
    with pytest.raises(RuntimeError, match="no values"):
        write(failing(), path, default="abs:0.01")
    assert path.read_bytes() == b"precious" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("write", [zarr3, zarr2], ids=lambda write: write.__name__)
def test_a_store_stays_as_it_was_if_writing_fails(tmp_path, write):
    before = write(dataset(), tmp_path / "a", bounds=BOUNDS).load()
    for name, options in ("a", {"mode": "w"}), ("b", {}), ("b", {"mode": "w"}), ("b", {"mode": "a"}):
        with pytest.raises(RuntimeError, match="no values"):
            write(failing(), tmp_path / name, default="abs:0.01", **options)
    assert os.listdir(tmp_path) == ["a"]
    xr.testing.assert_identical(xr.open_zarr(tmp_path / "a", consolidated=False).load(), before)


@pytest.mark.parametrize("write", [zarr3, netcdf, kpk], ids=lambda write: write.__name__)
def test_what_is_replaced_keeps_its_permissions(tmp_path, write):
    path = tmp_path / "a"
    write(dataset(), path, bounds=BOUNDS).close()
    private = 0o700 if path.is_dir() else 0o600
    for mode in (private, private | private >> 3):
        group = path.stat().st_gid + (4242 if os.geteuid() == 0 else 0)
        os.chown(path, -1, group)
        path.chmod(mode)
        write(dataset(), path, bounds=BOUNDS, **({"mode": "w"} if path.is_dir() else {})).close()
        assert (path.stat().st_mode & 0o777, path.stat().st_gid) == (mode, group)


@pytest.mark.parametrize("mode, fewer", [(0o660, 0o600), (0o604, 0o600), (0o664, 0o644), (0o640, 0o600)])
def test_what_cannot_get_the_group_of_the_old_file_has_fewer_rights(tmp_path, monkeypatch, mode, fewer):
    path = tmp_path / "a.nc"
    dataset().kompakt.to_netcdf(path, bounds=BOUNDS)
    path.chmod(mode)

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    dataset().kompakt.to_netcdf(path, bounds=BOUNDS)
    assert path.stat().st_mode & 0o777 == fewer


_INTERRUPTED = """
import os, sys, threading, time
from kompakt import _whole

def go_on(folder, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.makedirs(folder + "/c/0", exist_ok=True)
            open(folder + "/c/0/0", "w").close()
        except OSError:
            pass

_whole._MOST_SECONDS = float(sys.argv[2])
with _whole.whole(sys.argv[1], replaces_folder=True) as unfinished:
    threading.Thread(target=go_on, args=(unfinished, 0.7)).start()
    time.sleep(0.05)
    raise KeyboardInterrupt
"""


@pytest.mark.parametrize("patience", [20, 0], ids=["threads end first", "threads go on"])
def test_an_interrupt_leaves_nothing_of_what_threads_go_on_with(tmp_path, patience):
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED, tmp_path / "a", str(patience)], capture_output=True, text=True)
    assert "KeyboardInterrupt" in done.stderr
    assert os.listdir(tmp_path) == []


def test_an_interrupt_as_what_was_replaced_is_deleted_leaves_nothing(tmp_path, monkeypatch):
    zarr3(dataset(), tmp_path / "a", bounds=BOUNDS)
    cleanup, calls = _whole.tempfile.TemporaryDirectory.cleanup, []

    def interrupted(folder):
        calls.append(folder)
        if len(calls) == 1:
            raise KeyboardInterrupt
        cleanup(folder)

    monkeypatch.setattr(_whole.tempfile.TemporaryDirectory, "cleanup", interrupted)
    with pytest.raises(KeyboardInterrupt):
        zarr3(dataset(), tmp_path / "a", bounds=BOUNDS, mode="w")
    assert os.listdir(tmp_path) == ["a"]


def test_a_store_takes_nothing_more_when_its_writer_has_failed(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3.1")
    from kompakt._unfinished_store import UnfinishedStore

    with pytest.raises(KeyboardInterrupt), UnfinishedStore.writing(str(tmp_path / "a")) as store:
        array = zarr.create_array(store, shape=(4,), chunks=(2,), dtype="f4")
        array[:2] = 1
        raise KeyboardInterrupt
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match="takes nothing more"):
        array[2:] = 1
    assert sorted(tmp_path.rglob("*")) == before


_KILLED = """
import signal, sys, test_accessor
options = {"mode": "w", "zarr_format": 3, "consolidated": False} if sys.argv[1] == "to_zarr" else {}
if sys.argv[1] == "to_kpk":
    options = {"mode": "w"}
getattr(test_accessor.failing(signal.SIGKILL).kompakt, sys.argv[1])(sys.argv[2], default="abs:0.01", **options)
"""


@pytest.mark.parametrize("method, write, engine", [("to_zarr", zarr3, "zarr"), ("to_netcdf", netcdf, "h5netcdf"), ("to_kpk", kpk, "kompakt")])
def test_a_writer_that_is_killed_leaves_what_was_there(tmp_path, method, write, engine):
    before = write(dataset(), tmp_path / "a", bounds=BOUNDS).load()
    before.close()
    done = subprocess.run([sys.executable, "-c", _KILLED, method, tmp_path / "a"], cwd=os.path.dirname(__file__), capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    options = {"consolidated": False} if engine == "zarr" else {}
    xr.testing.assert_identical(xr.open_dataset(tmp_path / "a", engine=engine, **options).load(), before)


_KILLED_BETWEEN_NAMES = """
import os, signal, sys, test_accessor
from kompakt import _whole
exchanges, calls = sys.argv[1] == "exchange", []

def counted(rename):
    def counting(*names):
        calls.append(names)
        if len(calls) == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(*names)
    return counting

_whole._exchange = counted(_whole._exchange) if exchanges else lambda *names: False
if exchanges:
    _whole.tempfile.TemporaryDirectory.cleanup = counted(lambda folder: None)
else:
    _whole.os.rename = counted(os.rename)
test_accessor.dataset()[["tb"]].kompakt.to_zarr(sys.argv[3], default="abs:0.01", mode="w", zarr_format=3, consolidated=False)
"""


@pytest.mark.parametrize("way, call, seen", [("exchange", 1, "old"), ("exchange", 2, "new"), ("renames", 1, "old"),
                                             ("renames", 2, None), ("renames", 3, "new")])
def test_a_writer_that_is_killed_as_it_replaces_a_store_loses_none(tmp_path, way, call, seen):
    if way == "exchange" and not _can_exchange(tmp_path):
        pytest.skip("this file system cannot exchange folders")
    path = tmp_path / "a"
    before = zarr3(dataset(), path, bounds=BOUNDS).load()
    done = subprocess.run([sys.executable, "-c", _KILLED_BETWEEN_NAMES, way, str(call), path], cwd=os.path.dirname(__file__),
                          capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert path.exists() == (seen is not None)
    if seen == "new":
        assert list(xr.open_zarr(path, consolidated=False).load().data_vars) == ["tb"]
        return
    if seen is None:
        with pytest.raises(FileExistsError):  # the next call puts it back
            zarr3(dataset(), path, bounds=BOUNDS)
    xr.testing.assert_identical(xr.open_zarr(path, consolidated=False).load(), before)


def _can_exchange(folder):
    for name in "one", "other":
        (folder / name).mkdir()
    return _whole._exchange(folder / "one", folder / "other")


def test_a_store_stays_where_folders_cannot_be_exchanged(tmp_path, monkeypatch):
    path, aside = tmp_path / "a", tmp_path / ".a.kompakt-old"
    before = zarr3(dataset(), path, bounds=BOUNDS).load()
    renames = [os.rename, lambda *names: (_ for _ in ()).throw(KeyboardInterrupt()), os.rename]
    monkeypatch.setattr(_whole, "_exchange", lambda *names: False)
    with monkeypatch.context() as interrupted:
        interrupted.setattr(_whole.os, "rename", lambda *names: renames.pop(0)(*names))
        with pytest.raises(KeyboardInterrupt):
            zarr3(dataset(), path, default="abs:1", mode="w")
    assert os.listdir(tmp_path) == ["a"]
    xr.testing.assert_identical(xr.open_zarr(path, consolidated=False).load(), before)
    aside.mkdir()
    with pytest.raises(FileExistsError, match="kompakt-old"):
        zarr3(dataset(), path, bounds=BOUNDS, mode="w")
    aside.rmdir()
    require_within(dataset(), zarr3(dataset(), path, bounds=BOUNDS, mode="w"))
    assert os.listdir(tmp_path) == ["a"]


def test_a_store_that_another_writer_made_meanwhile_stays(tmp_path):
    path = tmp_path / "a"
    with pytest.raises(FileExistsError, match="another writer"), _whole.whole(path) as unfinished:
        os.mkdir(unfinished)
        path.mkdir()
        (path / "zarr.json").write_text("precious")
    assert (path / "zarr.json").read_text() == "precious" and os.listdir(tmp_path) == ["a"]


def test_addresses_are_refused_by_writers_of_files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for write in netcdf, kpk:
        with pytest.raises(ValueError, match="of this machine") as caught:
            write(dataset(), "memory://a", default="abs:0.01")
        assert "'memory://a'" in str(caught.value)
    assert not os.listdir(tmp_path)


def test_the_home_is_expanded_by_all_writers(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for write in zarr3, netcdf, kpk:
        write(dataset(), f"~/{write.__name__}", default="abs:0.01").close()
    assert sorted(os.listdir(tmp_path)) == ["kpk", "netcdf", "zarr3"]


def test_a_file_replaces_no_folder(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("precious")
    for write in netcdf, kpk:
        with pytest.raises(OSError, match="home"):
            write(dataset(), tmp_path / "home", default="abs:0.01")
    assert os.listdir(tmp_path) == ["home"] and (tmp_path / "home" / "thesis.tex").read_text() == "precious"


@pytest.mark.parametrize("write", [zarr3, zarr2], ids=lambda write: write.__name__)
def test_stores_are_replaced_and_kept_as_by_xarray(tmp_path, write):
    write(dataset(), tmp_path / "a", bounds=BOUNDS)
    with pytest.raises(FileExistsError, match=f"mode='w' to replace it, mode='a'.*'{tmp_path}/a'"):
        write(dataset(), tmp_path / "a", bounds=BOUNDS)
    with pytest.raises(FileExistsError, match="'memory://a'"):
        for _ in range(2):
            dataset().kompakt.to_zarr("memory://a", bounds=BOUNDS, consolidated=False)
    opened = xr.open_zarr(tmp_path / "a", consolidated=False)
    again = write(opened, tmp_path / "a", mode="w", default="lossless")  # of what it replaces
    require_within(dataset(), again)
    assert os.listdir(tmp_path) == ["a"]
    (tmp_path / "empty").mkdir()
    require_within(dataset(), write(dataset(), tmp_path / "empty", bounds=BOUNDS))
    store = dataset()[["tb"]].kompakt.to_zarr(tmp_path / "b", default="abs:1", consolidated=False)
    assert "tb" in store.zarr_group


@pytest.mark.parametrize("write", [zarr3, zarr2], ids=lambda write: write.__name__)
def test_what_is_appended_has_the_bound_of_the_store_or_is_refused(tmp_path, write):
    first, second = dataset()[["ta"]].isel(time=slice(10)), dataset()[["ta"]].isel(time=slice(10, 20))
    write(first, tmp_path / "a", default="abs:0.01")
    for bound in "abs:1e-3", "r2r:1e-3", "lossless":
        with pytest.raises(ValueError, match=r"'ta' is in the store with the bound 'abs:0\.01'.*the bound now is"):
            write(second, tmp_path / "a", append_dim="time", default=bound)
    assert xr.open_zarr(tmp_path / "a", consolidated=False).sizes["time"] == 10
    require_within(dataset()[["ta"]], write(second, tmp_path / "a", append_dim="time", default="abs:0.02"), {"ta": 0.01})


def test_the_bound_of_a_store_can_be_passed_as_its_refusal_says(tmp_path):
    written = xr.Dataset({"t": ("x", np.linspace(0, 10, 1000))})
    zarr3(written, tmp_path / "a")
    with pytest.raises(ValueError, match=r"bound 'r2r:0\.001,range=10'.*now is 'r2r:0\.001,range=9'") as refused:
        zarr3(0.9 * written, tmp_path / "a", mode="a")
    bounds = ast.literal_eval(re.search(r"pass bounds=(\{.*?\})", str(refused.value))[1])
    require_within(0.9 * written, zarr3(0.9 * written, tmp_path / "a", mode="a", bounds=bounds), {"t": 0.01})


@WRITERS
def test_integers_have_the_bound_of_the_range_that_is_said(tmp_path, write):
    written = xr.Dataset({"n": ("x", np.arange(1000) ** 2)})
    found = write(written, tmp_path / "a", bounds={"n": "r2r:1e-3"})
    assert 0 < np.abs(found["n"] - written["n"]).max() <= 998


def test_attributes_by_names_that_archives_use_come_back(tmp_path):
    path = tmp_path / "a.kpk"
    own = {key: "m" for key in ("_NoFill", "_types", "_dimensions", "_part 2 of units", "./units", "../title", "_own _types", "_own ",
                                    "_scale_name")}
    own["_unlimited"] = np.int16(3)
    written = dataset().assign_attrs(own).assign(ta=dataset().ta.assign_attrs(own))
    written.kompakt.to_kpk(path)
    with xr.open_dataset(path) as found:
        assert found.attrs == written.attrs and {key: found.ta.attrs[key] for key in own} == own
    with kompakt.Archive(path) as archive:
        assert archive["ta"].attrs["_own _types"] == "m", "as docs/cli.md says"


def test_what_an_archive_cannot_keep_is_refused_by_its_name(tmp_path):
    path = tmp_path / "a.kpk"
    long = dataset().assign(long=("x", np.ones(32, np.longdouble)))
    for changed, said in [(long, r"'long' has values of float128;.*drop_vars\(\['long'\]\)"),
                          (dataset().assign(mixed=("x", np.array([1, "a"] * 16, object))), "'mixed'"),
                          (dataset().assign_attrs(notes={"a": 1}), r"^the dataset: the attribute 'notes' is \{'a': 1\}"),
                          (dataset().assign_attrs({"a" * 254: "b"}), "^the dataset: the attribute '.*up to 255 bytes.*rename it"),
                          (dataset().assign(ta=dataset().ta.assign_attrs(good=True)), "'ta': the attribute 'good' is True"),
                          (dataset().rename(ta="air/t"), "'air/t' has a slash"), (dataset().rename(x="a/x"), "'a/x' has a slash"),
                          (xr.Dataset(attrs={"title": "a run"}), "attribute 'title' but no variable"),
                          (xr.Dataset({"deep": (list("abcdefghi"), np.ones((1,) * 9))}), "'deep': array has 9 dimensions")]:
        with pytest.raises((TypeError, ValueError), match=said):
            changed.kompakt.to_kpk(path)
        assert not path.exists()


@WRITERS
@pytest.mark.filterwarnings("ignore:Duplicate dimension names")
def test_a_dimension_may_come_twice(tmp_path, write):
    expected = xr.Dataset({"covariance": (("x", "x"), turbulence(32)[0])})
    with write(expected, tmp_path / "a", default="abs:0.01") as found:
        assert found["covariance"].dims == ("x", "x") and largest_error(expected["covariance"].values, found["covariance"].values) <= _BOUND


def with_texts():
    texts = np.array(["wet", "b\u00e9", "", "\u65e5\u672c"] * 8)
    return dataset().assign_coords(station=("x", texts)).assign(
        {"kind": ("x", texts.astype(object)), "run": ((), "first"), "code": ("x", np.array([b"ab", b"c"] * 16)),
         "sum": ("x", np.arange(32.0).astype(object))}).assign_attrs(notes=["a", "b"])


@WRITERS
def test_texts_come_back(tmp_path, write):
    expected = with_texts()
    found = write(expected, tmp_path / "a", bounds=BOUNDS).load()
    for name in ("station", "kind", "run", "code", "sum"):
        np.testing.assert_array_equal(found[name].values.astype(expected[name].dtype), expected[name].values)
        assert found[name].dims == expected[name].dims
    assert "station" in found.coords and found.attrs["notes"] == ["a", "b"]
    if write is not zarr2:  # xarray's own to_zarr fails there to write texts again
        xr.testing.assert_identical(write(found, tmp_path / "b", default="lossless").load(), found)


def test_the_program_reads_texts_of_an_archive(tmp_path):
    if "KOMPAKT_PROGRAM" not in os.environ:
        pytest.skip("the program was not built")
    with_texts().kompakt.to_kpk(tmp_path / "a.kpk", bounds=BOUNDS)
    call = [os.environ["KOMPAKT_PROGRAM"], "decompress", tmp_path / "a.kpk", "-o", tmp_path / "a.nc"]
    outcome = subprocess.run(call, capture_output=True, text=True, check=False)
    if "built without netCDF" in outcome.stderr:
        pytest.skip(outcome.stderr)
    assert outcome.returncode == 0, outcome.stderr
    with xr.open_dataset(tmp_path / "a.nc") as found:
        assert (found["station"].values == with_texts()["station"].values).all() and found["run"].item() == "first"


@WRITERS
def test_values_of_the_other_order_of_bytes_are_compressed(tmp_path, write):
    expected = dataset()[["ta"]]
    found = write(expected.astype(">f4"), tmp_path / "a", default="abs:0.01")
    require_within(expected.drop_encoding(), found.drop_encoding(), {"ta": _BOUND})


@pytest.mark.parametrize("options, said", [
    ({"bounds": "abs:0.01"}, "bounds='abs:0.01' is no mapping.*default="), ({"encoding": "chunks"}, "encoding='chunks' is no mapping"),
    ({"encoding": {"ta": 5}}, r"encoding\['ta'\]=5 is no mapping"), ({"encoding": {"ta": None}}, r"encoding\['ta'\]=None is no mapping"),
    ({"encoding": {"absent": {}}}, r"encoding\['absent'\] names no variable; there are .*'ta'")])
def test_arguments_that_are_no_mappings_of_variables_are_refused(tmp_path, options, said):
    for write in zarr3, zarr2, netcdf:
        with pytest.raises((TypeError, ValueError), match=said):
            write(dataset(), tmp_path / "a", **options)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("options, said", [
    ({"engine": "netcdf4"}, "engine='netcdf4'"), ({"mode": "a"}, "mode='a'"),
    ({"encoding": {"ta": {"zlib": True}}}, r"encoding\['ta'\] has 'zlib'"), ({"encoding": {"ta": {"compression": "gzip"}}}, r"encoding\['ta'\] has 'compression'")])
def test_options_that_cannot_go_with_the_filter_are_refused(tmp_path, options, said):
    pytest.importorskip("h5netcdf")
    with pytest.raises((ValueError, TypeError), match=said):
        dataset().kompakt.to_netcdf(tmp_path / "a.nc", **options)
    assert not os.listdir(tmp_path)


def test_xarray_itself_has_no_engine_to_write_with(tmp_path):
    with pytest.raises(ValueError, match="kompakt"):
        dataset().to_netcdf(tmp_path / "a.kpk", engine="kompakt")


@WRITERS
def test_values_are_not_rounded_to_the_type_of_the_encoding(tmp_path, write):
    written = dataset()[["p"]]
    written["p"].values[...] /= 3
    written["p"].encoding["dtype"] = np.dtype("f4")
    with write(written, tmp_path / "a", bounds={"p": "abs:1e-6"}) as found:
        assert largest_error(written["p"].values, found["p"].values) <= 1e-6  # float32 is off by 1e-5


@WRITERS
def test_fill_values_that_nobody_decoded_come_back(tmp_path, write):
    raw = xr.Dataset({"tb": (("y", "x"), dataset()["tb"].values[0], {"_FillValue": _LAND})})
    raw["tb"].values[2:4, 7] = _LAND
    raw["tb"].values[4:7, 7] = 0
    with write(raw, tmp_path / "a", bounds={"tb": "abs:0.1"}) as found:
        land = np.isnan(raw["tb"].values) | (raw["tb"].values == _LAND)
        assert np.isnan(found["tb"].values[land]).all()
        assert np.abs(found["tb"].values - raw["tb"].values)[~land].max() <= 0.1


_DECLARED = [{"missing_value": [-99.5, 3e5]}, {"missing_value": np.array([-99.5, 3e5], "f4"), "_FillValue": np.float32(-99.5)},
             {"_FillValue": -99.5, "missing_value": 3e5}, {"missing_value": "-99.5"}, {"_FillValue": np.nan, "missing_value": -99.5},
             {"missing_value": np.float64(-99.5)}, {"_FillValue": -99.5}]


@WRITERS
@pytest.mark.parametrize("declared", _DECLARED, ids=str)
@pytest.mark.parametrize("count", [0, 1, 40])
def test_all_declared_values_are_masked_wherever_they_are_declared(tmp_path, write, declared, count):
    values = turbulence(32)[0]
    values[3, :count % 32] = values[4, :count // 32] = np.nan
    width = np.nanmax(values) - np.nanmin(values)
    in_encoding = xr.Dataset({"t": (("y", "x"), values)})
    in_encoding.t.encoding.update(declared)
    marks = [float(mark) for mark in np.ravel(list(declared.values())[0]) if not np.isnan(float(mark))] or [-99.5]
    raw = np.where(np.isnan(values), np.float32(marks[-1]), values)
    as_attributes = xr.Dataset({"t": (("y", "x"), raw, {key: np.asarray(value) if isinstance(value, list) else value
                                                        for key, value in declared.items()})})
    ways = [("encoding", in_encoding, {}), ("attributes", as_attributes, {})]
    if write is not kpk:
        ways.append(("argument", xr.Dataset({"t": (("y", "x"), values)}), {"encoding": {"t": declared}}))
    for way, written, options in ways:
        with write(written, tmp_path / way, default="r2r:1e-3", **options) as found:
            restored = found.t.values
        if isinstance(declared.get("missing_value"), str):  # which readers may compare with numbers as a text
            restored = np.where(restored == np.float32(-99.5), np.float32(np.nan), restored)
        np.testing.assert_array_equal(np.isnan(restored), np.isnan(values), way)
        assert largest_error(values, restored) <= 1e-3 * width, way


@WRITERS
def test_a_text_as_missing_value_is_kept(tmp_path, write):
    written = xr.Dataset({"t": ("x", np.arange(64, dtype="f4"))})
    written.t.encoding["missing_value"] = "unknown"
    with write(written, tmp_path / "a", default="abs:0.25") as found:
        assert found.t.encoding.get("missing_value", found.t.attrs.get("missing_value")) == "unknown"
        assert np.abs(found.t.values - written.t.values).max() <= 0.25


@WRITERS
@pytest.mark.parametrize("chunks", [None, {"z": 8}])
def test_several_values_that_nobody_declared_are_found(tmp_path, write, chunks):
    written = xr.Dataset({"t": (("z", "y", "x"), turbulence(32))})
    written.t.values[:, 3:20, 5:9] = -99.5
    written.t.values[[5, 30], 25, 3] = 3e5  # so few that they are found only where the whole is looked at
    marked = (written.t.values == np.float32(-99.5)) | (written.t.values == np.float32(3e5))
    with write(written if chunks is None else written.chunk(chunks), tmp_path / "a") as found:
        restored = found.t.values
    np.testing.assert_array_equal(restored[marked], written.t.values[marked])
    assert largest_error(written.t.values[~marked], restored[~marked]) <= 1e-3 * np.ptp(written.t.values[~marked])


@WRITERS
@pytest.mark.parametrize("chunks", [None, {"z": 8}])
def test_several_values_of_conventions_are_known_to_all_writers(tmp_path, write, chunks):
    written = xr.Dataset({"t": (("z", "y", "x"), turbulence(32))})
    written.t.values[:, 3:20, 5:9] = 1e20
    written.t.values[7, 25, 3] = -9999
    marked = (written.t.values == np.float32(1e20)) | (written.t.values == -9999)
    width = np.ptp(written.t.values[~marked])
    with write(written if chunks is None else written.chunk(chunks), tmp_path / "a") as found:
        restored = found.t.values
    np.testing.assert_array_equal(restored[marked], written.t.values[marked])
    assert largest_error(written.t.values[~marked], restored[~marked]) <= 1e-3 * width


@WRITERS
def test_variables_without_values_are_kept(tmp_path, write):
    written = xr.Dataset({"t": (("time", "x"), np.zeros((0, 4), "f4"), {"units": "K"}), "p": ("x", np.arange(4.0))})
    with write(written, tmp_path / "a", default="abs:0.01") as found:
        assert found.t.shape == (0, 4) and found.t.values.shape == (0, 4) and found.t.dtype == np.float32
        assert found.t.attrs["units"] == "K" and found.t.dims == ("time", "x")


@pytest.mark.parametrize("write", [zarr3, zarr2], ids=lambda write: write.__name__)
def test_what_is_no_store_is_not_deleted_and_folders_are_made(tmp_path, write, monkeypatch):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("precious")
    for name in "home", "home/thesis.tex":
        with pytest.raises(FileExistsError, match="no Zarr store"):
            write(dataset(), tmp_path / name, mode="w", default="abs:0.01")
    assert (tmp_path / "home" / "thesis.tex").read_text() == "precious"
    require_within(dataset(), write(dataset(), tmp_path / "new" / "folder" / "a", bounds=BOUNDS))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(dataset(), "~/a.zarr", bounds=BOUNDS)
    assert sorted(os.listdir(tmp_path / "home")) == ["a.zarr", "thesis.tex"]


def test_texts_that_declare_no_number_change_nothing(tmp_path):
    x = np.arange(64, dtype="f4")
    attributes = {"missing_value": "none", "valid_range": "0 10", "valid_min": "unknown"}
    xr.Dataset({"t": (("x",), x, attributes)}).kompakt.to_kpk(tmp_path / "t.kpk", default="abs:0.25")
    with kompakt.Archive(tmp_path / "t.kpk") as archive:
        assert np.abs(archive["t"][...] - x).max() <= 0.25
        assert archive["t"].attrs["missing_value"] == "none"


def test_an_archive_that_is_there_is_not_replaced_unless_asked_for(tmp_path):
    path = tmp_path / "a.kpk"
    dataset().kompakt.to_kpk(path)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="mode='w'.*a.kpk"):
        dataset().kompakt.to_kpk(path)
    assert path.read_bytes() == before
    dataset().kompakt.to_kpk(path, mode="w")


def test_another_variable_on_the_same_grid_is_appended(tmp_path):
    whole, path = dataset().load(), tmp_path / "a.kpk"
    both = whole.assign(late=whole["ta"] + 1)
    whole.kompakt.to_kpk(path, bounds=BOUNDS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both[["late", "y_bnds", "crs"]].kompakt.to_kpk(path, default="abs:0.01", mode="a")
        both["late"].rename("later").kompakt.to_kpk(path, bound="abs:0.01", mode="r+")
    require_within(both.assign(later=both["late"]), xr.open_dataset(path, engine="kompakt"), {**DATA, "late": _BOUND, "later": _BOUND})
    with kompakt.open(path) as archive:
        assert sorted(archive) == sorted([*both.variables, "later"])


def test_times_in_other_units_are_the_same_and_other_attributes_are_told(tmp_path):
    whole, path = dataset().load(), tmp_path / "a.kpk"
    whole.kompakt.to_kpk(path, bounds=BOUNDS)
    other = whole[["ta"]].rename(ta="late")
    other["time"].encoding["units"] = "days since 2020-01-01"
    other["time"].encoding.pop("dtype", None)
    with pytest.warns(UserWarning, match="^'time' in '.*a.kpk': they stay"):
        other.kompakt.to_kpk(path, mode="a")
    with xr.open_dataset(path, engine="kompakt") as found:
        xr.testing.assert_equal(found["time"], whole["time"])
        assert found["time"].encoding["units"] == "hours since 2020-01-01"


@pytest.mark.parametrize("attributes, is_told", [
    ({"units": "days since 2000-01-01 00:00:00"}, False), ({"units": "days since 2000-01-01T00:00:00Z"}, False),
    ({"units": "days since 2000-01-01", "calendar": "gregorian"}, False), ({"units": "hours since 2000-01-01"}, True),
    ({"units": "days since 2000-01-01", "long_name": "a time"}, True), ({"units": "days since then"}, True)])
def test_units_that_say_the_same_times_are_not_told(tmp_path, attributes, is_told):
    def written(name, **said):
        times = xr.Variable("time", [0.0], {"units": "days since 2000-01-01", **said})
        return xr.Dataset({name: ("time", np.zeros(1))}, {"time": times})

    written("a").kompakt.to_kpk(tmp_path / "a.kpk")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        written("b", **attributes).kompakt.to_kpk(tmp_path / "a.kpk", mode="a")
    assert len(told) == is_told


def test_coordinates_with_other_values_are_refused_by_name(tmp_path):
    whole, path = dataset().load(), tmp_path / "a.kpk"
    whole.kompakt.to_kpk(path, bounds=BOUNDS)
    before = path.read_bytes()
    late = whole[["ta"]].rename(ta="late").drop_vars("lat")
    for written in (late.assign_coords(x=late["x"] + 1, y=late["y"] * 2), late.isel(x=slice(2, 9), y=slice(3))):
        with pytest.raises(ValueError, match="^'.*a.kpk' has 'x', 'y' with other values than this dataset; [^\n]*$"):
            written.kompakt.to_kpk(path, mode="a")
    with pytest.raises(ValueError, match="'ta'.*already"):
        whole[["ta"]].kompakt.to_kpk(path, bounds={"ta": "abs:0.01"}, mode="a")
    assert path.read_bytes() == before


def test_dimensions_of_another_length_are_refused_when_others_are_appended(tmp_path):
    path = tmp_path / "a.kpk"
    xr.Dataset({"t": (("y", "x"), np.zeros((8, 9)))}).kompakt.to_kpk(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="a.kpk' has the dimension 'y' of 8, but 'u' has 4 along it; name another archive, [^\n]*$"):
        xr.Dataset({"u": (("y", "x"), np.zeros((4, 9)))}).kompakt.to_kpk(path, mode="a")
    assert path.read_bytes() == before


def test_attributes_of_an_archive_stay_when_others_are_appended(tmp_path):
    path = tmp_path / "a.kpk"
    xr.Dataset({"a": ("x", np.arange(3.0))}, attrs={"history": "first", "n": 5}).kompakt.to_kpk(path)
    other = xr.Dataset({"b": ("x", np.arange(3.0))}, attrs={"history": "second", "n": 5, "new": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="^the attribute 'history' in '.*a.kpk': it stays"):
        other.kompakt.to_kpk(path, mode="a")
    with xr.open_dataset(path, engine="kompakt") as found:
        assert found.attrs["history"] == "first" and found.attrs["n"] == 5
        assert np.array_equal(found.attrs["new"], [1.0, 2.0])


def test_packed_variables_that_stay_exact_are_named(tmp_path):
    packed = xr.Dataset({"q": (("x",), np.arange(64.0))})
    packed.q.encoding.update(scale_factor=0.01, dtype="i2", _FillValue=-1)
    with pytest.warns(UserWarning, match="'q' stays exact"):
        packed.kompakt.to_kpk(tmp_path / "a.kpk")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        packed.kompakt.to_kpk(tmp_path / "b.kpk", bounds={"q": "lossless"})


def test_dates_flags_and_bounds_that_no_attribute_names_stay_exact(tmp_path):
    rng = np.random.default_rng(8)
    attributes = {"day": {"units": "YYYYMMDD"}, "jd": {"units": "julian day"}, "n": {"standard_name": "air_temperature number_of_observations"},
                  "ok": {"standard_name": "air_temperature status_flag"}, "y_bnds": {}, "t": {"units": "mm d-1"}}
    raw = xr.Dataset({name: (("y", "x"), rng.standard_normal((60, 50)).cumsum(1), attrs) for name, attrs in attributes.items()})
    found = kpk(raw, tmp_path / "a.kpk", default="abs:0.1").load()
    assert [name for name in attributes if not bool((found[name] == raw[name]).all())] == ["t"]


def test_coordinates_that_a_dataset_names_with_commas_stay_exact(tmp_path):
    rng = np.random.default_rng(8)
    names = ("a", "b", "t")
    raw = xr.Dataset({name: (("y", "x"), rng.standard_normal((60, 50)).cumsum(1)) for name in names}, attrs={"coordinates": "a,b"})
    found = kpk(raw, tmp_path / "a.kpk", default="abs:0.1").load()
    assert [bool((found[name] == raw[name]).all()) for name in names] == [True, True, False]


def test_fill_values_of_a_wider_type_are_written_in_that_of_the_variable(tmp_path):
    values = np.linspace(270, 290, 3000).astype("f4")
    values[:20] = -99.9
    dataset = xr.Dataset({"t": ("x", values, {"_FillValue": -99.9})})
    dataset.kompakt.to_kpk(tmp_path / "t.kpk")
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt") as again:
        assert int(again.t.isnull().sum()) == 20 and float(again.t.min()) > 269


def test_attributes_of_any_length_and_letters_come_back(tmp_path):
    attrs = {"history": "é" * 70000, "levels": np.arange(30000.0), "name": "a\0b", "lines": "a\nb", "list": ["a", "b"]}
    xr.Dataset({"t": ("x", np.arange(3.0), attrs)}, attrs=attrs).kompakt.to_kpk(tmp_path / "t.kpk")
    with kompakt.open(tmp_path / "t.kpk") as archive:
        assert max(len(text.encode()) for text in archive["t"].attrs.values()) == 65535
    with xr.open_dataset(tmp_path / "t.kpk", engine="kompakt") as again:
        for found in (again.attrs, again.t.attrs):
            assert set(found) == set(attrs) and all(np.array_equal(found[key], value) for key, value in attrs.items())


@WRITERS
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("fill", [-1 - 2j, 1e20 + 1e20j, complex(np.nan, np.nan)])
def test_complex_fill_values_come_back(tmp_path, write, dtype, fill):
    waves = np.exp(1j * np.arange(4000) / 9).astype(dtype)
    waves[100:900] = fill
    waves[0] = -1  # a part of the fill value alone
    more = {"invalid_netcdf": True} if write is netcdf else {}
    write(xr.Dataset({"z": ("x", waves, {"_FillValue": fill})}), tmp_path / "a", default="abs:0.01", **more).close()
    engine = {"netcdf": "h5netcdf", "kpk": "kompakt"}.get(write.__name__, "zarr")
    options = {"consolidated": False} if engine == "zarr" else more
    with xr.open_dataset(tmp_path / "a", engine=engine, **options) as found:
        assert int(found.z.isnull().sum()) == 800
        assert np.abs(np.delete(found.z.values - waves, slice(100, 900))).max() <= 0.01
        assert found.z.encoding["_FillValue"] == np.dtype(dtype).type(fill) or np.isnan(fill)


def test_complex_attributes_are_those_of_the_program(tmp_path):
    attrs = {"w": np.array([1 + 1j, 2 - 3j], "c8"), "one": 1 + 2j}
    written = xr.Dataset({"z": ("x", np.ones(9, "c16"), {**attrs, "_FillValue": np.complex128(-1 - 2j)})})
    written.kompakt.to_kpk(tmp_path / "a.kpk")
    with kompakt.open(tmp_path / "a.kpk") as archive:
        texts = archive["z"].attrs
    assert (texts["w"], texts["one"], texts["_FillValue"]) == ("1.0, 1.0, 2.0, -3.0", "1.0, 2.0", "-1.0, -2.0")
    assert set(texts["_types"].split("\n")) == {"c64 w", "c128 one", "c128 _FillValue"}
    with xr.open_dataset(tmp_path / "a.kpk", engine="kompakt") as found:
        assert found.z.attrs["one"] == attrs["one"] and np.array_equal(found.z.attrs["w"], attrs["w"])


def test_a_coordinate_that_is_put_into_an_archive_stays_exact(tmp_path):
    hours = xr.DataArray(np.arange(50) * 6.0 + 876576, dims="time", name="time", attrs={"units": "hours since 1900-01-01"})
    field = xr.DataArray(np.sin(np.arange(50.0)), dims="time", name="t", coords={"time": hours})
    bounds = xr.DataArray(np.arange(50) / 7.0, dims="x", name="z_bounds", coords={"z": ("x", np.arange(50.0))})
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["time"] = field.time
        archive["alone"] = hours
        archive["bounds"] = bounds
        archive["t"] = field
        archive.append("near", hours, bound="abs:0.5")
        with pytest.raises(TypeError, match="boundd"):
            archive.append("wrong", hours, boundd=1)
    with kompakt.open(tmp_path / "a.kpk") as archive:
        np.testing.assert_array_equal(archive["time"][:], hours)
        np.testing.assert_array_equal(archive["alone"][:], hours)
        np.testing.assert_array_equal(archive["bounds"][:], bounds)
        assert 0 < abs(archive["t"][:] - field.values).max() <= 2e-3
        assert 0 <= abs(archive["near"][:] - hours.values).max() <= 0.5
