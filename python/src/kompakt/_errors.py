"""What the package raises beside ``ValueError`` and ``TypeError``."""

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
    """

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> "tuple[type[Error], tuple[str, str]]":
        return type(self), (str(self), self.status)


_core.set_error_class(Error)
