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


#: Keys of limits.
_LIMIT_KEYS = ("valid_range", "valid_min", "valid_max")


def _limits_in(values: Any, dtype: np.dtype) -> List[float]:
    """The numbers of an attribute, in a type. For integers floating-point numbers stay as they are, and integers of another type
    count only if the type has them."""
    numbers = [number for number in _numbers(values) if not np.iscomplexobj(number)]
    if is_float(dtype):
        with np.errstate(over="ignore", invalid="ignore"):
            return [float(dtype.type(number)) for number in numbers]
    ends = np.iinfo(dtype)
    fit = all(is_float(np.asarray(number).dtype) or ends.min <= int(number) <= ends.max for number in numbers)
    return list(map(float, numbers)) if fit else []


def _said_limits(variable: xarray.Variable) -> Optional[Tuple[Optional[float], Optional[float]]]:
    """Limits of the values of a variable by its attributes, of integers the outermost integers inside; None without any."""
    if not is_float(variable.dtype) and variable.dtype.kind not in "iu":
        return None
    limits, least, most = (_limits_in(described(variable).get(key), variable.dtype) for key in _LIMIT_KEYS)
    if len(limits) == 2:
        least, most = limits[:1], limits[1:]
    lower, upper = least[0] if len(least) == 1 else None, most[0] if len(most) == 1 else None
    if not is_float(variable.dtype):
        lower, upper = None if lower is None else float(np.ceil(lower)), None if upper is None else float(np.floor(upper))
    return None if lower is None and upper is None else (lower, upper)


def _hold_values(limits: Tuple[Optional[float], Optional[float]], dtype: np.dtype) -> bool:
    """Whether values of a type can lie inside."""
    lower, upper = (-np.inf if limits[0] is None else limits[0]), (np.inf if limits[1] is None else limits[1])
    if is_float(dtype):
        return lower <= upper
    ends = np.iinfo(dtype)
    return max(lower, float(ends.min)) <= min(upper, float(ends.max))


def why_no_limits(variable: xarray.Variable) -> str:
    """Why the limits that a variable declares do not count, if they are floating-point numbers and no integer lies inside; else empty."""
    limits = _said_limits(variable)
    if limits is None or is_float(variable.dtype) or _hold_values(limits, variable.dtype):
        return ""
    said = {key: value for key, value in described(variable).items() if key in _LIMIT_KEYS and _numbers(value)}
    if not any(is_float(np.asarray(value).dtype) for value in said.values()):
        return ""
    return "no integer lies inside " + ", ".join(f"{key} {', '.join(map(str, np.ravel(value)))}" for key, value in said.items())


def declared_options(variable: xarray.Variable) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` that a variable itself says, with the fill values that are found in it."""
    limits = _said_limits(variable)
    fills: FillValues = [*declared_fills(variable), "auto"]
    are_limits = limits is not None and _hold_values(limits, variable.dtype)
    return {"fill_value": fills, **({"limits": limits} if are_limits else {})}


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
        variable.attrs.update(_fills_in_type(variable))
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


def _fills_in_type(variable: xarray.Variable) -> Dict[Hashable, Any]:
    """Attributes with fill values, of floating-point or complex variables in their type: readers compare them with values."""
    dtype = variable.dtype
    if dtype.kind not in "fc":
        return {}
    said = {key: np.asarray(variable.attrs[key]) for key in FILL_KEYS if key in variable.attrs}
    with np.errstate(over="ignore"):
        return {key: numbers.astype(dtype)[()] for key, numbers in said.items() if numbers.dtype.kind == dtype.kind and numbers.dtype != dtype}


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
