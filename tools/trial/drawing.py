"""Lines, colours and axes that the pictures share."""

import math

from parts import Picture
from picture import STYLES
from tables import geometric_mean
from text_table import bound_name

# The colours of tools/ratio_speed, and one for each compressor that is not drawn there.
LOOKS = {**STYLES, "for ratio": ("#8f3f71", "^", "-"), "for smallest": ("#8f3f71", "v", ":"), "rans": ("#a6761d", "o", "-"),
         "bitshuffle fz": ("#56b4e9", "o", "-"), "sperr": ("#b3261e", "D", "--"), "sz3-interpolation": ("#000000", "s", ":"),
         "sz3-lorenzo": ("#000000", "o", ":")}
OTHERS = [("#0072b2", "o", "-"), ("#b84a00", "s", "-"), ("#007a5a", "^", "-"), ("#8f3f71", "D", "--"), ("#000000", "v", "--"),
          ("#a6761d", "P", ":"), ("#56b4e9", "X", ":"), ("#606060", "o", ":")]
MANY = [colour for colour, _, _ in OTHERS] + ["#e69f00", "#cc79a7", "#999933", "#332288"]
SPOKEN = {"sz3": "SZ3", "zfp": "zfp", "sperr": "SPERR", "sz3-interpolation": "SZ3, interpolation", "sz3-lorenzo": "SZ3, Lorenzo",
          "blosc2": "Blosc2", "for ratio": "ours, for ratio", "for smallest": "ours, smallest"}
PANEL = (3.5, 2.7)  # inches
ALONE = 6.0  # width of the only panel
SHORTEST = 2.5  # from the first to the last value of a logarithmic axis


def spoken(name):
    return SPOKEN.get(name, name)


def look(name, number=0):
    return LOOKS.get(name) or OTHERS[number % len(OTHERS)]


def grid(plots, count, columns=3):
    """A figure with so many panels, and these in a row."""
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    width = PANEL[0] * columns if columns > 1 else ALONE
    figure, axes = plots.pyplot.subplots(rows, columns, figsize=(width, PANEL[1] * rows + 0.5), squeeze=False)
    panels = list(axes.flat)
    for empty in panels[count:]:
        empty.set_axis_off()
    return figure, panels[:count]


def line(axes, name, points, number=0, **options):
    """Points of a compressor, joined in their order."""
    colour, marker, dashes = look(name, number)
    points = [point for point in points if None not in point]
    if points:
        axes.plot(*zip(*points), color=colour, marker=marker, linestyle=dashes, markersize=4, linewidth=1.3, label=spoken(name),
                  **options)


def legend(figure, panels):
    """One legend of all panels above them."""
    found = {}
    for axes in panels:
        handles, names = axes.get_legend_handles_labels()
        found.update(zip(names, handles))
    columns = min(int(figure.get_figwidth() / 1.7), len(found))
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=columns, fontsize=9)


def tick_text(value):
    """A number of an axis without three decimals, which write_svg would round."""
    if 0.01 <= value < 1e4:
        return f"{value:g}"
    exponent = math.floor(math.log10(value) + 1e-9)
    digits = f"{value / 10.0**exponent:.3g}"
    return ("" if digits == "1" else f"{digits}·") + bound_name(f"1e{exponent}")


def plain_log(axes, name):
    """A logarithmic axis with ticks at 1, 2 and 5 where it is short; one that is too short for these stays linear."""
    from kompakt.report.ticks import log_ticks  # needs matplotlib, without which a trial measures all the same

    axis = getattr(axes, f"{name}axis")
    low, high = axis.get_data_interval()
    if high < SHORTEST * low:
        return
    getattr(axes, f"set_{name}scale")("log")
    log_ticks(axis, *sorted(axis.get_view_interval()))
    axis.set_major_formatter(lambda value, _: tick_text(value))


def lines_picture(plots, name, caption, panels, xlabel, ylabel, log="xy", columns=3):
    """A Picture of panels: by title, a dictionary of points by name. Labels of x are one, or one for each panel."""
    figure, all_axes = grid(plots, len(panels), columns)
    labels = [xlabel] * len(panels) if isinstance(xlabel, str) else xlabel
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    for axes, label, (title, lines) in zip(all_axes, labels, panels.items()):
        for each, points in lines.items():
            line(axes, each, points, names.index(each))
        for letter in log:
            plain_log(axes, letter)
        axes.set(xlabel=label, ylabel=ylabel)
        axes.set_title(title, loc="left", fontsize=10)
    legend(figure, all_axes)
    return Picture(name, caption, figure)


def grouped(rows, *keys):
    """Rows by the values of some keys, in their order."""
    found = {}
    for row in rows:
        key = tuple(row[name] for name in keys)
        found.setdefault(key[0] if len(keys) == 1 else key, []).append(row)
    return found


def mean_of(rows, key):
    """The geometric mean of the positive values of a key, None without any."""
    values = [row[key] for row in rows if row.get(key)]
    return geometric_mean(values) if values else None


def number(value, digits=3):
    """A number as a table has it."""
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"
