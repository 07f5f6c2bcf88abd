#!/usr/bin/env python3
"""Draws docs/pictures/simulation.svg, what compressed checkpoints, states and halos change in a simulation beside the errors of its scheme,
and writes the tables of docs/simulation.md, from what examples/simulation/report.py has written to docs/performance/simulation.json (or to
the file RUN); those of costs from runs of the program, in docs/performance/openmp_simulation.json and h200_simulation.json.

usage: simulation_picture.py [--check] [RUN]

--check writes nothing, needs no matplotlib and fails if picture or tables are not of that run.
"""

import json
import math
import re
import sys

sys.dont_write_bytecode = True
import svg_plots

RUN = "simulation.json"
COSTS = "docs/performance/{}_simulation.json"
PICTURE = "docs/pictures/simulation.svg"
PAGE = "docs/simulation.md"
TABLE = re.compile(r"(<!-- simulation: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
# Kept apart by the common kinds of colour blindness (Okabe and Ito, 2008); pipelines are told by marks too.
COLOURS = {"fixedlength": "#b84a00", "bitshuffle": "#007a5a", "huffman": "#0072b2"}
MARKS = {"fixedlength": "s", "bitshuffle": "o", "huffman": "^"}


def lines_of(runs):
    lines = {}
    for run in runs:
        lines.setdefault(run["pipeline"], []).append(run)
    return lines


def text_of(bound):
    """1e-4; write_svg() rounds decimals, of texts too."""
    return f"1e{round(math.log10(bound))}"


def draw_level(axes, value, text):
    axes.axhline(value, color="#000000", linewidth=1, linestyle="--")
    axes.annotate(text, (0.01, value), xycoords=("axes fraction", "data"), fontsize=8, ha="left", va="bottom")


def draw_restarts(axes, restarts):
    for pipeline, runs in lines_of(restarts["runs"]).items():
        axes.plot([run["bound"] for run in runs], [run["max"] for run in runs], color=COLOURS[pipeline], marker=MARKS[pipeline],
                  markersize=5, label=f"{pipeline}, {runs[0]['predictor']}")
    bounds = [run["bound"] for run in restarts["runs"]]
    axes.plot([min(bounds), max(bounds)], [min(bounds), max(bounds)], color="#a0a0a0", linewidth=1, label="the bound")
    draw_level(axes, restarts["time_step"]["max"], "error of the time step")
    draw_level(axes, restarts["spacing"]["max"], "error of the spacing")
    axes.set(xscale="log", yscale="log", xlabel="bound of the checkpoint", ylabel="largest difference of v",
             title="end of a run, restarted half way")
    axes.legend(fontsize=8)


def draw_ratios(axes, restarts):
    for pipeline, runs in lines_of(restarts["runs"]).items():
        axes.plot([run["max"] for run in runs], [run["ratio"] for run in runs], color=COLOURS[pipeline], marker=MARKS[pipeline], markersize=5)
    error = restarts["time_step"]["max"]
    axes.axvline(error, color="#000000", linewidth=1, linestyle="--")
    axes.annotate("error of the time step", (error, 0.02), xycoords=("data", "axes fraction"), fontsize=8, rotation=90, ha="right", va="bottom")
    axes.set(xscale="log", yscale="log", xlabel="largest difference of v", ylabel="ratio of the checkpoint", title="what it saves")


def draw_spectra(axes, restarts):
    waves = range(1, len(restarts["spectrum"]))
    axes.plot(waves, restarts["spectrum"][1:], color="#000000", label="v")
    for bound, dash in ((1e-2, "-"), (1e-4, "--"), (1e-6, ":")):
        for run in restarts["runs"]:
            if run["bound"] == bound and run["pipeline"] == "bitshuffle":
                axes.plot(waves, run["spectrum_of_difference"][1:], color=COLOURS["bitshuffle"], linestyle=dash,
                          label=f"difference, bound {text_of(bound)}")
    axes.set(xscale="log", yscale="log", xlabel="wave number", ylabel="power", title="spectra at the end")
    axes.legend(fontsize=8, loc="lower left")


def draw_derivatives(axes, derivatives):
    for pipeline, runs in lines_of(derivatives["runs"]).items():
        axes.plot([run["ratio"] for run in runs], [run["relative_error"] for run in runs], color=COLOURS[pipeline],
                  marker=MARKS[pipeline], markersize=5)
        for run in runs:
            axes.annotate(text_of(run["bound"]), (run["ratio"], run["relative_error"]), fontsize=7, xytext=(5, 2), textcoords="offset points")
    axes.set(xscale="log", yscale="log", xlabel="ratio of the states", ylabel="relative error of dv/dF",
             title="adjoint with states kept within a bound")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def table_of_restarts(report):
    restarts, exact = report["restarts"], report["restarts"]["mean_v"]
    rows = [[text_of(run["bound"]), f"`{run['pipeline']}`, `{run['predictor']}`", f"{run['ratio']:.3g}", f"{run['max']:.1e}",
             f"{run['rms']:.1e}", f"{abs(run['mean_v'] / exact - 1):.1e}",
             f"{abs(run['mean_reaction'] / restarts['mean_reaction'] - 1):.1e}"] for run in restarts["runs"]]
    rows += [[text, "", "", f"{restarts[key]['max']:.1e}", f"{restarts[key]['rms']:.1e}", "", ""] for text, key in (
        ("error of the time step", "time_step"), ("error of the spacing", "spacing"))]
    return table(["bound", "pipeline", "ratio", "largest difference of v", "rms", "of the mean of v", "of the mean reaction"], rows)


def table_of_derivatives(report):
    rows = [[text_of(run["bound"]), f"`{run['pipeline']}`, `{run['predictor']}`", f"{run['ratio']:.3g}", f"{run['relative_error']:.1e}"]
            for run in report["derivatives"]["runs"]]
    return table(["bound of the states", "pipeline", "ratio", "relative error of the derivative"], rows)


def table_of_halos(report):
    rows = [[run["bound"], f"{run['ratio']:.3g}", f"{run['max']:.1e}", run["iterations"]] for run in report["halos"]]
    return table(["bound of a plane's range", "ratio", "largest difference of v", "iterations"], rows)


def table_of_costs(machine):
    """Of runs with snapshots; beside them, of the whole run, what it takes without any, if that was measured."""
    of = json.loads((svg_plots.ROOT / COSTS.format(machine)).read_text(encoding="utf-8"))
    columns = ["bound and pipeline", "ratio", "solver, s a step", "s a snapshot", "of the solver's time"]
    rows = [[run["coding"], f"{run['snapshot_raw_bytes'] / run['snapshot_bytes']:.4g}", f"{run['solver_s'] / run['step']:.3g}",
             f"{run['snapshot_s'] / run['snapshots']:.2g}", f"{100 * run['snapshot_s'] / run['solver_s']:.2g} %"] for run in of["runs"]]
    if "without_snapshots" in of:
        columns.append("longer than without")
        for row, run in zip(rows, of["runs"]):
            row.append(f"{100 * (run['whole_s'] / of['without_snapshots']['whole_s'] - 1):.2g} %")
    return table(columns, rows)


TABLES = {"costs": lambda _: table_of_costs("openmp"), "costs_on_h200": lambda _: table_of_costs("h200"),
          "restarts": table_of_restarts, "derivatives": table_of_derivatives, "halos": table_of_halos}


def with_tables(page, report):
    """The text of the page, with tables of this run."""
    return TABLE.sub(lambda match: match[1] + TABLES[match[2]](report) + match[4], page)


def draw(report, plots):
    figure, panels = plots.pyplot.subplots(2, 2, figsize=(9.2, 7.2))
    draw_restarts(panels[0][0], report["restarts"])
    draw_ratios(panels[0][1], report["restarts"])
    draw_spectra(panels[1][0], report["restarts"])
    draw_derivatives(panels[1][1], report["derivatives"])
    return figure, "What bounds change in a simulation"


def read(reports):
    report = reports[0]
    return {key: report[key] for key in ("restarts", "derivatives", "halos")}


if __name__ == "__main__":
    sys.exit(svg_plots.picture_of_runs("simulation_picture", __doc__, PICTURE, [RUN], read, draw, PAGE, with_tables))
