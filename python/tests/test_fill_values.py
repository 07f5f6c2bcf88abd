"""What nobody has said never destroys a field: values that stand for "no value" in every face of the package."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import kompakt


def sea(dtype="f4"):
    """A temperature around 280 with a third of it land, and where that is."""
    x = np.random.default_rng(0).standard_normal((4, 40, 60)).cumsum(-1).astype(dtype) + dtype_of(dtype)(280)
    land = np.zeros(x.shape, bool)
    land[:, :, 20:40] = True
    return x, land


def dtype_of(dtype):
    return np.dtype(dtype).type


def check(x, y, land, fill, bound):
    """Land comes back bit for bit, nothing else becomes land, and the sea is within the bound of its own range."""
    assert y.dtype == x.dtype and y.shape == x.shape
    is_land = np.isnan(y) if np.isnan(fill) else y == x.dtype.type(fill)
    np.testing.assert_array_equal(is_land, land)
    assert np.abs(y[~land].astype("f8") - x[~land]).max() <= bound


@pytest.mark.parametrize("fill", [1e20, -999.9, 9.96921e36, np.nan, 0.0])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_plain_call_masks_what_is_found(fill, dtype):
    x, land = sea(dtype)
    x[land] = fill
    width = np.ptp(x[~land].astype("f8"))
    stream = kompakt.compress(x, 1e-3)
    check(x, kompakt.decompress(stream), land, fill, 1e-3 * width)
    assert kompakt.inspect(stream).fill_value is not None


@pytest.mark.parametrize("mode, bound", [("abs", 0.01), ("r2r", 1e-3), ("pwr", 1e-3), ("psnr", 60)])
def test_several_declared_values_come_back(mode, bound):
    x, land = sea()
    x[land] = -999.9
    x[:, :3] = 1e20
    x[:, 5, ::7] = -99.9
    y = kompakt.decompress(kompakt.compress(x, bound, mode, fill_value=[-999.9, 1e20, -99.9, "auto"]))
    for fill in (-999.9, 1e20, -99.9):
        np.testing.assert_array_equal(y == np.float32(fill), x == np.float32(fill))
    sea_only = (x > 0) & (x < 1e10)
    assert np.abs(y - x)[sea_only].max() < 1


def test_masked_arrays_keep_their_mask():
    x, land = sea()
    masked = np.ma.array(x, mask=land, fill_value=-32768.0)
    stream = kompakt.compress(masked, 0.01, "abs")
    y = kompakt.decompress(stream)
    check(np.where(land, np.float32(-32768), x), y, land, -32768.0, 0.01)
    assert kompakt.inspect(stream).fill_value == -32768
    assert kompakt.decompress(kompakt.compress(np.ma.array(x), 0.01, "abs")).shape == x.shape
    x[0, 0, 0] = -32768.0
    with pytest.raises(ValueError, match="also where it is not masked"):
        kompakt.compress(np.ma.array(x, mask=land, fill_value=-32768.0), 0.01, "abs")
    with pytest.raises(TypeError, match="mask would be lost"):
        kompakt.compress(np.ma.array([1j, 2], mask=[0, 1]), mode="lossless")


@pytest.mark.parametrize("dtype", ["i4", ">i4", "u8", "i2", "?"])
def test_masked_integers_come_back_as_the_fill_value_of_the_mask(tmp_path, dtype):
    fill = np.dtype(dtype).type(7)
    masked = np.ma.array(np.arange(6).astype(dtype) * 0, mask=[0, 1, 0, 0, 1, 0], fill_value=fill)
    for y in (kompakt.decompress(kompakt.compress(masked, mode="lossless")), archived(tmp_path, masked)):
        assert (y.astype(dtype) == masked.filled()).all() and y[1] == fill
    assert (kompakt.decompress(kompakt.compress(np.ma.array([1, 2]), mode="lossless")) == [1, 2]).all()
    with pytest.raises(ValueError, match="value (7|True) also where it is not masked"):
        kompakt.compress(np.ma.array(np.full(3, fill), mask=[0, 1, 0], fill_value=fill), mode="lossless")


@pytest.mark.parametrize("attrs", [{"_FillValue": "-99.9"}, {"missing_value": "-99.9"}, {"_FillValue": "5", "missing_value": "-99.9, 1e20"}])
def test_attributes_of_a_field_of_an_archive_declare_fill_values(tmp_path, attrs):
    x, land = sea()
    x[3, 2, 1] = -99.9
    land = x == np.float32(-99.9)
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive.append("t", x, {**attrs, "units": "K"})
        archive.append("all", x, attrs, fill_value=None)
        archive.append("text", x[~land], {"missing_value": "unknown"})
        archive.append("integers", np.arange(9), {"_FillValue": "-1"}, mode="lossless")
        archive.append("nan", x[~land], {"_FillValue": "nan"})
    with kompakt.open(tmp_path / "a.kpk") as archive:
        check(x, archive["t"][...], land, -99.9, 1e-3 * np.ptp(x[~land].astype("f8")))
        assert archive["all"].info.fill_value is None


@pytest.mark.parametrize("where", ["attrs", "encoding"])
def test_an_array_of_xarray_declares_its_fill_values(tmp_path, where):
    xr = pytest.importorskip("xarray")
    x, land = sea()
    land[:] = False
    land[3, 2, 1] = True
    x[land] = -99.9
    array = xr.DataArray(x, dims=("z", "y", "x"))
    getattr(array, where).update({"missing_value": [5.0, -99.9]})
    width = np.ptp(x[~land].astype("f8"))
    for given in array, array.variable:
        check(x, kompakt.decompress(kompakt.compress(given)), land, -99.9, 1e-3 * width)
        assert kompakt.value_range(given)["width"] == pytest.approx(width)
    assert kompakt.value_range(array, None)["min"] == np.float32(-99.9)
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["t"] = array
    check(x, kompakt.open(tmp_path / "a.kpk")["t"][...], land, -99.9, 1e-3 * width)
    assert (kompakt.decompress(kompakt.compress(xr.DataArray([1, 2], attrs={"_FillValue": 2e30}), mode="lossless")) == [1, 2]).all()
    assert kompakt.decompress(kompakt.compress(xr.DataArray([1j], attrs={"_FillValue": 2}))) == [1j]


def archived(folder, values):
    with kompakt.Archive(folder / "a.kpk", "w", bound="lossless") as archive:
        archive["t"] = values
    return kompakt.open(folder / "a.kpk")["t"][...]


def test_a_fill_value_that_the_type_of_a_masked_array_lacks_is_refused():
    with pytest.raises(ValueError, match="fill value 999999, which values of uint8 cannot have"):
        kompakt.compress(np.ma.array(np.zeros(3, "u1"), mask=[0, 1, 0]), mode="lossless")
    half = np.ma.array(np.ones(3, "f2"), mask=[0, 1, 0])  # which has no 1e20
    assert np.isnan(kompakt.decompress(kompakt.compress(half, mode="lossless"))[1])


@pytest.mark.parametrize("fill", [-32768.0, np.nan])
def test_masked_values_count_in_no_comparison(fill):
    x, land = sea()
    masked = np.ma.array(x, mask=land, fill_value=fill)
    stream = kompakt.compress(masked, 0.01, "abs")
    y = kompakt.decompress(stream)
    assert np.isnan(y[land]).all() if np.isnan(fill) else (y[land] == fill).all()
    for bound in (0.01, kompakt.inspect(stream)):
        found = kompakt.compare(masked, y, bound)
        assert found.violations == 0 and 0 < found.max_abs_error <= 0.01 and found.max == x[~land].max()


@pytest.mark.parametrize("fill, other", [(1e20, -999.0), (np.nan, -999.0), (1e20, np.nan), (-999.0, -999.0)])
def test_masks_with_other_fill_values_are_the_same(fill, other):
    x, land = sea()
    x = x.astype("f8")
    original, reconstructed = np.ma.array(x, mask=land, fill_value=fill), np.ma.array(x + 1e-4, mask=land, fill_value=other)
    found = kompakt.compare(original, reconstructed, 1e-3)
    assert (found.violations, found.became_missing, found.lost_fill_values) == (0, 0, 0) and 0 < found.max_abs_error <= 1e-3
    moved = np.roll(land, 1)  # a mask in other places is another one
    found = kompakt.compare(original, np.ma.array(x, mask=moved, fill_value=other), 1e-3)
    assert found.violations == (moved ^ land).sum() > 0


@pytest.mark.parametrize("mode, bound", [("r2r", 1e-3), ("psnr", 60)])
def test_few_values_that_make_the_range_are_refused(mode, bound):
    x = np.random.default_rng(0).random((300, 400), "f4")
    x[::100, 7] = [1e20, 3e19, 5e21]
    for pipeline in ("auto", "bitshuffle"):
        with pytest.raises(ValueError, match=r"3 values, such as 5e\+21.*fill value to 5e\+21;.*fill value to none"):
            kompakt.compress(x, bound, mode, pipeline)
    assert np.abs(kompakt.decompress(kompakt.compress(x, 1e-3, "abs")) - x).max() <= 1e-3
    kompakt.compress(x, bound, mode, fill_value=None)


@pytest.mark.parametrize("bound, mode", [(1e-3, "r2r"), (0.01, "abs")])
@pytest.mark.parametrize("fill", [{"_FillValue": 1e20}, {"_FillValue": -999.9}, {"missing_value": 1e20}, {"missing_value": -999.9}])
@pytest.mark.parametrize("face", ["zarr 3", "zarr 2", "h5netcdf"])
def test_xarray_gets_back_what_is_missing(tmp_path, bound, mode, fill, face):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf" if face == "h5netcdf" else "zarr")
    x, land = sea()
    x[land] = np.nan
    data = xr.Dataset({"t": (("time", "y", "x"), x)})
    if face == "h5netcdf":
        import kompakt.h5py

        data.to_netcdf(tmp_path / "t.nc", engine="h5netcdf", encoding={"t": {**kompakt.h5py.Kompakt(bound, mode), **fill}})
        with xr.open_dataset(tmp_path / "t.nc", engine="h5netcdf") as file:
            back = file.t.values
    else:
        import kompakt.numcodecs
        import kompakt.zarr

        version = int(face[-1])
        codec = ({"serializer": kompakt.zarr.Kompakt(bound, mode), "compressors": None} if version == 3
                 else {"compressors": [kompakt.numcodecs.Kompakt(bound, mode)]})
        data.to_zarr(tmp_path / "t.zarr", zarr_format=version, consolidated=False, encoding={"t": {**codec, **fill}})
        back = xr.open_zarr(tmp_path / "t.zarr", consolidated=False).t.values
    check(x, back, land, np.nan, bound if mode == "abs" else bound * np.ptp(x[~land].astype("f8")))


def land_of(kind, shape):
    """Where there is land: a third, a chunk and no other place, places here and there, or one place."""
    land = np.zeros(shape, bool)
    if kind == "third":
        land[:, :, shape[2] // 3:2 * shape[2] // 3] = True
    elif kind == "chunk":
        land[2:4] = True
    elif kind == "noise":
        land[np.random.default_rng(1).random(shape) < 0.01] = True
    else:
        land[3, 7, 5] = True
    return land


def by_zarr(written, path, version, encoding):
    zarr = pytest.importorskip(f"kompakt.{ {2: 'numcodecs', 3: 'zarr'}[version] }")
    codec = {"compressors": [zarr.Kompakt()]} if version == 2 else {"serializer": zarr.Kompakt(), "compressors": None}
    written.to_zarr(path, zarr_format=version, consolidated=False, encoding={"t": {**codec, "chunks": (2, 40, 60), **encoding}})
    return pytest.importorskip("xarray").open_zarr(path, consolidated=False).t.values


def by_h5netcdf(written, path, encoding):
    kompakt_h5py = pytest.importorskip("kompakt.h5py")
    written.to_netcdf(path, engine="h5netcdf", encoding={"t": {**kompakt_h5py.Kompakt(), "chunksizes": (2, 40, 60), **encoding}})
    with pytest.importorskip("xarray").open_dataset(path, engine="h5netcdf") as file:
        return file.t.values


def by_numcodecs(written, _, encoding):
    codec = pytest.importorskip("kompakt.numcodecs").Kompakt()
    (fill,) = encoding.values()
    raw = written.t.fillna(fill).astype("f4").values
    found = np.concatenate([codec.decode(codec.encode(raw[i:i + 2])) for i in range(0, len(raw), 2)])
    return np.where(found == np.float32(fill), np.float32(np.nan), found)


FACES = {"zarr 2": lambda *a: by_zarr(*a[:2], 2, a[2]), "zarr 3": lambda *a: by_zarr(*a[:2], 3, a[2]), "numcodecs": by_numcodecs,
         "h5netcdf": by_h5netcdf}


@pytest.mark.parametrize("kind", ["third", "chunk", "noise", "one"])
@pytest.mark.parametrize("key", ["_FillValue", "missing_value"])
@pytest.mark.parametrize("fill", [1e20, -9999.0, 9.96921e36])
@pytest.mark.parametrize("face", FACES)
def test_land_of_a_dataset_is_never_lost_by_a_plain_codec(tmp_path, face, fill, key, kind):
    xr = pytest.importorskip("xarray")
    x = np.random.default_rng(0).standard_normal((8, 40, 60)).cumsum(-1).astype("f4") + np.float32(280)
    land = land_of(kind, x.shape)
    x[land] = np.nan
    back = FACES[face](xr.Dataset({"t": (("z", "y", "x"), x)}), tmp_path / "t", {key: fill})
    check(x, back, land, np.nan, 1e-3 * np.ptp(x[~land].astype("f8")))


@pytest.mark.parametrize("dtype, fill", [("f4", 1e20), ("f8", 1e20), ("f8", float(np.float32(1e20))), ("f4", -9999), ("f8", 9.96921e36)])
def test_fill_values_of_conventions_change_no_stream_without_them(dtype, fill):
    codec = pytest.importorskip("kompakt.numcodecs").Kompakt(1e-3)
    x, _ = sea(dtype)
    assert codec.encode(x) == kompakt.compress(x, 1e-3, pipeline="bitshuffle")
    if dtype == "f8" and fill == 9.96921e36:
        fill = 9.969209968386869e36
    x[2, 3, 4] = fill
    land = x == x.dtype.type(fill)
    check(x, codec.decode(codec.encode(x)), land, fill, 1e-3 * np.ptp(x[~land]))


def test_archives_say_nothing_that_nobody_declared(tmp_path):
    xr = pytest.importorskip("xarray")
    rng = np.random.default_rng(3)
    wind = np.where(rng.random((60, 80)) < 0.2, 0, 5 + rng.random((60, 80))).astype("f4")
    with kompakt.Archive(tmp_path / "wind.kpk", "w", bound=0.01, bound_mode="abs") as archive:
        archive["wind"] = wind
    with xr.open_dataset(tmp_path / "wind.kpk", engine="kompakt") as data:
        assert not data.wind.isnull().any() and "_FillValue" not in data.wind.encoding
        assert abs(float(data.wind.mean()) - wind.mean()) <= 0.01


def test_a_value_that_is_refused_leaves_the_old_field(tmp_path):
    path = tmp_path / "old.kpk"
    with kompakt.Archive(path, "w") as archive:
        archive["t"] = np.zeros((10, 20), "f4")
    for bad in (np.ma.array([1j, 2], mask=[0, 1]), b"no stream", "text"):
        with kompakt.Archive(path, "a") as archive:
            with pytest.raises((TypeError, ValueError, kompakt.Error)):
                archive["t"] = bad
    assert kompakt.open(path)["t"].shape == (10, 20)


def test_compare_leaves_out_what_is_masked():
    x, land = sea()
    x[land] = 1e20
    stream = kompakt.compress(x, 1e-3)
    y = kompakt.decompress(stream)
    found = kompakt.compare(x, y, kompakt.inspect(stream))
    errors = y[~land].astype("f8") - x[~land]
    assert found.values == (~land).sum() and found.nonfinite == 0 and found.violations == 0
    assert found.rmse == pytest.approx(np.sqrt(np.mean(errors ** 2)), rel=1e-6)
    assert found.max == x[~land].max()


def test_big_endian_buffers_of_numcodecs_come_back_as_they_were():
    codec = pytest.importorskip("kompakt.numcodecs").Kompakt
    for dtype in (">f4", ">f8", ">i4", "<f4", "|u1"):
        x = np.arange(24).astype(dtype)
        chosen = codec(0.01, "abs") if "f" in dtype else codec(mode="lossless")
        back = np.frombuffer(np.ascontiguousarray(chosen.decode(chosen.encode(x))).tobytes(), dtype)
        assert np.abs(back.astype("f8") - x).max() <= 0.01
        out = np.zeros(24, dtype)
        chosen.decode(chosen.encode(x), out=out)
        assert np.abs(out.astype("f8") - x).max() <= 0.01


def test_outputs_of_numcodecs_are_written_as_arrays():
    codec = pytest.importorskip("kompakt.numcodecs").Kompakt(0.01, "abs")
    x = np.random.default_rng(0).standard_normal((16, 24)).astype("f4")
    stream = codec.encode(x)
    for out in (np.full((16, 48), -7, "f4")[:, :24], np.zeros((24, 16), "f4").T, np.zeros((16, 24), ">f4"),
                np.zeros(16 * 24, "f4"), np.zeros(16 * 24 * 4, "u1")):
        codec.decode(stream, out=out)
        values = out.view("f4") if out.dtype == np.uint8 else out
        assert np.abs(np.asarray(values, "f4").reshape(x.shape) - x).max() <= 0.01
    for bad in (np.zeros((16, 24), "i4"), np.zeros((16, 12), "f8")):
        with pytest.raises((ValueError, kompakt.Error)):
            codec.decode(stream, out=bad)
        assert not bad.any()


@pytest.mark.parametrize("what", ["archive", "variable"])
def test_readers_go_to_other_processes(tmp_path, what):
    path = tmp_path / "t.kpk"
    with kompakt.Archive(path, "w") as archive:
        archive["t"] = np.ones((10, 20), "f4")
    archive = kompakt.open(path)
    parcel = pickle.dumps(archive if what == "archive" else archive["t"])
    part = "['t']" if what == "archive" else ""
    code = f"import pickle, sys; v = pickle.loads(sys.stdin.buffer.read()){part}; assert v[2:4].sum() == 40"
    subprocess.run([sys.executable, "-c", code], input=parcel, check=True, env=os.environ)
    with kompakt.Archive(path, "a") as writer:
        with pytest.raises(TypeError, match="open to read"):
            pickle.dumps(writer)


@pytest.mark.parametrize("bound", [None, True, np.array([1e-3]), [1]])
def test_a_bound_that_is_none_is_named(bound):
    with pytest.raises(TypeError, match="bound="):
        kompakt.compress(np.zeros(5, "f4"), bound)
    with pytest.raises(TypeError, match="mode="):
        kompakt.compress(np.zeros(5, "f4"), 1e-3, None)


# ------------------------------------------------------------------------------------------ of every type of values

def with_lone_fill(dtype, fill):
    """Random values of a type, of which a lone one is a fill value; and where that is."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=20000)
    values = (x + 1j * rng.normal(size=20000) if np.dtype(dtype).kind == "c" else x * (100 if np.dtype(dtype).kind == "i" else 1)).astype(dtype)
    values[7] = fill
    return values


