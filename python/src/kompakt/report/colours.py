"""Which values the colours of a picture go from and to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import LogNorm, Normalize

_PERCENTILES = (2.0, 98.0)
_TAILS = 3.0  # times the middle 96 % that a range has when few values make it
_SKEW = 30.0  # the 98 % value over the median of values above zero, from which on a linear scale has one colour for most
_DECADES = 5.0


@dataclass(frozen=True)
class Colours:
    """Ends of the colours.

    Attributes
    ----------
    least, most : float
        Values at the ends.
    extend : str
        At which ends values go beyond, as matplotlib calls it.
    is_log : bool
        Whether the scale is logarithmic.
    """

    least: float
    most: float
    extend: str = "neither"
    is_log: bool = False

    def norm(self) -> Normalize:
        """The scale."""
        return LogNorm(self.least, self.most) if self.is_log else Normalize(self.least, self.most)

    def drawn(self, values: np.ndarray) -> np.ndarray:
        """Values as this scale takes them: a logarithmic one knows no zero, which has the lowest colour."""
        shown = np.ma.masked_invalid(values)
        return np.ma.maximum(shown, 0.99 * self.least) if self.is_log else shown


def _extended(least: float, most: float, values: np.ndarray, is_log: bool = False) -> Colours:
    below, above = bool(values.min() < least), bool(values.max() > most)
    words = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    return Colours(least, most, words[below, above], is_log)


def colours_of(values: np.ndarray) -> Colours:
    """Colours that tell most of some values apart.

    From the smallest to the largest value; from 2 to 98 % of them if a few make the range; logarithmic if
    none is negative and most are small beside the largest.
    """
    finite = np.asarray(values[np.isfinite(values)], dtype=np.float64)
    if finite.size == 0:
        return Colours(0.0, 1.0)
    least, most = float(finite.min()), float(finite.max())
    if least == most:
        pad = abs(least) * 1e-3 or 1.0
        return Colours(least - pad, most + pad)
    positive = finite[finite > 0]
    if least >= 0 and positive.size > 100:
        low, middle, high = (float(v) for v in np.percentile(positive, (_PERCENTILES[0], 50.0, _PERCENTILES[1])))
        if high > _SKEW * middle:
            return _extended(max(low, high / 10**_DECADES), high, finite, is_log=True)
    low, high = (float(v) for v in np.percentile(finite, _PERCENTILES))
    if low < high and most - least > _TAILS * (high - low):
        # An end that no peak makes stays where it is.
        margin = 0.5 * (high - low)
        return _extended(least if low - least < margin else low, most if most - high < margin else high, finite)
    return Colours(least, most)
