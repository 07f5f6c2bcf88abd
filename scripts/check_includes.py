#!/usr/bin/env python3
"""Checks that includes point downwards, and that programs use the public API.

usage: check_includes.py [project folder]

    core  <-  coder  <-  predictor  <-  container  <-  packing  <-  pipeline (+ backends)  <-  api  <-  cli

plugin is what hdf5 and adios2 share; mpi takes, beside public headers, the checksum of core, the strided copy of pipeline and folders of checkpoint; hdf5 takes the shorter form of streams from container, adios2 the checksum from core. metrics, io and archive (which needs io and container) sit beside the pipeline, verify and checkpoint above it; cli, c and the examples see
public headers only, and of those not the namespace impl, and fortran calls c. tools may include everything, and nothing else may include them.
Prints one line for each line that breaks a rule; the exit status is 1 if there is any.
"""

import re
import sys
from pathlib import Path

# What the files of a module may include besides their own module's.
ALLOWED = {
    "public": set(),
    "core": set(),
    "coder": {"core", "public"},
    "predictor": {"core", "coder", "public"},
    "container": {"core", "coder", "predictor", "public"},
    "packing": {"core", "container", "public"},
    "pipeline": {"core", "coder", "predictor", "container", "packing", "public"},
    "backends": {"core", "coder", "predictor", "container", "pipeline", "public"},
    "api": {"core", "coder", "predictor", "container", "packing", "pipeline", "metrics", "public"},
    "metrics": {"core", "public"},
    "io": {"core", "public"},
    "archive": {"core", "container", "io", "public"},
    "verify": {"core", "container", "packing", "pipeline", "archive", "public"},
    "checkpoint": {"archive", "io", "pipeline", "public"},
    "files": {"public"},
    "cli": {"files", "public"},
    "c": {"public"},
    "fortran": set(),
    "plugin": {"public"},
    "hdf5": {"container", "plugin", "public"},
    "adios2": {"core", "plugin", "public"},
    "mpi": {"checkpoint", "core", "pipeline", "public"},
    "mpi_cli": {"cli", "files", "mpi", "public"},
    "examples": {"public"},
}
ALLOWED["tools"] = set(ALLOWED)

# What any user of the library could have written.
PROGRAMS = {"cli", "files", "c", "examples"}
INTERNALS = re.compile(r"\bimpl\b\s*(::|;)")

# Single files that may include more.
ALSO_ALLOWED = {
    # The places where generic bodies and those of backends come together.
    "src/pipeline/field_operations.hpp": {"backends"},
    "src/pipeline/record_operations.hpp": {"backends"},
    # Words that the format and the public headers share.
    "src/core/tile.hpp": {"public"},
    # The error of a kernel that did not run as a whole.
    "src/core/parallel_teams.hpp": {"public"},
    # Kernels in a user's unit, with the headers that kompakt::device installs.
    "include/kompakt/device.hpp": {"core", "coder", "predictor", "pipeline"},
    "include/kompakt/field_sweep.hpp": {"backends"},
}
# The kernels of a coder beside its records take part in the walk; nothing of the walk includes them.
KERNELS = re.compile(r"src/coder/\w+/kernels\.hpp")
KERNELS_ALLOWED = {"container", "pipeline"}

ROOTS = {"include/kompakt": "public", "backends": "backends", "docs/examples": "examples", "examples": "examples", "tools": "tools"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
VENDOR = re.compile(r"(cuda|cub/|thrust/|cooperative_groups|hip/|sycl/|omp\.h)")
DEVICE_INTRINSIC = re.compile(
    r"\b__(shfl|ballot|activemask|any_sync|all_sync|match|reduce_\w+_sync|syncwarp|byte_perm|popc|clz"
    r"|ffs|brev|fns|funnelshift|lanemask|f(add|sub|mul|ma)_r[nduz]|d(add|sub|mul)_r[nduz])\w*\s*\("
    r"|\basm\b")
INTRINSICS_FILE = "backends/cuda/warp.hpp"
HOST_INTRINSIC = re.compile(r"\b_mm\d*_\w+\s*\(|<\w*mmintrin\.h>|<arm_\w+\.h>")
HOST_INTRINSICS_FILES = {
    "src/core/fp_environment.hpp",  # the control word has no portable name
    "backends/openmp/simd.hpp",
}


def module_of(path):
    """Module of a path relative to the project folder, None outside of all."""
    for root, module in ROOTS.items():
        if path.startswith(root + "/"):
            return module
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def included_module(project, file, style, name):
    """Module that an include of `file` names, None for headers of others."""
    if style == '"':
        here = (file.parent / name).resolve()
        if here.is_relative_to(project) and here.exists():
            return module_of(here.relative_to(project).as_posix())
    first = name.split("/")[0]
    if first == "kompakt":
        return "public"
    if (project / "src" / name).is_file():
        return first
    for root in ("backends", "tools"):
        if (project / root / name).is_file():
            return root
    return None


def allowed_for(path, module):
    allowed = ALLOWED[module] | {module} | ALSO_ALLOWED.get(path, set())
    return allowed | KERNELS_ALLOWED if KERNELS.fullmatch(path) else allowed


def check_line(project, file, path, module, line):
    """What is wrong with a line, None if nothing."""
    if DEVICE_INTRINSIC.search(line) and path != INTRINSICS_FILE:
        return f"intrinsics belong in {INTRINSICS_FILE}"
    if HOST_INTRINSIC.search(line) and path not in HOST_INTRINSICS_FILES:
        return "no processor's intrinsics here"
    if module in PROGRAMS and INTERNALS.search(line):
        return f"{module} uses the public API only, but this names something of the namespace impl"
    include = INCLUDE.match(line)
    if not include:
        return None
    style, name = include.groups()
    target = included_module(project, file, style, name)
    if target is None and VENDOR.match(name) and module != "backends":
        return f"{name}: vendor headers are for backends"
    if target is not None and target not in allowed_for(path, module):
        return f"{name}: {module} may not include {target}"
    return None


def check_file(project, file):
    path = file.relative_to(project).as_posix()
    module = module_of(path)
    if module is None:
        return
    if module not in ALLOWED:
        yield f"{path}: unknown module '{module}'; say in {Path(__file__).name} what it may include"
        return
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        fault = check_line(project, file, path, module, code)
        if fault:
            yield f"{path}:{number}: {fault}"


def main():
    project = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    suffixes = {".hpp", ".h", ".cpp", ".c", ".in"}
    files = sorted(file for root in ("include", "src", "backends", "docs/examples", "examples", "tools")
                   for file in (project / root).rglob("*") if file.suffix in suffixes)
    if not files:
        sys.exit(f"check_includes: no sources in {project}")
    faults = [fault for file in files for fault in check_file(project, file)]
    print("\n".join(faults) if faults else f"{len(files)} files: all includes point downwards")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
