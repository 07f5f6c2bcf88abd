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

# How many fill values the library takes at most.
_MAX_FILLS = 8


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


def parts_of(variable: xarray.Variable) -> Iterator[np.ndarray]:
    """The values of a variable: each chunk of dask's on its own, or all of them where it has none."""
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

    A fill value that is found in one part counts in none. Where nobody declared it, the variable is read once more.

    Parameters
    ----------
    variable, options, absolute
        As in `options_for_parts`.
    """
    if not _core.goes_by_range(_arguments.text_of(options)):
        return dict(options)
    declared = options.get("fill_value", "auto")
    fills = _arrays.known_fills(options, declared, variable.dtype)
    whole, found = _measured(variable, fills)
    new = found - _numbers_in(declared, variable.dtype)
    while new - _numbers_in(fills, variable.dtype) and len(new) + len(_numbers_in(declared, variable.dtype)) <= _MAX_FILLS:
        fills = _with_found(fills, new)
        whole, found = _measured(variable, fills)
        new |= found - _numbers_in(declared, variable.dtype)
    return options_for_parts({**options, "fill_value": fills if new else declared}, whole, absolute)


def _with_found(fills: FillValues, found: Set[float]) -> FillValues:
    """Fill values behind those that were found, without the last ones if they are too many."""
    numbers = dict.fromkeys([*found, *(fill for fill in _arrays.fill_list(fills) if not isinstance(fill, str))])
    return [*list(numbers)[:_MAX_FILLS], *(fill for fill in _arrays.fill_list(fills) if isinstance(fill, str))]


def _numbers_in(fills: FillValues, dtype: np.dtype) -> Set[float]:
    return {float(dtype.type(fill)) for fill in _arrays.fill_list(fills) if not isinstance(fill, str)}


def _measured(variable: xarray.Variable, fills: FillValues) -> Tuple[_core.RangeOfParts, Set[float]]:
    """The range of all parts of a variable, and the values in it that stand for no value."""
    whole, found = _core.RangeOfParts(), set()
    ends: List[float] = []
    for part in parts_of(variable):
        one = whole.add(_arrays.field(part, 0), fills)
        found.add(one["fill_value"])
        ends.extend(end for end in (one["min"], one["max"]) if end is not None)
    # A part that holds nothing else does not tell a fill value from a constant field; the ends of all parts do.
    if len(ends) > 2:
        found.add(value_range(np.array(ends, variable.dtype), fills)["fill_value"])
    return whole, {fill for fill in found if fill is not None and not math.isnan(fill)}
