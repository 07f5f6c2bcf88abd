"""HDF5 end to end: a dataset written to a file in memory and read again, raw and through filters."""

import os
import pathlib

import benchmarks
import drawing
import kompakt
from bench_table import labels, operation
from checked import short
from drawing import grouped, number
from parts import Picture, Skipped, Table

NAME = "hdf5"
TITLE = "HDF5 end to end"
LEAD = ("Seconds to write and to read a dataset of a file in /dev/shm, unfiltered, through our plugin and through the filters of SZ3 and "
        "zfp where HDF5 finds them. `library` is our library on the same chunks without HDF5.")
WHO = ("unfiltered", "kompakt", "library", "sz3", "zfp")
EXTENTS, QUICK_EXTENTS = "256,512,512", "256,256,256"
SAMPLES = "3"
CHUNKS = ("64", "128", "256")


def plugins():
    """Folders of our plugin and, if the package is there, of hdf5plugin's."""
    folders = [kompakt.hdf5_plugin_path()]
    if not pathlib.Path(folders[0]).is_dir():
        raise Skipped("the plugin of HDF5 is not built")
    try:
        import hdf5plugin
        folders.append(hdf5plugin.PLUGIN_PATH)
    except ImportError:
        pass
    return os.pathsep.join(folders)


def row_of(entry):
    words = labels(entry)
    shared = {"operation": operation(entry), "chunk": words["chunk"], "extents": words["extents"]}
    if operation(entry) == "chunk":
        return {**shared, **{key: short(entry[key]) for key in ("write_us", "read_us", "ratio")}}
    times = {who: short(entry[f"{who}_s"], 4) for who in WHO if entry.get(f"{who}_s")}
    return {**shared, "seconds": times, "ratios": {who: short(entry[f"{who}_ratio"]) for who in times if f"{who}_ratio" in entry}}


def measure(trial):
    if trial.space == "cuda":
        raise Skipped("the plugin works on the host; bench_chunks measures chunks from a device")
    trial.say("bench_hdf5")
    flags = [flag for chunk in CHUNKS for flag in ("--chunk", chunk)]
    entries = benchmarks.benchmark(trial, "bench_hdf5", "--extents", QUICK_EXTENTS if trial.quick else EXTENTS, *flags, "--samples",
                                   SAMPLES, environment={"HDF5_PLUGIN_PATH": plugins()})
    return {"rows": [row_of(entry) for entry in entries]}


def tables(data):
    whole = [row for row in data["rows"] if row["operation"] != "chunk"]
    lines = [[row["operation"], row["chunk"], *(number(row["seconds"].get(who)) for who in WHO),
              *(number(row["ratios"].get(who)) for who in ("kompakt", "sz3", "zfp"))] for row in whole]
    small = [[row["chunk"], number(row["write_us"]), number(row["read_us"]), number(row["ratio"])] for row in data["rows"]
             if row["operation"] == "chunk"]
    headings = ["call", "chunk", *(f"{who}, s" for who in WHO), "ratio, kompakt", "ratio, sz3", "ratio, zfp"]
    return [Table("hdf5", f"A dataset of {whole[0]['extents']} floats", headings, lines),
            Table("hdf5_chunks", "One chunk of doubles in the filter alone", ["chunk", "write µs", "read µs", "ratio"], small)]


def pictures(data, plots):
    calls = grouped([row for row in data["rows"] if row["operation"] != "chunk"], "operation")
    figure, panels = drawing.grid(plots, len(calls), 2)
    for axes, (call, rows) in zip(panels, calls.items()):
        present = [who for who in WHO if who in rows[0]["seconds"]]
        for at, who in enumerate(present):
            places = [place + (at - len(present) / 2 + 0.5) * 0.8 / len(present) for place in range(len(rows))]
            axes.bar(places, [row["seconds"][who] for row in rows], width=0.8 / len(present), color=drawing.OTHERS[at][0],
                     label=drawing.spoken(who))
        axes.set_xticks(range(len(rows)), [row["chunk"].replace("^3", "³") for row in rows])
        axes.set(xlabel="chunk", ylabel="seconds")
        axes.set_title(call, loc="left", fontsize=10)
    drawing.legend(figure, panels)
    return [Picture("hdf5", "Lower is faster.", figure)]
