#!/usr/bin/env python3
"""Writes the constants of the C header and the Fortran module, and Python's words, from the enumerations of the C++ headers.

usage: constants.py [--check] [project folder]

The numbers and names of include/kompakt/kompakt.h come from the C++ headers; what is said there beside a constant stays, and
a new constant takes what the C++ header says. All constants of src/faces/fortran/kompakt.f90 come from kompakt.h.
python/src/kompakt/_words.py has the enumerators of options as words, and words with numbers from kompakt.h. With --check
nothing is written: prints what differs, and the exit status is 1 if anything does.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

HEADER = "include/kompakt/kompakt.h"
MODULE = "src/faces/fortran/kompakt.f90"
WORDS = "python/src/kompakt/_words.py"
# For each type of C: header and enumeration of C++, and the beginning of its constants.
ENUMERATIONS = {
    "kompakt_status": ("error.hpp", "Status", "KOMPAKT_"),
    "kompakt_space": ("spaces.hpp", "Space", "KOMPAKT_SPACE_"),
    "kompakt_dtype": ("field.hpp", "Dtype", "KOMPAKT_"),
    "kompakt_order": ("field.hpp", "Order", "KOMPAKT_"),
    "kompakt_bound_mode": ("options.hpp", "ErrorBound::Mode", "KOMPAKT_BOUND_"),
    "kompakt_pipeline": ("options.hpp", "Pipeline", "KOMPAKT_"),
    "kompakt_variant": ("options.hpp", "Variant", "KOMPAKT_VARIANT_"),
    "kompakt_predictor": ("options.hpp", "Predictor", "KOMPAKT_PREDICTOR_"),
    "kompakt_goal": ("choice_record.hpp", "Goal", "KOMPAKT_GOAL_"),
    "kompakt_fill_mode": ("options.hpp", "FillValue::Mode", "KOMPAKT_FILL_"),
    "kompakt_steps_kind": ("value_steps.hpp", "ValueSteps::Kind", "KOMPAKT_STEPS_"),
    "kompakt_method": ("prediction.hpp", "PredictionMethod", "KOMPAKT_METHOD_"),
    "kompakt_tile_shape": ("prediction.hpp", "TileShape", "KOMPAKT_TILE_"),
}
# Names that a beginning and an enumerator alone do not make.
NAMES = {("kompakt_pipeline", "automatic"): "KOMPAKT_PIPELINE_AUTO"}
# Constants of C that have no enumerator, before those that have one.
OWN = {"kompakt_space": ["KOMPAKT_SPACE_DEFAULT"], "kompakt_goal": ["KOMPAKT_GOAL_NONE"], "kompakt_method": ["KOMPAKT_METHOD_MIXED"]}
# What Fortran has no use for: its arrays lie in host memory.
WITHOUT_FORTRAN = {"kompakt_memory"}
# For each type of Python: the type of C whose enumerators are its words.
WORD_TYPES = {"Mode": "kompakt_bound_mode", "Pipeline": "kompakt_pipeline", "Goal": "kompakt_goal", "Variant": "kompakt_variant",
              "Predictor": "kompakt_predictor"}
# For each type of Python whose words have numbers: the beginning of constants of C, and what these are besides.
NUMBERED_TYPES = {"Space": ("KOMPAKT_SPACE_", set()), "Group": ("KOMPAKT_QUALITY_", {"basic", "all"})}
WORDS_HEAD = '''"""Words of the library as types for checkers, and numbers of some. Written by scripts/constants.py, and never by hand."""

from __future__ import annotations

from typing import Dict, Literal

'''

ENTRY = re.compile(r"(\w+)(?:\s*=\s*([-\w]+))?\s*,?\s*(?:///<\s*(.*))?$")


def joined_entries(body):
    """Entries of an enumeration: name, number or name of another entry, comment; entries of several lines in one."""
    lines = []
    for line in (line.strip() for line in body.splitlines()):
        if not line or (line.startswith("//") and not line.startswith("///<")):
            continue
        continues = lines and (lines[-1].endswith("=") or line.startswith("///<"))
        if continues and line.startswith("///<") and "///<" in lines[-1]:
            lines[-1] += " " + line[4:].strip()
        elif continues:
            lines[-1] += " " + line
        else:
            lines.append(line)
    for line in lines:
        match = ENTRY.match(line)
        if not match:
            raise SystemExit(f"constants: cannot read '{line}'")
        yield match.groups()


def enumerators(project, header, name):
    text = (project / "include/kompakt" / header).read_text()
    for part in name.split("::")[:-1]:
        text = text[text.index(f"struct {part} {{"):]
    body = re.search(r"enum class %s : [^{]*\{(.*?)\n *\};" % name.split("::")[-1], text, re.S)
    return list(joined_entries(body.group(1)))


def word_of(enumerator):
    """The word of options that stands for an enumerator."""
    return "auto" if enumerator == "automatic" else enumerator


def constants_of(project, c_type):
    """Name, value and comment of each constant that a type of C must have."""
    header, enumeration, beginning = ENUMERATIONS[c_type]

    def named(enumerator):
        return NAMES.get((c_type, enumerator), beginning + word_of(enumerator).upper())

    found = enumerators(project, header, enumeration)
    words = {word for word, _, _ in found}
    return [(named(word), named(value) if value in words else value, comment) for word, value, comment in found]


def block_of_c(project, c_type, body):
    """The lines of an enumeration of C, without regard to layout."""
    present = {name: (value, comment) for name, value, comment in joined_entries(body)}
    entries = [(name, *present[name]) for name in OWN.get(c_type, [])]
    for name, value, comment in constants_of(project, c_type):
        entries.append((name, value, present.get(name, (None, comment))[1]))
    return entries


def c_enumerations(text):
    """Type or None, documentation and place of each enumeration of the header of C."""
    pattern = re.compile(r"((?:^///[^\n]*\n)*)(?:typedef int32_t (\w+);\n)?^enum \{\n(.*?)^\};", re.M | re.S)
    for match in pattern.finditer(text):
        yield match.group(2), " ".join(line[3:].strip() for line in match.group(1).splitlines()), match


def new_header(project):
    """The header of C with all constants of C++, laid out as before where nothing changes."""
    text = (project / HEADER).read_text()
    pieces, end, seen = [], 0, set()
    for c_type, _, match in c_enumerations(text):
        if c_type not in ENUMERATIONS:
            continue
        seen.add(c_type)
        entries = block_of_c(project, c_type, match.group(3))
        if entries == list(joined_entries(match.group(3))):
            continue
        lines = [f"  {name} = {value}," + (f"  ///< {comment}" if comment else "") for name, value, comment in entries]
        pieces += [text[end:match.start(3)], "\n".join(lines) + "\n"]
        end = match.end(3)
    for missing in sorted(set(ENUMERATIONS) - seen):
        raise SystemExit(f"constants: {HEADER} has no enumeration of {missing}")
    return "".join(pieces) + text[end:]


def fortran_block(header):
    """Constants of the Fortran module, from the text of the header of C."""
    lines = []
    for c_type, documentation, match in c_enumerations(header):
        if c_type in WITHOUT_FORTRAN:
            continue
        lines += [f"  !> {line}" for line in textwrap.wrap(documentation, 120)]
        lines += [f"  integer(int32), parameter, public :: {name} = {value}" for name, value, _ in joined_entries(match.group(3))]
        lines.append("")
    for name, value in re.findall(r"^#define (KOMPAKT_MAX_\w+) (\d+)$", header, re.M):
        lines.append(f"  integer, parameter :: {name.removeprefix('KOMPAKT_').lower()} = {value}")
    return "\n".join(lines) + "\n"


def new_module(project, header):
    text = (project / MODULE).read_text()
    begin = re.search(r"^  ! -+ numbers of the header of C\n\n", text, re.M).end()
    end = re.search(r"^\n  ! -+ structures of C\n", text, re.M).start()
    return text[:begin] + fortran_block(header) + text[end:]


def words_of(project, c_type):
    """Words of an enumeration, each enumerator once: without older names."""
    found = enumerators(project, *ENUMERATIONS[c_type][:2])
    names = {name for name, _, _ in found}
    return [word_of(name) for name, value, _ in found if value not in names]


def numbers_of(header, beginning, others):
    """Words with their numbers, of the constants that begin so."""
    constants = re.findall(r"^  %s(\w+) = (-?\d+)," % beginning, header, re.M)
    if not constants:
        raise SystemExit(f"constants: {HEADER} has no constants {beginning}…")
    return {name.lower(): number for name, number in constants if name.lower() not in others}


def new_words(project, header):
    """The types of Python, from the C++ headers and the text of the header of C."""
    numbers = {name: numbers_of(header, *source) for name, source in NUMBERED_TYPES.items()}
    types = {name: words_of(project, c_type) for name, c_type in WORD_TYPES.items()}
    lines = ["%s = Literal[%s]" % (name, ", ".join(f'"{word}"' for word in words)) for name, words in {**types, **numbers}.items()]
    for name, known in numbers.items():
        pairs = ", ".join(f'"{word}": {number}' for word, number in known.items())
        lines.append(f"{name.upper()}S: Dict[{name}, int] = {{{pairs}}}")
    return WORDS_HEAD + "".join(textwrap.fill(line, 140, subsequent_indent="    ") + "\n" for line in lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true", help="write nothing; fail if anything would change")
    arguments.add_argument("project", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    asked = arguments.parse_args()
    header = new_header(asked.project)
    differs = False
    for path, new in ((HEADER, header), (MODULE, new_module(asked.project, header)), (WORDS, new_words(asked.project, header))):
        if (asked.project / path).read_text() == new:
            continue
        differs = True
        if asked.check:
            print(f"{path}: constants are not those of the C++ headers; run scripts/constants.py")
        else:
            (asked.project / path).write_text(new)
            print(f"{path}: written")
    return 1 if asked.check and differs else 0


if __name__ == "__main__":
    sys.exit(main())
