"""The page of a trial, its tables as Markdown and its pictures as SVG."""

import pathlib
import re
from html import escape
from importlib import resources
from string import Template

import bench_table
import contenders
import reports
import svg_plots
from drawing import spoken
from kompakt.report import page as report_page

LONG = 30  # rows of a table that is shown at once
INTRO = ("Each section is a figure or a table of the papers on cuSZ, FZ-GPU, cuSZp2 and Lightweight Huffman, measured on this machine "
         "with our pipelines beside their peers.")


def verdict(report):
    """Two sentences: how many values of ours are outside their bound, and how many of each peer."""
    counts, peers = reports.violations(report), contenders.names_of_peers()
    ours = sum(count for name, count in counts.items() if name not in peers)
    others = "; ".join(f"{spoken(name)}: {count}" for name, count in counts.items() if name in peers)
    words = f"Values of kompakt outside their bound: {ours}." + (f" Peers: {others}." if others else "")
    return f'<p class="verdict {"bad" if ours else "good"}"><b>{"✕" if ours else "✓"}</b> {escape(words)}</p>'


def prose(text):
    """A text as HTML, with what stands between backquotes as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))


def figure(picture):
    return (f'<figure><picture><img src="pictures/{picture.name}.svg" alt="{escape(picture.caption, quote=True)}"></picture>'
            f"<figcaption>{prose(picture.caption)}</figcaption></figure>")


def section(module, part, pictures):
    """The section of one part, or why there is none."""
    words = "".join(f"<p>{prose(line)}</p>" for line in filter(None, [module.LEAD, *part.get("data", {}).get("notes", [])]))
    if "data" not in part:
        words += f'<p class="verdict plain">{escape(part["state"])}: {escape(part["reason"])}</p>'
        return f'<section id="{module.NAME}"><h2>{escape(module.TITLE)}</h2>{words}</section>'
    tables = "".join(map(shown_table, module.tables(part["data"])))
    figures = f'<div class="grid one">{"".join(map(figure, pictures))}</div>' if pictures else ""
    return (f'<section id="{module.NAME}"><h2>{escape(module.TITLE)}</h2>{words}{figures}{tables}'
            f"<p>{taken(part)}</p></section>")


def taken(part):
    """Words on the time of a part and on how quiet the machine was."""
    others = f"; other work had {100 * part['others']:.0f} % of the processors" if "others" in part else ""
    return f"{part['seconds']:.0f} s{others}"


def is_number(cell):
    return bool(re.fullmatch(r"[–\d.\s%e-]*|\d+(\.\d+)? to .*", cell))


def shown_table(table):
    """A table under its title: texts to the left, numbers to the right; a long one behind its title."""
    words = [not all(is_number(row[column]) for row in table.rows) for column in range(len(table.headings))]

    def line(cells, tag):
        marked = (f"<{tag} class=words>{escape(cell)}" if word else f"<{tag}>{escape(cell)}" for cell, word in zip(cells, words))
        return f"<tr>{f'</{tag}>'.join(marked)}</{tag}></tr>"
    body = "".join(line(row, "td") for row in table.rows)
    shown = f'<div class="scroll" tabindex="0"><table><thead>{line(table.headings, "th")}</thead><tbody>{body}</tbody></table></div>'
    if len(table.rows) > LONG:
        return f"<details><summary>{escape(table.title)}: {len(table.rows)} rows</summary>{shown}</details>"
    return f"<h3>{escape(table.title)}</h3>{shown}"


def style():
    """The style of the report's page."""
    text = resources.files(report_page.__package__).joinpath("template.html").read_text(encoding="utf-8")
    return text.partition("<style>")[2].partition("</style>")[0].strip()


def write_tables(out, module, data):
    for table in module.tables(data):
        text = f"{table.title}\n\n{bench_table.markdown(table.headings, table.rows)}\n"
        (out / "tables" / f"{table.name}.md").write_text(text, encoding="utf-8")


def write_kept(out, report, modules):
    """What docs/performance keeps of a trial: its tables, and what they depend on."""
    parts = {module.NAME: report["parts"][module.NAME] for module in modules if module.NAME in report["parts"]}
    kept = {key: value for key, value in report.items() if key != "parts"}
    kept["parts"] = {name: {key: value for key, value in part.items() if key != "data"} for name, part in parts.items()}
    kept["tables"] = {table.name: {"title": table.title, "headings": table.headings, "rows": table.rows} for module in modules
                      if "data" in parts.get(module.NAME, {}) for table in module.tables(parts[module.NAME]["data"])}
    (out / reports.KEPT).write_text(reports.text_of(kept), encoding="utf-8")


def write_pictures(out, module, data, plots):
    """The pictures of a part, written; without their figures, which are closed."""
    drawn = module.pictures(data, plots) if plots else []
    for picture in drawn:
        svg_plots.write_svg(plots, picture.figure, out / "pictures" / f"{picture.name}.svg", f"<title>{escape(picture.caption)}</title>")
    return drawn


def write(out, report, modules):
    """Writes tables, pictures and index.html from the report alone."""
    for folder in ("tables", "pictures"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    plots, sections = svg_plots.load_matplotlib(), []
    for module in modules:
        part = report["parts"].get(module.NAME)
        if part is None:
            continue
        drawn = []
        if "data" in part:
            write_tables(out, module, part["data"])
            drawn = write_pictures(out, module, part["data"], plots)
        sections.append((module, section(module, part, drawn)))
    write_kept(out, report, modules)
    template = Template(pathlib.Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        style=style(), intro=escape(INTRO), verdict=verdict(report), sections="".join(text for _, text in sections),
        links="".join(f'<a href="#{module.NAME}">{escape(module.TITLE)}</a>' for module, _ in sections),
        command=escape(report["command"]), machine=report_page._pairs(list(report["machine"].items())),
        notes="".join(f"<p>{escape(note)}</p>" for note in report["notes"]))
    (out / "index.html").write_text(text, encoding="utf-8")
