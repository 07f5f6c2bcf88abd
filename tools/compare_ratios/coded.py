"""What a compressor makes of a field."""

import typing

import numpy as np


class Coded(typing.NamedTuple):
    """Bytes of the stream, what comes out of it, and which way of several was taken, in words."""
    stream_bytes: int
    restored: np.ndarray
    way: str


class Refused(Exception):
    """A compressor does not take a field; one line that says why."""
