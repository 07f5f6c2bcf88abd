"""The page: one file of HTML with all pictures inside."""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, field as dataclass_field
from html import escape
from importlib import resources
from string import Template
from typing import List, Optional, Sequence, Tuple

import kompakt

from .captions import spread
from .inputs import Field
from .machine import machine
from .measure import Measured
from .pictures import Picture
from .slices import Plane, described
from .sweep import Point, Sweep
from .words import DASH, count, fixed, number, power, rate_unit, size, with_unit


@dataclass
class Slice:
    """Pictures of one plane out of several along a dimension."""

    where: str
    index: int
    pictures: List[Picture]


@dataclass
class Section:
    """A part of the page: a heading, words, and pictures side by side."""

    title: str
    lead: str
    pictures: List[Picture]
    look: str = "three"
    more: str = ""
    slices: List[Slice] = dataclass_field(default_factory=list)  # the pictures are those of the first one

    def all_pictures(self) -> List[Picture]:
        return self.pictures + [picture for one in self.slices[1:] for picture in one.pictures]


@dataclass
class Report:
    """All that a page shows; `info` describes the stream, if there is one."""

    field: Field
    measured: Measured
    command: str
    other: str
    info: Optional[kompakt.Info] = None
    sections: List[Section] = dataclass_field(default_factory=list)


# ------------------------------------------------------------------------------------------- pieces


