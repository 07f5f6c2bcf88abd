"""The compressors of a trial: pipelines of the package kompakt, and peers out of Python packages."""

import importlib
import importlib.metadata

import kompakt
import numpy as np
import peers
from coded import Coded
from drawing import spoken

# Arguments of kompakt.compress by the name in tables and pictures.
OURS = {
    "fixedlength": {"pipeline": "fixedlength"},
    "bitshuffle": {"pipeline": "bitshuffle"},
    "bitshuffle fz": {"pipeline": "bitshuffle", "variant": "fz"},
    "huffman": {"pipeline": "huffman"},
    "rans": {"pipeline": "rans"},
    "bitshuffle, interpolate": {"pipeline": "bitshuffle", "predictor": "interpolate"},
    "huffman, interpolate": {"pipeline": "huffman", "predictor": "interpolate"},
    "for ratio": {"pipeline": "auto", "goal": "ratio"},
    "for smallest": {"pipeline": "auto", "goal": "smallest"},
}


class Ours:
    """One setting of kompakt, from array to array."""

    def __init__(self, name, space):
        self.name, self.options = name, {**OURS[name], "space": space}

    def compress(self, field, bound):
        return kompakt.compress(field.values, bound, "abs", fill_value=field.entry.fill, **self.options)

    def round_trip(self, field, bound):
        stream = self.compress(field, bound)
        info = kompakt.inspect(stream)
        return Coded(len(stream), kompakt.decompress(stream), f"{info.pipeline} {info.variant} {info.method}")


class Sz3Interpolation(peers.Sz3):
    """SZ3 with interpolation alone."""
    name, algorithm = "sz3 interpolation", "INTERP"

    def compress(self, values, bound):
        config = self.module.szConfig(values.shape)
        config.errorBoundMode = self.module.szErrorBoundMode.ABS
        config.absErrorBound, config.cmprAlgo = bound, getattr(self.module.szAlgorithm, self.algorithm)
        return self.module.sz.compress(values, config)[0]


class Sz3Lorenzo(Sz3Interpolation):
    """SZ3 with Lorenzo and regression."""
    name, algorithm = "sz3 lorenzo", "LORENZO_REG"


class Hdf5Peer(peers.Peer):
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


class Sperr(Hdf5Peer):
    """SPERR with a bound of every value; it takes two or three extents, so the slowest become one."""
    name, takes_non_finite = "sperr", False

    def dataset(self, file, values, bound):
        if not 2 <= values.ndim <= 3:
            raise ValueError("it takes two or three extents")
        return super().dataset(file, values, bound)

    def compress(self, values, bound):
        return super().compress(values.reshape(-1, *values.shape[-2:]) if values.ndim > 3 else values, bound)

    def decompress(self, stream, like):
        return super().decompress(stream, like.reshape(-1, *like.shape[-2:]) if like.ndim > 3 else like)

    def filter(self, bound):
        return self.module.Sperr(absolute=bound)


class Blosc2(Hdf5Peer):
    """Blosc2 with shuffled bits and Zstandard, without loss."""
    name, takes_non_finite = "blosc2", True

    def filter(self, bound):
        return self.module.Blosc2(cname="zstd", clevel=5, filters=self.module.Blosc2.BITSHUFFLE)


class Pcodec(peers.Peer):
    """pcodec on the values as one row, without loss."""
    name, package, takes_non_finite = "pcodec", "pcodec", True

    def compress(self, values, bound):
        return self.module.standalone.simple_compress(np.ravel(values), self.module.ChunkConfig())

    def decompress(self, stream, like):
        return self.module.standalone.simple_decompress(stream)


class Fpzip(peers.Peer):
    """fpzip without loss."""
    name, package, takes_non_finite = "fpzip", "fpzip", True

    def compress(self, values, bound):
        return self.module.compress(values, precision=0, order="C")

    def decompress(self, stream, like):
        return self.module.decompress(stream, order="C")


BOUNDED = (peers.Sz3, Sz3Interpolation, Sz3Lorenzo, peers.Zfp, Sperr)
LOSSLESS = (Blosc2, Pcodec, Fpzip)


def names_of_peers():
    """The contenders that are not ours, as rows name them."""
    return {kind.name for kind in BOUNDED} | {f"{spoken(kind.name)}, lossless" for kind in LOSSLESS}


def installed(kinds):
    """Instances of the peers that can be imported, versions of their packages, and a line for each other one."""
    found, versions, missing = [], {}, []
    for kind in kinds:
        try:
            module, version = importlib.import_module(kind.package), importlib.metadata.version(kind.package)
        except ImportError as error:
            missing.append(f"{kind.name} left out: {kind.package} cannot be used ({error})")
            continue
        found.append(kind(module))
        versions[kind.package] = version
    return found, versions, missing


def bounded(trial):
    """Ours and the peers that keep a bound; in a quick trial SZ3 with one setting."""
    left_out = {"sz3 interpolation", "sz3 lorenzo"} if trial.quick else set()
    others = [peer for peer in trial.peers if peer.name not in left_out]
    return [*(Ours(name, trial.space) for name in OURS), *others]
