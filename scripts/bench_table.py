#!/usr/bin/env python3
"""Prints Markdown tables of the JSON files that the benchmarks write.

usage: bench_table.py [--compare SPACE,SPACE] FILE.json...

--compare adds a table of how many times faster the first execution space is than the second.
"""

import json
import sys

# heading, counter, format; a column without any figure is left out
ROUND_TRIP = [
    ("compress GB/s", "compress", "gbps", "{:.2f}"),
    ("% of copy", "compress", "percent_of_copy", "{:.1f}"),
    ("% of roof", "compress", "percent_of_roof", "{:.1f}"),
    ("decompress GB/s", "decompress", "gbps", "{:.2f}"),
    ("% of copy", "decompress", "percent_of_copy", "{:.1f}"),
    ("% of roof", "decompress", "percent_of_roof", "{:.1f}"),
    ("copy GB/s", "compress", "copy_gbps", "{:.2f}"),
    ("ratio", "compress", "ratio", "{:.2f}"),
    ("bits/value", "compress", "bits_per_value", "{:.2f}"),
    ("largest error / bound", "compress", "max_error_over_bound", "{:.6f}"),
    ("exceptions", "compress", "exceptions", "{:.0f}"),
    ("PSNR dB", "compress", "psnr_db", "{:.2f}"),
]


def labels(entry):
    """What "data=turbulence; extents=…" says."""
    return dict(part.split("=", 1) for part in entry.get("label", "").split("; ") if "=" in part)


def operation(entry):
    return entry["name"].split("/")[0]


def space(entry):
    """The execution space is the last part of a name before Google Benchmark's own."""
    return entry["name"].split("/iterations:")[0].split("/")[-1]


def busy_share(entries):
    """The smallest share of a processor that a line of a host space had for its main thread."""
    shares = [e["cpu_time"] / e["real_time"] for e in entries
              if not e.get("error_occurred") and space(e) in ("openmp", "serial")]
    return min(shares, default=1)


def busy_note(entries):
    """A sentence if other work took the processors while the benchmarks ran, else nothing."""
    share = busy_share(entries)
    if share > 0.9:
        return ""
    return f"The machine was busy ({100 * share:.0f} % of a processor a thread): timings are low."


def markdown(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def context_line(context):
    names = ("processor", "host_threads", "omp_proc_bind", "gpu", "gpu_driver", "cuda_runtime",
             "kokkos_version", "kokkos_spaces", "compiler", "build_type", "kompakt_commit")
    facts = [f"{name.replace('_', ' ')}: {context[name]}" for name in names if name in context]
    return "; ".join(facts + [f"date: {context.get('date', 'unknown')}"])


def copy_table(entries):
    rows = []
    for entry in entries:
        label = labels(entry)
        rows.append([operation(entry), label["data"], label["extents"], label["dtype"],
                     space(entry), f"{entry['gbps']:.2f}", f"{entry['moved_gbps']:.2f}"])
    return markdown(["kernel", "data", "extents", "type", "space", "field GB/s",
                     "read + written GB/s"], rows)


def round_trips(entries):
    """Pairs of a compress line and the decompress line of the same name."""
    pairs = {}
    for entry in entries:
        if operation(entry) in ("compress", "decompress"):
            pairs.setdefault(entry["name"].split("/", 1)[1], {})[operation(entry)] = entry
    return pairs.values()


def round_trip_table(entries):
    pairs = list(round_trips(entries))
    columns = [c for c in ROUND_TRIP if any(c[2] in pair.get(c[1], {}) for pair in pairs)]
    rows = []
    for pair in pairs:
        entry = pair.get("compress") or pair["decompress"]
        label = labels(entry)
        row = [label["data"], label["extents"], label["dtype"], label["bound"], label["predictor"],
               label["variant"], space(entry)]
        for _, side, counter, form in columns:
            value = pair.get(side, {}).get(counter)
            row.append("" if value is None else form.format(value))
        rows.append(row)
    headings = ["data", "extents", "type", "bound", "predictor", "variant", "space"]
    return markdown(headings + [column[0] for column in columns], rows)


def call_table(entries):
    rows = []
    for entry in entries:
        label = labels(entry)
        rows.append([entry["name"].split("/" + label["data"] + "/")[0], label["data"],
                     label["extents"], label["dtype"], label["predictor"], space(entry),
                     f"{entry['fields']:.0f}", f"{entry['microseconds']:.1f}",
                     f"{entry['gbps']:.1f}" if "gbps" in entry else ""])
    return markdown(["call", "data", "extents", "type", "predictor", "space", "fields", "µs",
                     "GB/s"], rows)


def compare_table(entries, fast, slow):
    """Lines that both execution spaces have, side by side."""
    pairs = {}
    for entry in entries:
        if operation(entry) in ("compress", "decompress"):
            name = entry["name"].split("/iterations:")[0].rsplit("/", 1)[0]
            pairs.setdefault(name, {})[space(entry)] = entry
    rows = []
    for pair in pairs.values():
        if fast not in pair or slow not in pair:
            continue
        label = labels(pair[fast])
        rates = [pair[fast]["gbps"], pair[slow]["gbps"]]
        rows.append([operation(pair[fast]), label["data"], label["extents"], label["dtype"],
                     label["bound"], label["predictor"], label["variant"],
                     f"{rates[0]:.2f}", f"{rates[1]:.2f}", f"{rates[0] / rates[1]:.1f}"])
    return markdown(["call", "data", "extents", "type", "bound", "predictor", "variant",
                     f"{fast} GB/s", f"{slow} GB/s", "times"], rows)


def report(path, compare):
    with open(path) as file:
        result = json.load(file)
    entries = [e for e in result["benchmarks"] if not e.get("error_occurred")]
    parts = [context_line(result["context"])]
    if any("fields" in e for e in entries):
        parts.append(call_table(entries))
    elif any("predictor" in labels(e) for e in entries):
        parts.append(round_trip_table(entries))
        if compare:
            parts.append(compare_table(entries, *compare.split(",")))
    elif entries:
        parts.append(copy_table(entries))
    for entry in result["benchmarks"]:
        if entry.get("error_occurred"):
            parts.append(f"FAILED {entry['name']}: {entry.get('error_message', '')}")
    parts.append(busy_note(entries))
    return "\n\n".join(part for part in parts if part)


def main():
    paths, compare = sys.argv[1:], ""
    if paths[:1] == ["--compare"]:
        compare, paths = paths[1], paths[2:]
    if not paths:
        sys.exit(__doc__.strip())
    try:
        print("\n\n".join(report(path, compare) for path in paths))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"bench_table: {error!r}")


if __name__ == "__main__":
    main()
