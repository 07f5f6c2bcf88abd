"""Numbers as people read them, and texts of files as a line, a picture and a page take them."""

from __future__ import annotations

import math
import re
from typing import Optional, Sequence, Tuple

THIN = "\u202f"  # a narrow space that does not break
MINUS = "\u2212"
DASH = "\u2013"
_SUPERSCRIPTS = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NAMES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_LONGEST_LABEL = 44  # letters, of which a picture has room for about as many


def _escape(found: "re.Match[str]") -> str:
    letter = found.group()
    code = ord(letter)
    # Python reads bytes that are not UTF-8 as lone surrogates from U+DC80 on.
    return _NAMES.get(letter) or f"\\x{code - 0xdc00 if code >= 0xdc80 else code:02x}"


def printable(text: str) -> str:
    """A text in one line, as a terminal and a page show it: control characters, and bytes that are not UTF-8, are ``\\x1b``."""
    return _CONTROL.sub(_escape, text)


def superscript(number: object) -> str:
    """``⁻³`` of a whole number."""
    return str(int(str(number))).translate(_SUPERSCRIPTS)


def label_of(text: str, letters: int = _LONGEST_LABEL) -> str:
    """A text for a picture: not too long, and without what matplotlib takes for a formula."""
    short = text if len(text) <= letters else text[: letters - 1] + "\u2026"
    return short.replace("$", r"\$")


def count(number: int) -> str:
    """``435 120``."""
    return f"{number:,}".replace(",", THIN)


def size(number: float) -> str:
    """``1.74 MB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f}{THIN}{unit}" if unit == "bytes" else f"{number:.3g}{THIN}{unit}"


def rate_unit(rates: Sequence[float]) -> Tuple[str, float]:
    """The unit in which all of some rates, in GB/s, are neither 0.00 nor too long, and what to multiply them by."""
    return ("MB/s", 1e3) if min(rates, default=1.0) < 0.1 else ("GB/s", 1.0)


def number(value: Optional[float], digits: int = 4) -> str:
    """``0.04875``, ``1.2 × 10⁻⁷``; a dash for what is not defined."""
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "\u221e" if value > 0 else f"{MINUS}\u221e"
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        power = f"10{superscript(exponent)}"
        text = power if mantissa == "1" else f"{mantissa}{THIN}\u00d7{THIN}{power}"
    elif abs(value) >= 10000:
        text = count(int(float(text)))
    return text.replace("-", MINUS)


def power(value: float) -> str:
    """``10⁻³`` for powers of ten, else as `number`."""
    exponent = round(math.log10(value))
    is_power = math.isclose(value, 10.0**exponent, rel_tol=1e-12)
    return f"10{superscript(exponent)}" if is_power and exponent else number(value)


def fixed(value: Optional[float], digits: int) -> str:
    """With so many digits behind the point."""
    if value is None or not math.isfinite(value):
        return number(value)
    return f"{value:.{digits}f}".replace("-", MINUS)


def shown_unit(unit: str) -> str:
    """A unit as people write it: ``°N`` for ``degrees_north`` and the like."""
    return re.sub("^degrees?_?([ne])(?:orth|ast)?$", lambda found: f"\u00b0{found[1].upper()}", unit, flags=re.IGNORECASE)


def with_unit(text: str, unit: str) -> str:
    return f"{text}{THIN}{unit}" if unit else text
