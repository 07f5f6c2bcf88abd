"""The pictures of a report. Each function draws one figure in the scheme that is set; sizes are in inches."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from .captions import chance, correlation_range
from .colours import Colours
from .inputs import Field
from .measure import Measured, Spectra
from .slices import Plane, axis_of
from .style import FIELD_COLOURS, SMALL, WIDTH, Scheme
from .sweep import Sweep
from .ticks import log_ticks
from .words import label_of, power, rate_unit
from .words import number as words_of

_LEFT, _RIGHT, _TOP = 0.54, 0.10, 0.08
_BOTTOM, _BAR = 0.46, 0.62  # below an image: its axis, and the colours with theirs
_HEIGHT = 3.0
_LETTER = 0.082  # about the width of one
_BOUND_WORDS = {"r2r": "bound, of max \u2212 min", "abs": "bound, in units of the field", "pwr": "bound, of each value"}
_MARKS = ("o", "s", "D", "^")
_DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.4)), (0, (5, 1.4, 1.2, 1.4)))


# ------------------------------------------------------------------------------------------- images


def _image_height(plane: Plane) -> float:
    """The height of an image as wide as the picture; long images are squeezed."""
    width = WIDTH - _LEFT - _RIGHT
    return float(np.clip(width * plane.shape[0] / plane.shape[1], 0.45 * width, 1.25 * width))


def _edges(field: Field, plane: Plane, number: int) -> Tuple[float, float, str]:
    """The first and last edges of the pixels along an axis of a plane, and the label of that axis."""
    axis, start, extent = axis_of(field, plane.axes[number]), plane.starts()[number], plane.shape[number]
    name = axis.name or ("index" if len(plane.axes) == 1 else f"index {plane.axes[number]}")
    words = f"{name} ({axis.units})" if axis.units and axis.values is not None else name
    if axis.values is None or not axis.is_even:
        return start - 0.5, start + extent - 0.5, words
    step = (axis.values[-1] - axis.values[0]) / (len(axis.values) - 1)
    first = axis.values[start]
    return first - step / 2, first + step * (extent - 0.5), words


def _place_ticks(axis: Any, field: Field, plane: Plane, number: int) -> None:
    """Round numbers along an axis of a plane; at indices if the coordinates are uneven, and with their values."""
    uneven = axis_of(field, plane.axes[number])
    axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 3, 5, 10]))
    if uneven.values is None or uneven.is_even:
        return
    values = uneven.values
    axis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set_major_formatter(
        FuncFormatter(lambda place, _: words_of(values[round(place)]) if 0 <= round(place) < len(values) else "")
    )


def _image(
    values: np.ndarray,
    field: Field,
    plane: Plane,
    scheme: Scheme,
    table_name: str,
    colours: Colours,
    label: str,
    ticks: Optional[Sequence[float]] = None,
) -> Figure:
    inner = _image_height(plane)
    height = _TOP + inner + _BOTTOM + _BAR
    figure = Figure(figsize=(WIDTH, height))
    width = WIDTH - _LEFT - _RIGHT
    axes = figure.add_axes((_LEFT / WIDTH, (_BOTTOM + _BAR) / height, width / WIDTH, inner / height))
    top, bottom, rows = _edges(field, plane, 0)
    left, right, columns = _edges(field, plane, 1)
    table = matplotlib.colormaps[table_name].with_extremes(bad=scheme.hole)
    drawn = axes.imshow(
        colours.drawn(values),
        cmap=table,
        norm=colours.norm(),
        aspect="auto",
        interpolation="nearest",
        extent=(left, right, bottom, top),
        origin="upper",
    )
    if bottom > top:
        axes.invert_yaxis()  # what grows, grows upwards
    axes.set_xlabel(label_of(columns))
    axes.set_ylabel(label_of(rows, round(inner / _LETTER)))
    _place_ticks(axes.yaxis, field, plane, 0)
    _place_ticks(axes.xaxis, field, plane, 1)
    axes.spines[["top", "right"]].set_visible(True)
    bar_axes = figure.add_axes((_LEFT / WIDTH, 0.44 / height, width / WIDTH, 0.11 / height))
    bar = figure.colorbar(drawn, cax=bar_axes, orientation="horizontal", extend=colours.extend, extendfrac=0.03)
    bar.outline.set_linewidth(0.5)
    if ticks is None:
        if colours.is_log:
            log_ticks(bar.ax.xaxis, colours.least, colours.most)
        else:
            bar.locator = MaxNLocator(5)
            bar.update_ticks()
    else:
        bar.set_ticks(ticks, labels=[words_of(tick, 3) for tick in ticks])
        # Those at the ends stay inside of the picture.
        labels = bar.ax.get_xticklabels()
        labels[0].set_horizontalalignment("left")
        labels[-1].set_horizontalalignment("right")
    bar.set_label(label, labelpad=2)
    _make_room(figure, axes, bar_axes)
    return figure


def _make_room(figure: Figure, *column: Any) -> None:
    """Moves the left edge of axes above each other to where the numbers and the label of the first one fit."""
    missing = 0.04 - column[0].yaxis.get_tightbbox().x0 / figure.dpi
    if missing > 0:
        for axes in column:
            place = axes.get_position()
            left = place.x0 + missing / WIDTH
            axes.set_position((left, place.y0, place.x1 - left, place.height))


def values_image(values: np.ndarray, field: Field, plane: Plane, colours: Colours, scheme: Scheme) -> Figure:
    """A field or its reconstruction in a plane; both get the same colours."""
    label = label_of(field.units or "value")
    return _image(values, field, plane, scheme, FIELD_COLOURS, colours, label)


def error_image(errors: np.ndarray, field: Field, plane: Plane, measured: Measured, scheme: Scheme) -> Figure:
    """Errors, from -bound to bound; those relative to each value if the bound is."""
    bound = measured.bound.value or 1.0
    relative = measured.bound.mode == "pwr"
    label = (
        "error / |value|"
        if relative
        else label_of(f"reconstruction \u2212 original{f' ({field.units})' if field.units else ''}")
    )
    extend = "both" if measured.metrics.violations else "neither"
    return _image(
        errors, field, plane, scheme, scheme.errors, Colours(-bound, bound, extend), label, (-bound, 0, bound)
    )


# -------------------------------------------------------------------------------------------- lines


def _plot() -> Tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, _HEIGHT), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    axes = figure.add_subplot()
    axes.grid(True)
    return figure, axes


def _legend(figure: Figure, columns: int) -> None:
    """Names above the plot, where they hide nothing."""
    figure.legend(loc="outside upper left", ncols=columns, borderpad=0, columnspacing=1.4)


def line_values(measured: Measured, field: Field, plane: Plane, scheme: Scheme) -> Figure:
    """Original and reconstruction along a line."""
    figure, axes = _plot()
    begin, end, label = _edges(field, plane, 0)
    x = np.linspace(begin, end, plane.shape[0], endpoint=False)[:: plane.step[0]]
    axes.plot(x, measured.pair.original[plane.drawn_key], color=scheme.lines[0], label="original", linewidth=2.2)
    axes.plot(
        x, measured.pair.reconstruction[plane.drawn_key], color=scheme.lines[1], label="reconstruction", linewidth=0.9
    )
    _place_ticks(axes.xaxis, field, plane, 0)
    axes.set_xlabel(label_of(label))
    axes.set_ylabel(label_of(field.units or "value"))
    _legend(figure, 2)
    return figure


def line_error(errors: np.ndarray, measured: Measured, field: Field, plane: Plane, scheme: Scheme) -> Figure:
    """Errors along a line, between the bounds."""
    figure, axes = _plot()
    begin, end, label = _edges(field, plane, 0)
    x = np.linspace(begin, end, plane.shape[0], endpoint=False)[:: plane.step[0]]
    axes.plot(x, errors, color=scheme.lines[2], linewidth=0.8)
    for side in (-1, 1):
        axes.axhline(side * measured.bound.value, color=scheme.ink, linewidth=0.9, linestyle=_DASHES[1])
    _place_ticks(axes.xaxis, field, plane, 0)
    axes.set_xlabel(label_of(label))
    axes.set_ylabel("error / |value|" if measured.bound.mode == "pwr" else "error")
    return figure


def error_histogram(measured: Measured, scheme: Scheme) -> Figure:
    """Share of the values in each of the library's bins, over error / bound."""
    figure, axes = _plot()
    counts = np.asarray(measured.metrics.histogram, dtype=np.float64)
    outside = (measured.metrics.histogram_below or 0, measured.metrics.histogram_above or 0)
    total = max(counts.sum() + sum(outside), 1.0)
    edges = np.linspace(-1, 1, counts.size + 1)
    axes.stairs(100 * counts / total, edges, fill=True, color=scheme.lines[2], alpha=0.28)
    axes.stairs(100 * counts / total, edges, color=scheme.lines[2], linewidth=1.3)
    for place, count in zip((-1.12, 1.12), outside):
        if count:
            axes.bar(place, 100 * count / total, width=0.1, color=scheme.alarm)
    even = 100 / counts.size
    axes.axhline(even, color=scheme.muted, linewidth=1.0, linestyle=_DASHES[1])
    axes.annotate(
        "evenly spread",
        (0.97, even),
        xytext=(0, 7),
        textcoords="offset points",
        ha="right",
        color=scheme.muted,
        fontsize=SMALL,
    )
    for side in (-1, 1):
        axes.axvline(side, color=scheme.ink, linewidth=1.0)
    axes.set_xlim(-1.22, 1.22)
    axes.set_ylim(0, max(100 * counts.max() / total, even) * 1.2)
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["\u2212bound", "\u2212\u00bd", "0", "\u00bd", "+bound"])
    axes.grid(False, axis="x")
    axes.set_ylabel("share of values, %")
    axes.set_xlabel("largest error" if measured.bound.mode == "none" else "error relative to the bound")
    return figure


