#!/usr/bin/env python3
"""Fails unless the plugin exports the two functions that HDF5 asks for and no other, is linked to no HDF5 and stays loaded.

usage: check_plugin.py NM READELF LIBRARY
"""

import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    nm, readelf, library = sys.argv[1:]
    exported = {line.split()[-1] for line in output(nm, "-D", "--defined-only", library).splitlines()}
    needed = {line.split()[-1] for line in output(nm, "-D", "--undefined-only", library).splitlines()}
    dynamic = output(readelf, "-d", library)
    faults = []
    if exported != {"H5PLget_plugin_type", "H5PLget_plugin_info"}:
        faults.append(f"exported: {sorted(exported)}")
    if functions := sorted(name for name in needed if re.match("H5|kompakt|.*Kokkos", name)):
        faults.append(f"needed from elsewhere: {functions}")
    if "NODELETE" not in dynamic:
        faults.append("may be unloaded, with threads in it")
    faults += [line for line in dynamic.splitlines() if "NEEDED" in line and re.search("hdf5|netcdf|kokkos", line)]
    print("\n".join(faults) if faults else "two functions, and nothing else")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
