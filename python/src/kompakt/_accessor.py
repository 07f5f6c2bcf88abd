"""Datasets of xarray that write themselves within error bounds: ``ds.kompakt.to_zarr("run.zarr", bounds={"t*": "abs:0.01"})``."""

from __future__ import annotations

import contextlib
import errno
import os
import warnings
from collections.abc import Mapping
from typing import Any, Dict, Hashable, Iterable, Iterator, Optional, Sequence

import xarray
from xarray.conventions import CF_RELATED_DATA

from ._append import already_there, with_stored_attributes
from ._archive import Archive, ArchiveMode
from ._arguments import chooses, require_mapping
from ._codec import compress, inspect
from ._codec_options import CodecOptions
from ._dataset_bounds import Bounds, BoundLike, options_of_variables
from ._declared import FILL_KEYS, declaring
from ._fields import ArchivedField, fields_of
from ._messages import shown
from ._parts import fills_of_parts, has_too_large, resolved_for_parts, sample_of
from ._roles import supporting
from ._sources import is_address
from ._whole import put_back, whole, whole_path

#: A variable without a bound of its own: what `kompakt.compress` does by default.
DEFAULT_BOUND = "r2r:1e-3"
# Of the encoding of a variable that is compressed: what says how it is cut and what its attributes are. The rest is of another
# compressor, or of a type that would round values before the bound counts.
_KEPT_ENCODING = (*FILL_KEYS, "coordinates", *CF_RELATED_DATA, "chunks", "shards", "chunksizes", "original_shape")
_CODEC_KEYS = ("serializer", "compressors", "compressor", "compression", "compression_opts", "filters")
# What an encoding must not say of such a variable: compressors, filters in front, and what rounds values.
_REFUSED_KEYS = frozenset({*_CODEC_KEYS, "dtype", "zlib", "complevel", "shuffle", "szip", "zstd", "bzip2", "blosc", "contiguous",
                           "scale_factor", "add_offset", "least_significant_digit", "significant_digits", "quantize_mode"})

# One of them is in the folder of every store.
_STORE_FILES = frozenset({"zarr.json", ".zgroup", ".zarray", ".zmetadata"})

_ENCODING = '{"t": {"chunks": (64, 64)}}'
_Encodings = Dict[Hashable, Dict[str, Any]]


def _is_own(value: Any) -> bool:
    """Whether an encoding names a codec of this package, its HDF5 filter, or as h5py says it a filter that is not one of HDF5's own."""
    from ._core import hdf5_filter_id

    return any(isinstance(item, CodecOptions) or str(item) in (str(hdf5_filter_id), "unknown") for item in _items(value))


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _has_other_codecs(encoding: Mapping[str, Any], zarr_format: int) -> bool:
    """Whether an encoding is one of Zarr's other version, whose codecs are of other classes."""
    from numcodecs.abc import Codec
    from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec

    others = (ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec) if zarr_format == 2 else (Codec,)
    return any(isinstance(item, others) for key in _CODEC_KEYS for item in _items(encoding.get(key)))


def _prepared(dataset: xarray.Dataset, codecs: Mapping[Hashable, Mapping[str, Any]], zarr_format: Optional[int] = None) -> xarray.Dataset:
    """The dataset with codecs in the encoding of its variables, and without those that it was opened with.

    Codecs of Zarr's other version than the one to be written go, too, and the default ones take their place.
    """
    prepared = dataset.copy()
    for name, variable in prepared.variables.items():
        encoding = variable.encoding
        if name in codecs:
            variable.encoding = {**{key: encoding[key] for key in _KEPT_ENCODING if key in encoding}, **codecs[name]}
        elif any(_is_own(encoding.get(key)) for key in _CODEC_KEYS) or zarr_format and _has_other_codecs(encoding, zarr_format):
            variable.encoding = {key: value for key, value in encoding.items() if key not in _CODEC_KEYS}
        if zarr_format == 2:
            variable.encoding.pop("shards", None)  # which it does not have
    return prepared


def _merged(prepared: xarray.Dataset, codecs: Mapping[Hashable, Mapping[str, Any]],
            encoding: Optional[Mapping[Hashable, Mapping[str, Any]]]) -> _Encodings:
    """The encoding that a caller gives, which takes the place of a variable's own, with our codecs in it."""
    merged: _Encodings = {}
    for name, given in (encoding or {}).items():
        own = codecs.get(name, {})
        taken = sorted(_REFUSED_KEYS.intersection(given))
        if own and taken:
            raise ValueError(f"encoding[{shown(name)}] has {taken[0]!r}, but {shown(name)} is compressed within its bound; leave that "
                             f"out, or name {shown(name)} in no bound")
        # What the caller says of fill values is in the variable's own encoding, as xarray can write it.
        kept = {*FILL_KEYS, *CF_RELATED_DATA} if own else FILL_KEYS if set(FILL_KEYS) & set(given) else ()
        before = prepared.variables[name].encoding
        merged[name] = {**{key: before[key] for key in kept if key in before}, **own,
                        **{key: value for key, value in given.items() if key not in FILL_KEYS}}
    return merged


