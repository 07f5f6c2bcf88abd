#!/usr/bin/env python3
"""Fails if a page, a public header or a help text has a phrase of BANNED, or if sentences of a page are long, but for INNER ones.

usage: check_prose.py [--statistics] [FILE...]

Pages are README.md, CONTRIBUTING.md and docs/**/*.md, headers are those of include/kompakt, and help texts are the
descriptions of options and verbs in src. Where codespell is installed, it looks for misspelt words.
--statistics prints how long the sentences of each page are, and how many banned phrases there are.
"""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A phrase, and what to write in its place.
BANNED = {
    r"\bthat of\b|\bthose of\b": "repeat the noun",
    r"\bof which\b|\bof whom\b": "begin a new sentence",
    r"\bwhich is none\b|\bthat is none\b|\bare none\b|\bis none of\b": "say what it is instead",
    r"\b(?:is|was|are) said of\b|\bsaid of\b": "name who says it, or state the fact",
    r"(?:^|[.:;] )Who \w+|\b(?:for|by|to|of) who\b": "write 'if you …' or 'callers that …'",
    r"\bwhoever\b|\bwhatever there is\b": "name the subject",
    r"\bin place of\b": "write 'instead of'",
    r"\bthere are those\b|\bas that\b|\bsuch a one\b": "repeat the noun",
    r"\bTODO\b|\bFIXME\b|\bXXX\b": "do it, or file an issue",
}
# A docstring or a list item begins with a noun or a verb.
HEADLESS = re.compile(r"(?:Of|That|Those|As|What|Who|Whose|Where|How|The same)\b")
# A call that describes an option or a verb, or an entry of the table of options.
HELP = re.compile(r"\badd_\w+\s*\(.*?\)\s*(?:;|->)|Kind::\w+,\s*\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
# Pages for developers, whose sentences may be longer.
INNER = ("docs/format.md", "docs/notebook.md")
MEDIAN, LONG, SHARE = 18, 30, 0.9
SHORT_CELL = 8  # cells with so many words are labels, not sentences
CODESPELL_IGNORED = "featur,ans"  # a cut-off word in a picture of the format, and ANS


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def headers():
    return sorted(path for ending in ("hpp", "h") for path in (ROOT / "include/kompakt").rglob(f"*.{ending}"))


def programs():
    return [*sorted((ROOT / "src/programs/cli").rglob("*.cpp")), ROOT / "src/codec/api/option_keys.cpp"]


def blank(match):
    """As many lines as there were, so that numbers of lines stay."""
    return "\n" * match[0].count("\n")


def prose_of_page(text):
    """Without code, comments, generated tables, the targets of links and what is no sentence."""
    text = re.sub(r"^```.*?^```$|^<!-- (?:table:|ratio-speed).*?^<!-- end -->$|<!--.*?-->", blank, text,
                  flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`\n]*`", "code", text)
    return re.sub(r"<[^>\n]*>|\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", text)


def prose_of_header(text):
    """Comments, one paragraph each block of them."""
    lines = []
    for line in text.splitlines():
        comment = re.search(r"(?:^|\s)//[/!]?<?\s?(.*)|^\s*/?\*\*?<?\s(.*?)(?:\*/)?$", line)
        lines.append((comment[1] or comment[2] or "") if comment else "")
    return re.sub(r"`[^`\n]*`", "code", "\n".join(lines))


def prose_of_program(text):
    """Descriptions of options, flags and verbs, each in the line of its call."""
    parts, at = [], 0
    for call in HELP.finditer(text):
        words = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call[0]))
        parts += ["\n" * text.count("\n", at, call.start()), words, blank(call)]
        at = call.end()
    return "".join(parts)


def phrases(prose):
    """Banned phrases with their lines; a phrase may be broken over two lines."""
    for pattern, advice in BANNED.items():
        for match in re.finditer(pattern.replace(" ", r"\s+"), prose, re.MULTILINE):
            yield prose.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), advice


def headless(text):
    """Docstrings that begin without a noun or a verb: the first line of a block of /// or what follows ///<."""
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        inline = re.search(r"(?:///<|/\*\*<) (.*)", line)
        first = re.match(r"\s*/// (.*)", line) if not before.strip().startswith("///") else None
        opening = inline or first or re.match(r"\s*/\*\* (?!<)(.*)", line)
        if opening and HEADLESS.match(opening[1]):
            yield number, opening[1][:40], "begin with a noun or a verb"
        before = line


def sentences(prose):
    """Of paragraphs, list items and long cells of tables."""
    blocks, block = [], []
    for line in [*prose.splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            blocks += [cell for cell in stripped.strip("|").split("|") if len(cell.split()) > SHORT_CELL]
            continue
        if not stripped or stripped.startswith("#") or re.match(r"[-*] |\d+\. ", stripped):
            blocks.append(" ".join(block))
            block = []
        if stripped and not stripped.startswith("#"):
            block.append(re.sub(r"^(?:[-*]|\d+\.) ", "", stripped))
    for text in blocks:
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9(]|code\b)|(?<=:)\s+(?=[A-Z])|(?<=[.!?]\")\s+", text):
            words = re.findall(r"[^\W_][\w'’.,-]*", sentence)
            if len(words) > 1:
                yield len(words), sentence


def share_of_short(lengths):
    return sum(length <= LONG for length in lengths) / len(lengths)


def too_long(name, prose):
    found = sorted(sentences(prose), reverse=True) or [(0, "")]
    lengths = [length for length, _ in found]
    if statistics.median(lengths) > MEDIAN:
        yield f"{name}: the median sentence has {statistics.median(lengths):g} words, more than {MEDIAN}"
    if share_of_short(lengths) < SHARE:
        yield f"{name}: {100 * share_of_short(lengths):.0f} % of the sentences have at most {LONG} words, not {100 * SHARE:.0f} %"
        yield from (f"{name}: {length} words: {text[:100]}…" for length, text in found if length > LONG)


def spelling(paths):
    if not shutil.which("codespell"):
        print("skipped by name: codespell is not installed")
        return []
    ran = subprocess.run(["codespell", "--ignore-words-list", CODESPELL_IGNORED, *paths], capture_output=True, text=True)
    return ran.stdout.splitlines()


def main(words):
    show = "--statistics" in words
    chosen = {pathlib.Path(word).resolve() for word in words if not word.startswith("--")}
    found, count = [], 0
    for paths, prose_of in ((pages(), prose_of_page), (headers(), prose_of_header), (programs(), prose_of_program)):
        for path in paths:
            if chosen and path not in chosen:
                continue
            text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
            prose = prose_of(text)
            wrong = [*phrases(prose), *(headless(text) if prose_of is prose_of_header else ())]
            count += len(wrong)
            found += [f"{name}:{line}: '{phrase}': {advice}" for line, phrase, advice in sorted(wrong)]
            if prose_of is prose_of_page and not name.startswith(INNER):
                found += too_long(name, prose)
            lengths = sorted(length for length, _ in sentences(prose)) if prose_of is prose_of_page else []
            if show and lengths:
                print(f"{name}: {len(lengths)} sentences, median {statistics.median(lengths):g} words, "
                      f"90 % at most {lengths[int(0.9 * (len(lengths) - 1))]}, longest {lengths[-1]}; {len(wrong)} phrases")
            elif show and wrong:
                print(f"{name}: {len(wrong)} phrases")
    if show:
        print(f"{count} banned phrases")
    if not chosen:
        found += spelling([str(path) for path in pages() + headers()])
    return "\n".join(found) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
