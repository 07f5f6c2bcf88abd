"""Which variables of a dataset are compressed within which bound."""

from __future__ import annotations

import fnmatch
import warnings
from collections.abc import Mapping
from typing import Any, Dict, Hashable, List, Optional, Tuple, Union

import numpy as np
import xarray

from . import _arguments, _core
from ._declared import declared_options, why_no_limits
from ._messages import shown
from ._roles import described, supporting

#: A bound as a text, such as "abs:0.01" or "lossless", or arguments of `kompakt.compress` by name.
BoundLike = Union[str, Mapping[str, Any]]
Bounds = Mapping[str, BoundLike]

#: The attribute of a variable with its options, as src/programs/files/variable.hpp has it.
OPTIONS_KEY = "kompakt_options"

_PACKED = "its values are packed, by scale_factor and add_offset"


def _checked(bound: BoundLike) -> Dict[str, Any]:
    """Arguments of `kompakt.compress`, checked; the bound as a number."""
    given = dict(bound) if isinstance(bound, Mapping) else {"bound": bound}
    text = given.get("bound")
    if "mode" not in given and not (isinstance(text, str) and _core.names_bound(text)):
        raise TypeError("this does not say what the bound means; pass a text such as \"abs:0.01\" or \"lossless\"")
    options = _arguments.settled(given)
    _core.validate_options(**_arguments.of_module(options))
    return {**options, "bound": options["bound"] or 0.0}


def _options_of(where: str, bound: BoundLike) -> Dict[str, Any]:
    """Arguments as of `_checked`; errors say where the bound stands."""
    try:
        return _checked(bound)
    except (TypeError, ValueError) as refused:
        raise type(refused)(f"{where}={shown(bound)}: {refused}") from None


def _options_by_attribute(name: Hashable, variable: xarray.Variable, other: Mapping[str, Any],
                          is_free: bool) -> Optional[Dict[str, Any]]:
    """Arguments of `kompakt.compress` by the attribute `kompakt_options` of a variable; None without such an attribute.

    Parameters
    ----------
    other : mapping
        Arguments whose bound a text without a bound takes.
    is_free : bool
        Whether a variable may have a bound that does not name it. Otherwise a text without a bound changes nothing.

    Raises
    ------
    ValueError
        For an attribute that cannot be used, with the variable and the text.
    """
    text = variable.attrs.get(OPTIONS_KEY)
    if text is None:
        return None
    try:
        if not isinstance(text, str):
            raise TypeError("it is no text; write one such as \"abs:0.01,pack\"")
        if _core.names_bound(text):
            return _checked(text)
        options = _checked(f"{_arguments.bound_text(other)},{text}")
        return options if is_free else None
    except (TypeError, ValueError) as refused:
        raise ValueError(f"{_attribute_of(name, text)}: {refused}; correct it, or name {shown(str(name))} in bounds") from None


def _attribute_of(name: Hashable, text: Any) -> str:
    return f"{shown(str(name))}: its attribute {OPTIONS_KEY}={shown(text)}"


def _stays_exact(variable: xarray.Variable) -> Optional[str]:
    """Why no bound can be given for a variable, if none can."""
    attributes = described(variable)
    if "scale_factor" in attributes or "add_offset" in attributes:
        return _PACKED
    if variable.dtype.kind not in "fciu" or variable.dtype.itemsize not in _SIZES[variable.dtype.kind]:
        return f"its values are {variable.dtype}"
    stored = variable.encoding.get("dtype")
    if stored not in (None, str) and np.dtype(stored).kind != variable.dtype.kind:
        return f"its values are stored as {np.dtype(stored)}"
    return "it has no values" if variable.size == 0 else None


#: Bytes of the values that may have a bound, by the kind of their type.
_SIZES = {"f": (2, 4, 8), "c": (8, 16), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8)}