def autocorrelation(measured: Measured, scheme: Scheme) -> Figure:
    """Correlation of errors with those some places on, and what chance gives."""
    figure, axes = _plot()
    found = np.asarray(measured.metrics.autocorrelation, dtype=np.float64)
    lags = np.arange(1, found.size + 1)
    band, most = chance(measured), correlation_range(measured)
    axes.axhspan(-band, band, color=scheme.muted, alpha=0.22, linewidth=0)
    axes.vlines(lags, 0, found, color=scheme.lines[2], linewidth=2.0)
    axes.plot(lags, found, "o", color=scheme.lines[2], markersize=4.5)
    axes.axhline(0, color=scheme.muted, linewidth=0.8)
    axes.set_ylim(-most, most)
    axes.set_xlim(0.4, found.size + 0.6)
    axes.set_xticks(lags)
    axes.grid(False, axis="x")
    axes.set_xlabel("distance, in values of memory order")
    axes.set_ylabel("correlation of errors")
    return figure


def spectra(found: Spectra, scheme: Scheme) -> Figure:
    """Power over wavenumber: of the original, the reconstruction and the error."""
    figure, axes = _plot()
    names = ("original", "reconstruction", "error")
    widths = (3.0, 1.3, 1.3)
    for one, name, colour, dash, width in zip(found, names, scheme.lines, ("-", _DASHES[1], "-"), widths):
        some = one.power > 0
        axes.loglog(one.wavenumber[some], one.power[some], color=colour, linestyle=dash, linewidth=width, label=name)
    first = found[0]
    powers = np.concatenate([one.power[one.power > 0] for one in found] + [np.ones(0)])
    if powers.size:
        most = float(powers.max())
        axes.set_ylim(max(float(powers.min()) / 3, most * 1e-18), most * 3)
    least = float(first.wavenumber.min()) / 1.15
    axes.set_xlim(least, 0.56)
    log_ticks(axes.xaxis, least, 0.56)
    axes.set_xlabel("wavenumber, cycles per grid step")
    axes.set_ylabel("power")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(LogLocator(numticks=7))
    _legend(figure, 3)
    return figure


