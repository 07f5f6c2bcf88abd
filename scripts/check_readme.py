#!/usr/bin/env python3
"""Fails unless the examples that README.md and pages of docs show are those that the tests compile and run.

usage: check_readme.py

An example is a code block right behind a line

    <!-- example: docs/examples/FILE -->        in README.md
    <!-- example: docs/examples/FILE NAME -->   in the others

Its text must be what FILE has between its lines "[readme]" and "[/readme]", or "[api NAME]" and "[/api]" ("cli" of
docs/cli.md, "checkpoint" of docs/checkpoint.md, "tutorial" of docs/tutorial.md, "c" of docs/integrations/c.md, "fortran", "hdf5", "adios2", "mpi",
"mpi_files", "python" and "zarr" of the other ones), without the indentation that all of its lines have.
"""

import difflib
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_EXAMPLES = {"docs/examples/python.py", "docs/examples/tutorial.sh", "docs/examples/compress_view.cpp"}
# Pages, the word of their regions, and the files that these are in.
PAGES = {
    "docs/api.md": ("api", ["compress_view.cpp", "tasks.cpp"]),
    "docs/cli.md": ("cli", ["cli_round_trip.sh"]),
    "docs/device.md": ("device", ["device_tiles.cpp", "slab_stencil.cpp", "sweep_stencil.cpp"]),
    "docs/checkpoint.md": ("checkpoint", ["checkpoint.cpp", "mpi_checkpoint.cpp"]),
    "docs/integrations/c.md": ("c", ["round_trip.c", "tasks.c"]),
    "docs/integrations/fortran.md": ("fortran", ["round_trip.f90", "tasks.f90"]),
    "docs/integrations/adios2.md": ("adios2", ["adios2.cpp", "adios2.py"]),
    "docs/integrations/mpi.md": ("mpi", ["mpi.cpp"]),
    "docs/integrations/mpi_files.md": ("mpi_files", ["mpi_files.cpp", "parallel_hdf5.cpp", "file_per_rank.cpp"]),
    "docs/tutorial.md": ("tutorial", ["tutorial.sh", "tutorial.py"]),
    "docs/integrations/hdf5.md": ("hdf5", ["hdf5.c", "hdf5.cpp", "hdf5.py", "hdf5.sh"]),
    "docs/integrations/python.md": ("python", ["python.py"]),
    "docs/integrations/zarr.md": ("zarr", ["zarr.py"]),
}
BLOCK = re.compile(r"^<!-- example: (\S+)(?: ([\w ]+))? -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORDS = "|".join(word for word, _ in PAGES.values())
BEGIN = re.compile(rf"\S+ \[(readme|(?:{WORDS}) [\w ]+)\]")
END = re.compile(rf"\S+ \[/(?:readme|{WORDS})\]")


def regions(name):
    """The marked parts of an example, by what they are called; a part may lie inside another one."""
    found, open_parts = {}, []
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines(keepends=True):
        begin = BEGIN.fullmatch(line.strip())
        if begin:
            if begin[1] in found:
                raise ValueError(f"{name} has two regions of one name")
            open_parts.append(begin[1])
            found[begin[1]] = ""
        elif END.fullmatch(line.strip()):
            open_parts.pop()
        else:
            for part in open_parts:
                found[part] += line
    return {title: textwrap.dedent(text) for title, text in found.items()}


def require(page, word, wanted):
    """word: of its regions. wanted: pairs of a file and a region, all of which the page must show, each once, and no other."""
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    shown = sorted((name, f"{word} {title}" if title else "readme") for name, title, _ in blocks)
    if shown != sorted(wanted):
        raise ValueError(f"{page} must show {sorted(wanted)}, each once; it shows {shown}")
    for name, title, text in blocks:
        original = regions(name)[f"{word} {title}" if title else "readme"]
        lines = list(difflib.unified_diff(original.splitlines(), text.splitlines(), name, page,
                                          lineterm=""))
        if lines:
            raise ValueError(f"{page} differs from its example:\n" + "\n".join(lines))


def main():
    require("README.md", "", [(name, "readme") for name in README_EXAMPLES])
    for page, (word, files) in PAGES.items():
        names = [f"docs/examples/{file}" for file in files]
        require(page, word, [(name, title) for name in names for title in regions(name)
                             if title.startswith(f"{word} ")])


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit(__doc__.strip())
    try:
        main()
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"check_readme: {error}")
