"""Words that options take, as types for checkers; python/tests/test_types.py holds them equal to the library's table."""

from __future__ import annotations

from typing import Literal

Mode = Literal["abs", "r2r", "pwr", "psnr", "lossless"]
Pipeline = Literal["auto", "fixedlength", "bitshuffle", "huffman", "rans"]
Goal = Literal["ratio", "speed", "balanced", "smallest"]
Variant = Literal["auto", "plain", "outlier", "fz", "nested", "custom", "dictionary"]
Predictor = Literal["auto", "chain", "tile", "interpolate"]
Space = Literal["default", "serial", "openmp", "cuda"]
#: What a bound means for a reconstruction that is compared with its original.
ComparedMode = Literal["abs", "pwr", "lossless"]
#: Groups of numbers that a comparison makes.
Group = Literal["ssim", "autocorrelation", "histogram", "entropy"]
ArchiveMode = Literal["r", "w", "x", "a", "r+"]