def by_compress_of_xarray(values, fill, _):
    xarray = pytest.importorskip("xarray")
    return kompakt.decompress(kompakt.compress(xarray.DataArray(values, attrs={"_FillValue": fill}), 20, mode="abs"))


def by_append_with_attrs(values, fill, folder):
    with kompakt.Archive(folder / "a.kpk", "w") as archive:
        archive.append("t", values, {"_FillValue": str(fill)}, bound=20, mode="abs")
    with kompakt.open(folder / "a.kpk") as archive:
        return archive["t"].read()


def by_array_of_zarr(values, fill, folder):
    zarr, codec = pytest.importorskip("zarr"), pytest.importorskip("kompakt.zarr").Kompakt(20, "abs")
    array = zarr.create_array(folder / "a.zarr", shape=values.shape, chunks=values.shape, dtype=values.dtype, fill_value=fill,
                              serializer=codec, compressors=None)
    array[...] = values
    return array[...]


def by_writer_of_xarray(name, engine):
    def write(values, fill, folder):
        xarray = pytest.importorskip("xarray")
        pytest.importorskip("kompakt.xarray")
        dataset = xarray.Dataset({"t": ("x", values, {"_FillValue": fill})})
        getattr(dataset.kompakt, name)(folder / "a", bounds={"t": "abs:20"})
        with xarray.open_dataset(folder / "a", engine=engine, mask_and_scale=False) as opened:
            return opened["t"].values
    return write