# -------------------------------------------------------------------------------------------- sweep


def _sweep_lines(axes: Any, sweep: Sweep, scheme: Scheme, x: str, y: str) -> List[Any]:
    handles = []
    for number, name in enumerate(sweep.pipelines):
        points = sweep.of(name)
        look = number % len(_MARKS)
        handles += axes.plot(
            [getattr(p, x) for p in points],
            [getattr(p, y) for p in points],
            marker=_MARKS[look],
            markersize=5,
            linestyle=_DASHES[look],
            linewidth=1.3,
            color=scheme.lines[look],
            label=name,
        )
    return handles


def _label_bounds(axes: Any, sweep: Sweep, scheme: Scheme, x: str, y: str, offset: Tuple[int, int]) -> None:
    """The bounds beside the outermost of their points."""
    for bound in sweep.bounds:
        point = max((p for p in sweep.points if p.asked == bound), key=lambda p: getattr(p, x))
        axes.annotate(
            power(bound),
            (getattr(point, x), getattr(point, y)),
            xytext=offset,
            textcoords="offset points",
            fontsize=SMALL,
            color=scheme.muted,
            va="center",
        )


def _ratio_axis(axes: Any, sweep: Sweep) -> None:
    ratios = [p.ratio for p in sweep.points]
    axes.set_yscale("log")
    axes.set_ylim(min(ratios) / 1.35, max(ratios) * 1.35)
    log_ticks(axes.yaxis, min(ratios) / 1.35, max(ratios) * 1.35)
    axes.set_ylabel("ratio")


