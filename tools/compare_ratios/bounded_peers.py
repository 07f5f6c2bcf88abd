"""Peers that keep a bound of every value: SZ3 with three settings, zfp and SPERR."""

from peer import BoundedPeer, Hdf5Filter


class Sz3(BoundedPeer):
    """With its defaults: interpolation or Lorenzo, whichever it estimates to be smaller; one thread."""
    name, package, takes_non_finite, algorithm = "sz3", "pysz", True, None

    def compress(self, values, bound):
        config = self.module.szConfig(values.shape)
        config.errorBoundMode = self.module.szErrorBoundMode.ABS
        config.absErrorBound = bound
        if self.algorithm:
            config.cmprAlgo = getattr(self.module.szAlgorithm, self.algorithm)
        return self.module.sz.compress(values, config)[0]

    def decompress(self, stream, like):
        return self.module.sz.decompress(stream, like.dtype, like.shape)[0]


class Sz3Interpolation(Sz3):
    """SZ3 with interpolation alone."""
    name, algorithm = "sz3-interpolation", "INTERP"


class Sz3Lorenzo(Sz3):
    """SZ3 with Lorenzo and regression."""
    name, algorithm = "sz3-lorenzo", "LORENZO_REG"


class Zfp(BoundedPeer):
    """In its mode of fixed accuracy; one thread."""
    name, package, takes_non_finite = "zfp", "zfpy", False

    def compress(self, values, bound):
        return self.module.compress_numpy(values, tolerance=bound)

    def decompress(self, stream, like):
        return self.module.decompress_numpy(stream)


class Sperr(Hdf5Filter, BoundedPeer):
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


BOUNDED = (Sz3, Sz3Interpolation, Sz3Lorenzo, Zfp, Sperr)
