"""Plots of the pages, as SVG: small, the same file wherever it is drawn, and held to the runs that they are of."""

import argparse
import hashlib
import io
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


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


def picture_of_runs(script, usage, picture, runs, read, draw, page=None, with_tables=None):
    """main() of a script that draws a picture from reports of benchmarks, and may write the tables of a page.

    script   its name, without suffix
    picture  where the picture is in the tree
    runs     names of the reports in docs/performance
    read     makes of the reports what is drawn; raises ValueError or KeyError if they cannot be it
    draw     makes a figure and its title of that; its second argument is the module of load_matplotlib()
    page     where the page is in the tree
    with_tables  makes of its text, and of what is drawn, the text with tables of these runs
    returns  0, or a message for sys.exit()
    """
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, say whether the picture is of the runs")
    parser.add_argument("runs", nargs="*", type=pathlib.Path, metavar="RUN",
                        default=[ROOT / "docs/performance" / run for run in runs])
    arguments = parser.parse_args()
    try:
        data = [run.read_bytes() for run in arguments.runs]
        digest = hashlib.sha256(b"".join(data)).hexdigest()
        lines = read([json.loads(text) for text in data])
        old = (ROOT / page).read_text(encoding="utf-8") if page else ""
        new = with_tables(old, lines) if page else ""
        if arguments.check:
            if old == new and digest in (ROOT / picture).read_text(encoding="utf-8"):
                return 0
            what = f"{picture} or {page}" if page else picture
            return f"{what} is not of {' and '.join(run.name for run in arguments.runs)}; run scripts/{script}.py"
        plots = load_matplotlib()
        figure, title = draw(lines, plots)
        write_svg(plots, figure, ROOT / picture, f"<title>{title}</title><desc>sha256 {digest}</desc>")
        if page:
            (ROOT / page).write_text(new, encoding="utf-8")
        return 0
    except (OSError, ValueError, KeyError) as error:
        return f"{script}: error: {error}"
