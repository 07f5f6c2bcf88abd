"""What a call does where nobody has said a bound: integers stay exact, and a mode alone is refused, in every face of the package."""

import numpy as np
import pytest
from fields import turbulence

import kompakt

_FIELD = turbulence(16)
_COUNTS = np.arange(30000)


class Lent:
    """An object that has DLPack's calls and nothing else."""

    def __init__(self, array, **request):
        self._array, self._request = array, request

    def __dlpack__(self, **_):
        return self._array.__dlpack__(**self._request)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def lent_by_pandas(array, kind):
    return getattr(pytest.importorskip("pandas"), kind)(array)


# ------------------------------------------------------------------------------------------ integers

@pytest.mark.parametrize("dtype", [order + kind + size for order in "<>" for kind in "iu" for size in "248"] + ["i1", "u1", "?"])
def test_integers_of_either_order_of_bytes_are_exact_by_default(dtype):
    x = (_COUNTS % 120 if dtype[-1] == "1" else _COUNTS).astype(dtype)
    stream = kompakt.compress(x)
    assert kompakt.inspect(stream).resolved_mode == "lossless"
    assert np.array_equal(kompakt.decompress(stream), x)


@pytest.mark.parametrize("lend", [
    Lent, lambda x: Lent(x, max_version=(1, 0)), memoryview, lambda x: lent_by_pandas(x, "Series"),
    lambda x: lent_by_pandas(x.reshape(100, -1), "DataFrame"), lambda x: lent_by_pandas(x > 3, "Series"),
    lambda x: lent_by_pandas((x > 3).reshape(100, -1), "DataFrame"), lambda x: lent_by_pandas(x.astype(">i4"), "Series")])
def test_objects_that_lend_integers_are_exact_by_default(lend):
    thing = lend(_COUNTS)
    stream = kompakt.compress(thing)
    assert kompakt.inspect(stream).resolved_mode == "lossless"
    assert kompakt.inspect(kompakt.compress(lend(_COUNTS), "pack")).resolved_mode == "lossless"
    if not isinstance(thing, Lent):
        assert np.array_equal(kompakt.decompress(stream), np.asarray(thing))


def test_floats_that_are_lent_have_the_default_bound():
    for lent in (Lent(_FIELD), _FIELD.astype(">f4"), lent_by_pandas(_FIELD.reshape(16, -1), "DataFrame")):
        info = kompakt.inspect(kompakt.compress(lent))
        assert (info.mode, info.bound) == ("r2r", 1e-3)


def test_datasets_of_files_with_big_endian_integers_are_exact(tmp_path):
    x = _COUNTS.astype(">i4").reshape(100, 300)
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["set"] = x
        archive.append("appended", x)
        xarray = pytest.importorskip("xarray")
        archive["of xarray"] = xarray.DataArray(x)
        h5py = pytest.importorskip("h5py")
        with h5py.File(tmp_path / "a.h5", "w") as file:
            archive["of HDF5"] = file.create_dataset("x", data=x)
        zarr = pytest.importorskip("zarr")
        archive["of Zarr"] = zarr.create_array(tmp_path / "a.zarr", data=x)
        netcdf_file = pytest.importorskip("scipy.io").netcdf_file
        with netcdf_file(tmp_path / "a.nc", "w", mmap=False) as file:
            file.createDimension("n", x.size)
            variable = file.createVariable("x", ">i4", ("n",))
            variable[:] = x.ravel()
            archive["of netCDF"] = variable[:]
    with kompakt.open(tmp_path / "a.kpk") as archive:
        assert {name for name in archive if np.array_equal(archive[name].read().ravel(), x.ravel())} == set(archive)


# ------------------------------------------------------------------------------------------ modes

def in_archive(folder, **options):
    with kompakt.Archive(folder / "a.kpk", "w") as archive:
        archive.append("t", _FIELD, **options)


def in_archive_with_a_bound(folder, **options):
    with kompakt.Archive(folder / "a.kpk", "w", bound=1e-4) as archive:
        archive.append("t", _FIELD, **options)


def by_archive(folder, mode):
    with kompakt.Archive(folder / "a.kpk", "w", bound_mode=mode) as archive:
        archive["t"] = _FIELD


def codec(name):
    return lambda _, **options: pytest.importorskip(f"kompakt.{name}").Kompakt(**options)


def accessor(writer, **more):
    def write(folder, **options):
        pytest.importorskip("kompakt.xarray")
        dataset = pytest.importorskip("xarray").Dataset({"t": (("x", "y", "z"), _FIELD)})
        getattr(dataset.kompakt, writer)(str(folder / "run"), bounds={"t": {**more, **options}}, **({"mode": "w"} if writer == "to_kpk" else {}))
    return write


