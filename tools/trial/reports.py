"""The report of a trial as JSON: each row on a line of its own, as cells of columns."""

import json
import re

from fields import BadInput
from output import complete_file

NAME, KEPT = "trial.json", "kept.json"


def packed(rows):
    """Columns, and the cells of each row."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return {"columns": columns, "cells": [[row.get(key) for key in columns] for row in rows]}


def unpacked(table):
    """Rows again; a key whose cell is null and that not every row has is left out."""
    return [{key: cell for key, cell in zip(table["columns"], cells) if cell is not None or key not in ("refused", "violations")}
            for cells in table["cells"]]


def text_of(value):
    """JSON in which a list of numbers and texts stands on one line."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return re.sub(r"\[\n([^\[\]{}]*?)\n *\]", lambda found: "[" + re.sub(r" *\n *", " ", found[1].strip()) + "]", text) + "\n"


def write(path, report):
    parts = {}
    for name, part in report["parts"].items():
        data = {key: packed(value) if is_rows(value) else value for key, value in part.get("data", {}).items()}
        parts[name] = {**part, **({"data": data} if "data" in part else {})}
    with complete_file(path) as file:
        file.write(text_of({**report, "parts": parts}))


def is_rows(value):
    """Whether a value is a list of flat dictionaries."""
    return isinstance(value, list) and bool(value) and all(map(is_flat, value))


def is_flat(row):
    return isinstance(row, dict) and not any(isinstance(cell, (list, dict)) for cell in row.values())


def read(path):
    """The report with its rows as dictionaries."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}; run scripts/trial first") from None
    for part in report["parts"].values():
        for key, value in part.get("data", {}).items():
            if isinstance(value, dict) and set(value) == {"columns", "cells"}:
                part["data"][key] = unpacked(value)
    return report


def violations(report):
    """By contender: values outside the bound, over all parts."""
    counts = {}
    for part in report["parts"].values():
        for row in part.get("data", {}).get("rows", []):
            if "violations" in row:
                counts[row["contender"]] = counts.get(row["contender"], 0) + row["violations"]
    return counts
