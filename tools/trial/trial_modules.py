"""The modules of the parts in the order of the page, and the folders that they import from."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / folder) for folder in ("scripts", "tools/compare_ratios", "tools/ratio_speed")]
try:
    import books
    import hdf5_files
    import lossless
    import outliers
    import radius
    import rate_distortion
    import ring
    import scaling
    import science
    import stages
    import time_steps
    import transfer
except ModuleNotFoundError as error:
    sys.exit(f"trial: error: {error.name} is not installed; run scripts/trial after scripts/setup openmp peers hdf5")

MODULES = (rate_distortion, science, time_steps, stages, outliers, radius, books, transfer, scaling, hdf5_files, ring, lossless)
