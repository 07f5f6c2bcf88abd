#!/usr/bin/env python3
"""Fails if a page, a public header or a text of the library has a phrase of BANNED, or if its sentences are long.

usage: check_prose.py [--statistics] [FILE...]

Pages are README.md, CONTRIBUTING.md, SECURITY.md, CODE_OF_CONDUCT.md, docs/**/*.md and the README.md of every folder. Headers are the
files of include/kompakt. Texts of the library are string literals of its C++ code (errors, notes and help), and errors and docstrings of its Python package. Where codespell is installed,
it looks for misspelt words in all of these.
--statistics prints how long the sentences of each page are, and how many banned phrases there are.
"""

import ast
import itertools
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
# Comments, raw strings, strings and characters of C++, and what ends a statement.
TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[;{}]', re.DOTALL)
MEDIAN, LONG, SHARE = 18, 30, 0.9
SHORT_CELL = 8  # cells with so many words are labels, not sentences
# Words that codespell does not know: ANS, a cut-off word in a picture of the format, a unit of longitudes in CF.
ALLOWED_WORDS = ("ans", "featur", "degreeE", "degreee")
# scripts/setup docs installs it there.
CODESPELL = shutil.which("codespell") or shutil.which("codespell", path=ROOT / ".deps/docs/bin")


def pages():
    folders = ("src", "backends", "tools", "examples", "python")
    readmes = sorted(path for folder in folders for path in (ROOT / folder).rglob("README.md"))
    return [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT")), *sorted((ROOT / "docs").rglob("*.md")), *readmes]


def headers():
    return sorted(path for ending in ("hpp", "h") for path in (ROOT / "include/kompakt").rglob(f"*.{ending}"))


def sources():
    return sorted(path for folder in ("src", "include", "python/src/bindings") for ending in ("hpp", "cpp", "h")
                  for path in (ROOT / folder).rglob(f"*.{ending}"))


def modules():
    return sorted((ROOT / "python/src/kompakt").rglob("*.py"))


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


def gap(code):
    """What stands between two literals of a statement: nothing, the end of an argument or of an alternative, or a value."""
    code = code.strip()
    return ". " if code.startswith((",", ":")) or code.endswith(",") else "x" if code else ""


def literals_of(text):
    """The string literals of each statement of C++, as one text that has several words, and its line."""
    literals = []
    for token in TOKENS.finditer(text):
        if token[0].startswith('"'):
            literals.append(token)
        elif token[0] in ";{}" and literals:
            words = literals[0][0][1:-1]
            for before, after in itertools.pairwise(literals):
                words += gap(text[before.end():after.start()]) + after[0][1:-1]
            if " " in words:
                yield text.count("\n", 0, literals[0].start()) + 1, words.replace("\\n", ". ")
            literals = []


def errors_of(tree):
    """Texts of exceptions that are raised, with a word for each value in them."""
    for raised in (node for node in ast.walk(tree) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
        for argument in raised.exc.args:
            if isinstance(argument, ast.JoinedStr):
                yield raised.lineno, "".join(part.value if isinstance(part, ast.Constant) else "x" for part in argument.values)
            elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield raised.lineno, argument.value


def docstrings_of(tree):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in (node for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)):
        yield node.body[0].lineno, re.sub(r"``?[^`\n]*``?", "code", ast.get_docstring(node, clean=False))


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


def wrong_in_page(text):
    return phrases(prose_of_page(text))


def wrong_in_header(text):
    yield from phrases(prose_of_header(text))
    yield from headless(text)


def wrong_in_messages(messages):
    """Banned phrases and long sentences of texts that stand in a line each."""
    for line, words in messages:
        yield from ((line, phrase, advice) for _, phrase, advice in phrases(words))
        for sentence in re.split(r"[.;:]\s+", words):
            if len(sentence.split()) > LONG:
                yield line, f"{sentence[:60]}…", f"it has more than {LONG} words"


def wrong_in_source(text):
    return wrong_in_messages(literals_of(text))


def wrong_in_module(text):
    tree = ast.parse(text)
    yield from wrong_in_messages(errors_of(tree))
    for line, words in docstrings_of(tree):
        yield from ((line + at - 1, phrase, advice) for at, phrase, advice in phrases(words))
        if HEADLESS.match(words):
            yield line, words[:40], "begin with a noun or a verb"


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
    if not CODESPELL:
        print("skipped by name: codespell is not installed (scripts/setup docs installs it)")
        return []
    ran = subprocess.run([CODESPELL, "--ignore-words-list", ",".join(ALLOWED_WORDS), *paths], capture_output=True, text=True)
    return ran.stdout.splitlines()


def main(words):
    show = "--statistics" in words
    chosen = {pathlib.Path(word).resolve() for word in words if not word.startswith("--")}
    found, count = [], 0
    kinds = ((pages(), wrong_in_page), (headers(), wrong_in_header), (sources(), wrong_in_source), (modules(), wrong_in_module))
    for paths, wrong_in in kinds:
        for path in paths:
            if chosen and path not in chosen:
                continue
            text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
            wrong = sorted(wrong_in(text))
            count += len(wrong)
            found += [f"{name}:{line}: '{phrase}': {advice}" for line, phrase, advice in wrong]
            prose = prose_of_page(text) if wrong_in is wrong_in_page else ""
            if prose:
                found += too_long(name, prose)
            lengths = sorted(length for length, _ in sentences(prose))
            if show and lengths:
                print(f"{name}: {len(lengths)} sentences, median {statistics.median(lengths):g} words, "
                      f"90 % at most {lengths[int(0.9 * (len(lengths) - 1))]}, longest {lengths[-1]}; {len(wrong)} phrases")
            elif show and wrong:
                print(f"{name}: {len(wrong)} phrases")
    if show:
        print(f"{count} banned phrases")
    if not chosen:
        found += spelling(sorted(str(path) for path in {*pages(), *headers(), *sources(), *modules(), ROOT / "CHANGELOG.md"}))
    return "\n".join(found) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
