"""Archives as datasets of xarray, ``xarray.open_dataset("run.kpk", engine="kompakt")``, and datasets and arrays that are written
within bounds."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Hashable, Iterable, List, Optional, Tuple, Union

import numpy as np
import xarray
from xarray.backends import AbstractDataStore, BackendArray, BackendEntrypoint, CachingFileManager, StoreBackendEntrypoint
from xarray.core import indexing

from ._accessor import KompaktAccessor, KompaktArrayAccessor
from ._archive import Archive
from ._attributes import describe, group_of
from ._codec import RegionReader
from ._errors import Error
from ._info import Info
from ._messages import shown, shown_path
from ._sources import FileLike, Source, is_address, is_file_object, name_of

__all__ = ["KompaktAccessor", "KompaktArrayAccessor", "KompaktBackendEntrypoint"]

xarray.register_dataset_accessor("kompakt")(KompaktAccessor)  # type: ignore[no-untyped-call]
xarray.register_dataarray_accessor("kompakt")(KompaktArrayAccessor)  # type: ignore[no-untyped-call]

_SUFFIX = ".kpk"
_NAME_OF_STREAM = "field"
# What dask is told to read at once, about: enough that what a task costs is little.
_SLAB_BYTES = 64 << 20
# Indices, along the slowest one, of the units that can be decompressed alone: by Lorenzo, and by interpolation.
_UNIT_EXTENTS = {"brick": (8, 16), "square": (32, 256), "chain": (4096, 32768)}


class _StreamField(RegionReader):
    """A field about which its file says nothing."""

    def __init__(self, read: Callable[[int, int], bytes], size: int, identity: Tuple[int, ...]) -> None:
        super().__init__(read, size)
        self.attrs: Dict[str, str] = {}
        self._identity = identity


class _StreamFile(Dict[str, _StreamField]):
    """A file that holds one field and nothing about it, in the manner of an archive."""

    def __init__(self, path: FileLike) -> None:
        # Not self in what reads: the field would keep itself alive.
        self._file = file = Source(path) if is_address(path) or is_file_object(path) else _LocalFile(path)
        try:
            field = _StreamField(file.read, file.size, getattr(file, "identity", (file.size,)))
        except BaseException:
            self.close()
            raise
        super().__init__({_NAME_OF_STREAM: field})

    def close(self) -> None:
        self._file.close()


class _LocalFile:
    """A file of this machine; any threads read parts side by side."""

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self._file = open(path, "rb")
        status = os.fstat(self._file.fileno())
        self.size = status.st_size
        self.identity = status.st_size, status.st_ino, status.st_mtime_ns

    def read(self, offset: int, count: int) -> bytes:
        return os.pread(self._file.fileno(), count, offset)

    def close(self) -> None:
        self._file.close()


_Opened = Union[Archive, _StreamFile]


def _open(path: FileLike, mode: str) -> _Opened:
    """Open a file; `mode` is what xarray's manager of files hands on, "r"."""
    try:
        return Archive(path)
    except Error as error:
        if error.status != "bad_magic":
            raise
    try:
        return _StreamFile(path)
    except Error as error:
        raise Error(f"{shown_path(name_of(path))} is no archive, and no stream that can be read: {error}", error.status) from None


class _Values(BackendArray):
    """The values of a variable; only the parts that a key needs are read.

    Its file is closed and opened again by its name as xarray needs files, and in another process where that is sent to: what
    it was is compared then.
    """

    def __init__(self, files: CachingFileManager[_Opened], name: str, identity: Tuple[int, ...], shape: Tuple[int, ...],
                 dtype: np.dtype) -> None:
        self._files, self._name, self._identity = files, name, identity
        self.shape, self.dtype = shape, dtype

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: Tuple[Any, ...]) -> np.ndarray:
        opened = self._files.acquire()
        variable = opened[self._name] if self._name in opened else None
        if variable is None or variable._identity != self._identity:
            raise OSError(f"{shown(self._name)} is no longer what it was when its file was opened, because the file was written anew; "
                          "open the data set again")
        return np.asarray(variable.read(key if self.shape else 0)).view(self.dtype)  # letters are stored as bytes


