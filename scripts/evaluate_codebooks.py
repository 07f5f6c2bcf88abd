#!/usr/bin/env python3
"""What the dictionaries of codebooks lose against the book that is made for a field.

usage: evaluate_codebooks.py COUNTS.json [--plots FOLDER] [--page PAGE.md] [--parameters FILE]

COUNTS.json is what `bench_codebook --counts COUNTS.json` writes: a list of objects with `field`, `dtype` (f32,
f64), `bound` (text), `predictor`, `values` of the field, `sample_values` that were counted (default: all),
`fixed_words` of 32 bits that their records take beside codes, and counts, `symbols` (1024), `masks` (256) and
`quads` (81). Of a field's predictors the cheapest counts. Prints Markdown tables; --plots draws
codebooks_*.svg (needs matplotlib), --page puts the tables between the markers of docs/pipelines/codebooks.md,
--parameters names another file of dictionaries than perf_test/codebooks/parameters.json.

Bits are counted as the encoder counts them, in integers. Method: cross entropy against entropy, Shah et al.,
Lightweight Huffman Coding, ICS 2023.
"""

import argparse
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import re
import sys

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


class Counts:
    """Of a field's sample: entries of each alphabet, and what its records take beside codes."""

    def __init__(self, entry):
        self.field, self.bound, self.predictor = entry["field"], entry["bound"], entry["predictor"]
        self.fixed_bits = 32 * entry["fixed_words"]
        self.values = entry["values"]
        self.sample_values = entry.get("sample_values", self.values)
        self.list_bits = LIST_BITS[entry["dtype"]]
        self.entries = {name: entry[name] for name in NAMES}
        for name, alphabet in codebooks.ALPHABETS.items():
            if len(self.entries[name]) != alphabet.count:
                raise ValueError(f"{self.field} at {self.bound}: {len(self.entries[name])} counts of {name}, not "
                                 f"{alphabet.count}; only a radius of {codebooks.RADIUS} can be evaluated")
        self.present = {name: [(i, n) for i, n in enumerate(counts) if n > 0]
                        for name, counts in self.entries.items()}

    def total(self, name):
        return sum(self.entries[name])

    def bits(self, name, costs):
        return sum(n * costs[i] for i, n in self.present[name])

    def entropy(self, name):
        """In bits an entry."""
        total = self.total(name)
        return sum(n * math.log2(total / n) for _, n in self.present[name]) / total


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

    def bits(self, counts):
        """Bits of each alphabet with the books that take the fewest, chosen in turn; ties to the lowest number."""
        of_symbols = self.symbol_costs[counts.list_bits]
        found = {"symbols": [counts.bits("symbols", costs) for costs in of_symbols]}
        symbols = of_symbols[first_least(found["symbols"])]
        found["quads"] = [counts.bits("quads", quad_costs(book, symbols)) for book in self.books["quads"]]
        quads = self.books["quads"][first_least(found["quads"])]
        found["masks"] = [counts.bits("masks", mask_costs(book, quads, symbols)) for book in self.books["masks"]]
        return {name: min(found[name]) for name in NAMES}


def first_least(values):
    return values.index(min(values))