DECLARING = {"compress": by_compress_of_xarray, "append": by_append_with_attrs, "zarr": by_array_of_zarr, "to_kpk": by_writer_of_xarray("to_kpk", "kompakt"),
             "to_zarr": by_writer_of_xarray("to_zarr", "zarr"), "to_netcdf": by_writer_of_xarray("to_netcdf", "h5netcdf")}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("face", DECLARING)
@pytest.mark.parametrize("dtype, fill", [("f2", -12.5), ("f4", -999.0), ("f8", -999.0), ("i4", -999), ("i8", -999), ("c8", -999 + 0j), ("c16", 0.5 + 0j),
                                         ("c8", -999 + 5j), ("c8", complex(np.nan, 3))])
def test_a_lone_declared_value_of_any_type_comes_back_bit_for_bit(face, dtype, fill, tmp_path):
    if face == "to_kpk" and isinstance(fill, complex):
        pytest.skip("archives refuse attributes of complex numbers")
    x = with_lone_fill(dtype, fill)
    y = DECLARING[face](x, fill, tmp_path)
    assert y.dtype == x.dtype and y[7:8].tobytes() == x[7:8].tobytes()
    assert np.nanmax(np.abs(y.astype("c16") - x)) <= 20


def test_a_lone_declared_value_of_bfloat16_comes_back_bit_for_bit():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = with_lone_fill(bfloat16, -999)  # -1000 in this type
    assert by_compress_of_xarray(x, -999.0, None)[7] == x[7] == -1000


