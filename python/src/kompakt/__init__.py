"""Error-bounded lossy compression of scientific fields."""

from . import _core
from ._archive import Archive, Variable, open
from ._codec import (RegionReader, choose, compare, compress, decompress, decompress_region, hdf5_plugin_path, inspect,
                     max_compressed_bytes, metrics, read_region, value_range)
from ._errors import Error
from ._info import Info, Metrics

__all__ = ["Archive", "Error", "Info", "Metrics", "RegionReader", "Variable", "choose", "compare", "compress",
           "decompress", "decompress_region", "hdf5_plugin_path", "inspect", "max_compressed_bytes", "metrics", "open",
           "read_region", "value_range"]

__version__ = _core.version
__git_commit__ = _core.git_commit
