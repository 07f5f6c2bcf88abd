"""What of a field is shown: a plane through it, and a small part of that around the largest error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from .inputs import Axis, Field
from .measure import Pair
from .refusal import Refusal

MOST_PIXELS = 720  # along an axis of a picture
CLOSE = 48  # values along an axis of the part that is shown closer
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
        """As ``key``, of the values that are drawn alone."""
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


def _plane(shape: Tuple[int, ...], axes: Tuple[int, ...], at: Tuple[int, ...], box: Tuple[slice, ...]) -> Plane:
    key = tuple(box[axes.index(i)] if i in axes else at[i] for i in range(len(shape)))
    extents = tuple(part.stop - part.start for part in box)
    most = MOST_PIXELS if len(axes) == 2 else 8 * MOST_PIXELS
    return Plane(key, axes, extents, tuple(-(-extent // most) for extent in extents))


def whole_plane(shape: Tuple[int, ...], where: Optional[str] = None) -> Plane:
    """The plane through the middle, or that of ``--slice``.

    Parameters
    ----------
    where : str, optional
        One word for each dimension, slowest first: an index, or ``:`` for the one or two that are shown, as ``120,:,:``.
    """
    if where is None:
        axes, at = shown_axes(shape), tuple(extent // 2 for extent in shape)
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


def described(field: Field, plane: Plane) -> str:
    """Words for where a plane lies, such as ``time 120 of 0 … 239``."""
    words = []
    for number, part in enumerate(plane.key):
        extent = field.values.shape[number]
        if isinstance(part, int) and extent > 1:
            words.append(f"{axis_of(field, number).name or f'index {number}'} = {part} of 0 \u2026 {extent - 1}")
    return ", ".join(words)
