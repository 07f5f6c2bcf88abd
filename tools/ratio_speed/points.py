"""Points of the picture: geometric means over the fields of a group."""

import math
import statistics
import typing

from tables import geometric_mean, number
from text_table import print_table

MOST_SPREAD = 0.25  # from the slowest round to the fastest, over the median, without a note
OPERATIONS = ("compress", "decompress")
SMALLEST = "smallest of these"


def seconds_of(row):
    """By operation and threads, a number for each round."""
    return {word: {threads: [getattr(timing, f"{word}_s") for timing in timings]
                   for threads, timings in row["samples"].items()} for word in OPERATIONS}


def raw_gb(row):
    return row["ratio"] * row["bytes"] / 1e9


def speed(rows, word, threads):
    """GB/s, and how far rounds are apart."""
    def mean(choose):
        return geometric_mean(raw_gb(row) / choose(seconds_of(row)[word][threads]) for row in rows)
    rounds = [mean(lambda seconds: seconds[turn]) for turn in range(len(rows[0]["samples"][threads]))]
    spread = (max(rounds) - min(rounds)) / statistics.median(rounds)
    return {f"{word}_gbps": float(f"{mean(statistics.median_low):.4g}"), f"{word}_spread": round(spread, 3)}


def points_of(rows):
    """One for each group, compressor, number of threads and bound."""
    alike = {}
    for row in rows:
        alike.setdefault((row["group"], row["compressor"], row["bound"]), []).append(row)
    return [{"group": group, "compressor": name, "threads": threads, "bound": bound, "fields": len(found),
             "ratio": float(f"{geometric_mean(row['ratio'] for row in found):.4g}"),
             **speed(found, "compress", threads), **speed(found, "decompress", threads)}
            for (group, name, bound), found in alike.items() for threads in found[0]["samples"]]


class Line(typing.NamedTuple):
    """The points of a compressor, one a bound, by number of threads; the first number is what is drawn first."""
    name: str
    by_threads: dict

    def points(self):
        return next(iter(self.by_threads.values()))

    def one_thread(self):
        return self.by_threads.get(1)


def smallest_streams(report):
    """By group and bound: of each field the row, with its ratio, of the compressor of ours with the smallest stream."""
    raw_bytes = {(field["group"], field["field"]): math.prod(field["shape"]) * int(field["dtype"][1:]) // 8
                 for field in report["fields"]}
    smallest = {}
    for cells in report["rows"]:
        row = dict(zip(report["columns"], cells))
        row["ratio"] = raw_bytes[row["group"], row["field"]] / row["bytes"]
        of_fields = smallest.setdefault((row["group"], row["bound"]), {})
        before = of_fields.get(row["field"])
        if row["compressor"] not in report["peers"] and (before is None or row["bytes"] < before["bytes"]):
            of_fields[row["field"]] = row
    return smallest


def smallest_points(report):
    """As if the smallest streams were those of one more compressor."""
    threads = distinct((point for point in report["points"] if point["compressor"] not in report["peers"]), "threads")
    return [{"group": group, "compressor": SMALLEST, "threads": count, "bound": bound,
             "ratio": geometric_mean(row["ratio"] for row in of_fields.values()),
             **{f"{word}_gbps": geometric_mean(row[f"{word}_gbps"][at] for row in of_fields.values())
                for word in OPERATIONS}}
            for (group, bound), of_fields in smallest_streams(report).items() for at, count in enumerate(threads)]


def lines_of(report, group):
    """The lines of a group: ours, the smallest of these, and those of peers."""
    found = {}
    points = report["points"] + smallest_points(report)
    for point in sorted(points, key=lambda point: point["compressor"] in report["peers"]):
        if point["group"] == group:
            found.setdefault(point["compressor"], {}).setdefault(point["threads"], []).append(point)
    return [Line(name, by_threads) for name, by_threads in found.items()]


def distinct(points, key):
    return list(dict.fromkeys(point[key] for point in points))


def print_points(points):
    rows = [[f"{point['group']} ({point['fields']})", point["compressor"], str(point["threads"]), point["bound"],
             number(point["ratio"]), *(f"{point[f'{word}_gbps']:.3f}" for word in OPERATIONS),
             f"{largest_spread([point]):.2f}"] for point in points]
    print_table(["fields", "compressor", "threads", "bound", "ratio", *(f"{word} GB/s" for word in OPERATIONS),
                 "spread"], rows, text_columns=4)


def largest_spread(points):
    return max(point[f"{word}_spread"] for point in points for word in OPERATIONS)


def notes(facts, points):
    """Lines on how quiet the machine was."""
    lines = []
    if facts["disturbed"]:
        lines.append(f"{facts['disturbed']} measurements were disturbed by other work; measure again")
    if largest_spread(points) > MOST_SPREAD:
        lines.append(f"rounds differ by up to {100 * largest_spread(points):.0f} %; measure again")
    return lines
