"""Files that get their names when they are complete."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Dict, List

from .pictures import Picture
from .refusal import Refusal


def pictures_folder(page: Path) -> Path:
    """The folder beside the page that its pictures lie in."""
    return page.with_name(page.stem + "_pictures")


def require_free(page: Path, force: bool, inputs: List[str]) -> None:
    """Refuses an output that exists already, cannot be made, or is an input."""
    if not page.parent.is_dir():
        raise Refusal(f"cannot write '{page}': there is no folder '{page.parent}'", "io")
    if page.is_dir():
        raise Refusal(f"cannot write '{page}': it is a folder; name a file, such as '{page / 'report.html'}'", "io")
    for name in inputs:
        if page.exists() and os.path.exists(name) and os.path.samefile(page, name):
            raise Refusal(f"'{page}' is an input; name another output", "io")
    if not force:
        for path in (page, pictures_folder(page)):
            if path.exists():
                raise Refusal(f"'{path}' exists; --force replaces it", "io")


def _write(path: Path, data: bytes, force: bool) -> None:
    partial = ""
    try:
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.partial-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        if force:
            os.replace(partial, path)
        else:
            os.link(partial, path)  # unlike a rename it does not replace what has come meanwhile
            os.unlink(partial)
    except BaseException as error:
        if partial and os.path.exists(partial):
            os.unlink(partial)
        if isinstance(error, FileExistsError):
            raise Refusal(f"'{path}' exists; --force replaces it", "io") from None
        if isinstance(error, OSError):
            raise Refusal(f"cannot write '{path}': {error.strerror}", "io") from None
        raise


def write_report(page: Path, html: str, pictures: List[Picture], force: bool) -> None:
    """Writes the pictures, and the page last."""
    folder = pictures_folder(page)
    try:
        folder.mkdir(exist_ok=force)
    except FileExistsError:
        raise Refusal(f"'{folder}' exists; --force replaces it", "io") from None
    except OSError as error:
        raise Refusal(f"cannot make the folder '{folder}': {error.strerror}", "io") from None
    files: Dict[str, bytes] = {}
    for picture in pictures:
        files[f"{picture.name}.png"] = picture.png["light"]
        files[f"{picture.name}_dark.png"] = picture.png["dark"]
    for name, data in files.items():
        _write(folder / name, data, force)
    _write(page, html.encode("utf-8"), force)
