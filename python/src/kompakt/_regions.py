"""Keys as NumPy has them, for fields that are read part by part."""

from __future__ import annotations

import operator
from typing import Any, List, NamedTuple, Sequence, Tuple

import numpy as np

from ._messages import shown


class Region(NamedTuple):
    """A box that holds all values of a key, and how to get from its values to the values of the key."""

    begin: Tuple[int, ...]
    end: Tuple[int, ...]
    inner: Tuple[Any, ...]

    def pick(self, box: Any) -> Any:
        """The values of the key, out of the values of the box: an array even for a key that names one value."""
        is_all = all(part == slice(None) for part in self.inner)
        return box if is_all else box[(*self.inner, ...)]


def _whole_keys(key: Any, shape: Sequence[int]) -> List[Any]:
    """One integer or slice for each dimension."""
    keys = list(key) if isinstance(key, tuple) else [key]
    ellipses = [i for i, part in enumerate(keys) if part is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError(f"the key {shown(key)} has more than one Ellipsis")
    given = len(keys) - len(ellipses)
    if given > len(shape):
        raise IndexError(f"the key {shown(key)} has {given} indices, but the field has {len(shape)} dimensions")
    place = ellipses[0] if ellipses else len(keys)
    return keys[:place] + [slice(None)] * (len(shape) - given) + keys[place + len(ellipses):]


def _of_integer(number: int, axis: int, extent: int) -> Tuple[int, int, Any]:
    begin = number + extent if number < 0 else number
    if not 0 <= begin < extent:
        raise IndexError(f"index {number} is out of bounds for dimension {axis} of extent {extent}")
    return begin, begin + 1, 0


def _of_slice(part: slice, extent: int) -> Tuple[int, int, Any]:
    chosen = range(extent)[part]
    if not chosen:
        return 0, 0, slice(None)
    begin, end = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1]) + 1
    if chosen.step == 1:
        return begin, end, slice(None)
    return begin, end, slice(None, None, chosen.step)


def region_of(key: Any, shape: Sequence[int]) -> Region:
    """The region of a key: integers, slices with any steps and an Ellipsis, as from ``numpy.s_[...]``.

    Raises
    ------
    IndexError
        For an index outside of the field, too many indices, or a key that is neither an integer, a slice nor Ellipsis.
    """
    parts = []
    for axis, (part, extent) in enumerate(zip(_whole_keys(key, shape), shape)):
        if isinstance(part, slice):
            parts.append(_of_slice(part, extent))
        elif isinstance(part, (bool, np.bool_)) or not hasattr(part, "__index__") or np.ndim(part) != 0:
            raise IndexError(f"the key has {shown(part)} for dimension {axis}; use integers, slices and Ellipsis")
        else:
            parts.append(_of_integer(operator.index(part), axis, extent))
    begin, end, inner = zip(*parts)
    return Region(begin, end, inner)
