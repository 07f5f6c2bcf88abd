"""Stages: where the time of a call goes, from the regions and kernels that a tool of Kokkos sees."""

import json
import math
import statistics

import benchmarks
import drawing
from checked import short
from drawing import number
from parts import Picture, Skipped, Table

NAME = "stages"
TITLE = "Stages of a call"
LEAD = ("Time of each stage as a share of the time to copy the field, after Table VII of the cuSZ paper and Fig. 10 of the FZ-GPU paper. "
        "On hosts one kernel quantises, predicts and encodes. `generic` is the same pipeline by the bodies that run everywhere.")
SHARE = "1e-3"
EXTENTS, QUICK_EXTENTS = "128,512,512", "128,256,256"
CODINGS = {
    "fixedlength": ["--pipeline", "fixedlength"],
    "bitshuffle": ["--pipeline", "bitshuffle", "--variant", "nested"],
    "bitshuffle fz": ["--pipeline", "bitshuffle", "--variant", "fz"],
    "huffman": ["--pipeline", "huffman", "--variant", "dictionary"],
    "huffman, own book": ["--pipeline", "huffman", "--variant", "custom"],
    "rans": ["--pipeline", "rans", "--variant", "auto"],
    "bitshuffle, interpolate": ["--pipeline", "bitshuffle", "--variant", "nested", "--predictor", "interpolate"],
    "fixedlength, packed": ["--pipeline", "fixedlength", "--pack"],
}
# The first word of a kernel's label behind "kompakt::", and the stage that it belongs to.
STAGES = {
    "choose_tiles": "choose predictor", "choose": "choose predictor", "choose_codebook": "count, make book",
    "build_levels": "interpolate", "read_levels": "interpolate", "encode": "quantise, predict, encode", "pack": "pack",
    "unpack": "unpack", "decode": "decode, integrate", "resolve": "bound",
}
PLACE = ("encode::place", "encode::finish", "pack::place", "unpack::place")
REST = "calls and waits"


def stage_of(label):
    word = label.removeprefix("kompakt::")
    if word in PLACE:
        return "place, finish"
    return STAGES.get(word.split("::")[0].split("[")[0], "other kernels")


def call_end(spans, call):
    """The end of a call's region, or of the packing behind it, which comes before the next region."""
    following = [span["begin_us"] for span in spans if span["kind"] == "region" and span["begin_us"] >= call["end_us"]]
    packing = [span["end_us"] for span in spans if span["label"].startswith("kompakt::pack::")
               and call["end_us"] <= span["begin_us"] < min(following, default=math.inf)]
    return max([call["end_us"], *packing])


def calls_of(spans, name, count):
    """Milliseconds by stage of each of the last calls: a region of this name and the kernels inside."""
    calls = [span for span in spans if span["kind"] == "region" and span["label"] == name]
    for call in calls[-count:]:
        stages, end = {}, call_end(spans, call)
        for span in spans:
            if span["kind"] == "kernel" and call["begin_us"] <= span["begin_us"] < end:
                stage = stage_of(span["label"])
                stages[stage] = stages.get(stage, 0) + (span["end_us"] - span["begin_us"]) / 1e3
        yield {**stages, REST: max((end - call["begin_us"]) / 1e3 - sum(stages.values()), 0)}


def medians(calls):
    """The median of each stage over calls, of the stages that take time in most calls."""
    names = dict.fromkeys(stage for call in calls for stage in call)
    found = {name: short(statistics.median(call.get(name, 0) for call in calls), 4) for name in names}
    return {name: time_ms for name, time_ms in found.items() if time_ms}


def tool(trial):
    found = sorted(trial.programs.parent.rglob("libkompakt_timeline.so"))
    if not found:
        raise Skipped("libkompakt_timeline.so is not built")
    return found[0]


def measure(trial):
    library, samples = tool(trial), trial.samples
    extents = QUICK_EXTENTS if trial.quick else EXTENTS
    rows = []
    for name, flags in CODINGS.items():
        for body, more in (("own", []), ("generic", ["--generic"])):
            trial.say(f"{name}, {body}")
            timeline = trial.work / "timeline.json"
            [row] = benchmarks.pipelines(
                trial, "--extents", extents, "--bounds", SHARE, "--mode", "resolved", "--samples", str(samples), *flags, *more,
                environment={"KOKKOS_TOOLS_LIBS": str(library), "KOMPAKT_TIMELINE": str(timeline)})
            spans = json.loads(timeline.read_text(encoding="utf-8"))
            calls = {word: medians(list(calls_of(spans, f"kompakt::{word}", samples))) for word in ("compress", "decompress")}
            rows.append({**row, "contender": name, "bodies": body, "stages": calls})
    return {"rows": rows, "bytes": 4 * math.prod(map(int, extents.split(",")))}


def copy_ms(data, row):
    return data["bytes"] / row["copy_gbps"] / 1e6


def tables(data):
    made = []
    for word in ("compress", "decompress"):
        names = list(dict.fromkeys(stage for row in data["rows"] for stage in row["stages"][word]))
        lines = [[row["contender"], row["bodies"], *(number(row["stages"][word].get(name)) for name in names),
                  number(row[f"{word}_gbps"]), number(100 * row[f"{word}_gbps"] / row["copy_gbps"])] for row in data["rows"]]
        made.append(Table(f"stages_{word}", f"Milliseconds of {word}ion by stage", ["pipeline", "bodies", *names, "GB/s", "% of copy"], lines))
    return made


def draw_panel(axes, data, word, colours):
    rows = data["rows"]
    for place, row in enumerate(rows):
        left = 0
        for stage, time_ms in row["stages"][word].items():
            width = time_ms / copy_ms(data, row)
            axes.barh(place, width, left=left, color=colours[stage], height=0.7)
            left += width
    axes.set_yticks(range(len(rows)), [f"{row['contender']}{', generic' if row['bodies'] == 'generic' else ''}" for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(1, color="#000000", linewidth=0.8)
    axes.set(xlabel="times of a copy")
    axes.set_title(f"{word}ion", loc="left", fontsize=10)
    axes.grid(axis="y", visible=False)


def pictures(data, plots):
    stages = list(dict.fromkeys(stage for row in data["rows"] for word in row["stages"].values() for stage in word))
    colours = {stage: drawing.MANY[at % len(drawing.MANY)] for at, stage in enumerate(stages)}
    figure, panels = plots.pyplot.subplots(1, 2, figsize=(10.5, 0.26 * len(data["rows"]) + 1.4))
    for axes, word in zip(panels, ("compress", "decompress")):
        draw_panel(axes, data, word, colours)
    handles = [plots.patches.Patch(color=colour, label=stage) for stage, colour in colours.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=5, fontsize=9)
    return [Picture("stages", "The black line is the time to copy the field.", figure)]