def test_conventional_values_are_known_in_parts_of_complex_numbers():
    x = with_lone_fill("c8", -999)
    assert pytest.importorskip("kompakt.numcodecs").Kompakt(20, "abs").decode(
        pytest.importorskip("kompakt.numcodecs").Kompakt(20, "abs").encode(x))[7].real == -999


@pytest.mark.parametrize("dtype", ["f4", "c8", "i4", "f2"])
@pytest.mark.parametrize("fill", [1e300, [1e300, "auto"], -1e300])
def test_a_fill_value_that_no_value_can_be_is_refused(dtype, fill):
    x = np.arange(100).astype(dtype)
    if isinstance(fill, list) and dtype in ("i4", "f2"):
        pytest.skip("the library leaves out what integers and numbers of 16 bits cannot be, beside other values")
    for call in (kompakt.compress, kompakt.choose):
        with pytest.raises(ValueError, match=r"fill.value.*1e\+300 is no value of"):
            call(x, 2, "abs", fill_value=fill)
    if dtype == "f4":
        with pytest.raises(ValueError, match="no value of float32"):
            kompakt.value_range(x, fill)
        with pytest.raises(ValueError, match="no value of float32"):
            kompakt.compress(x, "r2r:1e-3,fill=1e300")
        with pytest.raises(ValueError, match="no value of float32"):
            pytest.importorskip("kompakt.numcodecs").Kompakt(fill_value=fill).encode(x)
    assert kompakt.inspect(kompakt.compress(np.arange(100.0), fill_value=fill)).fill_value == (fill if isinstance(fill, float) else None)


