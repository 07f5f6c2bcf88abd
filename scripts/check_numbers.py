#!/usr/bin/env python3
"""Fails if README.md or docs/comparison.md has a measured number that no table of docs/performance.md has.

usage: check_numbers.py

Tables of docs/performance.md are made of the runs in docs/performance/*.json, which other tests hold them to. A measured
number has a decimal point, or stands before a unit. Code, links, addresses and versions in ALLOWED are left out.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/comparison.md")
SOURCE = "docs/performance.md"
# A table that a script writes from runs, and the one of its own that a page has.
GENERATED = re.compile(r"^<!-- (?:table:|front-picture|ratio-speed).*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
TABLE_LINE = re.compile(r"^\|.*\|$", re.MULTILINE)
LEFT_OUT = re.compile(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)|<[^>]*>|\b\d+(?:\.\d+){2,}(?:\.\w+)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.^-])\d+\.\d+(?![\w.])|(?<![\w.^-])\d+(?= (?:GB/s|%|times|×))")
# Numbers of other kinds, and why they are here.
ALLOWED = {"docs/comparison.md": {"2.12": "a version of ADIOS2"}}


def numbers(text):
    return NUMBER.findall(LEFT_OUT.sub(" ", text))


def measured():
    """All numbers in cells of the tables that scripts write."""
    tables = GENERATED.findall((ROOT / SOURCE).read_text(encoding="utf-8"))
    return {cell for table in tables for line in TABLE_LINE.findall(table) for cell in re.findall(r"\d+(?:\.\d+)?", line)}


def prose_of(page, text):
    """What scripts write into a page is held by tests of its own; the README has no table of runs."""
    return text if page == "README.md" else re.sub(r"^<!-- table:.*?^<!-- end -->$", " ", text, flags=re.M | re.S)


def main():
    known = measured()
    wrong = [f"{page}: {number} is in no table of {SOURCE} that a run has made" for page in PAGES
             for number in numbers(prose_of(page, (ROOT / page).read_text(encoding="utf-8")))
             if number not in known and number not in ALLOWED.get(page, {})]
    return "\n".join(wrong) or 0


if __name__ == "__main__":
    sys.exit(__doc__.strip() if len(sys.argv) != 1 else main())
