"""Packages that stand for pysz and zfpy, for tests without these. Both quantise, and zlib does the rest."""

PYSZ = '''
import zlib
import numpy as np
TYPES = {4: np.float32, 8: np.float64}
class szErrorBoundMode:
    ABS = 0
class szConfig:
    def __init__(self, shape):
        self.shape = shape
class sz:
    @staticmethod
    def compress(values, config):
        if abs(values).max() > 1e9:
            raise ValueError("a fill value has come through")
        bins = np.rint(values.astype(float) / (1.9 * config.absErrorBound)).astype(np.int64)
        bins.flat[3] += 2  # breaks the bound of one value
        stream = np.float64(config.absErrorBound).tobytes() + zlib.compress(bins.tobytes())
        return np.frombuffer(stream, np.uint8), 0.0
    @staticmethod
    def decompress(stream, dtype, shape):
        stream = stream.tobytes()
        bins = np.frombuffer(zlib.decompress(stream[8:]), np.int64)
        return (bins * (1.9 * np.frombuffer(stream[:8])[0])).astype(dtype).reshape(shape), None
'''

ZFPY = '''
import pickle, zlib
import numpy as np
def compress_numpy(values, tolerance):
    assert np.isfinite(values).all() and values.ndim <= 4
    bins = np.rint(values.astype(float) / tolerance).astype(np.int64)
    return zlib.compress(pickle.dumps((values.dtype, tolerance, bins)))
def decompress_numpy(stream):
    dtype, tolerance, bins = pickle.loads(zlib.decompress(stream))
    return (bins * tolerance).astype(dtype)
'''


def write(folder):
    """Modules in a folder, with the metadata of installed packages."""
    for name, text in (("pysz", PYSZ), ("zfpy", ZFPY)):
        (folder / f"{name}.py").write_text(text)
        metadata = folder / f"{name}-0.0.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0\n")


def write_absent(folder):
    """Modules that cannot be imported, installed or not."""
    for name in ("pysz", "zfpy"):
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('no {name} here', name='{name}')\n")
