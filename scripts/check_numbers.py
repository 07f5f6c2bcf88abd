#!/usr/bin/env python3
"""Fails unless each measured number of README.md and docs/comparison.md is the figure of a run that CLAIMS names for it.

usage: check_numbers.py

CLAIMS lists the figures of a page in their order there. They are points of docs/performance/openmp_ratio_speed.json, on one thread
and within 10^-3 of the range. The run has machine, date, commit and the versions of SZ3 and zfp. A measured number has a decimal
point, or stands before a unit. Code, links, addresses and versions are left out, and so are tables that other tests hold to runs.
Between "<!-- kept: FILE -->" and "<!-- end -->" each measured number must be one of docs/performance/FILE, which has figures of
programs that are not ours.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / name) for name in ("ratio_speed", "compare_ratios")]
from points import SMALLEST, smallest_points

RUN = ROOT / "docs/performance/openmp_ratio_speed.json"
BOUND, THREADS = "1e-3", 1
REAL, SMOOTH = "30 real fields", "7 smooth simulations"
RATIO, COMPRESS, DECOMPRESS = "ratio", "compress_gbps", "decompress_gbps"
INTERPOLATED = "bitshuffle, interpolate"
# For each page, in the order of its text: fields, compressor, and one or more figures.
CLAIMS = {
    "README.md": [
        (REAL, "bitshuffle", RATIO, COMPRESS, DECOMPRESS),
        (REAL, "sz3", RATIO, COMPRESS, DECOMPRESS),
        (REAL, SMALLEST, RATIO, COMPRESS, DECOMPRESS),
    ],
    "docs/comparison.md": [
        (SMOOTH, "sz3", RATIO), (SMOOTH, INTERPOLATED, RATIO, COMPRESS), (SMOOTH, "sz3", COMPRESS),
        (SMOOTH, "fixedlength", COMPRESS, RATIO), (SMOOTH, "zfp", RATIO, COMPRESS),
        (REAL, "sz3", RATIO), (REAL, "huffman", RATIO), (REAL, "bitshuffle", RATIO), (REAL, "zfp", RATIO),
        (REAL, SMALLEST, RATIO, COMPRESS), (REAL, "sz3", COMPRESS),
        *((fields, name, DECOMPRESS) for name in ("bitshuffle", "sz3", "zfp") for fields in (SMOOTH, REAL)),
    ],
}
GENERATED = re.compile(r"^<!-- table:.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
KEPT = re.compile(r"^<!-- kept: (\S+) -->$(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
LEFT_OUT = re.compile(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)|<[^>]*>|\b\d+(?:\.\d+){2,}(?:\.\w+)?|ADIOS2 \d+\.\d+",
                      re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.^-])\d+\.\d+(?!\w|\.\d)|(?<![\w.^-])\d+(?= (?:GB/s|%|times|×))")


def numbers(text):
    return NUMBER.findall(LEFT_OUT.sub(" ", KEPT.sub(" ", GENERATED.sub(" ", text))))


def unknown_in(page, text):
    """The measured numbers that their kept file does not have."""
    for name, section in KEPT.findall(text):
        file = ROOT / "docs/performance" / name
        known = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e\d+)?(?![\w.])", file.read_text(encoding="utf-8"))}
        yield from (f"{page}: {number} is none of {name}" for number in NUMBER.findall(LEFT_OUT.sub(" ", section))
                    if float(number) not in known)


def figures(report, claims):
    """What each figure is called, and its value."""
    points = {(point["group"], point["compressor"]): point for point in report["points"] + smallest_points(report)
              if (point["bound"], point["threads"]) == (BOUND, THREADS)}
    return [(f"{key} of {name}, {fields}", points[fields, name][key]) for fields, name, *keys in claims for key in keys]


def wrong_in(page, text, report):
    found, named = numbers(text), figures(report, CLAIMS[page])
    for number, (name, value) in zip(found, named):
        if number != f"{value:.{len(number.partition('.')[2])}f}":
            yield f"{page}: {number} stands where CLAIMS has the {name}, which is {value:.4g}"
            break  # behind one that is missing or too many none is in its place
    if len(found) != len(named):
        yield f"{page} has {len(found)} measured numbers, and CLAIMS has {len(named)}; name the run of each in CLAIMS"


def main():
    report = json.loads(RUN.read_text(encoding="utf-8"))
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in CLAIMS}
    wrong = [line for page, text in pages.items() for line in (*wrong_in(page, text, report), *unknown_in(page, text))]
    return "\n".join(wrong) or 0


if __name__ == "__main__":
    sys.exit(__doc__.strip() if len(sys.argv) != 1 else main())
