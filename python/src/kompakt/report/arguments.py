"""The words of the command."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import List, NoReturn, Optional

from kompakt import _core

from .refusal import Refusal
from .sweep import PIPELINES

# A PSNR is what a page shows.
MODES = tuple(mode for mode in _core.option_words("mode") if mode != "psnr")
_EPILOG = """FIELD and OTHER are read as the program kompakt reads them: raw with -t and -l, FILE.npy, FILE.npz:NAME,
FILE.nc:NAME, FILE.h5:/NAME, or a stream or archive FILE.kpk[:NAME]. A file called sweep is ./sweep."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; see '{self.prog} --help'")


def _parser(program: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=program,
        epilog=_EPILOG,
        allow_abbrev=False,
        description="A page of HTML on how close a reconstruction is, or on what bounds cost.",
    )
    parser.add_argument("field", metavar="FIELD", help="the original")
    parser.add_argument(
        "other",
        metavar="OTHER",
        help="its stream or reconstruction; or 'sweep', to compress it by all pipelines within several bounds",
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        required=True,
        help="page to write; pictures go into FILE_pictures/ beside it",
    )
    parser.add_argument("-t", dest="dtype", metavar="TYPE", help="type of raw values: f32, f64, i8, …")
    parser.add_argument("-l", dest="extents", metavar="AxBxC", help="extents of raw values, fastest first")
    parser.add_argument("--shape", metavar="C,B,A", help="extents of raw values, slowest first")
    parser.add_argument(
        "-m",
        dest="mode",
        metavar="MODE",
        choices=MODES,
        help=f"meaning of the bound of a reconstruction or a sweep: {', '.join(MODES)} (default of a sweep: r2r)",
    )
    parser.add_argument(
        "-e",
        dest="bound",
        metavar="BOUND",
        type=float,
        help="the bound; in a sweep, the bound to look at closely (default: the middle one)",
    )
    parser.add_argument("--bounds", metavar="B,B", help="bounds of a sweep (default: 1e-2,1e-3,1e-4,1e-5)")
    parser.add_argument("--pipelines", metavar="P,P", help=f"pipelines of a sweep (default: {','.join(PIPELINES)})")
    parser.add_argument("--slice", dest="where", metavar="I,:,:", help="plane to show first, slowest index first (default: the plane that varies most)")
    parser.add_argument("--title", help="heading of the page (default: the name of the field)")
    parser.add_argument("--force", action="store_true", help="replace an existing page")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def parse(program: str, words: Optional[List[str]]) -> argparse.Namespace:
    """Parse the arguments of the command.

    Raises
    ------
    Refusal
        For words that make no sense.
    """
    arguments = _parser(program).parse_args(words)
    arguments.output = Path(arguments.output)
    arguments.is_sweep = arguments.other == "sweep"
    if arguments.bound is not None and not (math.isfinite(arguments.bound) and arguments.bound > 0):
        raise Refusal(f"-e {arguments.bound:g}: a bound is positive and finite")
    if not arguments.is_sweep and (arguments.bounds or arguments.pipelines):
        raise Refusal("--bounds and --pipelines are for a sweep; write 'sweep' instead of the second file")
    if arguments.is_sweep and arguments.mode == "lossless":
        raise Refusal(f"-m {arguments.mode}: a sweep needs bounds of abs, r2r or pwr")
    if not arguments.is_sweep and (arguments.mode not in (None, "lossless")) != (arguments.bound is not None):
        raise Refusal("-m and -e belong together; give both or, for a stream, none")
    return arguments
