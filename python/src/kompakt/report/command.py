"""The command, its exit codes, and errors in one line."""

from __future__ import annotations

import os
import signal
import sys
from typing import List, Optional

import kompakt

from .refusal import EXIT_CODES, Refusal
from .words import printable


def _fail(message: str, exit_code: int) -> int:
    print("kompakt: " + printable(message), file=sys.stderr)
    return exit_code


def _main(words: List[str]) -> int:
    from .arguments import parse

    program = os.environ.get("KOMPAKT_REPORT_COMMAND", "python3 -m kompakt.report")
    arguments = parse(program, words)
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        if _is_of_interrupt(error):
            raise
        raise Refusal("a report needs matplotlib; install it with: pip install matplotlib") from None
    from .make import make

    code = make(arguments, words)
    if not arguments.quiet:
        print(printable(str(arguments.output)))
    if code == EXIT_CODES["bound_violated"]:
        _fail(f"values are outside of the bound; '{arguments.output}' shows them", code)
    return code


def _is_of_interrupt(error: Optional[BaseException]) -> bool:
    # Modules of C++ that are interrupted while they are imported say that they could not be.
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def main(words: Optional[List[str]] = None) -> int:
    """Runs the command.

    Parameters
    ----------
    words : list of str, optional
        Its arguments; by default the arguments of the process.

    Returns
    -------
    int
        An exit code, as of the program kompakt. Errors are one line on standard error.
    """
    try:
        return _main(sys.argv[1:] if words is None else words)
    except Refusal as refusal:
        return _fail(str(refusal), refusal.exit_code)
    except kompakt.Error as error:
        return _fail(str(error).replace("\n", " "), EXIT_CODES.get(error.status, EXIT_CODES["device"]))
    except ValueError as error:
        if not hasattr(error, "status"):  # not of the library
            raise
        return _fail(str(error), EXIT_CODES["bad_argument"])
    except (KeyboardInterrupt, ImportError) as error:
        if not _is_of_interrupt(error):
            raise
        # As a program that is interrupted, so that a script around it ends, too.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
        return 128 + signal.SIGINT
    except MemoryError:
        return _fail("out of memory; take a part of the field with 'kompakt extract'", EXIT_CODES["device"])
