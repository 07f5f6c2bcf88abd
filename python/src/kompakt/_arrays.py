"""Arrays of NumPy and of others, as the compiled module takes them."""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, Iterable, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arguments, _core
from ._arguments import DEFAULT_BOUND
from ._devices import device_of, is_in_host_memory, layout_on_host, library_of, on_device
from ._messages import shown
from ._words import SPACES, Space

#: What stands for no value: numbers, "auto", None for nothing, or several of these.
FillValues = Union[float, str, Sequence[Union[float, str]], None]

#: What stands for no value by convention: netCDF's, CMIP's as float64 and as float32, and what many files have.
CONVENTIONAL_FILLS: Tuple[float, ...] = tuple(_core.conventional_fills())

_NATIVE = frozenset("efdFDbBhHiIlLqQ")
_BFLOAT16 = "bfloat16"
_SUPPORTED = "floats of 16 to 64 bits, bfloat16, complex64, complex128 and integers of 8 to 64 bits are supported"


def dtype_named(name: str) -> np.dtype:
    """The type of NumPy of this name, or of the package ml_dtypes. ModuleNotFoundError where that is missing."""
    if name != _BFLOAT16:
        return np.dtype(name)
    try:
        from ml_dtypes import bfloat16  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("values of bfloat16 need the package ml_dtypes: pip install ml_dtypes") from missing
    return np.dtype(bfloat16)


def is_float(dtype: np.dtype) -> bool:
    """Whether values are floating-point numbers."""
    return dtype.kind == "f" or dtype.name == _BFLOAT16


def number_type(dtype: np.dtype) -> np.dtype:
    """The type of the numbers that values are or, if they are complex, have."""
    return np.empty(0, dtype).real.dtype if dtype.kind == "c" else dtype


def _is_ready(array: np.ndarray) -> bool:
    dtype = array.dtype
    # Steps of an array without values mean nothing; NumPy has 0 for them.
    return dtype.char in _NATIVE and dtype.isnative and array.flags.aligned and (0 not in array.strides or array.size == 0)


def _as_lent(array: np.ndarray, name: str) -> Any:
    """An array that is not ready, as the module takes it."""
    if array.dtype.name != _BFLOAT16 or isinstance(array, np.ma.MaskedArray):
        return _convert(array, name)
    is_usable = array.flags.aligned and (0 not in array.strides or array.size == 0)
    return layout_on_host(array if is_usable else array.copy())


