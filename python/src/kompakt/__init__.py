"""Error-bounded lossy compression of scientific fields."""

from ._archive import Archive, Variable, open
from ._codec import (RegionReader, choose, compare, compress, decompress, decompress_region, hdf5_plugin_path, inspect,
                     max_compressed_bytes, metrics, read_region, value_range)
from ._core import git_commit as __git_commit__
from ._core import version as __version__
from ._errors import Error
from ._info import Info, Metrics

__all__ = ["Archive", "Error", "Info", "Metrics", "RegionReader", "Variable", "choose", "compare", "compress",
           "decompress", "decompress_region", "hdf5_plugin_path", "inspect", "max_compressed_bytes", "metrics", "open",
           "read_region", "value_range"]
