"""Chunks at the edge of an array: Zarr fills them up with values that nobody has written."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from . import _arguments, _core
from ._arrays import fill_list
from ._codec import value_range
from ._parts import fills_of_parts, has_too_large, options_for_parts


def options_of_chunk(values: Any, padding: Any, options: Mapping[str, Any]) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` for a chunk, whose padding does not count in its range.

    They stay as they are for a chunk without padding, where the padding does not make the range wider, and for integers that are too
    large for a bound.

    Parameters
    ----------
    values : array
        All values of the chunk, along one dimension at least.
    padding : number
        What the chunk is filled up with behind its last values along each axis.
    options : mapping
    """
    # Most chunks have none, which their last value tells.
    if values.size == 0 or values[(-1,) * values.ndim] != padding or not _core.goes_by_range(_arguments.text_of(options)):
        return dict(options)
    numbers = (padding.real, padding.imag) if values.dtype.kind == "c" else (padding,)
    known = [fill for fill in fill_list(options["fill_value"]) if not isinstance(fill, str)]
    written = _without_padding(values, padding)
    if written.size in (0, values.size) or all(number in known for number in numbers) or has_too_large(written):
        return dict(options)
    fills, whole = fills_of_parts(written, options)
    ends = value_range(written, fills)
    least, most = ends["min"], ends["max"]
    if least is None or most is None or all(least <= number <= most for number in numbers):
        return dict(options)
    # A range of 0 can only be said so, and the search for a PSNR would count the padding among the values.
    resolved = options_for_parts({**options, "fill_value": fills}, whole, absolute=True)
    return {**resolved, "bound": resolved["bound"] or 0.0}


def _without_padding(values: Any, padding: Any) -> Any:
    """The values up to the last hyperplane across each axis that holds anything but padding."""
    for axis in range(values.ndim):
        before = (slice(None),) * axis
        if not (values[(*before, -1)] == padding).all():
            continue
        others = tuple(other for other in range(values.ndim) if other != axis)
        written = (values != padding).any(axis=others).nonzero()[0]
        if len(written) == 0:
            return values[:0]
        values = values[(*before, slice(int(written[-1]) + 1))]
    return values
