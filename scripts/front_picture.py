#!/usr/bin/env python3
"""Draws the picture of the README, docs/pictures/front.svg and front_dark.svg, and writes its points into a table of
docs/performance.md. All are made of the runs that POINTS names in docs/performance.

The table stands between <!-- front-picture --> and <!-- end -->. --check writes nothing, needs no matplotlib and fails if
a picture or the table is not of these runs.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys
import typing

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / name) for name in ("ratio_speed", "compare_ratios")]
import bench_table
import svg_plots
from points import SMALLEST, smallest_points

RUNS = ROOT / "docs/performance"
PAGE = ROOT / "docs/performance.md"
PICTURES = {"light": ROOT / "docs/pictures/front.svg", "dark": ROOT / "docs/pictures/front_dark.svg"}
BLOCK = re.compile(r"(?<=^<!-- front-picture -->\n)(.*?)(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL)
CPU, GPU = "CPU", "GPU"
GPU_NAME = "compress/turbulence/512x512x512/f32/resolved:1e-3"


class Source(typing.NamedTuple):
    """A point of the picture, its run and its name there, and the position of its label: offset in points, and alignment."""
    machine: str
    label: str
    run: str
    name: str
    offset: tuple
    align: str


POINTS = [
    Source(CPU, "bitshuffle", "openmp_ratio_speed.json", "bitshuffle", (9, 5), "left"),
    Source(CPU, "fixedlength", "openmp_ratio_speed.json", "fixedlength", (9, -5), "left"),
    Source(CPU, "huffman", "openmp_ratio_speed.json", "huffman", (-8, -8), "right"),
    Source(CPU, "best of ours for each field", "openmp_ratio_speed.json", SMALLEST, (9, 5), "left"),
    Source(CPU, "SZ3", "openmp_ratio_speed.json", "sz3", (9, 3), "left"),
    Source(CPU, "zfp", "openmp_ratio_speed.json", "zfp", (9, 0), "left"),
    Source(GPU, "bitshuffle + interpolate", "h200_interpolate.json", f"{GPU_NAME}/interpolate/", (9, 3), "left"),
    Source(GPU, "huffman", "h200_huffman_turbulence.json", f"{GPU_NAME}/tile/dictionary", (9, 3), "left"),
    Source(GPU, "balanced (bitshuffle)", "h200_interpolate.json", f"{GPU_NAME}/tile/", (-9, 1), "right"),
    Source(GPU, "fixedlength", "h200_sizes.json", f"{GPU_NAME}/tile/", (9, -5), "left"),
    Source(GPU, "speed (fixedlength, chain)", "h200_sizes.json", f"{GPU_NAME}/chain/", (-9, -1), "right"),
]
PEERS = ("SZ3", "zfp")
# Text, grid and background; ours on a CPU, ours on a GPU, peers.
COLOURS = {
    "light": {"text": "#1f2328", "grid": "#e3e6ea", "back": "#ffffff", CPU: "#0072b2", GPU: "#b84a00", "peer": "#57606a"},
    "dark": {"text": "#e6edf3", "grid": "#30363d", "back": "#0d1117", CPU: "#58b0e8", GPU: "#f0985a", "peer": "#9da7b1"},
}
HEADINGS = ["on", "compressor", "fields", "ratio", "compress GB/s", "run"]
GROUP, BOUND, THREADS = "30 real fields", "1e-3", 1
FIELDS = {CPU: f"{GROUP}, geometric mean", GPU: "turbulence, 512³ f32"}
MACHINES = {CPU: "CPU, 1 thread", GPU: "GPU, NVIDIA H200"}


class Panel(typing.NamedTuple):
    """The axes of the points of a machine; ratios of different fields do not share an axis."""
    machine: str
    title: str
    gbps: tuple
    gbps_ticks: list
    ratio: tuple


PANELS = [Panel(CPU, f"{MACHINES[CPU]}: {GROUP}", (0.2, 5), [0.2, 0.5, 1, 2, 5], (0, 30)),
          Panel(GPU, f"{MACHINES[GPU]}: turbulence", (250, 4000), [300, 1000, 3000], (0, 17))]


class Point(typing.NamedTuple):
    source: Source
    ratio: float
    gbps: float


def point_of(source, report):
    """The point of a run of ratio-speed, or of one of the benchmarks."""
    if "points" in report:
        wanted = (GROUP, source.name, THREADS, BOUND)
        entry = next(entry for entry in report["points"] + smallest_points(report)
                     if tuple(entry[key] for key in ("group", "compressor", "threads", "bound")) == wanted)
        return Point(source, entry["ratio"], entry["compress_gbps"])
    entry = next(entry for entry in report["benchmarks"] if entry["name"].startswith(source.name))
    return Point(source, entry["ratio"], entry["gbps"])


def shown(gbps):
    return f"{gbps:.0f}" if gbps >= 100 else f"{gbps:.2f}" if gbps < 9.95 else f"{gbps:.1f}"


def table(points):
    rows = [[MACHINES[point.source.machine], point.source.label, FIELDS[point.source.machine],
             f"{point.ratio:.2f}", shown(point.gbps),
             f"[{point.source.run}](performance/{point.source.run})"] for point in points]
    return f"\n{bench_table.markdown(HEADINGS, rows)}\n\n"


def colour_of(source, colours):
    return colours["peer" if source.label in PEERS else source.machine]


def require_apart(axes):
    """Labels must neither cover one another nor leave the axes."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in axes.texts]
    frame = axes.get_window_extent()
    for place, (label, box) in enumerate(boxes):
        if box.x0 < frame.x0 or box.x1 > frame.x1:
            raise ValueError(f"the label '{label}' leaves its panel; move it in POINTS")
        for other, covered in boxes[place + 1:]:
            if box.overlaps(covered):
                raise ValueError(f"the labels '{label}' and '{other}' collide; move one in POINTS")


