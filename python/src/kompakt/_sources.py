"""Files to read that lie elsewhere: addresses of fsspec, such as ``s3://bucket/run.kpk``, and open file objects."""

from __future__ import annotations

import os
import threading
from typing import Any, Union

#: The name of a file, an address that fsspec opens, or a file object with ``read`` and ``seek``.
FileLike = Union[str, "os.PathLike[str]", Any]


def is_address(file: Any) -> bool:
    """Whether fsspec opens it: ``scheme://…``."""
    return isinstance(file, str) and "://" in file


def is_file_object(file: Any) -> bool:
    """Whether parts of it can be read."""
    return hasattr(file, "read") and hasattr(file, "seek")


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
    if "\0" in name:
        raise ValueError(f"{name!r} has a null byte, where the system ends a name; pass one without")
    return name


def place_of(file: Any) -> Any:
    """A file as it is found again, whatever becomes the working folder: a path is absolute, anything else as it is."""
    return file if is_address(file) or is_file_object(file) else os.path.abspath(name_of(file))


class Source:
    """The bytes of an address or of a file object, read part by part, by one thread at a time.

    A file object of the caller's is not closed, and stays at any position.
    """

    def __init__(self, file: Any) -> None:
        self._is_own = is_address(file)
        self._file = _opened(file) if self._is_own else file
        self._lock = threading.Lock()
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
            self._file.seek(offset)
            parts = []
            while count > 0:
                part = self._file.read(count)
                if not part:
                    raise EOFError(f"'{name_of(self._file)}' ends {count} bytes too early; it was truncated while it was read")
                parts.append(part)
                count -= len(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Close what was opened here."""
        if self._is_own:
            self._file.close()


def _opened(address: str) -> Any:
    try:
        import fsspec
    except ImportError as missing:
        raise ImportError(f"'{address}' is opened by fsspec, which is not installed; install it, or pass an open file") from missing
    return fsspec.open(address, "rb").open()
