#!/usr/bin/env python3
"""Kills one of the ranks that write a file: no half file is there under its name, and an archive has its old fields.

usage: check_killed_rank.py KILLED_RANK MPIEXEC... (the command line in front of the number of ranks)
"""

import subprocess
import sys
import tempfile
from pathlib import Path

program, *mpiexec = sys.argv[1:]


def run(archive, name, killed_at):
    command = [*mpiexec, "3", program, str(archive), name, killed_at]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def check(condition, what, done):
    if not condition:
        sys.exit(f"{what}: {done.args}: {done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        done = run(Path(folder) / "sound.kpk", "a", "none")
        check(done.returncode == 0, "cannot write", done)
        archive = Path(folder) / "fields.kpk"
        for killed_at in ("write", "sync"):
            done = run(archive, "a", killed_at)
            check(done.returncode != 0, "was not killed", done)
            check(not archive.exists(), "a half file is there", done)
        done = run(archive, "a", "commit")  # which rank 0 may have done by then
        check(done.returncode != 0, "was not killed", done)
        done = run(archive, "c", "none")
        check(done.returncode == 0, "cannot write", done)
        old = archive.read_bytes()
        for killed_at in ("write", "sync", "commit"):
            done = run(archive, killed_at, killed_at)
            check(done.returncode != 0, "was not killed", done)
            check(archive.read_bytes().startswith(old), "old fields are damaged", done)
        done = run(archive, "b", "repair")
        check(done.returncode == 0, "cannot append afterwards", done)
        check(archive.read_bytes().startswith(old), "old fields are damaged", done)
    print("killed ranks: no half file, and old fields stay")


main()
