"""Files to read that lie elsewhere: addresses of fsspec, such as ``s3://bucket/run.kpk``, and open file objects."""

from __future__ import annotations

import io
import os
import threading
from collections import OrderedDict
from typing import Any, Tuple, Union

from ._messages import shown, shown_path

# In the first bytes of all that the library writes, and in no name.
_MAGIC_END = b"\r\n\x1a\n"

# A request costs as much time as some hundred kilobytes. The index of an archive lies at its end, and comes by one. So does what
# describes a field: it lies behind its stream, before the headers of the next one.
_END_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 13
_MOST_BLOCKS = 64

#: The name of a file, an address that fsspec opens, or a file object with ``read`` and ``seek``.
FileLike = Union[str, "os.PathLike[str]", Any]


def is_address(file: Any) -> bool:
    """Whether fsspec opens it: ``scheme://…``."""
    return isinstance(file, str) and "://" in file


def is_file_object(file: Any) -> bool:
    """Whether parts of it can be read."""
    return hasattr(file, "read") and hasattr(file, "seek")


def _text_refusal(file: Any) -> TypeError:
    return TypeError(f"{shown_path(name_of(file))} is open as text; open it with mode 'rb'")


def name_of(file: Any) -> str:
    """The name of a file in messages."""
    if is_file_object(file):
        name = getattr(file, "name", None) or getattr(file, "path", None)
        return name if isinstance(name, str) else type(file).__name__
    try:
        name = os.fsdecode(file)
    except TypeError:
        raise TypeError(f"the file is of type {type(file).__name__}; pass a path, an address such as 's3://bucket/run.kpk', or an "
                        "open file with read and seek") from None
    if isinstance(file, bytes) and _MAGIC_END in file[:8]:
        raise ValueError("the file is the bytes of a stream or an archive, not its name; pass io.BytesIO of an archive, or a stream to "
                         "kompakt.decompress")
    if "\0" in name:
        raise ValueError(f"{shown(name)} has a null byte, where the system ends a name; pass one without")
    return name


def place_of(file: Any) -> Any:
    """A file as it is found again, whatever becomes the working folder: a path is absolute, anything else as it is."""
    return file if is_address(file) or is_file_object(file) else os.path.abspath(name_of(file))


class Source:
    """The bytes of an address or of a file object, read part by part, by one thread at a time.

    Small parts are read with what lies behind them, and kept. A file object of the caller's is not closed, and stays at any position.
    """

    def __init__(self, file: Any) -> None:
        self._is_own = is_address(file)
        if isinstance(getattr(file, "file", file), io.TextIOBase):  # tempfile's own objects have the file inside
            raise _text_refusal(file)
        # A file system closes its files when nobody holds it any more.
        self._system: Any = None
        self._file = file
        if self._is_own:
            self._system, self._file = _opened(file)
        self._lock = threading.Lock()
        self._blocks: OrderedDict[int, bytes] = OrderedDict()  # by where they begin; the ones used last at the end
        try:
            self.size = self._file.seek(0, os.SEEK_END)
            if self.size is None:
                self.size = self._file.tell()
        except BaseException:
            self.close()
            raise

    def read(self, offset: int, count: int) -> bytes:
        """So many bytes from there on."""
        with self._lock:
            if count > _BLOCK_BYTES or offset + count > self.size:
                return self._fetched(offset, count)
            begin = self._block_with(offset, count)
            self._blocks.move_to_end(begin)
            return self._blocks[begin][offset - begin:offset - begin + count]

    def _block_with(self, offset: int, count: int) -> int:
        """Begin of a block that has these bytes; it is fetched if there is none."""
        for begin, block in self._blocks.items():
            if begin <= offset and offset + count <= begin + len(block):
                return begin
        begin, end = offset, min(offset + _BLOCK_BYTES, self.size)
        if end > self.size - _END_BYTES:
            begin, end = min(offset, max(self.size - _END_BYTES, 0)), self.size
        self._blocks[begin] = self._fetched(begin, end - begin)
        while len(self._blocks) > _MOST_BLOCKS:
            self._blocks.popitem(last=False)
        return begin

    def _fetched(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        parts = []
        while count > 0:
            part = self._file.read(count)
            if isinstance(part, str):
                raise _text_refusal(self._file)
            if not part:
                raise EOFError(f"{shown_path(name_of(self._file))} ends {count} bytes too early; it was truncated while it was read")
            parts.append(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Close what was opened here."""
        if self._is_own:
            self._file.close()
        self._system = None
        self._blocks.clear()


def _opened(address: str) -> Tuple[Any, Any]:
    """The file system of an address, and its file, without a cache that reads ahead: of an object store that may be megabytes."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as missing:
        raise ImportError(f"{shown_path(address)} is opened by fsspec, which is not installed; install it, or pass an open "
                          "file") from missing
    system, path = url_to_fs(address)
    try:
        return system, system.open(path, "rb", cache_type="none")
    except TypeError:  # it has no such argument
        return system, system.open(path, "rb")
