"""Rate and distortion: what a bit buys, and slices at the same size."""

import base64
import math
import zlib

import contenders
import drawing
import numpy as np
from checked import measured, outcome, short
from drawing import grouped, mean_of, number, spoken
from parts import Picture, Table

NAME = "rate_distortion"
TITLE = "Rate and distortion"
LEAD = ("PSNR and SSIM over bits per value, after Figs. 6 to 8 of the cuSZ paper and Figs. 7 and 12 of the FZ-GPU paper. Each point is "
        "a bound. Compressors are compared at equal PSNR, because zfp stays far below its bound.")
SHARES = [10.0**-exponent for exponent in range(1, 7)]
SLOW = ("for smallest",)  # measured on the fields of the pictures alone
LEVELS = (40, 60, 80, 100)  # dB
DRAWN = ("fixedlength", "bitshuffle", "huffman", "bitshuffle, interpolate", "for ratio", "sz3", "zfp", "sperr")
PANELS = 6
SLICED = ("fixedlength", "bitshuffle", "huffman", "for ratio", "sz3", "zfp", "sperr")
SLICE_BITS = 1.0  # bits per value at which slices are compared
SEARCH_STEPS = 12


def measure(trial):
    rows, compressors = [], contenders.bounded(trial)
    panels = [subject.name for subject in trial.fields.some(PANELS)]
    for subject in trial.fields.all:
        for compressor in compressors:
            if compressor.name in SLOW and subject.name not in panels:
                continue
            trial.say(f"{subject.name} by {compressor.name}")
            for share in SHARES:
                found = measured(compressor, subject.field, share * subject.field.range)
                rows.append({"group": subject.group, "field": subject.name, "contender": compressor.name, "share": short(share, 4),
                             **found})
                if "refused" in found:
                    break
    return {"rows": rows, "panels": panels, "slices": slices(trial, compressors)}


def at_bits(compressor, field, bits):
    """The round trip nearest to a size, by bisection of the bound's exponent."""
    low, high, best = math.log(1e-8 * field.range), math.log(field.range), None
    for _ in range(SEARCH_STEPS):
        middle = (low + high) / 2
        coded = compressor.round_trip(field, math.exp(middle))
        size = 8 * coded.stream_bytes / field.values.size
        if best is None or abs(size - bits) < abs(best[0] - bits):
            best = size, coded, math.exp(middle)
        low, high = (middle, high) if size > bits else (low, middle)
    return best[1:]


