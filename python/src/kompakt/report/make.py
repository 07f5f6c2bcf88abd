"""From the words of the command to the page."""

from __future__ import annotations

import argparse
import os
import shlex
from dataclasses import replace
from typing import List, Optional, Tuple

import kompakt
from kompakt._words import Mode

from .inputs import Field, declared, parse_shape, read_field, require_drawable, with_found_fills, without_fill
from .measure import Bound, Measured, bound_of_info, bound_of_words, measure, pair_of
from .output import require_free, write_report
from .page import Report, Section, Slice, html_of, shown_words, sweep_table
from .pictures import bound_pictures, error_pictures, plane_pictures, sweep_pictures
from .progress import Say, teller
from .refusal import EXIT_CODES, Refusal
from .slices import Plane, close_plane, other_planes, place_words, sliding_axis, whole_plane
from .sweep import BOUNDS, PIPELINES, Sweep, parse_bounds, parse_pipelines, run_sweep
from .words import count, power, printable

def _of_files(arguments: argparse.Namespace, field: Field) -> Tuple[Field, Measured, Optional[kompakt.Info]]:
    """A reconstruction that is there."""
    shape = parse_shape(arguments.shape, arguments.extents)
    # A raw reconstruction of a field that says what is in it has its type and extents.
    raw_type = arguments.dtype or {"f": "f", "i": "i", "u": "u"}[field.values.dtype.kind] + str(
        8 * field.values.itemsize
    )
    other = read_field(arguments.other, raw_type, shape or field.values.shape)
    field = replace(field, fills=tuple(dict.fromkeys((*field.fills, *other.fills))))
    pair = pair_of(field, other.values)
    require_drawable(field.label, pair.original)
    require_drawable(other.label, pair.reconstruction)
    bound: Optional[Bound] = None
    if arguments.mode:
        bound = bound_of_words(arguments.mode, arguments.bound or 0.0, pair)
    elif other.info is not None:
        bound = bound_of_info(other.info)
    return field, measure(pair, bound, other.info.stream_bytes if other.info else None), other.info


def _of_bound(field: Field, mode: Mode, bound: float) -> Tuple[Measured, kompakt.Info]:
    """The pipeline that is chosen, within one bound."""
    try:
        stream = kompakt.compress(field.values, bound, mode, fill_value=declared(field))
    except ValueError as refused:
        where, problem, advice = (getattr(refused, part, "") for part in ("where", "problem", "advice"))
        if "fill value" not in advice:
            raise
        raise Refusal(f"'{field.label}': {where}: {problem}; declare a fill value in a file with attributes, or pass -m abs and -e") from None
    info = kompakt.inspect(stream)
    return measure(pair_of(field, kompakt.decompress(stream)), bound_of_info(info), len(stream)), info


def _slices(field: Field, measured: Measured, plane: Plane, say: Say) -> List[Slice]:
    """The plane that is shown first, and others of the same dimension."""
    axis = sliding_axis(field.values.shape, plane)
    pictures = plane_pictures(field, measured, plane)
    if axis is None:
        return [Slice("", 0, pictures)]
    slices = [Slice(place_words(field, axis, plane.key[axis]), plane.key[axis], pictures)]
    others = other_planes(field.values.shape, plane, axis)
    for number, other in enumerate(others):
        say("drawing slices", number / len(others))
        index = other.key[axis]
        pictures = plane_pictures(field, measured, other, f"_{index}", share=0.6)
        slices.append(Slice(place_words(field, axis, index), index, pictures))
    return slices


def _planes(field: Field, measured: Measured, plane: Plane, say: Say) -> Tuple[List[Section], Optional[Plane]]:
    """The sections that show values."""
    same = "Original and reconstruction share a colour scale; the error has its own, from \u2212bound to +bound."
    holes = " Grey: no value." if measured.pair.masked else ""
    look = "three" if len(plane.axes) == 2 else "two"
    slices = _slices(field, measured, plane, say)
    slid = sliding_axis(field.values.shape, plane) if len(slices) > 1 else None
    sections = [
        Section(
            "What it looks like",
            shown_words(field, plane, slid) + (same + holes if look == "three" else ""),
            slices[0].pictures,
            look,
            slices=slices if len(slices) > 1 else [],
        )
    ]
    close = close_plane(measured.pair, plane)
    if close is not None:
        size = " \u00d7 ".join(map(count, close.shape))
        sections.append(
            Section(
                "Closer",
                f"{size} values around the largest error of the plane, every value a square; colours as above.",
                plane_pictures(field, measured, close, "_close", plane),
            )
        )
    return sections, close


