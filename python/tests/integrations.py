"""What the tests of other libraries' codecs and backends share: other processes."""

import subprocess
import sys


def run_elsewhere(code: str, *arguments: object) -> str:
    """Run code in another process, which knows nothing of this one; what it said as errors.

    Its sys.argv[1:] are the arguments.
    """
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stderr
