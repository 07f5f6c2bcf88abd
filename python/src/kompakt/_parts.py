"""One bound for fields that are compressed part by part: what is relative to a range goes by that of the whole field."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from . import _arguments, _core


def options_for_parts(options: Mapping[str, Any], whole: _core.RangeOfParts, absolute: bool) -> Dict[str, Any]:
    """Arguments of `kompakt.compress` for each part of a field, as the library resolves them.

    Parameters
    ----------
    options : mapping
        Of the whole field, checked.
    whole : RangeOfParts
        What has been measured; nothing where the options give a range.
    absolute : bool
        Whether the bound becomes an absolute one, for formats that keep no range.

    Raises
    ------
    ValueError
        If a few values that nobody declared make the range.
    """
    resolved = _arguments.arguments_of_text(whole.options_for_parts(text_of(options), absolute))
    kept = {name: options[name] for name in ("pack", "fill_value") if name in options}
    return {**resolved, **kept}


def text_of(options: Mapping[str, Any]) -> str:
    """The library's text of arguments of `kompakt.compress`."""
    return _core.options_text(**_arguments.of_module(options))
