"""Limits between which values come back that lie there."""

import numpy as np
import pytest
from fields import turbulence

import kompakt

_BOUND = 0.03


def share(dtype="f4"):
    """A field of which much lies at 0 and at 1."""
    field = turbulence(32)
    return np.clip((field - field.mean()) / field.std() * 0.4 + 0.5, 0, 1).astype(dtype)


def is_kept(found, original, lower=0.0, upper=1.0):
    return found.min() >= lower and found.max() <= upper and np.abs(found - original).max() <= _BOUND


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_values_stay_between_limits(dtype):
    field = share(dtype)
    free = kompakt.decompress(kompakt.compress(field, _BOUND, mode="abs"))
    assert free.min() < 0 or free.max() > 1, "the test tests nothing"
    for limits in ((0, 1), [0.0, 1.0], "0:1"):
        stream = kompakt.compress(field, _BOUND, mode="abs", limits=limits)
        assert is_kept(kompakt.decompress(stream), field) and kompakt.inspect(stream).limits == (0, 1)
    stream = kompakt.compress(field, _BOUND, mode="abs", limits=(None, 1))
    assert is_kept(kompakt.decompress(stream), field, -np.inf) and kompakt.inspect(stream).limits == (-np.inf, 1)
    assert kompakt.inspect(kompakt.compress(field, _BOUND)).limits is None
    assert is_kept(kompakt.decompress(kompakt.compress(field, f"abs:{_BOUND},limits=0:1")), field)


@pytest.mark.parametrize("limits, said", [((1, 0), "lies between"), ((0,), "no pair"), (3, "no pair"), (("a", 1), "no pair"),
                                          ((0, True), "no pair"), ("0", "no pair")])
def test_limits_that_mean_nothing_are_named(limits, said):
    with pytest.raises((TypeError, ValueError), match=said):
        kompakt.compress(share(), _BOUND, limits=limits)


def test_codecs_keep_limits_in_their_metadata():
    numcodecs = pytest.importorskip("numcodecs")
    import kompakt.numcodecs

    codec = kompakt.numcodecs.Kompakt(_BOUND, mode="abs", limits=(0, None))
    again = numcodecs.get_codec(codec.get_config())
    assert again == codec and again.limits == "0.0:"
    field = share()
    assert is_kept(again.decode(again.encode(field)).reshape(field.shape), field, upper=np.inf)


def test_the_filter_keeps_limits(tmp_path):
    h5py = pytest.importorskip("h5py")
    import kompakt.h5py

    field = share()
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file.create_dataset("t", data=field, chunks=(8, 32, 32), **kompakt.h5py.Kompakt(_BOUND, "abs", limits=(0, 1)))
    with h5py.File(tmp_path / "f.h5") as file:
        assert is_kept(file["t"][:], field)
