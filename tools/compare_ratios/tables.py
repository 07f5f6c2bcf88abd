"""Tables of the ratios of many fields. A case is a field within a bound: a dict of rows by compressor."""

import csv
import math

from text_table import print_table

OURS = "kompakt"  # the best of its pipelines
COLUMNS = ("folder", "field", "kind", "dtype", "shape", "bound", "abs_bound", "compressor", "way", "bytes", "ratio",
           "error_of_bound", "violations", "skipped")


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def number(value):
    """Three digits or two decimals."""
    return "-" if math.isnan(value) else f"{value:.2f}" if value < 1000 else f"{value:.0f}"


class Comparison:
    """The rows of a run, in its order, and the words for its bounds."""

    def __init__(self, rows, bounds, ours, peers):
        self.rows, self.bounds, self.ours, self.peers = rows, bounds, ours, peers
        self.cases = {}
        for row in rows:
            self.cases.setdefault((row["folder"], row["field"], row["bound"]), {})[row["compressor"]] = row

    def ratios(self, case):
        """By compressor, with the best of ours; those that have taken the field."""
        found = {name: row["ratio"] for name, row in case.items() if row["ratio"] is not None}
        of_ours = [found[name] for name in self.ours if name in found]
        return {**found, OURS: max(of_ours)} if of_ours else found

    def shared(self, bound, kind=None):
        """Ratios of the cases that every compressor has taken."""
        every = {*self.ours, *self.peers}
        cases = [case for (_, _, word), case in self.cases.items() if word == bound]
        found = [self.ratios(case) for case in cases if kind in (None, next(iter(case.values()))["kind"])]
        return [ratios for ratios in found if every <= ratios.keys()]

    def kinds(self):
        return list(dict.fromkeys(row["kind"] for row in self.rows))

    def mean(self, bound, name, kind=None, over=None):
        """Geometric mean of the ratios of a compressor, or of its ratios over those of another."""
        return geometric_mean(ratios[name] / (ratios[over] if over else 1) for ratios in self.shared(bound, kind))

    def ahead(self, bound, name):
        """Fields that no other one, peer or the best of ours, has as small or smaller."""
        others = [other for other in (OURS, *self.peers) if other != name]
        return sum(all(ratios[name] > ratios[other] for other in others) for ratios in self.shared(bound))

    def violations(self, name):
        return sum(row["violations"] or 0 for row in self.rows if row["compressor"] == name)

    def largest_error(self, name):
        """Over all fields, in bounds."""
        return max((row["error_of_bound"] for row in self.rows
                    if row["compressor"] == name and row["error_of_bound"] is not None), default=math.nan)

    def means(self):
        """For JSON, by bound."""
        names = (*self.ours, OURS, *self.peers)
        return {bound: {"fields": len(self.shared(bound)),
                        "ratio": {name: self.mean(bound, name) for name in names},
                        "ratio_over": {peer: self.mean(bound, OURS, over=peer) for peer in self.peers},
                        "ahead": {name: self.ahead(bound, name) for name in (OURS, *self.peers)}}
                for bound in self.bounds if self.shared(bound)}


def print_fields(comparison):
    peers = comparison.peers
    rows = []
    for (_, field, bound), case in comparison.cases.items():
        first, ratios = next(iter(case.values())), comparison.ratios(case)
        best = max((name for name in comparison.ours if name in ratios), key=ratios.get, default="-")
        cells = [number(ratios.get(name, math.nan)) for name in (OURS, *peers)]
        over = [number(ratios.get(OURS, math.nan) / ratios.get(peer, math.nan)) for peer in peers]
        broken = [f"{name} {row['violations']}" for name, row in case.items() if row["violations"]]
        rows.append([field, "x".join(map(str, first["shape"])), first["kind"], bound, best, *cells, *over,
                     ", ".join(broken) or "0"])
    print_table(["field", "extents", "kind", "bound", "best of ours", OURS, *peers,
                 *(f"/ {peer}" for peer in peers), "violations"], rows, text_columns=5)


def print_means(comparison):
    bounds, peers = comparison.bounds, comparison.peers
    rows = [["fields", *(str(len(comparison.shared(bound))) for bound in bounds), "", ""]]
    for name in (*comparison.ours, OURS, *peers):
        means = [number(comparison.mean(bound, name)) for bound in bounds]
        error, broken = comparison.largest_error(name), comparison.violations(name)
        checked = ["", ""] if name == OURS else [f"{error:.6f}", str(broken)] if error >= 0 else ["-", str(broken)]
        rows.append([f"{OURS}, best of these" if name == OURS else name, *means, *checked])
    for peer in peers:
        rows.append([f"{OURS} / {peer}", *(number(comparison.mean(bound, OURS, over=peer)) for bound in bounds),
                     "", ""])
    for name in (OURS, *peers) if peers else ():
        rows.append([f"{name} ahead", *(str(comparison.ahead(bound, name)) for bound in bounds), "", ""])
    print_table(["geometric mean", *bounds, "largest error / bound", "violations"], rows, text_columns=1)


def print_kinds(comparison):
    rows = []
    for kind in comparison.kinds():
        for bound in comparison.bounds:
            count = len(comparison.shared(bound, kind))
            if count == 0:
                continue
            means = [number(comparison.mean(bound, name, kind)) for name in (OURS, *comparison.peers)]
            over = [number(comparison.mean(bound, OURS, kind, peer)) for peer in comparison.peers]
            rows.append([kind, bound, str(count), *means, *over])
    print_table(["kind", "bound", "fields", OURS, *comparison.peers, *(f"/ {peer}" for peer in comparison.peers)],
                rows, text_columns=2)


def print_tables(comparison):
    print_fields(comparison)
    print_means(comparison)
    if len(comparison.kinds()) > 1:
        print_kinds(comparison)


def write_csv(file, rows):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "shape": "x".join(map(str, row["shape"]))} for row in rows)