def _require_encoding(encoding: Any) -> None:
    """Raise TypeError, naming the variable, for an encoding that is no mapping of variables to mappings."""
    require_mapping("encoding", encoding, _ENCODING)
    for name, given in (encoding or {}).items():
        if not isinstance(given, Mapping):
            raise TypeError(f"encoding[{shown(name)}]={shown(given)} is no mapping; pass one such as {_ENCODING}")


def _is_local(store: Any) -> bool:
    return isinstance(store, (str, os.PathLike)) and not is_address(store)


def _is_written_whole(store: Any, options: Mapping[str, Any]) -> bool:
    """Whether a call of `to_zarr` writes all of a folder of this machine, and may."""
    is_all = not any(options.get(name) is not None for name in ("group", "append_dim", "region")) and options.get("compute", True)
    mode = options.get("mode")
    return _is_local(store) and is_all and (mode == "w" or mode in (None, "w-", "a") and not os.path.lexists(os.path.expanduser(store)))


@contextlib.contextmanager
def _naming(store: Any, group: Optional[str]) -> Iterator[None]:
    """Name the store in a FileExistsError of Zarr, which does not."""
    try:
        yield
    except FileExistsError as refused:
        if refused.errno is not None:
            raise
        raise FileExistsError(errno.EEXIST, "there is a group in this store already; pass mode='w' to replace it, mode='a' to write into "
                              "it, or name another place", f"{store}/{group}" if group else str(store)) from refused


def _require_store_or_nothing(store: "str | os.PathLike[str]") -> None:
    """Raise FileExistsError for what is there and no store; make the folder in which a store will be."""
    path = whole_path(store)
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    elif not os.path.isdir(path) or os.listdir(path) and not _STORE_FILES.intersection(os.listdir(path)):
        raise FileExistsError(errno.EEXIST, "this is no Zarr store, so mode='w' does not delete it; name another place", path)


def _require_file_or_nothing(path: "str | os.PathLike[str]") -> None:
    """Raise FileExistsError for what is there and no file, such as a folder."""
    target = whole_path(path)
    if os.path.lexists(target) and not os.path.isfile(target):
        raise FileExistsError(errno.EEXIST, "this is no file, so none replaces it; name a file", target)


def _require_no_archive(path: "str | os.PathLike[str]", mode: Any) -> None:
    """Raise FileExistsError for a file that is there, with what to pass to write it nevertheless."""
    if mode == "x" and isinstance(path, (str, os.PathLike)) and not is_address(path) and os.path.lexists(whole_path(path)):
        raise FileExistsError(errno.EEXIST, "this file exists already; pass mode='w' to replace it, mode='a' to append to it, or name "
                              "another place", os.fspath(path))


def _require_bounds_of_store(store: Any, codecs: Mapping[Hashable, Mapping[str, Any]], options: Mapping[str, Any]) -> None:
    """Raise ValueError if an array of a store has a codec that keeps less than is asked for: what is written on it gets that codec."""
    import zarr

    is_part = any(options.get(name) is not None for name in ("append_dim", "region"))
    if not is_part and options.get("mode") not in ("a", "a-", "r+"):
        return
    try:
        group = zarr.open_group(store, mode="r", path=options.get("group"), storage_options=options.get("storage_options"))
    except FileNotFoundError:
        return
    for name, encoding in codecs.items():
        array = group.get(str(name))
        asked = _codec_among(encoding.values())
        stored = _codec_among((array.serializer, *array.compressors)) if isinstance(array, zarr.Array) else None
        if stored is None or asked is None or stored.keeps(asked, is_part):
            continue
        text = stored.bound_text()
        raise ValueError(f"{shown(name)} is in the store with the bound {text!r}, which counts for all that is written to it, but the "
                         f"bound now is {asked.bound_text()!r}, and may be smaller; pass bounds={{{name!r}: {text!r}}} for the one "
                         "of the store, or write another store")


def _codec_among(items: Iterable[Any]) -> Optional[CodecOptions]:
    return next((item for item in items if isinstance(item, CodecOptions)), None)


