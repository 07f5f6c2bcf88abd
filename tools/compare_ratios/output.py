"""What a script writes while it runs and at its end."""

import contextlib
import datetime
import json
import os
import shlex
import sys

from fields import BadInput


class Progress:
    """One line on a terminal that says what is being compressed."""

    def __init__(self, total):
        self.total, self.done, self.shown = total, 0, sys.stderr.isatty()

    def step(self, *words):
        self.done += 1
        self.write(f"{self.done}/{self.total} {' '.join(words)}"[:78])

    def write(self, line):
        if self.shown:
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.write("")


@contextlib.contextmanager
def complete_file(path):
    """A file that has its name only when it is complete."""
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        with partial.open("w", newline="") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; name a file that can be written") from None
    finally:
        partial.unlink(missing_ok=True)


def text_of_lists(facts, **lists):
    """JSON of facts and lists, with one line for each item of a list."""
    text = json.dumps({**facts, **dict.fromkeys(lists)}, indent=1)
    for name, items in lists.items():
        lines = ",\n  ".join(map(json.dumps, items))
        text = text.replace(f'\n "{name}": null', f'\n "{name}": [\n  {lines}\n ]')
    return text + "\n"


def run_facts(words, arguments, options):
    """The time, and what was called: words, which name no folders of this machine, and the options that decide the figures."""
    for name in options:
        value = getattr(arguments, name)
        if value is not None and value is not False:
            words = [*words, f"--{name}", *([] if value is True else [str(value)])]
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "command": shlex.join(words)}
