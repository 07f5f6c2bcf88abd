"""One bound for fields that are compressed part by part: what is relative to a range goes by the range of the whole field."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Set, Tuple

import numpy as np

from . import _arguments, _arrays, _core
from ._arrays import FillValues
from ._codec import value_range

if TYPE_CHECKING:
    import xarray

# How many fill values the library takes at most beside the ones that it finds.
_MAX_FILLS = _core.max_other_fills
# Integers of this magnitude are no numbers of float64, and have no bound.
_TOO_LARGE = 2**53


def options_for_parts(options: Mapping[str, Any], whole: _core.RangeOfParts, absolute: bool) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` for each part of a field, as the library resolves them.

    Parameters
    ----------
    options : mapping
        Of the whole field, checked.
    whole : RangeOfParts
        What has been measured; nothing where the options give a range.
    absolute : bool
        Whether the bound becomes an absolute one, for formats that keep no range.

    Raises
    ------
    ValueError
        If a few values that nobody declared make the range.
    """
    resolved = _arguments.arguments_of_text(whole.options_for_parts(_arguments.text_of(options), absolute))
    kept = {name: options[name] for name in ("pack", "fill_value") if name in options}
    return {**resolved, **kept}


def parts_of(variable: Any) -> Iterator[Any]:
    """The values of a variable of xarray or of an array: each chunk of dask's on its own, or all of them where it has none."""
    if not hasattr(variable, "dims"):
        yield variable
        return
    cuts = [[0, *itertools.accumulate(extents)] for extents in variable.chunks or ()]
    for box in itertools.product(*(itertools.starmap(slice, itertools.pairwise(cut)) for cut in cuts)):
        if 0 not in (part := variable[box]).shape:
            yield np.atleast_1d(part.values)


def sample_of(variable: xarray.Variable) -> np.ndarray:
    """The values of a variable, or where dask has cut it of the chunk in the middle."""
    middle = tuple(slice(sum(extents[:len(extents) // 2]), sum(extents[:len(extents) // 2 + 1])) for extents in variable.chunks or ())
    return np.atleast_1d(variable[middle].values)


def resolved_for_parts(variable: xarray.Variable, options: Mapping[str, Any], absolute: bool) -> Dict[str, Any]:
    """Options for chunks of a variable, whose bound is the bound of the whole variable; it is read once if the bound goes by its range.

    Parameters
    ----------
    variable, options, absolute
        As in `options_for_parts`. Integers that are too large for a bound, be it a fill value, make the variable lossless.
    """
    if not _core.goes_by_range(_arguments.text_of(options)):
        return dict(options)
    if has_too_large(variable):
        return {"bound": 0.0, "mode": "lossless", **{name: options[name] for name in ("pack", "checksum") if name in options}}
    fills, whole = fills_of_parts(variable, options)
    return options_for_parts({**options, "fill_value": fills}, whole, absolute)


def has_too_large(variable: Any) -> bool:
    """Whether a variable of xarray or an array has integers that no bound is kept for."""
    if variable.dtype.kind not in "iu" or variable.dtype.itemsize < 8:
        return False
    return any(int(part.max()) >= _TOO_LARGE or int(part.min()) <= -_TOO_LARGE for part in parts_of(variable))


def fills_of_parts(variable: Any, options: Mapping[str, Any]) -> Tuple[FillValues, _core.RangeOfParts]:
    """Declared fill values with all that are found in a variable or an array, and its range without them.

    A value that is found in one part counts in none, so that the variable is read once more. The same holds where a value of
    conventions makes the range of a part. Only the conventional values that a part has are added.
    """
    fills: FillValues = options.get("fill_value", "auto")
    dtype = _arrays.number_type(variable.dtype)
    conventions = _numbers_in(_arrays.known_fills(options, fills, dtype), dtype)
    while True:
        whole, found, ends = _measured(variable, fills)
        unknown = (found | (ends & conventions)) - _numbers_in(fills, dtype)
        if not unknown or len(unknown) + len(_numbers_in(fills, dtype)) > _MAX_FILLS:
            return fills, whole
        fills = [*sorted(unknown), *_arrays.fill_list(fills)]


def _numbers_in(fills: FillValues, dtype: np.dtype) -> Set[float]:
    return set(_arrays.fills_in((fill for fill in _arrays.fill_list(fills) if fill is not None and not isinstance(fill, str)), dtype))


def _measured(variable: Any, fills: FillValues) -> Tuple[_core.RangeOfParts, Set[float], Set[float]]:
    """The range of all parts of a variable, the values in it that stand for no value, and the ends of each part."""
    whole = _core.RangeOfParts()
    ends: List[Tuple[float, float]] = []
    for part in parts_of(variable):
        one = whole.add(_arrays.field(part, 0), fills)
        if one["min"] is not None and one["max"] is not None:
            ends.append((one["min"], one["max"]))
    dtype = _arrays.number_type(variable.dtype)
    found = found_in(whole, dtype)
    # A part that holds nothing else does not tell a fill value from a constant field; the ends of all parts do. An end that all parts
    # share is none, unless one of them holds nothing else: where the other values lie is not known.
    if len(ends) > 1:
        shared = set.intersection(*map(set, ends)) - {least for least, most in ends if least == most}
        found |= _numbers_in(value_range(np.ravel(ends).astype(dtype), fills)["fill_value"], dtype) - shared
    return whole, found, {end for pair in ends for end in pair}


def found_in(whole: _core.RangeOfParts, dtype: np.dtype) -> Set[float]:
    """The values, apart from NaN, that stand for no value in parts that have been measured."""
    fills = _arguments.arguments_of_text(whole.options_for_parts("abs:1", False))["fill_value"]
    return _numbers_in(fills, dtype)