def plane(values):
    """The middle plane of a field of three extents, thinned so that a picture stays small."""
    cut = values[values.shape[0] // 2] if values.ndim == 3 else values
    step = math.ceil(max(cut.shape) / 128)
    return cut[::step, ::step]


def slices(trial, compressors):
    """Planes of one field, from streams of about the same size."""
    subject = trial.fields.named("wind_magnitude", "turbulence")
    if subject is None:
        return None
    trial.say(f"slices of {subject.name}")
    panels = [{"contender": "original", "plane": rounded(plane(subject.field.values))}]
    for compressor in (each for each in compressors if each.name in SLICED):
        coded, bound = at_bits(compressor, subject.field, SLICE_BITS)
        found = outcome(subject.field, coded, bound)
        panels.append({"contender": compressor.name, **found, "plane": rounded(plane(coded.restored))})
    return {"field": subject.name, "panels": panels}


def rounded(values):
    """A plane as JSON keeps it short: 256 steps of its range, coded as text."""
    low, high = float(values.min()), float(values.max())
    step = (high - low) / 255 or 1.0
    steps = np.rint((values.astype("f8") - low) / step).astype("u1")
    return {"low": short(low), "step": short(step), "extents": list(steps.shape),
            "values": base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode("ascii")}


def unrounded(kept):
    steps = np.frombuffer(zlib.decompress(base64.b64decode(kept["values"])), "u1").reshape(kept["extents"])
    return kept["low"] + kept["step"] * steps


def bits_at(rows, level):
    """Bits per value at a PSNR, between the two points around it; None outside of the points."""
    points = sorted((row["psnr"], row["bits"]) for row in rows if row.get("psnr") is not None)
    for (low, few), (high, many) in zip(points, points[1:]):
        if low <= level <= high and high > low:
            return few + (many - few) * (level - low) / (high - low)
    return None


def means_at_levels(rows, names):
    """Geometric means of bits at each PSNR, over the fields that all of some compressors reach it in."""
    fields = grouped([row for row in rows if "refused" not in row], "group", "field")
    means = {}
    for (group, _), of_field in fields.items():
        by_name = grouped(of_field, "contender")
        for level in LEVELS:
            bits = {name: bits_at(by_name.get(name, []), level) for name in names}
            if all(bits.values()):
                means.setdefault((group, level), []).append(bits)
    return means


def compared(rows):
    """Compressors that nearly all fields have figures of: SPERR takes few shapes, and is left out of means."""
    count = {name: len({row["field"] for row in of_name if "refused" not in row}) for name, of_name in grouped(rows, "contender").items()}
    return [name for name, fields in count.items() if fields >= 0.8 * max(count.values())]


def tables(data):
    rows, names = data["rows"], compared(data["rows"])
    means = means_at_levels(rows, names)
    groups = dict.fromkeys(group for group, _ in means)
    columns = [(group, level) for group in groups for level in LEVELS if (group, level) in means]
    lines = [[spoken(name), *(number(mean_of(means[column], name)) for column in columns)] for name in names]
    headings = ["compressor", *(f"{group}, {level} dB ({len(means[group, level])})" for group, level in columns)]
    checked = [[spoken(name), str(len({row['field'] for row in of_name if 'refused' not in row})),
                number(max((row.get("error_of_bound") or 0 for row in of_name), default=0), 7),
                str(sum(row.get("violations", 0) for row in of_name))] for name, of_name in grouped(rows, "contender").items()]
    return [Table("bits_at_psnr", "Bits per value at equal PSNR, geometric means; in brackets the number of fields", headings, lines),
            Table("checked", "Values outside the bound, over all fields and bounds",
                  ["compressor", "fields", "largest error / bound", "outside"], checked)]


def curves(data, closeness):
    """Points of each panel: bits, and the closeness of a row."""
    panels = {}
    for field in data["panels"]:
        of_field = grouped([row for row in data["rows"] if row["field"] == field and "refused" not in row], "contender")
        panels[field] = {name: sorted((row["bits"], closeness(row)) for row in of_field[name]
                                      if closeness(row) is not None and 0.03 < row["bits"] < 18) for name in DRAWN if name in of_field}
    return panels


def slices_picture(plots, found):
    figure, panels = drawing.grid(plots, len(found["panels"]), 4)
    original = unrounded(found["panels"][0]["plane"])
    for axes, panel in zip(panels, found["panels"]):
        axes.imshow(unrounded(panel["plane"]), cmap="viridis", vmin=original.min(), vmax=original.max(), interpolation="nearest")
        words = "" if panel["contender"] == "original" else f"\n{panel['bits']:.2f} bits, {panel['psnr']:.1f} dB, SSIM {panel['ssim']:.2f}"
        axes.set_title(spoken(panel["contender"]) + words, fontsize=9)
        axes.set_axis_off()
    return Picture("slices", f"The middle plane of {found['field']} out of streams of about {SLICE_BITS} bits per value.", figure)


def unlikeness(row):
    """One minus SSIM, and None where that is below what floats of a mean resolve."""
    return 1 - row["ssim"] if row["ssim"] is not None and row["ssim"] < 1 - 1e-6 else None


def pictures(data, plots):
    drawn = [drawing.lines_picture(plots, "psnr", "Further left is smaller, further up is closer to the original.",
                                   curves(data, lambda row: row["psnr"]), "bits per value", "PSNR, dB", log="x"),
             drawing.lines_picture(plots, "ssim", "One minus structural similarity over bits per value: lower is closer.",
                                   curves(data, unlikeness), "bits per value", "1 − SSIM")]
    if data["slices"]:
        drawn.append(slices_picture(plots, data["slices"]))
    return drawn