def draw_panel(axes, panel, points, colours):
    axes.set_facecolor(colours["back"])
    for point in points:
        source, colour = point.source, colour_of(point.source, colours)
        axes.plot(point.gbps, point.ratio, color=colour, marker="D" if source.label in PEERS else "o", markersize=9)
        axes.annotate(source.label, (point.gbps, point.ratio), xytext=source.offset, textcoords="offset points",
                      color=colour, fontsize=13, horizontalalignment=source.align, verticalalignment="center")
    axes.set(xscale="log", xlim=panel.gbps, ylim=panel.ratio)
    axes.set_xticks(panel.gbps_ticks, [f"{tick:g}" for tick in panel.gbps_ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(0, panel.ratio[1] + 1, 5))
    axes.set_title(panel.title, color=colours[panel.machine], fontsize=13, fontweight="bold")
    axes.set_xlabel("compression, GB/s (right: faster)", color=colours["text"], fontsize=13)
    axes.tick_params(colors=colours["text"], labelsize=13)
    axes.grid(color=colours["grid"])
    for spine in axes.spines.values():
        spine.set_color(colours["grid"])


def draw(plots, points, colours):
    figure, row = plots.pyplot.subplots(1, len(PANELS), figsize=(10, 4), dpi=72)
    for axes, panel in zip(row, PANELS):
        draw_panel(axes, panel, [point for point in points if point.source.machine == panel.machine], colours)
    row[0].set_ylabel("ratio (higher: smaller stream)", color=colours["text"], fontsize=13)
    figure.canvas.draw()
    for axes in row:
        require_apart(axes)
    return figure


def main():
    parser = argparse.ArgumentParser(prog="front_picture.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, say what is not of the runs")
    arguments = parser.parse_args()
    try:
        data = {name: (RUNS / name).read_bytes() for name in dict.fromkeys(source.run for source in POINTS)}
        digest = hashlib.sha256(b"".join(data.values())).hexdigest()
        reports = {name: json.loads(text) for name, text in data.items()}
        points = [point_of(source, reports[source.run]) for source in POINTS]
        page = PAGE.read_text(encoding="utf-8")
        new = BLOCK.sub(lambda _: table(points), page, count=1)
        if arguments.check:
            stale = [path for path in PICTURES.values() if digest not in path.read_text(encoding="utf-8")]
            stale += [PAGE] if new != page else []
            return "\n".join(f"{path.relative_to(ROOT)} is not of the runs; run scripts/front_picture.py"
                             for path in stale) or 0
        plots = svg_plots.load_matplotlib()
        for theme, path in PICTURES.items():
            plots.rcParams["savefig.facecolor"] = COLOURS[theme]["back"]
            head = f"<title>Ratio and throughput on a CPU and on a GPU</title><desc>sha256 {digest}</desc>"
            svg_plots.write_svg(plots, draw(plots, points, COLOURS[theme]), path, head)
        PAGE.write_text(new, encoding="utf-8")
        return 0
    except (OSError, ValueError, KeyError, StopIteration) as error:
        return f"front_picture: error: {error!r}"


if __name__ == "__main__":
    sys.exit(main())
