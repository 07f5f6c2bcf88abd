#!/usr/bin/env python3
"""What README.md and docs/integrations/python.md show: the code between marks is printed there.

usage: PYTHONPATH=… python.py; writes into a folder that it removes. Ends with 77 where a package is missing.
"""

import atexit
import os
import shutil
import sys
import tempfile

try:
    import numpy as np

    import kompakt
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.chdir(folder)

field = np.cumsum(np.random.default_rng(1).standard_normal((32, 64, 64)), axis=2).astype("f4")
steps = [field + step for step in range(3)]


def first():
    temperature = field
    # [readme]
    import kompakt

    stream = kompakt.compress(temperature, 1e-3)  # within 1e-3 of max - min
    restored = kompakt.decompress(stream)
    # [/readme]
    assert np.abs(restored.astype("f8") - temperature).max() <= 1e-3 * np.ptp(temperature.astype("f8"))


def use():
    # [python use]
    stream = kompakt.compress(field, 1e-3, mode="r2r")  # bytes; the pipeline is chosen by a sample
    again = kompakt.decompress(stream)
    part = kompakt.decompress_region(stream, np.s_[10:20, :, 5])
    info = kompakt.inspect(stream)
    print(info.ratio, info.resolved_bound, kompakt.compare(field, again, info).max_abs_error)
    # [/python]
    assert np.array_equal(part, again[10:20, :, 5])
    assert kompakt.compare(field, again, info).violations == 0


def archive():
    # [python archive]
    with kompakt.Archive("run.kpk", "w") as archive:
        archive.append("t", field, {"units": "K"}, bound=0.01, mode="abs")
    with kompakt.open("run.kpk") as archive:
        corner = archive["t"][:4, :4, :4]  # reads those chunks alone
    # [/python]
    assert np.abs(corner - field[:4, :4, :4]).max() <= 0.01


def again():
    # [python again]
    options = {"bound": 0.01, "mode": "abs", "pipeline": "bitshuffle"}
    room = np.empty(kompakt.max_compressed_bytes(field, **options), "u1")
    values = np.empty_like(field)
    for step in steps:
        stream = kompakt.compress(step, **options, out=room)  # a view of the first bytes of room
        kompakt.decompress(stream, out=values)
    # [/python]
    assert np.abs(values.astype("f8") - steps[-1]).max() <= 0.01


def device():
    import torch

    # [python device]
    x = torch.randn(128, 256, 256, device="cuda").cumsum(2)
    room = torch.empty(kompakt.max_compressed_bytes(x), dtype=torch.uint8, device="cuda")
    stream = kompakt.compress(x, 1e-3, pipeline="fixedlength", out=room)  # a tensor, on the device
    y = kompakt.decompress(stream, like=x)
    # [/python]
    bound = kompakt.inspect(stream).resolved_bound
    assert y.is_cuda and float((y.double() - x.double()).abs().max()) <= bound


first()
use()
archive()
again()
try:
    import torch

    has_device = torch.cuda.is_available() and kompakt._core.has_space(2)
except ImportError:
    has_device = False
if has_device:
    device()
