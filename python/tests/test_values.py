"""Values of other types than float32, float64 and integers: 16 bits, and complex numbers."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from fields import turbulence

import kompakt

_BOUNDS = [("abs", 0.01), ("r2r", 1e-3), ("pwr", 0.02), ("psnr", 50), ("lossless", 0)]


def bfloat16():
    return pytest.importorskip("ml_dtypes").bfloat16


def halves(kind):
    field = turbulence(24)
    values = ((field - field.mean()) / field.std()).astype(np.float16 if kind == "float16" else bfloat16())
    values.reshape(-1)[[5, 77]] = [np.nan, -np.inf]
    return values


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("mode, bound", _BOUNDS)
def test_numbers_of_16_bits_keep_the_bound_as_they_are_stored(kind, mode, bound):
    values = halves(kind)
    for array in (values, np.asfortranarray(values), values[::2, :, 1::3]):
        stream = kompakt.compress(array, bound or 1e-3, mode=mode)
        info, back = kompakt.inspect(stream), kompakt.decompress(stream)
        assert info.dtype == array.dtype == back.dtype and info.nbytes == array.nbytes
        bits, wide, found = back.view("u2") == array.view("u2"), array.astype("f8"), back.astype("f8")
        if mode == "lossless":
            assert bits.all()
            continue
        finite = np.isfinite(wide)
        assert bits[~finite].all() and np.isfinite(found[finite]).all()
        allowed = info.resolved_bound * (np.abs(wide) if mode == "pwr" else 1)
        assert (np.abs(wide - found) <= allowed)[finite].all()
        out = np.empty_like(array)
        assert kompakt.decompress(stream, out=out) is out and np.array_equal(out.view("u2"), back.view("u2"))
        assert kompakt.compare(array, back, info).violations == 0
        assert kompakt.compare(array, (wide + 2 * info.resolved_bound).astype(array.dtype), info).violations > 0 or mode == "pwr"


def test_a_masked_float16_without_a_fill_value_of_its_own_is_nan_there():
    values = np.ma.masked_less(np.linspace(-1, 1, 4000).astype(np.float16), 0)
    found = kompakt.decompress(kompakt.compress(values, 1e-3))
    assert np.array_equal(np.isnan(found), values.mask)


def waves(dtype):
    field = turbulence(24)
    values = (field * np.exp(1j * np.arange(24) / 5)).astype(dtype)
    values.reshape(-1)[9] = complex(np.nan, np.inf)
    return values


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("mode, bound", _BOUNDS)
def test_complex_numbers_keep_the_bound_of_the_magnitude(dtype, mode, bound):
    values = waves(dtype)
    for array in (values, np.asfortranarray(values), values[::2, :, 1::3]):
        stream = kompakt.compress(array, bound or 1e-3, mode=mode)
        info, back = kompakt.inspect(stream), kompakt.decompress(stream)
        assert info.dtype == array.dtype == back.dtype and info.shape == array.shape
        if mode == "lossless":
            assert back.tobytes() == np.ascontiguousarray(array).tobytes() or info.order == "F"
            assert np.array_equal(back, array, equal_nan=True)
            continue
        assert np.isnan(back.reshape(-1)[9].real) or array is not values
        if mode == "abs":
            for z, w in zip(array.ravel()[::97], back.ravel()[::97], strict=True):
                if np.isfinite(z):
                    parts = [Fraction(float(a)) - Fraction(float(b)) for a, b in ((z.real, w.real), (z.imag, w.imag))]
                    assert sum(part * part for part in parts) <= Fraction(bound) ** 2
        region = kompakt.decompress_region(stream, np.s_[1:5, :, 2])
        assert np.array_equal(region, back[1:5, :, 2], equal_nan=True)
        assert kompakt.compare(array, back, info).violations == 0


def test_values_of_8_dimensions_must_have_one_part():
    assert kompakt.decompress(kompakt.compress(np.ones((2,) * 7, "c8"), 1e-3)).ndim == 7
    with pytest.raises(ValueError, match="ranks 1 to 7"):
        kompakt.compress(np.ones((2,) * 8, "c8"), 1e-3)


def test_archives_have_values_of_every_type(tmp_path):
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["half"], archive["waves"] = halves("float16"), waves("complex64")
    with kompakt.Archive(tmp_path / "a.kpk") as archive:
        assert archive["half"].dtype == "f2" and archive["waves"].dtype == "c8"
        assert np.array_equal(archive["waves"][3:6, 0, :].shape, (3, 24))


def test_the_range_of_four_integers_far_apart_is_their_own():
    array = np.random.default_rng(7).choice(np.array((-32000, -3, 0, 32000), "i4"), (40, 50, 60))
    assert kompakt.inspect(kompakt.compress(array, 1e-3, mode="r2r", pipeline="fixedlength")).resolved_bound == 64


_MEMORY = """
import sys, numpy as np, kompakt
dtype, mode, bound, fill = sys.argv[1:]
array = (100 * np.sin(np.arange(1 << 24, dtype="f4") / 5e4)).astype(dtype)
array[::1000] = 107
options = {"mode": mode, "pipeline": "bitshuffle"}
if fill != "none":
    options["fill_value"] = ["auto", int(fill)]
room = np.empty(array.nbytes // 2, "u1")

def now(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))

kompakt.compress(array[:4096].copy(), float(bound), **options)
room[:] = 1
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = now("VmRSS")
kompakt.compress(array, float(bound), out=room, **options)
print((now("VmHWM") - before) / array.nbytes)
"""


@pytest.mark.parametrize("dtype", ["i1", "u2", "i2", "i4", "i8"])
@pytest.mark.parametrize("mode, bound", [("r2r", "1e-2"), ("psnr", "40"), ("abs", "2")])
@pytest.mark.parametrize("fill", ["none", "107", "-126"])
def test_integers_within_a_bound_take_no_wider_copy_of_the_field(dtype, mode, bound, fill):
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the peak of memory cannot be reset here")
    if dtype == "u2" and fill == "-126":
        pytest.skip("no value of the type")
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}  # each thread has some memory of its own
    done = subprocess.run([sys.executable, "-c", _MEMORY, dtype, mode, bound, fill], capture_output=True, text=True, check=False,
                          env=environment)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.35
