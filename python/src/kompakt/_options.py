"""Arguments and results as dicts with the types of their values, for those who check types; at run time they are plain dicts."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple, TypedDict, Union

from ._arrays import FillValues
from ._words import Goal, Mode, Pipeline, Predictor, Space, Variant


class PlaceOptions(TypedDict, total=False):
    """Options that say where a call works."""

    threads: Optional[int]
    space: Optional[Space]
    stream: Any


class CompareOptions(PlaceOptions, total=False):
    """Arguments of `kompakt.metrics` by name."""

    mode: Mode
    fill_value: FillValues


Limits = Union[str, Tuple[Optional[float], Optional[float]]]
"""Limits of the values: a lower and an upper one, each a number or None, or a text such as "0:100"."""


class StreamOptions(TypedDict, total=False):
    """Options that most calls of `kompakt.compress` leave as they are."""

    variant: Variant
    checksum: bool
    radius: int
    value_range: float
    limits: Limits
    axis: Union[int, str, None]
    steps: Optional[str]
    goal: Goal


class CompressOptions(StreamOptions, PlaceOptions, total=False):
    """Arguments of `kompakt.compress` that are passed by name alone, but for its `out`."""

    predictor: Optional[Predictor]
    pack: Optional[bool]
    fill_value: FillValues


class FieldOptions(CompressOptions, total=False):
    """Options by which a field of an archive is compressed."""

    bound: Union[float, str]
    mode: Mode
    pipeline: Pipeline


class ArchiveOptions(CompressOptions, total=False):
    """Options by which all fields of an archive are compressed; ``mode`` is the mode of the archive itself."""

    bound: Union[float, str]
    bound_mode: Mode
    pipeline: Pipeline


class Choice(TypedDict):
    """The choice of `kompakt.choose`: arguments of `kompakt.compress`."""

    pipeline: Pipeline
    variant: Variant
    predictor: Predictor
    pack: bool
    axis: Union[int, str, None]
    steps: Optional[str]


class ValueRange(TypedDict):
    """The result of `kompakt.value_range`."""

    min: Optional[float]
    max: Optional[float]
    width: float
    fill_value: Union[None, float, List[float]]
