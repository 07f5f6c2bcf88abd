#!/usr/bin/env python3
"""The operator through the package adios2 of Python: what one process writes another one reads, and every value is checked
exactly."""

import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from client_case import (BOUND, field, main_of, require, require_bound, require_relative, require_same,
                         require_smaller, skip)
import numpy as np

try:
    import adios2
except ImportError as missing:
    skip(missing)

OPERATOR = {"PluginName": "kompakt", "PluginLibrary": "kompakt_adios2"}
XML = """<?xml version="1.0"?>
<adios-config>
  <io name="run">
    <engine type="BP5"/>
    <variable name="x">
      <operation type="plugin">
        <parameter key="PluginName" value="kompakt"/>
        <parameter key="PluginLibrary" value="kompakt_adios2"/>
        <parameter key="bound" value="BOUND"/>
      </operation>
    </variable>
  </io>
</adios-config>
"""
READER = """
import sys
import adios2
import numpy as np
with adios2.FileReader(sys.argv[1]) as file:
    steps = int(file.available_variables()["x"]["AvailableStepsCount"])
    values = file.read("x", step_selection=[0, steps])
np.save("read.npy", values)
"""


def write(name, values, engine="BP5", steps=1, blocks=1, **parameters):
    """Writes `values` + 0, 1, … in so many steps, each in blocks along the first index."""
    adios = adios2.Adios()
    io = adios.declare_io("write")
    io.set_engine(engine)
    variable = io.define_variable("x", values, values.shape, [0] * values.ndim, values.shape)
    variable.add_operation(adios.define_operator("kompakt", "plugin", {**OPERATOR, **parameters}))
    with adios2.Stream(io, name, "w") as file:
        for step in file.steps(steps):
            moved = values + values.dtype.type(step.current_step()) if step.current_step() else values
            write_blocks(file, variable, moved, blocks)


def write_blocks(file, variable, values, blocks):
    begin = 0
    for block in np.array_split(values, blocks):
        variable.set_selection([[begin] + [0] * (values.ndim - 1), list(block.shape)])
        file._engine.put(variable, np.ascontiguousarray(block), adios2.bindings.Mode.Sync)
        begin += len(block)