def test_a_declared_value_that_the_type_lacks_is_left_out():
    xarray = pytest.importorskip("xarray")
    for dtype in ("f4", "i4"):
        x = np.arange(100).astype(dtype)
        stream = kompakt.compress(xarray.DataArray(x, attrs={"_FillValue": 1e300}), 2, mode="abs")
        assert kompakt.inspect(stream).fill_value is None


def test_a_fill_value_in_the_text_counts_more_than_attributes():
    xarray = pytest.importorskip("xarray")
    x = with_lone_fill("f4", -999)
    found = kompakt.inspect(kompakt.compress(xarray.DataArray(x, attrs={"_FillValue": -999}), "abs:20,fill=none"))
    assert found.fill_value is None


def test_values_that_become_missing_and_lost_fill_values_are_violations():
    x, land = sea()
    x[land], x[~land] = -999, x[~land] - x[~land].max() - 999.4
    y = x.copy()
    at = tuple(np.argwhere(~land)[0])
    gone = tuple(np.argwhere(land)[0])
    y[at], y[gone] = -999, np.float32(-999.2)
    found = kompakt.compare(x, y, 1e9, fill_value=-999)
    assert (found.violations, found.became_missing, found.lost_fill_values) == (2, 1, 1)
    assert found.max_abs_error == 0 and found.values == (~land).sum() - 1
    assert kompakt.compare(x, y, 1e9, fill_value=None).violations == 0