def _errors(measured: Measured) -> List[Section]:
    if measured.bound.mode == "lossless" or measured.bound.value <= 0 or measured.pair.original.dtype.kind != "f":
        return []
    return [
        Section(
            "What the errors are like",
            f"Over all {count(measured.metrics.values - measured.metrics.nonfinite)} values.",
            error_pictures(measured),
        )
    ]


def _sweep_sections(field: Field, sweep: Sweep, close: Optional[Plane]) -> List[Section]:
    part = (
        "" if sweep.values == field.values.size else f" Of the {count(sweep.values)} values in the middle of the field."
    )
    timed = "timed from memory to memory, the fastest of a few calls" if sweep.is_timed else "not timed, because it is below 1 MB"
    lead = f"{len(sweep.pipelines)} pipelines within {len(sweep.bounds)} bounds, each checked value by value; {timed}.{part}"
    sections = [Section("What a bound costs", lead, sweep_pictures(sweep), "three", sweep_table(sweep, field.units))]
    if close is not None and sweep.close:
        sections.append(
            Section(
                "What a bound looks like",
                "The same values within each bound, as the pipeline with the smallest stream leaves them, in the colours of the "
                "original.",
                bound_pictures(field, sweep, close, without_fill(field.values[close.key], field)),
                "many",
            )
        )
    return sections


def _swept(arguments: argparse.Namespace, field: Field, say: Say) -> Tuple[Measured, kompakt.Info, List[Section]]:
    if field.values.dtype.kind != "f":
        raise Refusal(
            f"'{field.label}' has values of {field.values.dtype}; a sweep is over bounds, which f32 and f64 have"
        )
    require_drawable(field.label, without_fill(field.values, field))
    mode: Mode = arguments.mode or "r2r"
    bounds = parse_bounds(arguments.bounds) if arguments.bounds else BOUNDS
    pipelines = parse_pipelines(arguments.pipelines) if arguments.pipelines else tuple(PIPELINES)
    looked_at = arguments.bound or bounds[(len(bounds) - 1) // 2]
    say(f"{mode} {looked_at:g}")
    measured, info = _of_bound(field, mode, looked_at)
    plane = whole_plane(measured.pair.original, arguments.where)
    shown, close = _planes(field, measured, plane, say)
    sweep = run_sweep(field, mode, bounds, pipelines, close.key if close else (), say)
    sections = _sweep_sections(field, sweep, close) + shown + _errors(measured)
    return measured, info, sections


def command_words(words: List[str]) -> str:
    """The command as one would type it again."""
    program = os.environ.get("KOMPAKT_REPORT_COMMAND", "python3 -m kompakt.report")
    return printable(" ".join([program, *map(shlex.quote, words)]))


def make(arguments: argparse.Namespace, words: List[str]) -> int:
    """Writes the page that was asked for.

    Returns
    -------
    int
        0, or the exit code of a value outside of its bound; the page is written then, too.

    Raises
    ------
    Refusal
        If an input or the output cannot be used; nothing is written then.
    """
    require_free(arguments.output, arguments.force, [arguments.field, arguments.other])
    say = teller(arguments.quiet)
    say("reading")
    field = with_found_fills(read_field(arguments.field, arguments.dtype, parse_shape(arguments.shape, arguments.extents)))
    if arguments.title:
        field = replace(field, long_name=printable(arguments.title))
    info: Optional[kompakt.Info]
    if arguments.is_sweep:
        measured, info, sections = _swept(arguments, field, say)
        other = f"Looked at closely: {info.mode} {power(info.bound)}, for which {info.pipeline} was chosen."
    else:
        say("comparing")
        field, measured, info = _of_files(arguments, field)
        plane = whole_plane(measured.pair.original, arguments.where)
        sections = _planes(field, measured, plane, say)[0] + _errors(measured)
        other = f"Compared with {printable(arguments.other)}"
    say("writing")
    report = Report(field, measured, command_words(words), other, info, sections)
    write_report(
        arguments.output,
        html_of(report),
        [picture for section in sections for picture in section.all_pictures()],
        arguments.force,
    )
    say("")
    return EXIT_CODES["bound_violated"] if measured.metrics.violations else 0
