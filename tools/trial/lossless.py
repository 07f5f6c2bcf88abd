"""Without loss: our streams beside Blosc2, pcodec and fpzip."""

import kompakt
import numpy as np
from checked import short
from coded import Refused
from drawing import grouped, mean_of, number, spoken
from parts import Table

NAME = "lossless"
TITLE = "Without loss"
LEAD = "Ratios without loss, every value compared bit for bit. The peers have no bound, so they are compared here alone."
OURS = {"ours, balanced": "balanced", "ours, for ratio": "ratio", "ours, smallest": "smallest"}


def bits(values):
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


def row_of(subject, name, stream_bytes, restored):
    values = subject.field.values
    lost = int(np.count_nonzero(bits(values) != bits(np.asarray(restored, values.dtype).reshape(values.shape))))
    return {"group": subject.group, "field": subject.name, "contender": f"{spoken(name)}, lossless",
            "ratio": short(values.nbytes / stream_bytes), "violations": lost}


def measure(trial):
    rows = []
    for subject in trial.fields.all:
        trial.say(subject.name)
        for name, goal in OURS.items():
            stream = kompakt.compress(subject.field.values, 0, "lossless", pipeline="auto", goal=goal, fill_value=None, space=trial.space)
            rows.append(row_of(subject, name, len(stream), kompakt.decompress(stream)))
        for peer in trial.lossless_peers:
            try:
                values = subject.field.values
                stream = peer.compress(values, None)
                rows.append(row_of(subject, peer.name, len(stream), peer.decompress(stream, values)))
            except (Refused, ValueError, TypeError, RuntimeError) as error:
                rows.append({"group": subject.group, "field": subject.name, "contender": f"{spoken(peer.name)}, lossless",
                             "refused": f"{type(error).__name__}: {error}"})
    return {"rows": rows}


def tables(data):
    sets = list(grouped(data["rows"], "group"))
    lines = [[name, *(number(mean_of([row for row in rows if row["group"] == group], "ratio")) for group in sets),
              str(sum("refused" not in row for row in rows)), str(sum(row.get("violations", 0) for row in rows))]
             for name, rows in grouped(data["rows"], "contender").items()]
    return [Table("lossless", "Geometric means of ratios", ["compressor", *sets, "fields", "different"], lines)]


def pictures(data, plots):
    """None: a table says it all."""
    return []
