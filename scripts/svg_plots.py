"""Plots of the pages, as SVG: small, and the same file wherever it is drawn."""

import io
import re


def load_matplotlib():
    """The module, set up for write_svg(); a ValueError if it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise ValueError("drawing needs matplotlib; install it with: pip install matplotlib") from None
    matplotlib.use("svg")
    # The same file wherever it is drawn; on white, since pages may be dark.
    matplotlib.rcParams.update({
        "svg.hashsalt": "kompakt", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
        "figure.facecolor": "white", "savefig.facecolor": "white", "axes.facecolor": "white",
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "axes.titlesize": 11, "grid.color": "#e0e0e0", "grid.linewidth": 0.6, "legend.frameon": False,
        "figure.constrained_layout.use": True,
    })
    import matplotlib.pyplot  # noqa: F401, gives matplotlib.pyplot
    return matplotlib


def compact(svg):
    """A line a group of shapes, with coordinates to a hundredth and without what is not drawn."""
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"-?\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = re.sub(r"(font-family:) '[^;\"]*", r"\1 sans-serif", svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"\s+", " ", svg).replace("> <", "><")
    return re.sub(r"(?<!<g>)(?=<g)", "\n", svg) + "\n"


def write_svg(plots, figure, path, head=""):
    """Writes a figure and closes it; `head` stands in front of what is drawn, such as <title> and <desc>."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(re.sub(r"<svg [^>]*>", lambda match: match[0] + head, compact(text.getvalue()), count=1))
    plots.pyplot.close(figure)
