"""Scaling: throughput over threads and over sizes."""

import os

import benchmarks
import drawing
from drawing import grouped, number
from parts import Table

NAME = "scaling"
TITLE = "Threads and sizes"
LEAD = "Throughput over the number of threads and over the size of the field, beside copying it. Fields are generated turbulence."
CODINGS = ("fixedlength", "bitshuffle", "huffman")
SHARE = "1e-3"
SIZES = {1: "64,64,64", 8: "128,128,128", 64: "256,256,256", 256: "256,512,512", 1024: "1024,512,512", 8192: "2048,1024,1024"}  # MiB
QUICK_MOST, BYTES_A_BYTE = 64, 4  # the largest size of a quick trial; memory that a field takes in all
THREADS_SIZE, QUICK_THREADS_SIZE = 256, 64


def memory_mib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES") >> 20


def threads():
    count = len(os.sched_getaffinity(0))
    return sorted({1 << power for power in range(10) if 1 << power < count} | {count})


def sizes(trial):
    return [size for size in SIZES if BYTES_A_BYTE * size < memory_mib() and (not trial.quick or size <= QUICK_MOST)]


def rows_of(trial, size, *flags):
    rows = benchmarks.pipelines(trial, "--extents", SIZES[size], "--bounds", SHARE, "--mode", "resolved", "--pipeline", ",".join(CODINGS),
                                "--variant", "auto", "--predictor", "chain", "--samples", str(trial.samples), *flags)
    return [{**row, "contender": row["pipeline"], "mib": size} for row in rows]


def measure(trial):
    by_threads, by_size = [], []
    if trial.space != "cuda":
        for count in threads():
            trial.say(f"{count} threads")
            rows = rows_of(trial, QUICK_THREADS_SIZE if trial.quick else THREADS_SIZE, "--threads", str(count))
            by_threads += [{**row, "threads": count} for row in rows]
    for size in sizes(trial):
        trial.say(f"{size} MiB")
        by_size += rows_of(trial, size)
    left_out = [f"{size} MiB left out: memory" for size in SIZES if BYTES_A_BYTE * size >= memory_mib()]
    return {"rows": by_size, "threads": by_threads, "notes": left_out}


def tables(data):
    made = []
    for rows, key, name, title in ((data["threads"], "threads", "threads", "Throughput by threads"),
                                   (data["rows"], "mib", "sizes", "Throughput by size")):
        figures = ("copy_gbps", "compress_gbps", "decompress_gbps", "ratio")
        lines = [[str(row[key]), row["contender"], *(number(row[word]) for word in figures)] for row in rows]
        headings = ["MiB" if key == "mib" else key, "pipeline", "copy GB/s", "compress GB/s", "decompress GB/s", "ratio"]
        if lines:
            made.append(Table(name, title, headings, lines))
    return made


def pictures(data, plots):
    panels, labels = {}, []
    for rows, key, title in ((data["threads"], "threads", "threads"), (data["rows"], "mib", "size, MiB")):
        for word in ("compress", "decompress"):
            lines = {name: [(row[key], row[f"{word}_gbps"]) for row in of_name] for name, of_name in grouped(rows, "contender").items()}
            if lines:
                first = next(iter(grouped(rows, "contender").values()))
                lines["copy"] = [(row[key], row["copy_gbps"]) for row in first]
                panels[f"{word}ion over {title}"] = lines
                labels.append(title)
    return [drawing.lines_picture(plots, "scaling", "The copy is of the same field on the same threads.", panels, labels, "GB/s", columns=2)]
