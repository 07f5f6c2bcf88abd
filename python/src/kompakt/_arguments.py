"""Arguments of options, whose types are checked by name before the compiled module sees them."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

import numpy as np

from . import _core

# Keys whose words the library's table lists.
_KEYS = ("mode", "pipeline", "goal", "variant", "predictor")
_FLAGS = ("pack", "checksum")
_NUMBERS = ("radius", "value_range")


def is_number(value: Any) -> bool:
    """Whether this is a number that an option may be; True and False are not."""
    return isinstance(value, (float, int, np.floating, np.integer)) and not isinstance(value, bool)


def _words_of(key: str) -> str:
    return ", ".join(map(repr, _core.option_words(key)))


def require_bound(bound: Any, mode: Any) -> None:
    """Raise TypeError for a bound that is neither a number nor a text, and for a mode that is no text."""
    if not is_number(bound) and not isinstance(bound, str):
        raise TypeError(f"bound={bound!r} is no number; pass one such as 1e-3, or a text such as \"abs:0.01\"")
    if not isinstance(mode, str):
        require_word("mode", mode)


def require_number(name: str, value: Any) -> None:
    """Raise TypeError, naming the argument, for what is no number."""
    if not is_number(value):
        raise TypeError(f"{name}={value!r} is no number; pass a number")


def require_word(name: str, value: Any) -> None:
    """Raise TypeError, naming the argument, for what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}={value!r} is no text; use one of {_words_of(name)}")


def require_fill(fill_value: Any) -> None:
    """Raise TypeError for what is neither a number, a word, None, nor a sequence of numbers and words."""
    if fill_value is None:
        return
    for item in fill_value if isinstance(fill_value, (list, tuple)) else (fill_value,):
        if not is_number(item) and not isinstance(item, str):
            raise TypeError(f"fill_value={fill_value!r}: {item!r} is no number; pass numbers, \"auto\", or None alone")


def limits_text(limits: Any) -> str:
    """The text of limits as the library reads it, from a text or a pair of numbers; each number may be None.

    Raises TypeError for anything else.
    """
    if isinstance(limits, str):
        return limits
    is_pair = isinstance(limits, (list, tuple)) and len(limits) == 2
    if not is_pair or not all(end is None or is_number(end) for end in limits):
        raise TypeError(f"limits={limits!r} is no pair of numbers; pass one such as (0, 100) or (0, None)")
    return ":".join("" if end is None else repr(float(end)) for end in limits)


def require_options(options: Mapping[str, Any]) -> None:
    """Raise TypeError for the first argument of `kompakt.compress` that has a wrong type; None is for those that may be left out."""
    for name, value in options.items():
        if name == "fill_value":
            require_fill(value)
        elif value is None:
            continue
        elif name in _KEYS:
            require_word(name, value)
        elif name in _NUMBERS:
            require_number(name, value)
        elif name == "limits":
            limits_text(value)
        elif name in _FLAGS and not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name}={value!r} is neither True nor False")


def require_all(bound: Any, mode: Any, pipeline: Any, predictor: Any, pack: Any, fill_value: Any, options: Mapping[str, Any]) -> None:
    """Raise TypeError for the first argument of `kompakt.compress` that has a wrong type."""
    if type(bound) is not float or type(mode) is not str:
        require_bound(bound, mode)
    # Most calls say no more than these, and small arrays take no longer than looking at each.
    says_more = predictor is not None or pack is not None or type(fill_value) is not str or options
    if says_more or type(pipeline) is not str:
        require_options({"pipeline": pipeline, "predictor": predictor, "pack": pack, "fill_value": fill_value, **options})


def bound_of(bound: Any, mode: Any) -> Tuple[Optional[float], Any]:
    """The number and the mode of a bound that codecs keep; a text such as "abs:0.01" says both.

    Raises
    ------
    TypeError
        For what is no bound, and for a text that says more than one.
    """
    if isinstance(bound, str):
        word, _, number = bound.rpartition(":")
        mode = "lossless" if bound == "lossless" else word or mode
        try:
            bound = None if mode == "lossless" else float(number)
        except ValueError:
            raise TypeError(f"bound={bound!r} is no number; pass one such as 1e-3, or a text such as \"abs:0.01\"") from None
    if not isinstance(mode, str):
        require_word("mode", mode)
    if mode == "lossless":
        return None, mode
    require_bound(bound, mode)
    return float(bound), mode
