"""All pictures of a report in both schemes, with their captions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Callable, Dict, List, Optional

import numpy as np
from matplotlib.figure import Figure

from . import colours, figures
from .captions import autocorrelation_caption, histogram_caption, spectra_caption
from .inputs import Field
from .measure import Measured
from .slices import Plane
from .style import SCHEMES, Scheme, drawn_in, png_of
from .sweep import Sweep
from .words import power


@dataclass(frozen=True)
class Picture:
    """One picture.

    Attributes
    ----------
    name : str
        Of its file, without ending.
    title, caption : str
        What it is, and what one sees in it.
    png : dict
        The bytes of the file by the name of the scheme.
    beneath : str
        Name of the picture of the same form that can be swiped over this one.
    """

    name: str
    title: str
    caption: str
    png: Dict[str, bytes]
    beneath: str = ""


def _picture(
    name: str, title: str, caption: str, draw: Callable[[Scheme], Figure], share: float = 1.0, beneath: str = ""
) -> Picture:
    png = {}
    for scheme in SCHEMES:
        with drawn_in(scheme):
            png[scheme.name] = png_of(draw(scheme), share)
    return Picture(name, title, caption, png, beneath)


def _errors(measured: Measured, plane: Plane) -> np.ndarray:
    """Errors of the drawn values, as the bound counts them."""
    errors = measured.pair.errors(plane.drawn_key)
    if measured.bound.mode == "pwr":
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = errors / np.abs(measured.pair.original[plane.drawn_key])
    return errors


def plane_pictures(
    field: Field,
    measured: Measured,
    plane: Plane,
    suffix: str = "",
    colours_of: Optional[Plane] = None,
    share: float = 1.0,
) -> List[Picture]:
    """Original, reconstruction and error in a plane, or along a line.

    Parameters
    ----------
    suffix : str
        Of the names of the files.
    colours_of : Plane, optional
        The plane whose values give the colours; without it the same one.
    share : float
        Of the pixels along each side.
    """
    errors = _errors(measured, plane)
    if len(plane.axes) == 1:
        return [
            _picture(
                f"values{suffix}",
                "Original and reconstruction",
                "Where one line is seen, they agree.",
                lambda scheme: figures.line_values(measured, field, plane, scheme),
            ),
            _picture(
                f"error{suffix}",
                "Error",
                "Dashed: the bound on either side.",
                lambda scheme: figures.line_error(errors, measured, field, plane, scheme),
            ),
        ]
    scale = colours.colours_of(measured.pair.original[(colours_of or plane).key])
    pictures = []
    for name, title, values, beneath in (
        ("original", "Original", measured.pair.original, ""),
        ("reconstruction", "Reconstruction", measured.pair.reconstruction, f"original{suffix}"),
    ):
        shown = values[plane.drawn_key]
        pictures.append(
            _picture(
                name + suffix,
                title,
                "",
                partial(figures.values_image, shown, field, plane, scale),
                share,
                beneath,
            )
        )
    pictures.append(
        _picture(
            f"error{suffix}",
            "Error",
            "",
            lambda scheme: figures.error_image(errors, field, plane, measured, scheme),
            share,
        )
    )
    return pictures


def error_pictures(measured: Measured) -> List[Picture]:
    """Histogram, autocorrelation and spectra."""
    pictures = [
        _picture(
            "histogram",
            "How large the errors are",
            histogram_caption(measured),
            lambda scheme: figures.error_histogram(measured, scheme),
        ),
        _picture(
            "autocorrelation",
            "Whether errors go together",
            autocorrelation_caption(measured),
            lambda scheme: figures.autocorrelation(measured, scheme),
        ),
    ]
    spectra = measured.spectra
    if spectra is not None:
        pictures.append(
            _picture(
                "spectra",
                "At which wavelengths",
                spectra_caption(spectra, measured.pair.original.shape),
                partial(figures.spectra, spectra),
            )
        )
    return pictures


def sweep_pictures(sweep: Sweep) -> List[Picture]:
    """Rate and distortion, ratio and bound, ratio and speed."""
    pictures = [
        _picture(
            "rate_distortion",
            "What a bit buys",
            "Further left is smaller, further up is closer to the original. Points of a line are the bounds; of two "
            "lines the upper one is better.",
            lambda scheme: figures.rate_distortion(sweep, scheme),
        ),
        _picture(
            "ratio_bound",
            "What a bound saves",
            "How many times smaller the stream is within each bound. Both scales are logarithmic.",
            lambda scheme: figures.ratio_bound(sweep, scheme),
        ),
    ]
    if sweep.is_timed:
        pictures.append(
            _picture(
                "ratio_speed",
                "What speed costs",
                "Further up is smaller, further right is faster, on the machine named below.",
                lambda scheme: figures.ratio_speed(sweep, scheme),
            )
        )
    return pictures


def bound_pictures(field: Field, sweep: Sweep, close: Plane, original: np.ndarray) -> List[Picture]:
    """One small part within each bound, with the colours of its original."""
    scale = colours.colours_of(original)
    parts = [("original", "Original", "", original)]
    for bound in sweep.bounds:
        best = sweep.smallest(bound)
        if bound in sweep.close:
            parts.append(
                (f"{bound:g}", f"{sweep.mode} {power(bound)}", f"{best.pipeline}, ratio {best.ratio:.1f}", sweep.close[bound])
            )
    return [
        _picture(
            f"within_{name}",
            title,
            caption,
            partial(figures.close_up, values, field, close, scale),
        )
        for name, title, caption, values in parts
    ]
