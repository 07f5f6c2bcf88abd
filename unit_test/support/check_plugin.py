#!/usr/bin/env python3
"""Fails unless a plugin exports the two functions that its loader asks for and no other, is linked to nothing that brings
what it shall find in itself or in the loader, and stays loaded.

usage: check_plugin.py NM READELF LIBRARY LOADER FUNCTION FUNCTION

LOADER: of a library that the plugin must not be linked to, and of its functions
"""

import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__.strip())
    nm, readelf, library, loader = sys.argv[1:5]
    exported = {line.split()[-1] for line in output(nm, "-D", "--defined-only", library).splitlines()}
    needed = {line.split()[-1] for line in output(nm, "-D", "--undefined-only", library).splitlines()}
    dynamic = output(readelf, "-d", library)
    faults = []
    if exported != set(sys.argv[5:]):
        faults.append(f"exported: {sorted(exported)}")
    if functions := sorted(name for name in needed if re.match(f"H5|kompakt|.*Kokkos|.*{loader}", name)):
        faults.append(f"needed from elsewhere: {functions}")
    if "NODELETE" not in dynamic:
        faults.append("may be unloaded, with threads in it")
    faults += [line for line in dynamic.splitlines() if "NEEDED" in line and re.search(f"{loader}|netcdf|kokkos", line)]
    print("\n".join(faults) if faults else "two functions, and nothing else")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