def rate_distortion(sweep: Sweep, scheme: Scheme) -> Figure:
    """PSNR over bits per value."""
    figure, axes = _plot()
    _sweep_lines(axes, sweep, scheme, "bits_per_value", "psnr")
    _label_bounds(axes, sweep, scheme, "bits_per_value", "psnr", (7, -5))
    axes.set_xlim(0, 1.2 * max(p.bits_per_value for p in sweep.points))
    axes.set_xlabel("bits per value")
    axes.set_ylabel("PSNR, dB")
    _legend(figure, 2)
    return figure


def ratio_bound(sweep: Sweep, scheme: Scheme) -> Figure:
    """Ratio over the bound."""
    figure, axes = _plot()
    _sweep_lines(axes, sweep, scheme, "asked", "ratio")
    _ratio_axis(axes, sweep)
    axes.set_xscale("log")
    axes.set_xticks(sweep.bounds, [power(bound) for bound in sweep.bounds])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(_BOUND_WORDS[sweep.mode])
    _legend(figure, 2)
    return figure


def ratio_speed(sweep: Sweep, scheme: Scheme) -> Figure:
    """Ratio over throughput of compression."""
    figure, axes = _plot()
    unit, factor = rate_unit([p.compress_gbps for p in sweep.points])
    _sweep_lines(axes, sweep, scheme, "compress_gbps", "ratio")
    _label_bounds(axes, sweep, scheme, "compress_gbps", "ratio", (7, 0))
    _ratio_axis(axes, sweep)
    axes.set_xlim(0, 1.25 * max(p.compress_gbps for p in sweep.points))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{factor * value:g}"))
    axes.set_xlabel(f"compression, {unit}")
    _legend(figure, 2)
    return figure


def close_up(
    values: np.ndarray, field: Field, plane: Plane, colours: Colours, scheme: Scheme
) -> Figure:
    """A small part of a field, without axes: one of a row that differ by the bound."""
    top, bottom, _ = _edges(field, plane, 0)
    figure = Figure(figsize=(WIDTH / 2, WIDTH / 2 * min(max(values.shape[0] / values.shape[1], 0.5), 1.5)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(
        colours.drawn(values),
        cmap=matplotlib.colormaps[FIELD_COLOURS].with_extremes(bad=scheme.hole),
        norm=colours.norm(),
        aspect="auto",
        interpolation="nearest",
        origin="lower" if bottom > top else "upper",
    )
    axes.set_axis_off()
    return figure
