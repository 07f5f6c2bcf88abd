"""Science: what a bound does to gradients, spectra, extremes and means over time."""

import contenders
import drawing
import numpy as np
from checked import short
from drawing import grouped, number, spoken
from kompakt.report.spectra import spectrum
from parts import Table
from text_table import bound_name

NAME = "science"
TITLE = "What a bound does to results"
LEAD = ("Results that people compute from fields, after compression within shares of the range: gradients, power spectra, extremes, and "
        "the mean over the first axis.")
SHARES = ("1e-2", "1e-3", "1e-4", "1e-5")
FIELDS = (("turbulence", "burgers"), ("les_velocity", "wind_magnitude", "vortices"), ("a1b_temperature", "air_temperature"))
NAMES = ("fixedlength", "bitshuffle", "bitshuffle, interpolate", "for ratio", "sz3", "zfp", "sperr")
KEPT_SHARE = "1e-3"  # of the short table, which docs/trial.md has
TOLERATED = 0.1  # of the power of the original that a spectrum may differ by


def gradient(values):
    """The magnitude of central differences along the last two axes."""
    return np.sqrt(sum(part**2 for part in np.gradient(values.astype("f8"), axis=(-2, -1))))


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def kept_wavenumber(original, restored):
    """The highest wavenumber up to which the power of all shells differs by at most a tenth."""
    first, second = spectrum(original), spectrum(restored)
    differs = np.flatnonzero(np.abs(second.power - first.power) > TOLERATED * first.power)
    return float(first.wavenumber[differs[0] - 1] if differs.size and differs[0] else 0 if differs.size else first.wavenumber[-1])


def results(values, restored):
    """Errors of each result, relative to its own size or to the range."""
    span, slopes = float(np.ptp(values)), gradient(values)
    mean = values.mean(axis=0, dtype="f8")
    extremes = max(abs(float(restored.max()) - float(values.max())), abs(float(restored.min()) - float(values.min())))
    return {"gradient": short(rms(gradient(restored) - slopes) / rms(slopes)), "wavenumber": short(kept_wavenumber(values, restored)),
            "extremes": short(extremes / span), "mean": short(float(np.abs(restored.mean(axis=0, dtype="f8") - mean).max()) / span)}


def measure(trial):
    rows = []
    compressors = [each for each in contenders.bounded(trial) if each.name in NAMES]
    for subject in filter(None, (trial.fields.named(*names) for names in FIELDS)):
        trial.say(subject.name)
        field = subject.field
        for share in SHARES:
            bound = float(share) * field.range
            for compressor in compressors:
                coded = compressor.round_trip(field, bound)
                violations, _ = field.check(coded.restored, bound)
                rows.append({"field": subject.name, "share": share, "contender": compressor.name, "violations": int(violations),
                             "ratio": short(field.values.nbytes / coded.stream_bytes), **results(field.values, coded.restored)})
    return {"rows": rows}


HEADINGS = ["field", "bound, of the range", "compressor", "ratio", "gradients", "spectrum up to", "extremes", "mean over axis 0", "outside"]
WORDS = ("Gradients: rms error over rms. Spectrum: cycles per grid step up to which the power is within a tenth. Extremes and mean: largest "
         "error over the range")


def cells(row):
    return [row["field"], bound_name(row["share"]), spoken(row["contender"]), number(row["ratio"]), f"{100 * row['gradient']:.3g} %",
            number(row["wavenumber"]), number(row["extremes"]), number(row["mean"]), str(row["violations"])]


def tables(data):
    short_rows = [row for row in data["rows"] if row["share"] == KEPT_SHARE]
    return [Table("science", WORDS, HEADINGS, [cells(row) for row in data["rows"]]),
            Table("science_short", f"The same within {bound_name(KEPT_SHARE)} alone", HEADINGS, [cells(row) for row in short_rows])]


def pictures(data, plots):
    titles = {"gradient": "gradients", "wavenumber": "spectrum up to", "mean": "mean over axis 0"}
    panels = {f"{field}: {title}": {name: [(row["ratio"], row[key] or None) for row in of_name]
                                    for name, of_name in grouped(rows, "contender").items()}
              for field, rows in grouped(data["rows"], "field").items() for key, title in titles.items()}
    caption = "Each point is a bound. Gradients and mean: errors, lower is better. Spectrum: higher is better."
    return [drawing.lines_picture(plots, "science", caption, panels, "ratio", "")]
