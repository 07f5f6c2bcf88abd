"""Radius: how many residuals have a symbol of their own in a codebook of `huffman`."""

import drawing
from checked import timed
from drawing import grouped, mean_of, number
from parts import Table
from text_table import bound_name

NAME = "radius"
TITLE = "Radius of the codebook"
LEAD = ("Ratio and speed of `huffman` with a book of its own and radius 128 to 8192, after Table III of the cuSZ paper. "
        "Residuals beyond the radius are listed in the record.")
RADII = (128, 256, 512, 1024, 2048, 4096, 8192)
SHARES = ("1e-3", "1e-5")
FIELDS, QUICK_FIELDS = 12, 4


def measure(trial):
    rows = []
    for subject in trial.fields.some(QUICK_FIELDS if trial.quick else FIELDS):
        trial.say(subject.name)
        for share in SHARES:
            for radius in RADII:
                found = timed(subject.field.values, float(share) * subject.field.range, trial.samples, trial.space, pipeline="huffman",
                              variant="custom", radius=radius, fill_value=None)
                rows.append({"field": subject.name, "share": share, "radius": radius, "contender": "huffman", **found})
    return {"rows": rows}


def tables(data):
    lines = [[bound_name(share), str(radius), *(number(mean_of(rows, key)) for key in ("ratio", "compress_gbps", "decompress_gbps")),
              str(sum(row["violations"] for row in rows))] for (share, radius), rows in grouped(data["rows"], "share", "radius").items()]
    count = len(grouped(data["rows"], "field"))
    return [Table("radius", f"Geometric means over {count} fields",
                  ["bound, of the range", "radius", "ratio", "compress GB/s", "decompress GB/s", "outside"], lines)]


def pictures(data, plots):
    panels = {f"{title}, within {bound_name(share)}": {field: [(row["radius"], row[key]) for row in rows]
                                           for field, rows in grouped(of_share, "field").items()}
              for share, of_share in grouped(data["rows"], "share").items()
              for key, title in (("ratio", "ratio"), ("compress_gbps", "compression, GB/s"))}
    return [drawing.lines_picture(plots, "radius", "Each line is a field.", panels, "radius", "", columns=2)]
