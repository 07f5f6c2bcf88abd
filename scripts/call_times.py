"""How scripts time calls of Python beside benchmarks in C++."""

import ctypes
import statistics
import time

BOUND_THREADS = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}  # as scripts/bench has it
WARM_UP_CALLS = 2  # as perf_test/support/timing.hpp has them
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt() in glibc
LARGE = 1 << 30


def keep_freed_memory():
    """Lets malloc keep what is freed: else packages that allocate in every call pay for fresh pages each time."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
        mallopt(M_TRIM_THRESHOLD, LARGE)


def median_s(call, samples):
    """As median_s() of perf_test/support/timing.hpp."""
    for _ in range(WARM_UP_CALLS):
        call()
    times = []
    for _ in range(samples):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median_low(times)
