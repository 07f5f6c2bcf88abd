"""Counts the values of a reconstruction that break a bound. Nothing of the library is used, and nothing is rounded."""

import fractions

import numpy as np


def count_violations(x, y, bound):
    """Values of y that break the promise for x, and the largest error of the finite values.

    The promise: |x - y| <= bound in exact arithmetic where x is finite, the same bits where it is
    not. Single precision becomes double precision exactly. The difference of two doubles is rounded,
    but rounding never carries a number across `bound`, itself a double: less means less, greater means
    greater. Only where the rounded difference equals the bound, exact fractions decide.
    """
    finite = np.isfinite(x)
    bits = np.dtype(f"u{x.dtype.itemsize}")
    violations = int(np.count_nonzero(x.view(bits)[~finite] != y.view(bits)[~finite]))
    a, b = x[finite].astype(np.float64), y[finite].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the largest double is beyond the bound
        error = np.abs(a - b)
    violations += int(np.count_nonzero(~(error <= bound)))  # a NaN in b counts
    exact_bound = fractions.Fraction(bound)
    for i in np.flatnonzero(error == bound):
        exact = abs(fractions.Fraction(float(a[i])) - fractions.Fraction(float(b[i])))
        violations += exact > exact_bound
    return violations, float(error.max(initial=0))
