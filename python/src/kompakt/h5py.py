"""The HDF5 filter for h5py, h5netcdf and xarray: ``file.create_dataset("t", data=t, **kompakt.h5py.Kompakt(1e-3))``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Iterator, Optional, Sequence, Tuple, Union

import h5py
import numpy as np

from ._arguments import DEFAULT_BOUND, DEFAULT_MODE, chooses, of_module, words_of_text
from ._arrays import FillValues
from ._codec import choose, hdf5_plugin_path
from ._codec_options import CodecOptions
from ._messages import shown
from ._options import Limits
from ._core import hdf5_filter_id, hdf5_words
from ._words import Goal, Mode, Pipeline, Predictor, Variant

__all__ = ["FILTER_ID", "Kompakt", "register"]

#: Number of the filter in files.
FILTER_ID = hdf5_filter_id

# Positions and values of words of the filter that no option says, as include/kompakt/h5z_values.h has them.
_FLAGS, _EXTENTS = 7, 12
_KEEP_EXTENTS = 1


def register() -> None:
    """Let the HDF5 of h5py find the filter, which importing this module does.

    Programs and packages with an HDF5 of their own, such as netCDF4, find it by the variable ``HDF5_PLUGIN_PATH``, which
    is `kompakt.hdf5_plugin_path` for them.
    """
    folder = os.fsencode(hdf5_plugin_path())
    known = [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())]
    if folder not in known:
        h5py.h5pl.append(folder)


class Kompakt(Mapping[str, Any]):
    """Arguments of ``h5py.Group.create_dataset``, and encoding of a variable of xarray with ``engine="h5netcdf"``.

    Parameters
    ----------
    bound, mode, predictor, variant, pack, checksum, limits, value_range
        Options of `kompakt.compress`; a text as a bound says several of them, such as "abs:0.01,predictor=interpolate". A bound
        relative to the range (``mode="r2r"``, the default) and a PSNR count for each chunk of the dataset. With ``value_range``,
        the range of the whole dataset, all chunks get the absolute bound that it comes to.
    axis : None
        The result of `kompakt.choose` where no order of indices is better than the order in memory; the filter keeps no other.
    steps : None
        As `kompakt.choose` gives it where values are made of no steps; the filter keeps none.
    pipeline : {"bitshuffle", "huffman", "fixedlength", "rans", "auto"}, optional
        By default bitshuffle, without loss fixedlength. ``"auto"`` needs `like`.
    fill_value : float, "auto", None, or a sequence of numbers and "auto"
        What stands for no value: it comes back bit for bit and does not count in a range. By default the fill value of the
        dataset, if one has been set, what is found in each chunk, and without limits the values of conventions: 1e20,
        9.96921e36, -9999, -999 and -32768. The filter does not see attributes such as ``missing_value``: declare other
        values here. None means that every value counts.
    goal : {"balanced", "ratio", "smallest", "speed"}, optional
        What the pipeline is chosen for, by `like`; alone it means ``pipeline="auto"``.
    like : array_like, optional
        The values of the dataset, or some like them. A sample of them chooses pipeline, variant, predictor and packing for all
        chunks: the options of the filter are fixed when the dataset is created.
    extents : sequence of int, optional
        One to three extents of a chunk, the slowest index first, for datasets whose chunks have others, such as
        lines out of a field of three dimensions.

    Examples
    --------
    >>> import numpy as np, h5py, kompakt.h5py
    >>> with h5py.File("in memory", "w", driver="core", backing_store=False) as file:
    ...     t = file.create_dataset("t", data=np.zeros((64, 64), "f4"), chunks=(32, 64), **kompakt.h5py.Kompakt(1e-3))
    ...     t.id.get_create_plist().get_filter(0)[3].decode()
    'kompakt'
    """

    def __init__(self, bound: Union[float, str, None] = DEFAULT_BOUND, mode: Mode = DEFAULT_MODE, pipeline: Optional[Pipeline] = None, *,
                 predictor: Optional[Predictor] = None, variant: Optional[Variant] = None, pack: Optional[bool] = None,
                 checksum: Optional[bool] = None, fill_value: FillValues = "auto", goal: Optional[Goal] = None, like: Any = None,
                 limits: Optional[Limits] = None, value_range: Optional[float] = None,
                 axis: Union[int, str, None] = None, steps: Optional[str] = None, extents: Optional[Sequence[int]] = None) -> None:
        if checksum is None and not (isinstance(bound, str) and "checksum" in words_of_text(bound)):
            checksum = True
        options = CodecOptions(bound=bound, mode=mode, pipeline=pipeline, predictor=predictor, variant=variant, pack=pack,
                               checksum=checksum, fill_value=fill_value, goal=goal, limits=limits, value_range=value_range, axis=axis,
                               steps=steps)
        if chooses(options.keywords()):
            options = _chosen(options, like)
        elif like is not None:
            raise ValueError("like= chooses a pipeline; pass pipeline='auto' or goal= with it and no predictor or variant, or "
                             "leave it out")
        self._arguments = {"compression": FILTER_ID, "compression_opts": _words(options, _extents(extents))}

    def __getitem__(self, key: str) -> Any:
        return self._arguments[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arguments)

    def __len__(self) -> int:
        return len(self._arguments)

    def __repr__(self) -> str:
        return f"<kompakt.h5py.Kompakt: filter {FILTER_ID}, words {self['compression_opts']}>"


def _chosen(options: CodecOptions, like: Any) -> CodecOptions:
    """The options with a pipeline instead of "auto"."""
    if like is None:
        asked = "pipeline='auto'" if options.goal is None else f"goal={shown(options.goal)}"
        raise ValueError(f"{asked}: the filter sees one chunk at a time and chooses none; pass like=array to choose by its "
                         "values, or name a pipeline")
    bound = 0.0 if options.bound is None else options.bound  # without loss
    choice = choose(like, bound, options.mode, options.goal or "balanced", fill_value=options.fill_value,
                    axis=max(np.ndim(like) - 1, 0))
    pack = choice["pack"] if options.pack is None else options.pack
    return replace(options, goal=None, pack=pack, pipeline=choice["pipeline"], variant=choice["variant"],
                   predictor=choice["predictor"])


def _extents(extents: Optional[Sequence[int]]) -> Tuple[int, ...]:
    if extents is None:
        return ()
    numbers = tuple(extents)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 1 << 32:
            raise ValueError(f"extents={shown(extents)}: {shown(number)} is no extent of a chunk")
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"extents={shown(extents)} has {len(numbers)} numbers; give 1 to 3")
    return (1,) * (3 - len(numbers)) + numbers


def _words(options: CodecOptions, extents: Tuple[int, ...]) -> Tuple[int, ...]:
    # The type is not known yet. As numbers of float64 the values of conventions are rounded to any other by the filter.
    known = options.keywords_for(np.dtype("f8"), options.fill_value)
    words = list(hdf5_words(**of_module(known)))
    if extents:
        words[_FLAGS] |= _KEEP_EXTENTS
        words[_EXTENTS:_EXTENTS + 3] = extents
    elif len(words) == _EXTENTS + 3:
        del words[_EXTENTS:]
    return tuple(words)


register()
