"""Which variables of a dataset say where, when or how other ones are: an error in one of them is an error of all data."""

from __future__ import annotations

from typing import Any, Dict, Hashable, List, Optional, Set, Tuple

import xarray

from . import _core


def described(variable: xarray.Variable) -> Dict[Hashable, Any]:
    """The attributes of a variable as a file has them: decoding moves some into the encoding."""
    return {**variable.encoding, **variable.attrs}


def _bytes(name: Hashable) -> bytes:
    return str(name).encode("utf-8", "surrogatepass")


def _attributes(variable: xarray.Variable) -> List[Tuple[bytes, Optional[bytes]]]:
    return [(_bytes(key), _bytes(value) if isinstance(value, str) else None) for key, value in described(variable).items()]


def supporting(dataset: xarray.Dataset) -> Set[Hashable]:
    """The names of coordinates, single values, and all that attributes of CF and UGRID say to describe other variables.

    The attribute `coordinates` of the dataset itself counts, too: xarray keeps it if it does not decode coordinates.
    """
    variables = [(_bytes(name), list(map(_bytes, variable.dims)), _attributes(variable))
                 for name, variable in dataset.variables.items()]
    stated = {**dataset.encoding, **dataset.attrs}.get("coordinates")
    marks = zip(dataset.variables, _core.supporting(variables, _bytes(stated if isinstance(stated, str) else "")))
    return {*dataset.coords, *(name for name, is_supporting in marks if is_supporting)}


def is_supporting(array: xarray.DataArray) -> bool:
    """Whether an array is one of these in the dataset that it comes from."""
    if array.name in array.coords:
        return True
    name = "array" if array.name is None else array.name
    beside = {key: coordinate.variable for key, coordinate in array.coords.items() if key != name}
    return name in supporting(xarray.Dataset({name: array.variable, **beside}))
