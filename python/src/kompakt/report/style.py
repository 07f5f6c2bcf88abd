"""Colours, types and sizes of the pictures, for light pages and for dark ones."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Iterator, Tuple

import matplotlib
from matplotlib.figure import Figure

from .ticks import tidy

matplotlib.use("agg")

# Of all colours that stand side by side some are told apart in any kind of colour blindness: Okabe and Ito's for
# lines, viridis for fields, and a blue and a red around a neutral middle for errors.
FIELD_COLOURS = "viridis"
WIDTH = 4.0  # inches of a picture, which a page shows as wide as a column
DPI = 220
SMALL = 9.2  # points of the smallest letters: 11 pixels in a column of a page of 1280


@dataclass(frozen=True)
class Scheme:
    """The looks of a page of this kind; `lines` are original, reconstruction, error and one more."""

    name: str
    surface: str
    ink: str
    muted: str
    grid: str
    lines: Tuple[str, str, str, str]
    alarm: str
    errors: str
    hole: str


LIGHT = Scheme(
    "light",
    "#ffffff",
    "#1b2129",
    "#5a6573",
    "#e3e7ec",
    ("#0072b2", "#d55e00", "#007d5c", "#b0478a"),
    "#b3261e",
    "RdBu_r",
    "#c9ced6",
)
DARK = Scheme(
    "dark",
    "#171c23",
    "#e8ecf1",
    "#9aa6b4",
    "#2c343f",
    ("#56b4e9", "#f0a03c", "#2fc79c", "#e08fc0"),
    "#ff8a80",
    "berlin" if "berlin" in matplotlib.colormaps else "RdBu_r",
    "#4a5462",
)
SCHEMES = (LIGHT, DARK)


@contextmanager
def drawn_in(scheme: Scheme) -> Iterator[None]:
    """matplotlib's settings for as long as figures are made and rendered."""
    with matplotlib.rc_context(
        {
            "font.family": "sans-serif",
            "font.size": 9.6,
            "axes.titlesize": 9.6,
            "axes.labelsize": 9.6,
            "xtick.labelsize": SMALL,
            "ytick.labelsize": SMALL,
            "legend.fontsize": SMALL,
            "mathtext.fontset": "dejavusans",
            "text.usetex": False,  # texts of files are no programs
            "figure.facecolor": scheme.surface,
            "savefig.facecolor": scheme.surface,
            "axes.facecolor": scheme.surface,
            "text.color": scheme.ink,
            "axes.labelcolor": scheme.muted,
            "axes.edgecolor": scheme.muted,
            "xtick.color": scheme.muted,
            "ytick.color": scheme.muted,
            "grid.color": scheme.grid,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.linewidth": 0.7,
            "axes.axisbelow": True,
            "xtick.major.width": 0.7,
            "ytick.major.width": 0.7,
            "xtick.major.size": 3,
            "ytick.major.size": 3,
            "xtick.minor.size": 1.5,
            "ytick.minor.size": 1.5,
            "grid.linewidth": 0.7,
            "lines.linewidth": 1.6,
            "legend.frameon": False,
            "legend.handlelength": 1.8,
            "axes.formatter.useoffset": False,
            "axes.formatter.limits": (-3, 5),
            "axes.unicode_minus": True,
        }
    ):
        yield


def png_of(figure: Figure, share: float = 1.0) -> bytes:
    """A figure as a file of PNG, of a share of the pixels along each side."""
    tidy(figure)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=share * DPI, metadata={"Software": None})
    return stream.getvalue()
