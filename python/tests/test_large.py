"""A stream of more than 4 GiB."""

import numpy as np
import pytest

import kompakt

pytestmark = pytest.mark.long

_VALUES = 2**30 + 2**24 + 7


def _bits():
    return np.random.default_rng(7).integers(0, 2**32, _VALUES, np.uint32)


def _free_bytes():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


@pytest.mark.skipif(_free_bytes() < 16e9, reason="needs 16 GB of memory")
def test_stream_of_more_than_4_gib():
    field = _bits().view("f4")
    stream = kompakt.compress(field, mode="lossless")
    del field
    assert len(stream) > 2**32
    assert np.array_equal(kompakt.decompress(stream).view(np.uint32), _bits())
    part = kompakt.decompress_region(stream, np.s_[_VALUES - 5000:])
    assert np.array_equal(part.view(np.uint32), _bits()[-5000:])
