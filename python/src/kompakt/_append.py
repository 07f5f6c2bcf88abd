"""Coordinates that an archive already has when a dataset is added to it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Hashable, List, Set

import xarray

from ._fields import ArchivedField
from ._messages import shown, shown_path


def already_there(path: Any, fields: Mapping[Hashable, ArchivedField], coordinates: Set[Hashable]) -> Set[Hashable]:
    """Find the coordinates that an archive has with the same values, which stay as they are.

    Raises
    ------
    ValueError
        For coordinates that it has with other values, and for dimensions of other lengths, with their names.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.path.exists(path):
        return set()
    place = shown_path(os.fspath(path))
    store = _store(path)
    stored = store.get_variables()
    shared = [name for name in fields if name in coordinates and str(name) in stored]
    others = [name for name in shared if not _have_equal_values(name, fields[name].variable, stored[str(name)])]
    if others:
        names = ", ".join(shown(str(name)) for name in others)
        raise ValueError(f"{place} has {names} with other values than this dataset; name another archive, rename them, or "
                         "select what is on the same grid")
    _require_lengths(fields, store.get_dimensions(), place)
    _note_attributes([shown(str(name)) for name in shared
                      if not _are_described_alike(fields[name].variable, stored[str(name)])],
                     place, "they stay as they are there, with other attributes than in this dataset")
    return {*shared}


def with_stored_attributes(path: Any, dataset: xarray.Dataset) -> xarray.Dataset:
    """A dataset with the attributes that an archive has already, which stay as they are; a warning names each whose value differs."""
    if not isinstance(path, (str, os.PathLike)) or not os.path.exists(path):
        return dataset
    stored = _store(path).get_attrs()
    shared = {key: stored[key] for key in dataset.attrs if key in stored}
    _note_attributes([f"the attribute {shown(str(key))}" for key, value in shared.items()
                      if not _are_equal_attributes({key: value}, {key: dataset.attrs[key]})],
                     shown_path(os.fspath(path)), "it stays as it is there, with another value than in this dataset")
    return dataset.assign_attrs(shared)


def _store(path: Any) -> Any:
    """The root group of an archive, whose values are not yet read."""
    from .xarray import _Store

    return _Store(path, "")


def _require_lengths(fields: Mapping[Hashable, ArchivedField], lengths: Mapping[Hashable, int], place: str) -> None:
    """Refuse dimensions of another length than in the archive: nobody could open such an archive as a dataset."""
    for name, field in fields.items():
        for dim, length in field.variable.sizes.items():
            if lengths.get(dim, length) != length:
                raise ValueError(f"{place} has the dimension {shown(str(dim))} of {lengths[dim]}, but {shown(str(name))} has {length} along it; "
                                 "name another archive, rename the dimension, or select what is on the same grid")


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


# Attributes that say of which times values are; several texts of units say the same.
_OF_TIMES = ("units", "calendar")


def _are_described_alike(one: xarray.Variable, other: xarray.Variable) -> bool:
    """Whether attributes are equal, or say the same times of equal values."""
    return _are_equal_attributes(one.attrs, other.attrs) or _are_equal(one, other) and _are_equal_attributes(_read(one), _read(other))


def _read(variable: xarray.Variable) -> Mapping[Any, Any]:
    """Attributes of a variable, with the times of its values and of two steps in the place of texts that say them."""
    said = {key: variable.attrs[key] for key in _OF_TIMES if key in variable.attrs}
    try:
        steps, values = (_decoded("", xarray.Variable(of.dims, of.values, said)) for of in (xarray.Variable("step", [0, 1]), variable))
    except ValueError:  # units that nobody can decode
        return variable.attrs
    rest = {key: value for key, value in variable.attrs.items() if key not in _OF_TIMES}
    return {**rest, **steps.attrs, ("steps",): steps.values, ("values",): values.values}


def _are_equal_attributes(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    return bool(xarray.Variable((), 0, one).identical(xarray.Variable((), 0, other)))  # type: ignore[no-untyped-call]


def _note_attributes(whose: List[str], place: str, what: str) -> None:
    if whose:
        warnings.warn(f"{', '.join(whose)} in {place}: {what}", stacklevel=4)
