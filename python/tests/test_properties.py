"""What holds for every array: the bound, regions, damage and the size of streams, on arrays that Hypothesis makes."""

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from fields import largest_error, turbulence
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import kompakt

FLOATS = st.sampled_from(["f4", "f8"])
PIPELINES = ["fixedlength", "bitshuffle", "huffman", "rans"]
STREAM = bytes(kompakt.compress(turbulence(20)[:, :17, :13], 1e-3, mode="abs", pipeline="bitshuffle"))
WHOLE = kompakt.decompress(STREAM)


def arrays_of_floats():
    shapes = hnp.array_shapes(min_dims=1, max_dims=4, max_side=20)
    return FLOATS.flatmap(lambda dtype: hnp.arrays(dtype, shapes))


@settings(max_examples=60, deadline=None)
@given(arrays_of_floats(), st.sampled_from(PIPELINES), st.sampled_from([1e-1, 1e-3, 1e-6]))
def test_any_array_comes_back_within_the_bound(x, pipeline, bound):
    y = kompakt.decompress(kompakt.compress(x, bound, mode="abs", pipeline=pipeline))
    assert y.dtype == x.dtype and y.shape == x.shape
    assert largest_error(x, y) <= bound


@settings(max_examples=30, deadline=None)
@given(arrays_of_floats(), st.sampled_from(["lossless"]))
def test_lossless_is_bit_for_bit(x, mode):
    y = kompakt.decompress(kompakt.compress(x, mode=mode, pipeline="fixedlength"))
    assert x.tobytes() == y.tobytes()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_regions_are_parts_of_the_whole(data):
    key = data.draw(hnp.basic_indices(WHOLE.shape, allow_newaxis=False))
    part = kompakt.decompress_region(STREAM, key)
    assert isinstance(part, np.ndarray)  # of one value, too
    assert np.array_equal(part, WHOLE[key])
    assert np.array_equal(kompakt.read_region(lambda at, size: STREAM[at:at + size], len(STREAM), key), WHOLE[key])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(STREAM) - 1), st.integers(1, 255), st.integers(0, len(STREAM) - 1))
def test_damage_is_an_error(at, mask, length):
    damaged = bytearray(STREAM)
    damaged[at] ^= mask
    for buffer in (bytes(damaged), STREAM[:length], STREAM + b"more"):
        with pytest.raises(kompakt.Error) as caught:
            kompakt.decompress(buffer)
        assert caught.value.status in ("bad_magic", "unsupported_version", "corrupt")


@settings(max_examples=25, deadline=None)
@given(hnp.arrays(FLOATS, hnp.array_shapes(min_dims=1, max_dims=3, max_side=20), elements=st.floats(width=32)) |
       st.integers(1, 6000).map(lambda n: np.random.default_rng(n).integers(0, 2**32, n, "u4").view("f4")),
       st.sampled_from(["auto", *PIPELINES]), st.sampled_from([1e-30, 1e-3]))
def test_memory_of_the_size_that_is_said_is_enough(x, pipeline, bound):
    room = np.empty(kompakt.max_compressed_bytes(x, bound, "abs", pipeline), "u1")
    stream = kompakt.compress(x, bound, mode="abs", pipeline=pipeline, out=room)
    assert bytes(stream) == kompakt.compress(x, bound, mode="abs", pipeline=pipeline)
