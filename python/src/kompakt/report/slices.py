"""The part of a field that is shown: a plane through it, and a small part of that plane around the largest error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np

from .inputs import Axis, Field
from .measure import Pair
from .refusal import Refusal
from .words import number as value_words
from .words import with_unit

MOST_PIXELS = 720  # along an axis of a picture
CLOSE = 48  # values along an axis of the part that is shown closer
MOST_LOOKED_AT = 1 << 26  # values among which the plane that varies most is looked for
MOST_PLANES = 4096
OTHERS = 5  # planes beside the first one
_THIN = 12


@dataclass(frozen=True)
class Plane:
    """A line or plane of values through a field.

    Attributes
    ----------
    key : tuple
        Indices and slices: ``field[key]`` is the plane, with one or two dimensions.
    axes : tuple of int
        Dimensions of the field that it has, slowest first.
    shape : tuple of int
        How many values there are along them.
    step : tuple of int
        Every how manieth is drawn.
    """

    key: Tuple[Any, ...]
    axes: Tuple[int, ...]
    shape: Tuple[int, ...]
    step: Tuple[int, ...]

    @property
    def drawn_key(self) -> Tuple[Any, ...]:
        """A ``key`` of the values that are drawn alone."""
        steps = dict(zip(self.axes, self.step))
        return tuple(
            slice(part.start, part.stop, steps[i]) if isinstance(part, slice) else part
            for i, part in enumerate(self.key)
        )

    def starts(self) -> Tuple[int, ...]:
        return tuple(self.key[axis].start for axis in self.axes)


def shown_axes(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    """The two fastest dimensions, or the two longest ones if one of these is thin."""
    real = [axis for axis, extent in enumerate(shape) if extent > 1] or [len(shape) - 1]
    fastest = real[-2:]
    if len(real) > 2 and min(shape[axis] for axis in fastest) < _THIN:
        fastest = sorted(sorted(real, key=lambda axis: -shape[axis])[:2])
    return tuple(fastest)


def _plane(
    shape: Tuple[int, ...],
    axes: Tuple[int, ...],
    at: Tuple[int, ...],
    box: Tuple[slice, ...],
    pixels: int = MOST_PIXELS,
) -> Plane:
    key = tuple(box[axes.index(i)] if i in axes else at[i] for i in range(len(shape)))
    extents = tuple(part.stop - part.start for part in box)
    most = pixels if len(axes) == 2 else 8 * pixels
    return Plane(key, axes, extents, tuple(-(-extent // most) for extent in extents))


def _middle_or_most_varied(values: np.ndarray, axes: Tuple[int, ...]) -> Tuple[int, ...]:
    """Indices of the plane along some axes that varies most; the middle one of planes that vary alike.

    Of many planes some are looked at.
    """
    hidden = [axis for axis in range(values.ndim) if axis not in axes]
    best, at = 0.0, tuple(extent // 2 for extent in values.shape)
    planes = int(np.prod([values.shape[axis] for axis in hidden], dtype=np.int64))
    stride = max(1, -(-values.size // MOST_LOOKED_AT), planes // MOST_PLANES)
    for number in range(stride // 2, planes, stride):
        indices = np.unravel_index(number, [values.shape[axis] for axis in hidden]) if hidden else ()
        place = dict(zip(hidden, map(int, indices)))
        plane = values[tuple(place.get(axis, slice(None)) for axis in range(values.ndim))]
        finite = plane[np.isfinite(plane)]
        spread = float(np.std(finite, dtype=np.float64)) if finite.size else 0.0
        if spread > 1.0001 * best:
            best, at = spread, tuple(place.get(axis, 0) for axis in range(values.ndim))
    return at


def whole_plane(values: np.ndarray, where: Optional[str] = None) -> Plane:
    """The plane that varies most, or the plane of ``--slice``.

    Parameters
    ----------
    values : numpy.ndarray
        A field, with NaN where it has no value.
    where : str, optional
        One word for each dimension, slowest first: an index, or ``:`` for the one or two that are shown, as ``120,:,:``.
    """
    shape = values.shape
    if where is None:
        axes = shown_axes(shape)
        at = _middle_or_most_varied(values, axes)
    else:
        words = where.split(",")
        if len(words) != len(shape) or not all(re.fullmatch(r":|-?\d+", word) for word in words):
            raise Refusal(
                f"--slice {where}: give an index or ':' for each of {len(shape)} dimensions, slowest first, such as "
                + ",".join(["0"] * max(len(shape) - 2, 0) + [":"] * min(len(shape), 2))
            )
        axes = tuple(i for i, word in enumerate(words) if word == ":")
        at = tuple(0 if word == ":" else int(word) for word in words)
        if not 1 <= len(axes) <= 2:
            raise Refusal(f"--slice {where} has {len(axes)} dimensions; leave one or two of them as ':'")
        for index, extent in zip(at, shape):
            if not -extent <= index < extent:
                raise Refusal(f"--slice {where}: {index} is outside of a dimension of extent {extent}")
        at = tuple(index % extent for index, extent in zip(at, shape))
    return _plane(shape, axes, at, tuple(slice(0, shape[axis]) for axis in axes))


def sliding_axis(shape: Tuple[int, ...], plane: Plane) -> Optional[int]:
    """The longest dimension that a plane lies across; None if there is none."""
    across = [axis for axis, extent in enumerate(shape) if axis not in plane.axes and extent > 1]
    return max(across, key=lambda axis: shape[axis]) if len(plane.axes) == 2 and across else None


def other_planes(shape: Tuple[int, ...], plane: Plane, axis: int) -> List[Plane]:
    """Some planes beside one, over the whole of a dimension, with fewer pixels."""
    indices = {round(place) for place in np.linspace(0, shape[axis] - 1, OTHERS)} - {plane.key[axis]}
    box = tuple(slice(0, shape[shown]) for shown in plane.axes)
    at = tuple(part if isinstance(part, int) else 0 for part in plane.key)
    return [
        _plane(shape, plane.axes, at[:axis] + (index,) + at[axis + 1 :], box, MOST_PIXELS // 2)
        for index in sorted(indices)
    ]


def close_plane(pair: Pair, plane: Plane) -> Optional[Plane]:
    """A part of the plane around its largest error; None if the plane is hardly larger than that."""
    if len(plane.axes) != 2 or min(plane.shape) < 2 * CLOSE // 3 or max(plane.shape) < 2 * CLOSE:
        return None
    errors = np.abs(pair.errors(plane.key))
    errors[~np.isfinite(errors)] = -1.0
    middle = np.unravel_index(int(np.argmax(errors)), errors.shape)
    box = []
    for index, extent in zip(middle, plane.shape):
        size = min(CLOSE, extent)
        begin = min(max(int(index) - size // 2, 0), extent - size)
        box.append(slice(begin, begin + size))
    shape = pair.original.shape
    at = tuple(part if isinstance(part, int) else 0 for part in plane.key)
    return _plane(shape, plane.axes, at, tuple(box))


def axis_of(field: Field, number: int) -> Axis:
    return field.axes[number] if number < len(field.axes) else Axis()


def place_words(field: Field, number: int, index: int) -> str:
    """Words for an index along a dimension, such as ``time = 120 of 0 … 239, 43200 hours``."""
    axis = axis_of(field, number)
    words = f"{axis.name or f'index {number}'} = {index} of 0 \u2026 {field.values.shape[number] - 1}"
    if axis.values is None:
        return words
    value = float(axis.values[index])
    return f"{words}, at {with_unit(value_words(value, 10 if value.is_integer() else 6), axis.units)}"


def described(field: Field, plane: Plane, but: Optional[int] = None) -> str:
    """Words for where a plane lies, along all dimensions but one."""
    return "; ".join(
        place_words(field, number, part)
        for number, part in enumerate(plane.key)
        if isinstance(part, int) and field.values.shape[number] > 1 and number != but
    )
