#!/usr/bin/env python3
"""What docs/integrations/adios2.md shows of Python: the code between "[adios2 NAME]" and "[/adios2]" is printed there.

usage: ADIOS2_PLUGIN_PATH=… adios2.py, in a folder of its own. Ends with 77 where the package adios2 is missing.
"""

import sys

sys.path.pop(0)  # where this file has the name of the package
try:
    import adios2
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

field = np.cumsum(np.random.default_rng(1).standard_normal((64, 64, 64)), axis=2).astype("f4")

# [adios2 python]
adios = adios2.Adios()
io = adios.declare_io("run")
kompakt = adios.define_operator("kompakt", "plugin", {
    "PluginName": "kompakt", "PluginLibrary": "kompakt_adios2", "bound": "0.01"})  # |x - x'| <= 0.01
variable = io.define_variable("t", field, field.shape, [0, 0, 0], field.shape)
variable.add_operation(kompakt)
with adios2.Stream(io, "run.bp", "w") as file:
    for _ in file.steps(3):
        file.write(variable, field)

with adios2.FileReader("run.bp") as file:  # who reads needs to know nothing
    restored = file.read("t", step_selection=[2, 1])
# [/adios2]
assert np.abs(field.astype("f8") - restored.reshape(field.shape)).max() <= 0.01
