"""An error that ends the command with one line."""

# Exit codes of the program kompakt, by their names there.
EXIT_CODES = {
    "bad_argument": 1,
    "bad_magic": 10,
    "unsupported_version": 11,
    "corrupt": 12,
    "type_mismatch": 13,
    "bound_violated": 20,
    "io": 21,
    "device": 30,
}


class Refusal(Exception):
    """Input that cannot be used, or an output that cannot be written.

    Attributes
    ----------
    exit_code : int
        That of the program kompakt for the same reason.
    """

    def __init__(self, message: str, status: str = "bad_argument") -> None:
        super().__init__(message)
        self.exit_code = EXIT_CODES.get(status, 1)
