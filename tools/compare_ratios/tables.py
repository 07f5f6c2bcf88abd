"""Tables of the ratios of many fields. A case is a field within a bound: a dict of rows by compressor."""

import csv
import math

from text_table import print_table

OURS = "kompakt"  # the best of its pipelines
BEST_PEER, BEST_SZ3 = "best peer", "best sz3"  # of those that keep their bound, for each field
FEW = 4  # pipelines of ours that have columns of their own
COLUMNS = ("folder", "field", "kind", "dtype", "shape", "bound", "abs_bound", "compressor", "way", "bytes", "ratio",
           "error_of_bound", "violations", "skipped")


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def number(value):
    """Three digits or two decimals."""
    return "-" if math.isnan(value) else f"{value:.2f}" if value < 1000 else f"{value:.0f}"


def groups_of_peers(peers):
    """The peers of which the best one is told, by what it is called."""
    sz3 = [peer for peer in peers if peer.split("-")[0] == "sz3"]  # its settings
    return {**({BEST_SZ3: sz3} if len(sz3) > 1 else {}), **({BEST_PEER: list(peers)} if peers else {})}


class Comparison:
    """The rows of a run, in its order, and the words for its bounds."""

    def __init__(self, rows, bounds, ours, peers):
        self.rows, self.bounds, self.ours, self.peers = rows, bounds, ours, peers
        self.groups = groups_of_peers(peers)
        self.cases = {}
        for row in rows:
            self.cases.setdefault((row["folder"], row["field"], row["bound"]), {})[row["compressor"]] = row

    def rivals(self, case):
        """Ratios of the peers whose streams keep the bound."""
        return {peer: case[peer]["ratio"] for peer in self.peers if case[peer]["ratio"] is not None and not case[peer]["violations"]}

    def ratios(self, case):
        """By compressor, with the best of ours and of groups of peers; those that have taken the field."""
        found = {name: row["ratio"] for name, row in case.items() if row["ratio"] is not None}
        rivals = self.rivals(case)
        best = {OURS: [found[name] for name in self.ours if name in found],
                **{group: [rivals[name] for name in names if name in rivals] for group, names in self.groups.items()}}
        return found | {name: max(ratios) for name, ratios in best.items() if ratios}

    def taken(self, bound, kind=None):
        """Ratios of each case."""
        return [self.ratios(case) for (_, _, word), case in self.cases.items()
                if word == bound and kind in (None, next(iter(case.values()))["kind"])]

    def shared(self, bound):
        """Ratios of the cases that every compressor has taken."""
        every = {*self.ours, *self.peers}
        return [ratios for ratios in self.taken(bound) if every <= ratios.keys()]

    def kinds(self):
        return list(dict.fromkeys(row["kind"] for row in self.rows))

    def mean(self, bound, name):
        """Geometric mean of the ratios of a compressor, over the fields that every one has taken."""
        return geometric_mean(ratios[name] for ratios in self.shared(bound))

    def over(self, bound, name, other, kind=None):
        """Quotients of two ratios, for each field that both have taken."""
        return [ratios[name] / ratios[other] for ratios in self.taken(bound, kind) if {name, other} <= ratios.keys()]

    def ahead(self, bound, name):
        """Fields that no other one, peer or the best of ours, has as small or smaller."""
        count = 0
        for (_, _, word), case in self.cases.items():
            ratios = self.ratios(case)
            runners = self.rivals(case) | ({OURS: ratios[OURS]} if OURS in ratios else {})
            if word == bound and name in runners:
                count += all(runners[name] > ratio for other, ratio in runners.items() if other != name)
        return count

    def violations(self, name):
        return sum(row["violations"] or 0 for row in self.rows if row["compressor"] == name)

    def largest_error(self, name):
        """Over all fields, in bounds."""
        return max((row["error_of_bound"] for row in self.rows
                    if row["compressor"] == name and row["error_of_bound"] is not None), default=math.nan)

    def references(self):
        """What ours are held against."""
        return (*self.peers, *self.groups)

    def means_over(self, bound, other):
        """For JSON: fields that the best of ours and another one have taken, and the means of each of ours over it."""
        quotients = {name: self.over(bound, name, other) for name in (*self.ours, OURS)}
        return {"fields": len(quotients[OURS]), **{name: geometric_mean(found) for name, found in quotients.items() if found}}

    def means(self):
        """For JSON, by bound."""
        names = (*self.ours, OURS, *self.peers)
        return {bound: {"fields": len(self.shared(bound)),
                        "ratio": {name: self.mean(bound, name) for name in names if self.shared(bound)},
                        "over": {other: self.means_over(bound, other) for other in self.references()},
                        "ahead": {name: self.ahead(bound, name) for name in (OURS, *self.peers)}}
                for bound in self.bounds if self.taken(bound)}


