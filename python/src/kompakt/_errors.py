"""Exceptions of the package beside ``ValueError`` and ``TypeError``."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import Iterator

from . import _core


class Error(Exception):
    """A stream, archive or file that cannot be used, or a device that failed.

    Arguments that no call can accept are a ``ValueError`` or a ``TypeError``.

    Attributes
    ----------
    status : str
        ``"bad_magic"``: these bytes are no stream; ``"unsupported_version"``: they are one of a newer
        format; ``"corrupt"``: truncated or altered; ``"io"``: a file cannot be read or written;
        ``"device"``: the execution space failed or is not available.
    where : str
        Name of the library's function that refused; may be empty. It begins the message.
    advice : str
        What to do; may be empty. It ends the message.

    Notes
    -----
    A missing file, a folder where a file is needed, and missing permissions are ``FileNotFoundError``,
    ``IsADirectoryError`` and ``PermissionError``, as with Python's own `open`. A ``ValueError`` that the library
    raises has the same attributes, with a status of ``"bad_argument"``, ``"buffer_too_small"`` or
    ``"type_mismatch"``.
    """

    def __init__(self, message: str, status: str = "", where: str = "", advice: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.where = where
        self.advice = advice

    def __reduce__(self) -> "tuple[type[Error], tuple[str, str, str, str]]":
        return type(self), (str(self), self.status, self.where, self.advice)


_core.set_error_class(Error)

# What the system says of a name, which has an exception of its own in Python.
_OF_NAMES = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS)


@contextlib.contextmanager
def system_errors(path: str) -> Iterator[None]:
    """Raise FileNotFoundError and its siblings instead of an `Error` that reports what the system reported for a path."""
    try:
        yield
    except Error as error:
        numbers = [number for number in _OF_NAMES if f": {os.strerror(number)};" in str(error)]
        if not numbers and os.path.isdir(path):
            numbers = [errno.EISDIR]
        if error.status != "io" or not numbers:
            raise
        raise OSError(numbers[0], os.strerror(numbers[0]), path) from error
