"""The picture: ratio over throughput, a line for each compressor, a panel for each group and direction."""

from points import OPERATIONS, SMALLEST, distinct, lines_of
from text_table import bound_name

# A hue for each coder, which the common kinds of colour blindness keep apart (Okabe and Ito, 2008), darkened for text.
# Nothing is told by colour alone: lines have labels, interpolation has squares, peers have dashes.
STYLES = {
    "fixedlength": ("#b84a00", "o", "-"), "bitshuffle": ("#0072b2", "o", "-"), "huffman": ("#007a5a", "o", "-"),
    "bitshuffle, interpolate": ("#0072b2", "s", "-"), "huffman, interpolate": ("#007a5a", "s", "-"),
    SMALLEST: ("#8f3f71", "^", ":"), "sz3": ("#000000", "D", "--"), "zfp": ("#606060", "D", "--"),
}
LABELS = {"bitshuffle, interpolate": "bitshuffle,\ninterpolate", "huffman, interpolate": "huffman,\ninterpolate",
          SMALLEST: "smallest of ours\nfor each field", "sz3": "SZ3 (1 thread)", "zfp": "zfp (1 thread)"}
TICKS = [digit * 10.0**power for power in range(-3, 5) for digit in (1, 2, 5)]
WORTH_DRAWING = 1.05
# Where a label may stand: at which point of its line, how many points of type off it, and aligned how.
PLACES = [(at, *side)
          for side in (((7, 0), "left", "center"), ((0, 6), "center", "bottom"), ((-7, 0), "right", "center"),
                       ((0, -6), "center", "top"), ((0, 9), "center", "bottom"), ((5, 5), "left", "bottom"),
                       ((-5, 5), "right", "bottom"), ((5, -5), "left", "top"), ((-5, -5), "right", "top"))
          for at in (0, -1)]


def drawn_lines(report, group):
    """The lines of a group; that of the smallest streams only where no pipeline alone comes near it."""
    lines = lines_of(report, group)
    smallest = [point["ratio"] for line in lines if line.name == SMALLEST for point in line.points()]
    alone = [line for line in lines if line.name != SMALLEST and line.name not in report["peers"]]
    best = [max(point["ratio"] for point in at) for at in zip(*(line.points() for line in alone))]
    gains = any(ratio > WORTH_DRAWING * other for ratio, other in zip(smallest, best))
    return [line for line in lines if line.name != SMALLEST or gains]


def log_axis(axes, name, values):
    """Logarithmic, with ticks at 1, 2 and 5 and room for labels around the values."""
    low, high = min(values) / 1.6, max(values) * 2
    axes.set(**{f"{name}scale": "log", f"{name}lim": (low, high)})
    axis = getattr(axes, f"{name}axis")
    axis.set_ticks([tick for tick in TICKS if low <= tick <= high])
    axis.set_ticks([], minor=True)
    axis.set_major_formatter("{x:g}")


def places_of(points, word):
    return [(point[f"{word}_gbps"], point["ratio"]) for point in points]


def tail_of(line, word):
    """From the middle bound's point to that of one thread; nothing if there is one thread only."""
    if line.one_thread() in (None, line.points()):
        return []
    middle = len(line.points()) // 2
    return [places_of(points, word)[middle] for points in (line.points(), line.one_thread())]


def draw_line(axes, line, word):
    colour, marker, dashes = STYLES[line.name]
    axes.plot(*zip(*places_of(line.points(), word)), color=colour, marker=marker, linestyle=dashes, markersize=5,
              linewidth=1.5, zorder=3)
    if tail_of(line, word):
        axes.plot(*zip(*tail_of(line, word)), color=colour, linewidth=0.9, marker=marker, markersize=4,
                  markevery=[1], markerfacecolor="white", zorder=2)


