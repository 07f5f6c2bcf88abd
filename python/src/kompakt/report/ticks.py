"""Ticks that can be read: a power of ten stands in the label of its axis, and no two numbers overlap."""

from __future__ import annotations

from typing import Any, List, Tuple

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from .words import power, superscript

_GAP = 0.4  # widths of a letter between two numbers, at least


def log_ticks(axis: Any, least: float, most: float) -> None:
    """Powers of ten on a logarithmic axis, and 2 and 5 between them where these are few."""
    few = most / least < 200
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if few and 1e-3 <= value < 1e4 else power(value)))
    axis.set_minor_formatter(NullFormatter())


def _power_into_label(axis: Any) -> None:
    formatter = axis.get_major_formatter()
    formatter.format_ticks(axis.get_majorticklocs())
    exponent = formatter.get_offset().partition("e")[2]
    if exponent:
        axis.get_offset_text().set_visible(False)
        factor = f"\u00d710{superscript(exponent.replace(chr(0x2212), '-'))}"
        axis.set_label_text(f"{axis.get_label_text()}, {factor}".lstrip(", "))


def numbers(axis: Any) -> List[Any]:
    """The texts of the ticks that are seen, along the axis."""
    axis.get_majorticklabels()  # puts them where they belong
    least, most = sorted(axis.get_view_interval())
    slack = 1e-9 * (most - least)
    ticks = [tick for tick in axis.get_major_ticks() if least - slack <= tick.get_loc() <= most + slack]
    ticks.sort(key=lambda tick: float(tick.get_loc()))
    return [tick.label1 for tick in ticks if tick.label1.get_visible() and tick.label1.get_text()]


def overlap(texts: List[Any]) -> bool:
    """Whether two of some texts in a row stand too close to be told apart."""
    boxes = [text.get_window_extent() for text in texts]

    def gaps(one: Any, other: Any) -> Tuple[float, float]:
        return (
            max(other.x0 - one.x1, one.x0 - other.x1),
            max(other.y0 - one.y1, one.y0 - other.y1),
        )

    for one, other, text in zip(boxes, boxes[1:], texts):
        letter = text.get_fontsize() / 72 * text.figure.dpi
        beside, above = gaps(one, other)
        if beside < _GAP * letter and above < 0:
            return True
    return False


def _thin(axis: Any) -> None:
    texts = numbers(axis)
    while len(texts) > 2 and overlap(texts):
        for text in texts[1::2]:
            text.set_visible(False)
        texts = texts[::2]


def tidy(figure: Figure) -> None:
    """Makes the numbers of all axes of a figure readable."""
    every = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) if axes.axison]
    for axis in every:
        _power_into_label(axis)
    layout = figure.get_layout_engine()
    if layout is not None:
        # Once is enough: it takes longer than drawing.
        layout.execute(figure)
        figure.set_layout_engine("none")
    for axis in every:
        _thin(axis)
