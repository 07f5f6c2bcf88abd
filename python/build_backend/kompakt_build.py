"""Build back end: scikit-build-core's, whose source distributions get the sources of the library, one level up."""

import gzip
import io
import tarfile
from pathlib import Path

from scikit_build_core.build import *  # noqa: F403
from scikit_build_core import build as _build

_HERE = Path(__file__).resolve().parent.parent
_ABOVE = _HERE.parent
_PARTS = ("CMakeLists.txt", "LICENSE", "cmake", "include", "src", "backends")


def _files():
    for part in _PARTS:
        path = _ABOVE / part
        yield from (path,) if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _add(archive, name, content, like):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(content), 0o644, like.mtime
    archive.addfile(entry, io.BytesIO(content))


def _content(archive, entry):
    """The bytes of a file, or of what a link points to, such as the licence one level up."""
    if entry.issym():
        return (_HERE / entry.name.partition("/")[2]).read_bytes()
    return archive.extractfile(entry).read()


def build_sdist(sdist_directory, config_settings=None):
    """A source distribution with the library in the folder ``library``."""
    sources = _build.build_sdist(sdist_directory, config_settings)
    if (_HERE / "library").is_dir():  # made from a source distribution, which has it already
        return sources
    path, top = Path(sdist_directory) / sources, sources.removesuffix(".tar.gz")
    with tarfile.open(path) as archive:
        members = [(entry.name, _content(archive, entry), entry) for entry in archive if not entry.isdir()]
    like = members[0][2]
    with gzip.GzipFile(path, "wb", mtime=int(like.mtime)) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content, entry in members:
            _add(archive, name, content, entry)
        for file in _files():
            _add(archive, f"{top}/library/{file.relative_to(_ABOVE).as_posix()}", file.read_bytes(), like)
    return sources