def _convert(array: np.ndarray, name: str) -> np.ndarray:
    """An array with the same values of a type and with steps that can be compressed."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost; pass {name}.filled(value)")
    dtype = array.dtype
    if dtype.kind == "b":
        return np.ascontiguousarray(array).view(np.uint8)
    if dtype.kind not in "fciu" or dtype.newbyteorder("=").char not in _NATIVE:
        raise TypeError(f"{name} has values of {dtype}; {_SUPPORTED}")
    order: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return np.array(array, dtype=dtype.newbyteorder("="), order=order)


def fill_list(fill_value: FillValues) -> List[Union[float, str]]:
    """A list of the fill values, which can be added to."""
    if fill_value is None:
        return []
    if isinstance(fill_value, (list, tuple)):
        return list(fill_value)
    return [fill_value]  # type: ignore[list-item]


def fills_in(numbers: Iterable[Any], dtype: np.dtype) -> List[float]:
    """Fill values of a type, for numbers that a file or an array declares.

    A complex one counts by its parts. NaN is left out, because it always comes back, and so is what no value of the type can be.
    """
    parts = number_type(dtype)
    fills: List[float] = []
    if not is_float(parts) and parts.kind not in "iu":
        return fills
    for number in numbers:
        ends = (number.real, number.imag) if dtype.kind == "c" or isinstance(number, (complex, np.complexfloating)) else (number,)
        if dtype.kind != "c" and len(ends) == 2 and ends[1] != 0:
            continue
        for end in ends[:2 if dtype.kind == "c" else 1]:
            stored = _in_type(end, parts)
            if stored is not None and stored not in fills:
                fills.append(stored)
    return fills


def _in_type(number: Any, dtype: np.dtype) -> Optional[float]:
    """A number as a type has it, of floats the nearest one; None for NaN and where the type has none."""
    if number != number:
        return None
    if not is_float(dtype):
        ends = np.iinfo(dtype)
        is_kept = ends.min <= number <= ends.max and number == int(number) == int(float(number))
        return float(number) if is_kept else None
    with np.errstate(over="ignore"):
        stored = float(dtype.type(number))
    return stored if math.isfinite(stored) or math.isinf(number) else None


def require_fills(fill_value: FillValues, values: Any) -> None:
    """Raise ValueError for a number that values of float32 cannot be; the module checks the other types."""
    if isinstance(fill_value, str) or fill_value is None or _kind_of(values)[1] not in ("float32", "complex64"):
        return
    for fill in fill_list(fill_value):
        if not isinstance(fill, str) and fill is not None and fill == fill and _in_type(fill, np.dtype("f4")) is None:
            raise ValueError(f"fill_value={shown(fill)} is no value of float32; leave it out")


def with_conventions(fill_value: FillValues, dtype: np.dtype) -> FillValues:
    """Fill values where nobody declared any: the values of conventions beside what is found.

    A search needs several in its sample. A value of a convention is masked even in one place, and a field without any has the same
    stream.
    """
    dtype = number_type(dtype)
    if fill_list(fill_value) != ["auto"] or not is_float(dtype):
        return fill_value
    return [*fills_in(CONVENTIONAL_FILLS, dtype), "auto"]


def known_fills(options: Mapping[str, Any], fill_value: FillValues, dtype: np.dtype) -> FillValues:
    """Fill values and the values of conventions, unless options of `kompakt.compress` refuse what nobody has declared.

    A declared value that limits would move is refused, and without loss none is needed.
    """
    is_exact = options.get("mode") == "lossless"
    return fill_value if is_exact or options.get("limits") is not None else with_conventions(fill_value, dtype)


def without_mask(array: Any, fill_value: FillValues) -> Tuple[Any, FillValues]:
    """The values of a masked array as `filled` has them, with its fill value among the declared ones.

    Of an array of xarray these are what its attributes and encoding declare, unless the caller has declared others. What lends
    its values to NumPy alone is an array of NumPy then.
    """
    if type(array) is np.ndarray:
        return array, fill_value
    if array is np.ma.masked:
        raise TypeError("array is numpy.ma.masked, one value that is masked; pass an array")
    if library_of(array) == "xarray" and hasattr(array, "attrs") and fill_list(fill_value) == ["auto"]:
        from ._declared import declared_fills

        return _of_numpy(array), [*declared_fills(getattr(array, "variable", array)), "auto"]
    values, masked = filled(_of_numpy(array))
    return values, fill_value if masked is None else [masked, *fill_list(fill_value)]


def _of_numpy(array: Any) -> Any:
    """An array of NumPy over the values of an object that has no other way to lend them; any other object as it is."""
    if isinstance(array, np.ndarray) or device_of(array) is not None or hasattr(array, "__cuda_array_interface__"):
        return array
    if isinstance(array, (bytes, memoryview)):
        values = np.asarray(memoryview(array))
        return values.view(np.uint8) if values.dtype.kind == "S" else values
    return np.asarray(array) if hasattr(array, "__array__") or _has_buffer(array) else array


def filled(array: Any) -> Tuple[Any, Optional[float]]:
    """The values of a masked array with its fill value where it is masked, and what stands for no value among numbers then."""
    if not isinstance(array, np.ma.MaskedArray) or array.dtype.kind not in "fiub":
        return array, None
    mask = np.ma.getmaskarray(array)
    if not mask.any():
        return array.data, None
    values = array.data
    masked = _fill_of_mask(array, values.dtype)
    if ((np.isnan(values) if masked != masked else values == masked) & ~mask).any():
        raise ValueError(f"array is a masked array with the value {masked} also where it is not masked, so that the mask would be "
                         f"lost; {_OTHER_FILL}")
    return np.where(mask, masked, values), float(masked) if array.dtype.kind in "fiu" else None


_OTHER_FILL = "give it another one by array.fill_value = value"


def _fill_of_mask(array: Any, dtype: np.dtype) -> Any:
    """The fill value of a masked array, of the type of its values. ValueError if they have no such value."""
    fill = array.fill_value  # 999999 of integers of any size, if nobody has set it
    with np.errstate(over="ignore"):
        masked = np.asarray(fill).astype(dtype)[()]
    if dtype == np.float16 and fill == 1e20:  # what nobody has set is no number of float16
        return dtype.type(np.nan)
    is_kept = masked == fill if dtype.kind in "iub" else np.isfinite(masked) or not np.isfinite(fill)
    if not is_kept:
        raise ValueError(f"array is a masked array with the fill value {fill}, which values of {array.dtype} cannot have; {_OTHER_FILL}")
    return masked


class Compared(NamedTuple):
    """Two arrays to be compared without their fill values.

    Attributes
    ----------
    original, reconstructed
        With NaN where both have a fill value. Where just one has a declared one, infinity and NaN, which break any bound.
    masked, became_missing, lost : int
        How many places have a fill value in both, in the reconstruction alone, and in the original alone.
    """

    original: Any
    reconstructed: Any
    masked: int = 0
    became_missing: int = 0
    lost: int = 0


def numbers_to_compare(array: Any, name: str, fill_value: FillValues) -> Tuple[Any, List[float]]:
    """An array as `as_numbers` has it, without its mask, and the fill values that it declares: attributes where a caller has not
    declared others."""
    declared: List[float] = []
    if library_of(array) == "xarray" and hasattr(array, "attrs"):
        from ._declared import declared_fills

        variable, array = getattr(array, "variable", array), _of_numpy(array)
        declared = declared_fills(variable) if fill_list(fill_value) == ["auto"] else []
        encoding = getattr(variable, "encoding", {})
        if "scale_factor" in encoding or "add_offset" in encoding:
            declared = []  # in steps; xarray has made them NaN
    values, masked = filled(as_numbers(array, name))
    return values, declared if masked is None else [*declared, masked]


def without_fills(original: Any, reconstructed: Any, declared: Iterable[float], found: Iterable[float],
                  renamed: Iterable[float] = ()) -> Compared:
    """Two arrays, of any library with ``where``, without their fill values. What has been found, and not declared, is a guess: it
    counts where it is in both alone. The reconstruction may have `renamed` ones, which it alone declares, in the place of any other."""
    declared = {fill for fill in declared if fill == fill}
    found = {fill for fill in found if fill == fill} - declared
    if not declared and not found:
        return Compared(original, reconstructed)
    if not hasattr(original, "dtype") or type(original) is not type(reconstructed):
        original, reconstructed = np.asarray(original), np.asarray(reconstructed)
    if tuple(original.shape) != tuple(reconstructed.shape):
        return Compared(original, reconstructed)  # which the module refuses
    library = np if isinstance(original, np.ndarray) else sys.modules[type(original).__module__.partition(".")[0]]
    library = getattr(library, "numpy", library) if library.__name__ == "jax" else library
    if not hasattr(library, "where"):
        return Compared(original, reconstructed)
    none = original != original
    was, is_now, kept = none & ~none, none & ~none, none & ~none
    for fill in declared | found:
        x, y = original == fill, reconstructed == fill
        kept = kept | x & y
        if fill in declared:
            was, is_now = was | x, is_now | y
    for fill in renamed:
        kept = kept | ((was | none) & (reconstructed == fill) if fill == fill else was & (reconstructed != reconstructed))
    became_missing, lost = is_now & ~was & ~none, was & ~kept
    counts = [int(places.sum()) for places in (kept, became_missing, lost)]
    if not any(counts):
        return Compared(original, reconstructed)
    zero = library.zeros_like(original[tuple(0 for _ in original.shape)])  # of the array's type and device
    changed = became_missing | lost
    values = library.where(changed, zero + math.inf, library.where(kept, zero + math.nan, original))
    return Compared(values, library.where(kept | changed, zero + math.nan, reconstructed), *counts)


# The first bytes of streams and archives.
_MAGICS = (b"\x89KPK\r\n\x1a\n", b"\x89KPA\r\n\x1a\n")


def exact_kind(array: Any, values: Any) -> str:
    """A word for what has no bound, bool and bytes that are no array; empty for arrays of numbers.

    Parameters
    ----------
    array
        What the caller has passed.
    values
        The same as `without_mask` has it.
    """
    is_bytes = isinstance(array, (bytes, bytearray)) or isinstance(array, memoryview) and array.format in ("B", "b", "c", "?")
    if is_bytes and np.asarray(memoryview(array)).ravel()[:8].tobytes() in _MAGICS:
        return "a stream of kompakt, which decompress() restores,"
    if is_bytes:
        return type(array).__name__
    is_bool = str(getattr(values, "dtype", "")).rpartition(".")[2] == "bool"
    return "an array of bool" if is_bool else ""


class _DlpackTensor(ctypes.Structure):
    """The beginning of a tensor of DLPack, up to its type."""

    _fields_ = (("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


# By the codes of DLPack; what is not here is refused.
_DLPACK_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
# Bytes before the tensor in a capsule of this name.
_DLPACK_FRONTS = {b"dltensor": 0, b"dltensor_versioned": 32}
_capsule_name, _capsule_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _name_of_capsule_type(capsule: Any) -> str:
    """The name of the type of the values in a capsule of DLPack."""
    name = _capsule_name(capsule)
    tensor = _DlpackTensor.from_address(_capsule_pointer(capsule, name) + _DLPACK_FRONTS[name])
    return f"{_DLPACK_KINDS.get(tensor.code, '')}{tensor.bits}"


def _kind_of(values: Any) -> Tuple[bool, str]:
    """Whether values that `field` has made ready are integers or bool, and the name of their type."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "iub", values.dtype.name
    name = str(values[3]) if isinstance(values, tuple) else _name_of_capsule_type(values)
    return name.startswith(("int", "uint", "bool")), name


