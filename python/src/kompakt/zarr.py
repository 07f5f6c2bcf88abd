"""A codec of Zarr's version 3: ``zarr.create_array(..., serializer=kompakt.zarr.Kompakt(1e-3), compressors=None)``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar, Iterable, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import zarr
from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.abc.store import RangeByteRequest
from zarr.core.buffer import Buffer, NDBuffer, numpy_buffer_prototype
from zarr.storage import StorePath

from . import _core
from ._arrays import FillValues, fills_in
from ._codec import compress, decompress, decompress_region
from ._codec_options import CodecOptions, native
from ._errors import Error
from ._info import Info
from ._messages import shown
from ._padding import options_of_chunk

__all__ = ["Kompakt"]

_NAME = "kompakt"
# The first request: the header, and all of a small chunk, which then is the only one.
_FRONT_BYTES = 8192
# What a stream cannot share with another one that has other values: header, and checksums of all sections but those of chunks.
_HEADER_BYTES = 512
# Of two ranges that are asked for as one: bytes between them cost less than a request.
_GAP_BYTES = 4096


class _Box(NamedTuple):
    """The smallest box around a selection, and the selection within the values of that box."""

    begin: Tuple[int, ...]
    end: Tuple[int, ...]
    inner: Any

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(b - a for a, b in zip(self.begin, self.end))


def _axis_of_slice(part: slice, extent: int) -> Tuple[int, int, Any]:
    chosen = range(extent)[part]
    if not chosen:
        return 0, 0, slice(0, 0)
    low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
    return low, high + 1, slice(None, None, chosen.step)


def _axis_of(part: Any, extent: int) -> Tuple[int, int, Any]:
    """Begin, end and what is chosen between them, along one axis."""
    if isinstance(part, slice):
        return _axis_of_slice(part, extent)
    numbers = np.asarray(part)
    if numbers.dtype.kind == "b":
        numbers = np.flatnonzero(numbers)
    if numbers.size == 0:
        return 0, 0, numbers
    low, high = int(numbers.min()), int(numbers.max())
    if low < 0 or high >= extent:
        raise IndexError(f"kompakt codec: index {low if low < 0 else high} lies outside of a chunk's extent {extent}")
    inner = numbers - low
    return low, high + 1, int(inner) if inner.ndim == 0 else inner


def _box_of(selection: Any, shape: Tuple[int, ...]) -> _Box:
    parts = list(selection) if isinstance(selection, tuple) else [selection]
    if Ellipsis in [part for part in parts if not isinstance(part, np.ndarray)]:
        at = next(i for i, part in enumerate(parts) if part is Ellipsis)
        parts[at:at + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
    parts += [slice(None)] * (len(shape) - len(parts))
    axes = [_axis_of(part, extent) for part, extent in zip(parts, shape)]
    return _Box(tuple(a[0] for a in axes), tuple(a[1] for a in axes), tuple(a[2] for a in axes))


def _merged(ranges: Iterable[Tuple[int, int]]) -> List[Tuple[int, int]]:
    """Ranges (begin, end), those with little between them as one, in ascending order."""
    merged: List[Tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin - merged[-1][1] <= _GAP_BYTES:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


class _Fetcher:
    """Bytes of a chunk in a store."""

    def __init__(self, byte_getter: Any, prototype: Any) -> None:
        self._getter = byte_getter
        # What is looked at here is needed in host memory. Only a store itself gives it there whatever the array's is.
        self._prototype = numpy_buffer_prototype() if isinstance(byte_getter, StorePath) else prototype
        self._limit = asyncio.Semaphore(zarr.config.get("async.concurrency"))
        self._has_asked_again = False

    async def front(self) -> Optional[memoryview]:
        """The first bytes; None if there is no chunk."""
        found = await self._getter.get(self._prototype, RangeByteRequest(0, _FRONT_BYTES))
        return None if found is None else memoryview(found.to_bytes())

    async def _range(self, begin: int, end: int) -> memoryview:
        self._has_asked_again = True
        async with self._limit:
            found = await self._getter.get(self._prototype, RangeByteRequest(begin, end))
        if found is None or len(found) != end - begin:
            raise Error(f"kompakt codec: of a chunk the bytes {begin} to {end} are missing; it was truncated or "
                        "replaced while it was read", "corrupt")
        return memoryview(found.to_bytes())

    async def require_unchanged(self, front: memoryview) -> None:
        """Raise Error if a chunk was replaced between the request for its first bytes and the last one."""
        if not self._has_asked_again:
            return
        header = front[:_HEADER_BYTES]
        if await self._range(0, len(header)) != header:
            raise Error("kompakt codec: a chunk was replaced while it was read; read it again", "corrupt")

    async def ranges(self, wanted: List[Tuple[int, int]], front: memoryview) -> List[memoryview]:
        """The bytes of each range (position, bytes), side by side; the front is there already."""
        spans = [(begin, begin + count) for begin, count in wanted]
        merged = _merged(span for span in spans if span[1] > len(front))
        got = dict(zip(merged, await asyncio.gather(*(self._range(*span) for span in merged))))
        got[0, len(front)] = front
        return [_part_of(got, begin, end) for begin, end in spans]


def _part_of(got: "dict[Tuple[int, int], memoryview]", begin: int, end: int) -> memoryview:
    first, last = next(span for span in got if span[0] <= begin and end <= span[1])
    return got[first, last][begin - first:end - first]


@dataclass(frozen=True)
class Kompakt(CodecOptions, ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin):
    """Error-bounded lossy compression of chunks, as a serializer of Zarr's version 3.

    Parameters
    ----------
    pipeline : {"bitshuffle", "huffman", "fixedlength", "rans", "auto"}, optional
        By default bitshuffle, without loss fixedlength; ``"auto"`` chooses anew for each chunk, which takes several times
        as long as compressing it.
    goal : {"balanced", "ratio", "smallest", "speed"}, optional
        What ``"auto"`` chooses for; alone it means ``pipeline="auto"``.
    bound, mode, predictor, pack, variant, radius, checksum, value_range, limits, axis, steps
        Options of `kompakt.compress`; a text as a bound says several of them, such as "abs:0.01,predictor=interpolate". A bound
        relative to the range (``mode="r2r"``, the default) and a PSNR count for each chunk, without what Zarr pads it with at the edge
        of the array; with ``value_range``, the range of the whole array, all chunks get the same bound.
    fill_value : float, "array", "auto", None, or a sequence of numbers and "auto"
        What stands for no value: it comes back bit for bit and does not count in a range. A codec is not told the
        attributes of its array. By default it is the fill value of the array, if that is neither 0 nor NaN, and what is found in
        each chunk; without the former also the values of conventions: 1e20, 9.96921e36, -9999, -999 and -32768.

    Notes
    -----
    A box of a chunk is read by requests for the bytes alone that it takes, unless other codecs come before or behind:
    pass ``compressors=None`` to Zarr. Values lie in the memory that the buffer prototype of the array says.

    Raises
    ------
    ValueError, TypeError
        For options that are not known or values that cannot be compressed, naming them.
    """

    is_fixed_size = False

    fill_value: FillValues = "array"

    _own_fill_words: ClassVar[Tuple[str, ...]] = ("array",)

    @classmethod
    def from_dict(cls, data: Any) -> "Kompakt":
        if not isinstance(data, dict) or data.get("name") != _NAME:
            raise ValueError(f"kompakt codec: {shown(data)} is no configuration of it; its name is {_NAME!r}")
        configuration = data.get("configuration", {})
        if not isinstance(configuration, dict):
            raise TypeError(f"kompakt codec: configuration={shown(configuration)} is no object of JSON")
        return cls.from_configuration(configuration)

    def to_dict(self) -> Any:
        return {"name": _NAME, "configuration": self.to_configuration()}

    def validate(self, *, shape: Tuple[int, ...], dtype: Any, chunk_grid: Any) -> None:
        native_dtype = dtype.to_native_dtype()
        self.require_dtype(native_dtype)
        self.require_ndim(len(shape), native_dtype)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        raise NotImplementedError("kompakt codec: the size of a compressed chunk is not known beforehand")

    # ------------------------------------------------------------------------------------------ whole chunks

    def _encode_sync(self, chunk_data: NDBuffer, chunk_spec: Any) -> Buffer:
        fill_value = _fills_of(chunk_spec) if self.fill_value == "array" else self.fill_value
        values = native(chunk_data.as_ndarray_like())
        options = self.keywords_for(chunk_spec.dtype.to_native_dtype(), fill_value)
        stream = compress(values, **options_of_chunk(values, chunk_spec.fill_value, options))
        return chunk_spec.prototype.buffer.from_bytes(stream)

    def _decode_sync(self, chunk_data: Buffer, chunk_spec: Any) -> NDBuffer:
        out = _Out(chunk_spec, chunk_spec.shape)
        decompress(chunk_data.as_array_like(), out=out.array)
        return out.take()

    async def _encode_single(self, chunk_data: NDBuffer, chunk_spec: Any) -> Buffer:
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: Any) -> NDBuffer:
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)

    # ------------------------------------------------------------------------------------------ parts of chunks

    async def _decode_partial_single(self, byte_getter: Any, selection: Any, chunk_spec: Any) -> Optional[NDBuffer]:
        box = _box_of(selection, chunk_spec.shape or (1,))
        if box.shape == (chunk_spec.shape or (1,)):
            stream = await byte_getter.get(chunk_spec.prototype)
            if stream is None:
                return None
            values = await self._decode_single(stream, chunk_spec)
        else:
            found = await self._decode_box(_Fetcher(byte_getter, chunk_spec.prototype), box, chunk_spec)
            if found is None:
                return None
            values = found
        return values[box.inner] if chunk_spec.shape else values

    async def _decode_box(self, fetcher: _Fetcher, box: _Box, chunk_spec: Any) -> Optional[NDBuffer]:
        """The values of a box, or None if there is no chunk."""
        front = await fetcher.front()
        if front is None:
            return None
        out = _Out(chunk_spec, box.shape)
        info = Info._of(_core.inspect_front(front))
        _require_chunk(info, chunk_spec)
        plan = _core.RegionPlan(front, info.stream_bytes, box.begin, box.end, len(box.begin))
        while wanted := plan.wanted():
            plan.give(await fetcher.ranges(wanted, front))
        await fetcher.require_unchanged(front)
        key = tuple(slice(a, b) for a, b in zip(box.begin, box.end))
        await asyncio.to_thread(decompress_region, plan.take(), key, out.array)
        return out.take()


def _fills_of(chunk_spec: Any) -> FillValues:
    """The fill value that an array declares, and "auto". 0 is the default of Zarr and not a declaration; NaN is always found."""
    fill, dtype = chunk_spec.fill_value, chunk_spec.dtype.to_native_dtype()
    if dtype.kind not in "fciu" or fill == 0:
        return "auto"
    return [*fills_in([fill], dtype), "auto"]


class _Out:
    """An array of the memory that a chunk's prototype says, in which values are decompressed."""

    def __init__(self, chunk_spec: Any, shape: Tuple[int, ...]) -> None:
        self._dtype = chunk_spec.dtype.to_native_dtype()
        self._shape = shape
        self._kind = chunk_spec.prototype.nd_buffer
        buffer = self._kind.empty(shape=shape or (1,), dtype=self._dtype.newbyteorder("="), order=chunk_spec.order)
        self.array = buffer.as_ndarray_like()

    def take(self) -> NDBuffer:
        values = self.array if self._dtype.isnative else self.array.astype(self._dtype)
        return self._kind.from_ndarray_like(values.reshape(self._shape))


def _require_chunk(info: Info, chunk_spec: Any) -> None:
    dtype = chunk_spec.dtype.to_native_dtype().newbyteorder("=")
    if info.shape == (chunk_spec.shape or (1,)) and info.dtype == dtype and not info.is_part:
        return
    raise Error(f"kompakt codec: a chunk holds {info.dtype} of shape {info.shape}, but the array's chunks are {dtype} of "
                f"shape {chunk_spec.shape}; it was replaced, or the metadata was", "corrupt")
