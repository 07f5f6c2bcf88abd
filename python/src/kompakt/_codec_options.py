"""Options of `kompakt.compress` that codecs of other libraries store in their metadata, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _arguments, _core
from ._arguments import DEFAULT_BOUND, DEFAULT_MODE
from ._arrays import FillValues, known_fills
from ._messages import shown
from ._options import Limits
from ._words import Goal, Mode, Pipeline, Predictor, Variant

# What a configuration of version 1 may say. A newer version has another number, so that no older one guesses.
CONFIGURATION_VERSION = 1
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DTYPES = frozenset("f2 f4 f8 c8 c16 i1 u1 i2 u2 i4 u4 i8 u8".split())
MAX_NDIM = 8
_Codec = TypeVar("_Codec", bound="CodecOptions")


def _json_number(item: Any) -> Any:
    if not isinstance(item, float) or math.isfinite(item):
        return item
    return "NaN" if math.isnan(item) else "Infinity" if item > 0 else "-Infinity"


def _settled_fill(value: Any) -> Any:
    """Fill values, with numbers as floats; several ones as a tuple."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_settled_fill, value))
    if isinstance(value, str):
        return _NOT_FINITE.get(value, value)
    return float(value) if _arguments.is_number(value) else value


def _refusal(name: str, value: Any, advice: str) -> ValueError:
    return ValueError(f"kompakt codec: {name}={shown(value)} {advice}")


