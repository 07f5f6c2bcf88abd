#!/usr/bin/env python3
"""Fails unless the examples that README.md shows are those that the tests compile and run.

usage: check_readme.py

In README.md an example is a code block right behind a line
    <!-- example: docs/examples/FILE -->
Its text must be what FILE has between its lines "[readme]" and "[/readme]".
"""

import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = {"docs/examples/compress_view.cpp", "docs/examples/cli_round_trip.sh"}
BLOCK = re.compile(r"^<!-- example: (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REGION = re.compile(r"^\S+ \[readme\]\n(.*?)^\S+ \[/readme\]$", re.MULTILINE | re.DOTALL)


def region(name):
    regions = REGION.findall((ROOT / name).read_text(encoding="utf-8"))
    if len(regions) != 1:
        raise ValueError(f"{name} has {len(regions)} regions [readme] … [/readme]; one is needed")
    return regions[0]


def difference(name, shown):
    lines = difflib.unified_diff(region(name).splitlines(), shown.splitlines(), name, "README.md",
                                 lineterm="")
    return "\n".join(lines)


def main():
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    names = sorted(name for name, _ in blocks)
    if names != sorted(EXAMPLES):
        raise ValueError(f"README.md must show {sorted(EXAMPLES)}, each once; it shows {names}")
    different = list(filter(None, (difference(name, shown) for name, shown in blocks)))
    if different:
        raise ValueError("README.md differs from its examples:\n" + "\n".join(different))


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit(__doc__.strip())
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"check_readme: {error}")
