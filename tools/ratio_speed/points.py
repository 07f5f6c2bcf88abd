"""Points of the picture: geometric means over the fields of a group."""

import statistics
import typing

from tables import geometric_mean, number
from text_table import print_table

MOST_SPREAD = 0.25  # from the slowest round to the fastest, over the median, without a note
OPERATIONS = ("compress", "decompress")


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


def lines_of(points, group):
    """The lines of a group, in the order of the report."""
    found = {}
    for point in points:
        if point["group"] == group:
            found.setdefault(point["compressor"], {}).setdefault(point["threads"], []).append(point)
    return [Line(name, by_threads) for name, by_threads in found.items()]


def distinct(points, key):
    return list(dict.fromkeys(point[key] for point in points))


def print_points(points, rows):
    broken = {}
    for row in rows:
        key = row["group"], row["compressor"], row["bound"]
        broken[key] = broken.get(key, 0) + row["violations"]
    print_table(["fields", "compressor", "threads", "bound", "ratio", "compress GB/s", "decompress GB/s", "spread",
                 "violations"],
                [[f"{point['group']} ({point['fields']})", point["compressor"], str(point["threads"]), point["bound"],
                  number(point["ratio"]), f"{point['compress_gbps']:.3f}", f"{point['decompress_gbps']:.3f}",
                  f"{largest_spread([point]):.2f}",
                  str(broken[point["group"], point["compressor"], point["bound"]])] for point in points],
                text_columns=4)


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