def _data(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _width_and_height(png: bytes) -> Tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def _figure(picture: Picture) -> str:
    width, height = _width_and_height(picture.png["light"])
    alt = escape(f"{picture.title}. {picture.caption}".strip(), quote=True)
    beneath = f' data-beneath="{escape(picture.beneath, quote=True)}"' if picture.beneath else ""
    return (
        f'<figure id="{escape(picture.name, quote=True)}"{beneath}><h3>{escape(picture.title)}</h3><picture>'
        f'<source media="(prefers-color-scheme: dark)" srcset="{_data(picture.png["dark"])}">'
        f'<img src="{_data(picture.png["light"])}" width="{width}" height="{height}" alt="{alt}"></picture>'
        + (f"<figcaption>{escape(picture.caption)}</figcaption>" if picture.caption else "")
        + "</figure>"
    )


def _section(section: Section) -> str:
    lead = f"<p>{escape(section.lead)}</p>" if section.lead else ""
    grid = _slices(section) if section.slices else _grid(section.pictures, section.look)
    return f"<section><h2>{escape(section.title)}</h2>{lead}{grid}{section.more}</section>"


def _grid(pictures: Sequence[Picture], look: str) -> str:
    return f'<div class="grid {look}">{"".join(map(_figure, pictures))}</div>' if pictures else ""


def _slices(section: Section) -> str:
    """The first slice, and the others behind their names; the page's script makes a slider of them."""
    parts = []
    for number, one in enumerate(section.slices):
        where, grid = escape(one.where, quote=True), _grid(one.pictures, section.look)
        data = f'class="slice" data-index="{one.index}" data-where="{where}"'
        parts.append(
            f"<details {data}><summary>{where}</summary>{grid}</details>"
            if number
            else f'<div {data}><p class="where">{where}</p>{grid}</div>'
        )
    return f'<div class="slices">{"".join(parts)}</div>'


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[int] = ()) -> str:
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in headings)
    body = "".join(
        f'<tr{" class=best" if i in marked else ""}>' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for i, row in enumerate(rows)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div><p class="scrolls">The table goes on to the right \u2192</p>'


def _pairs(rows: Sequence[Tuple[str, str]]) -> str:
    return (
        '<dl class="pairs">'
        + "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in rows)
        + "</dl>"
    )


def _tile(label: str, value: str, note: str) -> str:
    words = f"<span>{escape(label)}</span><strong>{escape(value)}</strong><small>{escape(note)}</small>"
    return f'<div class="tile">{words}</div>'


# ------------------------------------------------------------------------------------------ content


def bound_words(measured: Measured, units: str) -> str:
    """``±0.0488 K``, or what stands in its place."""
    bound = measured.bound
    if bound.mode == "lossless":
        return "bit for bit"
    if bound.mode == "pwr":
        return f"\u00b1{number(bound.value)} of each value"
    return "\u00b1" + with_unit(number(bound.value), units)


def _verdict(report: Report) -> str:
    measured = report.measured
    metrics, words = measured.metrics, bound_words(measured, report.field.units)
    if measured.bound.mode == "none":
        largest = escape(with_unit(number(metrics.max_abs_error), report.field.units))
        return f'<p class="verdict plain">No bound is known. The largest error is {largest}.</p>'
    if metrics.violations:
        return (
            f'<p class="verdict bad"><b>\u2715</b> {count(metrics.violations)} of {count(metrics.values)} values are outside of '
            f"{escape(words)}.</p>"
        )
    if measured.bound.mode == "lossless":
        return f'<p class="verdict good"><b>\u2713</b> All {count(metrics.values)} values came back bit for bit.</p>'
    return f'<p class="verdict good"><b>\u2713</b> All {count(metrics.values)} values are within {escape(words)}.</p>'


def _largest(measured: Measured, units: str) -> Tuple[str, str]:
    """The largest error, and which part of the bound it is."""
    metrics, value = measured.metrics, measured.bound.value
    if measured.bound.mode == "pwr":
        return f"{number(metrics.max_rel_error)} of a value", f"{fixed(metrics.max_rel_error / value, 4)} of the bound"
    own = with_unit(number(metrics.max_abs_error), units)
    if measured.bound.mode in ("none", "lossless") or value <= 0:
        return own, "|reconstruction \u2212 original|"
    return own, f"{fixed(metrics.max_abs_error / value, 4)} of the bound"


def _bound_tile(measured: Measured, units: str) -> str:
    bound = measured.bound
    value = f"\u00b1{number(bound.value, 3)}"
    if bound.mode == "lossless":
        return _tile("Bound", "lossless", "every value bit for bit")
    if bound.mode == "pwr":
        return _tile("Bound", value, f"of each value, as {bound.asked}")
    return _tile("Bound", with_unit(value, units), f"requested: {bound.asked}")


def _tiles(report: Report) -> str:
    measured, metrics, units = report.measured, report.measured.metrics, report.field.units
    tiles = []
    if measured.stream_bytes and measured.ratio is not None:
        tiles.append(
            _tile(
                "Ratio",
                fixed(measured.ratio, 2 if measured.ratio < 100 else 1),
                f"{size(measured.pair.original.nbytes)} \u2192 {size(measured.stream_bytes)}",
            )
        )
        tiles.append(
            _tile("Bits per value", fixed(measured.bits_per_value, 2), f"of {8 * measured.pair.original.itemsize}")
        )
    if measured.bound.mode != "none":
        tiles.append(_bound_tile(measured, units))
    tiles.append(_tile("Largest error", *_largest(measured, units)))
    tiles.append(
        _tile(
            "PSNR",
            with_unit(fixed(metrics.psnr, 1), "dB") if math.isfinite(metrics.psnr) else number(metrics.psnr),
            f"rms error {with_unit(number(metrics.rmse, 3), units)}",
        )
    )
    if metrics.ssim is not None and math.isfinite(metrics.ssim):
        tiles.append(_tile("SSIM", fixed(metrics.ssim, 5), "1: equal structure"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _all_metrics(report: Report) -> str:
    measured, metrics, units = report.measured, report.measured.metrics, report.field.units
    rows = [
        ("Values", count(metrics.values)),
        ("Not finite", count(metrics.nonfinite - measured.pair.masked)),
        ("Masked fill values", count(measured.pair.masked - measured.pair.nans)),
        ("NaN in both", count(measured.pair.nans)),
        ("Outside the bound", count(metrics.violations)),
        ("Minimum and maximum", with_unit(f"{number(metrics.min)} \u2026 {number(metrics.max)}", units)),
        ("Largest error", with_unit(number(metrics.max_abs_error, 6), units)),
        ("Largest relative error", number(metrics.max_rel_error)),
        ("Mean error", with_unit(number(metrics.mean_error, 3), units)),
        ("Root mean square error", with_unit(number(metrics.rmse, 5), units)),
        ("\u2026 over max \u2212 min", number(metrics.nrmse)),
        ("\u2026 over the bound", number(spread(measured), 3)),
        ("PSNR", with_unit(fixed(metrics.psnr, 2), "dB")),
        ("1 \u2212 correlation", number(1 - metrics.pearson, 3)),
        (
            "SSIM",
            DASH if metrics.ssim is None else f"{fixed(metrics.ssim, 6)}, {count(metrics.ssim_windows or 0)} windows",
        ),
        (
            "Entropy, original",
            DASH if metrics.entropy_original is None else f"{fixed(metrics.entropy_original, 2)} bits a value",
        ),
        (
            "Entropy, reconstruction",
            (
                DASH
                if metrics.entropy_reconstructed is None
                else f"{fixed(metrics.entropy_reconstructed, 2)} bits a value"
            ),
        ),
    ]
    return _pairs(rows)


def _stream(report: Report) -> str:
    info = report.info
    if info is None:
        return ""
    rows = [
        ("Pipeline", info.pipeline + (f", {info.variant}" if info.variant else "")),
        ("Prediction", " ".join(filter(None, (info.method, info.tile_shape)))),
        ("Chosen for", info.goal or "named by hand"),
        ("Packed", "yes" if info.pack else "no"),
        ("Chunks", count(info.chunks)),
        ("Stored bit for bit", f"{count(info.exceptions)} values"),
        ("Checksums", "yes" if info.checksum else "no"),
        ("Size", f"{count(info.stream_bytes)} bytes"),
    ]
    return f"<section><h2>The stream</h2>{_pairs(rows)}</section>"


def shown_words(field: Field, plane: Plane, slid: Optional[int] = None) -> str:
    """The position of a plane, without the dimension of a slider, and how much of it is drawn."""
    where = described(field, plane, slid)
    words = f"At {where}. " if where else ""
    if max(plane.step) > 1:
        steps = " \u00d7 ".join(map(str, plane.step))
        words += f"One value of {steps} is drawn; all are measured. "
    return words


def _sweep_row(sweep: Sweep, point: Point, factor: float) -> List[str]:
    times = (point.compress_gbps, point.decompress_gbps) if sweep.is_timed else ()
    return [
        f"{sweep.mode} {power(point.asked)}",
        f"\u00b1{number(point.bound.value, 3)}",
        point.pipeline,
        fixed(point.ratio, 2),
        fixed(point.bits_per_value, 2),
        fixed(point.psnr, 1),
        *(fixed(factor * time, 2 if factor == 1 else 0) for time in times),
        count(point.violations),
    ]


def sweep_table(sweep: Sweep, units: str) -> str:
    """A row for each point; the smallest stream within each bound is marked."""
    unit, factor = rate_unit([rate for p in sweep.points for rate in (p.compress_gbps, p.decompress_gbps)])
    points = [point for bound in sweep.bounds for point in sweep.points if point.asked == bound]
    marked = [number for number, point in enumerate(points) if point == sweep.smallest(point.asked)]
    of = "of each value" if sweep.mode == "pwr" else units
    headings = [
        "bound",
        f"\u00b1, {of}" if of else "\u00b1",
        "pipeline",
        "ratio",
        "bits/value",
        "PSNR, dB",
        *((f"compress, {unit}", f"decompress, {unit}") if sweep.is_timed else ()),
        "outside",
    ]
    return _table(headings, [_sweep_row(sweep, point, factor) for point in points], marked)


def html_of(report: Report) -> str:
    """The whole page."""
    field, values = report.field, report.measured.pair.original
    title = field.long_name or field.name
    extents = " \u00d7 ".join(map(count, values.shape))
    facts = [field.label, f"{extents} values of {values.dtype.name}", size(values.nbytes)]
    if field.units:
        facts.append(f"in {field.units}")
    parts = resources.files(__package__)
    template = Template(parts.joinpath("template.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title),
        facts="".join(f"<li>{escape(fact)}</li>" for fact in facts),
        other=escape(report.other),
        verdict=_verdict(report),
        tiles=_tiles(report),
        sections="".join(map(_section, report.sections)),
        metrics=_all_metrics(report),
        stream=_stream(report),
        command=escape(report.command),
        machine=_pairs(machine()),
        script=parts.joinpath("script.js").read_text(encoding="utf-8"),
    )
