#!/usr/bin/env python3
"""Checks what no compiler refuses: intrinsics outside their files, vendors' headers outside backends, internals in programs, advice
inside the problem of an Error, and versions that differ.

usage: check_sources.py [project folder]

A layer of src cannot include the layers above it, because its target has no such folder (cmake/KompaktFlags.cmake). Inside
the codec a room includes itself and the rooms before it in ROOMS. Programs, the C face and examples are users: nothing there
names the namespace impl. Prints one line for each line that breaks a rule; the exit status is 1 if there is any.
"""

import re
import sys
from pathlib import Path

# Rooms of src/codec from the ground up. The pipeline reaches backends in two headers, where all bodies come together.
ROOMS = ("core", "coder", "predictor", "container", "packing", "metrics", "pipeline", "api")
# The kernels of a coder beside its records take part in the pipeline, which never includes them.
KERNELS = re.compile(r"src/codec/coder/\w+/kernels\.hpp")
SWITCHBOARDS = {"src/codec/pipeline/field_operations.hpp", "src/codec/pipeline/record_operations.hpp"}

USERS = re.compile(r"src/programs/(cli|files)/|src/faces/c/|docs/examples/|examples/")
INTERNALS = re.compile(r"\bimpl\b\s*(::|;)")
# An Error has its advice in a part of its own, which faces show as such. (Programs print both as one text.)
OF_ERRORS = re.compile(r"(include|backends|src/(codec|storage|faces))/")
ADVICE = re.compile(r'"[^"]*[;.] (use|give|say|pass|set|write|choose|leave|build|install|call|join|copy|open|there are) ', re.IGNORECASE)

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
VENDOR = re.compile(r"(cuda|cub/|thrust/|cooperative_groups|hip/|sycl/|omp\.h)")
DEVICE_INTRINSIC = re.compile(
    r"\b__(shfl|ballot|activemask|any_sync|all_sync|match|reduce_\w+_sync|syncwarp|byte_perm|popc|clz"
    r"|ffs|brev|fns|funnelshift|lanemask|f(add|sub|mul|ma)_r[nduz]|d(add|sub|mul)_r[nduz])\w*\s*\("
    r"|\basm\b")
DEVICE_INTRINSICS_FILE = "backends/cuda/warp.hpp"
HOST_INTRINSIC = re.compile(r"\b_mm\d*_\w+\s*\(|<\w*mmintrin\.h>|<arm_\w+\.h>")
HOST_INTRINSICS_FILES = {
    "src/codec/core/fp_environment.hpp",  # the control word has no portable name
    "backends/openmp/simd.hpp",
}

# Files that say the version beside CMakeLists.txt, which has it.
VERSION = re.compile(r"^project\(kompakt VERSION ([\d.]+)", re.MULTILINE)
VERSIONS = {
    "python/pyproject.toml": re.compile(r'^version = "([\d.]+)"', re.MULTILINE),
    "CITATION.cff": re.compile(r"^version: ([\d.]+)", re.MULTILINE),
    "CHANGELOG.md": re.compile(r"^## ([\d.]+)", re.MULTILINE),
    "README.md": re.compile(r"\bVersion (\d[\d.]*\d)"),
    "tools/recipes/conda/recipe.yaml": re.compile(r"^  version: ([\d.]+)", re.MULTILINE),
    "tools/recipes/spack/package.py": re.compile(r"/archive/v(\d[\d.]*\d)\.tar"),
}


def faults_of_versions(project):
    """What files say another version than the project's."""
    version = VERSION.search((project / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    for path, pattern in VERSIONS.items():
        said = pattern.search((project / path).read_text(encoding="utf-8"))
        if said is None or said[1] != version:
            yield f"{path}: says {f'version {said[1]}' if said else 'no version'}, and the project is {version}"


def fault_of_include(project, path, name):
    """What is wrong with an include, None if nothing."""
    parts = path.split("/")
    if VENDOR.match(name) and parts[0] != "backends" and not (project / "backends" / name).is_file():
        return f"{name}: vendor headers are for backends"
    if parts[:2] != ["src", "codec"]:
        return None
    if (project / "backends" / name).is_file() and path not in SWITCHBOARDS:
        return f"{name}: of the codec, only {' and '.join(sorted(SWITCHBOARDS))} include backends"
    own, other = parts[2], name.split("/")[0]
    if other in ROOMS and ROOMS.index(other) > ROOMS.index(own) and not KERNELS.fullmatch(path):
        return f"{name}: {own} may not include {other}, which is above it"
    return None


def fault_of_line(project, path, line):
    """What is wrong with a line, None if nothing."""
    if DEVICE_INTRINSIC.search(line) and path != DEVICE_INTRINSICS_FILE:
        return f"intrinsics belong in {DEVICE_INTRINSICS_FILE}"
    if HOST_INTRINSIC.search(line) and path not in HOST_INTRINSICS_FILES:
        return "no processor's intrinsics here"
    if USERS.match(path) and INTERNALS.search(line):
        return "users of the library name nothing of the namespace impl"
    if OF_ERRORS.match(path) and ADVICE.search(line):
        return "advice is a part of its own of an Error"
    include = INCLUDE.match(line)
    return fault_of_include(project, path, include[1]) if include else None


def main():
    project = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    suffixes = {".hpp", ".h", ".cpp", ".c", ".in"}
    files = sorted(file for root in ("include", "src", "backends", "docs/examples", "examples", "tools")
                   for file in (project / root).rglob("*") if file.suffix in suffixes)
    if not files:
        sys.exit(f"check_sources: no sources in {project}")
    faults = list(faults_of_versions(project))
    for file in files:
        path = file.relative_to(project).as_posix()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            fault = fault_of_line(project, path, line.split("//")[0])
            if fault:
                faults.append(f"{path}:{number}: {fault}")
    print("\n".join(faults) if faults else f"{len(files)} files: nothing out of place")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
