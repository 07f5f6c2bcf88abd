"""A codec of numcodecs, for Zarr's version 2 and whoever else takes these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Literal

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_ndarray_like

from ._codec import compress, decompress
from ._codec_options import CodecOptions, native
from ._errors import Error

__all__ = ["Kompakt"]


@dataclass(frozen=True, repr=False, eq=False)
class Kompakt(CodecOptions, Codec):
    """Error-bounded lossy compression of the buffers that are encoded, such as the chunks of an array.

    Parameters
    ----------
    pipeline : {"bitshuffle", "huffman", "fixedlength", "auto"}, optional
        By default bitshuffle, without loss fixedlength; ``"auto"`` chooses anew for each buffer, which takes several times
        as long as compressing it.
    bound, mode, predictor, pack, fill_value, variant, goal, radius, checksum, value_range
        As those of `kompakt.compress`. A bound relative to the range (``mode="r2r"``, the default) and a PSNR are
        those of each chunk; with ``value_range``, the range of the whole array, all chunks get the same bound. The fill
        value of an array is not known here: give it, as chunks at the ends of an array are full of it.

    Raises
    ------
    ValueError, TypeError
        For options that are not known or values that cannot be compressed, naming them.
    """

    codec_id = "kompakt"

    def encode(self, buf: Any) -> bytes:
        values = ensure_ndarray_like(buf)
        self.require_dtype(values.dtype)
        self.require_ndim(values.ndim)
        return compress(native(values), **self.keywords())

    def decode(self, buf: Any, out: Any = None) -> Any:
        values = decompress(ensure_ndarray_like(buf))
        return values if out is None else _copied(values, out)

    def get_config(self) -> Dict[str, Any]:
        return {"id": self.codec_id, **self.to_configuration()}

    @classmethod
    def from_config(cls, config: Any) -> "Kompakt":
        return cls.from_configuration({key: value for key, value in config.items() if key != "id"})

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Kompakt) and self.get_config() == other.get_config()

    def __hash__(self) -> int:
        return hash(repr(sorted(self.get_config().items())))

    def __repr__(self) -> str:
        return f"Kompakt({', '.join(f'{key}={value!r}' for key, value in self.given().items())})"


def _copied(values: np.ndarray, out: Any) -> Any:
    """`out`, whose memory has the bytes of the values."""
    target = ensure_ndarray_like(out)
    if target.nbytes != values.nbytes:
        raise Error(f"kompakt codec: a chunk holds {values.nbytes} bytes, but out has {target.nbytes}", "corrupt")
    if not target.flags.writeable:
        raise ValueError("kompakt codec: out is read-only; pass a buffer that can be written")
    order: Literal["C", "F"] = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    flat = target.reshape(-1, order="A").view(values.dtype)
    flat[:] = values.reshape(-1, order=order)
    return out