@dataclass(frozen=True)
class CodecOptions:
    """Options of `kompakt.compress` that a codec keeps; what they mean is said there.

    No pipeline is bitshuffle, without loss fixedlength: choosing one anew for each chunk takes several times as long as
    compressing it. A goal without a pipeline means ``pipeline="auto"``. A text as a bound says more than that, such as
    "abs:0.01,predictor=interpolate,pack": each of its options has its own name afterwards, here and in metadata.

    Bounds relative to the range and PSNRs count for one chunk, unless `value_range` gives the range.
    """

    bound: Union[float, str, None] = DEFAULT_BOUND
    mode: Mode = DEFAULT_MODE
    pipeline: Optional[Pipeline] = None
    predictor: Optional[Predictor] = None
    pack: Optional[bool] = None
    fill_value: FillValues = "auto"
    variant: Optional[Variant] = None
    goal: Optional[Goal] = None
    radius: Optional[int] = None
    checksum: Optional[bool] = None
    value_range: Optional[float] = None
    limits: Optional[Limits] = None
    axis: Union[int, str, None] = None
    steps: Optional[str] = None

    _own_fill_words: ClassVar[Tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        try:
            self._settle()
            _core.validate_options(**self.arguments())
        except (TypeError, ValueError) as refused:
            raise type(refused)(f"kompakt codec: {refused}") from None

    def _settle(self) -> None:
        """Give every option the type in which metadata keeps it."""
        self._set("fill_value", _settled_fill(self.fill_value))
        own_fill = self.fill_value if self.fill_value in self._own_fill_words else None
        given = {**self.keywords(), "bound": self.bound, "mode": self.mode}
        options = _arguments.settled({**given, "fill_value": "auto"} if own_fill else given)
        for name, value in options.items():
            self._set(name, value)
        if own_fill and self.fill_value == "auto":
            self._set("fill_value", own_fill)
        if self.radius is not None:
            self._set("radius", int(self.radius) if self.radius == int(self.radius) else float(self.radius))
        if self.value_range is not None:
            self._set("value_range", float(self.value_range))
            if not self.value_range > 0:
                raise ValueError(f"value_range={shown(self.value_range)} is not positive; leave it out for the range of each chunk")
        if self.limits is not None:
            self._set("limits", _arguments.limits_text(self.limits))
        if self.axis is not None:
            self._set("axis", _arguments.settled_axis(self.axis))
        if self.goal is not None and self.pipeline is None:
            self._set("pipeline", "auto")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def arguments(self) -> Dict[str, Any]:
        """Arguments of the module's functions, with everything by name."""
        given = self.keywords()
        if self.fill_value in self._own_fill_words:
            given["fill_value"] = "auto"
        return _arguments.of_module(given)

    def given(self) -> Dict[str, Any]:
        """The options that were given."""
        options = {field.name: getattr(self, field.name) for field in fields(CodecOptions)}
        return {name: value for name, value in options.items() if value is not None}

    def keywords(self) -> Dict[str, Any]:
        """Arguments of `kompakt.compress`."""
        return {"pipeline": None, "fill_value": None, **self.given()}

    def bound_text(self) -> str:
        """The bound as a text, such as "abs:0.01" or "r2r:0.001,range=8"."""
        bound, *others = _core.options_text(**self.arguments()).split(",")
        return ",".join([bound, *(item for item in others if item.startswith("range="))])

    def keeps(self, asked: "CodecOptions", as_part: bool) -> bool:
        """Whether what is compressed with these options is surely within the bound of others.

        Parameters
        ----------
        as_part : bool
            Whether the values stay from which the range here comes, so that the range of all is no smaller.
        """
        if self.mode == "lossless" or asked.bound is None:
            return self.mode == "lossless"
        ranges = self.value_range or 0, asked.value_range or 0
        if self.mode != asked.mode or not as_part and ranges[0] > ranges[1]:
            return False
        ends = float(self.bound or 0), float(asked.bound)
        return ends[0] >= ends[1] if self.mode == "psnr" else ends[0] <= ends[1]

    def keywords_for(self, dtype: np.dtype, fill_value: FillValues) -> Dict[str, Any]:
        """Arguments of `kompakt.compress` for values of a type, with what is known to stand for no value."""
        options = self.keywords()
        return {**options, "fill_value": known_fills(options, fill_value, dtype)}

    def to_configuration(self) -> Dict[str, Any]:
        """The entries of metadata, in types of JSON."""
        kept = {"version": CONFIGURATION_VERSION, **self.given()}
        fill = self.fill_value
        kept["fill_value"] = [_json_number(item) for item in fill] if isinstance(fill, tuple) else _json_number(fill)
        return kept

    @classmethod
    def from_configuration(cls: Type[_Codec], configuration: Mapping[str, Any]) -> _Codec:
        """The reverse.

        Raises
        ------
        ValueError, TypeError
            Naming what is not known, such as an option of a newer version.
        """
        given = dict(configuration)
        version = given.pop("version", CONFIGURATION_VERSION)
        if isinstance(version, bool) or version != CONFIGURATION_VERSION:
            raise _refusal("version", version, f"is newer than version {CONFIGURATION_VERSION} of this library; install a newer "
                           "kompakt")
        known = {field.name for field in fields(CodecOptions)}
        for name in given:
            if name not in known:
                raise _refusal(name, given[name], "is not known here; install a newer kompakt")
        return cls(**given)

    def require_dtype(self, dtype: np.dtype) -> None:
        """Raise ValueError unless values of this type can be compressed as the options say."""
        if dtype.str[1:] not in _DTYPES:
            raise ValueError(f"kompakt codec: values of {dtype} cannot be compressed; floats of 16 to 64 bits, complex64, complex128 "
                             "and integers of 8 to 64 bits can")
        # Metadata do not tell the default from a bound that is said; a range is only said with a bound.
        if dtype.kind in "iu" and (self.mode, self.bound, self.value_range) == ("r2r", 1e-3, None):
            raise ValueError(f"kompakt codec: values of {dtype} come back exactly unless a bound is said for them; pass "
                             "mode='lossless', or another bound than the default 1e-3 of the range")

    def require_ndim(self, ndim: int, dtype: np.dtype) -> None:
        """Raise ValueError for more dimensions than a field may have; the parts of complex numbers take one."""
        most = MAX_NDIM - (dtype.kind == "c")
        if ndim > most:
            raise ValueError(f"kompakt codec: chunks of {ndim} dimensions of {dtype} cannot be compressed; at most {most} can")


def native(values: Any) -> Any:
    """An array in this machine's order of bytes, with at least one dimension."""
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values.reshape(1) if values.ndim == 0 else values
