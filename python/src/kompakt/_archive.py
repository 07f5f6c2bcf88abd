"""Archives: many named fields in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Literal, NamedTuple, Optional, Tuple, TypeVar, Unpack, overload

import numpy as np

from . import _arguments, _arrays, _core
from ._attributes import fills_of, texts_of
from ._codec import _place, compress
from ._errors import system_errors
from ._info import Info
from ._messages import shown, shown_path
from ._regions import region_of
from ._devices import library_of
from ._sources import FileLike, Source, is_address, is_file_object, name_of, place_of

if TYPE_CHECKING:
    from types import TracebackType

    from ._options import ArchiveOptions, FieldOptions, PlaceOptions
    from ._words import Space

_Part = TypeVar("_Part")
_Array = TypeVar("_Array")
_MAX_WAIT = 10**9
ArchiveMode = Literal["r", "w", "x", "a", "r+"]
_WRITE_MODES = {"x": 0, "w": 1, "r+": 2, "a": 3}


class Variable:
    """A field of an archive; only the parts that a key needs are read.

    Attributes
    ----------
    name : str
    attrs : dict of str
    info : Info
        What the headers of its stream say.
    """

    def __init__(self, archive: "Archive", name: str) -> None:
        self._archive = archive
        self.name = name
        reader = archive._open_reader()
        self._number = reader.find(name)
        self.attrs: Dict[str, str] = reader.attributes(self._number)
        self._identity: Tuple[int, ...] = reader.identity(self._number)
        self.info = Info._of(reader.info(self._number))

    @property
    def shape(self) -> Tuple[int, ...]:
        """Extents, in values."""
        return self.info.shape

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self.info.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.info.ndim

    @property
    def size(self) -> int:
        """Number of values."""
        return self.info.nbytes // self.info.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> np.ndarray:
        return self.read(key)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if copy is False:
            raise ValueError(f"the values of {shown(self.name)} are compressed; an array of them is always a new one")
        values = self.read()
        return values if dtype is None else values.astype(dtype, copy=False)

    @overload
    def read(self, key: Any = ..., out: None = None, **where: Unpack[PlaceOptions]) -> np.ndarray: ...
    @overload
    def read(self, key: Any = ..., *, out: _Array, **where: Unpack[PlaceOptions]) -> _Array: ...
    @overload
    def read(self, key: Any, out: _Array, **where: Unpack[PlaceOptions]) -> _Array: ...

    def read(self, key: Any = Ellipsis, out: Any = None, *, threads: Optional[int] = None,
             space: Optional[Space] = None, stream: Any = None) -> Any:
        """The values of a key, by default all, from the chunks alone that they touch.

        Parameters
        ----------
        key, out, threads, space, stream
            See `kompakt.decompress_region`.
        """
        part = region_of(key, self.shape)
        where = _place(threads, space, stream, out, out)
        reader = self._archive._open_reader()
        found = reader.region(self._number, part.begin, part.end, _arrays.target(out, where[2]), *where)
        return part.pick(found if out is None else out)

    def stream(self) -> bytes:
        """The stream as it lies in the archive, its checksum verified."""
        return self._archive._open_reader().stream(self._number)

    def __reduce__(self) -> Any:
        return _variable_of, (self._archive, self.name, self._identity)

    def __repr__(self) -> str:
        return f"<kompakt.Variable {self.name!r}: {self.dtype} {self.shape}, ratio {self.info.ratio:.2f}>"


def _variable_of(archive: "Archive", name: str, identity: Tuple[int, ...]) -> Variable:
    """A variable that comes from another process, where its archive has been opened by its path."""
    variable = archive[name]
    if variable._identity != identity:
        raise OSError(f"{shown(name)} is no longer what it was, because {shown_path(archive.path)} was written anew; open it again")
    return variable


class Archive(Mapping[str, Variable]):
    """Many named fields in one file, as a mapping from names to variables.

    Parameters
    ----------
    path : path-like, str or file object
        The name of a file. To read also an address that fsspec opens, such as ``"s3://bucket/run.kpk"``, or an open file with
        ``read`` and ``seek``, which stays open: only the bytes needed are read, through the cache of that file.
    mode : {"r", "w", "x", "a", "r+"}
        Read; write a new archive, over an existing file if there is one; append, or write a new archive;
        append to an existing archive.
    wait : float
        Seconds to wait for another process that appends.
    **options
        Options of `kompakt.compress`, for ``archive[name] = array``; its ``mode`` is called ``bound_mode`` here.

    Notes
    -----
    What is written becomes a part of the file with `commit`, which the end of a ``with`` block calls unless an
    exception leaves it. With ``"w"`` and ``"x"`` nothing has the name of the file before that. With ``"a"`` and ``"r+"`` an
    exception or `discard` gives the file its old length back. If the process is killed instead, the old archive has something
    behind it, and every use of the file says so: ``kompakt repair -i FILE`` then restores what had been committed.

    A relative path belongs to the working folder in which the archive was opened.

    Raises
    ------
    FileNotFoundError, FileExistsError, IsADirectoryError, PermissionError
        As Python's own `open`.
    kompakt.Error
        For a file that is no archive, or a damaged one.

    Examples
    --------
    >>> import numpy as np, kompakt, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "run.kpk")
    >>> with kompakt.Archive(path, "w", bound=1e-4) as archive:
    ...     archive["t"] = np.zeros((10, 20), "f4")
    ...     archive.append("p", np.ones(7), {"units": "Pa"}, mode="lossless")
    >>> with kompakt.open(path) as archive:
    ...     sorted(archive), archive["p"].attrs, archive["t"][2:4, ::5].shape
    (['p', 't'], {'units': 'Pa'}, (2, 4))
    """

    def __init__(self, path: FileLike, mode: ArchiveMode = "r", *, wait: float = 0,
                 **options: Unpack[ArchiveOptions]) -> None:
        self.path = name_of(path)
        self.mode = mode
        self._options: Dict[str, Any] = {**options}
        if "bound_mode" in self._options:
            self._options["mode"] = self._options.pop("bound_mode")
        _arguments.require_bound(self._options.get("bound", 0), self._options.get("mode", "r2r"))
        _arguments.require_options(self._options)
        if isinstance(self._options.get("bound"), str):
            _arguments.require_agreement(self._options["bound"], _without_place(self._options))
        _require_options(self._options)
        _require_wait(wait)
        self._place = place_of(path)
        self._file = self._place if is_address(path) or is_file_object(path) else None
        self._source: Optional[Source] = None
        self._reader: Optional[_core.ArchiveReader] = None
        self._writer: Optional[_core.ArchiveWriter] = None
        self._names: List[str] = []
        self._before: Optional[_core.ArchiveReader] = None  # of what the file had when it was opened to append
        self._attributes: Dict[str, Mapping[str, str]] = {}
        if not isinstance(mode, str):
            raise TypeError(f"mode={shown(mode)} is no text; use one of {', '.join(map(repr, ('r', *_WRITE_MODES)))}")
        if mode != "r" and mode not in _WRITE_MODES:
            known = ", ".join(map(repr, ("r", *_WRITE_MODES)))
            raise ValueError(f"mode={shown(mode)} is not known; use one of {known}")
        with system_errors(self.path, self.mode):
            self._open(wait)

    def _open(self, wait: float) -> None:
        if self._file is not None:
            self._open_source()
        elif self.mode == "r":
            self._reader = _core.ArchiveReader(os.fsencode(self._place))
        if self._reader is not None:
            self._names = self._reader.names()
            return
        self._writer = _core.ArchiveWriter(os.fsencode(self._place), _WRITE_MODES[self.mode], int(1000 * wait))
        if self.mode in ("a", "r+") and os.path.exists(self._place):
            self._before = _core.ArchiveReader(os.fsencode(self._place))
            self._names = self._before.names()

    def _open_source(self) -> None:
        if self.mode != "r":
            raise ValueError(f"mode={self.mode!r}: archives are written to files of this machine; write {shown_path(self.path)} there and "
                             "copy it, or pass mode='r'")
        self._source = Source(self._file)
        try:
            self._reader = _core.ArchiveReader(self._source.read, self._source.size, self.path)
        except BaseException:
            self._source.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether nothing can be read or written any more."""
        return self._reader is None and self._writer is None

    def _require(self, part: Optional[_Part], what: str) -> _Part:
        if self.closed:
            raise ValueError(f"the archive {shown_path(self.path)} is closed; open it again")
        if part is None:
            raise ValueError(f"the archive {shown_path(self.path)} is open with mode={self.mode!r}, not to be {what}")
        return part

    def _open_reader(self) -> _core.ArchiveReader:
        return self._require(self._reader, "read")

    def _open_writer(self) -> _core.ArchiveWriter:
        return self._require(self._writer, "written")

    # ------------------------------------------------------------------------------------------ a mapping

    def __iter__(self) -> Iterator[str]:
        self._require(True, "")
        return iter(list(self._names))

    def __len__(self) -> int:
        self._require(True, "")
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        self._require(True, "")
        return name in self._names

    def __getitem__(self, name: str) -> Variable:
        self._open_reader()
        if name not in self._names:
            raise KeyError(f"the archive {shown_path(self.path)} has no field {shown(name)}; it has {self._names[:20]}")
        return Variable(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        """Write a field, also instead of one of this name.

        An array of xarray brings its attributes if it has any. Otherwise a field of this name keeps the attributes that it had.
        """
        self._open_writer()
        old = self._attributes_of(name) if name in self._names else {}
        entry = self._entry_of(name, value, _attributes_of_value(value) or old, {})
        if name in self._names:
            del self[name]
        self._write(entry)

    def __delitem__(self, name: str) -> None:
        writer = self._open_writer()
        if name not in self._names:
            raise KeyError(f"the archive {shown_path(self.path)} has no field {shown(name)}; it has {self._names[:20]}")
        writer.remove(name)
        self._names.remove(name)
        self._attributes.pop(name, None)

    # ------------------------------------------------------------------------------------------ writing

    def append(self, name: str, value: Any, attrs: Optional[Mapping[str, str]] = None,
               **options: Unpack[FieldOptions]) -> None:
        """Add a field.

        Parameters
        ----------
        name : str
            One that is not taken.
        value : array_like or bytes
            An array, which is compressed, or a stream that has been.
        attrs : mapping of str to str, optional
            By default the attributes of an array of xarray, and none for any other value. The numbers of ``_FillValue`` and
            ``missing_value`` are declared to stand for no value, unless `fill_value` is given.
            Coordinates of xarray, and what attributes say to describe other variables, stay exact unless a bound is given here.
        **options
            Options of `kompakt.compress`; they take precedence over the options of the archive.

        Raises
        ------
        TypeError, ValueError
            As `kompakt.compress`, and for attributes that are no texts.
        """
        self._open_writer()
        _arguments.require_mapping("attrs", attrs, '{"units": "K"}')
        self._write(self._entry_of(name, value, _attributes_of_value(value) if attrs is None else attrs, options))

    def _entry_of(self, name: str, value: Any, attrs: Mapping[str, str], options: Mapping[str, Any]) -> "_Entry":
        """A field that is ready to be written; nothing of the archive is changed yet."""
        attributes = {_text(key, "a key of attrs"): _text(text, f"attrs[{shown(key)}]") for key, text in attrs.items()}
        return _Entry(_text(name, "name"), attributes, self._stream_of(value, attributes, options))

    def _stream_of(self, value: Any, attributes: Mapping[str, str], options: Mapping[str, Any]) -> Any:
        if isinstance(value, (bytes, bytearray, memoryview)):
            _core.inspect(value)  # before anything of the archive is changed
            return value
        if _stays_exact(value, options):
            return compress(value, **{"mode": "lossless", **options})
        merged = _merged(self._options, options)
        fills = fills_of(attributes)
        if fills and "fill_value" not in merged:
            values, declared = _arrays.without_mask(value, "auto")
            dtype = getattr(values, "dtype", None)
            own = _arrays.fills_in(fills, dtype if isinstance(dtype, np.dtype) else np.dtype("f8"))
            value, merged["fill_value"] = values, [*dict.fromkeys([*_arrays.fill_list(declared)[:-1], *own]), "auto"]
        return compress(value, **merged)

    def _write(self, entry: "_Entry") -> None:
        self._open_writer().append(entry.name, entry.attributes, entry.stream)
        self._names.append(entry.name)
        self._attributes[entry.name] = entry.attributes

    def _attributes_of(self, name: str) -> Mapping[str, str]:
        """The attributes of a field that is there, of this writer or of an earlier one."""
        if name in self._attributes or self._before is None:
            return self._attributes[name]
        return self._before.attributes(self._before.find(name))

    def commit(self) -> None:
        """Make all that was added a part of the file, on the disk, and close it."""
        writer = self._open_writer()
        with system_errors(self._place, self.mode):
            writer.commit()
        self._writer = self._before = None

    def discard(self) -> None:
        """Close it; the file stays as it was."""
        if self._writer is not None:
            self._writer.discard()
        self._writer = self._before = None
        self._close_reader()

    def close(self) -> None:
        """Close it, and commit what was written."""
        if self._writer is not None:
            self.commit()
        self._close_reader()

    def _close_reader(self) -> None:
        self._reader = None
        if self._source is not None:
            self._source.close()
        self._source = None

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __reduce__(self) -> Any:
        if self._reader is None:
            raise TypeError(f"the archive {shown_path(self.path)} is not open to read; only such ones can be sent to another process")
        try:
            self._place.__reduce_ex__(4)
        except TypeError:
            raise TypeError(f"the archive {shown_path(self.path)} is read from a file object of type {type(self._place).__name__}, which "
                            "cannot be sent to another process; open it by its name") from None
        return Archive, (self._place,)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"mode {self.mode!r}, {len(self._names)} fields"
        return f"<kompakt.Archive {shown_path(self.path)}: {state}>"


class _Entry(NamedTuple):
    """A field as the writer takes it."""

    name: str
    attributes: Dict[str, str]
    stream: Any


def _attributes_of_value(value: Any) -> Dict[str, str]:
    """The texts of an array of xarray with attributes, also its dimensions; nothing for other values."""
    if library_of(value) != "xarray" or not getattr(value, "attrs", None):
        return {}
    from ._declared import FILL_KEYS

    encoded: Dict[Any, Any] = {key: value.encoding[key] for key in FILL_KEYS if value.encoding.get(key) is not None}
    return texts_of(value.dims, {**encoded, **value.attrs}, {})


def _stays_exact(value: Any, options: Mapping[str, Any]) -> bool:
    """Whether a value is an array of xarray that says where, when or how others are, and the call names no bound for it."""
    if library_of(value) != "xarray" or "bound" in options or "mode" in options or not hasattr(value, "coords"):
        return False
    from ._roles import is_supporting

    return is_supporting(value)


def _merged(archive: Mapping[str, Any], call: Mapping[str, Any]) -> Dict[str, Any]:
    """Options of an archive and of a call, which take precedence; texts of either count by what they name."""
    if not call:
        return dict(archive)
    call = _named(call)
    merged = _named(archive)
    for name in call:
        merged.pop(_arguments.EXCLUDED_BY.get(name, name), None)
    # The number of another mode is no bound of this one.
    if "mode" in call and "bound" not in call and call["mode"] != merged.get("mode", "r2r"):
        merged.pop("bound", None)
    return {**merged, **call}


def _named(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Options with a text as the bound split into the options that it names."""
    bound = options.get("bound")
    if not isinstance(bound, str):
        return dict(options)
    _arguments.require_agreement(bound, _without_place(options))
    named = _arguments.options_of_text(bound)
    return {**{name: value for name, value in options.items() if name != "bound"}, **named}


def _without_place(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Options that make another stream."""
    return {name: value for name, value in options.items() if name not in ("threads", "space", "stream")}


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}, of type {type(value).__name__}; pass a str")
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} is {shown(value)}, which has a null byte or is no UTF-8; archives keep neither")
    return value


def _require_options(options: Mapping[str, Any]) -> None:
    """Raise ValueError or TypeError for options of fields that no call accepts, before the first field."""
    _core.validate_options(**_arguments.of_module({"bound": 1e-3, **_without_place(options)}))


def _require_wait(wait: Any) -> None:
    _arguments.require_number("wait", wait)
    if not 0 <= wait <= _MAX_WAIT:
        raise ValueError(f"wait={shown(wait)}; pass a number of seconds from 0 to {_MAX_WAIT}")


def open(path: FileLike) -> Archive:  # noqa: A001
    """Open an archive to read: ``kompakt.open("run.kpk")["t"][0, 10:20]`` reads only the bytes needed.

    Parameters
    ----------
    path : path-like, str or file object
        A name, an address such as ``"s3://bucket/run.kpk"``, or an open file, as of `Archive`.
    """
    return Archive(path)
