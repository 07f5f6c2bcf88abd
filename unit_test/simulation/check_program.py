#!/usr/bin/env python3
"""Runs the program gray_scott as its users do.

usage: check_program.py restarts|faults GRAY_SCOTT KOMPAKT MPIEXEC...
       check_program.py kills COUNT GRAY_SCOTT KOMPAKT MPIEXEC...

MPIEXEC... is the command line in front of the number of ranks. restarts: on other numbers of ranks, and what the program kompakt reads of
it. faults: full disks, damaged and missing files. kills: COUNT times at a random point, after which it must go on to the same bits.
"""

import array
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STATUS = {"bad_argument": 1, "buffer_too_small": 2, "corrupt": 12, "type_mismatch": 13, "io": 21}
# One process needs no mpiexec, and no daemon of its own.
ENVIRONMENT = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1"}
SMALL = ["--points", "16,12,20", "--spacing", "0.02"]


def fail(text):
    sys.exit(f"check_program: {text}")


class Program:
    def __init__(self, program, kompakt, mpiexec):
        self.program, self.kompakt, self.mpiexec = program, kompakt, mpiexec

    def command(self, arguments, ranks=1):
        front = [] if ranks == 1 else [*self.mpiexec, str(ranks)]
        grid = [] if "--points" in arguments else SMALL
        return [*front, self.program, *grid, *(str(argument) for argument in arguments)]

    def run(self, *arguments, ranks=1, file_limit=None):
        """The finished process; file_limit: bytes that a file may have, as on a full disk."""

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        return subprocess.run(self.command(arguments, ranks), capture_output=True, text=True, timeout=200,
                              env=ENVIRONMENT if ranks == 1 else os.environ, preexec_fn=limit if file_limit else None)

    def good(self, *arguments, **how):
        done = self.run(*arguments, **how)
        if done.returncode != 0:
            fail(f"{done.args}: exit code {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, status, words, *arguments, **how):
        """Expects one line of the program with these words, and the exit code of the status."""
        done = self.run(*arguments, **how)
        lines = [line for line in done.stderr.splitlines() if line.startswith("gray_scott: error: ")]
        if done.returncode != STATUS[status] or len(lines) != 1 or any(word not in lines[0] for word in words):
            fail(f"{done.args}: expected {status}, one line with {words}; "
                 f"exit code {done.returncode}: {done.stdout}{done.stderr}")
        return lines[0]

    def field(self, archive, name):
        """Bytes of a field's values, as the program kompakt reads them."""
        with tempfile.TemporaryDirectory() as folder:
            raw = Path(folder) / "values"
            subprocess.run([self.kompakt, "decompress", "-i", archive, "--name", name, "-o", raw], check=True, capture_output=True)
            return raw.read_bytes()

    def fields(self, archive):
        return [self.field(archive, name) for name in ("u", "v")]


def newest(folder):
    return folder / (folder / "gray-scott.latest").read_text().strip()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def checkpoints_of(program, folder, steps, *arguments, **how):
    folder.mkdir()
    return program.good("--steps", steps, "--checkpoints", folder, "--checkpoint-every", 1, *arguments, **how)


def check_restarts(program, folder):
    whole, parts = folder / "whole", folder / "parts"
    checkpoints_of(program, whole, 8)
    checkpoints_of(program, parts, 4, "--file-a-rank", ranks=2)
    program.good("--steps", 2, "--checkpoints", parts, "--restart", "newest", ranks=4)
    program.good("--steps", 2, "--checkpoints", parts, "--restart", 6, "--snapshots", folder / "run.kpk",
                 "--snapshot-every", 1, "--snapshot-bound", 1e-5)
    for name in ("u", "v"):
        pairs = [array.array("d", program.field(file, field)) for file, field in (
            (newest(whole), name), (newest(parts), name), (folder / "run.kpk", f"{name} step 000008"))]
        uninterrupted, restarted, snapshot = pairs
        if max(abs(a - b) for a, b in zip(uninterrupted, restarted)) > 1e-8:
            fail(f"{name}: a run that was restarted twice is not what an uninterrupted one is")
        if not 0 < max(abs(a - b) for a, b in zip(snapshot, restarted)) <= 1e-5:
            fail(f"{name}: the snapshot is not within its bound")
    with_verify = subprocess.run([program.kompakt, "verify", folder / "run.kpk", newest(parts)], capture_output=True, text=True)
    if with_verify.returncode != 0:
        fail(f"kompakt verify: {with_verify.stdout}{with_verify.stderr}")


def check_full_disk(program, folder):
    checkpoints_of(program, folder, 3)
    before = contents(folder)
    restart = ("--checkpoints", folder, "--restart", "newest")
    program.refused("io", ["step 4 was not saved", "stay", ".kpk", "no space"], "--steps", 1, *restart, file_limit=10000)
    if contents(folder) != before:
        fail("a full disk changed the checkpoints that there were")
    snapshots = folder.parent / "full.kpk"
    program.good("--steps", 2, "--snapshots", snapshots, "--snapshot-every", 1)
    kept = program.field(snapshots, "u step 000002")
    program.refused("io", ["full.kpk"], "--steps", 5, "--snapshots", snapshots, "--snapshot-every", 5,
                    "--snapshot-bound", "lossless", file_limit=20000)
    if program.field(snapshots, "u step 000002") != kept:
        fail("a full disk cost a snapshot that there was")
    program.good("--steps", 1, *restart)


def check_damage(program, folder):
    checkpoints_of(program, folder, 3)
    restart = ("--steps", 0, "--checkpoints", folder, "--restart")
    last = newest(folder)
    before = sorted(folder.glob("*-step-2.kpk"))[0]
    sound = last.read_bytes()
    for damaged in (sound[:-100], sound[:3000] + bytes([sound[3000] ^ 1]) + sound[3001:]):
        last.write_bytes(damaged)
        output = program.good(*restart, "newest")
        if last.name not in output or "step 2," not in output:
            fail(f"a damaged checkpoint is not told, or the one before it was not taken: {output}")
        program.refused("corrupt", [last.name], *restart, 3)
    before.write_bytes(damaged)
    program.refused("corrupt", [last.name, before.name], *restart, "newest")
    last.write_bytes(sound)
    program.good(*restart, "newest")
    program.refused("type_mismatch", ["'u'", "16 x 12 x 20", "16 x 16 x 16"], "--points", 16, *restart, "newest")
    program.refused("bad_argument", ["step"], *restart, 77)


def check_missing_rank(program, folder):
    checkpoints_of(program, folder, 3, "--file-a-rank", ranks=2)
    missing = sorted(folder.glob("*-step-3.rank-1.kpk"))[0]
    missing.unlink()
    output = program.good("--steps", 0, "--checkpoints", folder, "--restart", "newest")
    if missing.name not in output or "step 2," not in output:
        fail(f"a missing file of a rank is not told, or the checkpoint before was not taken: {output}")
    program.refused("corrupt", [missing.name], "--steps", 0, "--checkpoints", folder, "--restart", 3)


def check_faults(program, folder):
    check_full_disk(program, folder / "full")
    check_damage(program, folder / "damage")
    check_missing_rank(program, folder / "missing")
    for arguments, words in (
            (["--snapshot-bound", "much"], ["--snapshot-bound", "'much'"]), (["--points", "1,2"], ["--points"]),
            (["--restart", "newest"], ["--checkpoints"]), (["--sensitivity", "--snapshots", "x.kpk"], ["--sensitivity"]), (["--pipeline", "best"], ["best"]), (["--dt", "-1"], ["--dt"])):
        program.refused("bad_argument", words, *arguments)
    for ranks in (1, 2):
        program.refused("io", ["no/folder"], "--checkpoints", folder / "no" / "folder", ranks=ranks)
    program.refused("buffer_too_small", ["SnapshotStore", "step"], "--steps", 40, "--sensitivity",
                    "--states-bound", "lossless", "--states-memory", 1)


def check_kills(program, folder, count):
    # Neither the points at which it is killed nor how often may change what is computed.
    chance = random.Random(5)
    folder = folder / "killed"
    begin = time.monotonic()
    checkpoints_of(program, folder, 4)
    some_steps = time.monotonic() - begin  # as fast as the disk is
    arguments = ("--checkpoints", folder, "--checkpoint-every", 1, "--restart", "newest", "--steps", 1000000)
    for _ in range(count):
        process = subprocess.Popen(program.command(arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        line = process.stdout.readline()  # which checkpoint it goes on from
        time.sleep(chance.uniform(0, some_steps))
        process.kill()
        rest = process.communicate()[0]
        if b"restored" not in line or b"skipped" in line + rest:
            fail(f"after a kill: {line + rest}")
    output = program.good("--checkpoints", folder, "--restart", "newest", "--steps", 1)
    last = newest(folder)
    steps = int(last.name.split("-step-")[1].split(".")[0])
    if steps < 4 + count // 5:
        fail(f"only {steps} steps were computed, so nothing was tested: {output}")
    names = sorted(path.name for path in folder.iterdir())
    if len(names) != 3:
        fail(f"two checkpoints and which is the newest, not {names}")
    program.good("--steps", steps, "--checkpoints", folder.parent)
    if program.fields(newest(folder.parent)) != program.fields(last):
        fail(f"after {count} kills the state of step {steps} is not that of an uninterrupted run")
    print(f"killed {count} times on the way to step {steps}, with the bits of an uninterrupted run")


def main():
    what, *rest = sys.argv[1:]
    count = int(rest.pop(0)) if what == "kills" else 0
    gray_scott, kompakt, *mpiexec = rest
    program = Program(gray_scott, kompakt, mpiexec)
    with tempfile.TemporaryDirectory() as folder:
        if what == "kills":
            check_kills(program, Path(folder), count)
        else:
            {"restarts": check_restarts, "faults": check_faults}[what](program, Path(folder))


main()
