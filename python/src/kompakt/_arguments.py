"""Arguments of options, whose types are checked by name before the compiled module sees them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any, Callable, Dict, Union, cast

import numpy as np

from . import _core
from ._messages import shown
from ._words import Mode

# Options whose values have a type of Python that the library's table does not tell.
_TEXTS = ("steps",)
_NUMBERS = ("radius", "value_range")
# Keys of the library that take more than the words in its table.
_WITH_OTHER_WORDS = ("bound", "fill", "limits", "steps")

_MODES = _core.option_words("mode")
# Modes whose bound has no default. By r2r a bound is 1e-3 where nobody has said one, and lossless needs none.
_MODES_WITHOUT_DEFAULT = tuple(mode for mode in _MODES if mode not in ("r2r", "lossless"))
_MODES_OF_FIELDS = tuple(mode for mode in _MODES if mode != "lossless" and _core.goes_by_range(f"{mode}:1"))


class _Default(float):
    """A number that nobody has said."""


class _DefaultWord(str):
    """A word that nobody has said."""


DEFAULT_BOUND = _Default(1e-3)
DEFAULT_MODE = cast("Mode", _DefaultWord("r2r"))


def is_number(value: Any) -> bool:
    """Whether this is a number that an option may be; True, False and integers that no float64 holds are not."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, (float, np.floating, np.integer))


def _words_of(key: str) -> str:
    return ", ".join(map(repr, _core.option_words(key)))


@functools.lru_cache(maxsize=128)
def _takes_words(key: str) -> bool:
    """Whether a key takes the words in the library's table, and nothing else."""
    return key not in _WITH_OTHER_WORDS and bool(_core.option_words(key))


@functools.lru_cache(maxsize=128)
def _is_flag(key: str) -> bool:
    """Whether a key takes true and false: a text may have it alone, where anything else is a bound."""
    try:
        return key.isidentifier() and not _core.names_bound(key)
    except ValueError:  # neither a flag nor a whole bound
        return False


def require_bound(bound: Any, mode: Any) -> None:
    """Raise TypeError for a bound that is neither a number nor a text, and for a mode that is no text."""
    if not is_number(bound) and not isinstance(bound, str):
        raise TypeError(f"bound={shown(bound)} is no number; pass one such as 1e-3, or a text such as \"abs:0.01\"")
    if not isinstance(mode, str):
        require_word("mode", mode)


# A goal chooses the pipeline, so that one of both is said.
EXCLUDED_BY = {"pipeline": "goal", "goal": "pipeline"}


def names_bound(bound: Any) -> bool:
    """Whether somebody has said a bound: a number, or a text with one. ValueError for a text with half of one."""
    return _core.names_bound(bound) if isinstance(bound, str) else bound is not None and bound is not DEFAULT_BOUND


def require_bound_of_mode(bound: Any, mode: Any) -> None:
    """Raise ValueError for a mode that has no default, without a bound."""
    if mode in _MODES_WITHOUT_DEFAULT and not names_bound(bound):
        example = 60 if mode == "psnr" else 1e-3
        raise ValueError(f"mode={mode!r} is named without a bound; pass one, such as bound={example}, or leave the mode out for 1e-3 of "
                         "the range")


def require_resolved(mode: Any) -> None:
    """Raise TypeError for a mode that is no text, and ValueError for one whose bound depends on the field."""
    require_word("mode", mode)
    if mode in _MODES_OF_FIELDS:
        raise ValueError(f"mode={mode!r} depends on the field; pass the Info of a stream, or a bound of another mode")


def require_mapping(name: str, value: Any, example: str) -> None:
    """Raise TypeError for an argument that is neither None nor a mapping."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"{name}={shown(value)} is no mapping; pass one such as {example}")


def require_number(name: str, value: Any) -> None:
    """Raise TypeError, naming the argument, for what is no number."""
    if not is_number(value):
        raise TypeError(f"{name}={shown(value)} is no number; pass a number")


def require_axis(axis: Any) -> None:
    """Raise TypeError for an axis that is neither a number nor a text."""
    if not is_number(axis) and not isinstance(axis, str):
        raise TypeError(f"axis={shown(axis)} is no number; pass one, or a text such as \"3:0:1\"")


def require_word(name: str, value: Any) -> None:
    """Raise TypeError, naming the argument, for what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}={shown(value)} is no text; use one of {_words_of(name)}")