def _codecs_of(dataset: xarray.Dataset, bounds: Optional[Bounds], default: BoundLike, make: Any,
               absolute: bool = False) -> Dict[Hashable, Dict[str, Any]]:
    """The entries to set in the encoding of each variable with a bound."""
    codecs = {}
    for name, options in options_of_variables(dataset, bounds, default, stacklevel=5).items():
        variable = dataset.variables[name]
        with _naming_variable(name):
            resolved = resolved_for_parts(variable, options, absolute)
            _note_too_large(variable, name, options["mode"], resolved["mode"], stacklevel=4)
            codecs[name] = make(variable, resolved)
    return codecs


def _note_too_large(variable: xarray.Variable, name: Hashable, asked: str, mode: str, stacklevel: int) -> None:
    """Warn of a variable that has a bound, and is without loss because its integers are too large for one."""
    if asked != "lossless" and mode == "lossless" and has_too_large(variable):
        warnings.warn(f"{shown(name)} stays exact, because it has values of 2**53 or more, which no bound is kept for; pass "
                      f"bounds={{{name!r}: \"lossless\"}} to say so", stacklevel=stacklevel)


@contextlib.contextmanager
def _naming_variable(name: Hashable) -> Iterator[None]:
    try:
        yield
    except ValueError as refused:
        raise ValueError(f"{shown(name)}: {refused}") from None


