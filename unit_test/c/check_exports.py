#!/usr/bin/env python3
"""Fails unless a shared library exports the functions of a header of C, and nothing else.

usage: check_exports.py NM LIBRARY HEADER
"""

import re
import subprocess
import sys

DECLARATION = re.compile(r"^(?!static)\w[\w* ]*?\b(kompakt_\w+)\s*\(", re.MULTILINE)


def declared(header):
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    return set(DECLARATION.findall(text))


def exported(nm, library):
    """Defined symbols without versions; the name of a version itself is one of type A."""
    output = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True, capture_output=True).stdout
    symbols = [line.split()[-2:] for line in output.splitlines()]
    return {(kind, name.split("@")[0]) for kind, name in symbols if kind != "A"}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    nm, library, header = sys.argv[1:]
    expected = {("T", name) for name in declared(header)}
    found = exported(nm, library)
    if not expected:
        sys.exit(f"check_exports: no functions in {header}")
    faults = [f"not exported: {name}" for _, name in sorted(expected - found)]
    faults += [f"exported, but not of the header: {kind} {name}" for kind, name in sorted(found - expected)]
    print("\n".join(faults) if faults else f"{len(found)} functions, and nothing else")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
