"""Messages of MPI: a ring, a ring with sums and a scatter, raw and compressed."""

import os
import re

import benchmarks
import drawing
from checked import short
from drawing import grouped, number
from parts import Table

NAME = "messages"
TITLE = "Messages of MPI"
LEAD = ("Time of compressed messages beside raw ones on this machine, and by a model over links of a stated bandwidth, after the "
        "evaluation of the Lightweight Huffman paper. Messages between ranks of one machine go through its memory, faster than a network. "
        "After a ring_sum each rank adds the received values to its own, a step of a reduction; its model is of the message alone. The size of a "
        "scatter is that of all parts together. Every received value is checked against its bound.")
LINE = re.compile(r"(ring_sum|ring|scatter)/(\w+)/(\d+)MiB/(\d+)ranks")
PATTERNS = "ring,ring_sum,scatter"
RANKS, QUICK_RANKS = (2, 4, 8, 16), (2,)
MOST_A_CORE = 8
SIZES, SAMPLES = "1,8,64", "3"
METHODS = "dictionary,custom,nested,raw"
LINKS = "1.25,12.5"
MODEL = "speedup_at_"


def cores():
    return len(os.sched_getaffinity(0))


def rows_of(entries):
    for entry in entries:
        pattern, method, size, ranks = LINE.match(entry["name"]).groups()
        model = {key.removeprefix(MODEL): short(value, 4) for key, value in entry.items() if key.startswith(MODEL)}
        yield {"pattern": pattern, "contender": method, "mib": int(size), "ranks": int(ranks), "gbps": short(entry["gbps"], 4),
               "speedup": short(entry["speedup"], 4), "model": model, "a_core": int(ranks) / cores(),
               "violations": int(entry["outside"])}


def measure(trial):
    rows = []
    for ranks in QUICK_RANKS if trial.quick else [count for count in RANKS if count <= MOST_A_CORE * cores()]:
        launcher = [*benchmarks.launcher(ranks), "--quiet"]  # the last line of a failure is the benchmark's own
        trial.say(f"{ranks} ranks")
        entries = benchmarks.benchmark(trial, "bench_mpi", "--pattern", PATTERNS, "--sizes", SIZES, "--methods", METHODS,
                                       "--links", LINKS, "--samples", SAMPLES, "--exec", trial.space, launcher=launcher,
                                       environment={"OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false"})
        rows += rows_of(entries)
    return {"rows": rows}


def tables(data):
    links = sorted({link for row in data["rows"] for link in row["model"]}, key=float)
    lines = [[row["pattern"], str(row["ranks"]), number(row.get("a_core")), str(row["mib"]), row["contender"], number(row["gbps"]),
              number(row["speedup"]), *(number(row["model"].get(link)) for link in links), str(row.get("violations", ""))]
             for row in data["rows"]]
    return [Table("messages", "Speed-up is the time of the raw message over the time of the compressed one. With more than one rank a "
                  "core, ranks take turns: such times compare methods, they do not measure a network",
                  ["pattern", "ranks", "ranks a core", "MiB", "method", "GB/s", "speed-up here",
                   *(f"modelled, {link} GB/s" for link in links), "outside"], lines)]


def pictures(data, plots):
    most = max(row["ranks"] for row in data["rows"])
    rows = [row for row in data["rows"] if row["model"] and row["ranks"] == most and row["pattern"] != "ring_sum"]
    panels = {f"{pattern}, {most} ranks, {link} GB/s": {name: [(row["mib"], row["model"][link]) for row in of_name]
                                                        for name, of_name in grouped(some, "contender").items()}
              for pattern, some in grouped(rows, "pattern").items() for link in sorted(some[0]["model"], key=float)}
    return [drawing.lines_picture(plots, "messages", "By the model, with rates measured here; above 1 compressed messages are faster.",
                                  panels, "MiB of values", "speed-up", columns=2)] if panels else []