class KompaktAccessor:
    """Writers of a dataset within error bounds, as ``dataset.kompakt``, once `kompakt.xarray` is imported.

    Each takes ``bounds``, a mapping from names of variables, or patterns with ``*`` and ``?``, to bounds: texts such as
    ``"abs:0.01"``, ``"r2r:1e-3,predictor=interpolate,pack"`` or ``"lossless"``, or mappings with arguments of `kompakt.compress`. An exact name wins over
    patterns, and the last pattern that fits over the others. Variables that nothing fits have the bound of their attribute
    ``kompakt_options``, a text too, or else ``default``.

    A bound relative to the range, or a PSNR, goes by the range of the whole variable. Variables of dask are read one chunk at a
    time to find it, once more than to write them.

    What says where, when or how other variables are stays exact: coordinates, single values, and what attributes of CF or UGRID
    name. Such a variable, and one of integers, gets a bound only by its whole name or its attribute. Packed variables always stay
    exact, and a warning names them unless their bound is ``"lossless"``. Declared fill values come back bit for bit. The bound of complex numbers holds for the magnitude of the difference.

    Examples
    --------
    >>> import numpy as np, xarray, kompakt.xarray, tempfile, os
    >>> t = np.sin(np.arange(6000.0)).reshape(60, 100)
    >>> dataset = xarray.Dataset({"t": (("y", "x"), t)}, {"x": np.arange(100.0)})
    >>> path = os.path.join(tempfile.mkdtemp(), "run.kpk")
    >>> dataset.kompakt.to_kpk(path, bounds={"t": "abs:0.01"})
    >>> again = xarray.open_dataset(path, engine="kompakt")
    >>> bool(abs(again.t - dataset.t).max() <= 0.01), bool((again.x == dataset.x).all())
    (True, True)
    """

    def __init__(self, dataset: xarray.Dataset) -> None:
        self._dataset = dataset

    def to_zarr(self, store: Any, *, bounds: Optional[Bounds] = None, default: BoundLike = DEFAULT_BOUND,
                encoding: Optional[Mapping[Hashable, Mapping[str, Any]]] = None, **options: Any) -> Any:
        """Write a Zarr store by `xarray.Dataset.to_zarr`, chunks by the codec of `kompakt.zarr` or `kompakt.numcodecs`.

        A store in a folder of this machine has its name only when it is complete, and one that ``mode="w"`` replaces stays until then.
        Linux exchanges both at once. Where the file system cannot, the old store is ``.NAME.kompakt-old`` beside it between two renames; the
        next call for the same store puts it back if the writer was killed there.
        What is appended to an array, or written to a region of it, has the bound that the array has.

        Parameters
        ----------
        store, **options
            Arguments of `xarray.Dataset.to_zarr`.
        bounds, default
            As described in `KompaktAccessor`.
        encoding : mapping, optional
            How xarray encodes variables, without compressors of variables that have a bound: ``{"t": {"chunks": (64, 64)}}``.

        Returns
        -------
        As `xarray.Dataset.to_zarr`.

        Raises
        ------
        TypeError, ValueError
            For a bound that cannot be used, or that an array of the store does not keep, before anything is written.
        FileExistsError
            For a store that is there, unless `mode` says what becomes of it, and for what is no store with ``mode="w"``.
        """
        import zarr
        from xarray.backends import ZarrStore

        from ._unfinished_store import UnfinishedStore

        _require_encoding(encoding)
        zarr_format = options.get("zarr_format") or zarr.config.get("default_zarr_format", 3)
        dataset = declaring(self._dataset, encoding)
        codecs = _codecs_of(dataset, bounds, default, _zarr2_encoding if zarr_format == 2 else _zarr3_encoding)
        if _is_local(store):
            put_back(store)
        _require_bounds_of_store(store, codecs, options)
        prepared = _prepared(dataset, codecs, zarr_format)
        encoding = _merged(prepared, codecs, encoding)
        store = whole_path(store) if _is_local(store) else store  # also if the working folder changes meanwhile
        if not _is_written_whole(store, options):
            with _naming(store, options.get("group")):
                return prepared.to_zarr(store, encoding=encoding, **options)
        _require_store_or_nothing(store)
        with whole(store, replaces_folder=options.get("mode") == "w") as beside, UnfinishedStore.writing(beside) as unfinished:
            prepared.to_zarr(unfinished, encoding=encoding, **options)
        return ZarrStore.open_group(store, mode="r+", consolidated=False)

    def to_netcdf(self, path: "str | os.PathLike[str]", *, bounds: Optional[Bounds] = None, default: BoundLike = DEFAULT_BOUND,
                  encoding: Optional[Mapping[Hashable, Mapping[str, Any]]] = None, engine: str = "h5netcdf",
                  **options: Any) -> None:
        """Write a netCDF-4 file by h5netcdf, chunks by the HDF5 filter. The file has its name only when it is complete.

        Parameters
        ----------
        path : path-like
        bounds, default
            As described in `KompaktAccessor`. A PSNR becomes the absolute bound with which it is always reached, as the filter sees
            one chunk at a time.
        encoding : mapping, optional
            How xarray encodes variables, without compressors of variables that have a bound: ``{"t": {"chunksizes": (64, 64)}}``.
        engine : {"h5netcdf"}
            The engine ``"netcdf4"`` has no call for filters by number.
        **options
            Arguments of `xarray.Dataset.to_netcdf`, without ``mode`` and ``compute``.

        Raises
        ------
        TypeError, ValueError
            For a bound that cannot be used, before anything is written.
        FileExistsError
            For what is there and no file, such as a folder.
        """
        _require_encoding(encoding)
        if engine != "h5netcdf":
            raise ValueError(f"engine={shown(engine)} cannot write through the HDF5 filter; leave it out, or pass 'h5netcdf'")
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"path is of type {type(path).__name__}; pass the name of a file")
        for name in {"mode", "compute"} & set(options):
            raise TypeError(f"{name}={shown(options[name])}: the file is written at once and as a whole; leave {name} out")
        if is_address(path):
            raise ValueError(f"path={shown(path)}: netCDF is written to files of this machine; write it there and copy it")
        _require_file_or_nothing(path)
        dataset = declaring(self._dataset, encoding)
        codecs = _codecs_of(dataset, bounds, default, _netcdf_encoding, absolute=True)
        prepared = _prepared(dataset, codecs)
        with whole(path) as unfinished:
            prepared.to_netcdf(unfinished, engine="h5netcdf", encoding=_merged(prepared, codecs, encoding), **options)

    def to_kpk(self, path: "str | os.PathLike[str]", *, bounds: Optional[Bounds] = None, default: BoundLike = DEFAULT_BOUND,
               mode: ArchiveMode = "x") -> None:
        """Write an archive, which ``xarray.open_dataset(path, engine="kompakt")`` and ``kompakt decompress`` read.

        Parameters
        ----------
        path : path-like
        bounds, default
            As described in `KompaktAccessor`.
        mode : {"x", "w", "a", "r+"}
            How `kompakt.Archive` opens the file: write a new one, replace an existing one, or append. The file is as it was until all
            variables are written. Coordinates that an archive has with the same values stay as they are when others are appended, and so
            do its attributes.

        Raises
        ------
        TypeError, ValueError
            For a bound that cannot be used, and for variables or attributes that an archive cannot keep, such as ``long double``.
            For coordinates that the archive has with other values, and dimensions that it has of another length.
        FileExistsError
            For a file that is there, unless `mode` says what becomes of it.
        """
        _require_no_archive(path, mode)
        path = os.path.expanduser(path) if isinstance(path, (str, os.PathLike)) else path
        dataset = declaring(self._dataset, None)
        if mode in ("a", "r+"):
            dataset = with_stored_attributes(path, dataset)
        options = options_of_variables(dataset, bounds, default)
        fields = fields_of(_prepared(dataset, {name: {} for name in options}))
        if mode in ("a", "r+"):
            known = already_there(path, fields, supporting(dataset))
            fields = {name: field for name, field in fields.items() if name not in known}
        with Archive(path, mode) as archive:
            for name, field in fields.items():
                with _naming_variable(name):
                    stream = _stream_of(field, options.get(name))
                    asked = options.get(name, {}).get("mode", "lossless")
                    _note_too_large(dataset.variables[name], name, asked, inspect(stream).mode, stacklevel=3)
                    archive.append(str(name), stream, field.texts)


