"""Plain and outlier: the two records of `fixedlength`, field by field."""

import drawing
from checked import timed
from drawing import grouped, mean_of, number
from parts import Picture, Table
from text_table import bound_name

NAME = "outliers"
TITLE = "Plain and outlier records"
LEAD = ("Ratio and speed of both variants of `fixedlength`, after the tables of the cuSZp2 paper. The outlier variant stores the first "
        "residual of a block apart.")
VARIANTS = ("plain", "outlier")
SHARES = ("1e-2", "1e-3", "1e-4")


def measure(trial):
    rows = []
    for subject in trial.fields.whole():
        trial.say(subject.name)
        for share in SHARES:
            for variant in VARIANTS:
                found = timed(subject.field.values, float(share) * subject.field.range, trial.samples, trial.space, pipeline="fixedlength",
                              variant=variant, fill_value=None)
                rows.append({"group": subject.group, "field": subject.name, "share": share,
                             "contender": f"fixedlength {variant}", **found})
    return {"rows": rows}


def gain(rows):
    """Ratios of outlier over plain by field."""
    pairs = {field: {row["contender"]: row["ratio"] for row in of_field} for field, of_field in grouped(rows, "field").items()}
    return {field: pair["fixedlength outlier"] / pair["fixedlength plain"] for field, pair in pairs.items()}


def tables(data):
    lines = []
    for (group, share, name), rows in grouped(data["rows"], "group", "share", "contender").items():
        means = (number(mean_of(rows, key)) for key in ("ratio", "compress_gbps", "decompress_gbps"))
        lines.append([group, bound_name(share), name, *means, str(sum(row["violations"] for row in rows))])
    fields = {}
    for share, rows in grouped(data["rows"], "share").items():
        for field, times in gain(rows).items():
            fields.setdefault(field, []).append(f"{times:.3f}")
    return [Table("outliers", "Geometric means over the fields of each set",
                  ["fields", "bound, of the range", "variant", "ratio", "compress GB/s", "decompress GB/s", "outside"], lines),
            Table("outliers_by_field", "Ratio of the outlier variant over the plain one",
                  ["field", *(bound_name(share) for share in SHARES)], [[field, *cells] for field, cells in fields.items()])]


def pictures(data, plots):
    shares = grouped(data["rows"], "share")
    figure, panels = drawing.grid(plots, len(shares))
    for axes, (share, rows) in zip(panels, shares.items()):
        times = sorted(gain(rows).values())
        axes.plot(range(1, len(times) + 1), times, marker="o", markersize=4, linewidth=1, color="#b84a00")
        axes.axhline(1, color="#000000", linewidth=0.8)
        axes.set(xlabel="fields, sorted", ylabel="outlier / plain")
        axes.set_title(f"ratio within {bound_name(share)}", loc="left", fontsize=10)
    return [Picture("outliers", "Above 1 the outlier variant has the smaller stream.", figure)]
