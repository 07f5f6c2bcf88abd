"""What codecs of other libraries keep in their metadata: the options of `kompakt.compress`, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union

import numpy as np

# What a configuration of version 1 may say. A newer version has another number, so that no older one guesses.
CONFIGURATION_VERSION = 1
_WORDS = {
    "mode": ("abs", "r2r", "pwr", "psnr", "lossless"),
    "pipeline": ("auto", "fixedlength", "bitshuffle", "huffman"),
    "predictor": ("auto", "chain", "tile", "interpolate"),
    "variant": ("auto", "plain", "outlier", "fz", "deep", "custom", "dictionary"),
    "goal": ("ratio", "speed", "balanced"),
}
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DTYPES = frozenset("f4 f8 i1 u1 i2 u2 i4 u4 i8 u8".split())
MAX_NDIM = 8
_Codec = TypeVar("_Codec", bound="CodecOptions")


def _refusal(name: str, value: Any, advice: str) -> ValueError:
    return ValueError(f"kompakt codec: {name}={value!r} {advice}")


def _number(name: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"kompakt codec: {name}={value!r} is no number")
    return float(value)


def _positive(name: str, value: Any) -> float:
    number = _number(name, value)
    if not (number > 0 and math.isfinite(number)):
        raise _refusal(name, value, "is not positive and finite")
    return number


@dataclass(frozen=True)
class CodecOptions:
    """Options of `kompakt.compress` that a codec keeps; what they mean is said there.

    No pipeline is bitshuffle, without loss fixedlength: choosing one anew for each chunk takes several times as long as
    compressing it.

    Bounds relative to the range and PSNRs are those of one chunk, unless `value_range` gives the range.
    """

    bound: Optional[float] = 1e-3
    mode: str = "r2r"
    pipeline: Optional[str] = None
    predictor: Optional[str] = None
    pack: Optional[bool] = None
    fill_value: Union[float, str, None] = None
    variant: Optional[str] = None
    goal: Optional[str] = None
    radius: Optional[int] = None
    checksum: Optional[bool] = None
    value_range: Optional[float] = None

    _fill_words: ClassVar[Tuple[str, ...]] = ("auto",)

    def __post_init__(self) -> None:
        for name, known in _WORDS.items():
            value = getattr(self, name)
            if value is None and name != "mode":
                continue
            if not isinstance(value, str) or value not in known:
                raise _refusal(name, value, f"is not known here, or comes from a newer version; known are {known}")
        for name in ("pack", "checksum"):
            if not isinstance(getattr(self, name), (bool, type(None))):
                raise _refusal(name, getattr(self, name), "is neither True, False nor None")
        self._set("bound", None if self.mode == "lossless" else _positive("bound", self.bound))
        self._set("fill_value", self._parsed_fill())
        if self.value_range is not None:
            self._set("value_range", _positive("value_range", self.value_range))
        is_count = isinstance(self.radius, int) and not isinstance(self.radius, bool)
        if self.radius is not None and not (is_count and 32 <= self.radius <= 32768
                                            and self.radius & (self.radius - 1) == 0):
            raise _refusal("radius", self.radius, "is not a power of two from 32 to 32768")
        self._refuse_combinations()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _parsed_fill(self) -> Union[float, str, None]:
        value = self.fill_value
        if value is None or (isinstance(value, str) and value in self._fill_words):
            return value
        if isinstance(value, str) and value in _NOT_FINITE:
            value = _NOT_FINITE[value]
        if isinstance(value, str):
            raise _refusal("fill_value", value, f"is neither a number, None nor one of {self._fill_words}")
        return _number("fill_value", value)

    def _refuse_combinations(self) -> None:
        if self.bound is not None and self.mode == "pwr" and not self.bound < 1:
            raise _refusal("bound", self.bound, "is not below 1, as one relative to each value is")
        if self.bound is not None and self.mode == "psnr" and self.bound > 1000:
            raise _refusal("bound", self.bound, "is above 1000 dB")
        if self.predictor is not None and self.pipeline == "auto":
            raise _refusal("predictor", self.predictor, "goes with a pipeline that is named, not with 'auto'")
        if self.goal is not None and self.pipeline != "auto":
            raise _refusal("goal", self.goal, "goes with pipeline='auto'")

    def given(self) -> Dict[str, Any]:
        """What was given."""
        options = {field.name: getattr(self, field.name) for field in fields(CodecOptions)}
        return {name: value for name, value in options.items() if value is not None}

    def keywords(self) -> Dict[str, Any]:
        """Arguments of `kompakt.compress`."""
        return {"pipeline": "fixedlength" if self.mode == "lossless" else "bitshuffle", **self.given()}

    def to_configuration(self) -> Dict[str, Any]:
        """What metadata keeps, of JSON's types."""
        kept = {"version": CONFIGURATION_VERSION, **self.given()}
        if self.fill_value is None and type(self)().fill_value is not None:
            kept["fill_value"] = None
        number = kept.get("fill_value")
        if isinstance(number, float) and not math.isfinite(number):
            kept["fill_value"] = "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
        return kept

    @classmethod
    def from_configuration(cls: Type[_Codec], configuration: Mapping[str, Any]) -> _Codec:
        """The reverse.

        Raises
        ------
        ValueError, TypeError
            Naming what is not known, such as that of a newer version.
        """
        given = dict(configuration)
        version = given.pop("version", CONFIGURATION_VERSION)
        if isinstance(version, bool) or version != CONFIGURATION_VERSION:
            raise _refusal("version", version, f"is not that of this library, {CONFIGURATION_VERSION}; install a newer "
                           "kompakt")
        known = {field.name for field in fields(CodecOptions)}
        for name in given:
            if name not in known:
                raise _refusal(name, given[name], "is not known here; install a newer kompakt")
        return cls(**given)

    def require_dtype(self, dtype: np.dtype) -> None:
        """Raise ValueError unless values of this type can be compressed as the options say."""
        if dtype.str[1:] not in _DTYPES:
            raise ValueError(f"kompakt codec: values of {dtype} cannot be compressed; float32, float64 and integers of "
                             "8 to 64 bits can")
        if dtype.kind != "f" and self.mode != "lossless":
            raise ValueError(f"kompakt codec: values of {dtype} need mode='lossless', not mode={self.mode!r}")

    def require_ndim(self, ndim: int) -> None:
        """Raise ValueError for more dimensions than a field may have."""
        if ndim > MAX_NDIM:
            raise ValueError(f"kompakt codec: chunks of {ndim} dimensions cannot be compressed; at most {MAX_NDIM} can")


def native(values: Any) -> Any:
    """An array in this machine's order of bytes, with at least one dimension."""
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values.reshape(1) if values.ndim == 0 else values
