"""Captions for the pictures of one field, with its numbers."""

from __future__ import annotations

import math
from typing import Tuple

import numpy as np

from .measure import Measured, Spectra
from .words import count, fixed, number

_EVEN = 1 / math.sqrt(3)  # rms over bound of errors that are spread evenly


def spread(measured: Measured) -> float:
    """Root mean square error over the bound; nan without one."""
    return (
        measured.metrics.rmse / measured.bound.value
        if measured.bound.value > 0 and measured.bound.mode != "pwr"
        else math.nan
    )


def histogram_caption(measured: Measured) -> str:
    """About the shape of the histogram."""
    counts = np.asarray(measured.metrics.histogram, dtype=np.float64)
    total, middle = max(counts.sum(), 1.0), counts[counts.size // 2]
    share, even = middle / total, 1 / counts.size
    text = "Flat: errors are spread evenly between the bounds, as rounding to a grid leaves them."
    if share > 1.3 * even:
        text = (
            f"Peaked: {fixed(100 * share, 0)} % of the values are within 1/{counts.size} of the bound; most are closer "
            "than they had to be."
        )
    elif share < 0.7 * even:
        text = "Hollow: errors keep away from zero, so most of the bound is used."
    if measured.metrics.violations:
        return f"{text} {count(measured.metrics.violations)} values are outside."
    return text + (
        " No bound is known, so the ends are the largest error."
        if measured.bound.mode == "none"
        else " Nothing lies outside."
    )


def chance(measured: Measured) -> float:
    """The correlation that as many independent values seldom exceed."""
    return float(1.96 / np.sqrt(max(measured.metrics.values - measured.metrics.nonfinite, 1)))


def correlation_range(measured: Measured) -> float:
    """The end of the axis of correlations on either side."""
    found = np.asarray(measured.metrics.autocorrelation, dtype=np.float64)
    return max(float(np.nanmax(np.abs(found), initial=0.0)) * 1.25, 2.5 * chance(measured), 0.02)


def autocorrelation_caption(measured: Measured) -> str:
    """About the largest correlation."""
    found = np.asarray(measured.metrics.autocorrelation, dtype=np.float64)
    if not np.any(np.isfinite(found)):
        return "Not defined: all errors are equal."
    lag = int(np.nanargmax(np.abs(found)))
    largest = abs(found[lag])
    where = f"At most {number(largest, 2)} in size, at distance {lag + 1}"
    # Of many values chance gives a band that is thinner than a line.
    grey = " Grey: what chance gives." if chance(measured) > 0.03 * correlation_range(measured) else ""
    if largest < 0.05:
        return f"{where}: the error of a value says nothing about those of its neighbours.{grey}"
    if largest < 0.3:
        return f"{where}: errors of neighbours go together a little.{grey}"
    return f"{where}: errors of neighbours go together, and means over some values keep them.{grey}"


def spectra_caption(spectra: Spectra, shape: Tuple[int, ...]) -> str:
    """About where the error has as much power as a field of this shape."""
    original, _, error = spectra
    above = original.wavenumber[(error.power >= original.power) & (original.power > 0)]
    part = "" if all(p.stop - p.start == n for p, n in zip(original.part, shape)) else " Of the middle of the field."
    if above.size == 0:
        return "The error lies below the field at all wavelengths." + part
    longest = 1 / float(above.min())
    return (
        f"From wavelengths of about {fixed(longest, 0 if longest >= 10 else 1)} grid steps down the error has as much power as the "
        "field: what is finer is lost." + part
    )
