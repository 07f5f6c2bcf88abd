"""Packages that stand for those of the peers, for tests without these. With a bound they quantise, and zlib does the rest."""

PYSZ = '''
import zlib
import numpy as np
TYPES = {4: np.float32, 8: np.float64}
class szErrorBoundMode:
    ABS = 0
class szAlgorithm:
    INTERP, LORENZO_REG = 1, 2
class szConfig:
    cmprAlgo = None
    def __init__(self, shape):
        self.shape = shape
class sz:
    @staticmethod
    def compress(values, config):
        if abs(values).max() > 1e9:
            raise ValueError("a fill value has come through")
        bins = np.rint(values.astype(float) / (1.9 * config.absErrorBound)).astype(np.int64)
        if config.cmprAlgo is None:
            bins.flat[3] += 2  # breaks the bound of one value
        filler = bytes(config.cmprAlgo or 0)  # what another setting costs
        stream = np.float64(config.absErrorBound).tobytes() + zlib.compress(bins.tobytes()) + filler
        return np.frombuffer(stream, np.uint8), 0.0
    @staticmethod
    def decompress(stream, dtype, shape):
        stream = stream.tobytes()
        bins = np.frombuffer(zlib.decompressobj().decompress(stream[8:]), np.int64)
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

PCODEC = '''
import pickle, zlib
class ChunkConfig:
    pass
class standalone:
    @staticmethod
    def simple_compress(values, config):
        return zlib.compress(pickle.dumps(values + 0))  # which makes 0 of -0
    @staticmethod
    def simple_decompress(stream):
        return pickle.loads(zlib.decompress(stream))
'''

FPZIP = '''
import pickle, zlib
def compress(values, precision, order):
    assert values.ndim <= 4 and precision == 0
    return zlib.compress(pickle.dumps(values), 1)
def decompress(stream, order):
    return pickle.loads(zlib.decompress(stream))
'''

BOUNDED, LOSSLESS = {"pysz": PYSZ, "zfpy": ZFPY}, {"pcodec": PCODEC, "fpzip": FPZIP}


def write(folder, modules=BOUNDED):
    """Modules in a folder, with the metadata of installed packages."""
    folder.mkdir(exist_ok=True)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
        metadata = folder / f"{name}-0.0.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0\n")


def write_absent(folder, names=(*BOUNDED, *LOSSLESS, "hdf5plugin")):
    """Modules that cannot be imported, installed or not."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('no {name} here', name='{name}')\n")
