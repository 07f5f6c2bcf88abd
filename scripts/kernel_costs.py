#!/usr/bin/env python3
"""Compares what kernels of CUDA take of a multiprocessor with kept figures: registers, stack, spilled bytes and instructions.

usage: kernel_costs.py [--renew] [--build FOLDER] [UNIT ...]

A unit is a file of src/codec/instantiate in a build for CUDA (build/ci-cuda-compile, or FOLDER), such as Cuda_huffman_lorenzo; without
one, those of perf_test/kernel_costs.txt. No GPU is needed: the unit is compiled as for a release, and ptxas says what each kernel
takes. A figure that is more than 3 % larger or smaller than the kept one ends with status 1 and the kernel's name, until --renew keeps
the new one. Figures of another nvcc say nothing: then nothing is compared, and the exit status is 77.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "perf_test/kernel_costs.txt"
TITLE = "# What kernels take, by scripts/kernel_costs.py with "
COLUMNS = ["registers", "stack", "spilled", "instructions"]
# The kernels of one field: those of batches and of samples do the same with more around it.
MEASURED = re.compile(r"run_kernel<.*(Encoder|Decoder|Builder)<")
TOLERANCE = 0.03
INSTRUCTION_BYTES = 16


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise SystemExit(f"kernel_costs: {shlex.join(map(str, command))[:200]} …\n{result.stderr[-3000:]}")
    return result.stdout + result.stderr


def compiler():
    return re.search(r"V[\d.]+", run(["nvcc", "--version"])).group(0)


def short_name(demangled):
    """The types of a kernel without namespaces and without its parameters."""
    name = re.sub(r"\b(?:kompakt|impl|cuda|bitshuffle|Kokkos|v\d+)::", "", demangled)
    name = re.sub(r"^void ", "", name)
    depth = 0
    for i, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            return name[:i]
    return name


def compile_to_ptx(build, unit, folder):
    listed = build / "compile_commands.json"
    if not listed.is_file():
        raise SystemExit(f"kernel_costs: {build} is no build for CUDA; make one by cmake --preset ci-cuda-compile, or name it with --build")
    commands = json.loads(listed.read_text())
    entry = next((c for c in commands if Path(c["file"]).stem == unit), None)
    if entry is None:
        raise SystemExit(f"kernel_costs: {build} has no unit '{unit}'; configure it with cmake --preset ci-cuda-compile")
    words = shlex.split(entry["command"])
    if Path(words[0]).name == "ccache":
        words = words[1:]
    words = ["-O3" if word == "-O0" else word for word in words]
    ptx = folder / f"{unit}.ptx"
    words[words.index("-o") + 1] = str(ptx)
    # Kokkos's wrapper passes no -ptx on.
    run(words, cwd=entry["directory"], env={**os.environ, "NVCC_PREPEND_FLAGS": "", "NVCC_APPEND_FLAGS": "-ptx"})
    return ptx


def costs_of(ptx, mangled, folder):
    """Registers, bytes of stack and of spills of a thread, and instructions of a kernel."""
    code = folder / f"{hash(mangled)}.cubin"
    said = run(["ptxas", "-arch=sm_90", "-O3", "-v", "--fmad=false", "--entry", mangled, ptx, "-o", code])
    of_kernel = said[said.index("Compiling entry function"):]
    registers = int(re.search(r"Used (\d+) registers", of_kernel).group(1))
    stack, stores, loads = map(int, re.search(
        r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", of_kernel).groups())
    sections = run(["readelf", "--sections", "--wide", code])
    code.unlink()
    size = int(re.search(r"\] \.text\.%s\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)" % re.escape(mangled), sections).group(1), 16)
    return [registers, stack, stores + loads, size // INSTRUCTION_BYTES]


def measure(build, units):
    """Costs by unit and kernel. Says how far it is."""
    found = {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(name)
        compiled = {unit: pool.submit(compile_to_ptx, build, unit, folder) for unit in units}
        asked = []
        for unit, future in compiled.items():
            ptx = future.result()
            entries = sorted(set(re.findall(r"\.entry (\w+)", ptx.read_text())))
            names = [short_name(line) for line in run(["c++filt", *entries]).splitlines()]
            asked += [(unit, short, pool.submit(costs_of, ptx, mangled, folder))
                      for mangled, short in zip(entries, names) if MEASURED.match(short)]
            print(f"kernel_costs: {unit} is compiled", flush=True)
        for unit, short, future in asked:
            found.setdefault(unit, {})[short] = future.result()
    return found


def read_kept():
    kept, unit = {}, None
    for line in KEPT.read_text().splitlines() if KEPT.exists() else []:
        if line.startswith("## "):
            unit = kept.setdefault(line[3:], {})
        elif line and not line.startswith("#"):
            *figures, name = line.split(None, len(COLUMNS))
            unit[name] = list(map(int, figures))
    return kept


def write_kept(version, kept):
    lines = [TITLE + version, "# " + ", ".join(COLUMNS) + " (bytes of stack and spills are those of a thread)"]
    for unit in sorted(kept):
        lines += ["", f"## {unit}"]
        lines += [" ".join(f"{n:6d}" for n in kept[unit][name]) + "  " + name for name in sorted(kept[unit])]
    KEPT.write_text("\n".join(lines) + "\n")


def differences(unit, found, kept):
    for name in sorted(found.keys() | kept.keys()):
        if name not in found or name not in kept:
            yield f"{unit}: {'new' if name in found else 'no longer there'}: {name}"
            continue
        changed = [f"{what} {before} -> {now}" for what, before, now in zip(COLUMNS, kept[name], found[name])
                   if abs(now - before) > TOLERANCE * before]
        if changed:
            yield f"{unit}: {', '.join(changed)}: {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--renew", action="store_true", help="keeps what was found")
    parser.add_argument("--build", type=Path, default=ROOT / "build/ci-cuda-compile", help="a configured build for CUDA")
    parser.add_argument("units", nargs="*", metavar="UNIT")
    arguments = parser.parse_args()
    if shutil.which("nvcc") is None:
        print("kernel_costs: skipped: there is no nvcc")
        return 77
    version, kept = compiler(), read_kept()
    if not arguments.renew and not KEPT.read_text().startswith(TITLE + version + "\n"):
        print(f"kernel_costs: skipped: nvcc is {version}, the kept figures are those of another one; --renew takes new ones")
        return 77
    units = arguments.units or list(kept)
    found = measure(arguments.build, units)
    if arguments.renew:
        write_kept(version, kept | found)
        return 0
    failed = [line for unit in units for line in differences(unit, found.get(unit, {}), kept.get(unit, {}))]
    for line in failed:
        print(f"kernel_costs: {line}")
    if failed:
        print("kernel_costs: more than 3 % from perf_test/kernel_costs.txt; measure them on a GPU beside the commit before, "
              "then keep the new figures with --renew")
    else:
        print(f"kernel_costs: {sum(map(len, found.values()))} kernels take what they took")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
