"""Files and folders that get their names when they are complete."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import errno
import os
import stat
import tempfile
import time
from typing import Iterator

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of renameat2(2)
_ACCESS_LIST = "system.posix_acl_access"
# For so long threads of a writer that failed are waited for, and so long nothing must come from them.
_MOST_SECONDS, _QUIET_SECONDS = 5.0, 0.1


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
    beside = tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder, ignore_cleanup_errors=True)
    try:
        unfinished = os.path.join(beside.name, name)
        yield unfinished
        _give_name(unfinished, target, replaces_folder)
        beside.cleanup()
    except BaseException:
        _remove_for_good(beside)
        raise


def _remove_for_good(beside: "tempfile.TemporaryDirectory[str]") -> None:
    """Remove a folder to which threads of a writer that failed, or was interrupted, may still write.

    They make it anew. What comes later than anybody waits goes when the process ends, which is when they have ended.
    """
    atexit.register(beside.cleanup)
    begin = last = time.monotonic()
    while time.monotonic() < min(last + _QUIET_SECONDS, begin + _MOST_SECONDS):
        if os.path.lexists(beside.name):
            last = time.monotonic()
            beside.cleanup()
        time.sleep(_QUIET_SECONDS / 10)


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
    _keep_mode(unfinished, target)
    try:
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not replaces_folder:
            raise FileExistsError(errno.EEXIST, "another writer has made it meanwhile", target) from None
        _replace_folder(unfinished, target)


def _keep_mode(unfinished: str, target: str) -> None:
    """Give what replaces a file or a folder its group and permissions, or fewer: private data stay private."""
    with contextlib.suppress(OSError):  # there is none, or the file system has no permissions
        old = os.stat(target)
        mode = stat.S_IMODE(old.st_mode)
        try:
            os.chown(unfinished, -1, old.st_gid)
        except OSError:
            # Members of another group were anybody, and those of the old one are anybody now.
            both = mode >> 3 & mode & 0o7
            mode = mode & ~0o77 | both << 3 | both
        if hasattr(os, "listxattr") and _ACCESS_LIST in os.listxattr(target):
            mode &= 0o700  # the mask of the list stands where the rights of the group do
        os.chmod(unfinished, mode)


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