def can_have_fills(values: Any) -> bool:
    """Whether fill values are looked for in values that `field` has made ready."""
    return _kind_of(values)[1] in ("float32", "float64")


def bound_for(values: Any, bound: Union[float, str], mode: Any) -> Tuple[Union[float, str], Any]:
    """Bound and mode of values that `field` has made ready.

    Where nobody has said a bound, also in a text, floats have 1e-3 of the range and anything else comes back as it is.
    """
    if type(bound) is float or _arguments.names_bound(bound):
        return bound, mode
    is_exact = mode == "r2r" and _kind_of(values)[0]
    return bound if isinstance(bound, str) else 1e-3, "lossless" if is_exact else mode


def as_numbers(array: Any, name: str) -> Any:
    """An array of NumPy, or a list, whose integers have become float64, numbers of 16 bits float32, and complex numbers two parts
    along one dimension more; any other one as it is."""
    if isinstance(array, (list, tuple)):
        array = np.asarray(array)
    if isinstance(array, np.ndarray) and array.dtype.kind == "c":
        values = np.ascontiguousarray(array)
        return values.view(values.real.dtype).reshape(*array.shape, 2)
    if isinstance(array, np.ndarray) and is_float(array.dtype) and array.dtype.itemsize == 2:
        return array.astype(np.float32)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
        return array
    numbers = array.astype(np.float64)
    if numbers.size and not np.abs(np.ma.getdata(numbers)).max() < 2.0**53:
        raise ValueError(f"{name} has integers of 2**53 or more, for which no bound is kept; compare them by numpy.array_equal")
    return numbers


