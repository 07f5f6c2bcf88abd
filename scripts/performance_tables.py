#!/usr/bin/env python3
"""Writes the tables of docs/performance.md and of the other pages in PAGES from the JSON of runs.

usage: performance_tables.py [--check]

--check writes nothing and fails if a page differs from what the JSON gives. A table stands between

    <!-- table: FILE.json [FILE.json]...
    rows: FIELD=WORD|WORD...; ... [or FIELD=WORD...]...
    key: FIELD; ...
    columns: COLUMN; ...
    -->
    <!-- end -->

FILE is in docs/performance and holds what a benchmark wrote with --benchmark_out, or ratio-speed or compare-ratios with --json.
`key` names the first columns; each combination of their values is a row. The fields of a line are the words of its label
(data, extents, dtype, bound, predictor, variant) and file, pipeline, space and operation; a word of
`rows`, of which the line may be left out, may end in *. A further COLUMN is one of the names below, or
HEADING = NAME [FIELD=WORD, ...] for the line with these words; NAME [...] / NAME [...] is a quotient. Every
number must have one line at most.

The fields of a line of ratio-speed and compare-ratios are fields (the name of a group or folder), field, bound and compressor. The
compressor `differences` has for each field the smallest stream of ours without interpolation, and `smallest` the smallest of ours.
The field `geometric mean` has means over the group. Of compare-ratios `median` has medians, `float` and `double` have means of the fields
of one type, and `quotient` has means of ratios of a compressor over those of another, which is called `over`.

The lines under the table say on what and when the runs were made.
"""

import difflib
import fnmatch
import json
import math
import pathlib
import re
import statistics
import sys

import bench_table
from text_table import bound_name

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
RUNS = DOCS / "performance"
PAGES = ("performance.md", "notebook.md", "comparison.md", "device.md", "pipelines/interpolation.md", "cli.md")
TABLE = re.compile(r"^(<!-- table: (\S[^\n]*)\n(.*?)^-->\n)(.*?)^<!-- end -->$",
                   re.MULTILINE | re.DOTALL)


def rate(value):
    """Three digits, or the integer."""
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def ratio_of_field(value):
    """Four digits, or the integer; at most two decimals."""
    return f"{value:.{2 if value < 100 else 1 if value < 1000 else 0}f}"


def form(pattern):
    return lambda value: pattern.format(value)


