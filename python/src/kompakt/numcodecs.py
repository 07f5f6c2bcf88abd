"""A codec of numcodecs, for version 2 of Zarr and other users of numcodecs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Literal

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_ndarray_like

from ._codec import compress, decompress
from ._codec_options import CodecOptions, native
from ._errors import Error
from ._messages import shown
from ._padding import options_of_chunk

__all__ = ["Kompakt"]

# Behind the stream of a buffer whose values have the other byte order, which a stream does not know; no stream ends so.
_SWAPPED = b"kompakt: swapped"


@dataclass(frozen=True, repr=False, eq=False)
class Kompakt(CodecOptions, Codec):
    """Error-bounded lossy compression of the buffers that are encoded, such as the chunks of an array.

    Parameters
    ----------
    pipeline : {"bitshuffle", "huffman", "fixedlength", "rans", "auto"}, optional
        By default bitshuffle, without loss fixedlength; ``"auto"`` chooses anew for each buffer, which takes several times
        as long as compressing it.
    goal : {"balanced", "ratio", "smallest", "speed"}, optional
        What ``"auto"`` chooses for; alone it means ``pipeline="auto"``.
    bound, mode, predictor, pack, variant, radius, checksum, value_range, limits, axis, steps
        Options of `kompakt.compress`; a text as a bound says several of them, such as "abs:0.01,predictor=interpolate". A bound
        relative to the range (``mode="r2r"``, the default) and a PSNR count for each chunk, without zeros that it is padded with at its
        ends; with ``value_range``, the range of the whole array, all chunks get the same bound.
    fill_value : float, "auto", None, or a sequence of numbers and "auto"
        What stands for no value: it comes back bit for bit and does not count in a range. Neither the fill value of an array
        nor its attributes are known here. By default it is what is found in each chunk, and the values of conventions: 1e20,
        9.96921e36, -9999, -999 and -32768.

    Raises
    ------
    ValueError, TypeError
        For options that are not known or values that cannot be compressed, naming them.
    """

    codec_id = "kompakt"

    def encode(self, buf: Any) -> bytes:
        values = ensure_ndarray_like(buf)
        self.require_dtype(values.dtype)
        if values.dtype == np.uint8 and self.mode != "lossless":
            raise ValueError(f"kompakt codec: values of uint8 may be bytes that another filter has made, which need "
                             f"mode='lossless', not mode={shown(self.mode)}")
        self.require_ndim(values.ndim, values.dtype)
        numbers = native(values)
        # The fill value of the array is not known here; 0 is the default one, and others are declared or count as values.
        stream = compress(numbers, **options_of_chunk(numbers, 0, self.keywords_for(values.dtype, self.fill_value)))
        return stream if values.dtype.isnative or values.dtype.itemsize == 1 else stream + _SWAPPED

    def decode(self, buf: Any, out: Any = None) -> Any:
        stream = memoryview(ensure_ndarray_like(buf)).cast("B")
        is_swapped = bytes(stream[-len(_SWAPPED):]) == _SWAPPED
        values = decompress(stream[:-len(_SWAPPED)] if is_swapped else stream)
        if is_swapped:
            values = values.astype(values.dtype.newbyteorder("S"))
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
    """`out`, an array that has got the values, or a buffer that has got their bytes."""
    target = ensure_ndarray_like(out)
    if target.nbytes != values.nbytes:
        raise Error(f"kompakt codec: a chunk holds {values.nbytes} bytes, but out has {target.nbytes}", "corrupt")
    if not target.flags.writeable:
        raise ValueError("kompakt codec: out is read-only; pass a buffer that can be written")
    order: Literal["C", "F"] = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    if target.dtype.newbyteorder("=") == values.dtype.newbyteorder("="):
        target[...] = values if target.shape == values.shape else values.reshape(target.shape, order=order)
        return out
    if target.dtype.kind not in "VSuib" or target.dtype.itemsize != 1 or not target.flags.forc:
        raise ValueError(f"kompakt codec: a chunk holds {values.dtype} of shape {values.shape}, but out has {target.dtype} of shape "
                         f"{target.shape}; pass an array of the same type, or a buffer of bytes")
    target.reshape(-1, order="A").view(values.dtype)[:] = values.reshape(-1, order=order)
    return out
