"""A page of HTML on how close a reconstruction is to its field, and on what bounds cost.

``python -m kompakt.report FIELD STREAM -o report.html`` or, from Python, ``main(["field.npy", "field.kpk", "-o",
"report.html"])``. Needs matplotlib.
"""

from .command import main

__all__ = ["main"]