def field(array: Any, stream: int, name: str = "array") -> Any:
    """An object from which the module reads the values of an array, on a stream."""
    if type(array) is np.ndarray and _is_ready(array):
        return array
    if isinstance(array, np.ndarray):
        return array if _is_ready(array) and not isinstance(array, np.ma.MaskedArray) else _as_lent(array, name)
    other = _elsewhere(array, name, stream)
    if other is not None:
        return other
    values = _of_numpy(array)
    if values is not array:
        return field(values, stream, name)
    raise TypeError(f"{name} is of type {type(array).__name__}; pass an array, such as numpy.asarray({name})")


def target(array: Any, stream: int, *, is_new: bool = False, name: str = "out") -> Any:
    """An object to which the module writes values, without a copy; `is_new`: nobody has seen the array yet."""
    if isinstance(array, np.ndarray):
        if not array.flags.writeable:
            raise ValueError(f"{name} is read-only; pass an array that can be written")
        if array.dtype.name == _BFLOAT16 and array.flags.aligned:
            return layout_on_host(array)
        if isinstance(array, np.ma.MaskedArray) or not _is_ready(array):
            raise _refused_target(array, name)
        return array
    if array is None:
        return None
    if library_of(array) in ("jax", "jaxlib") and not is_new:
        raise ValueError(f"{name} is an array of JAX, which must not change; pass it as like=, and take the result")
    other = _elsewhere(array, name, stream, writes=True)
    if other is None and not _has_buffer(array):
        raise TypeError(f"{name} is of type {type(array).__name__}; pass an array")
    return array if other is None else other