# What xarray itself calls an array without a name in a file; `xarray.open_dataarray` takes the name off again.
_NO_NAME = "__xarray_dataarray_variable__"


class KompaktArrayAccessor:
    """Writers of one array within an error bound, as ``array.kompakt``, once `kompakt.xarray` is imported.

    They are the writers of `KompaktAccessor`, and take their arguments. ``bound`` is the bound of the array: a text such as
    ``"abs:0.01"``, or a mapping with arguments of `kompakt.compress`. Without it the array has the bound of its attribute
    ``kompakt_options``, or else ``default``. Coordinates stay exact. `xarray.open_dataarray` opens what was written.

    Examples
    --------
    >>> import numpy as np, xarray, kompakt.xarray, tempfile, os
    >>> array = xarray.DataArray(np.sin(np.arange(6000.0)).reshape(60, 100), dims=("y", "x"))
    >>> path = os.path.join(tempfile.mkdtemp(), "run.kpk")
    >>> array.kompakt.to_kpk(path, bound="abs:0.01")
    >>> bool(abs(xarray.open_dataarray(path, engine="kompakt") - array).max() <= 0.01)
    True
    """

    def __init__(self, array: xarray.DataArray) -> None:
        self._array = array

    def to_zarr(self, store: Any, *, bound: Optional[BoundLike] = None, **options: Any) -> Any:
        """Write a Zarr store, as `KompaktAccessor.to_zarr` does."""
        return self._with("to_zarr", store, bound, options)

    def to_netcdf(self, path: "str | os.PathLike[str]", *, bound: Optional[BoundLike] = None, **options: Any) -> None:
        """Write a netCDF-4 file, as `KompaktAccessor.to_netcdf` does."""
        self._with("to_netcdf", path, bound, options)

    def to_kpk(self, path: "str | os.PathLike[str]", *, bound: Optional[BoundLike] = None, **options: Any) -> None:
        """Write an archive, as `KompaktAccessor.to_kpk` does."""
        self._with("to_kpk", path, bound, options)

    def _with(self, writer: str, target: Any, bound: Optional[BoundLike], options: Mapping[str, Any]) -> Any:
        # A name that a coordinate has, too, is no name for a variable beside it.
        is_free = self._array.name is not None and self._array.name not in self._array.coords
        name = self._array.name if is_free else _NO_NAME
        require_mapping("bounds", options.get("bounds"), '{"lat": "abs:0.01"}; the bound of the array is bound=')
        bounds = dict(options.get("bounds") or {}) | ({} if bound is None else {str(name): bound})
        accessor = KompaktAccessor(self._array.to_dataset(name=name))
        return getattr(accessor, writer)(target, **{**options, "bounds": bounds})


def _stream_of(field: ArchivedField, options: Optional[Mapping[str, Any]]) -> bytes:
    """The stream of a variable, without loss if it has no options, else with the fill values that writers of other formats know."""
    values = field.values()
    if options is None or options["mode"] == "lossless":
        return compress(values, **{"mode": "lossless", **(options or {})})
    fills, _ = fills_of_parts(values, options)
    return compress(values, **{**options, "fill_value": fills})


def _zarr3_encoding(_: xarray.Variable, options: Mapping[str, Any]) -> Dict[str, Any]:
    from .zarr import Kompakt

    return {"serializer": Kompakt(**options), "compressors": None, "filters": None}


def _zarr2_encoding(_: xarray.Variable, options: Mapping[str, Any]) -> Dict[str, Any]:
    from .numcodecs import Kompakt

    return {"compressors": Kompakt(**options), "filters": None}


def _netcdf_encoding(variable: xarray.Variable, options: Mapping[str, Any]) -> Dict[str, Any]:
    from .h5py import Kompakt

    codec = dict(Kompakt(**options, like=sample_of(variable) if chooses(options) else None))
    # The filter takes values in the order of bytes of this machine's.
    return codec if variable.dtype.isnative else {**codec, "dtype": variable.dtype.newbyteorder("=")}