class _UnknownDimensions:
    """Names for dimensions without a name: dimensions of the same extent share one."""

    def __init__(self) -> None:
        self._extents: List[int] = []

    def name_all(self, shape: Tuple[int, ...]) -> Tuple[str, ...]:
        taken: List[int] = []
        for extent in shape:
            taken.append(self._number_of(extent, taken))
        return tuple(f"dim_{number}" for number in taken)

    def _number_of(self, extent: int, taken: List[int]) -> int:
        for number, known in enumerate(self._extents):
            if known == extent and number not in taken:
                return number
        self._extents.append(extent)
        return len(self._extents) - 1


def _preferred_extents(info: Info) -> Tuple[int, ...]:
    """Extents of slabs across the slowest indices, which touch few units of the stream that others touch, too."""
    unit = _UNIT_EXTENTS[info.tile_shape][info.method != "lorenzo"]
    extents = list(info.shape)
    slab_bytes = info.nbytes
    if slab_bytes <= _SLAB_BYTES:
        return info.shape
    for axis in range(info.ndim) if info.order == "C" else reversed(range(info.ndim)):
        slab_bytes //= info.shape[axis]
        extents[axis] = 1
        if slab_bytes <= _SLAB_BYTES:
            count = _SLAB_BYTES // slab_bytes
            extents[axis] = min(count // unit * unit or count, info.shape[axis])
            break
    return tuple(extents)


class _Store(AbstractDataStore):
    """The variables of one group of an archive."""

    def __init__(self, path: FileLike, group: str) -> None:
        self._path, self._group = name_of(path), group
        self._files = CachingFileManager(_open, path, mode="r")  # without a mode it cannot be sent to another process
        with self._files.acquire_context() as archive:
            known = _groups_of(archive)
            if group not in known:
                names = ", ".join(repr(name) for name in known)
                raise KeyError(f"{shown_path(self._path)} has no group {shown(group)}; there are {names}")
            fields = {name: archive[name] for name in archive}
        self._infos = {name: field.info for name, field in fields.items()}
        self._identities = {name: field._identity for name, field in fields.items()}
        self._described = {name: describe(name, field.info.shape, field.info.dtype, field.attrs)
                           for name, field in fields.items()}

    def get_variables(self) -> Dict[str, xarray.Variable]:
        unknown = _UnknownDimensions()
        return {name.rpartition("/")[2]: self._variable(name, unknown)
                for name in self._infos if group_of(name) == self._group}

    def get_attrs(self) -> Dict[str, Any]:
        attrs: Dict[str, Any] = {}
        for described in self._described.values():
            attrs.update(described.groups.get(self._group, {}))
        return attrs

    def get_dimensions(self) -> Dict[Hashable, int]:
        return {dim: extent for variable in self.get_variables().values() for dim, extent in variable.sizes.items()}

    def get_encoding(self) -> Dict[str, Any]:
        grow = {dim for name, described in self._described.items() if group_of(name) == self._group for dim in described.unlimited}
        return {"source": self._path, "unlimited_dims": grow}

    def close(self) -> None:
        self._files.close()

    def _variable(self, name: str, unknown: _UnknownDimensions) -> xarray.Variable:
        info, described = self._infos[name], self._described[name]
        dims = unknown.name_all(info.shape) if described.dims is None else described.dims
        dtype = np.dtype("S1") if described.letters else info.dtype
        values = _Values(self._files, name, self._identities[name], info.shape if dims else (), dtype)
        encoding = {"source": self._path, "original_shape": values.shape, "dtype": dtype}
        slabs = zip(dims, _preferred_extents(info), info.shape)
        # Only what is cut: along all others any chunks are as good, and xarray warns of those that cut what is named here.
        if preferred := {dim: extent for dim, extent, whole in slabs if extent < whole}:
            encoding["preferred_chunks"] = preferred
        return xarray.Variable(dims, indexing.LazilyIndexedArray(values), dict(described.attrs), encoding)


def _groups_of(archive: Iterable[str]) -> List[str]:
    """The root, and all groups that variables lie in, outer ones first."""
    groups = {""}
    for name in archive:
        while name := group_of(name):
            groups.add(name)
    return sorted(groups)


class KompaktBackendEntrypoint(BackendEntrypoint):
    """Archives of kompakt, and files of one stream.

    Variables are lazy: a selection reads and decompresses the chunks that it touches. Names of dimensions, coordinates
    and attributes are as ``kompakt compress run.nc -o run.kpk`` has stored them, numbers with their types; dimensions
    without a name share ``dim_0`` and so on by their extents. With dask, ``chunks={}`` and ``"auto"`` cut variables into slabs
    along the slowest index, which fit the units of the stream. ``group="ocean"`` selects the variables of a group, and `xarray.open_datatree`
    opens all groups. The field of a file of one stream is called ``field``.
    """

    description = "Open archives of error-bounded compressed fields (.kpk) using kompakt"
    open_dataset_parameters = ("filename_or_obj", "drop_variables", "mask_and_scale", "decode_times", "concat_characters",
                               "decode_coords", "use_cftime", "decode_timedelta", "group")
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        is_path = isinstance(filename_or_obj, (str, os.PathLike))
        return is_path and os.fspath(filename_or_obj).endswith(_SUFFIX)

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: Union[str, Iterable[str], None] = None,
                     group: Optional[str] = None, **decoding: Any) -> xarray.Dataset:
        store = _Store(_path_of(filename_or_obj), (group or "").strip("/"))
        try:
            return StoreBackendEntrypoint().open_dataset(store, drop_variables=drop_variables, **decoding)
        except BaseException:
            store.close()
            raise

    def open_groups_as_dict(self, filename_or_obj: Any, *, group: Optional[str] = None,
                            **options: Any) -> Dict[str, xarray.Dataset]:
        outermost = (group or "").strip("/")
        archive = _open(_path_of(filename_or_obj), "r")
        try:
            names = _groups_of(archive)
        finally:
            archive.close()
        inside = [name for name in names if not outermost or f"{name}/".startswith(f"{outermost}/")]
        if not inside:
            raise KeyError(f"{shown_path(name_of(filename_or_obj))} has no group {shown(group)}; there are {names}")
        return {f"/{name[len(outermost):].strip('/')}": self.open_dataset(filename_or_obj, group=name, **options)
                for name in inside}

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xarray.DataTree:
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        _require_no_variable_is_group(filename_or_obj, groups)
        return xarray.DataTree.from_dict(groups)


def _require_no_variable_is_group(filename_or_obj: Any, groups: Dict[str, xarray.Dataset]) -> None:
    """Raise ValueError for a variable and a group of one name, which an archive can have, and a tree cannot."""
    for outer, dataset in groups.items():
        for name in dataset.variables:
            if (path := f"{outer.rstrip('/')}/{name}") in groups:
                raise ValueError(f"{shown_path(name_of(filename_or_obj))} has the variable {shown(path[1:])} and a group of this name, and a tree of "
                                 "xarray has but one of them; open each group by xarray.open_dataset(..., group=), or all by "
                                 "xarray.open_groups")


def _path_of(filename_or_obj: Any) -> FileLike:
    if is_address(filename_or_obj) or is_file_object(filename_or_obj):
        return filename_or_obj
    if isinstance(filename_or_obj, (str, os.PathLike)):
        return os.path.abspath(os.fsdecode(os.path.expanduser(filename_or_obj)))
    raise TypeError(f"engine 'kompakt' opens a path, an address or an open file, not what is of type {type(filename_or_obj).__name__}")
