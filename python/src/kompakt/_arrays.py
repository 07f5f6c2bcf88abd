"""Arrays of NumPy and of others, as the compiled module takes them."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core

_NATIVE = frozenset("fdbBhHiIlLqQ")
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
# DLPack has numbers for CUDA's streams without a name; the module takes 0 for its own.
_SPACES = {None: -2, "default": -1, "serial": 0, "openmp": 1, "cuda": 2}


def _is_ready(array: np.ndarray) -> bool:
    dtype = array.dtype
    return dtype.char in _NATIVE and dtype.isnative and array.flags.aligned and 0 not in array.strides


def _convert(array: np.ndarray, name: str) -> np.ndarray:
    """An array with the same values of a type and with steps that can be compressed."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost; pass {name}.filled(value), and "
                        "fill_value=value")
    dtype = array.dtype
    if dtype.kind == "f" and dtype.itemsize == 2:
        return array.astype(np.float32)
    if dtype.kind == "b":
        return np.ascontiguousarray(array).view(np.uint8)
    if dtype.newbyteorder("=").char not in _NATIVE:
        raise TypeError(f"{name} has values of {dtype}; float32, float64 and integers of 8 to 64 bits are supported")
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return np.array(array, dtype=dtype.newbyteorder("="), order=order)


def field(array: Any, name: str = "array") -> Any:
    """What the module reads the values of an array from."""
    if type(array) is np.ndarray and _is_ready(array):
        return array
    if isinstance(array, np.ndarray):
        return array if _is_ready(array) and not isinstance(array, np.ma.MaskedArray) else _convert(array, name)
    other = _of_device(array) or _of_dlpack(array)
    if other is not None:
        return other
    if hasattr(array, "__array__") or _has_buffer(array):
        return field(np.asarray(array), name)
    raise TypeError(f"{name} is of type {type(array).__name__}; pass an array, such as numpy.asarray({name})")


def target(array: Any, name: str = "out") -> Any:
    """What the module writes values to, without a copy."""
    if isinstance(array, np.ndarray):
        if not array.flags.writeable:
            raise ValueError(f"{name} is read-only; pass an array that can be written")
        if isinstance(array, np.ma.MaskedArray) or not _is_ready(array):
            raise _refused_target(array, name)
        return array
    if array is None:
        return None
    other = _of_device(array) or _of_dlpack(array)
    if other is None and not _has_buffer(array):
        raise TypeError(f"{name} is of type {type(array).__name__}; pass an array")
    return array if other is None else other


def _refused_target(array: np.ndarray, name: str) -> Exception:
    if array.dtype.char not in _NATIVE or not array.dtype.isnative:
        return TypeError(f"{name} has values of {array.dtype}; pass float32, float64 or integers of 8 to 64 bits")
    return ValueError(f"{name} cannot be written value by value (strides {array.strides}, masked or not aligned); "
                      "pass another array")


def stream_bytes(buffer: Any) -> Any:
    """What the module reads the bytes of a stream from."""
    if type(buffer) is bytes or _has_buffer(buffer):
        return buffer
    other = _of_device(buffer) or _of_dlpack(buffer)
    if other is None:
        raise TypeError(f"buffer is of type {type(buffer).__name__}; pass bytes or an array of uint8")
    return other


def _has_buffer(thing: Any) -> bool:
    try:
        memoryview(thing).release()
    except TypeError:
        return False
    return True


def _device_of(array: Any) -> "Optional[tuple[int, int]]":
    """Type and number of the device, as DLPack has them."""
    ask = getattr(array, "__dlpack_device__", None)
    if ask is None:
        return None
    kind, number = ask()
    return int(kind), int(number)


def _of_dlpack(array: Any) -> Any:
    device = _device_of(array)
    if device is None or device[0] not in (_CPU, _CUDA_HOST):
        return None
    return array.__dlpack__()


def _of_device(array: Any) -> Any:
    """A capsule of DLPack, or what __cuda_array_interface__ says; None for what is in host memory."""
    device = _device_of(array)
    if device is not None and device[0] not in (_CPU, _CUDA_HOST):
        if device[0] not in (_CUDA, _CUDA_MANAGED):
            raise TypeError(f"the array of type {type(array).__name__} lies on a device of DLPack's type {device[0]}; "
                            "host memory and CUDA are supported")
        # Work is enqueued on the stream that the array is used on, so nothing is to be waited for.
        return array.__dlpack__(stream=-1)
    interface = None if device is not None else getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        return None
    pointer, read_only = interface["data"]
    dtype = np.dtype(interface["typestr"]).name
    return pointer, tuple(interface["shape"]), interface.get("strides"), dtype, bool(read_only)


class Stream(NamedTuple):
    """A CUDA stream by its address, 0 for the default one."""

    address: int
    owner: Any


# A context of the library stays with a stream, which therefore must stay too.
_streams: "dict[int, Any]" = {}


def stream_address(stream: Any, *arrays: Any) -> int:
    """The CUDA stream to work on: that which was given, else that on which arrays are used.

    Parameters
    ----------
    stream
        An address, an object of CuPy (``ptr``) or PyTorch (``cuda_stream``), or None.
    """
    if stream is None:
        found = next(filter(None, map(_current_stream, arrays)), None)
    elif isinstance(stream, int):
        found = Stream(stream, None)
    else:
        address = getattr(stream, "ptr", None)
        address = getattr(stream, "cuda_stream", None) if address is None else address
        if address is None:
            raise TypeError(f"stream is of type {type(stream).__name__}; pass an address, or a stream of CuPy or PyTorch")
        found = Stream(int(address), stream)
    if found is None or found.address in (0, 1):
        return 0
    if found.address < 0:
        raise ValueError(f"stream={found.address}; pass the address of a CUDA stream")
    _streams.setdefault(found.address, found.owner)
    return found.address


def _current_stream(array: Any) -> Optional[Stream]:
    if array is None or isinstance(array, (np.ndarray, bytes)):
        return None
    library = type(array).__module__.partition(".")[0]
    if library == "torch" and array.is_cuda:
        import torch

        stream = torch.cuda.current_stream(array.device)
        return Stream(stream.cuda_stream, stream)
    if library == "cupy":
        import cupy

        stream = cupy.cuda.get_current_stream()
        return Stream(stream.ptr, stream)
    interface = getattr(array, "__cuda_array_interface__", None) if _device_of(array) is None else None
    return Stream(interface.get("stream") or 0, array) if interface else None


def space_number(space: Optional[str]) -> int:
    """The number of an execution space, None for threads of the host."""
    try:
        return _SPACES[space]
    except (KeyError, TypeError):
        known = ", ".join(repr(word) for word in _SPACES if word)
        raise ValueError(f"space={space!r} is not known; use one of {known}, or None") from None


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