def stream_target(array: Any, stream: int, values: Any) -> Any:
    """An object to which the module writes the bytes of a stream.

    Parameters
    ----------
    array
        One row of bytes of the caller's, which can be written.
    values
        What is compressed, which must not lie in the same memory.

    Raises
    ------
    TypeError, ValueError
    """
    what = ""
    if isinstance(array, np.ndarray):
        room = array
        is_bytes = array.dtype.char in "bB" and not isinstance(array, np.ma.MaskedArray)
        if not is_bytes:
            what = f"values of {array.dtype}" if type(array) is np.ndarray else f"type {type(array).__name__}"
    elif device_of(array) is not None or hasattr(array, "__cuda_array_interface__") or not _has_buffer(array):
        made = target(array, stream)
        _require_apart(made, values)
        return made
    else:
        view = memoryview(array)
        is_bytes = view.format.lstrip("@=<>!") in ("B", "b", "c")
        what = f"items of format {shown(view.format)}"
        room = np.asarray(view).view(np.uint8) if is_bytes else np.empty(0, np.uint8)
    if not is_bytes:
        raise TypeError(f"out has {what}; pass a row of bytes, such as a bytearray or an array of uint8")
    flags = room.flags
    if room.ndim != 1 or not flags.c_contiguous:
        raise ValueError(f"out has the shape {room.shape} and strides {room.strides}; pass a row of bytes without gaps, such as a bytearray")
    if not flags.writeable:
        raise ValueError("out is read-only; pass memory that can be written")
    _require_apart(room, values)
    return room


