"""Power spectra of fields over the magnitude of the wavenumber."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

import numpy as np

LARGEST = 1 << 22  # values that are transformed
_BINS = 48
_LEAST_EXTENT = 8


@dataclass(frozen=True)
class Spectrum:
    """Mean power of the modes of about the same wavenumber.

    Attributes
    ----------
    wavenumber : numpy.ndarray
        Cycles per grid step, from long waves to short ones.
    power : numpy.ndarray
        Squared amplitude of a mode, times the number of values: its mean over all modes is the variance.
    part : tuple of slice
        The values that were transformed.
    """

    wavenumber: np.ndarray
    power: np.ndarray
    part: Tuple[slice, ...]


def centre(shape: Tuple[int, ...], largest: int) -> Tuple[slice, ...]:
    """A box around the middle of at most so many values, cut along the longest axes first."""
    extents = list(shape)
    while np.prod(extents, dtype=np.float64) > largest:
        longest = int(np.argmax(extents))
        extents[longest] = (extents[longest] + 1) // 2
    return tuple(slice((n - m) // 2, (n - m) // 2 + m) for n, m in zip(shape, extents))


def _windowed(block: np.ndarray) -> np.ndarray:
    """Fluctuations around the mean, faded out towards the faces; places without values are 0."""
    is_value = np.isfinite(block)
    block = np.where(is_value, block, 0.0)
    mean = block.sum() / max(np.count_nonzero(is_value), 1)
    block = np.where(is_value, block - mean, 0.0)
    for axis, extent in enumerate(block.shape):
        if extent < _LEAST_EXTENT:
            continue
        window = np.sin(np.pi * (np.arange(extent) + 0.5) / extent) ** 2
        window /= np.sqrt(np.mean(window**2))
        block = block * window.reshape([-1 if i == axis else 1 for i in range(block.ndim)])
    return block


def spectrum(values: np.ndarray) -> Optional[Spectrum]:
    """The spectrum of the middle of a field; None of one that is too small.

    Places without values count as the mean. A Hann window along each axis keeps its ends from leaking.
    """
    part = centre(values.shape, LARGEST)
    block = np.asarray(values[part], dtype=np.float64)
    if max(block.shape) < _LEAST_EXTENT:
        return None
    power = np.abs(np.fft.rfftn(_windowed(block))) ** 2 / block.size
    frequencies = [np.fft.fftfreq(n) for n in block.shape[:-1]] + [np.fft.rfftfreq(block.shape[-1])]
    squares = sum(
        np.square(f).reshape([-1 if i == axis else 1 for i in range(block.ndim)]) for axis, f in enumerate(frequencies)
    )
    return Spectrum(*_shells(np.sqrt(squares), power, 1.0 / max(block.shape)), part)


def _shells(wavenumber: np.ndarray, power: np.ndarray, least: float) -> Tuple[np.ndarray, np.ndarray]:
    edges = np.geomspace(0.7 * least, 0.5 * 1.0001, _BINS + 1)
    shell = np.digitize(wavenumber.ravel(), edges)
    count = np.bincount(shell, minlength=_BINS + 2)[1:-1]
    total = np.bincount(shell, power.ravel(), minlength=_BINS + 2)[1:-1]
    mean = np.bincount(shell, wavenumber.ravel(), minlength=_BINS + 2)[1:-1]
    some = count > 0
    return mean[some] / count[some], total[some] / count[some]
