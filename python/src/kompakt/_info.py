"""Properties of streams and of reconstructions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod
from typing import Any, Dict, Literal, Optional, Tuple, Union

import numpy as np

from ._arrays import dtype_named
from ._words import Mode


@dataclass(frozen=True)
class Info:
    """The contents of the headers of a stream, for all its frames together.

    Attributes
    ----------
    shape : tuple of int
        Extents of the field, in values.
    dtype : numpy.dtype
        Type of its values.
    order : str
        ``"C"`` or ``"F"``: the order in which the values were compressed, and the order of a new array.
    mode, bound
        The bound as it was asked for.
    resolved_mode, resolved_bound
        What every value keeps: ``"abs"`` in the units of the field, ``"pwr"`` times its magnitude, or
        ``"lossless"``.
    pipeline, variant, method, tile_shape : str
        How it was compressed.
    goal : str or None
        For which goal the pipeline was chosen, if it was.
    fill_value : float or None
        The value whose places are masked.
    limits : pair of float, or None
        Between which values lie that lay there before; infinite where there is no limit.
    pack, checksum, constant : bool
        Whether chunks are packed and have checksums; whether all values are the same.
    chunks : int
        Units that can be decompressed alone.
    exceptions : int
        Values that are stored bit for bit.
    axis : int or str
        The index of the array along which values are predicted first of all. Where the next ones are not the next in memory, a text
        such as ``"3:0:1"`` names them too.
    steps : str or None
        The numbers that values are made of, such as "quotients:100"; "none" within a bound.
    is_part, origin, total
        Of a part of a larger field: where it begins in it, and the extents of the whole.
    stream_bytes, format_version, radius, codebook_bytes : int
        Size of the stream, and what else its header says.
    """

    shape: Tuple[int, ...]
    dtype: np.dtype
    order: Literal["C", "F"]
    mode: Mode
    bound: float
    resolved_mode: Mode
    resolved_bound: float
    pipeline: str
    variant: str
    method: str
    tile_shape: str
    goal: Optional[str]
    pack: bool
    fill_value: Optional[float]
    limits: Optional[Tuple[float, float]]
    checksum: bool
    constant: bool
    chunks: int
    exceptions: int
    axis: Union[int, str]
    steps: Optional[str]
    radius: int
    codebook_bytes: int
    is_part: bool
    origin: Tuple[int, ...]
    total: Tuple[int, ...]
    stream_bytes: int
    format_version: int

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the field without compression."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def ratio(self) -> float:
        """Bytes of the field over bytes of the stream."""
        return self.nbytes / self.stream_bytes

    @classmethod
    def _of(cls, found: Dict[str, Any]) -> "Info":
        return cls(**{**found, "dtype": dtype_named(found["dtype"])})


@dataclass(frozen=True)
class Metrics:
    """The differences of a reconstruction y from its original x, with e = y - x in float64.

    Numbers that were not requested are None. Values of the original that are not finite count towards
    ``nonfinite`` and, if they are not the same bit for bit, ``violations`` alone.

    Attributes
    ----------
    values, nonfinite, violations : int
        How many there are, how many are NaN or infinite, and how many break the bound, in exact arithmetic.
    became_missing, lost_fill_values : int
        How many values have become a declared fill value, and how many places of one have lost it. They are violations, and count
        neither in ``values`` nor in any other number.
    first_violation : int
        Position in memory order, or -1.
    max_abs_error, max_rel_error, mean_error, min, max, rmse, nrmse : float
        In the units of the field; ``max_rel_error`` and ``nrmse`` have none. ``min`` and ``max`` are the original's.
    psnr : float
        20 log10((max - min) / rmse), in dB.
    pearson : float
        Correlation of x and y.
    ssim, ssim_windows
        Mean structural similarity over windows of 7 values along each axis, and how many there are.
    autocorrelation : tuple of float
        Of e, at the distances 1 to 10 in memory order.
    histogram, histogram_below, histogram_above
        Counts of e in 21 equal bins from -bound to bound, and outside.
    entropy_original, entropy_reconstructed : float
        In bits per value.
    """

    values: int
    nonfinite: int
    violations: int
    first_violation: int
    max_abs_error: float
    max_rel_error: float
    mean_error: float
    min: float
    max: float
    rmse: float
    nrmse: float
    psnr: float
    pearson: float
    ssim: Optional[float] = None
    ssim_windows: Optional[int] = None
    autocorrelation: Optional[Tuple[float, ...]] = None
    histogram: Optional[Tuple[int, ...]] = None
    histogram_below: Optional[int] = None
    histogram_above: Optional[int] = None
    entropy_original: Optional[float] = None
    entropy_reconstructed: Optional[float] = None
    became_missing: int = 0
    lost_fill_values: int = 0

    def as_dict(self) -> "dict[str, Any]":
        """The numbers that were asked for."""
        pairs = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in pairs if value is not None}
