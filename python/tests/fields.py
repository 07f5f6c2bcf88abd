"""Fields that tests compress."""

import numpy as np


def turbulence(extent: int, ndim: int = 3, seed: int = 1) -> np.ndarray:
    """Random phases over a spectrum as of turbulence, k^(-5/3): float32, periodic."""
    rng = np.random.default_rng(seed)
    waves = np.fft.fftfreq(extent, 1 / extent)
    axes = np.meshgrid(*[waves] * (ndim - 1), waves[:extent // 2 + 1], indexing="ij", sparse=True)
    k2 = sum(axis**2 for axis in axes)
    k2.flat[0] = 1
    amplitude = k2 ** (-(5 / 3 + ndim - 1) / 4)
    amplitude.flat[0] = 0
    modes = amplitude * np.exp(2j * np.pi * rng.random(k2.shape))
    field = np.fft.irfftn(modes, s=(extent,) * ndim, axes=range(ndim))
    return (field / field.std()).astype("f4")


def largest_error(original: np.ndarray, restored: np.ndarray) -> float:
    """Of the finite values, in long double."""
    finite = np.isfinite(original)
    assert np.array_equal(original[~finite], restored[~finite], equal_nan=True)
    difference = original[finite].astype(np.longdouble) - restored[finite].astype(np.longdouble)
    return float(np.abs(difference).max(initial=0))
