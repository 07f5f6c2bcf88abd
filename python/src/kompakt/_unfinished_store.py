"""Stores of Zarr that are written beside the place where they will be."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import ClassVar, Iterator, Set

from zarr.storage import LocalStore


class UnfinishedStore(LocalStore):
    """A store in a folder of this machine, which takes nothing more once its writer has failed.

    Threads of Zarr go on with what an interrupted writer had begun, and would make a folder anew that has been removed.
    """

    _given_up: ClassVar[Set[Path]] = set()  # also for copies of a store, which Zarr makes

    @classmethod
    @contextlib.contextmanager
    def writing(cls, path: str) -> Iterator["UnfinishedStore"]:
        """A store that is given up if an exception leaves the block."""
        store = cls(path)
        try:
            yield store
        except BaseException:
            cls._given_up.add(store.root)
            raise

    def _check_writable(self) -> None:
        if self.root in self._given_up:
            raise ValueError(f"'{self.root}' takes nothing more, because its writer has failed")
        super()._check_writable()
