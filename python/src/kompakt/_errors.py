"""Exceptions of the package beside ``ValueError`` and ``TypeError``."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from typing import Iterator, Optional

from . import _core
from ._messages import shortened

# Statuses of what no call can accept.
_OF_ARGUMENTS = ("bad_argument", "buffer_too_small", "type_mismatch")


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
        Name of the library's function or class that refused; may be empty. It begins the message where Python has one of this name.
    problem : str
        What is wrong, with the value, as one sentence between the two others.
    advice : str
        What to do; may be empty. It ends the message.

    Notes
    -----
    A missing file, a folder where a file is needed, and missing permissions are ``FileNotFoundError``,
    ``IsADirectoryError`` and ``PermissionError``, as with Python's own `open`. A ``ValueError`` that the library
    raises has the same attributes, with a status of ``"bad_argument"``, ``"buffer_too_small"`` or
    ``"type_mismatch"``.
    """

    def __init__(self, message: str, status: str = "", where: str = "", advice: str = "", problem: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.where = where
        self.problem = problem or message
        self.advice = advice

    def __reduce__(self) -> "tuple[type[Error], tuple[str, str, str, str, str]]":
        return type(self), (str(self), self.status, self.where, self.advice, self.problem)


# Classes of C++, and what callers in Python know them as.
_CLASSES = {"ArchiveReader": "Archive", "ArchiveWriter": "Archive"}


def _made(status: str, where: str, problem: str, advice: str) -> Exception:
    """The exception for an error of the library."""
    where = "" if where.startswith("kompakt_") else where  # a function of C, which nobody called
    called = _CLASSES.get(where, "" if where[:1].isupper() else where)
    message = shortened((f"{called}: " if called else "") + problem + (f"; {advice}" if advice else ""))
    if status not in _OF_ARGUMENTS:
        return Error(message, status, where, advice, problem)
    error = ValueError(message)
    vars(error).update(status=status, where=where, problem=problem, advice=advice)
    return error


_core.set_error_maker(_made)

# What the system says of a name, which has an exception of its own in Python.
_OF_NAMES = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS)


@contextlib.contextmanager
def system_errors(path: str, mode: str) -> Iterator[None]:
    """Raise FileNotFoundError and its siblings instead of an `Error` that is one of the system about the path of an archive.

    An `Error` tells it in words, which depend on the language, so the system is asked again.
    """
    try:
        yield
    except Error as error:
        number = _number_of_refusal(path, mode) if error.status == "io" else None
        if number is None or number not in _OF_NAMES:
            raise
        raise OSError(number, os.strerror(number), path) from error


def _number_of_refusal(path: str, mode: str) -> Optional[int]:
    """The number of the error with which the system refuses what opening an archive takes; nothing is changed for that."""
    if os.path.isdir(path):
        return errno.EISDIR
    if mode == "x" and os.path.lexists(path):
        return errno.EEXIST
    try:
        if mode in ("r", "r+") or mode == "a" and os.path.exists(path):
            os.close(os.open(path, (os.O_RDONLY if mode == "r" else os.O_RDWR) | os.O_CLOEXEC | os.O_NONBLOCK))
        if mode != "r":
            tempfile.TemporaryFile(dir=os.path.dirname(path) or os.curdir).close()
    except OSError as refused:
        return refused.errno
    return None
