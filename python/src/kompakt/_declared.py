"""Fill values and limits that variables of xarray declare, by their attributes or in the encoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, Hashable, List, Optional, Tuple, Union

import numpy as np
import xarray

from ._arrays import FillValues, fills_in, is_float
from ._messages import shown
from ._roles import described

#: Keys of fill values, as attributes and in encodings.
FILL_KEYS = ("_FillValue", "missing_value")


def _numbers(values: Any) -> List[Any]:
    """The numbers of an attribute; none of a text such as "unknown"."""
    values = np.ravel([] if values is None else values)
    return list(values) if is_float(values.dtype) or values.dtype.kind in "biuc" else []


def _number_of_text(text: Any) -> List[float]:
    """The number that xarray reads in a text such as "-99.9"; none of anything else."""
    try:
        return [float(text)] if isinstance(text, str) else []
    except ValueError:
        return []


def declared_fills(variable: xarray.Variable) -> List[float]:
    """Fill values that attributes and encoding of a variable declare, in its type; of a complex one, as parts."""
    dtype = variable.dtype
    if not is_float(dtype) and dtype.kind not in "ciu":
        return []
    values = [described(variable).get(key) for key in FILL_KEYS]
    return fills_in((number for value in values for number in _numbers(value) or _number_of_text(value)), dtype)


def _limits_in(values: Any, dtype: np.dtype) -> List[float]:
    """The numbers of an attribute, in a type."""
    with np.errstate(over="ignore", invalid="ignore"):
        return [float(dtype.type(number)) for number in _numbers(values) if not np.iscomplexobj(number)]


def _limits(variable: xarray.Variable) -> Optional[Tuple[Optional[float], Optional[float]]]:
    """Between which values of a variable lie by its attributes, if they say so."""
    if not is_float(variable.dtype) and variable.dtype.kind not in "iu":
        return None
    limits, least, most = (_limits_in(described(variable).get(key), variable.dtype) for key in ("valid_range", "valid_min", "valid_max"))
    if len(limits) == 2:
        return (limits[0], limits[1]) if limits[0] <= limits[1] else None
    lower, upper = least[0] if len(least) == 1 else None, most[0] if len(most) == 1 else None
    is_none = lower is None and upper is None or (lower is not None and upper is not None and not lower <= upper)
    return None if is_none else (lower, upper)


def declared_options(variable: xarray.Variable) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` that a variable itself says, with the fill values that are found in it."""
    limits = _limits(variable)
    fills: FillValues = [*declared_fills(variable), "auto"]
    return {"fill_value": fills, **({} if limits is None else {"limits": limits})}


def declaring(dataset: xarray.Dataset, encoding: Optional[Mapping[Hashable, Mapping[str, Any]]]) -> xarray.Dataset:
    """A copy of a dataset whose variables declare what a caller's encoding says, so that xarray can encode it.

    xarray reads several fill values of a variable and texts as ``missing_value``, but writes only one number. Others become an
    attribute again, as in the file, and NaN is written as the first number.
    """
    for name in encoding or ():
        if name not in dataset.variables:
            raise ValueError(f"encoding[{shown(name)}] names no variable; there are {', '.join(map(shown, list(dataset.variables)[:20]))}")
    declared = dataset.copy()
    for name, variable in declared.variables.items():
        given = (encoding or {}).get(name, {})
        variable.encoding = {**variable.encoding, **{key: given[key] for key in FILL_KEYS if key in given}}
        missing = variable.encoding.get("missing_value")
        if missing is None or _is_written_by_xarray(missing, variable.encoding.get("_FillValue")):
            continue
        del variable.encoding["missing_value"]
        variable.attrs.setdefault("missing_value", missing)
        if variable.encoding.get("_FillValue") is None and not isinstance(missing, str):
            variable.encoding["_FillValue"] = np.ravel(missing)[0]
    return declared


def _is_written_by_xarray(missing: Any, fill: Any) -> bool:
    if isinstance(missing, str):
        try:
            missing = float(missing)
        except ValueError:
            return False
    if np.size(missing) != 1:
        return False
    both: List[Union[float, Any]] = [np.ravel(value)[0] for value in (missing, missing if fill is None else fill)]
    return bool(np.array_equal(both[:1], both[1:], equal_nan=True))
