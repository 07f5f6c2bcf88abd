"""The fields of a trial: a folder of the user's, the demo's fields, and the generated smooth ones."""

import os
import pathlib
import typing

import smooth_fields
from fields import Field, read_folder

TEST_DATA = "KOMPAKT_TEST_DATA"
SMOOTH, GIVEN, DEMO = "smooth", "data", "demo"
QUICK_FIELDS = 3  # of each set


class Subject(typing.NamedTuple):
    """A field and the set that it is from."""
    group: str
    field: Field

    @property
    def name(self):
        return self.field.entry.name


def readable(entries):
    """Fields with a range, which a bound can be a share of."""
    return [field for field in map(Field, entries) if 0 < field.range < float("inf")]


def different(fields, count):
    """The largest field of each kind, first of all kinds that are seldom seen, and so many of these."""
    largest = {}
    for field in fields:
        kept = largest.get(field.entry.kind)
        if kept is None or field.values.nbytes > kept.values.nbytes:
            largest[field.entry.kind] = field
    rest = [field for field in fields if field not in largest.values()]
    return [*largest.values(), *rest][:count]


class FieldSets:
    """All fields, read once, and a line for each set that is not there."""

    def __init__(self, root, out, quick):
        smooth_fields.write_all(out / "smooth")
        self.notes, self.entries, folders = [], {}, {SMOOTH: out / "smooth"}
        given = os.environ.get(TEST_DATA)
        if given:
            folders[GIVEN] = pathlib.Path(given)
        else:
            self.notes.append(f"the fields of {TEST_DATA} left out: the variable names no folder")
            folders[DEMO] = root / ".deps/fields"
        self.all = []
        for group, folder in folders.items():
            if not (folder / "manifest.json").is_file():
                self.notes.append(f"the fields of {group} left out: the folder has no manifest.json")
                continue
            entries = read_folder(folder)
            self.entries.update({entry.name: (group, entry) for entry in entries if entry.name not in self.entries})
            fields = readable(entries)
            self.all += [Subject(group, field) for field in (different(fields, QUICK_FIELDS) if quick else fields)]

    def named(self, *names):
        """The first field that has one of some names, also one that a quick trial leaves out, else None."""
        found = next((self.entries[name] for name in names if name in self.entries), None)
        return Subject(found[0], Field(found[1])) if found else None

    def whole(self):
        """Fields without fill values, NaN and infinities."""
        return [subject for subject in self.all if subject.field.all_finite and not subject.field.is_fill.any()]

    def some(self, count):
        """As many whole fields as asked for, from all sets in turn."""
        groups = {}
        for subject in self.whole():
            groups.setdefault(subject.group, []).append(subject)
        turns = [fields[turn] for turn in range(count) for fields in groups.values() if turn < len(fields)]
        return turns[:count]
