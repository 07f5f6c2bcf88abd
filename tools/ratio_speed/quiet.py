"""Times that other work on the machine has not disturbed."""

import os
import pathlib
import time

MOST_BY_OTHERS = 0.04  # of the processors, while something is measured
PAUSE_S = 1.0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
IDLE = (3, 4)  # columns of /proc/stat: nothing to do, waiting for a disk


def busy_s():
    """Seconds that all processors have worked for anyone, a hypervisor's other guests included, or None where the
    system does not say."""
    try:
        ticks = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    return TICK_S * sum(int(word) for column, word in enumerate(ticks) if column not in IDLE)


def own_s():
    """Seconds that processors have worked for this process and for children that have ended."""
    return sum(os.times()[:4])


class Quiet:
    """Measures again what other work has disturbed, until it has waited for all patience, in seconds."""

    def __init__(self, patience_s, busy=busy_s, own=own_s, clock=time.monotonic, sleep=time.sleep):
        self.patience_s, self.busy, self.own, self.clock, self.sleep = patience_s, busy, own, clock, sleep
        self.again = self.disturbed = 0

    def now(self):
        return self.clock(), self.own(), self.busy()

    def was_quiet(self, begin):
        if begin[2] is None:
            return True
        wall, own, busy = (end - start for start, end in zip(begin, self.now()))
        # A tick is counted for whoever runs at its end, so short measurements need room for one or two.
        return busy - own <= MOST_BY_OTHERS * os.cpu_count() * wall + 2 * TICK_S

    def wait(self):
        while self.patience_s > 0:
            begin = self.now()
            self.sleep(PAUSE_S)
            self.patience_s -= PAUSE_S
            if self.was_quiet(begin):
                return

    def measured(self, call):
        """What call() gives; `again` and `disturbed` count what was thrown away, and what was kept all the same."""
        while True:
            begin = self.now()
            result = call()
            if self.was_quiet(begin):
                return result
            if self.patience_s <= 0:
                self.disturbed += 1
                return result
            self.again += 1
            self.wait()