class OwnBook:
    """The book that is made for counts."""

    def __init__(self, counts):
        self.lengths = {}
        for name, alphabet in codebooks.ALPHABETS.items():
            weights = [n + (i in alphabet.always) for i, n in enumerate(counts.entries[name])]
            self.lengths[name] = codebooks.code_lengths(weights, alphabet.limit)
        self.bits = {name: counts.bits(name, self.lengths[name]) for name in NAMES}

    def section_bytes(self):
        coded = [i for i, length in enumerate(self.lengths["symbols"]) if length > 0 and i != ESCAPE]
        listed = 1 + coded[-1] - coded[0] + 1 + len(self.lengths["masks"]) + len(self.lengths["quads"])
        return -(-(8 + -(-listed // 2)) // 16) * 16


class Result:
    """Of a field at a bound."""

    def __init__(self, counts, own, dictionaries):
        self.counts, self.own = counts, own
        self.own_bits = sum(own.bits.values())
        self.bits = {size: dictionary.bits(counts) for size, dictionary in dictionaries.items()}

    def loss(self, size, name=None):
        """Of bits of codes, in %; what an alphabet adds to it."""
        names = NAMES if name is None else (name,)
        return 100 * sum(self.bits[size][n] - self.own.bits[n] for n in names) / self.own_bits

    def stream_change(self, size):
        """In %, of the records and sections of the whole field."""
        scale = self.counts.values / self.counts.sample_values
        own, of_dictionary = (
            (self.counts.fixed_bits + codes) * scale + 8 * section
            for codes, section in ((self.own_bits, self.own.section_bytes()),
                                   (sum(self.bits[size].values()), DICTIONARY_SECTION)))
        return 100 * (of_dictionary / own - 1)

    def mean_bits(self, name, size=None):
        """Of an entry, with a dictionary, which is the cross entropy, or with the field's own book."""
        bits = self.own.bits if size is None else self.bits[size]
        return bits[name] / self.counts.total(name)


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
        if counts.total("masks") == 0:
            continue
        own = OwnBook(counts)
        cost = (counts.fixed_bits + sum(own.bits.values())) / counts.sample_values
        key = counts.bound, counts.field
        if key not in best or cost < best[key][0]:
            best[key] = cost, counts, own
    results = {}
    for bound in sorted({bound for bound, _ in best}, key=float, reverse=True):
        results[bound] = [Result(counts, own, dictionaries)
                          for (b, _), (_, counts, own) in best.items() if b == bound]
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
    return result.own_bits >= LARGE_BITS


# -------------------------------------------------------------------------------------------- tables

def bound_name(text):
    exponent = round(math.log10(float(text)))
    if float(f"1e{exponent}") != float(text):
        return text
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


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


def entropy_table(results):
    rows = []
    for name in NAMES:
        for bound, all_found in results.items():
            found = [r for r in all_found if r.counts.total(name) > 0]
            if not found:
                continue
            entropies = [r.counts.entropy(name) for r in found]
            of_own = [r.mean_bits(name) for r in found]
            cross = [r.mean_bits(name, LIBRARY_SIZE) for r in found]
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
            rows.append([bound_name(bound), r.counts.field, str(r.own_bits), number(r.loss(LIBRARY_SIZE))]
                        + [number(r.loss(LIBRARY_SIZE, name)) for name in NAMES]
                        + [number(r.stream_change(LIBRARY_SIZE))])
    return markdown(["bound", "field", "bits of its own codes", "loss %"]
                    + [f"{name} %" for name in NAMES] + ["stream %"], rows)


def tables(results):
    """By the names of the markers of the page."""
    return {
        "loss": size_table(results, Result.loss),
        "loss of large fields": size_table(results, Result.loss, is_large),
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


def load_matplotlib():
    try:
        import matplotlib
    except ImportError:
        raise ValueError("--plots needs matplotlib; install it with: pip install matplotlib") from None
    matplotlib.use("svg")
    # The same file wherever it is drawn; on white, since pages may be dark.
    matplotlib.rcParams.update({
        "svg.hashsalt": "kompakt", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 10,
        "figure.facecolor": "white", "savefig.facecolor": "white", "axes.facecolor": "white",
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "axes.titlesize": 11, "grid.color": "#e0e0e0", "grid.linewidth": 0.6, "legend.frameon": False,
        "figure.constrained_layout.use": True,
    })
    return matplotlib


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


def draw_entropy(plots, results):
    figure, axes = plots.pyplot.subplots(1, len(NAMES), figsize=(9.6, 4.2))
    for axis, name in zip(axes, NAMES):
        most = 0
        for bound, (colour, marker) in style(plots, results).items():
            found = [r for r in results[bound] if r.counts.total(name) > 0]
            entropies = [r.counts.entropy(name) for r in found]
            cross = [r.mean_bits(name, LIBRARY_SIZE) for r in found]
            most = max([most] + cross + entropies)
            axis.scatter(entropies, cross, s=16, color=[colour], marker=marker, linewidths=0, alpha=0.8,
                         label=bound_name(bound), zorder=3)
        most *= 1.05
        axis.plot([0, most], [0, most], color="#404040", linewidth=1, linestyle=(0, (4, 3)), zorder=2)
        axis.set_xlim(0, most)
        axis.set_ylim(0, most)
        axis.set_aspect("equal")
        axis.xaxis.set_major_locator(plots.ticker.MaxNLocator(6, integer=True))
        axis.yaxis.set_major_locator(plots.ticker.MaxNLocator(6, integer=True))
        axis.set_title(name)
        axis.set_xlabel("entropy, bits an entry")
    axes[0].set_ylabel("cross entropy, bits an entry")
    figure.legend(*axes[0].get_legend_handles_labels(), title="bound / range; dashed: equal",
                  loc="outside lower center", ncols=len(results))
    return figure


def draw(plots, results, folder):
    import matplotlib.pyplot  # noqa: F401, gives plots.pyplot
    import matplotlib.ticker  # noqa: F401
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in (("books", draw_sizes), ("fields", draw_fields), ("entropy", draw_entropy)):
        figure = drawn(plots, results)
        figure.savefig(folder / f"codebooks_{name}.svg", metadata={"Date": None, "Creator": None})
        plots.pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("counts", metavar="COUNTS.json", type=pathlib.Path,
                        help="what bench_codebook --counts wrote")
    parser.add_argument("--plots", metavar="FOLDER", type=pathlib.Path, help="draw codebooks_*.svg there")
    parser.add_argument("--page", metavar="PAGE.md", type=pathlib.Path, help="put the tables into this page")
    parser.add_argument("--parameters", metavar="FILE", type=pathlib.Path,
                        help="JSON with the parameters of all dictionaries but the library's")
    arguments = parser.parse_args()
    try:
        plots = load_matplotlib() if arguments.plots else None
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