def require_fill(fill_value: Any) -> None:
    """Raise TypeError for what is neither a number, a word, None, nor a sequence of numbers and words."""
    if fill_value is None:
        return
    for item in fill_value if isinstance(fill_value, (list, tuple)) else (fill_value,):
        if not is_number(item) and not isinstance(item, str):
            raise TypeError(f"fill_value={shown(fill_value)}: {shown(item)} is no number; pass numbers, \"auto\", or None alone")


def limits_text(limits: Any) -> str:
    """The text of limits as the library reads it, from a text or a pair of numbers; each number may be None.

    Raises TypeError for anything else.
    """
    if isinstance(limits, str):
        return limits
    is_pair = isinstance(limits, (list, tuple)) and len(limits) == 2
    if not is_pair or not all(end is None or is_number(end) for end in limits):
        raise TypeError(f"limits={shown(limits)} is no pair of numbers; pass one such as (0, 100) or (0, None)")
    return ":".join("" if end is None else repr(float(end)) for end in limits)


def require_options(options: Mapping[str, Any]) -> None:
    """Raise TypeError for the first argument of `kompakt.compress` that has a wrong type; None is for those that may be left out."""
    for name, value in options.items():
        if name == "fill_value":
            require_fill(value)
        elif value is None:
            continue
        elif name in _NUMBERS:
            require_number(name, value)
        elif name == "axis":
            require_axis(value)
        elif name == "limits":
            limits_text(value)
        elif name in _TEXTS and type(value) is not str:
            raise TypeError(f"{name}={shown(value)} is no text")
        elif _takes_words(name):
            require_word(name, value)
        elif not isinstance(value, (bool, np.bool_)) and _is_flag(name):
            raise TypeError(f"{name}={shown(value)} is neither True nor False")


