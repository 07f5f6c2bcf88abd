#!/usr/bin/env python3
"""Draws docs/pictures/hdf5_chunks.svg, how long all chunks of a field take with codebooks of the dictionary and of their own, one by
one and as a batch, from what bench_chunks has written to docs/performance (or to the files RUN).

usage: chunks_picture.py [--check] [RUN...]

--check writes nothing, needs no matplotlib and fails if the picture is not of these runs.
"""

import math
import sys

sys.dont_write_bytecode = True
import svg_plots

RUNS = ["h200_chunks_64.json", "h200_chunks_128.json", "h200_chunks_256.json"]
PICTURE = "docs/pictures/hdf5_chunks.svg"
# What Lightweight Huffman (Shah et al., ICS 2023) reports: how many times faster all chunks are with its dictionary than with
# codebooks of their own.
REPORTED = {64 ** 3: (8, 8), 256 ** 3: (3, 4)}
# What is drawn: operation, codebook, name, colour (Okabe and Ito, 2008), dashes.
METHODS = (
    ("compress/one_by_one", "custom", "own books, one by one", "#b84a00", "--"),
    ("compress/one_by_one", "dictionary", "dictionary, one by one", "#0072b2", "--"),
    ("compress/batch", "custom", "own books, batch", "#b84a00", "-"),
    ("compress/batch", "dictionary", "dictionary, batch", "#0072b2", "-"),
)


def read_line(run):
    """(operation, codebook), values of a chunk, GB/s and label of a line of bench_chunks."""
    label = dict(word.split("=", 1) for word in run["label"].split("; "))
    values = math.prod(int(n) for n in label["chunk"].split("x"))
    operation = "/".join(run["name"].split("/")[:2])
    return (operation, label["codebook"]), values, run["gbps"], label


def lines_of(reports):
    """{(operation, codebook): {values of a chunk: GB/s}} of the lines by huffman."""
    lines = {}
    for report in reports:
        for run in report["benchmarks"]:
            key, values, gbps, label = read_line(run)
            if label["pipeline"] == "huffman":
                lines.setdefault(key, {})[values] = gbps
    missing = [name for operation, codebook, name, *_ in METHODS if (operation, codebook) not in lines]
    if missing:
        raise ValueError(f"the runs have no lines of: {', '.join(missing)}")
    return lines


def name_of(values):
    edge = round(values ** (1 / 3))
    return f"{edge}³" if edge ** 3 == values else f"{values}"


def draw(lines, plots):
    slowest = lines[METHODS[0][:2]]
    sizes = sorted(slowest)
    figure, (speed, gain) = plots.pyplot.subplots(1, 2, figsize=(9.2, 3.6))
    for operation, codebook, name, colour, dashes in METHODS:
        line = lines[operation, codebook]
        style = {"color": colour, "linestyle": dashes, "marker": "o", "markersize": 4, "label": name}
        speed.plot(range(len(sizes)), [line[n] for n in sizes], **style)
        gain.plot(range(len(sizes)), [line[n] / slowest[n] for n in sizes], **style)
    for values, (low, high) in REPORTED.items():
        if values in sizes:
            gain.plot([sizes.index(values)] * 2, [low, high], color="#000000", marker="_", markersize=12, linewidth=3,
                      label="dictionary, as reported" if values == min(REPORTED) else None)
    for axes in (speed, gain):
        axes.set(yscale="log", xlabel="values of a chunk")
        axes.xaxis.set_ticks(range(len(sizes)), [name_of(n) for n in sizes])
        axes.yaxis.set_major_formatter("{x:g}")
    speed.set(ylabel="GB/s of values", title="all chunks of a field")
    gain.set(title="times faster than own books one by one")
    gain.legend(fontsize=8)
    return figure, "Compressing a field in chunks"


if __name__ == "__main__":
    sys.exit(svg_plots.picture_of_runs("chunks_picture", __doc__, PICTURE, RUNS, lines_of, draw))
