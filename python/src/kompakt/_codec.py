"""Compressing, decompressing, and what is asked of fields and streams."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, NamedTuple, Optional, Tuple, TypeVar, Unpack, Union, overload

import numpy as np

from . import _arguments, _arrays, _core, _devices
from ._arguments import DEFAULT_BOUND, DEFAULT_MODE
from ._arrays import FillValues
from ._info import Info, Metrics
from ._messages import shown
from ._regions import region_of
from ._words import GROUPS

if TYPE_CHECKING:
    from ._options import Choice, CompareOptions, CompressOptions, PlaceOptions, StreamOptions, ValueRange
    from ._words import Goal, Group, Mode, Pipeline, Predictor, Space

_Array = TypeVar("_Array")


def _place(threads: Optional[int], space: Optional[Space], stream: Any, *arrays: Any) -> "tuple[int, int, int]":
    """Threads, space and stream of a call, as the module takes them."""
    if threads is None and space is None and stream is None and type(arrays[0]) in (np.ndarray, bytes) \
            and type(arrays[-1]) in (np.ndarray, bytes, type(None)):
        return 0, -2, 0
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 0 < threads < 1 << 31):
        raise ValueError(f"threads={shown(threads)}; pass a number from 1 on, or None for as many as OpenMP gives")
    return int(threads or 0), _arrays.space_number(space), _devices.stream_address(stream, *arrays)


class _Settled(NamedTuple):
    """Values that are ready to be compressed, and the arguments of a call that depend on their type."""

    values: Any
    bound: Union[float, str]
    mode: Any
    fill_value: FillValues
    exact: str


def _settled(array: Any, bound: Union[float, str], mode: Any, fill_value: FillValues, stream: int) -> _Settled:
    """The values of an array as the module takes them, with the bound of their type and all that declares fill values."""
    if isinstance(bound, str):
        said = _arguments.options_of_text(bound)
        fill_value = said.get("fill_value", fill_value)
    plain, fill_value = _arrays.without_mask(array, fill_value)
    values = _arrays.field(plain, stream)
    bound, mode = _arrays.bound_for(values, bound, mode)
    _arrays.require_fills(fill_value, values)
    return _Settled(values, bound, mode, fill_value, _arrays.exact_kind(array, plain))


@overload
def compress(array: Any, bound: Union[float, str] = ..., mode: Mode = ..., pipeline: Pipeline = ..., *, out: None = None,
             **options: Unpack[CompressOptions]) -> bytes: ...
@overload
def compress(array: Any, bound: Union[float, str] = ..., mode: Mode = ..., pipeline: Pipeline = ..., *, out: Union[bytearray, memoryview],
             **options: Unpack[CompressOptions]) -> memoryview: ...
@overload
def compress(array: Any, bound: Union[float, str] = ..., mode: Mode = ..., pipeline: Pipeline = ..., *, out: _Array,
             **options: Unpack[CompressOptions]) -> _Array: ...


def compress(array: Any, bound: Union[float, str] = DEFAULT_BOUND, mode: Mode = DEFAULT_MODE, pipeline: Pipeline = "auto", *,
             predictor: Optional[Predictor] = None, pack: Optional[bool] = None,
             fill_value: FillValues = "auto", threads: Optional[int] = None, out: Any = None,
             space: Optional[Space] = None, stream: Any = None, **options: Any) -> Any:
    """Compress an array within an error bound.

    Every finite value comes back within the bound, in exact arithmetic; NaN and infinities come back bit for bit.

    Parameters
    ----------
    array : array_like
        1 to 8 dimensions of floats of 16 to 64 bits, bfloat16 (of ml_dtypes, PyTorch, JAX), or integers of 8 to 64 bits, or 1 to 7
        of complex64 or complex128, whose bound holds for the magnitude of the difference, in any order and with any strides: of NumPy, or whatever has the buffer protocol, ``__dlpack__`` or
        ``__cuda_array_interface__``. bool is compressed as uint8, and values of the other byte order as native ones; both are
        exact. Of bool, and of bytes-like
        objects that are no arrays, only ``mode="lossless"`` makes a stream.
    bound : float or str, optional
        By default 1e-3 of the range for floats, while integers come back as they are. The modes ``"abs"``, ``"pwr"`` and
        ``"psnr"`` have no default.
        In the units of the field with ``mode="abs"``, relative to max - min with ``"r2r"``, to each value with
        ``"pwr"``; with ``"psnr"`` in dB. ``"lossless"`` does not look at it. A text says several options at once, as
        ``kompakt info`` prints them: ``"r2r:1e-3,pipeline=huffman,predictor=tile,pack"``. A text without
        a bound, such as ``"pack"``, leaves the default. A number without a mode, such as ``"0.01"``, is refused, and so is an
        argument that contradicts the text.
    mode : {"r2r", "abs", "pwr", "psnr", "lossless"}
        What the bound means. Integers come back as integers, within the whole part of the bound; below 1 it leaves them as they
        are. int64 and uint64 are compressed without loss if a value is 2**53 or more.
    pipeline : {"auto", "fixedlength", "bitshuffle", "huffman", "rans"}
        ``"auto"`` chooses pipeline, variant and predictor by a sample. By default this takes a tenth to a third of the time of
        a compression; with ``goal="ratio"`` a sample of up to 4 million values is compressed several times. A predictor or a
        variant, also one in a text, leaves nothing to choose: the pipeline is then the one of the variant, without loss
        fixedlength, else bitshuffle. ``"fixedlength"`` is the fastest one on a GPU, ``"bitshuffle"`` on a host.
    predictor : {"auto", "chain", "tile", "interpolate"}, optional
        What values are predicted from.
    pack : bool, optional
        Whether chunks are coded once more where that makes the stream smaller. By default as ``"auto"`` chose, else not.
    fill_value : float, "auto", None, or a sequence of these
        What stands for "no value here": it comes back bit for bit and does not count in a range. ``"auto"`` looks for it, as
        the program does; numbers declare it; None means that every value counts. Masked values of a masked array come back as its
        own fill value, which floats declare with it. Arrays of xarray declare by ``_FillValue`` and ``missing_value``.
        A rare value has to be declared, because a search needs several. Of several numbers the first is masked, or what ``"auto"``
        finds, and the stream is smallest if that is the most frequent one. For complex numbers it is a value of the parts.
    threads : int, optional
        Threads of the host; by default as many as OpenMP gives, and one for less than 64 KiB.
    out : writable buffer, optional
        Memory for the stream, on the host or a device: one row of bytes, such as a bytearray or an array of uint8, apart from
        the memory of `array`. `max_compressed_bytes` are always enough. Used again, it spares the time that new memory takes.
    space : {"default", "serial", "openmp", "cuda"}, optional
        Where the work is done; by default where the array lies.
    stream : optional
        The CUDA stream: an address or an object of CuPy or PyTorch; by default the current one of the array's library.
    **options
        ``variant``, ``checksum`` (bool), ``radius`` (int), ``value_range`` (float: what stands for max - min),
        ``limits`` (a pair such as ``(0, 100)`` or ``(0, None)``: values between them come back between them),
        ``axis`` (int: the index along which values are predicted first of all, by default the last one in memory; or a text such as
        ``"3:0:1"``, which names the next two, too; arrays of four dimensions and more may gain by that),
        ``steps`` (str: the numbers that values are made of, such as ``"quotients:100"`` for two decimals or
        ``"multiples:0.5:20"``; by default looked for, and ``"none"`` does not look), and ``goal`` (``"balanced"``, ``"ratio"``, ``"smallest"`` or ``"speed"``) of ``pipeline="auto"``.

    Returns
    -------
    bytes, or a view of the first bytes of `out`
        The stream. The same from every execution space, and the same as the program's and the C++ interface's.

    Raises
    ------
    TypeError
        For what is no array, values of a type that is not supported, and an `out` of other items than bytes.
    ValueError
        For an option that cannot be used, a mode without a bound, an `out` that is read-only, too small, no row, or in the memory
        of `array`, and a bound relative to the range, or a PSNR, where a few values that nobody declared make the range.
    kompakt.Error
        If the device failed.

    Examples
    --------
    >>> import numpy as np, kompakt
    >>> x = np.sin(np.linspace(0, 20, 100_000, dtype="f4")).reshape(100, 1000)
    >>> stream = kompakt.compress(x, 1e-3, mode="abs")
    >>> bool(np.abs(kompakt.decompress(stream) - x).max() <= 1e-3)
    True
    """
    _arguments.require_all(bound, mode, pipeline, predictor, pack, fill_value, options)
    where = _place(threads, space, stream, array, out)
    settled = _settled(array, bound, mode, fill_value, where[2])
    if pack is not None:
        pack = bool(pack)
    to = None if out is None else _arrays.stream_target(out, where[2], settled.values)
    found = _core.compress(settled.values, settled.bound, settled.mode, pipeline, predictor, pack, settled.fill_value,
                           _arguments.plain(options), settled.exact, to, *where)
    if out is None:
        return found
    return out[:found] if isinstance(out, np.ndarray) or to is not None and not isinstance(to, np.ndarray) else memoryview(out)[:found]


def max_compressed_bytes(array: Any, bound: Union[float, str] = DEFAULT_BOUND, mode: Mode = DEFAULT_MODE, pipeline: Pipeline = "auto", *,
                         predictor: Optional[Predictor] = None, pack: Optional[bool] = None,
                         fill_value: FillValues = "auto", **options: Unpack[StreamOptions]) -> int:
    """Bytes that a stream of `compress` takes at most: how large its ``out`` must be.

    Parameters
    ----------
    array : array_like
        An array of the type and shape of the arrays to compress; its values are not read.
    bound, mode, pipeline, predictor, pack, fill_value, **options
        Options of `compress`, as they are passed there. Mode, pipeline and predictor matter most, and packing does not.

    Returns
    -------
    int
        The bytes of the worst case. With a named pipeline floats of 32 and 64 bits take at most 5 % and 2 KiB more than the values.
        Where the pipeline is chosen, or the predictor is ``"interpolate"``, that may be twice as much. Smaller types, and integers within
        a bound, are counted as wider ones, int8 eight times.

    Raises
    ------
    TypeError, ValueError
        As `compress`.

    Examples
    --------
    >>> import numpy as np, kompakt
    >>> steps = np.zeros((3, 100, 1000), "f4")
    >>> room = np.empty(kompakt.max_compressed_bytes(steps[0]), "u1")  # for all of them
    >>> sum(len(kompakt.compress(step, 1e-3, mode="abs", out=room)) < 1000 for step in steps)
    3
    """
    _arguments.require_all(bound, mode, pipeline, predictor, pack, fill_value, options)
    settled = _settled(array, bound, mode, fill_value, _devices.stream_address(None, array))
    if pack is not None:
        pack = bool(pack)
    return _core.max_compressed_bytes(settled.values, settled.bound, settled.mode, pipeline, predictor, pack, settled.fill_value,
                                      _arguments.plain(options), settled.exact)


@overload
def decompress(buffer: Any, out: None = None, like: Optional[np.ndarray] = None,
               **where: Unpack[PlaceOptions]) -> np.ndarray: ...
@overload
def decompress(buffer: Any, out: None = None, *, like: _Array, **where: Unpack[PlaceOptions]) -> _Array: ...
@overload
def decompress(buffer: Any, out: _Array, like: Any = None, **where: Unpack[PlaceOptions]) -> _Array: ...


def decompress(buffer: Any, out: Any = None, like: Any = None, *, threads: Optional[int] = None,
               space: Optional[Space] = None, stream: Any = None) -> Any:
    """Decompress a stream, or the frames of one field.

    Parameters
    ----------
    buffer : bytes-like
        From anywhere; nothing in it is trusted. Also an array of uint8 on a device.
    out : array, optional
        Where to: of the stream's type and shape, in any order and with any strides.
    like : array, optional
        One of a library, such as CuPy or PyTorch, and on a device, that the result shall be like.
    threads, space, stream
        See `compress`.

    Returns
    -------
    numpy.ndarray, `out`, or an array like `like`
        In the order in which the field was compressed.

    Raises
    ------
    ValueError
        If `out` is read-only, or not of the stream's type and shape.
    kompakt.Error
        For bytes that are no stream, or a damaged one; the contents of `out` are then undefined.
    """
    where = _place(threads, space, stream, buffer, out if like is None else like)
    source = _arrays.stream_bytes(buffer, where[2])
    is_new = out is None
    if is_new and like is not None:
        info = Info._of(_core.inspect(source))
        out = _arrays.empty_like(like, info.shape, info.dtype, info.order)
        source = _arrays.stream_bytes(buffer, where[2])  # a capsule can be used once
    if not is_new:
        _arrays.require_apart(out, source)
    found = _core.decompress(source, _arrays.target(out, where[2], is_new=is_new), *where)
    return found if out is None else out


@overload
def decompress_region(buffer: Any, key: Any, out: None = None, **where: Unpack[PlaceOptions]) -> np.ndarray: ...
@overload
def decompress_region(buffer: Any, key: Any, out: _Array, **where: Unpack[PlaceOptions]) -> _Array: ...


def decompress_region(buffer: Any, key: Any, out: Any = None, *, threads: Optional[int] = None,
                      space: Optional[Space] = None, stream: Any = None) -> Any:
    """Decompress a part of a field, from the chunks alone that it touches.

    Parameters
    ----------
    buffer : bytes-like
        A stream, or the frames of one field.
    key
        Integers, slices with any steps and an Ellipsis, as of an array: ``numpy.s_[10:20, ..., 5]``.
    out : array, optional
        Where to: of the stream's type and the shape of the box that holds the key, without steps.
    threads, space, stream
        See `compress`.

    Returns
    -------
    numpy.ndarray
        What ``decompress(buffer)[key]`` would give, as an array of at least 0 dimensions.

    Raises
    ------
    IndexError
        For a key that does not fit the field.
    kompakt.Error
        As `decompress`.
    """
    where = _place(threads, space, stream, buffer, out)
    part = region_of(key, _core.inspect(_arrays.stream_bytes(buffer, where[2]))["shape"])
    source = _arrays.stream_bytes(buffer, where[2])
    _arrays.require_apart(out, source)
    found = _core.decompress_region(source, part.begin, part.end, _arrays.target(out, where[2]), *where)
    return part.pick(found if out is None else out)


class RegionReader:
    """A stream, or the frames of one field; parts are read from wherever it lies.

    Parameters
    ----------
    read : callable
        ``read(offset, nbytes)`` returns so many bytes from there on. It is called with the GIL, by the thread that
        reads a part.
    size : int
        Bytes of the stream.

    Attributes
    ----------
    info : Info
        What the headers say, of all frames together.

    Raises
    ------
    TypeError, ValueError
        For a `read` that cannot be called, and one that returns other than the bytes that were asked for.
    kompakt.Error
        For bytes that are no stream, or a damaged one.

    Notes
    -----
    What `read` raises comes through. Any threads may read parts, one after the other.
    """

    def __init__(self, read: Callable[[int, int], Any], size: int) -> None:
        if not callable(read):
            raise TypeError(f"read is of type {type(read).__name__}; pass a function of offset and number of bytes")
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 0 <= size < 1 << 63:
            raise ValueError(f"size={shown(size)}; pass the bytes of the stream")
        self._reader = _core.PartReader(read, int(size))
        self.info = Info._of(self._reader.info)

    def __getitem__(self, key: Any) -> np.ndarray:
        return self.read(key)

    @overload
    def read(self, key: Any, out: None = None, **where: Unpack[PlaceOptions]) -> np.ndarray: ...
    @overload
    def read(self, key: Any, out: _Array, **where: Unpack[PlaceOptions]) -> _Array: ...

    def read(self, key: Any, out: Any = None, *, threads: Optional[int] = None, space: Optional[Space] = None,
             stream: Any = None) -> Any:
        """The values of a key.

        Parameters
        ----------
        key, out, threads, space, stream
            See `decompress_region`.

        Returns
        -------
        numpy.ndarray or `out`
            As from `decompress_region`.

        Raises
        ------
        IndexError, ValueError, kompakt.Error
            As `decompress_region`, and what ``read`` raises.
        """
        part = region_of(key, self.info.shape)
        where = _place(threads, space, stream, out, out)
        found = self._reader.region(part.begin, part.end, _arrays.target(out, where[2]), *where)
        return part.pick(found if out is None else out)


@overload
def read_region(read: Callable[[int, int], Any], size: int, key: Any, out: None = None,
                **where: Unpack[PlaceOptions]) -> np.ndarray: ...
@overload
def read_region(read: Callable[[int, int], Any], size: int, key: Any, out: _Array,
                **where: Unpack[PlaceOptions]) -> _Array: ...


def read_region(read: Callable[[int, int], Any], size: int, key: Any, out: Any = None, *,
                threads: Optional[int] = None, space: Optional[Space] = None, stream: Any = None) -> Any:
    """Decompress a part of a field whose bytes somebody else reads, such as a store of objects.

    Header, codebook, and of the chunks that the part touches index and bytes are asked for, and nothing else.

    Parameters
    ----------
    read : callable
        ``read(offset, nbytes)`` returns so many bytes from there on.
    size : int
        Bytes of the stream.
    key, out, threads, space, stream
        See `decompress_region`.

    Returns
    -------
    numpy.ndarray or `out`
        As from `decompress_region`.

    Raises
    ------
    IndexError, TypeError, ValueError, kompakt.Error
        As `RegionReader` and `decompress_region`, and what `read` raises.
    """
    return RegionReader(read, size).read(key, out, threads=threads, space=space, stream=stream)


def inspect(buffer: Any) -> Info:
    """The contents of the headers of a stream, for all its frames together.

    Parameters
    ----------
    buffer : bytes-like
        All of it. Only headers are looked at.

    Returns
    -------
    Info

    Raises
    ------
    TypeError
        For what has no bytes.
    kompakt.Error
        For bytes that are no stream, or whose headers are damaged.
    """
    return Info._of(_core.inspect(_arrays.stream_bytes(buffer, _devices.stream_address(None, buffer))))


def _found_fills(array: Any, declared: List[float], where: Tuple[int, int, int]) -> List[float]:
    """The fill values that a search finds in an array of floats beside the declared ones."""
    values = _arrays.field(array, where[2], "original")
    if not _arrays.can_have_fills(values) or len(declared) > _core.max_other_fills:  # a search has no room
        return []
    found = _core.value_range(values, [*declared, "auto"], *where)["fill_value"]
    return [fill for fill in _arrays.fill_list(found) if not isinstance(fill, str)]


def compare(original: Any, reconstructed: Any, bound: Union[float, Info, None] = None, *, mode: Mode = "abs",
            fill_value: FillValues = "auto", groups: Iterable[Group] = (), threads: Optional[int] = None, space: Optional[Space] = None,
            stream: Any = None) -> Metrics:
    """Compare a reconstruction with its original.

    Parameters
    ----------
    original, reconstructed : array_like
        Of the same type and shape. Arrays of integers, of less than 2**53, are compared as float64.
    bound : float or Info, optional
        To count violations of, in the units of the field, or relative to each value with ``mode="pwr"``. The Info of a
        stream gives that which it promises, and declares its fill value. By default 0.
    fill_value : float, "auto", None, or a sequence of these
        Which values of the original stand for no value; they count in no number. As of `compress`, with the values that masked arrays,
        arrays of xarray and an Info declare, unless it is None. What the word ``"auto"`` alone finds besides is left out where both
        arrays have it; it is not looked for where an Info has no fill value.
    groups : iterable of {"ssim", "autocorrelation", "histogram", "entropy"}
        Numbers that take passes of their own.
    threads, space, stream
        See `compress`.

    Returns
    -------
    Metrics
        In the units of the field; the groups that were not asked for are None. A value that has become a declared fill value, or
        the other way round, is a violation, however small the difference.

    Raises
    ------
    TypeError, ValueError
        For what is no array of numbers, arrays of another type or shape than each other, and groups that are not known.
    kompakt.Error
        If the device failed.
    """
    _arguments.require_fill(fill_value)
    said = _arrays.fill_list(fill_value)
    said_numbers = [fill for fill in said if not isinstance(fill, str)]
    if isinstance(original, np.ndarray):
        said_numbers = _arrays.fills_in(said_numbers, original.dtype)
    original, fills = _arrays.numbers_to_compare(original, "original", fill_value)
    reconstructed, others = _arrays.numbers_to_compare(reconstructed, "reconstructed", fill_value)
    is_sought = "auto" in said
    declared = [*said_numbers, *fills, *others]
    if isinstance(bound, Info):
        is_sought = is_sought and (bound.fill_value is not None or len(said) > 1)
        if said and bound.fill_value is not None:
            declared.append(bound.fill_value)
        mode, bound = bound.resolved_mode, bound.resolved_bound
    declared = [fill for fill in declared if fill is not None and fill == fill]
    bound = 0.0 if bound is None else bound
    _arguments.require_number("bound", bound)
    _arguments.require_resolved(mode)
    unknown = [group for group in groups if group not in GROUPS]
    if unknown:
        raise ValueError(f"groups has {shown(unknown[0])}; use some of {', '.join(map(repr, GROUPS))}")
    where = _place(threads, space, stream, original, reconstructed)
    found_fills = _found_fills(original, declared, where) if is_sought else []
    renamed = {*others} - {*said_numbers, *fills}
    pair = _arrays.without_fills(original, reconstructed, declared, found_fills, renamed)
    a, b = (_arrays.field(values, where[2], name)
            for values, name in ((pair.original, "original"), (pair.reconstructed, "reconstructed")))
    wanted = sum(GROUPS[group] for group in set(groups))
    found = _core.compare(a, b, bound, mode, wanted, *where)
    left_out = pair.masked + pair.became_missing + pair.lost
    found["values"] -= left_out
    found["nonfinite"] -= left_out
    return Metrics(**found, became_missing=pair.became_missing, lost_fill_values=pair.lost)


def metrics(original: Any, reconstructed: Any, bound: Union[float, Info, None] = None,
            **options: Unpack[CompareOptions]) -> Metrics:
    """Compare a reconstruction with its original, with all groups of numbers.

    Parameters
    ----------
    original, reconstructed, bound, **options
        See `compare`.

    Returns
    -------
    Metrics

    Raises
    ------
    TypeError, ValueError, kompakt.Error
        As `compare`.
    """
    return compare(original, reconstructed, bound, groups=list(GROUPS), **options)


def choose(array: Any, bound: Union[float, str] = DEFAULT_BOUND, mode: Mode = DEFAULT_MODE, goal: Optional[Goal] = None, *,
           fill_value: FillValues = "auto", axis: Union[int, str, None] = None, threads: Optional[int] = None,
           space: Optional[Space] = None, stream: Any = None) -> Choice:
    """Choose pipeline, variant, predictor, pack, axis and steps for a goal, by compressing a sample of the array.

    Parameters
    ----------
    array, bound, mode, fill_value, threads, space, stream
        See `compress`.
    axis : int or str, optional
        The index along which values are predicted first of all, or a text that names the next ones, too; by default the choice is free.
    goal : {"balanced", "ratio", "smallest", "speed"}, optional
        A smaller stream where it is much smaller, else the faster pipeline, which is the default; the smallest stream; the shortest
        time on a GPU.

    Returns
    -------
    dict
        pipeline, variant, predictor, pack, axis and steps: arguments for `compress`.

    Raises
    ------
    TypeError, ValueError, kompakt.Error
        As `compress`.
    """
    _arguments.require_bound(bound, mode)
    _arguments.require_bound_of_mode(bound, mode)
    named = _arguments.plain({"goal": goal, "fill_value": fill_value, "axis": axis})
    _arguments.require_options(named)
    if isinstance(bound, str):
        said = _arguments.options_of_text(bound)
        if goal is None:
            named["goal"] = said.get("goal")
        _arguments.require_agreement(bound, {**named, "mode": mode})
    where = _place(threads, space, stream, array, None)
    settled = _settled(array, bound, mode, fill_value, where[2])
    return _core.choose(settled.values, settled.bound, settled.mode, named["goal"] or "balanced", settled.fill_value, named["axis"],
                        settled.exact, *where)


def value_range(array: Any, fill_value: FillValues = "auto", *, threads: Optional[int] = None,
                space: Optional[Space] = None, stream: Any = None) -> ValueRange:
    """Ends of an array's finite values without its fill values, as a dict of min, max, width and fill_value.

    ``width`` of a whole field is `compress`'s ``value_range``, with which parts that are compressed apart get one bound.

    Parameters
    ----------
    array : array_like
        Of numbers.
    fill_value, threads, space, stream
        See `compress`.

    Returns
    -------
    dict
        ``min`` and ``max``, None where nothing is finite; ``width``, max - min, in the units of the field; ``fill_value``,
        None where there is none, and a list of several. `compress` takes it as it is.

    Raises
    ------
    TypeError, ValueError
        For what is no array of floats, and a `fill_value` that is neither a number nor ``"auto"``.
    kompakt.Error
        If the device failed.
    """
    _arguments.require_fill(fill_value)
    where = _place(threads, space, stream, array, None)
    array, fill_value = _arrays.without_mask(array, fill_value)
    values = _arrays.field(array, where[2])
    _arrays.require_fills(fill_value, values)
    return _core.value_range(values, fill_value, *where)


def hdf5_plugin_path() -> str:
    """The folder of the HDF5 filter, for the variable ``HDF5_PLUGIN_PATH`` of programs that shall read its files."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "hdf5", "plugin")
