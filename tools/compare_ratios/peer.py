"""What peers out of Python packages share: shapes, fill values, and filters of hdf5plugin."""

import importlib
import math
import zlib

import numpy as np
from coded import Coded, Refused

MOST_AXES = 4  # that SZ3, zfp and fpzip take


def merged(values):
    """The values in a shape that peers take: without axes of extent 1, the slowest in one if there are too many."""
    shape = [extent for extent in values.shape if extent > 1] or [1]
    slowest = math.prod(shape[:len(shape) - MOST_AXES + 1])
    return values.reshape(shape if len(shape) <= MOST_AXES else [slowest] + shape[-MOST_AXES + 1:])


def without_fill(field):
    """The values in a shape that peers take, with straight lines in memory order across fill values."""
    values = field.values.ravel()
    if field.is_fill.any():
        there = np.flatnonzero(~field.is_fill.ravel())
        lines = np.interp(np.arange(values.size), there, values[there].astype(np.float64))
        values = np.where(field.is_fill.ravel(), lines.astype(values.dtype), values)
    return merged(values.reshape(field.values.shape))


def mask_bytes(field):
    """What it takes to say where fill values are, if there are any."""
    return len(zlib.compress(np.packbits(field.is_fill).tobytes(), 9)) if field.is_fill.any() else 0


class Peer:
    """A compressor out of a package. Values that its own methods take and give have the shape of merged()."""

    def __init__(self, module):
        self.module = module

    def restored(self, field, values, bound):
        """The size of the stream of some values, and what comes out of it in the field's own shape."""
        try:
            stream = self.compress(values, bound)
            restored = self.decompress(stream, values)
        except (ValueError, TypeError, RuntimeError, MemoryError) as error:
            raise Refused(f"{type(error).__name__}: {error}") from None
        return len(stream), np.asarray(restored, field.values.dtype).reshape(field.values.shape)


class BoundedPeer(Peer):
    """A peer that keeps a bound. Fill values are hidden from it and put back."""

    def round_trip(self, field, bound):
        if not self.takes_non_finite and not field.all_finite:
            raise Refused("NaN or infinities, which it does not represent")
        stream_bytes, restored = self.restored(field, without_fill(field), bound)
        return Coded(stream_bytes + mask_bytes(field), np.where(field.is_fill, field.values, restored), "")


class LosslessPeer(Peer):
    """A peer without loss, which gets the field as it is and has no bound."""

    def round_trip(self, field, bound):
        return Coded(*self.restored(field, merged(field.values), bound), "")


class Hdf5Filter:
    """A filter of hdf5plugin: the stream is the one chunk of a dataset in memory."""
    package = "hdf5plugin"

    def in_memory(self):
        h5py = importlib.import_module("h5py")
        return h5py.File("stream", "w", driver="core", backing_store=False)

    def dataset(self, file, values, bound):
        return file.create_dataset("x", values.shape, values.dtype, chunks=values.shape, **self.filter(bound))

    def compress(self, values, bound):
        self.bound = bound
        try:
            with self.in_memory() as file:
                dataset = self.dataset(file, values, bound)
                dataset[...] = values
                mask, stream = dataset.id.read_direct_chunk((0,) * values.ndim)
        except OSError as error:
            raise ValueError(f"the filter fails: {error}") from None
        if mask:
            raise ValueError("the filter left the chunk as it is")
        return stream

    def decompress(self, stream, like):
        with self.in_memory() as file:
            dataset = self.dataset(file, like, self.bound)
            dataset.id.write_direct_chunk((0,) * like.ndim, stream)
            return dataset[...]
