#!/usr/bin/env python3
"""Adds a part to a copy of the project, and holds CONTRIBUTING.md against the files that this takes.

usage: add_part.py PROJECT coder|predictor|bound_mode [--build FLAG...]

New files are made of the toys in unit_test/seats, and parts/<part>.patch changes those that there are. Fails if a file is
touched by hand that the table of CONTRIBUTING.md does not name, or if there are more of them than MOST says. With --build, the
library and the program are compiled from the copy, by CMake with these flags, and a field goes through them.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = {"coder": 5, "predictor": 5, "bound_mode": 3}
HEADINGS = {"coder": "A coder", "predictor": "A predictor", "bound_mode": "A bound mode"}
NAMES = {"coder": "bytes", "predictor": "offset", "bound_mode": "fine"}
WORDS = {"coder": ["-m", "abs", "-e", "1e-3", "-c", "bytes"],
         "predictor": ["-m", "abs", "-e", "1e-3", "-c", "fixedlength", "--predictor", "offset"],
         "bound_mode": ["-m", "fine", "-e", "1", "-c", "fixedlength"]}


def between(text, start, end):
    """The lines of a text from one that begins with `start` to one that begins with `end`."""
    return text[text.index("\n" + start) + 1:text.index("\n" + end)] + "\n"


def header(name, includes, text, space="kompakt::impl"):
    guard = f"KOMPAKT_{name.upper()}_HPP"
    lines = "".join(f"#include <{include}>\n" for include in includes)
    return f"#ifndef {guard}\n#define {guard}\n\n{lines}\nnamespace {space} {{\n\n{text}\n}}  // namespace {space}\n\n#endif\n"


def renamed(text, names):
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def new_files(part, seats):
    """Path and text of the files that a part has of its own, out of the toys."""
    toys = (seats / "toys.hpp").read_text(encoding="utf-8")
    if part == "coder":
        seat = renamed(between(toys, "/// Zig-zags", "/// What lies"),
                       {"ToyBytes": "Bytes", "toy_pipeline": "Pipeline::bytes", '"toy"': '"bytes"'})
        record = renamed((seats / "coder/toy/record.hpp").read_text(encoding="utf-8"),
                         {"UNIT_TEST_SEATS_CODER_TOY_RECORD": "CODER_BYTES_RECORD", "coder/table.hpp": "coder/bytes/seat.hpp",
                          "seat::ToyBytes": "seat::Bytes", "ToyBytes": "ZigzagBytes"})
        return {"src/codec/coder/bytes/seat.hpp": header("coder_bytes_seat", ["coder/row.hpp"], seat, "kompakt::impl::seat"),
                "src/codec/coder/bytes/record.hpp": record}
    if part == "predictor":
        method = renamed((seats / "predictor/toy.hpp").read_text(encoding="utf-8"),
                         {"UNIT_TEST_SEATS_PREDICTOR_TOY": "PREDICTOR_OFFSET", "seat::ToyOffset": "seat::Offset",
                          "ToyOffset": "OffsetPredictor"})
        return {"src/codec/predictor/offset.hpp": method}
    return {}


def listed(contributing, part):
    """The files that the table of a part names; <name> is the part's own."""
    section = contributing.split(f"\n## {HEADINGS[part]}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {path.replace("<name>", NAMES[part]) for row in rows for path in re.findall(r"`([^`]+)`", row)}


def copy_of(project, folder):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=project,
                           capture_output=True, check=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (project / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project / name, folder / name)


def add(part, folder):
    """Adds the part; the paths of what it touches."""
    seats = folder / "unit_test/seats"
    files = new_files(part, seats)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    patch = (seats / f"parts/{part}.patch").read_text(encoding="utf-8")
    # By git, which is there, unlike patch; the folder is no part of any clone, whatever lies above it.
    subprocess.run(["git", "apply", "-p1"], cwd=folder, input=patch, check=True, text=True,
                   env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)})
    subprocess.run([sys.executable, "scripts/constants.py"], cwd=folder, check=True)
    return set(files) | set(re.findall(r"^\+\+\+ b/(.+)$", patch, re.MULTILINE))


def check_build(part, folder, flags):
    """Compiles the program and sends a field through it."""
    build = folder / "build"
    off = [f"-DKOMPAKT_ENABLE_{part_of}=OFF"
           for part_of in ("UNIT_TESTS", "PERF_TESTS", "TOOLS", "EXAMPLES", "PYTHON", "ADIOS2", "MPI", "FORTRAN")]
    subprocess.run(["cmake", "-S", folder, "-B", build, *off, *flags], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "kompakt_cli"], check=True)
    values = [(i * 7919 % 1000) / 100 for i in range(6000)]
    (folder / "field.f32").write_bytes(struct.pack(f"<{len(values)}f", *values))

    def kompakt(*words):
        subprocess.run([build / "bin/kompakt", *words], cwd=folder, check=True)

    kompakt("compress", "-i", "field.f32", "-t", "f32", "-l", "60x100", "-o", "field.kpk", *WORDS[part])
    kompakt("decompress", "-i", "field.kpk", "-o", "again.f32")
    kompakt("compare", "-i", "field.f32", "-t", "f32", "-l", "60x100", "again.f32", "-m", "abs", "-e", "1e-3")


def main():
    project, part, *rest = sys.argv[1:]
    project = Path(project).resolve()
    if not (project / ".git").exists():
        print("skipped: no clone, which says what the files of the project are")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_of(project, folder)
        touched = add(part, folder)
        unlisted = touched - listed((folder / "CONTRIBUTING.md").read_text(encoding="utf-8"), part)
        print(f"{part}: {len(touched)} files: {', '.join(sorted(touched))}")
        if unlisted:
            sys.exit(f"CONTRIBUTING.md, '{HEADINGS[part]}', does not name {', '.join(sorted(unlisted))}")
        if len(touched) > MOST[part]:
            sys.exit(f"these are more than {MOST[part]}")
        if rest:
            check_build(part, folder, rest[1:])


if __name__ == "__main__":
    main()