def print_fields(comparison):
    peers = comparison.peers
    rows = []
    for (_, field, bound), case in comparison.cases.items():
        first, ratios, rivals = next(iter(case.values())), comparison.ratios(case), comparison.rivals(case)
        best = max((name for name in comparison.ours if name in ratios), key=ratios.get, default="-")
        against = [max(rivals, key=rivals.get, default="-")] if peers else []
        cells = [number(ratios.get(name, math.nan)) for name in (OURS, *peers)]
        over = [number(ratios.get(OURS, math.nan) / ratios.get(group, math.nan)) for group in comparison.groups]
        broken = [f"{name} {row['violations']}" for name, row in case.items() if row["violations"]]
        rows.append([field, "x".join(map(str, first["shape"])), first["kind"], bound, best, *against, *cells, *over,
                     ", ".join(broken) or "0"])
    print_table(["field", "extents", "kind", "bound", "best of ours", *([BEST_PEER] if peers else []), OURS, *peers,
                 *(f"/ {group}" for group in comparison.groups), "violations"], rows, text_columns=6 if peers else 5)


def print_means(comparison):
    bounds, peers = comparison.bounds, comparison.peers
    rows = [["fields", *(str(len(comparison.shared(bound))) for bound in bounds), "", ""]]
    for name in (*comparison.ours, OURS, *peers):
        means = [number(comparison.mean(bound, name)) for bound in bounds]
        error, broken = comparison.largest_error(name), comparison.violations(name)
        checked = ["", ""] if name == OURS else [f"{error:.6f}", str(broken)] if error >= 0 else ["-", str(broken)]
        rows.append([f"{OURS}, best of these" if name == OURS else name, *means, *checked])
    for name in (OURS, *peers) if peers else ():
        rows.append([f"{name} ahead", *(str(comparison.ahead(bound, name)) for bound in bounds), "", ""])
    print_table(["geometric mean", *bounds, "largest error / bound", "violations"], rows, text_columns=1)


def print_over(comparison):
    """Ours over each peer and over the best ones, each over the fields that both have taken."""
    names = (*(comparison.ours if len(comparison.ours) <= FEW else ()), OURS)
    rows = []
    for other in comparison.references():
        for bound in comparison.bounds:
            found = comparison.means_over(bound, other)
            rows.append([f"/ {other}", bound, str(found["fields"]), *(number(found.get(name, math.nan)) for name in names)])
    print_table(["geometric mean", "bound", "fields", *names[:-1], f"{OURS}, best"], rows, text_columns=2)


def print_kinds(comparison):
    rows = []
    for kind in comparison.kinds():
        for bound in comparison.bounds:
            ours = [ratios[OURS] for ratios in comparison.taken(bound, kind) if OURS in ratios]
            over = [geometric_mean(comparison.over(bound, OURS, other, kind)) for other in comparison.references()]
            rows.append([kind, bound, str(len(ours)), number(geometric_mean(ours)), *map(number, over)])
    print_table(["kind", "bound", "fields", OURS, *(f"/ {other}" for other in comparison.references())], rows, text_columns=2)


def print_tables(comparison):
    print_fields(comparison)
    print_means(comparison)
    if comparison.peers:
        print_over(comparison)
    if len(comparison.kinds()) > 1:
        print_kinds(comparison)


def write_csv(file, rows):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "shape": "x".join(map(str, row["shape"]))} for row in rows)
