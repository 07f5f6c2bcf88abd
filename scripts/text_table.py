"""Tables for a terminal."""


def print_table(headings, rows, text_columns):
    """The first columns to the left, the others, numbers, to the right, and an empty line behind."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    for line in [headings, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) if i < text_columns else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
    print(flush=True)
