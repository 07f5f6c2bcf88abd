"""Tables for a terminal, and words in tables."""

import math


def bound_name(text):
    """A power of ten as such, 10⁻³ for 1e-3, and any other number as it is."""
    exponent = round(math.log10(float(text)))
    if float(f"1e{exponent}") != float(text):
        return text
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def print_table(headings, rows, text_columns):
    """The first columns to the left, the others, numbers, to the right, and an empty line behind."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    for line in [headings, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) if i < text_columns else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
    print(flush=True)