MEAN, QUOTIENT = "geometric mean", "quotient"
TYPES = {"f32": "float", "f64": "double"}
# name of a column: counter of a line, fields that the line must have, how the number is written
COLUMNS = {
    "compress GB/s": ("gbps", {"operation": "compress"}, rate),
    "decompress GB/s": ("gbps", {"operation": "decompress"}, rate),
    "compress % of copy": ("percent_of_copy", {"operation": "compress"}, form("{:.0f}")),
    "decompress % of copy": ("percent_of_copy", {"operation": "decompress"}, form("{:.0f}")),
    "compress % of roof": ("percent_of_roof", {"operation": "compress"}, form("{:.0f}")),
    "decompress % of roof": ("percent_of_roof", {"operation": "decompress"}, form("{:.0f}")),
    "copy GB/s": ("copy_gbps", {"operation": "compress"}, rate),
    "ratio": ("ratio", {"operation": "compress"}, form("{:.2f}")),
    "ratio of a field": ("ratio", {}, ratio_of_field),
    "mean ratio": ("ratio", {"field": MEAN}, form("{:.1f}")),
    "mean": ("ratio", {"field": MEAN}, form("{:.2f}")),
    "median": ("ratio", {"field": "median"}, form("{:.2f}")),
    **{name: ("ratio", {"field": name}, form("{:.2f}")) for name in TYPES.values()},
    "quotient": ("quotient", {"field": QUOTIENT}, form("{:.2f}")),
    "bits/value": ("bits_per_value", {"operation": "compress"}, form("{:.2f}")),
    "error of bound": ("max_error_over_bound", {"operation": "compress"}, form("{:.6f}")),
    "exceptions": ("exceptions", {"operation": "compress"}, form("{:.0f}")),
    "PSNR dB": ("psnr_db", {"operation": "compress"}, form("{:.2f}")),
    "GB/s": ("gbps", {}, rate),
    "% of copy": ("percent_of_copy", {}, form("{:.1f}")),
    "% of raw": ("percent_of_raw", {}, form("{:.0f}")),
    "memory %": ("memory_percent", {}, form("{:.1f}")),
    "fields": ("fields", {}, form("{:.0f}")),
    "µs": ("microseconds", {}, form("{:.0f}")),
    "ms": ("milliseconds", {}, rate),
    "ratio of chunks": ("ratio", {"operation": "compress/batch"}, form("{:.2f}")),
    "C++ µs": ("cpp_us", {}, form("{:.2f}")),
    "C µs": ("c_us", {}, form("{:.2f}")),
    "added µs": ("added_us", {}, form("{:.2f}")),
    "library s": ("library_s", {}, rate),
    "unfiltered s": ("unfiltered_s", {}, rate),
    "operator s": ("operator_s", {}, rate),
    "plain s": ("plain_s", {}, rate),
    "calls s": ("call_s", {}, rate),
    "operator of library": ("operator_of_library", {}, form("{:.2f}")),
    "calls of library": ("call_of_library", {}, form("{:.2f}")),
    "of library": ("of_library", {}, form("{:.2f}")),
    "kompakt s": ("kompakt_s", {}, rate),
    "SZ3 s": ("sz3_s", {}, rate),
    "ZFP s": ("zfp_s", {}, rate),
    "of both": ("of_parts", {}, form("{:.2f}")),
    "SZ3 times": ("sz3_times", {}, form("{:.1f}")),
    "ZFP times": ("zfp_times", {}, form("{:.1f}")),
    "kompakt ratio": ("kompakt_ratio", {}, form("{:.2f}")),
    "SZ3 ratio": ("sz3_ratio", {}, form("{:.2f}")),
    "ZFP ratio": ("zfp_ratio", {}, form("{:.2f}")),
    "write µs": ("write_us", {}, form("{:.1f}")),
    "read µs": ("read_us", {}, form("{:.1f}")),
    "chunk ratio": ("ratio", {"operation": "chunk"}, form("{:.2f}")),
}
# fields whose words the page writes in another way
SPOKEN = {("operation", "cube"): "64 × 64 × 64", ("operation", "slowest_plane"): "1 × 512 × 512",
          ("operation", "middle_plane"): "512 × 1 × 512",
          ("operation", "fastest_plane"): "512 × 512 × 1", ("operation", "row"): "1 × 1 × 512",
          ("operation", "whole"): "512 × 512 × 512",
          ("fields", "data"): "all 35, fill values masked", ("fields", "smooth"): "7 smooth, generated",
          ("compressor", "auto"): "`balanced`",
          **{("compressor", f"auto --for {goal}"): f"`{goal}`" for goal in ("ratio", "smallest", "speed")},
          **{(key, name): words for key in ("compressor", "over") for name, words in (
              ("sz3", "SZ3"), ("sz3-interpolation", "SZ3, interpolation alone"), ("sz3-lorenzo", "SZ3, Lorenzo and regression"),
              ("sperr", "SPERR"), ("blosc2", "Blosc2"), ("best sz3", "the best of SZ3's settings for each field"),
              ("best peer", "the best of these for each field"))}}
HEADINGS = {"dtype": "type", "operation": "call", "over": "over the ratio of"}


def lines_of(name):
    """What a file measured: a dictionary of fields and counters for each line without an error."""
    with open(RUNS / name, encoding="utf-8") as file:
        result = json.load(file)
    if "benchmarks" not in result:
        return context_of_ratios(result), lines_of_ratios(result)
    # the program is not in every report: then the file is called after it, MACHINE_PIPELINE…
    program = result["context"].get("executable", "bench_" + re.split("[_.]", name)[1])
    lines = []
    for entry in result["benchmarks"]:
        if entry.get("error_occurred"):
            raise ValueError(f"{name}: {entry['name']} failed")
        words = bench_table.labels(entry)
        parts = entry["name"].split("/iterations:")[0].split("/")
        words["file"] = name.removesuffix(".json")
        words.setdefault("pipeline", program.rsplit("/", 1)[-1].removeprefix("bench_"))
        if words["pipeline"] == "region":  # one program for all: the name of the line says which
            words["pipeline"] = parts[-2]
        words["space"] = bench_table.space(entry)
        words["operation"] = entry["name"].split(f"/{words['data']}/")[0]
        lines.append((words, entry))
    return result["context"], lines


