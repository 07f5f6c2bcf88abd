#!/usr/bin/env python3
"""Draws docs/pictures/mpi_speedup.svg, how many times faster messages are than raw ones over links of a stated bandwidth,
from what bench_mpi has written to docs/performance/mpi_model.json (or to the file RUN).

usage: mpi_picture.py [--check] [RUN]

--check writes nothing, needs no matplotlib and fails if the picture is not of that run.
"""

import re
import sys

sys.dont_write_bytecode = True
import svg_plots

RUN = "mpi_model.json"
PICTURE = "docs/pictures/mpi_speedup.svg"
NAME = re.compile(r"(ring|scatter)/(\w+)/(\d+)MiB/(\d+)ranks")
MODEL = "speedup_at_"
# What Lightweight Huffman (Shah et al., ICS 2023) reports for its messages.
REPORTED = (1.4, 30)
# Kept apart by the common kinds of colour blindness (Okabe and Ito, 2008); links are told by dashes too.
COLOURS = ("#007a5a", "#b84a00", "#0072b2", "#8f3f71")
DASHES = ("-", "--", ":")


def lines_of(report):
    """{(pattern, method, link): [(MiB, speed-up), …]}, by size."""
    lines = {}
    for run in report["benchmarks"]:
        match = NAME.match(run["name"])
        if not match:
            raise ValueError(f"{run['name']} is not a benchmark of bench_mpi")
        pattern, method, size = match[1], match[2], int(match[3])
        for key, value in run.items():
            if key.startswith(MODEL):
                lines.setdefault((pattern, method, float(key[len(MODEL):])), []).append((size, value))
    if not lines:
        raise ValueError("the run has no modelled speed-ups")
    return {key: sorted(points) for key, points in lines.items()}


def ranks_of(report):
    return NAME.match(report["benchmarks"][0]["name"])[4]


def draw_panel(axes, lines, pattern, ranks):
    mine = {key[1:]: points for key, points in lines.items() if key[0] == pattern}
    methods = list(dict.fromkeys(method for method, _ in mine))
    links = sorted({link for _, link in mine})
    axes.axhspan(*REPORTED, color="#f0f0f0", zorder=0)
    axes.axhline(1, color="#000000", linewidth=1)
    for (method, link), points in mine.items():
        axes.plot(*zip(*points), color=COLOURS[methods.index(method) % len(COLOURS)], marker="o", markersize=4,
                  linestyle=DASHES[links.index(link) % len(DASHES)], label=f"{method}, {link:g} GB/s")
    axes.set(xscale="log", yscale="log", xlabel="message, MiB of values", title=f"{pattern}, {ranks} ranks")
    sizes = sorted({size for points in mine.values() for size, _ in points})
    axes.xaxis.set_ticks(sizes, [f"{size}" for size in sizes])
    axes.xaxis.set_ticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.text(sizes[0], 1.05, "break-even", fontsize=8)
    axes.text(sizes[-1], REPORTED[1], "1.4–30 × reported", fontsize=8, ha="right", va="top")


def draw(report, plots):
    lines = lines_of(report)
    patterns = list(dict.fromkeys(pattern for pattern, _, _ in lines))
    figure, panels = plots.pyplot.subplots(1, len(patterns), figsize=(4.6 * len(patterns), 3.6), sharey=True,
                                           squeeze=False)
    for axes, pattern in zip(panels[0], patterns):
        draw_panel(axes, lines, pattern, ranks_of(report))
    panels[0][0].set_ylabel("times faster than raw")
    panels[0][-1].legend(fontsize=8, loc="lower right", handlelength=3.5)
    return figure, "Speed-up of compressed messages over modelled links"


def read(reports):
    lines_of(reports[0])
    return reports[0]


if __name__ == "__main__":
    sys.exit(svg_plots.picture_of_runs("mpi_picture", __doc__, PICTURE, [RUN], read, draw))
