"""Files and folders that get their names when they are complete."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import tempfile
from typing import Iterator

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of renameat2(2)


def whole_path(path: "str | os.PathLike[str]") -> str:
    """The place that a path names: absolute, without links, with ``~`` expanded."""
    return os.path.realpath(os.path.expanduser(os.fsdecode(path)))


@contextlib.contextmanager
def whole(path: "str | os.PathLike[str]", replaces_folder: bool = False) -> Iterator[str]:
    """A path beside a file or a folder, which gets its name when all is written; if that fails what was there stays as it was."""
    target = whole_path(path)
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    if replaces_folder and os.path.lexists(_aside(target)) and os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "an interrupted writer left what it replaced; move it away or delete it", _aside(target))
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder) as beside:
        unfinished = os.path.join(beside, name)
        yield unfinished
        _give_name(unfinished, target, replaces_folder)


def put_back(path: "str | os.PathLike[str]") -> None:
    """Give a folder its name again that a writer had put aside when it was killed, unless something else has that name."""
    target = whole_path(path)
    if os.path.lexists(_aside(target)) and not os.path.lexists(target):
        os.rename(_aside(target), target)


def _aside(target: str) -> str:
    """The name of a folder while another takes its place."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.kompakt-old")


def _give_name(unfinished: str, target: str, replaces_folder: bool) -> None:
    if os.path.isfile(unfinished):
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())
    try:
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not replaces_folder:
            raise FileExistsError(errno.EEXIST, "another writer has made it meanwhile", target) from None
        _replace_folder(unfinished, target)


def _replace_folder(unfinished: str, target: str) -> None:
    """Replace a folder. The old one lies in the place of the new one then, and is deleted with it."""
    if _exchange(unfinished, target):
        return
    # Outside the temporary folder: a writer that is interrupted between the next two lines must not delete it.
    os.rename(target, _aside(target))
    try:
        os.rename(unfinished, target)
    except BaseException:
        put_back(target)
        raise
    os.rename(_aside(target), unfinished)


def _exchange(one: str, other: str) -> bool:
    """Exchange two folders at once; some systems, and some network file systems, cannot."""
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    return bool(renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)) == 0)