def plain(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Options with Python's own numbers and flags instead of NumPy's, which the module does not know."""
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}


def require_all(bound: Any, mode: Any, pipeline: Any, predictor: Any, pack: Any, fill_value: Any, options: Mapping[str, Any]) -> None:
    """Raise for the first argument of `kompakt.compress` that has a wrong type, or that contradicts the text of the bound.

    Raises
    ------
    TypeError, ValueError
    """
    if type(bound) is not float or mode is not DEFAULT_MODE and type(mode) is not str:
        require_bound(bound, mode)
        require_bound_of_mode(bound, mode)
    # Most calls say no more than these, and small arrays take no longer than looking at each.
    says_more = predictor is not None or pack is not None or type(fill_value) is not str or options
    if says_more or type(pipeline) is not str or type(bound) is str:
        named = {"pipeline": pipeline, "predictor": predictor, "pack": pack, "fill_value": fill_value, **options}
        require_options(named)
        if isinstance(bound, str):
            require_agreement(bound, {**named, "mode": mode})


def words_of_text(text: str) -> Dict[str, str]:
    """The words of a text of options, by the names that Python has; a bound without a key is called so."""
    words: Dict[str, str] = {}
    for item in text.split(","):
        key, equals, word = item.partition("=")
        if equals:
            words[_NAMES.get(key, key)] = word
        elif _is_flag(item):
            words[item] = "true"
        else:
            words["bound"] = item
    return words


def options_of_text(text: str) -> Dict[str, Any]:
    """The arguments of `kompakt.compress` that a text of options names, and no others.

    Raises
    ------
    ValueError
        For a text that says what no option is.
    """
    said = _meaning({"bound": text})
    names = [name for name in words_of_text(text) if name not in ("bound", "mode")]
    bound = {"bound": said["bound"] or 0.0, "mode": said["mode"]} if names_bound(text) else {}
    return {**bound, **{name: said[name] if name in said else _default_of(name) for name in names}}


def _default_of(name: str) -> Any:
    """The default of an option that a text says, which the library therefore does not write; None also leaves the default."""
    if _is_flag(name):
        return name not in _meaning({name: True})
    is_automatic = _takes_words(name) and "auto" in _core.option_words(name)
    return "auto" if is_automatic else 0.0 if name == "value_range" else None


def require_agreement(text: str, options: Mapping[str, Any]) -> None:
    """Raise ValueError if an argument says something else than the text of the bound. An argument with its default says nothing."""
    said = words_of_text(text)
    _require_mode_of_text(text, options.get("mode", DEFAULT_MODE))
    for name, value in options.items():
        if name in ("bound", "mode"):
            continue
        is_default = value == "auto" if isinstance(value, str) else value is None and name != "fill_value"
        if is_default and (value is None or name in ("pipeline", "fill_value")):
            continue
        other = EXCLUDED_BY.get(name, name)
        chooses_itself = other != name and said.get(other, "auto") != "auto"
        if chooses_itself or name in said and _meaning({"bound": text}).get(name) != _meaning({name: value}).get(name):
            key = other if chooses_itself else name
            raise ValueError(f"{name}={shown(value)} is named, but the bound {shown(text)} says {key}={shown(said[key])}; leave one of "
                             "them out")


def _require_mode_of_text(text: str, mode: str) -> None:
    """Raise ValueError if somebody has said another mode than the text of a bound."""
    if mode is DEFAULT_MODE or not names_bound(text):
        return
    own = _meaning({"bound": text})["mode"]
    if mode != own:
        raise ValueError(f"mode={shown(mode)} is named, but the bound {shown(text)} is of mode {own!r}; leave one of them out")


def _meaning(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Arguments by name as the library writes them, without its defaults."""
    return arguments_of_text(text_of({"bound": 1.0, "mode": "r2r", **options}))


def of_module(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Arguments of the module's functions, for arguments of `kompakt.compress` by name."""
    options = plain(options)
    bound = options.get("bound")
    named = {name: options.get(name) for name in ("pipeline", "predictor", "pack")}
    named.update(bound=0.0 if bound is None else bound, mode=options.get("mode", "r2r"), fill_value=options.get("fill_value", "auto"))
    return {**named, "more": {name: value for name, value in options.items() if name not in named}}


def text_of(options: Mapping[str, Any]) -> str:
    """The library's text of arguments of `kompakt.compress` by name."""
    return _core.options_text(**of_module(options))


def chooses(options: Mapping[str, Any]) -> bool:
    """Whether arguments of `kompakt.compress` by name have a pipeline chosen by the values."""
    return _core.chooses(**of_module(options))


def bound_text(options: Mapping[str, Any]) -> str:
    """The beginning of that text, which says the bound."""
    return text_of(options).partition(",")[0]


def settled_axis(axis: Union[int, str]) -> Union[int, str]:
    """The axis as results have it: a number, or a text where it names further indices.

    Raises
    ------
    ValueError
        For a text that names no indices, and an index that is named twice.
    """
    found: Union[int, str] = _meaning({"axis": axis}).get("axis", -1)
    return found


def arguments_of_text(text: str) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` by name, for a text as the module writes it."""
    bound, *items = text.split(",")
    mode, _, number = bound.rpartition(":")
    options: Dict[str, Any] = {"bound": float(number) if mode else None, "mode": mode or number}
    for item in items:
        key, _, word = item.partition("=")
        name = _NAMES.get(key, key)
        options[name] = word != "false" if _is_flag(name) else _READERS.get(name, str)(word)
    return options


def _axis_of(word: str) -> Union[int, str]:
    return word if ":" in word else int(word)


def _fill_of(word: str) -> Any:
    fills = tuple(part if part == "auto" else float(part) for part in word.split("/")) if word != "none" else (None,)
    return fills[0] if len(fills) == 1 else fills


# Keys of texts that have other names here, and what becomes of words that are no texts.
_NAMES = {"fill": "fill_value", "range": "value_range"}
_READERS: Dict[str, Callable[[str], Any]] = {"fill_value": _fill_of, "value_range": float, "radius": int, "axis": _axis_of}


def settled(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` by name with their types checked; what a text as the bound says has a name of its own.

    The bound is a number, or None without loss.

    Raises
    ------
    TypeError, ValueError
        For a wrong type, and a text that says what no option is.
    """
    mode = options.get("mode", DEFAULT_MODE)
    require_word("mode", mode)
    require_options(options)
    options = plain(options)
    bound: Any = options.get("bound")
    require_bound_of_mode(bound, mode)
    if isinstance(bound, str):
        require_agreement(bound, options)
        said = arguments_of_text(text_of(options))
        if said["fill_value"] == "auto":
            del said["fill_value"]
        return {**options, **said}
    if mode == "lossless":
        return {**options, "bound": None, "mode": mode}
    require_bound(bound, mode)
    return {**options, "bound": float(bound), "mode": str(mode)}