FACES = {"compress": lambda _, **options: kompakt.compress(_FIELD, **options),
         "a text": lambda _, **options: kompakt.compress(_FIELD, "pack", **options),
         "max_compressed_bytes": lambda _, **options: kompakt.max_compressed_bytes(_FIELD, **options),
         "choose": lambda _, **options: kompakt.choose(_FIELD, **options),
         "append": in_archive, "append with a bound of another mode": in_archive_with_a_bound, "Archive": by_archive,
         "zarr": codec("zarr"), "numcodecs": codec("numcodecs"), "h5py": codec("h5py"),
         "to_kpk": accessor("to_kpk"), "to_zarr": accessor("to_zarr"), "to_netcdf": accessor("to_netcdf"),
         "to_kpk, a text": accessor("to_kpk", bound="pack")}


@pytest.mark.parametrize("mode", ["psnr", "abs", "pwr"])
@pytest.mark.parametrize("face", FACES)
def test_a_mode_without_a_bound_is_refused(face, mode, tmp_path):
    with pytest.raises(ValueError, match=f"mode='{mode}' is named without a bound; pass one"):
        FACES[face](tmp_path, mode=mode)


@pytest.mark.parametrize("face", [face for face in FACES if face not in ("to_kpk", "to_zarr", "to_netcdf")])
def test_the_default_mode_has_a_default_bound_and_lossless_needs_none(face, tmp_path):
    FACES[face](tmp_path, mode="r2r")
    FACES[face](tmp_path, mode="lossless")


# ------------------------------------------------------------------------------------------ texts

def test_a_text_without_a_bound_leaves_the_default_of_the_type():
    for text in ("pack", "checksum=false", "pipeline=fixedlength,pack"):
        stream = kompakt.compress(_COUNTS, text)
        assert kompakt.inspect(stream).resolved_mode == "lossless" and np.array_equal(kompakt.decompress(stream), _COUNTS)
        info = kompakt.inspect(kompakt.compress(_FIELD, text))
        assert (info.mode, info.bound) == ("r2r", 1e-3)


_TEXT = "r2r:1e-3,pipeline=huffman,predictor=tile,pack,fill=5,range=2,checksum=false,radius=128,limits=0:5"


@pytest.mark.parametrize("options", [
    {"pipeline": "rans"}, {"goal": "ratio"}, {"predictor": "chain"}, {"pack": False}, {"fill_value": 3.0}, {"fill_value": None},
    {"value_range": 3.0}, {"checksum": True}, {"radius": 64}, {"limits": (0, 3)}])
def test_a_keyword_that_contradicts_the_text_is_refused(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name}=.* is named, but the bound .* says .*leave one of them out"):
        kompakt.compress(_FIELD, _TEXT, **options)
    for face in ("numcodecs", "zarr"):
        if options != {"fill_value": None}:  # None is the default there
            with pytest.raises(ValueError, match=f"kompakt codec: {name}=.* is named"):
                codec(face)(None, bound=_TEXT, **options)


def test_a_keyword_that_says_the_same_as_the_text_is_taken():
    same = {"pipeline": "huffman", "predictor": "tile", "pack": True, "fill_value": 5, "value_range": 2.0, "checksum": False,
            "radius": 128, "limits": (0, 5)}
    assert kompakt.compress(_FIELD, _TEXT, **same) == kompakt.compress(_FIELD, _TEXT)


def test_a_goal_in_a_text_counts_in_a_choice():
    assert kompakt.choose(_FIELD, "r2r:1e-3,goal=smallest") == kompakt.choose(_FIELD, 1e-3, goal="smallest")
    with pytest.raises(ValueError, match="goal='speed' is named"):
        kompakt.choose(_FIELD, "r2r:1e-3,goal=ratio", goal="speed")


def test_options_of_a_call_count_more_than_those_of_its_archive_in_either_form(tmp_path):
    with kompakt.Archive(tmp_path / "a.kpk", "w", bound="abs:0.01,pipeline=huffman,pack") as archive:
        archive.append("unpacked", _FIELD, pack=False)
        archive.append("other", _FIELD, bound="r2r:1e-3,pipeline=bitshuffle")
        archive.append("exact", _FIELD, mode="lossless", pipeline="fixedlength")
    with kompakt.open(tmp_path / "a.kpk") as archive:
        infos = {name: archive[name].info for name in archive}
    assert (infos["unpacked"].pack, infos["unpacked"].resolved_bound, infos["unpacked"].pipeline) == (False, 0.01, "huffman")
    assert (infos["other"].mode, infos["other"].pipeline) == ("r2r", "bitshuffle")
    assert infos["exact"].mode == "lossless"
