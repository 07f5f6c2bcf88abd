"""Coordinates that an archive already has when a dataset is added to it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Dict, Hashable, List, Set

import xarray

from ._fields import ArchivedField
from ._messages import shown, shown_path


def already_there(path: Any, fields: Mapping[Hashable, ArchivedField], coordinates: Set[Hashable]) -> Set[Hashable]:
    """Find the coordinates that an archive has with the same values, which stay as they are.

    Raises
    ------
    ValueError
        For coordinates that it has with other values, with their names.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.path.exists(path):
        return set()
    place = shown_path(os.fspath(path))
    stored = _stored(path)
    shared = [name for name in fields if name in coordinates and str(name) in stored]
    others = [name for name in shared if not _have_equal_values(name, fields[name].variable, stored[str(name)])]
    if others:
        names = ", ".join(shown(str(name)) for name in others)
        raise ValueError(f"{place} has {names} with other values than this dataset; name another archive, rename them, or "
                         "select what is on the same grid")
    _note_attributes([str(name) for name in shared if not _have_equal_attributes(fields[name].variable, stored[str(name)])], place)
    return {*shared}


def _stored(path: Any) -> Dict[str, xarray.Variable]:
    """The variables of an archive in its root group, not yet read."""
    from .xarray import _Store

    return _Store(path, "").get_variables()


def _decoded(name: Hashable, variable: xarray.Variable) -> xarray.Variable:
    return xarray.conventions.decode_cf_variable(name, variable, decode_timedelta=False)


def _are_equal(one: xarray.Variable, other: xarray.Variable) -> bool:
    return bool(one.equals(other))  # type: ignore[no-untyped-call]


def _have_equal_values(name: Hashable, one: xarray.Variable, other: xarray.Variable) -> bool:
    """Whether values are equal as they are stored, or as they are read: days and hours can be the same times."""
    try:
        return _are_equal(one, other) or _are_equal(_decoded(name, one), _decoded(name, other))
    except ValueError:  # units that nobody can decode
        return False


def _have_equal_attributes(one: xarray.Variable, other: xarray.Variable) -> bool:
    return bool(xarray.Variable((), 0, one.attrs).identical(xarray.Variable((), 0, other.attrs)))  # type: ignore[no-untyped-call]


def _note_attributes(names: List[str], place: str) -> None:
    if names:
        warnings.warn(f"{', '.join(map(shown, names))} in {place}: they stay as they are there, with other attributes than in this dataset",
                      stacklevel=4)