def python(program, *arguments, code=0, **environment):
    """Runs a program of Python in another process; returns what it prints."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], text=True, capture_output=True, check=False,
                          env={**os.environ, **environment})
    require(done.returncode == code, f"ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def read(name, shape, **environment):
    python(READER, name, **environment)
    return np.load("read.npy").reshape(shape)


def refused(call, kind, *words):
    try:
        call()
    except kind as error:
        require(all(word in str(error) for word in ("the operator kompakt", *words)), f"{error} does not say {words}")
        return
    raise AssertionError(f"nothing was refused: {words}")


def finite(dtype="f4", shape=(32, 40, 50)):
    x = field(dtype, shape)
    x[~np.isfinite(x)] = 0
    return x


def bounds():
    """Every mode and pipeline."""
    for dtype in ("f4", "f8"):
        x = field(dtype)
        for parameters in ({}, {"pipeline": "huffman", "pack": "true"}, {"pipeline": "fixedlength"}, {"pipeline": "rans"},
                           {"pipeline": "bitshuffle", "predictor": "interpolate"}, {"variant": "fz"}, {"fill": "auto"}):
            write("a.bp", x, bound=str(BOUND), **parameters)
            require_bound(x, read("a.bp", x.shape))
            require_smaller("a.bp/data.0", x, 1.8)
        x = finite(dtype)
        write("a.bp", x, mode="r2r", bound="1e-3")
        require_bound(x, read("a.bp", x.shape), float(np.ptp(x.astype("f8"))) * 1e-3)
        write("a.bp", x, mode="r2r", bound="1e-3", range="100")
        require_bound(x, read("a.bp", x.shape), 0.1)
        write("a.bp", x, mode="psnr", bound="60")
        rmse = np.sqrt(np.mean((x.astype("f8") - read("a.bp", x.shape)) ** 2))
        require(20 * np.log10(np.ptp(x.astype("f8")) / rmse) >= 60 - 1e-9, "PSNR")
        x = x[:4]
        write("a.bp", x, mode="pwr", bound="1e-2")
        require_relative(x, read("a.bp", x.shape), 1e-2)
        write("a.bp", x, mode="lossless")
        require_same(x, read("a.bp", x.shape))


def fill_values():
    """What stands for no value comes back bit for bit, whether it is found or declared."""
    for fill, parameters in ((1e20, {}), (-999.9, {"fill": "auto/-999.9"})):
        x = finite()
        x[:, 5:20, 7:30] = fill
        write("a.bp", x, bound=str(BOUND), **parameters)
        y = read("a.bp", x.shape)
        missing = x == np.float32(fill)
        require(np.array_equal(y == np.float32(fill), missing), f"{fill} has moved")
        require(0 < np.abs(y - x)[~missing].max() <= BOUND, "bound")


def engines():
    """Those that allocate for the longest block, and those that do not; with values that nothing makes smaller, too."""
    x = field("f4", (20, 30, 40))
    noise = np.random.default_rng(5).integers(0, 2**32, 50000, dtype="u4").view("f4")
    for engine in ("BP5", "BP4", "BP3"):
        name = f"{engine}.bp"  # a folder or a file
        write(name, x, engine, bound=str(BOUND))
        require_bound(x, read(name, x.shape))
        for values in (noise, noise[:1], noise[:7]):
            write(name, values, engine, mode="lossless")
            require_same(values, read(name, values.shape))


def blocks():
    """Several steps and blocks, selections across blocks, ranks 1 to 10, blocks without values."""
    x = finite("f8")
    write("a.bp", x, steps=3, blocks=5, bound=str(BOUND))
    for step, found in enumerate(read("a.bp", (3, *x.shape))):
        require_bound(x + step, found)
    with adios2.FileReader("a.bp") as file:
        part = file.read("x", start=[5, 3, 7], count=[20, 10, 11], step_selection=[1, 1])
    require_bound((x + 1)[5:25, 3:13, 7:18], part.reshape(20, 10, 11))
    for shape in ((1,), (5000,), (1, 3, 1), (3, 4, 5, 6, 7), (2,) * 10):
        x = field("f4", shape)
        write("a.bp", x, bound=str(BOUND))
        require_bound(x, read("a.bp", shape))
    x = field("f4", (3, 40))
    write("a.bp", x, blocks=5, bound=str(BOUND))  # two of them are empty
    require_bound(x, read("a.bp", x.shape))


def integers():
    """They are exact; those of 8 bits with a sign are characters to the package."""
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        info = np.iinfo(code)
        x = np.random.default_rng(3).integers(info.min, info.max, (40, 50), dtype=code, endpoint=True)
        x[10:30] = 7
        write("a.bp", x, bound=str(BOUND))
        require_same(x, read("a.bp", x.shape))


def listing():
    """Who only lists needs no plugin."""
    x = finite()
    write("a.bp", x, steps=2, bound=str(BOUND))
    program = "import adios2; print(adios2.FileReader('a.bp').available_variables()['x'])"
    for path in (os.environ["ADIOS2_PLUGIN_PATH"], "/nowhere"):
        found = python(program, ADIOS2_PLUGIN_PATH=path)
        require("'Shape': '32, 40, 50'" in found and "'AvailableStepsCount': '2'" in found, found)


def xml():
    """The operator is chosen by a file, and the program knows nothing of it."""
    x = field()
    np.save("x.npy", x)
    program = ("import adios2, numpy; x = numpy.load('x.npy'); io = adios2.Adios('run.xml').declare_io('run')\n"
               "v = io.define_variable('x', x, x.shape, [0, 0, 0], x.shape)\n"
               "with adios2.Stream(io, 'a.bp', 'w') as file:\n    file.write(v, x)\n")
    pathlib.Path("run.xml").write_text(XML.replace("BOUND", str(BOUND)), encoding="utf-8")
    python(program)
    require_bound(x, read("a.bp", x.shape))
    require_smaller("a.bp/data.0", x)
    # ADIOS2 lets no exception through here: it ends the program, with what was thrown.
    pathlib.Path("run.xml").write_text(XML.replace("BOUND", "many"), encoding="utf-8")
    require("'many'" in python(program, code=-signal.SIGABRT), "the message")


def bad_parameters():
    define = adios2.Adios().define_operator
    for word, parameters in (("'many'", {"bound": "many"}), ("-1", {"bound": "-1"}), ("sharp", {"mode": "sharp", "bound": "1"}),
                             ("zip", {"bound": "1", "pipeline": "zip"}), ("crystal", {"bound": "1", "predictor": "crystal"}),
                             ("maybe", {"bound": "1", "pack": "maybe"}), ('"0"', {"bound": "1", "threads": "0"}),
                             ("abacus", {"bound": "1", "space": "abacus"}), ('"bond"', {"bond": "1"}),
                             ('no parameter "bound"', {})):
        refused(lambda: define(f"bad {word}", "plugin", {**OPERATOR, **parameters}), ValueError, word)


def aborted():
    """Where ADIOS2 lets no exception through, it ends the program with the message, before anything is written."""
    program = ("import adios2, numpy; x = numpy.zeros(9); io = adios2.Adios().declare_io('w')\n"
               f"io.define_variable('x', x, [9], [0], [9]).add_operation_string('plugin', {OPERATOR | {'bound': 'many'}})")
    found = python(program, code=-signal.SIGABRT)
    require("the operator kompakt" in found and "'many'" in found, found)


def damaged():
    """Bytes of blocks that were altered or are missing; whatever is read otherwise is within the bound."""
    x = finite()
    write("a.bp", x, bound=str(BOUND))
    sound = pathlib.Path("a.bp/data.0").read_bytes()
    begin = sound.index(b"KPA2")

    def get():
        with adios2.FileReader("a.bp") as file:
            return file.read("x")

    length = len(sound) - begin
    for at in [*range(40), *np.random.default_rng(2).integers(0, length // 2, 40)]:
        altered = bytearray(sound)
        altered[begin + at] ^= 1 << at % 8
        pathlib.Path("a.bp/data.0").write_bytes(altered)
        refused(get, RuntimeError, "variable x")
    altered = sound[:begin + length // 3] + bytes(len(sound) - begin - length // 3)
    pathlib.Path("a.bp/data.0").write_bytes(altered)
    refused(get, RuntimeError, "variable x")
    pathlib.Path("a.bp/data.0").write_bytes(sound)
    require_bound(x, get().reshape(x.shape))


def missing_plugin():
    """Writing and reading without the plugin are errors of ADIOS2 that name it."""
    x = finite()
    write("a.bp", x, bound=str(BOUND))
    found = python(READER, "a.bp", code=1, ADIOS2_PLUGIN_PATH="/nowhere")
    require("kompakt_adios2" in found, found)
    program = f"import adios2; adios2.Adios().define_operator('k', 'plugin', {OPERATOR | {'bound': '1'}})"
    found = python(program, code=1, ADIOS2_PLUGIN_PATH="/nowhere")
    require("kompakt_adios2" in found, found)


def environment():
    """Spaces and threads by variables and parameters; the bytes are the same."""
    x = field()
    write("a.bp", x, bound=str(BOUND), space="serial")
    first = pathlib.Path("a.bp/data.0").read_bytes()
    program = "import sys; sys.argv[0] = ''; sys.path.insert(0, sys.argv[1]); import test_adios2 as t, numpy\n"
    program += "t.write('b.bp', numpy.load('x.npy'), bound=str(t.BOUND), **eval(sys.argv[2]))"
    np.save("x.npy", x)
    here = str(pathlib.Path(__file__).parent)
    for parameters, variables in (({}, {}), ({"threads": "3"}, {}), ({}, {"KOMPAKT_ADIOS2_THREADS": "1"}),
                                  ({}, {"KOMPAKT_ADIOS2_SPACE": "serial"})):
        python(program, here, repr(parameters), **variables)
        require(pathlib.Path("b.bp/data.0").read_bytes() == first, f"other bytes with {parameters} {variables}")
        require_bound(x, read("b.bp", x.shape, **variables))
    for name, value in (("SPACE", "abacus"), ("THREADS", "many")):
        found = python(READER, "b.bp", code=1, **{f"KOMPAKT_ADIOS2_{name}": value})
        require("the operator kompakt" in found and value in found, found)


def read_in_fork(results):
    with adios2.FileReader("a.bp") as file:
        results.put(file.read("x"))


def processes():
    """A process that was forked from one that has used the operator."""
    x = field()
    write("a.bp", x, bound=str(BOUND))
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=read_in_fork, args=(results,))
    child.start()
    require_bound(x, results.get(timeout=60).reshape(x.shape))
    child.join()


def older_adios2():
    """openPMD-api has an ADIOS2 of its own inside. One with another interface is refused, and does not crash."""
    try:
        import openpmd_api
    except ImportError as missing_openpmd:
        skip(missing_openpmd)
    if not openpmd_api.variants.get("adios2"):
        skip("this openPMD-api has no ADIOS2")
    options = {"adios2": {"dataset": {"operators": [{"type": "plugin", "parameters": OPERATOR | {"bound": "1"}}]}}}
    program = ("import json, numpy, openpmd_api as io\n"
               f"series = io.Series('run%T.bp', io.Access.create, json.dumps({options}))\n"
               "x = numpy.zeros((8, 8)); mesh = series.iterations[0].meshes['x']\n"
               "mesh.reset_dataset(io.Dataset(x.dtype, x.shape)); mesh.store_chunk(x); series.close()")
    found = python(program, code=-signal.SIGABRT)
    require("the operator kompakt: this operator was built for ADIOS2" in found, found)


if __name__ == "__main__":
    main_of({test.__name__: test for test in (bounds, fill_values, engines, blocks, integers, listing, xml, bad_parameters, aborted,
                                              damaged, missing_plugin, environment, processes, older_adios2)},
            "ADIOS2_PLUGIN_PATH=…")
