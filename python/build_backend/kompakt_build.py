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


def build_sdist(sdist_directory, config_settings=None):
    """A source distribution with the library in the folder ``library``."""
    name = _build.build_sdist(sdist_directory, config_settings)
    if (_HERE / "library").is_dir():  # made from a source distribution, which has it already
        return name
    path, top = Path(sdist_directory) / name, name.removesuffix(".tar.gz")
    with tarfile.open(path) as archive:
        members = [(entry, archive.extractfile(entry).read()) for entry in archive if entry.isfile()]
    like = members[0][0]
    with gzip.GzipFile(path, "wb", mtime=int(like.mtime)) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for entry, content in members:
            archive.addfile(entry, io.BytesIO(content))
        for file in _files():
            _add(archive, f"{top}/library/{file.relative_to(_ABOVE).as_posix()}", file.read_bytes(), like)
    return name
