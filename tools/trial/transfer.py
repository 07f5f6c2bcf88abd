"""Transfer: what compression does to the time over a link."""

import benchmarks
import device_link
import drawing
from checked import short
from drawing import number
from parts import Table

NAME = "transfer"
TITLE = "Transfer over a link"
LEAD = ("Effective bandwidth T = 1 / (1 / (BW · CR) + 1 / Tc) over the bandwidth BW of a link, with ratio CR and throughput Tc of "
        "compression, after Fig. 11 of the FZ-GPU paper. The model uses measured CR and Tc.")
LINKS = (0.125, 0.5, 1, 1.25, 3, 6, 12.5, 25, 50, 100, 400)
SHOWN = (1.25, 12.5, 25, 50)
EXTENTS, QUICK_EXTENTS = "512,512,512", "256,256,256"
SHARE = "1e-3"
CODINGS = ("fixedlength", "bitshuffle", "huffman")


def effective(row, link):
    """GB/s of values over a link, compressed."""
    return 1 / (1 / (link * row["ratio"]) + 1 / row["compress_gbps"])


def break_even(row):
    """The bandwidth above which a raw transfer is faster."""
    return row["compress_gbps"] * (1 - 1 / row["ratio"])


def measure(trial):
    trial.say(f"throughput of {', '.join(CODINGS)}")
    rows = benchmarks.pipelines(trial, "--extents", QUICK_EXTENTS if trial.quick else EXTENTS, "--bounds", SHARE, "--mode", "resolved",
                                "--pipeline", ",".join(CODINGS), "--variant", "auto", "--samples", str(trial.samples))
    data = {"rows": [{**row, "contender": row["pipeline"]} for row in rows]}
    if trial.space == "cuda":
        trial.say("bandwidth of the link to the device")
        data["link"] = {name: short(value, 4) for name, value in device_link.measure().items()}
    return data


def tables(data):
    lines = [[row["contender"], number(row["ratio"]), number(row["compress_gbps"]), *(number(effective(row, link)) for link in SHOWN),
              number(break_even(row))] for row in data["rows"]]
    made = [Table("transfer", "Effective GB/s of values by the model",
                  ["pipeline", "ratio", "compress GB/s", *(f"link of {link:g} GB/s" for link in SHOWN), "raw is faster above, GB/s"], lines)]
    if "link" in data:
        made.append(Table("link", "Measured between device and pinned host memory", ["what", "value"],
                          [[name, number(value, 4)] for name, value in data["link"].items()]))
    return made


def pictures(data, plots):
    lines = {row["contender"]: [(link, effective(row, link)) for link in LINKS] for row in data["rows"]}
    lines["raw"] = [(link, link) for link in LINKS]
    return [drawing.lines_picture(plots, "transfer", "Where a line is above `raw`, compressing first is faster.", {"model": lines},
                                  "bandwidth of the link, GB/s", "effective GB/s")]
