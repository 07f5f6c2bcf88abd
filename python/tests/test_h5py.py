"""Arguments for h5py's datasets, and the filter in the package."""

import os
import struct

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

import integrations
from fields import largest_error, turbulence

import kompakt
import kompakt.h5py
from kompakt.h5py import FILTER_ID, Kompakt

_LEAST = (0, 0, 0, 0, 0, 0, 0, 0)  # pipeline, predictor, variant, flags, mode of the fill value, itself, type
_CONVENTIONS = (9.969209968386869e36, 1e20, float(np.float32(1e20)), -9999, -999, -32768)


def doubles(*values):
    return struct.unpack(f"<{2 * len(values)}I", struct.pack(f"<{len(values)}d", *values))


def words_of(mode, value=0.0, *rest):
    rest = rest + _LEAST[len(rest):]
    return (1, mode, *doubles(value), *rest)


def plain_words_of(mode, value, *rest, flags=0, extents=(0, 0, 0)):
    """The words with the values of conventions as further fill values."""
    rest = (*rest, *_LEAST[len(rest):3])
    return (*words_of(mode, value, *rest, flags | len(_CONVENTIONS) << 8), *extents, *doubles(*_CONVENTIONS))


def test_arguments_are_the_words_that_the_filter_documents():
    assert dict(Kompakt(0.01, "abs")) == {"compression": FILTER_ID, "compression_opts": plain_words_of(0, 0.01)}
    assert Kompakt()["compression_opts"] == plain_words_of(1, 1e-3)
    assert Kompakt(1e-2, "pwr", "huffman", predictor="interpolate")["compression_opts"] == plain_words_of(2, 1e-2, 1, 3)
    assert Kompakt(80, "psnr", "fixedlength", variant="plain")["compression_opts"] == plain_words_of(3, 80, 3, 0, 1)
    assert Kompakt(mode="lossless", checksum=False)["compression_opts"] == words_of(4, 0, 0, 0, 0, 2)
    assert Kompakt(mode="lossless", pack=True)["compression_opts"] == words_of(4, 0, 0, 0, 0, 4)
    assert Kompakt(1, "abs", fill_value="auto")["compression_opts"] == plain_words_of(0, 1)
    assert Kompakt(1, "abs", fill_value=None)["compression_opts"] == words_of(0, 1, 0, 0, 0, 0, 3)
    fill = doubles(1e20)
    assert Kompakt(1, "abs", fill_value=1e20)["compression_opts"] == words_of(0, 1, 0, 0, 0, 0, 2, *fill)
    several = Kompakt(1, "abs", fill_value=["auto", 1e20, -9])["compression_opts"]
    assert several == (*words_of(0, 1, 0, 0, 0, 2 << 8), 0, 0, 0, *fill, *doubles(-9))
    assert Kompakt(1, "abs", extents=(4, 5))["compression_opts"] == plain_words_of(0, 1, flags=1, extents=(1, 4, 5))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("fillvalue", [None, -7.5])
def test_values_of_conventions_come_back_even_in_one_place(tmp_path, dtype, fillvalue):
    values = turbulence(32).astype(dtype)
    places = {(1, 2, i): fill for i, fill in enumerate((*_CONVENTIONS, *([fillvalue] if fillvalue else [])))}
    for place, fill in places.items():
        values[place] = fill
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("t", data=values, chunks=(32, 32, 32), fillvalue=fillvalue, **Kompakt(1e-3))
    with h5py.File(tmp_path / "a.h5") as file:
        found = file["t"][...]
    assert all(found[place] == values.dtype.type(fill) for place, fill in places.items())
    rest = np.ones(values.shape, bool)
    rest[1, 2, :len(places)] = False
    assert 0 < largest_error(values[rest], found[rest]) <= 1e-3 * np.ptp(values[rest].astype("f8"))


def test_every_option_makes_a_dataset_within_its_bound(tmp_path):
    values = turbulence(32)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for i, options in enumerate([
                {}, {"pipeline": "huffman"}, {"pipeline": "huffman", "variant": "custom"}, {"pipeline": "bitshuffle", "variant": "fz"},
                {"pipeline": "bitshuffle", "predictor": "interpolate"}, {"pack": True}, {"checksum": False},
                {"fill_value": None}, {"fill_value": "auto"}, {"fill_value": 1e20}, {"extents": (32, 32, 16)}]):
            file.create_dataset(str(i), data=values, chunks=(32, 32, 16), **Kompakt(1e-3, "abs", **options))
    with h5py.File(tmp_path / "a.h5") as file:
        for dataset in file.values():
            assert 0 < dataset.id.get_storage_size() < values.nbytes / 2
            assert largest_error(values, dataset[...]) <= 1e-3, dataset.name


def test_bound_of_the_range_is_that_of_each_chunk(tmp_path):
    values = turbulence(32) * np.repeat([1, 100], 16).astype("f4")[:, None, None]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        restored = file.create_dataset("t", data=values, chunks=(16, 32, 32), **Kompakt(1e-3))[...]
    for half in np.s_[:16], np.s_[16:]:
        assert largest_error(values[half], restored[half]) <= 1e-3 * np.ptp(values[half].astype("f8"))


@pytest.mark.parametrize("arguments, named", [
    ({"bound": -1}, "bound -1"), ({"mode": "rms"}, "'rms'"), ({"pipeline": 3}, "pipeline=3"), ({"pipeline": "auto"}, "pipeline='auto'"),
    ({"fill_value": "array"}, "'array'"), ({"extents": (1, 2, 3, 4)}, "extents=(1, 2, 3, 4)"),
    ({"extents": (0,)}, "extents=(0,)"), ({"extents": (1 << 32,)}, "extents="), ({"bound": "x"}, "bound='x'")])
def test_arguments_that_mean_nothing_are_refused_by_their_value(arguments, named):
    with pytest.raises((ValueError, TypeError)) as caught:
        Kompakt(**arguments)
    assert named in str(caught.value)


def test_values_that_cannot_be_compressed_make_no_dataset(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        with pytest.raises(Exception, match="use the bound mode lossless"):
            file.create_dataset("t", data=np.arange(100), chunks=(10,), **Kompakt(1e-3))
        assert "t" not in file
        file.create_dataset("t", data=np.arange(100), chunks=(10,), **Kompakt(mode="lossless"))
        assert np.array_equal(file["t"][...], np.arange(100))


_READ = """
import sys, h5py, numpy
numpy.save(sys.argv[2], h5py.File(sys.argv[1])["t"][...])
"""


def test_one_process_writes_another_reads_by_the_plugin_alone(tmp_path, monkeypatch):
    values = turbulence(32)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("t", data=values, chunks=(16, 16, 32), **Kompakt(1e-3, "abs"))
    assert os.path.isdir(kompakt.hdf5_plugin_path())
    monkeypatch.setenv("HDF5_PLUGIN_PATH", kompakt.hdf5_plugin_path())
    integrations.run_elsewhere(_READ, tmp_path / "a.h5", tmp_path / "out.npy")
    assert largest_error(values, np.load(tmp_path / "out.npy")) <= 1e-3
    monkeypatch.delenv("HDF5_PLUGIN_PATH")
    integrations.run_elsewhere("import kompakt.h5py" + _READ, tmp_path / "a.h5", tmp_path / "out.npy")
    assert largest_error(values, np.load(tmp_path / "out.npy")) <= 1e-3


def test_registering_again_changes_nothing():
    before = h5py.h5pl.size()
    kompakt.h5py.register()
    assert h5py.h5pl.size() == before
