#!/usr/bin/env python3
"""What the dictionaries of codebooks lose against the book that is made for a field.

usage: evaluate_codebooks.py COUNTS.json [--plots FOLDER] [--page PAGE.md] [--parameters FILE]

COUNTS.json is what `bench_codebook --counts COUNTS.json` writes: a list of objects with `field`, `dtype` (f32,
f64), `bound` (text), `values` of the field, `sample_values` that were counted (default: all), `fixed_words` of
32 bits that their records take beside codes, and counts, `symbols` (1024), `masks` (256) and `quads` (81). Of
objects with the same field and bound, one a predictor, the cheapest counts. Prints Markdown tables; --plots draws
books.svg and fields.svg (needs matplotlib), --page puts the tables between the markers of evaluation.md,
--parameters names another file of dictionaries than parameters.json of this folder.

Bits are counted as the encoder counts them, in integers, and books of symbols only are taken where it takes them.
Method: cross entropy against entropy, Shah et al., Lightweight Huffman Coding, ICS 2023.
"""

import argparse
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import svg_plots
from text_table import bound_name

SIZES = (5, 10, 25, 50, 100)
LIBRARY_SIZE = 25
LARGE_BITS = 20000  # of codes, from which a field is counted as large
DICTIONARY_SECTION = 16  # bytes
LIST_BITS = {"f32": 16 + 32, "f64": 16 + 64}  # of a residual without a symbol


