"""Compressing and decompressing arrays: the bound, shapes and orders, regions, archives, and what is refused."""

import threading

import numpy as np
import pytest
from fields import largest_error, turbulence
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import kompakt

FLOATS = st.sampled_from(["f4", "f8"])
PIPELINES = ["fixedlength", "bitshuffle", "huffman"]


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


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_come_back_without_loss(dtype):
    x = np.random.default_rng(1).integers(0, 100, (7, 30, 11)).astype(dtype)
    y = kompakt.decompress(kompakt.compress(x, mode="lossless", pipeline="fixedlength"))
    assert np.array_equal(x, y) and y.dtype == x.dtype


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_any_order_and_strides(order):
    x = turbulence(24)
    x = {"C": x, "F": np.asfortranarray(x), "strided": np.repeat(x, 2, axis=1)[:, ::2], "reversed": x[::-1]}[order]
    assert largest_error(x, kompakt.decompress(kompakt.compress(x, 1e-3, mode="abs", pipeline="bitshuffle"))) <= 1e-3


def test_bytes_do_not_depend_on_threads():
    x = turbulence(32)
    one, two = (kompakt.compress(x, 1e-3, pipeline="huffman", threads=n) for n in (1, 2))
    assert bytes(one) == bytes(two)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_regions_are_parts_of_the_whole(data):
    stream, whole = test_regions_are_parts_of_the_whole.case
    key = data.draw(hnp.basic_indices(whole.shape, allow_newaxis=False))
    assert np.array_equal(kompakt.decompress_region(stream, key), whole[key])
    assert np.array_equal(kompakt.read_region(lambda at, size: stream[at:at + size], len(stream), key), whole[key])


_field = turbulence(20)[:, :17, :13]
_stream = bytes(kompakt.compress(_field, 1e-3, mode="abs", pipeline="bitshuffle"))
test_regions_are_parts_of_the_whole.case = (_stream, kompakt.decompress(_stream))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(_stream) - 1), st.integers(1, 255), st.integers(0, len(_stream)))
def test_damage_is_an_error_or_harmless(at, mask, length):
    damaged = bytearray(_stream)
    damaged[at] ^= mask
    for buffer in (bytes(damaged), _stream[:length]):
        try:
            kompakt.decompress(buffer)
        except kompakt.Error:
            pass


def test_out_is_used():
    x = turbulence(16)
    room, values = bytearray(x.nbytes * 2), np.empty_like(x)
    stream = kompakt.compress(x, 1e-3, mode="abs", pipeline="fixedlength", out=room)
    assert bytes(stream) == bytes(kompakt.compress(x, 1e-3, mode="abs", pipeline="fixedlength"))
    assert kompakt.decompress(stream, out=values) is values
    assert largest_error(x, values) <= 1e-3


def test_many_threads_of_python():
    x, results = turbulence(24), [None] * 8

    def work(i):
        results[i] = bytes(kompakt.compress(x, 1e-3, pipeline="bitshuffle"))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1


def test_archives(tmp_path):
    x, path = turbulence(16), tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as archive:
        archive.append("a", x, {"units": "K"}, bound=1e-3, mode="abs")
    with kompakt.Archive(path, "a") as archive:
        archive["b"] = x
    with kompakt.open(path) as archive:
        assert list(archive) == ["a", "b"] and archive["a"].attrs["units"] == "K"
        assert largest_error(x[3:5, ::2], archive["a"][3:5, ::2]) <= 1e-3
    with pytest.raises(ValueError):
        archive["a"]


def test_compare_finds_what_the_bound_says():
    x = turbulence(16)
    y = kompakt.decompress(kompakt.compress(x, 1e-2, mode="abs", pipeline="bitshuffle"))
    assert kompakt.compare(x, y, 1e-2).max_abs_error <= 1e-2


@pytest.mark.parametrize("array, error", [
    (np.array([object()]), TypeError), (np.zeros(3, "c8"), TypeError), (np.zeros(3, "U4"), TypeError),
    (np.ma.masked_array([1.0, 2.0], [True, False]), TypeError), (object(), TypeError), (3 + 2j, TypeError)])
def test_what_is_no_field_is_refused(array, error):
    with pytest.raises(error):
        kompakt.compress(array, 1e-3)


@pytest.mark.parametrize("options", [
    {"bound": -1.0}, {"bound": float("nan")}, {"mode": "most"}, {"pipeline": "best"}, {"threads": 0}, {"predictor": "oracle"}])
def test_bad_options_name_the_value(options):
    with pytest.raises((ValueError, kompakt.Error), match=str(next(iter(options.values()))).replace("-1.0", "-1")):
        kompakt.compress(turbulence(8), **{"pipeline": "bitshuffle", **options})


def test_bad_outputs_are_refused():
    stream = kompakt.compress(turbulence(8), 1e-3, pipeline="bitshuffle")
    read_only = np.empty((8, 8, 8), "f4")
    read_only.flags.writeable = False
    for out in (read_only, np.empty((8, 8, 7), "f4"), np.empty((8, 8, 8), "f8")):
        with pytest.raises((ValueError, TypeError, kompakt.Error)):
            kompakt.decompress(stream, out=out)
    for junk in (b"", b"no stream at all", np.zeros(2000, "u1")):
        with pytest.raises(kompakt.Error):
            kompakt.decompress(junk)


def test_a_second_openmp_runtime_does_not_disturb():
    pytest.importorskip("sklearn")
    from sklearn.cluster import KMeans

    x = turbulence(24)
    labels = KMeans(3, n_init=1, random_state=0).fit(x.reshape(-1, 1)).labels_
    y = kompakt.decompress(kompakt.compress(x, 1e-3, mode="abs", pipeline="bitshuffle"))
    assert largest_error(x, y) <= 1e-3
    assert np.array_equal(labels, KMeans(3, n_init=1, random_state=0).fit(x.reshape(-1, 1)).labels_)
