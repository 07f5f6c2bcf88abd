"""Peers without loss: pcodec, fpzip and Blosc2."""

import numpy as np
from peer import Hdf5Filter, LosslessPeer


class Pcodec(LosslessPeer):
    """pcodec on the values as one row, at its own level."""
    name, package = "pcodec", "pcodec"

    def compress(self, values, bound):
        return self.module.standalone.simple_compress(np.ravel(values), self.module.ChunkConfig())

    def decompress(self, stream, like):
        return self.module.standalone.simple_decompress(stream)


class Fpzip(LosslessPeer):
    """fpzip with all bits."""
    name, package = "fpzip", "fpzip"

    def compress(self, values, bound):
        return self.module.compress(values, precision=0, order="C")

    def decompress(self, stream, like):
        return self.module.decompress(stream, order="C")


class Blosc2(Hdf5Filter, LosslessPeer):
    """Blosc2 with shuffled bits and Zstandard."""
    name = "blosc2"

    def filter(self, bound):
        return self.module.Blosc2(cname="zstd", clevel=5, filters=self.module.Blosc2.BITSHUFFLE)


LOSSLESS = (Pcodec, Fpzip, Blosc2)
