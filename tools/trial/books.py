"""Books: the dictionary of `huffman` beside a book made for each field, by size and family of fields."""

import drawing
import numpy as np
from checked import timed
from drawing import grouped, mean_of, number
from parts import Table

NAME = "books"
TITLE = "Dictionary and own book"
LEAD = ("Ratio and speed of `huffman` with a book out of the dictionary and with a book of the field, by size and family, after Tables 2 "
        "to 4 and Figs. 4 to 8 of the Lightweight Huffman paper. A smaller size is the beginning of the field.")
VARIANTS = {"dictionary": "dictionary", "own book": "custom"}
SIZES = tuple(1 << power for power in range(12, 23, 2))  # values
SHARE = "1e-3"
FIELDS, QUICK_FIELDS = 14, 5


def beginning(values, count):
    """The first planes, or the first values, of a field: about `count`, and None where it has less."""
    if values.size < count:
        return None
    plane = values[0].size if values.ndim > 1 else 1
    return values[:count // plane] if count >= 4 * plane else np.ascontiguousarray(values.ravel()[:count])


def measure(trial):
    rows = []
    for subject in trial.fields.some(QUICK_FIELDS if trial.quick else FIELDS):
        trial.say(subject.name)
        for count in SIZES:
            part = beginning(subject.field.values, count)
            if part is None or np.ptp(part) == 0:
                continue
            for name, variant in VARIANTS.items():
                found = timed(part, float(SHARE) * subject.field.range, trial.samples, trial.space, pipeline="huffman",
                              variant=variant, fill_value=None)
                rows.append({"family": subject.field.entry.kind, "field": subject.name, "values": count,
                             "contender": f"huffman, {name}", "own": name == "own book", **found})
    return {"rows": rows}


def pairs(rows):
    """Pairs of rows, the dictionary's first, by field and size."""
    return {key: (next(row for row in pair if not row["own"]), next(row for row in pair if row["own"]))
            for key, pair in grouped(rows, "field", "values").items()}


def tables(data):
    by_size = [[f"{count:,}".replace(",", " "), str(len(rows) // 2),
                *(number(mean_of([row for row in rows if row["own"] == own], key))
                  for key in ("ratio", "compress_gbps", "decompress_gbps") for own in (False, True))]
               for count, rows in sorted(grouped(data["rows"], "values").items())]
    largest = {}
    for (field, count), pair in pairs(data["rows"]).items():
        largest[field] = (count, pair)
    by_field = [[pair[0]["family"], field, str(count), number(pair[0]["ratio"], 4), number(pair[1]["ratio"], 4),
                 f"{pair[0]['compress_gbps'] / pair[1]['compress_gbps']:.2f}", str(pair[0]["violations"] + pair[1]["violations"])]
                for field, (count, pair) in largest.items()]
    return [Table("books_by_size", "Geometric means by size",
                  ["values", "fields", "ratio, dictionary", "ratio, own book", "compress GB/s, dictionary", "own book",
                   "decompress GB/s, dictionary", "own book"], by_size),
            Table("books_by_field", "The largest size of each field",
                  ["family", "field", "values", "ratio, dictionary", "ratio, own book", "speed, dictionary / own", "outside"], by_field)]


def pictures(data, plots):
    panels = {title: {field: [(pair[0]["values"], pair[0][key] / pair[1][key]) for (name, _), pair in pairs(data["rows"]).items()
                              if name == field] for field in grouped(data["rows"], "field")}
              for key, title in (("ratio", "ratio"), ("compress_gbps", "speed of compression"))}
    return [drawing.lines_picture(plots, "books", "Above 1 the dictionary is better than the field's own book.", panels, "values",
                                  "dictionary / own book", columns=2)]