def _extent_of(values: Any) -> Optional[Tuple[int, int]]:
    """Between which addresses values lie; None of capsules, and of what has none."""
    if isinstance(values, np.ndarray):
        pointer, shape, strides, size = values.ctypes.data, values.shape, values.strides, values.itemsize
    elif isinstance(values, tuple):
        pointer, shape, strides = values[0], values[1], values[2]
        try:
            size = 2 if values[3] == _BFLOAT16 else np.dtype(values[3]).itemsize
        except TypeError:  # a type that the module refuses
            return None
        if strides is None:
            return pointer, pointer + size * math.prod(shape)
    else:
        return None
    if 0 in shape:
        return None
    steps = [(extent - 1) * step for extent, step in zip(shape, strides)]
    return pointer + sum(step for step in steps if step < 0), pointer + sum(step for step in steps if step > 0) + size


def _require_apart(written: Any, values: Any) -> None:
    """Raise ValueError if what is written lies in the memory of what is read."""
    if isinstance(written, np.ndarray) and isinstance(values, np.ndarray):
        shares = np.may_share_memory(written, values)
    else:
        one, other = _extent_of(written), _extent_of(values)
        shares = one is not None and other is not None and max(one[0], other[0]) < min(one[1], other[1])
    if shares:
        raise ValueError("out lies in the memory of what is read, which it would change meanwhile; pass other memory")


def require_apart(out: Any, buffer: Any) -> None:
    """Raise ValueError if values are decompressed to the memory of their own stream."""
    if isinstance(out, np.ndarray) and type(buffer) is not bytes and _has_buffer(buffer):
        _require_apart(out, np.asarray(memoryview(buffer)))


def _refused_target(array: np.ndarray, name: str) -> Exception:
    if array.dtype.char not in _NATIVE or not array.dtype.isnative:
        return TypeError(f"{name} has values of {array.dtype}; {_SUPPORTED}")
    return ValueError(f"{name} cannot be written value by value (strides {array.strides}, masked or not aligned); "
                      "pass another array")


def stream_bytes(buffer: Any, stream: int) -> Any:
    """An object from which the module reads the bytes of a compressed stream, on a CUDA stream."""
    if type(buffer) is bytes or _has_buffer(buffer):
        return buffer
    other = _elsewhere(buffer, "buffer", stream)
    if other is None:
        raise TypeError(f"buffer is of type {type(buffer).__name__}; pass bytes or an array of uint8")
    return other


def _has_buffer(thing: Any) -> bool:
    try:
        memoryview(thing).release()
    except TypeError:
        return False
    return True


def _elsewhere(array: Any, name: str, stream: int, writes: bool = False) -> Any:
    """An array of another library than NumPy's, on a device or not; None for what DLPack does not know."""
    found = on_device(array, name, stream, writes)
    if found is not None:
        return found
    device = device_of(array)
    return None if device is None or not is_in_host_memory(device) else array.__dlpack__()


def space_number(space: Optional[Space]) -> int:
    """The number of an execution space, None for threads of the host."""
    try:
        return -2 if space is None else SPACES[space]
    except (KeyError, TypeError):
        known = ", ".join(map(repr, SPACES))
        raise ValueError(f"space={shown(space)} is not known; use one of {known}, or None") from None


def empty_like(like: Any, shape: "tuple[int, ...]", dtype: np.dtype, order: str) -> Any:
    """A new array of the library, and on the device, of another one, or None for NumPy's."""
    if like is None or isinstance(like, np.ndarray):
        return None
    library = type(like).__module__.partition(".")[0]
    if library == "torch":
        import torch

        made = torch.empty(shape[::-1] if order == "F" else shape, dtype=getattr(torch, dtype.name), device=like.device)
        return made.permute(*range(len(shape))[::-1]) if order == "F" else made
    if library == "cupy":
        import cupy

        return cupy.empty(shape, dtype=dtype, order=order)
    namespace = getattr(like, "__array_namespace__", None)
    if namespace is None:
        raise TypeError(f"like is of type {type(like).__name__}; pass an array of NumPy, CuPy, PyTorch, or of a library "
                        "with __array_namespace__")
    library = namespace()
    return library.empty(shape, dtype=getattr(library, dtype.name), device=like.device)
