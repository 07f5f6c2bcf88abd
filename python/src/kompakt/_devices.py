"""Arrays in the memory of a CUDA device, and the streams that they are used on."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
# DLPack's number for the default stream. The module's own one, which stands for it there, waits for it and is waited for.
_LEGACY_STREAM = 1
_ANY_DEVICE, _HOST = -1, -2
# Pointer, shape, strides in bytes or None, type of the values, whether they are read-only, number of the device or -1.
Layout = Tuple[int, Tuple[int, ...], Optional[Tuple[int, ...]], str, bool, int]
_torch_names: Dict[Any, str] = {}


def library_of(array: Any) -> str:
    """The name of the package that an array's type is of."""
    return type(array).__module__.partition(".")[0]


def device_of(array: Any) -> Optional[Tuple[int, int]]:
    """Type and number of the device, as DLPack has them."""
    ask = getattr(array, "__dlpack_device__", None)
    if ask is None:
        return None
    kind, number = ask()
    return int(kind), int(number)


def is_in_host_memory(device: Tuple[int, int]) -> bool:
    """Whether the host reads what lies there."""
    return device[0] in (_CPU, _CUDA_HOST)


def on_device(array: Any, name: str, stream: int, writes: bool) -> Any:
    """An object that the module takes instead of an array on a device: its layout, or a capsule of DLPack.

    Parameters
    ----------
    stream : int
        Address of the CUDA stream on which the array will be used, 0 for the default one.
    writes : bool
        Whether the array will be written.

    Returns
    -------
    Layout, capsule, or None for what is in host memory
    """
    library = library_of(array)
    if library == "torch":
        return _of_torch(array, name, writes) if array.is_cuda else None
    if library == "cupy":
        return _of_cupy(array)
    device = device_of(array)
    if device is not None:
        return None if is_in_host_memory(device) else _of_dlpack(array, name, device, stream)
    return _of_interface(array)


# Of these two by attributes, which takes a microsecond; their capsules take ten times as long. They are used on the current
# streams of their libraries, so nothing is to be waited for.

def _of_torch(tensor: Any, name: str, writes: bool) -> Layout:
    if writes and tensor.requires_grad:
        raise ValueError(f"{name} requires a gradient, so it cannot be written in place; pass {name}.detach()")
    if tensor.is_neg():
        raise ValueError(f"{name} is a view whose values lie in memory with the other sign; pass {name}.resolve_neg()")
    dtype = _torch_names.get(tensor.dtype) or _torch_names.setdefault(tensor.dtype, str(tensor.dtype).partition(".")[2])
    size = tensor.element_size()
    strides = None if tensor.is_contiguous() else tuple(step * size for step in tensor.stride())
    return tensor.data_ptr(), tuple(tensor.shape), strides, dtype, False, tensor.get_device()


def _of_cupy(array: Any) -> Layout:
    strides = None if array.flags.c_contiguous else array.strides
    return array.data.ptr, array.shape, strides, array.dtype.name, False, array.data.device_id


def _of_dlpack(array: Any, name: str, device: Tuple[int, int], stream: int) -> Any:
    if device[0] not in (_CUDA, _CUDA_MANAGED):
        raise TypeError(f"{name}, of type {type(array).__name__}, lies on a device of DLPack's type {device[0]}; host memory "
                        "and CUDA are supported")
    # Not -1, which says that nothing is to be waited for: JAX takes it for the address of a stream.
    return array.__dlpack__(stream=stream or _LEGACY_STREAM)


def _of_interface(array: Any) -> Optional[Layout]:
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        return None
    pointer, read_only = interface["data"]
    dtype = np.dtype(interface["typestr"]).name
    return pointer, tuple(interface["shape"]), interface.get("strides"), dtype, bool(read_only), _ANY_DEVICE


def layout_on_host(array: np.ndarray) -> Tuple[Any, ...]:
    """The layout of an array whose memory NumPy does not lend because the type is another package's, with the array."""
    return array.ctypes.data, array.shape, array.strides, array.dtype.name, not array.flags.writeable, _HOST, array


class Stream(NamedTuple):
    """A CUDA stream by its address, 0 for the default one."""

    address: int
    owner: Any


# A context of the library stays with a stream, which therefore must stay too.
_streams: Dict[int, Any] = {}


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
    if found is None or found.address in (0, _LEGACY_STREAM):
        return 0
    if found.address < 0:
        raise ValueError(f"stream={found.address}; pass the address of a CUDA stream")
    _streams.setdefault(found.address, found.owner)
    return found.address


def _current_stream(array: Any) -> Optional[Stream]:
    if array is None or isinstance(array, (np.ndarray, bytes)):
        return None
    library = library_of(array)
    if library == "torch":
        if not array.is_cuda:
            return None
        import torch

        stream = torch.cuda.current_stream(array.device)
        return Stream(stream.cuda_stream, stream)
    if library == "cupy":
        import cupy

        stream = cupy.cuda.get_current_stream()
        return Stream(stream.ptr, stream)
    interface = getattr(array, "__cuda_array_interface__", None) if device_of(array) is None else None
    return Stream(interface.get("stream") or 0, array) if interface else None
