"""What the parts of a trial give and raise."""

import typing


class Skipped(Exception):
    """A part that this machine cannot run; one line that says why."""


class Failure(Exception):
    """A part that should have run; one line that says what went wrong."""


class Table(typing.NamedTuple):
    """A table of texts under a title; the name is its file's."""
    name: str
    title: str
    headings: list
    rows: list


class Picture(typing.NamedTuple):
    """A figure with the name of its file and what one sees in it."""
    name: str
    caption: str
    figure: object