def load_script(name):
    """A script of this folder as a module."""
    path = str(pathlib.Path(__file__).resolve().parent / name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


codebooks = load_script("make-codebooks")
ESCAPE, ZERO, OTHER_QUAD, FULL_MASK = (codebooks.ESCAPE, codebooks.ZERO, codebooks.OTHER_QUAD,
                                       codebooks.FULL_MASK)
NAMES = tuple(codebooks.ALPHABETS)
QUAD_RESIDUALS = [codebooks.quad_residuals(quad) for quad in range(81)]
ZERO_QUADS = [8 - bin(mask).count("1") for mask in range(256)]


def count_as_symbols(entries):
    """Of each symbol, if there are neither masks nor quads: those that these tell beside those behind `other`."""
    symbols = list(entries["symbols"])
    for quad, n in enumerate(entries["quads"]):
        if quad != OTHER_QUAD:
            for residual in QUAD_RESIDUALS[quad]:
                symbols[ZERO + residual] += n
    symbols[ZERO] += sum(4 * zeros * n for n, zeros in zip(entries["masks"], ZERO_QUADS))
    return symbols


def log2_fixed(x):
    """Base-2 logarithm of x > 0 in units of 2^-16, as log2_fixed() of src/codec/coder/huffman/make_book.hpp."""
    bits = x.bit_length() - 1
    rest = x << 31 >> bits  # 1 to 2 in units of 2^-31
    for _ in range(16):
        rest = rest * rest >> 31
        bit = rest >> 32
        rest >>= bit
        bits = bits << 1 | bit
    return bits


class Histogram:
    """Counts of entries by alphabet: of all, or of symbols only."""

    def __init__(self, entries):
        self.entries = entries
        self.symbols_only = "masks" not in entries
        self.present = {name: [(i, n) for i, n in enumerate(counts) if n > 0] for name, counts in entries.items()}

    def total(self, name):
        return sum(self.entries.get(name, ()))

    def bits(self, name, costs):
        return sum(n * costs[i] for i, n in self.present[name])

    def entropy(self, name):
        """In bits an entry."""
        total = self.total(name)
        return sum(n * math.log2(total / n) for _, n in self.present[name]) / total

    def ideal_bits(self):
        """By the entropy, but no code is shorter than a bit."""
        one, bits = 1 << 16, 0
        for name, present in self.present.items():
            log_total = log2_fixed(max(1, self.total(name)))
            bits += sum(n * max(one, log_total - log2_fixed(n)) for _, n in present)
        return bits >> 16


class Counts:
    """Of a field's sample: entries, and what its records take beside codes."""

    def __init__(self, entry):
        self.field, self.bound = entry["field"], entry["bound"]
        self.fixed_bits = 32 * entry["fixed_words"]
        self.values = entry["values"]
        self.sample_values = entry.get("sample_values", self.values)
        self.list_bits = LIST_BITS[entry["dtype"]]
        entries = {name: entry[name] for name in NAMES}
        for name, alphabet in codebooks.ALPHABETS.items():
            if len(entries[name]) != alphabet.count:
                raise ValueError(f"{self.field} at {self.bound}: {len(entries[name])} counts of {name}, not "
                                 f"{alphabet.count}; only a radius of {codebooks.RADIUS} can be evaluated")
        self.all_alphabets = Histogram(entries)
        self.symbols_only = Histogram({"symbols": count_as_symbols(entries)})
        # The histogram that a book is made for, and its bits; ties to all alphabets.
        self.ideal_bits, self.preferred = min(
            ((histogram.ideal_bits(), histogram) for histogram in (self.all_alphabets, self.symbols_only)),
            key=lambda pair: pair[0])


# What entries of an alphabet take, those without a code by what stands for them.

def symbol_costs(lengths, list_bits):
    return [length or lengths[ESCAPE] + list_bits for length in lengths]


def quad_costs(lengths, symbols):
    """symbols: costs of these"""
    return [length or lengths[OTHER_QUAD] + sum(symbols[ZERO + r] for r in residuals)
            for length, residuals in zip(lengths, QUAD_RESIDUALS)]


def mask_costs(lengths, quad_lengths, symbols):
    zero_quad = quad_lengths[OTHER_QUAD] + 4 * symbols[ZERO]
    return [length or lengths[FULL_MASK] + zeros * zero_quad for length, zeros in zip(lengths, ZERO_QUADS)]


class Dictionary:
    def __init__(self, books):
        """books: lengths of symbols, masks and quads"""
        self.books = dict(zip(NAMES, books))
        self.symbol_costs = {bits: [symbol_costs(book, bits) for book in self.books["symbols"]]
                             for bits in set(LIST_BITS.values())}

    def coded(self, histogram, list_bits):
        """With the books that take the fewest bits, chosen in turn; ties to the lowest number."""
        of_symbols = self.symbol_costs[list_bits]
        found = {"symbols": [histogram.bits("symbols", costs) for costs in of_symbols]}
        if not histogram.symbols_only:
            symbols = of_symbols[first_least(found["symbols"])]
            found["quads"] = [histogram.bits("quads", quad_costs(book, symbols)) for book in self.books["quads"]]
            quads = self.books["quads"][first_least(found["quads"])]
            found["masks"] = [histogram.bits("masks", mask_costs(book, quads, symbols))
                              for book in self.books["masks"]]
        return Coded(histogram, {name: min(bits) for name, bits in found.items()})

    def codings(self, counts):
        """With books of all alphabets, and of symbols only."""
        return [self.coded(histogram, counts.list_bits) for histogram in (counts.all_alphabets, counts.symbols_only)]


class Coded:
    """What the codes of a histogram take."""

    def __init__(self, histogram, bits):
        """bits: by alphabet"""
        self.histogram = histogram
        self.bits = {name: bits.get(name, 0) for name in NAMES}
        self.total = sum(bits.values())

    def mean_bits(self, name):
        """Of an entry."""
        return self.bits[name] / self.histogram.total(name)


def cheapest(codings):
    """Ties to the first one, of all alphabets."""
    return min(codings, key=lambda coded: coded.total)


def first_least(values):
    return values.index(min(values))


class OwnBook:
    """The book that is made for counts."""

    def __init__(self, counts):
        histogram = counts.preferred
        self.lengths = {}
        for name, entries in histogram.entries.items():
            alphabet = codebooks.ALPHABETS[name]
            weights = [n + (i in alphabet.always) for i, n in enumerate(entries)]
            self.lengths[name] = codebooks.code_lengths(weights, alphabet.limit)
        self.coded = Coded(histogram, {name: histogram.bits(name, lengths)
                                       for name, lengths in self.lengths.items()})

    def section_bytes(self):
        symbols = [i for i, length in enumerate(self.lengths["symbols"]) if length > 0 and i != ESCAPE]
        listed = 1 + symbols[-1] - symbols[0] + 1
        listed += sum(len(lengths) for name, lengths in self.lengths.items() if name != "symbols")
        return -(-(8 + -(-listed // 2)) // 16) * 16


class Result:
    """Of a field at a bound: with its own book, and with each dictionary."""

    def __init__(self, counts, dictionaries):
        self.counts = counts
        self.own_book = OwnBook(counts)
        self.own = self.own_book.coded
        self.coded, self.alike = {}, {}
        for size, dictionary in dictionaries.items():
            codings = dictionary.codings(counts)
            self.coded[size] = cheapest(codings)
            # For entropies: with codes of the same alphabets as its own.
            self.alike[size] = next(c for c in codings if c.histogram is self.own.histogram)

    def loss(self, size, name=None):
        """Of bits of codes, in %; what an alphabet adds to it."""
        names = NAMES if name is None else (name,)
        return 100 * sum(self.coded[size].bits[n] - self.own.bits[n] for n in names) / self.own.total

    def stream_change(self, size):
        """In %, of the records and sections of the whole field."""
        scale = self.counts.values / self.counts.sample_values
        own, of_dictionary = (
            (self.counts.fixed_bits + coded.total) * scale + 8 * section
            for coded, section in ((self.own, self.own_book.section_bytes()),
                                   (self.coded[size], DICTIONARY_SECTION)))
        return 100 * (of_dictionary / own - 1)

    def symbols_only(self, size):
        """Which books are."""
        own, of_dictionary = (coded.histogram.symbols_only for coded in (self.own, self.coded[size]))
        return {(False, False): "", (True, False): "own", (False, True): "dictionary", (True, True): "both"}[
            own, of_dictionary]


def read_counts(path):
    """Of each field and bound, in the order of the file."""
    try:
        return [Counts(entry) for entry in json.loads(path.read_text())]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: {error!r}; give what bench_codebook --counts writes") from None


def evaluate(all_counts, dictionaries):
    """Results by bound, the coarsest first; of a field's predictors only the cheapest, and of fields that need
    codes only."""
    best = {}
    for counts in all_counts:
        if counts.all_alphabets.total("masks") == 0:
            continue
        cost = (counts.fixed_bits + counts.ideal_bits) / counts.sample_values
        key = counts.bound, counts.field
        if key not in best or cost < best[key][0]:
            best[key] = cost, counts
    results = {}
    for bound in sorted({bound for bound, _ in best}, key=float, reverse=True):
        results[bound] = [Result(counts, dictionaries) for (b, _), (_, counts) in best.items() if b == bound]
    return results


def quantile(values, share):
    """Between neighbours by their distances."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def median(values):
    return quantile(values, 0.5)


def is_large(result):
    return result.own.total >= LARGE_BITS


# -------------------------------------------------------------------------------------------- tables

def number(value):
    """With a true minus and without a negative zero."""
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def markdown(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def spread(values):
    if not values:
        return ""
    return " / ".join(number(value) for value in (median(values), quantile(values, 0.9), max(values)))


def size_table(results, of_result, taken=lambda result: True):
    """A row a dictionary: median, 90 % and worst over the fields of a bound."""
    chosen = {bound: [r for r in found if taken(r)] for bound, found in results.items()}
    rows = [["fields"] + [str(len(found)) for found in chosen.values()]]
    rows += [[str(size)] + [spread([of_result(r, size) for r in found]) for found in chosen.values()]
             for size in SIZES]
    return markdown(["books"] + [bound_name(bound) for bound in results], rows)


def symbols_only_table(results):
    """How many fields take books of symbols only."""
    def row(heading, coded_of):
        return [heading] + [str(sum(coded_of(r).histogram.symbols_only for r in found))
                            for found in results.values()]
    rows = [row("its own", lambda r: r.own)]
    rows += [row(str(size), lambda r: r.coded[size]) for size in SIZES]
    return markdown(["books"] + [bound_name(bound) for bound in results], rows)


def having(found, name):
    """Results with entries of an alphabet, as their own books take them."""
    return [r for r in found if r.own.histogram.total(name) > 0]


def entropy_table(results):
    rows = []
    for name in NAMES:
        for bound, all_found in results.items():
            found = having(all_found, name)
            if not found:
                continue
            entropies = [r.own.histogram.entropy(name) for r in found]
            of_own = [r.own.mean_bits(name) for r in found]
            cross = [r.alike[LIBRARY_SIZE].mean_bits(name) for r in found]
            rows.append([name, bound_name(bound), str(len(found))]
                        + [number(median(values)) for values in (entropies, of_own, cross)]
                        + [number(median([bits - entropy for bits, entropy in zip(mean_bits, entropies)]))
                           for mean_bits in (of_own, cross)])
    return markdown(["alphabet", "bound", "fields", "entropy", "own book", "cross entropy",
                     "divergence, own book", "divergence, dictionary"], rows)


def worst_table(results, most=5):
    rows = []
    for bound, found in results.items():
        for r in sorted(found, key=lambda r: -r.loss(LIBRARY_SIZE))[:most]:
            rows.append([bound_name(bound), r.counts.field, str(r.own.total),
                         r.symbols_only(LIBRARY_SIZE), number(r.loss(LIBRARY_SIZE))]
                        + [number(r.loss(LIBRARY_SIZE, name)) for name in NAMES]
                        + [number(r.stream_change(LIBRARY_SIZE))])
    return markdown(["bound", "field", "bits of its own codes", "symbols only", "loss %"]
                    + [f"{name} %" for name in NAMES] + ["stream %"], rows)


def tables(results):
    """By the names of the markers of the page."""
    return {
        "loss": size_table(results, Result.loss),
        "loss of large fields": size_table(results, Result.loss, is_large),
        "symbols only": symbols_only_table(results),
        "change of streams": size_table(results, Result.stream_change),
        "entropy": entropy_table(results),
        "worst fields": worst_table(results),
    }


def fill_page(path, made):
    """Puts the tables between <!-- NAME --> and <!-- end --> of a page."""
    text = path.read_text()
    for name, table in made.items():
        text, found = re.subn(rf"(<!-- {name} -->\n)(?:(?!<!--).)*(<!-- end -->)",
                              lambda match: f"{match[1]}\n{table}\n\n{match[2]}", text, flags=re.DOTALL)
        if found != 1:
            raise ValueError(f"{path}: {found} places for the table '{name}'; put one between lines "
                             f"<!-- {name} --> and <!-- end -->")
    path.write_text(text)


# --------------------------------------------------------------------------------------------- plots

LEAST_SHOWN = 0.05  # %, on logarithmic axes
MARKERS = "osD^v<>ph"


def shown(percent):
    return max(percent, LEAST_SHOWN)


def loss_axis(axis, ticks):
    axis.set_yscale("log")
    axis.set_yticks(ticks, [f"≤ {tick:g}" if tick == LEAST_SHOWN else f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    axis.set_ylabel("extra bits against the field's own book, %")


def style(plots, bounds):
    """Colour and marker of each bound: lighter is finer, also without colours."""
    colours = plots.colormaps["viridis"]
    return {bound: (colours(0.85 * i / max(1, len(bounds) - 1)), MARKERS[i % len(MARKERS)])
            for i, bound in enumerate(bounds)}


def draw_sizes(plots, results):
    figure, axis = plots.pyplot.subplots(figsize=(7.2, 4.4))
    for i, (bound, (colour, marker)) in enumerate(style(plots, results).items()):
        losses = [[r.loss(size) for r in results[bound]] for size in SIZES]
        middle, low, high = ([shown(quantile(values, share)) for values in losses] for share in (0.5, 0.25, 0.75))
        # Side by side, so that no bar hides another.
        places = [size * 1.05 ** (i - (len(results) - 1) / 2) for size in SIZES]
        axis.vlines(places, low, high, color=colour, alpha=0.45, linewidth=3)
        axis.plot(places, middle, color=colour, marker=marker, markersize=5.5, linewidth=1.5,
                  label=bound_name(bound))
    axis.set_xscale("log")
    axis.set_xticks(SIZES, [str(size) for size in SIZES])
    loss_axis(axis, [0.1, 0.2, 0.5, 1, 2, 5, 10, 20])
    axis.set_xlabel("books of each alphabet")
    axis.set_title("Median over the fields; bars: from the first quartile to the third", loc="left")
    axis.legend(title="bound / range", loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def draw_fields(plots, results):
    figure, axis = plots.pyplot.subplots(figsize=(7.2, 4.4))
    for i, (bound, (colour, _)) in enumerate(style(plots, results).items()):
        found = sorted(results[bound], key=lambda r: r.loss(LIBRARY_SIZE))
        losses = [shown(r.loss(LIBRARY_SIZE)) for r in found]
        axis.boxplot([losses], positions=[i], widths=0.62, showfliers=False, whis=(0, 100),
                     medianprops={"color": "black", "linewidth": 1.5},
                     boxprops={"color": "#808080"}, whiskerprops={"color": "#808080"},
                     capprops={"color": "#808080"})
        # The golden ratio spreads neighbours apart.
        places = [i + 0.44 * (k * 0.618034 % 1 - 0.5) for k in range(len(found))]
        for large in (True, False):
            dots = [(x, y) for x, y, r in zip(places, losses, found) if is_large(r) == large]
            axis.scatter(*zip(*dots) if dots else ([], []), s=20, linewidths=1.1, edgecolors=[colour],
                         facecolors=[colour] if large else "white", zorder=3)
        axis.annotate(found[-1].counts.field, (places[-1], losses[-1]), xytext=(0, 6),
                      textcoords="offset points", ha="center", fontsize=8, color="#404040")
    for face, label in (("#404040", f"{LARGE_BITS:,} bits of codes or more".replace(",", " ")), ("white", "fewer")):
        axis.scatter([], [], s=20, linewidths=1.1, edgecolors="#404040", facecolors=face, label=label)
    axis.set_xticks(range(len(results)), [bound_name(bound) for bound in results])
    loss_axis(axis, [LEAST_SHOWN, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50])
    axis.grid(visible=False, axis="x")
    axis.margins(y=0.08)
    axis.set_xlabel("bound / range of the field")
    axis.set_title(f"A dot a field, {LIBRARY_SIZE} books; boxes: quartiles and extremes", loc="left")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure


def draw(plots, results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in (("books", draw_sizes), ("fields", draw_fields)):
        svg_plots.write_svg(plots, drawn(plots, results), folder / f"{name}.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("counts", metavar="COUNTS.json", type=pathlib.Path,
                        help="what bench_codebook --counts wrote")
    parser.add_argument("--plots", metavar="FOLDER", type=pathlib.Path, help="draw books.svg and fields.svg there")
    parser.add_argument("--page", metavar="PAGE.md", type=pathlib.Path, help="put the tables into this page")
    parser.add_argument("--parameters", metavar="FILE", type=pathlib.Path,
                        help="JSON with the parameters of all dictionaries but the library's")
    arguments = parser.parse_args()
    try:
        plots = svg_plots.load_matplotlib() if arguments.plots else None
        all_counts = read_counts(arguments.counts)
        rows = {size: codebooks.parameters(size, None if size == LIBRARY_SIZE else arguments.parameters)
                for size in SIZES}
        dictionaries = {size: Dictionary(codebooks.make_dictionary(rows[size])) for size in SIZES}
        results = evaluate(all_counts, dictionaries)
        if not results:
            raise ValueError(f"{arguments.counts}: no field that needs codes; count others, or finer bounds")
        made = tables(results)
        print("\n\n".join(f"### {name}\n\n{table}" for name, table in made.items()))
        if arguments.page:
            fill_page(arguments.page, made)
        if arguments.plots:
            draw(plots, results, arguments.plots)
    except (OSError, ValueError) as error:
        sys.exit(f"evaluate_codebooks: {error}")


if __name__ == "__main__":
    main()
