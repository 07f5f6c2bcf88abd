"""Progress, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import Optional, Protocol

_BAR = 20  # letters


class Say(Protocol):
    """Tells what is being done, and of a long step which share is done already."""

    def __call__(self, text: str, share: Optional[float] = None) -> None: ...


def _bar(share: float, elapsed: float) -> str:
    done = round(_BAR * share)
    left = f" {elapsed * (1 - share) / share:.0f} s left" if share > 0 else ""
    return f"[{'=' * done}{' ' * (_BAR - done)}] {100 * share:.0f} %{left}"


def teller(quiet: bool) -> Say:
    """One line that is written over and over; nothing where no terminal is."""
    begin: Optional[float] = None

    def silent(text: str, share: Optional[float] = None) -> None:
        pass

    def line(text: str, share: Optional[float] = None) -> None:
        nonlocal begin
        begin = None if share is None else begin or time.monotonic()
        words = text if share is None or begin is None else f"{_bar(share, time.monotonic() - begin)} {text}"
        told = f"kompakt report: {words}" if text else ""
        print(f"\r\x1b[K{told}", end="", file=sys.stderr, flush=True)

    return silent if quiet or not sys.stderr.isatty() else line
