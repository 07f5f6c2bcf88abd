#!/usr/bin/env python3
"""Prints a Markdown table of two trees whose benchmarks ran in turn.

usage: against_table.py BEFORE AFTER FOLDER

BEFORE and AFTER name the trees. The folder has before_1.json, after_1.json, before_2.json and so on. Times are medians of the rounds.
A line is slower if its median is more than 1.5 % larger and no round of it is as fast as the slowest one before. The exit status is 1
if a line is slower.
"""

import json
import statistics
import sys
from pathlib import Path

from bench_table import markdown

SLOWER = 1.015


def times_of(folder, tree):
    """Times of each round by the name of a line, in the order of the first report."""
    times = {}
    for path in sorted(folder.glob(f"{tree}_*.json"), key=lambda path: int(path.stem.split("_")[1])):
        for entry in json.loads(path.read_text())["benchmarks"]:
            if entry.get("error_occurred"):
                raise SystemExit(f"against_table: {tree}: {entry['name']}: {entry['error_message']}")
            times.setdefault(entry["name"].split("/iterations:")[0], []).append(entry["real_time"])
    return times


def spread(values):
    return 100 * (max(values) - min(values)) / statistics.median(values)


def row(name, before, after):
    median, now = statistics.median(before), statistics.median(after)
    is_slower = now > SLOWER * median and min(after) > max(before)
    is_faster = SLOWER * now < median and max(after) < min(before)
    verdict = "slower" if is_slower else "faster" if is_faster else ""
    return [name, f"{median:.4g}", f"{now:.4g}", f"{now / median:.3f}", f"{spread(before):.1f}, {spread(after):.1f}", verdict]


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    names, folder = sys.argv[1:3], Path(sys.argv[3])
    before, after = times_of(folder, "before"), times_of(folder, "after")
    rows = [row(name, before[name], after[name]) for name in after if name in before]
    headings = ["benchmark", f"{names[0]}, ms", f"{names[1]}, ms", "time ÷ before", "spread, %", ""]
    print(markdown(headings, rows))
    slower = sum(row[-1] == "slower" for row in rows)
    print(f"\n{len(rows)} lines, {slower} slower, {max(map(len, after.values()), default=0)} rounds")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
