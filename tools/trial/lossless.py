"""Without loss: our streams beside Blosc2, pcodec and fpzip."""

import kompakt
from checked import short
from coded import Coded, Refused
from drawing import grouped, mean_of, number, spoken
from parts import Table

NAME = "lossless"
TITLE = "Without loss"
LEAD = "Ratios without loss, every value compared bit for bit. The peers have no bound, so they are compared here alone."
OURS = {"ours, balanced": "balanced", "ours, for ratio": "ratio", "ours, smallest": "smallest"}


def row_of(subject, name, round_trip):
    """The row of a compressor, or why it refused the field."""
    described = {"group": subject.group, "field": subject.name, "contender": f"{spoken(name)}, lossless"}
    try:
        coded = round_trip(subject.field)
    except Refused as refused:
        return {**described, "refused": str(refused)}
    lost, _ = subject.field.check(coded.restored, 0)
    return {**described, "ratio": short(subject.field.values.nbytes / coded.stream_bytes), "violations": lost}


def ours(goal, space):
    """The round trip of a goal, without a word on fill values: every compressor gets the field as it is."""
    def round_trip(field):
        stream = kompakt.compress(field.values, 0, "lossless", pipeline="auto", goal=goal, fill_value=None, space=space)
        return Coded(len(stream), kompakt.decompress(stream), "")
    return round_trip


def measure(trial):
    rows = []
    for subject in trial.fields.all:
        trial.say(subject.name)
        rows += [row_of(subject, name, ours(goal, trial.space)) for name, goal in OURS.items()]
        rows += [row_of(subject, peer.name, lambda field, peer=peer: peer.round_trip(field, 0)) for peer in trial.lossless_peers]
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
