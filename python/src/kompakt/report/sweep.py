"""One field by all pipelines within several bounds: what a bound costs and what it buys."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Sequence, Tuple, TypedDict, TypeVar

import kompakt
import numpy as np
from kompakt._words import Mode, Pipeline, Predictor

from .inputs import Field, declared, without_fill
from .measure import Bound, bound_of_info, compare, pair_of
from .progress import Say
from .refusal import Refusal
from .spectra import centre

LARGEST = 1 << 25  # values that are compressed so often
LEAST_TIMED = 10**6  # bytes of a field whose times are worth telling
_SECONDS, _MOST_CALLS = 0.2, 5
_Result = TypeVar("_Result")


class Coding(TypedDict, total=False):
    """Arguments of `kompakt.compress`."""

    pipeline: Pipeline
    predictor: Predictor


PIPELINES: Dict[str, Coding] = {
    "fixedlength": {"pipeline": "fixedlength"},
    "bitshuffle": {"pipeline": "bitshuffle"},
    "huffman": {"pipeline": "huffman"},
    "interpolate": {"pipeline": "bitshuffle", "predictor": "interpolate"},
}
BOUNDS = (1e-2, 1e-3, 1e-4, 1e-5)


@dataclass(frozen=True)
class Point:
    """One pipeline within one bound. Sizes in bytes, throughput in GB/s of the field's bytes."""

    pipeline: str
    asked: float
    bound: Bound
    ratio: float
    bits_per_value: float
    psnr: float
    largest_error: float
    violations: int
    compress_gbps: float
    decompress_gbps: float


@dataclass(frozen=True)
class Sweep:
    """All points, and what they are of."""

    mode: Mode
    points: Tuple[Point, ...]
    part: Tuple[slice, ...]
    values: int
    close: Dict[float, np.ndarray]  # a small part of the reconstruction out of the smallest stream within each bound
    nbytes: int

    @property
    def is_timed(self) -> bool:
        """Whether calls take long enough to say anything about speed."""
        return self.nbytes >= LEAST_TIMED

    def of(self, pipeline: str) -> List[Point]:
        """The results of one pipeline, from the largest bound on."""
        return sorted((p for p in self.points if p.pipeline == pipeline), key=lambda p: -p.asked)

    @property
    def pipelines(self) -> List[str]:
        return list(dict.fromkeys(p.pipeline for p in self.points))

    @property
    def bounds(self) -> List[float]:
        return sorted({p.asked for p in self.points}, reverse=True)

    def smallest(self, bound: float) -> Point:
        """The best ratio within a bound."""
        return max((p for p in self.points if p.asked == bound), key=lambda p: p.ratio)


def parse_bounds(text: str) -> Tuple[float, ...]:
    """Bounds of ``1e-2,1e-3``, the largest first."""
    try:
        bounds = {float(word) for word in text.split(",")}
    except ValueError:
        bounds = {0.0}
    if not all(np.isfinite(bound) and bound > 0 for bound in bounds):
        raise Refusal(f"--bounds {text}: give positive numbers with commas, such as 1e-2,1e-3,1e-4")
    return tuple(sorted(bounds, reverse=True))


def parse_pipelines(text: str) -> Tuple[str, ...]:
    """Names of ``fixedlength,huffman``."""
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in PIPELINES:
            raise Refusal(f"--pipelines {text}: '{name}' is not a pipeline; use some of {', '.join(PIPELINES)}")
    return names


def _fastest(work: Callable[[], _Result]) -> Tuple[_Result, float]:
    """The result, and seconds of the fastest of some calls; the first one does not count."""
    times: List[float] = []
    result, begin = work(), time.perf_counter()
    while not times or (len(times) < _MOST_CALLS and time.perf_counter() - begin < _SECONDS):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return result, min(times)


def _point(field: Field, name: str, mode: Mode, bound: float) -> Tuple[Point, np.ndarray]:
    x = field.values
    coding = PIPELINES[name]
    stream, pack_seconds = _fastest(lambda: kompakt.compress(x, bound, mode, fill_value=declared(field), **coding))
    out = np.empty_like(x)
    _, unpack_seconds = _fastest(lambda: kompakt.decompress(stream, out=out))
    kept = bound_of_info(kompakt.inspect(stream))
    pair = pair_of(field, out)
    metrics = compare(pair, kept)
    return (
        Point(
            name,
            bound,
            kept,
            x.nbytes / len(stream),
            8 * len(stream) / x.size,
            metrics.psnr,
            metrics.max_abs_error,
            metrics.violations,
            x.nbytes / pack_seconds / 1e9,
            x.nbytes / unpack_seconds / 1e9,
        ),
        out,
    )


def run_sweep(
    field: Field,
    mode: Mode,
    bounds: Sequence[float],
    pipelines: Sequence[str],
    close: Tuple[slice, ...],
    say: Say,
) -> Sweep:
    """Compresses the field, or the middle of a large one, once for each point.

    Parameters
    ----------
    close : tuple of slice
        The part of the field whose reconstructions are kept.
    say
        Told what is being done, and how much of the sweep is behind.
    """
    part = centre(field.values.shape, LARGEST)
    whole = all(p == slice(0, n) for p, n in zip(part, field.values.shape))
    small = field if whole else replace(field, values=np.ascontiguousarray(field.values[part]))
    points: List[Point] = []
    kept: Dict[float, np.ndarray] = {}
    for bound in bounds:
        for name in pipelines:
            say(f"{name} within {mode} {bound:g}", len(points) / (len(bounds) * len(pipelines)))
            point, out = _point(small, name, mode, bound)
            points.append(point)
            smaller = all(other.ratio < point.ratio for other in points[:-1] if other.asked == bound)
            if whole and smaller:
                kept[bound] = without_fill(out[close], field)
    return Sweep(mode, tuple(points), part, small.values.size, kept, small.values.nbytes)