def test_compare_leaves_out_all_fill_values_without_an_info():
    x, land = sea()
    x[land] = 1e20
    x[:2] = -999.9
    is_data = (x != np.float32(1e20)) & (x != np.float32(-999.9))
    for options in ({"fill_value": [1e20, -999.9]}, {"fill_value": "auto"}):
        found = kompakt.compare(x, x.copy(), 0.01, **options)
        assert found.values == is_data.sum() and found.max == x[is_data].max() and found.min == x[is_data].min()


def test_compare_knows_fill_values_of_packed_arrays_by_their_nan_alone():
    xarray = pytest.importorskip("xarray")
    x = np.linspace(-40, 80, 241)  # with a 0, which is what the packed integers have for missing
    x[5] = np.nan
    original = xarray.DataArray(x)
    original.encoding = {"_FillValue": 0, "scale_factor": 0.5, "add_offset": -40.0}
    found = kompakt.compare(original, original + 0.1, 0.3)
    assert found.violations == 0 and found.max_abs_error == pytest.approx(0.1)


def test_compare_takes_any_number_of_declared_fill_values():
    xarray = pytest.importorskip("xarray")
    x = np.random.default_rng(3).random(500)
    x[:9] = missing = -1000.0 - np.arange(9)
    original = xarray.DataArray(x, attrs={"missing_value": missing})
    assert kompakt.compare(original, np.where(x < 0, x, x + 0.1), 0.3).violations == 0
