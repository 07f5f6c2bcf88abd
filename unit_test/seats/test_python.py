#!/usr/bin/env python3
"""The Python package over the coder and the predictor of this folder: their words, round trips, and what it says of streams.

usage: test_python.py MODULE PACKAGE    the compiled module, and the folder of the package's files
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

TEXT = "abs:1e-3,pipeline=toy,predictor=offset"


def require(condition, what):
    if not condition:
        sys.exit(f"test_python: {what}")


def main(module, package):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(package, Path(folder, "kompakt"))
        shutil.copy2(module, Path(folder, "kompakt"))
        sys.path.insert(0, folder)
        import kompakt
        from kompakt import _core
        require("toy" in _core.option_words("pipeline") and "offset" in _core.option_words("predictor"), "words are not listed")

        field = np.sin(np.linspace(0, 20, 16000, dtype="f4")).reshape(100, 160)
        stream = kompakt.compress(field, TEXT)
        require(stream == kompakt.compress(field, 1e-3, "abs", "toy", predictor="offset"), "arguments differ from their text")
        info = kompakt.inspect(stream)
        require((info.pipeline, info.method) == ("toy", "offset"), f"the stream is said to be {info.pipeline}, {info.method}")
        require(np.abs(kompakt.decompress(stream) - field).max() <= 1e-3, "outside of the bound")
        region = kompakt.decompress_region(stream, np.s_[10:20, 5:])
        require(np.array_equal(region, kompakt.decompress(stream)[10:20, 5:]), "a region is not a part of the whole")

        path = Path(folder, "a.kpk")
        with kompakt.Archive(path, "w") as archive:
            archive.append("t", field, bound=TEXT)
        with kompakt.open(path) as archive:
            require(archive["t"].info.pipeline == "toy", "the field of an archive has another pipeline")
            require(np.array_equal(archive["t"][...], kompakt.decompress(stream)), "the field of an archive differs")


if __name__ == "__main__":
    main(*sys.argv[1:])
