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


def by_compress(values, folder, **options):
    return kompakt.decompress(kompakt.compress(values, **options))


def by_zarr(codec_of):
    def write(values, folder, **options):
        zarr = pytest.importorskip("zarr", minversion="3.1")
        array = zarr.create_array(folder / "a", shape=values.shape, chunks=(8, 32, 32), dtype=values.dtype, **codec_of(options))
        array[...] = values
        return zarr.open_array(folder / "a")[...]
    return write


def serializer(options):
    return {"serializer": pytest.importorskip("kompakt.zarr").Kompakt(**options), "compressors": None}


def compressor(options):
    return {"compressors": pytest.importorskip("kompakt.numcodecs").Kompakt(**options), "zarr_format": 2}


def by_h5py(values, folder, **options):
    h5py = pytest.importorskip("h5py")
    codec = pytest.importorskip("kompakt.h5py").Kompakt(**options)
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("t", data=values, chunks=(8, 32, 32), **codec)
    with h5py.File(folder / "a.h5") as file:
        return file["t"][...]


FACES = {"compress": by_compress, "zarr 3": by_zarr(serializer), "zarr 2": by_zarr(compressor), "h5py": by_h5py}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("face", FACES)
def test_limits_and_what_is_not_finite_are_kept_in_every_face(face, tmp_path):
    """A row of docs/attributes.md: NaN of any bits and infinities beside values that stay between limits."""
    field = share()
    odd = np.array([0x7FC12345, 0xFFC00001, 0x7F800000, 0xFF800000], "u4").view("f4")
    field.reshape(-1)[[3, 77, 4000, 9001]] = odd
    found = FACES[face](field, tmp_path, bound=_BOUND, mode="abs", limits=(0, 1))
    assert found.reshape(-1)[[3, 77, 4000, 9001]].tobytes() == odd.tobytes()
    finite = np.isfinite(field)
    assert is_kept(found[finite], field[finite]) and not np.array_equal(found[finite], field[finite])
