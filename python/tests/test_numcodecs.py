"""The codec of numcodecs, alone and as the compressor of Zarr's version 2."""

import json

import numpy as np
import pytest

numcodecs = pytest.importorskip("numcodecs")
hypothesis = pytest.importorskip("hypothesis")

import integrations
from fields import largest_error, turbulence
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

import kompakt
from kompakt.numcodecs import Kompakt


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_values_come_back_within_the_bound_in_their_order(data):
    values = data.draw(nps.arrays(data.draw(st.sampled_from(["<f4", "<f8", ">f8"])),
                                  data.draw(nps.array_shapes(min_dims=0, max_dims=4, max_side=20)),
                                  elements=st.floats(-1e6, 1e6, width=32)))
    values = np.asarray(values, order=data.draw(st.sampled_from("CF")))
    bound = data.draw(st.sampled_from([1e-6, 1e-2, 3.0]))
    codec = numcodecs.get_codec(json.loads(json.dumps(Kompakt(bound, "abs").get_config())))
    stream = codec.encode(values)
    restored = codec.decode(stream).reshape(values.shape)
    assert largest_error(values, restored) <= bound
    assert restored.flags.f_contiguous == values.flags.f_contiguous
    out = np.empty(values.shape, values.dtype.newbyteorder("="), order="F" if values.flags.f_contiguous else "C")
    assert codec.decode(stream, out) is out
    assert np.array_equal(out, restored)


def test_bytes_need_lossless():
    codec = Kompakt(mode="lossless")
    assert bytes(codec.decode(codec.encode(b"abc" * 100))) == b"abc" * 100
    with pytest.raises(ValueError, match="uint8"):
        Kompakt(1e-3).encode(b"abc")


@pytest.mark.parametrize("config, named", [({"version": 7}, "version=7"), ({"mode": "rms"}, "'rms'"),
                                           ({"quality": 3}, "quality=3"), ({"bound": []}, "bound=")])
def test_configuration_that_is_not_known_is_refused_by_its_value(config, named):
    with pytest.raises((ValueError, TypeError), match="kompakt codec") as caught:
        numcodecs.get_codec({"id": "kompakt", **config})
    assert named in str(caught.value)


def test_output_of_another_size_is_refused():
    stream = Kompakt(1e-3).encode(turbulence(32, 2))
    out = np.zeros((31, 32), "f4")
    with pytest.raises(kompakt.Error, match="4096 bytes.*3968"):
        Kompakt().decode(stream, out)
    assert not out.any()
    read_only = np.zeros((32, 32), "f4")
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        Kompakt().decode(stream, read_only)
    with pytest.raises(kompakt.Error):
        Kompakt().decode(stream[:-1])


def test_codecs_of_equal_options_are_equal():
    assert Kompakt(1e-3) == Kompakt(0.001) != Kompakt(1e-4)
    assert hash(Kompakt(1e-3)) == hash(Kompakt(0.001))
    assert "bound=0.001" in repr(Kompakt(1e-3))


@pytest.mark.parametrize("order", ["C", "F"])
def test_version_2_of_zarr_written_here_is_read_elsewhere(tmp_path, order):
    zarr = pytest.importorskip("zarr")
    values = turbulence(32)[:, :30]
    array = zarr.create_array(tmp_path / "a.zarr", shape=values.shape, chunks=(16, 16, 16), dtype="f4", zarr_format=2,
                              order=order, compressors=Kompakt(1e-3, "abs"))
    array[...] = values
    integrations.run_elsewhere("import sys, zarr, numpy; numpy.save(sys.argv[2], zarr.open_array(sys.argv[1], mode='r')[...])",
                               tmp_path / "a.zarr", tmp_path / "out.npy")
    assert largest_error(values, np.load(tmp_path / "out.npy")) <= 1e-3


def guarded(codec, *kinds):
    """The codec with safeguards around it, which look whether every value is within 1e-3 and store what is not."""
    safeguards = pytest.importorskip("numcodecs_safeguards")
    return safeguards.SafeguardedCodec(codec=codec, safeguards=[
        {"kind": "eb", "type": kind, "eb": 1e-3, "equal_nan": True} for kind in kinds])


@pytest.mark.parametrize("kind, mode", [("abs", "abs"), ("rel", "pwr")])
@pytest.mark.parametrize("pipeline", ["auto", "fixedlength", "bitshuffle", "huffman", "rans"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_safeguards_find_nothing_to_correct(kind, mode, pipeline, dtype):
    values = turbulence(32).astype(dtype) * 1.1
    values[0, 0, :6] = np.nan, np.inf, -np.inf, 0, -0.0, np.finfo(dtype).max if mode == "pwr" else 1e-40
    codec = Kompakt(1e-3, mode, pipeline)
    assert guarded(codec, kind).encode(values) == guarded(codec).encode(values)
    worse = Kompakt(1e-2, mode, pipeline)
    assert len(guarded(worse, kind).encode(values)) > 1.2 * len(guarded(worse).encode(values))  # so they do look
