"""Steps in time: what each step of a series comes to within one bound, and which pipeline is chosen."""

import collections

import drawing
import kompakt
import numpy as np
import smooth_fields
from checked import short
from drawing import grouped, mean_of, number
from exact_errors import count_violations
from parts import Picture, Table

NAME = "time_steps"
TITLE = "Steps in time"
LEAD = ("Ratio, PSNR, resolved bound and choice over the steps of a series, each compressed alone, after the figure on stability of the "
        "FZ-GPU paper. The bound is 10⁻³ of the range of each step.")
SHARE = 1e-3
STEPS, QUICK_STEPS, EVERY = 100, 30, 8
EDGE, QUICK_EDGE = 64, 48
SERIES = ("ersst_series", "a1b_temperature", "air_temperature", "sea_ice")
CODINGS = {"chosen for ratio": {"pipeline": "auto", "goal": "ratio"}, "bitshuffle": {"pipeline": "bitshuffle"}}


def series_of(trial):
    """Names and steps with their fill value: a simulation, the smooth vortices, and series among the fields."""
    count, edge = (QUICK_STEPS, QUICK_EDGE) if trial.quick else (STEPS, EDGE)
    yield "reaction, simulated", None, smooth_fields.reaction_steps(edge, count, EVERY)
    for name in ("vortices", *SERIES):
        subject = trial.fields.named(name)
        if subject is not None:
            yield name, subject.field.entry.fill, subject.field.values[:STEPS]


def row_of(step, fill, options, space):
    """Figures of one step; values that are fill values count in nothing but violations."""
    stream = kompakt.compress(step, SHARE, "r2r", fill_value=fill, space=space, **options)
    restored, info = kompakt.decompress(stream), kompakt.inspect(stream)
    found = kompakt.compare(step, restored, info)
    violations, _ = count_violations(step, restored, info.resolved_bound)
    return {"ratio": short(step.nbytes / len(stream)), "psnr": short(found.psnr), "bound": short(info.resolved_bound),
            "violations": int(violations), "choice": " ".join(word for word in (info.pipeline, info.variant, info.method) if word != "auto")}


def measure(trial):
    rows = []
    for name, fill, steps in series_of(trial):
        trial.say(name)
        for number_of_step, step in enumerate(steps):
            if np.ptp(step) == 0:
                continue
            for coding, options in CODINGS.items():
                rows.append({"series": name, "step": number_of_step, "contender": coding,
                             **row_of(np.ascontiguousarray(step), fill, options, trial.space)})
    return {"rows": rows}


def tables(data):
    lines = []
    for (series, coding), rows in grouped(data["rows"], "series", "contender").items():
        ratios, levels = [row["ratio"] for row in rows], [row["psnr"] for row in rows if row["psnr"] is not None]
        choices = collections.Counter(row["choice"] for row in rows)
        lines.append([series, coding, str(len(rows)), number(mean_of(rows, "ratio")), number(min(ratios)), number(max(ratios)),
                      f"{min(levels):.1f} to {max(levels):.1f}", ", ".join(f"{choice} {count}" for choice, count in choices.most_common(3)),
                      str(sum(row["violations"] for row in rows))])
    return [Table("time_steps", "Steps of each series",
                  ["series", "coding", "steps", "mean ratio", "smallest", "largest", "PSNR, dB", "choices", "outside"], lines)]


def draw_choices(axes, rows):
    """Marks under the curve whose colour is the choice."""
    for number_of_choice, (choice, some) in enumerate(grouped(rows, "choice").items()):
        colour = drawing.OTHERS[number_of_choice % len(drawing.OTHERS)][0]
        axes.plot([row["step"] for row in some], [row["ratio"] for row in some], "o", markersize=3, color=colour, label=choice, zorder=4)


def pictures(data, plots):
    series = grouped(data["rows"], "series")
    figure, all_axes = plots.pyplot.subplots(len(series), 3, figsize=(10.5, 2.3 * len(series) + 0.3), squeeze=False)
    for line_of_axes, (name, rows) in zip(all_axes, series.items()):
        for axes, (key, label) in zip(line_of_axes, (("ratio", "ratio"), ("psnr", "PSNR, dB"), ("bound", "bound"))):
            for at, (coding, some) in enumerate(grouped(rows, "contender").items()):
                axes.plot([row["step"] for row in some], [row[key] for row in some], linewidth=1, color=drawing.OTHERS[at][0], label=coding)
            axes.set(xlabel="step", ylabel=label)
            axes.ticklabel_format(axis="y", style="sci", scilimits=(-2, 4))
            axes.set_title(name, loc="left", fontsize=10)
        line_of_axes[2].set_ylim(0, 1.2 * max(row["bound"] for row in rows))
        draw_choices(line_of_axes[0], [row for row in rows if row["contender"] == "chosen for ratio"])
        line_of_axes[0].legend(fontsize=6.5, loc="best", frameon=True, framealpha=0.8)
    return [Picture("time_steps", "The dots of the first column have the colour of the choice.", figure)]
