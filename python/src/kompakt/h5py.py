"""The HDF5 filter for h5py, h5netcdf and xarray: ``file.create_dataset("t", data=t, **kompakt.h5py.Kompakt(1e-3))``."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Iterator, Optional, Sequence, Tuple, Union

import h5py

from ._codec import hdf5_plugin_path
from ._codec_options import CodecOptions
from ._core import hdf5_filter_id

__all__ = ["FILTER_ID", "Kompakt", "register"]

#: Number of the filter in files.
FILTER_ID = hdf5_filter_id

# The words of the filter, as include/kompakt/h5z_values.h has them.
_LAYOUT = 1
_KEEP_EXTENTS, _NO_CHECKSUM, _PACK = 1, 2, 4
_FILL_OF_DATASET, _FILL_AUTO, _FILL_VALUE, _FILL_NONE = range(4)
_MODES = {"abs": 0, "r2r": 1, "pwr": 2, "psnr": 3, "lossless": 4}
_PIPELINES = {None: 0, "huffman": 1, "bitshuffle": 2, "fixedlength": 3}
_PREDICTORS = {"auto": 0, "chain": 1, "tile": 2, "interpolate": 3}
_VARIANTS = {None: 0, "plain": 1, "outlier": 2, "auto": 3, "fz": 4, "deep": 5, "custom": 6, "dictionary": 7}


def register() -> None:
    """Let the HDF5 of h5py find the filter, which importing this module does.

    Programs and packages with an HDF5 of their own, such as netCDF4, find it by the variable ``HDF5_PLUGIN_PATH``, which
    is `kompakt.hdf5_plugin_path` for them.
    """
    folder = os.fsencode(hdf5_plugin_path())
    known = [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())]
    if folder not in known:
        h5py.h5pl.append(folder)


def _words_of_double(value: float) -> Tuple[int, int]:
    return struct.unpack("<2I", struct.pack("<d", value))


class Kompakt(Mapping[str, Any]):
    """Arguments of ``h5py.Group.create_dataset``, and encoding of a variable of xarray with ``engine="h5netcdf"``.

    Parameters
    ----------
    bound, mode, predictor, variant, pack, checksum
        As those of `kompakt.compress`. A bound relative to the range (``mode="r2r"``, the default) and a PSNR are those
        of each chunk of the dataset.
    pipeline : {"bitshuffle", "huffman", "fixedlength"}, optional
        By default bitshuffle, without loss fixedlength.
    fill_value : float, "dataset", "auto" or None
        What is masked: a value, that of the dataset if one has been set, one that is looked for in each chunk, nothing.
    extents : sequence of int, optional
        One to three extents of a chunk, that of the slowest index first, for datasets whose chunks have others, such as
        lines out of a field of three dimensions.

    Examples
    --------
    >>> import numpy as np, h5py, kompakt.h5py
    >>> with h5py.File("in memory", "w", driver="core", backing_store=False) as file:
    ...     t = file.create_dataset("t", data=np.zeros((64, 64), "f4"), chunks=(32, 64), **kompakt.h5py.Kompakt(1e-3))
    ...     t.id.get_create_plist().get_filter(0)[3].decode()
    'kompakt'
    """

    def __init__(self, bound: Optional[float] = 1e-3, mode: str = "r2r", pipeline: Optional[str] = None, *,
                 predictor: Optional[str] = None, variant: Optional[str] = None, pack: bool = False,
                 checksum: bool = True, fill_value: Union[float, str, None] = "dataset",
                 extents: Optional[Sequence[int]] = None) -> None:
        options = _Options(bound=bound, mode=mode, pipeline=pipeline, predictor=predictor, variant=variant, pack=pack,
                           checksum=checksum, fill_value=fill_value)
        if pipeline == "auto":
            raise ValueError("pipeline='auto': the filter sees one chunk at a time and chooses none; name one, or leave it out")
        self._arguments = {"compression": FILTER_ID, "compression_opts": _words(options, _extents(extents))}

    def __getitem__(self, key: str) -> Any:
        return self._arguments[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arguments)

    def __len__(self) -> int:
        return len(self._arguments)

    def __repr__(self) -> str:
        return f"<kompakt.h5py.Kompakt: filter {FILTER_ID}, words {self['compression_opts']}>"


class _Options(CodecOptions):
    _fill_words: ClassVar[Tuple[str, ...]] = ("dataset", "auto")


def _extents(extents: Optional[Sequence[int]]) -> Tuple[int, ...]:
    if extents is None:
        return ()
    numbers = tuple(extents)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 1 << 32:
            raise ValueError(f"extents={extents!r}: {number!r} is no extent of a chunk")
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"extents={extents!r} has {len(numbers)} numbers; give 1 to 3")
    return (1,) * (3 - len(numbers)) + numbers


def _words(options: CodecOptions, extents: Tuple[int, ...]) -> Tuple[int, ...]:
    flags = (_KEEP_EXTENTS if extents else 0) | (0 if options.checksum else _NO_CHECKSUM) | (_PACK if options.pack else 0)
    fill_modes = {"dataset": _FILL_OF_DATASET, "auto": _FILL_AUTO, None: _FILL_NONE}
    fill = options.fill_value
    fill_mode, masked = (_FILL_VALUE, fill) if isinstance(fill, float) else (fill_modes[fill], 0.0)
    words = (_LAYOUT, _MODES[options.mode], *_words_of_double(options.bound or 0.0), _PIPELINES[options.pipeline],
             _PREDICTORS[options.predictor or "auto"], _VARIANTS[options.variant], flags, fill_mode,
             *_words_of_double(masked), 0)
    return words + extents


register()