def boxes_along(plots, axes, places):
    """What points and the lines between them cover."""
    if not places:
        return []
    points = axes.transData.transform(places)
    on_lines = [start + (end - start) * share for start, end in zip(points, points[1:])
                for share in (k / 20 for k in range(1, 20))]
    return [plots.transforms.Bbox([place - size, place + size])
            for size, covered in ((4, points), (2, on_lines)) for place in covered]


class Label:
    """The name of a line, beside it."""

    def __init__(self, axes, line, word):
        self.axes, self.places = axes, places_of(line.points(), word)
        self.text = axes.annotate(LABELS.get(line.name, line.name), self.places[0], xytext=(0, 0),
                                  textcoords="offset points", color=STYLES[line.name][0], fontsize=8.5,
                                  linespacing=0.95)

    def box_at(self, at, offset, across, up):
        """Puts it there, and says what it covers then."""
        self.text.xy = self.places[at]
        self.text.set(position=offset, horizontalalignment=across, verticalalignment=up)
        return self.text.get_window_extent()

    def free_places(self, taken):
        """Where it covers nothing, with what it covers there."""
        boxes, panel = {place: self.box_at(*place) for place in PLACES}, self.axes.bbox
        return {place: box for place, box in boxes.items()
                if panel.x0 <= box.x0 and box.x1 <= panel.x1 and panel.y0 <= box.y0 and box.y1 <= panel.y1
                and not any(box.overlaps(other) for other in taken)}


def arranged(choices, taken=()):
    """A place out of each of some choices, where no label covers another; None if there is no such arrangement."""
    if not choices:
        return []
    for place, box in choices[0].items():
        if not any(box.overlaps(other) for other in taken):
            others = arranged(choices[1:], [*taken, box])
            if others is not None:
                return [place, *others]
    return None


def write_bounds(axes, line, word):
    """Beside the points of a line; what that covers."""
    return [axes.annotate(bound_name(point["bound"]), place, xytext=(7, 0), textcoords="offset points",
                          verticalalignment="center", color="#404040", fontsize=8).get_window_extent()
            for point, place in zip(line.points(), places_of(line.points(), word))]


def write_labels(plots, axes, lines, word):
    taken = write_bounds(axes, max(lines, key=lambda line: line.points()[0][f"{word}_gbps"]), word)
    for line in lines:
        for places in (places_of(line.points(), word), tail_of(line, word)):
            taken += boxes_along(plots, axes, places)
    labels = [Label(axes, line, word) for line in lines]
    choices = [label.free_places(taken) or {PLACES[0]: label.box_at(*PLACES[0])} for label in labels]
    for label, place in zip(labels, arranged(choices) or [next(iter(choice)) for choice in choices]):
        label.box_at(*place)


def draw_panel(axes, report, group, word):
    points = report["points"]
    log_axis(axes, "x", [point[f"{word}_gbps"] for point in points])
    log_axis(axes, "y", [point["ratio"] for point in points if point["group"] == group])
    axes.set(xlabel="GB/s", ylabel="ratio")
    axes.set_title(f"{group}: {word}ion", loc="left", fontsize=10)
    for line in drawn_lines(report, group):
        draw_line(axes, line, word)


def heading(report):
    bounds = ", ".join(map(bound_name, distinct(report["points"], "bound")))
    return (f"Ratio and throughput within {bounds} of the range, geometric means\n"
            f"{report['machine']}; open marks: one thread")


def draw(plots, report):
    groups = distinct(report["points"], "group")
    figure, rows = plots.pyplot.subplots(len(groups), 2, figsize=(8.4, 0.5 + 3.1 * len(groups)), squeeze=False,
                                         dpi=72)  # that of SVG, in which labels are measured
    figure.suptitle(heading(report), fontsize=10)
    panels = [(axes, group, word) for group, row in zip(groups, rows) for axes, word in zip(row, OPERATIONS)]
    for axes, group, word in panels:
        draw_panel(axes, report, group, word)
    figure.canvas.draw()  # settles the layout, which labels go by
    for axes, group, word in panels:
        write_labels(plots, axes, drawn_lines(report, group), word)
    return figure
