"""Memory of the caller's for streams and values: what cannot hold them is refused, and never written to."""

import array
import ctypes
import math
import mmap
import subprocess
import sys

import numpy as np
import pytest
from fields import turbulence

import kompakt

_FIELD = turbulence(16)
_ROOM = kompakt.max_compressed_bytes(_FIELD)
_STREAM = kompakt.compress(_FIELD)


@pytest.mark.parametrize("shape", [(1,), (300,), (1000,), (300, 40, 17, 2, 2), (65, 2, 129, 33)])
def test_memory_for_a_stream_is_as_much_as_is_documented(shape):
    def most(dtype, **options):
        return kompakt.max_compressed_bytes(np.broadcast_to(np.zeros((), dtype), shape), **options)

    for dtype in "f4", "f8":
        size = np.dtype(dtype).itemsize * math.prod(shape)
        for named in {"pipeline": "bitshuffle"}, {"pipeline": "rans", "checksum": False}, {"mode": "lossless"}, {"predictor": "tile"}:
            assert size < most(dtype, **named) == most(dtype, **named, pack=True) <= 1.05 * size + 2048
        for chosen in {}, {"predictor": "interpolate"}:
            assert size < most(dtype, **chosen) <= 2 * size + 4096
    assert most("i1", bound=1, mode="abs") <= 8 * math.prod(shape) + 4096


@pytest.mark.parametrize("make", [
    lambda: np.zeros(_ROOM, "f4"), lambda: np.zeros(_ROOM, "?"), lambda: np.zeros(_ROOM, "S1"), lambda: np.ma.zeros(_ROOM, "u1"),
    lambda: array.array("d", bytes(8 * _ROOM)), lambda: memoryview(np.zeros(_ROOM, "f4")), lambda: memoryview(np.zeros(_ROOM, "O")),
    lambda: np.zeros(_ROOM, "O"), lambda: np.zeros(_ROOM, [("a", "u1")])])
def test_memory_of_other_items_than_bytes_is_refused(make):
    with pytest.raises(TypeError, match="^out has .*pass a row of bytes"):
        kompakt.compress(_FIELD, out=make())


@pytest.mark.parametrize("make", [
    lambda: np.zeros((2, _ROOM), "u1"), lambda: np.matrix(np.zeros((1, _ROOM), "u1")), lambda: np.zeros(2 * _ROOM, "u1")[::2],
    lambda: memoryview(bytearray(2 * _ROOM))[::2], lambda: np.zeros((_ROOM, 2), "u1")[:, 0]])
def test_memory_of_other_shapes_than_a_row_is_refused(make):
    with pytest.raises(ValueError, match="^out has the shape"):
        kompakt.compress(_FIELD, out=make())


@pytest.mark.parametrize("make", [lambda: bytes(_ROOM), lambda: memoryview(bytes(_ROOM)), lambda: np.frombuffer(bytes(_ROOM), "u1")])
def test_memory_that_cannot_be_written_is_refused(make):
    with pytest.raises(ValueError, match="out is read-only"):
        kompakt.compress(_FIELD, out=make())


def test_objects_in_the_memory_are_never_overwritten():
    code = ("import numpy as np, kompakt\n"
            "o = np.zeros(40000, 'O')\n"
            "try: kompakt.compress(np.sin(np.linspace(0, 20, 5000, dtype='f4')), out=o)\n"
            "except TypeError: pass\n"
            "del o")
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


@pytest.mark.parametrize("make", [
    lambda: bytearray(_ROOM), lambda: memoryview(bytearray(_ROOM)), lambda: array.array("B", bytes(_ROOM)), lambda: mmap.mmap(-1, _ROOM),
    lambda: (ctypes.c_ubyte * _ROOM)(), lambda: np.zeros(_ROOM, "u1"), lambda: np.zeros(_ROOM, "i1"), lambda: np.zeros((2, _ROOM), "u1")[1]])
def test_rows_of_bytes_hold_a_stream_that_can_be_decompressed(make):
    found = kompakt.compress(_FIELD, out=make())
    assert bytes(found) == _STREAM
    assert np.array_equal(kompakt.decompress(found), kompakt.decompress(_STREAM))


def test_memory_of_the_input_is_refused():
    x = np.zeros(_ROOM, "f4")
    x[:_FIELD.size] = _FIELD.ravel()
    before = x.copy()
    for out in (x.view("u1"), memoryview(x.view("u1")), x.view("u1")[100:]):
        with pytest.raises(ValueError, match="out lies in the memory of what is read"):
            kompakt.compress(x, out=out)
    assert np.array_equal(x, before)
    room = np.zeros(_ROOM + _FIELD.nbytes, "u1")
    stream = kompakt.compress(_FIELD, out=room)
    for call in (lambda: kompakt.decompress(stream, out=room[:_FIELD.nbytes].view("f4").reshape(_FIELD.shape)),
                 lambda: kompakt.decompress_region(stream, np.s_[:1], out=room[:1024].view("f4").reshape(1, 16, 16))):
        with pytest.raises(ValueError, match="out lies in the memory of what is read"):
            call()
    assert np.array_equal(kompakt.decompress(stream), kompakt.decompress(_STREAM))


def test_an_empty_field_is_decompressed_to_an_empty_array():
    for dtype in ("f4", "i8"):
        stream = kompakt.compress(np.empty((0, 3), dtype))
        assert kompakt.decompress(stream, out=np.empty((0, 3), dtype)).shape == (0, 3)
        assert kompakt.decompress_region(stream, np.s_[0:0], out=np.empty((0, 3), dtype)).shape == (0, 3)
