#!/usr/bin/env python3
"""Draws docs/pictures/profile.svg, what a tool of Kokkos sees of a program that compresses a field, goes through it slab by
slab and decompresses it, from docs/performance/openmp_profile.json (or from the file RUN), which the tool of
perf_test/timeline_tool.cpp has written.

usage: profile_picture.py [--check] [RUN]

--check writes nothing, needs no matplotlib and fails if the picture is not of that run.
"""

import sys

sys.dont_write_bytecode = True
import svg_plots

RUN = "openmp_profile.json"
PICTURE = "docs/pictures/profile.svg"
# Kept apart by the common kinds of colour blindness (Okabe and Ito, 2008).
COLOURS = {"region": "#a6cee3", "kernel": "#b84a00"}


def rows_of(spans):
    """Label, kind, depth of nesting and all [begin, end) in ms of each label, in the order in which they began."""
    spans = sorted((span for span in spans if not span["label"].startswith("Kokkos::")), key=lambda s: s["begin_us"])
    if not spans:
        raise ValueError("the run has no regions and no kernels")
    start = spans[0]["begin_us"]
    open_spans, rows = [], {}
    for span in spans:
        while open_spans and open_spans[-1]["end_us"] <= span["begin_us"]:
            open_spans.pop()
        key = (tuple(outer["label"] for outer in open_spans), span["label"], span["kind"])
        times = ((span["begin_us"] - start) / 1e3, (span["end_us"] - start) / 1e3)
        rows.setdefault(key, []).append(times)
        open_spans.append(span)
    return [(label, kind, len(outer), times) for (outer, label, kind), times in rows.items()]


def draw(spans, plots):
    rows = rows_of(spans)
    figure, axes = plots.pyplot.subplots(figsize=(9.2, 0.24 * len(rows) + 0.9))
    for y, (_, kind, _, times) in enumerate(rows):
        axes.broken_barh([(begin, end - begin) for begin, end in times], (y - 0.36, 0.72), color=COLOURS[kind])
    end = max(end for *_, times in rows for _, end in times)
    for y, (label, _, depth, _) in enumerate(rows):
        axes.text((0.02 * depth - 0.5) * end, y, label, fontsize=8, va="center")
    axes.set(xlabel="ms", xlim=(-0.5 * end, 1.01 * end), ylim=(len(rows) - 0.4, -0.6), yticks=[])
    axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= end])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", visible=False)
    patches = [plots.patches.Patch(color=colour, label=kind + "s") for kind, colour in COLOURS.items()]
    axes.legend(handles=patches, fontsize=8, loc="upper right")
    return figure, "Regions and kernels of a program"


def read(reports):
    rows_of(reports[0])
    return reports[0]


if __name__ == "__main__":
    sys.exit(svg_plots.picture_of_runs("profile_picture", __doc__, PICTURE, [RUN], read, draw))
