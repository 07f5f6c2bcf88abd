"""The link between a GPU and its host, by the CUDA runtime: pinned copies, and frames that come compressed."""

import ctypes
import ctypes.util
import time

import kompakt
import numpy as np
from parts import Skipped

TO_DEVICE, TO_HOST = 1, 2  # cudaMemcpyKind
BYTES, COPIES = 256 << 20, 8
FRAME_EDGE, FRAMES = (64, 512, 512), 40  # 64 MiB of floats


class Runtime:
    """The functions of the CUDA runtime that a trial calls."""

    def __init__(self):
        self.functions = None
        for name in (ctypes.util.find_library("cudart"), "libcudart.so", "/usr/local/cuda/lib64/libcudart.so"):
            try:
                self.functions = self.functions or (ctypes.CDLL(name) if name else None)
            except OSError:
                continue
        if self.functions is None:
            raise Skipped("the CUDA runtime is no shared library here; add its folder to LD_LIBRARY_PATH")

    def call(self, name, *arguments):
        status = getattr(self.functions, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} ended with error {status}")

    def allocate(self, name, count):
        """An address of device memory (cudaMalloc) or pinned memory (cudaMallocHost)."""
        address = ctypes.c_void_p()
        self.call(name, ctypes.byref(address), ctypes.c_size_t(count))
        return address.value

    def copy(self, to, source, count, kind):
        self.call("cudaMemcpy", ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(count), kind)


class DeviceArray:
    """Values in device memory, as kompakt takes them."""

    def __init__(self, runtime, shape, dtype, address=None):
        self.runtime, self.shape, self.dtype = runtime, tuple(shape), np.dtype(dtype)
        self.nbytes = int(np.prod(self.shape)) * self.dtype.itemsize
        self.owns, self.address = address is None, address or runtime.allocate("cudaMalloc", self.nbytes)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3}

    def __del__(self):
        if self.owns:
            self.runtime.call("cudaFree", ctypes.c_void_p(self.address))

    def __getitem__(self, part):
        """The first values, in the same memory."""
        return DeviceArray(self.runtime, (part.stop,), self.dtype, self.address)

    def __len__(self):
        return self.shape[0]

    def put(self, values):
        self.runtime.copy(self.address, values.ctypes.data, self.nbytes, TO_DEVICE)
        return self

    def get(self):
        values = np.empty(self.shape, self.dtype)
        self.runtime.copy(values.ctypes.data, self.address, self.nbytes, TO_HOST)
        return values


def copy_gbps(runtime, device, pinned, kind):
    places = (device, pinned) if kind == TO_DEVICE else (pinned, device)
    runtime.copy(*places, BYTES, kind)
    begin = time.perf_counter()
    for _ in range(COPIES):
        runtime.copy(*places, BYTES, kind)
    return COPIES * BYTES / (time.perf_counter() - begin) / 1e9


def frames(runtime, pinned):
    """Sustained GB/s and the latency of frames that are compressed on the device and copied to the host."""
    waves = np.sin(np.arange(np.prod(FRAME_EDGE), dtype="f4") / 300).reshape(FRAME_EDGE)
    frame = DeviceArray(runtime, FRAME_EDGE, "f4").put(waves)
    room = DeviceArray(runtime, (kompakt.max_compressed_bytes(waves, 1e-3, "abs"),), "u1")
    times = []
    for _ in range(FRAMES):
        begin = time.perf_counter()
        stream = kompakt.compress(frame, 1e-3, "abs", "bitshuffle", out=room)
        runtime.copy(pinned, stream.address, stream.nbytes, TO_HOST)
        times.append(time.perf_counter() - begin)
    times = sorted(times[FRAMES // 4:])
    return {"frames of 64 MiB, compressed and copied, GB/s": len(times) * waves.nbytes / sum(times) / 1e9,
            "latency of a frame, median, ms": 1e3 * times[len(times) // 2], "largest latency, ms": 1e3 * times[-1],
            "ratio of the frames": waves.nbytes / stream.nbytes}


def measure():
    """Figures of the link by their names."""
    runtime = Runtime()
    device, pinned = runtime.allocate("cudaMalloc", BYTES), runtime.allocate("cudaMallocHost", BYTES)
    return {"host to device, GB/s": copy_gbps(runtime, device, pinned, TO_DEVICE),
            "device to host, GB/s": copy_gbps(runtime, device, pinned, TO_HOST), **frames(runtime, pinned)}
