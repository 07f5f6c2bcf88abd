"""Words of the library as types for checkers, and numbers of some. Written by scripts/constants.py, and never by hand."""

from __future__ import annotations

from typing import Dict, Literal

Mode = Literal["abs", "r2r", "pwr", "psnr", "lossless"]
Pipeline = Literal["auto", "huffman", "bitshuffle", "fixedlength", "rans"]
Goal = Literal["ratio", "speed", "balanced", "smallest"]
Variant = Literal["plain", "outlier", "auto", "fz", "nested", "custom", "dictionary"]
Predictor = Literal["auto", "chain", "tile", "interpolate"]
Space = Literal["default", "serial", "openmp", "cuda"]
Group = Literal["ssim", "autocorrelation", "histogram", "entropy"]
SPACES: Dict[Space, int] = {"default": -1, "serial": 0, "openmp": 1, "cuda": 2}
GROUPS: Dict[Group, int] = {"ssim": 1, "autocorrelation": 2, "histogram": 4, "entropy": 8}
