"""Compressors out of Python packages."""

import importlib
import importlib.metadata
import math
import zlib

import numpy as np
from coded import Coded, Refused
from fields import BadInput

MOST_AXES = 4  # that SZ3 and zfp take


def without_fill(field):
    """The values in a shape that peers take, with straight lines in memory order across fill values."""
    values = field.values.ravel()
    if field.is_fill.any():
        there = np.flatnonzero(~field.is_fill.ravel())
        lines = np.interp(np.arange(values.size), there, values[there].astype(np.float64))
        values = np.where(field.is_fill.ravel(), lines.astype(values.dtype), values)
    shape = [extent for extent in field.values.shape if extent > 1] or [1]
    merged = math.prod(shape[:len(shape) - MOST_AXES + 1])
    return values.reshape(shape if len(shape) <= MOST_AXES else [merged] + shape[-MOST_AXES + 1:])


def mask_bytes(field):
    """What it takes to say where fill values are, if there are any."""
    return len(zlib.compress(np.packbits(field.is_fill).tobytes(), 9)) if field.is_fill.any() else 0


class Peer:
    """A compressor out of a package, for which fill values are hidden and put back. Values that its own methods
    take and give have the shape of without_fill()."""

    def __init__(self, module):
        self.module = module

    def round_trip(self, field, bound):
        if not self.takes_non_finite and not field.all_finite:
            raise Refused("NaN or infinities, which it does not represent")
        values = without_fill(field)
        try:
            stream = self.compress(values, bound)
            restored = self.decompress(stream, values)
        except (ValueError, TypeError, RuntimeError, MemoryError) as error:
            raise Refused(f"{type(error).__name__}: {error}") from None
        restored = np.asarray(restored, field.values.dtype).reshape(field.values.shape)
        return Coded(len(stream) + mask_bytes(field), np.where(field.is_fill, field.values, restored), "")


class Sz3(Peer):
    """With its defaults: interpolation or Lorenzo, whichever it estimates to be smaller; one thread."""
    name, package, takes_non_finite = "sz3", "pysz", True

    def compress(self, values, bound):
        config = self.module.szConfig(values.shape)
        config.errorBoundMode = self.module.szErrorBoundMode.ABS
        config.absErrorBound = bound
        return self.module.sz.compress(values, config)[0]

    def decompress(self, stream, like):
        return self.module.sz.decompress(stream, like.dtype, like.shape)[0]


class Zfp(Peer):
    """In its mode of fixed accuracy; one thread."""
    name, package, takes_non_finite = "zfp", "zfpy", False

    def compress(self, values, bound):
        return self.module.compress_numpy(values, tolerance=bound)

    def decompress(self, stream, like):
        return self.module.decompress_numpy(stream)


PEERS = {peer.name: peer for peer in (Sz3, Zfp)}


def load_peers(names):
    """The peers that are installed, their packages with versions, and a line for each that is not."""
    peers, versions, missing = [], {}, []
    for name in dict.fromkeys(names):
        if name not in PEERS:
            raise BadInput(f"--peers: '{name}' is not known; use some of {', '.join(PEERS)}, or none")
        package = PEERS[name].package
        try:
            module, version = importlib.import_module(package), importlib.metadata.version(package)
        except ImportError as error:  # of which PackageNotFoundError is one
            missing.append(f"{name} skipped: {package} cannot be used ({error}); scripts/setup peers brings it")
            continue
        peers.append(PEERS[name](module))
        versions[name] = f"{package} {version}"
    return peers, versions, missing
