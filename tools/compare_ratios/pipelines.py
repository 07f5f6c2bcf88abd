"""The pipelines of the program kompakt."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy as np
from coded import Coded
from fields import TYPES, BadInput

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREES = ("openmp", "serial", "cuda", "install")  # of the presets, in the order in which they are looked for
CHOSEN_FOR_RATIO = "auto --for ratio"
QUICK_WITHOUT_LOSS = f"auto,{CHOSEN_FOR_RATIO}"
CHOSEN_WITHOUT_LOSS = f"{QUICK_WITHOUT_LOSS},auto --for smallest"
BAD_ARGUMENT = 1  # exit code of the program


class Failure(Exception):
    """The program has failed: one line that says how, what it wrote itself, and its exit code."""

    def __init__(self, line, reason="", code=None):
        super().__init__(line)
        self.reason, self.code = reason, code


def find_program():
    """The first of the build trees, else of the PATH."""
    for tree in TREES:
        program = ROOT / "build" / tree / "bin/kompakt"
        if program.is_file():
            return program
    found = shutil.which("kompakt")
    if not found:
        raise BadInput("no kompakt in build/PRESET/bin or on the PATH; build it or name it with --kompakt")
    return pathlib.Path(found)


def run(*words):
    """Standard output of the program."""
    words = [str(word) for word in words]
    try:
        result = subprocess.run(words, capture_output=True, text=True)
    except OSError as error:
        raise BadInput(f"{words[0]}: {error.strerror}; name the program with --kompakt") from None
    if result.returncode == 0:
        return result.stdout
    reason = (result.stderr.strip() or "no message").splitlines()[-1]
    raise Failure(f"{shlex.join(words)} ended with exit code {result.returncode}: {reason}", reason, result.returncode)


def offered(help_text, option):
    """The words that the help of an option lists behind a colon, without what is in brackets."""
    found = re.search(rf"^ +{option} .*(\n {{20,}}.*)*", help_text, re.MULTILINE)  # wrapped or not
    listed = found[0].partition(":")[2].split(",") if found else []
    if not all(word.split() for word in listed or [""]):
        raise BadInput(f"kompakt compress --help lists no words of {option}; name pipelines with --configs")
    return [word.split()[0] for word in listed]


class Kompakt:
    """A pipeline of the program, by the words of `kompakt compress -c`."""

    def __init__(self, program, words, work):
        self.program, self.name, self.work = program, words, work

    def round_trip(self, field, bound):
        stream, restored = self.work / "stream.kpk", self.work / "restored"
        fill = ["--fill", repr(field.entry.fill)] if bound and field.entry.fill is not None else []
        told = self.compress(field.entry.path, field.entry.dtype, field.entry.shape, bound, stream, fill)
        run(self.program, "decompress", "-i", stream, "-o", restored, "--force", "--json")
        values = np.fromfile(restored, TYPES[field.entry.dtype])
        if values.size != field.values.size:
            raise Failure(f"{self.name} gave {values.size} values for the {field.values.size} of {field.entry.name}")
        coding = ", ".join(str(told[key]) for key in ("pipeline", "variant", "predictor"))
        return Coded(stream.stat().st_size, values.reshape(field.values.shape), coding)

    def compress(self, path, dtype, shape, bound, stream, fill=()):
        """What the program reports. A bound of 0 is none: without loss."""
        mode = ["abs", "-e", repr(bound)] if bound else ["lossless"]
        return json.loads(run(
            self.program, "compress", "-i", path, "-t", dtype, "--shape", ",".join(map(str, shape)), "-m", *mode,
            "-c", *shlex.split(self.name), *fill, "-o", stream, "--force", "--json"))

    def refusal(self, bound=1.0):
        """Why the program does not take these words, tried with a few zeros; None if it does."""
        zeros, shape = self.work / "zeros", (4, 8, 8)
        np.zeros(shape, TYPES["f32"]).tofile(zeros)
        try:
            self.compress(zeros, "f32", shape, bound, self.work / "stream.kpk")
        except Failure as failure:
            if failure.code != BAD_ARGUMENT:
                raise
            return failure.reason
        return None


def named_pipelines(program, configs, work, bound=1.0):
    """Those of --configs, which the program must offer within such a bound."""
    pipelines = [Kompakt(program, " ".join(config.split()), work) for config in configs.split(",") if config.strip()]
    if not pipelines:
        raise BadInput(f"--configs '{configs}': name pipelines such as 'huffman,bitshuffle --variant fz'")
    for pipeline in pipelines:
        refusal = pipeline.refusal(bound)
        if refusal:
            raise BadInput(f"--configs '{pipeline.name}': {refusal}")
    return pipelines


def all_pipelines(program, work, with_predictors):
    """Those of the program's help: with the predictor that it chooses, with each that goes with the pipeline, and
    the choice of them all."""
    help_text = run(program, "compress", "--help")
    predictors = [word for word in offered(help_text, "--predictor") if word != "auto"]
    configs = []
    for pipeline in offered(help_text, "-c"):
        if pipeline != "auto":
            configs.append(pipeline)
            configs += [f"{pipeline} --predictor {word}" for word in predictors if with_predictors]
    pipelines = [Kompakt(program, config, work) for config in configs + [CHOSEN_FOR_RATIO]]
    return [pipeline for pipeline in pipelines if not pipeline.refusal()]


def version_of(program):
    return run(program, "--version").strip()