def context_of_ratios(report):
    """What provenance() writes of a report of ratio-speed or compare-ratios."""
    commit = re.search(r"\((.*)\)", report.get("kompakt", ""))
    return {"peers": ", ".join(dict.fromkeys(report["peers"].values())), "kompakt_commit": commit[1] if commit else report.get("kompakt_commit"),
            "date": report["date"], "command": report["command"]}


def ratios_of(report):
    """The ratio of each row, by group, bound, field and compressor."""
    if "means" in report:
        return {(row["folder"], row["bound"], row["field"], row["compressor"]): row["ratio"] for row in report["rows"]
                if row["ratio"] is not None}
    raw_bytes = {(field["group"], field["field"]): math.prod(field["shape"]) * int(field["dtype"][1:]) // 8
                 for field in report["fields"]}
    rows = [dict(zip(report["columns"], cells)) for cells in report["rows"]]
    return {(row["group"], row["bound"], row["field"], row["compressor"].replace(", ", "+")):
            raw_bytes[row["group"], row["field"]] / row["bytes"] for row in rows}


def summaries_of(report):
    """What is told of some fields together, by group and field."""
    if "means" in report:
        return {(row["folder"], row["field"]): (MEAN, "median", TYPES[row["dtype"]]) for row in report["rows"]}
    return {(field["group"], field["field"]): (MEAN,) for field in report["fields"]}


