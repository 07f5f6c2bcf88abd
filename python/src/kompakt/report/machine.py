"""The machine and the versions that a report was made with."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from typing import List, Tuple

import kompakt
import numpy


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> List[Tuple[str, str]]:
    """Pairs of what and which."""
    commit = kompakt.__git_commit__
    return [
        ("kompakt", f"{kompakt.__version__}, commit {commit}"),
        ("Processor", f"{_processor()}, {_cores()} cores"),
        ("System", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("Python", f"{platform.python_version()}, NumPy {numpy.__version__}"),
        ("Made", datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
    ]
