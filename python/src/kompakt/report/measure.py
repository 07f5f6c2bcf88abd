"""Measurements of a reconstruction: the metrics of the library, and the spectra."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Optional, Sequence, Tuple, Union, get_args

import kompakt
import numpy as np
from kompakt._words import Group, Mode

from .inputs import Field, are_fills
from .refusal import Refusal
from .spectra import Spectrum, spectrum

Spectra = Tuple[Spectrum, Spectrum, Spectrum]  # of the original, the reconstruction and the error
_EXACT = 2**53  # smaller integers are numbers of float64
GROUPS: Tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True)
class Bound:
    """The bound that the errors are compared with.

    Attributes
    ----------
    mode : str
        ``"abs"``, ``"pwr"`` or ``"lossless"``; ``"none"`` if no bound is known.
    value : float
        In the units of the field, or of ``pwr`` a share of each value; without a bound the largest error.
    asked : str
        As it was asked for, such as ``r2r 0.001``.
    """

    mode: Union[Mode, Literal["none"]]
    value: float
    asked: str = ""


@dataclass(frozen=True)
class Pair:
    """A field and its reconstruction, of the same extents.

    Attributes
    ----------
    original, reconstruction : numpy.ndarray
        As they are shown and measured: places of fill values are NaN in both.
    masked : int
        How many of these there are, with NaN that both have anyway.
    nans : int
        How many of them are NaN anyway.
    """

    original: np.ndarray
    reconstruction: np.ndarray
    masked: int = 0
    nans: int = 0

    def errors(self, key: Any = ...) -> np.ndarray:
        """reconstruction - original, in float64."""
        with np.errstate(invalid="ignore"):
            return np.subtract(self.reconstruction[key], self.original[key], dtype=np.float64)


@dataclass(frozen=True)
class Measured:
    """All numbers of one reconstruction."""

    pair: Pair
    bound: Bound
    metrics: kompakt.Metrics
    stream_bytes: Optional[int]
    spectra: Optional[Spectra]

    @property
    def ratio(self) -> Optional[float]:
        """Bytes of the field over bytes of the stream; None without a stream."""
        return self.pair.original.nbytes / self.stream_bytes if self.stream_bytes else None

    @property
    def bits_per_value(self) -> Optional[float]:
        return 8 * self.stream_bytes / self.pair.original.size if self.stream_bytes else None


def pair_of(original: Field, reconstruction: np.ndarray) -> Pair:
    """The two with fill values hidden.

    Raises
    ------
    Refusal
        If types or extents differ.
    """
    x, y = original.values, reconstruction
    if x.shape != y.shape or x.dtype != y.dtype:
        raise Refusal(
            f"'{original.label}' has {x.shape} values of {x.dtype}, and its reconstruction {y.shape} of "
            f"{y.dtype}; they must agree",
            "type_mismatch",
        )
    if x.dtype.kind != "f":
        return Pair(x, y)
    nans = np.isnan(x) & np.isnan(y)
    hidden = nans | ((x == y) & are_fills(x, original))
    count = int(np.count_nonzero(hidden))
    if count == 0:
        return Pair(x, y)
    # The same bits in both, so that they count as places without values and break no bound.
    x, y = x.copy(), y.copy()
    x[hidden] = y[hidden] = np.nan
    return Pair(x, y, count, int(np.count_nonzero(nans)))


def bound_of_info(info: kompakt.Info) -> Bound:
    """The bound that a stream has promised."""
    asked = info.mode if info.mode == "lossless" else f"{info.mode} {info.bound:g}"
    return Bound(info.resolved_mode, info.resolved_bound, asked)


def bound_of_words(mode: Mode, value: float, pair: Pair) -> Bound:
    """The bound of ``-m`` and ``-e``, for a reconstruction without a stream."""
    asked = f"{mode} {value:g}"
    if mode == "r2r":
        finite = pair.original[np.isfinite(pair.original)]
        return Bound("abs", value * (float(finite.max()) - float(finite.min())) if finite.size else 0.0, asked)
    return Bound(mode, value, asked)


def largest_error(pair: Pair) -> float:
    errors = np.abs(pair.errors())
    return float(errors[np.isfinite(errors)].max(initial=0.0))


def measure(pair: Pair, bound: Optional[Bound], stream_bytes: Optional[int]) -> Measured:
    """Compares the two.

    Parameters
    ----------
    bound : Bound or None
        None if none is known: then the largest error stands in its place.
    stream_bytes : int or None
        Size of the stream, if there is one.
    """
    bound = bound or Bound("none", largest_error(pair))
    metrics = compare(pair, bound, GROUPS)
    spectra = None
    if bound.mode != "lossless" and pair.original.dtype.kind == "f":
        spectra = spectra_of(pair)
    return Measured(pair, bound, metrics, stream_bytes, spectra)


def compare(pair: Pair, bound: Bound, groups: Sequence[Group] = ()) -> kompakt.Metrics:
    """The library's metrics of a pair."""
    x, y = pair.original, pair.reconstruction
    if bound.mode != "lossless":
        if x.dtype.kind in "iu" and any(v.size and (int(v.max()) >= _EXACT or int(v.min()) <= -_EXACT) for v in (x, y)):
            raise Refusal("integers of 2**53 or more are compared without a bound only; pass -m lossless")
        mode: Mode = "abs" if bound.mode == "none" else bound.mode
        return kompakt.compare(x, y, bound.value, mode=mode, fill_value=None, groups=groups)
    # Of values without loss each bit counts, and metrics are of floating-point numbers.
    bits = f"u{x.itemsize}"
    different = np.count_nonzero(np.ascontiguousarray(x).view(bits) != np.ascontiguousarray(y).view(bits))
    if x.dtype.kind != "f":
        x, y = x.astype(np.float64), y.astype(np.float64)
    return replace(kompakt.compare(x, y, 0.0, fill_value=None, groups=groups), violations=int(different))


def spectra_of(pair: Pair) -> Optional[Spectra]:
    """Spectra of the same part of the field; None if it is too small."""
    original, reconstruction = spectrum(pair.original), spectrum(pair.reconstruction)
    if original is None or reconstruction is None:
        return None
    error = spectrum(pair.errors(original.part))
    return None if error is None else (original, reconstruction, error)