def mean_of(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def spoken_bound(bound):
    return bound if bound == "lossless" else bound_name(bound)


def lines_of_quotients(report):
    """Lines of compare-ratios: means of the ratios of ours over others."""
    if "means" not in report:
        return
    group = "+".join(dict.fromkeys(row["folder"] for row in report["rows"]))
    for bound, means in report["means"].items():
        for over, found in means.get("over", {}).items():
            for compressor in found.keys() - {"fields"}:
                yield ({"fields": group, "bound": spoken_bound(bound), "field": QUOTIENT, "compressor": compressor, "over": over,
                        "operation": "compress"},
                       {"name": f"{compressor} over {over} within {bound}", "quotient": found[compressor], "fields": found["fields"]})


def lines_of_ratios(report):
    """Lines of ratio-speed and compare-ratios: ratios of fields, the largest of some compressors, means, medians and quotients."""
    ratios = ratios_of(report)
    for (group, bound, field, compressor), ratio in list(ratios.items()):
        for best in ("smallest", "differences")[:1 if "interpolate" in compressor else 2]:
            if compressor not in report["peers"]:
                ratios[group, bound, field, best] = max(ratio, ratios.get((group, bound, field, best), 0))
    of_fields, summaries = {}, summaries_of(report)
    for (group, bound, field, compressor), ratio in ratios.items():
        for name in summaries[group, field]:
            of_fields.setdefault((group, bound, name, compressor), []).append(ratio)
    means = {key: statistics.median(found) if key[2] == "median" else mean_of(found) for key, found in of_fields.items()}
    return [({"fields": group, "bound": spoken_bound(bound), "field": field, "compressor": compressor, "operation": "compress"},
             {"name": f"{field} by {compressor} within {bound}", "ratio": ratio})
            for (group, bound, field, compressor), ratio in {**ratios, **means}.items()] + list(lines_of_quotients(report))


def has(words, wanted):
    """wanted: from fields to patterns, one of which must fit."""
    return all(any(fnmatch.fnmatchcase(words.get(field, ""), pattern) for pattern in patterns)
               for field, patterns in wanted.items())


def conditions(text, separator):
    """"a=x|y; b=z" as {a: [x, y], b: [z]}."""
    result = {}
    for part in filter(None, map(str.strip, text.split(separator))):
        field, _, words = part.partition("=")
        result[field.strip()] = [word.strip() for word in words.split("|")]
    return result


def numbers(text):
    """The names and conditions of a column: two of them if it is a quotient."""
    result = []
    for part in text.split(" / "):
        match = re.fullmatch(r"(?P<name>[^\[]+?)\s*(?:\[(?P<where>.*)\])?", part.strip())
        if not match or match["name"] not in COLUMNS:
            raise ValueError(f"'{part}' is not a column; names are {', '.join(COLUMNS)}")
        counter, operation, _ = COLUMNS[match["name"]]
        wanted = {field: [word] for field, word in operation.items()}
        result.append((match["name"], counter, wanted | conditions(match["where"] or "", ",")))
    return result


def column(text):
    """Heading and numbers of a column."""
    heading, equals, rest = text.partition(" = ")
    return (heading.strip(), numbers(rest)) if equals else (text, numbers(text))


def written(found, parts):
    """A cell: found are the values of its numbers, None where there is no line."""
    if None in found:
        return ""
    if len(found) == 2:
        ratio = found[0] / found[1]
        return f"{ratio:.{1 if ratio >= 10 else 2}f}"
    return COLUMNS[parts[0][0]][2](found[0])


def provenance(contexts, page):
    """A line of Markdown for each file: where, when and what ran."""
    up = "../" * page.count("/")
    notes = []
    for name, context in contexts.items():
        machine = context.get("gpu") or (f"{context['processor']}, {context['host_threads']} threads" if "processor" in context
                                         else context["peers"])  # ratios are the same on every machine
        facts = [machine] if machine else []
        facts += [f"{word} {context[key]}" for key, word in (
            ("gpu_driver", "driver"), ("cuda_runtime", "CUDA"), ("kokkos_version", "Kokkos"),
            ("kompakt_commit", "commit")) if key in context]
        facts.append(context["date"].split("T")[0])
        if "command" in context:
            facts.append(f"`{context['command']}`")
        notes.append((f"[{name}]({up}performance/{name})", ", ".join(facts)))
    texts = list(dict.fromkeys(text for _, text in notes))
    return [" ".join(link for link, own in notes if own == text) + f": {text}." for text in texts]


def table(files, settings, page):
    contexts, lines = {}, []
    for name in files:
        contexts[name], found = lines_of(name)
        lines += found
    chosen = [conditions(text, ";") for text in settings.pop("rows", "").split(" or ")]
    keys = [key.strip() for key in settings.pop("key").split(";")]
    columns = [column(text.strip()) for text in settings.pop("columns").split(";")]
    if settings:
        raise ValueError(f"unknown setting {', '.join(settings)}")
    rows = {}
    for words, entry in lines:
        if words["operation"] == "copy" or not any(has(words, wanted) for wanted in chosen):
            continue
        row = rows.setdefault(tuple(words.get(key, "") for key in keys),
                              [[None] * len(parts) for _, parts in columns])
        for cell, (heading, parts) in zip(row, columns):
            for i, (_, counter, wanted) in enumerate(parts):
                if counter in entry and has(words, wanted):
                    if cell[i] is not None:
                        raise ValueError(f"two lines for '{heading}', one is {entry['name']}")
                    cell[i] = entry[counter]
    cells = []
    for key, row in rows.items():
        texts = [written(found, parts) for found, (_, parts) in zip(row, columns)]
        if any(texts):
            cells.append([SPOKEN.get(field, field[1]) for field in zip(keys, key)] + texts)
    if not cells:
        raise ValueError("no line is left")
    headings = [HEADINGS.get(key, key) for key in keys] + [heading for heading, _ in columns]
    return bench_table.markdown(headings, cells) + "\n\n" + "\n".join(provenance(contexts, page))


def renewed(page, text):
    """The page with the tables that the JSON gives."""

    def replace(match):
        head, files, settings, _ = match.groups()
        try:
            parts = dict(line.split(":", 1) for line in settings.splitlines())
            return f"{head}\n{table(files.split(), parts, page)}\n<!-- end -->"
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(f"{page}, table of {files}: {error}") from error

    if text.count("<!-- table:") != len(TABLE.findall(text)):
        raise ValueError(f"{page}: a table has no line --> or no line <!-- end -->")
    return TABLE.sub(replace, text)


def main(check):
    differences = []
    for page in PAGES:
        path = DOCS / page
        old = path.read_text(encoding="utf-8")
        new = renewed(page, old)
        if old == new:
            continue
        if check:
            differences += difflib.unified_diff(old.splitlines(), new.splitlines(), page,
                                                f"{page} from its JSON", lineterm="")
        else:
            path.write_text(new, encoding="utf-8")
    if differences:
        raise ValueError("run scripts/performance_tables.py:\n" + "\n".join(differences))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__.strip())
    try:
        main(bool(sys.argv[1:]))
    except (OSError, ValueError) as error:
        sys.exit(f"performance_tables: {error}")
