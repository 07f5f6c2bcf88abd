"""Raw fields beside a manifest.json, with what their bounds are relative to."""

import json
import math
import pathlib

import numpy as np
from exact_errors import count_violations

TYPES = {"f32": np.dtype("<f4"), "f64": np.dtype("<f8")}
NO_KIND = "-"
BOUNDS = "1e-2,1e-3,1e-4"


class BadInput(Exception):
    """What was asked for cannot be done; one line that says why."""


class Entry:
    """A field as a manifest describes it, beside the file, which is read by Field."""

    def __init__(self, folder, entry):
        manifest = folder / "manifest.json"
        try:
            self.name, self.dtype, self.path = str(entry["name"]), entry["dtype"], folder / entry["file"]
            self.shape = tuple(int(extent) for extent in entry["shape"])
            self.fill = None if entry.get("fill") is None else float(entry["fill"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{manifest}: {error!r} of a field; give name, file, dtype, shape and fill") from None
        self.kind = entry.get("domain") or NO_KIND
        if self.dtype not in TYPES:
            raise BadInput(f"{manifest}: dtype {self.dtype!r} of {self.name} is not one of {', '.join(TYPES)}")
        if not self.path.is_file():
            raise BadInput(f"{self.path}: no such file; {manifest} names it")
        self.raw_bytes = math.prod(self.shape) * TYPES[self.dtype].itemsize
        found = self.path.stat().st_size
        if not self.shape or min(self.shape) < 1 or found != self.raw_bytes:
            raise BadInput(f"{self.path}: {found} bytes are no field of {'x'.join(map(str, self.shape))} {self.dtype}")


class Field:
    """The values of an entry, where they are fill values, and the range of the others."""

    def __init__(self, entry):
        self.entry = entry
        self.values = np.fromfile(entry.path, TYPES[entry.dtype]).reshape(entry.shape)
        self.is_fill = self.find_fill(entry.fill)
        finite = self.values[np.isfinite(self.values) & ~self.is_fill]
        self.all_finite = finite.size + np.count_nonzero(self.is_fill) == self.values.size
        self.range = float(finite.max()) - float(finite.min()) if finite.size else 0.0

    def find_fill(self, fill):
        if fill is None:
            return np.zeros(self.values.shape, bool)
        with np.errstate(over="ignore"):
            return np.isnan(self.values) if math.isnan(fill) else self.values == self.values.dtype.type(fill)

    def different(self, restored):
        """Where the bits of values are not the same."""
        bits = np.dtype(f"u{self.values.itemsize}")
        return self.values.view(bits) != np.ascontiguousarray(restored).view(bits)

    def check(self, restored, bound):
        """How many values of a reconstruction break the promise for this field, fill values among them that are not
        the same bit for bit, and the largest error of the others. Within a bound of 0, all bits must be the same."""
        if bound == 0:
            return int(np.count_nonzero(self.different(restored))), math.nan
        lost = np.count_nonzero(self.different(restored) & self.is_fill)
        violations, largest = count_violations(self.values[~self.is_fill], restored[~self.is_fill], bound)
        return violations + int(lost), largest


def read_folder(folder):
    """The entries of a folder's manifest.json, in its order."""
    path = pathlib.Path(folder) / "manifest.json"
    try:
        entries = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}; give a folder of raw fields with a "
                       "manifest.json") from None
    if not isinstance(entries, list) or not entries:
        raise BadInput(f"{path}: not a list of fields")
    return [Entry(path.parent, entry) for entry in entries]


def read_folders(folders):
    """Pairs of a folder, as a word, and an entry."""
    entries = [(str(folder), entry) for folder in folders for entry in read_folder(folder)]
    seen = set()
    for folder, entry in entries:
        if (folder, entry.name) in seen:
            raise BadInput(f"{folder}: two fields are called {entry.name}; rename one in the manifest")
        seen.add((folder, entry.name))
    return entries


def bound_of(field, share):
    """The share of a field's range, 0 for no loss, or None where that is no bound."""
    bound = share * field.range if share else 0.0
    return bound if not share or 0 < bound < math.inf else None


def parse_bounds(words):
    """The number of each word of --bounds."""
    bounds = {}
    for word in words.split(","):
        try:
            bounds[word] = float(word)
        except ValueError:
            bounds[word] = math.nan
        if not 0 < bounds[word] < math.inf:
            raise BadInput(f"--bounds: '{word}' is not a positive number; give some such as {BOUNDS}")
    return bounds