def _note_packed(names: List[str], stacklevel: int) -> None:
    """Warn of variables that have no bound although others like them have one."""
    if not names:
        return
    whose = f"{shown(names[0])} stays exact, because its values are" if len(names) == 1 else \
        f"{', '.join(map(shown, names[:20]))} stay exact, because their values are"
    warnings.warn(f"{whose} packed, by scale_factor and add_offset; for a bound take these out of the encoding, or pass "
                  f"bounds={{{names[0]!r}: \"lossless\"}} to say so", stacklevel=stacklevel)


def _note_limits(name: Hashable, variable: xarray.Variable, chosen: Mapping[str, Any], stacklevel: int) -> None:
    """Warn of declared limits that no value of a variable can meet."""
    why = "" if chosen["mode"] == "lossless" or chosen.get("limits") is not None else why_no_limits(variable)
    if why:
        warnings.warn(f"{shown(name)} has no limits: {why}", stacklevel=stacklevel)


def options_of_variables(dataset: xarray.Dataset, bounds: Optional[Bounds], default: BoundLike,
                         stacklevel: int = 4) -> Dict[Hashable, Dict[str, Any]]:
    """Arguments of `kompakt.compress`, with declared fill values, for each variable that has a bound; all others stay exact.

    Parameters
    ----------
    dataset : xarray.Dataset
    bounds : mapping of names or patterns to bounds, optional
        An exact name wins over patterns, the last pattern that fits over the others.
    default : bound
        Of the variables that nothing in `bounds` fits, and that have no attribute `kompakt_options`.
    stacklevel : int
        Of the warning that packed variables stay exact, as `warnings.warn` takes it.

    Raises
    ------
    TypeError, ValueError
        For a bound that cannot be used, a name or pattern that fits no variable, and the name of a variable that has to stay exact.
    """
    _arguments.require_mapping("bounds", bounds, '{"t": "abs:0.01"}; a bound of all variables is default=')
    whole = {str(name): _options_of(f"bounds[{shown(name)}]", bound) for name, bound in (bounds or {}).items()}
    other = _options_of("default", default)
    kept = supporting(dataset)
    options: Dict[Hashable, Dict[str, Any]] = {}
    used: List[str] = []
    packed: List[str] = []
    for name, variable in dataset.variables.items():
        reason = _stays_exact(variable)
        # Integers may be labels or flags: only who names one gives it a bound.
        is_free = reason is None and name not in kept and variable.dtype.kind in "fc"
        fitting = [str(name)] if name in whole else [pattern for pattern in whole if is_free and fnmatch.fnmatchcase(str(name), pattern)]
        used.extend(fitting)
        named = whole[fitting[-1]] if fitting else _options_by_attribute(name, variable, other, is_free)
        if reason == _PACKED and named is None and name not in kept and other["mode"] != "lossless":
            packed.append(str(name))
        chosen = other if named is None and is_free else named
        if chosen is not None and reason is None:
            options[name] = {**declared_options(variable), **chosen}
            _note_limits(name, variable, chosen, stacklevel)
        elif chosen is not None and chosen["mode"] != "lossless":
            where = f"bounds[{shown(name)}]" if fitting else _attribute_of(name, variable.attrs[OPTIONS_KEY])
            raise ValueError(f"{where}: {shown(name)} is only stored without loss, because {reason}; pass \"lossless\", or leave it out")
    _require_all_used(whole, used, dataset, kept)
    _note_packed(packed, stacklevel)
    return options


def _require_all_used(whole: Mapping[str, Any], used: List[str], dataset: xarray.Dataset, kept: Any) -> None:
    for pattern in whole:
        if pattern in used:
            continue
        exact = [str(name) for name in dataset.variables if fnmatch.fnmatchcase(str(name), pattern)]
        if exact:
            raise ValueError(f"bounds[{shown(pattern)}] fits {', '.join(map(shown, exact[:20]))} alone, which stay exact: they are no "
                             "floating-point or complex data, or say where, when or how others are; give a bound by the whole name")
        names = [str(name) for name in dataset.data_vars if name not in kept]
        raise ValueError(f"bounds[{shown(pattern)}] fits no variable; there are {', '.join(map(shown, names[:20]))}")
