"""Values in messages: short, in one line, and of letters that every terminal and file takes."""

from __future__ import annotations

import re
from typing import Any

# Letters of a value; of a path, whose end says most; of what the library quotes.
_MOST, _MOST_OF_PATH = 60, 400
_LONG_QUOTE = re.compile(rf"(?<!\w)'([^']{{{_MOST}}})[^']{{{_MOST_OF_PATH},}}'(?!\w)")
# Of these all would be written out before the text is cut.
_SEQUENCES = (str, bytes, bytearray, list, tuple)


def shown(value: Any, most: int = _MOST) -> str:
    """The `repr` of a value, cut behind so many letters; of an array its type and shape."""
    if hasattr(value, "dtype") and getattr(value, "shape", None):
        return f"an array of {value.dtype} and shape {value.shape}"
    text = repr(value[:most] if isinstance(value, _SEQUENCES) else value)
    line = " ".join(part.strip() for part in text.splitlines())
    return line if len(line) <= most else f"{line[:most - 1]}…"


def shown_path(path: Any) -> str:
    """The name of a file in quotes, whatever bytes it has."""
    return shown(path, _MOST_OF_PATH)


def shortened(message: str) -> str:
    """A message of the library with long quotes cut."""
    return _LONG_QUOTE.sub(r"'\1…'", message)
