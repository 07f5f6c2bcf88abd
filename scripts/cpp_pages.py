#!/usr/bin/env python3
"""Makes the C++ reference of the site: a page of Markdown for each public header, from Doxygen's XML.

usage: cpp_pages.py XML_FOLDER PAGES_FOLDER

Names of namespaces `impl`, and undocumented members whose declaration has one, are left out.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

WIDTH = 84  # of a line of code, so that no block scrolls
LABELS = {"param": "Parameter", "templateparam": "Template parameter", "exception": "Throws", "return": "Returns",
          "note": "Note", "see": "See", "warning": "Warning"}
COMPOUNDS = {"struct", "class", "concept", "union"}


def words_of(node, known):
    """The text of an element, in Markdown."""
    if node is None:
        return ""
    parts = [escaped(node.text)]
    for child in node:
        parts += [inline(child, known), escaped(child.tail)]
    return "".join(parts)


def escaped(text):
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", text or "")


def plain(node):
    return "".join(node.itertext()) if node is not None else ""


def inline(node, known):
    if node.tag == "computeroutput":
        return f"`{plain(node)}`"
    if node.tag == "ref":
        label = known.get(node.get("refid"))
        return f"[`{plain(node)}`](#{label})" if label else f"`{plain(node)}`"
    if node.tag == "verbatim":
        return f"\n\n```cpp\n{plain(node).strip()}\n```\n\n"
    if node.tag == "itemizedlist":
        items = [" ".join(words_of(item, known).split()) for item in node.findall("listitem")]
        return "\n\n" + "\n".join(f"- {item}" for item in items) + "\n\n"
    if node.tag in ("parameterlist", "simplesect"):
        return ""  # stands behind the text
    text = words_of(node, known)
    return f"{text}\n\n" if node.tag == "para" else text


def sections(node, known):
    """Parameters, errors, results and notes of a description."""
    for found in node.iter():
        if found.tag == "parameterlist":
            for item in found.findall("parameteritem"):
                names = ", ".join(f"`{plain(name)}`" for name in item.iter("parametername"))
                yield LABELS[found.get("kind")], f"{names}: {one_line(item.find('parameterdescription'), known)}"
        elif found.tag == "simplesect":
            yield LABELS.get(found.get("kind"), found.get("kind")), one_line(found, known)


def one_line(node, known):
    return " ".join(words_of(node, known).split())


def description(member, known):
    brief, details = (member.find(f"{kind}description") for kind in ("brief", "detailed"))
    lines = [re.sub(r"\n{3,}", "\n\n", "\n\n".join(words_of(node, known).strip() for node in (brief, details)
                                                       if node is not None)).strip()]
    lists = {}
    for label, text in sections(details, known) if details is not None else ():
        lists.setdefault(label, []).append(text)
    lines += ["\n".join(f"- **{label}** {text}" for label, texts in lists.items() for text in texts)]
    return "\n\n".join(line for line in lines if line)


def spaced(code):
    """Code as the project writes it, on one line: Doxygen has spaces inside < > and in front of & and *."""
    code = " ".join(code.replace("impl::", "").split())
    code = re.sub(r"< ", "<", re.sub(r" >", ">", code))
    code = re.sub(r" ([&*]+)(?=[,)>]|$)", r"\1", code)
    code = re.sub(r" ([&*]+) ?(?=[\w.(])", r"\1 ", code)
    return re.sub(r"(?<=[\w>]) ?(?<![=!<>])=(?!=) ?(?=[\w{-])", " = ", code).strip()


def cut(text):
    """The parts of a list between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "(<[{"
        depth -= letter in ")>]}"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def wrapped(head, arguments):
    """A declaration; a parameter a line if it would be too long."""
    if len(head + arguments) <= WIDTH or not arguments.startswith("("):
        return head + arguments
    depth = end = 0
    for end, letter in enumerate(arguments):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            break
    inner = ",\n    ".join(cut(arguments[1:end]))
    return f"{head}(\n    {inner}){arguments[end + 1:]}"


def template_of(member):
    found = member.find("templateparamlist")
    if found is None:
        return ""
    names = [" ".join(filter(None, (plain(p.find("type")), p.findtext("declname") or ""))) +
             (f" = {plain(p.find('defval'))}" if p.find("defval") is not None else "") for p in found.findall("param")]
    return f"template <{spaced(', '.join(names))}>\n"


def declaration(member):
    kind, name = member.get("kind"), member.findtext("name")
    result = spaced(plain(member.find("type")))
    if kind == "define":
        return f"#define {name}"
    if kind == "typedef":
        line = f"using {name} = {result};"
        return template_of(member) + (line if len(line) <= WIDTH else line.replace(" = ", " =\n    ", 1))
    if kind == "enum":
        values = ",\n".join(f"  {value.findtext('name')} {spaced(plain(value.find('initializer')))}".rstrip()
                            for value in member.findall("enumvalue"))
        head = f"enum{' class' if member.get('strong') == 'yes' else ''}{'' if name.startswith('@') else f' {name}'}"
        return f"{head} {{\n{values}\n}};"
    head = f"{'static ' if member.get('static') == 'yes' else ''}{result} {name}".strip()
    arguments = spaced(member.findtext("argsstring") or "")
    return f"{template_of(member)}{wrapped(head, arguments)};"


def concept(node):
    """Its definition, a condition a line."""
    code = re.sub(r"impl::|kompakt::", "", " ".join(plain(node.find("initializer")).split()))
    code = re.sub(r"\s*(&&|\|\|)\s*", r"\n    \1 ", re.sub(r"<\s+|\s+(?=[<>])", lambda match: match[0].strip(), code))
    head, conditions = code.split("=", 1)
    return f"{head.replace('template<', 'template <').replace('> concept', '>' + chr(10) + 'concept').strip()} =\n    {conditions.strip()};"


def variable(member):
    """A variable with its first value, if that is short."""
    value = spaced(plain(member.find("initializer")))
    value = f" {value}" if value.startswith("=") and len(value) < 40 else ""
    return f"{spaced(plain(member.find('type')))} {member.findtext('name')}{value}"


def title_of(member):
    """A heading; an enumeration without a name has the one of its first value."""
    name = member.findtext("name")
    if name.startswith("@"):
        return f"{member.find('enumvalue').findtext('name')}, …"
    return f"{name}()" if member.get("kind") == "function" else name


def is_hidden(node):
    name = node.findtext("qualifiedname") or node.findtext("compoundname") or ""
    documented = plain(node.find("briefdescription")).strip() or plain(node.find("detaileddescription")).strip()
    return "impl::" in name or node.get("prot") == "private" or (
        not documented and "impl::" in plain(node.find("type")) + (node.findtext("argsstring") or ""))


def label_of(name):
    return "cpp-" + re.sub(r"\W+", "-", name).strip("-").lower()


class Reference:
    """All names, by the header that declares them."""

    def __init__(self, folder):
        roots = [ElementTree.parse(path).getroot() for path in sorted(folder.glob("*.xml"))
                 if path.stem not in ("index", "Doxyfile")]
        compounds = [compound for root in roots for compound in root.findall("compounddef")]
        self.classes = [c for c in compounds if c.get("kind") in COMPOUNDS and not is_hidden(c)]
        self.members = {}
        for compound in compounds:
            if compound.get("kind") in ("namespace", "file"):
                for member in compound.iter("memberdef"):
                    if not is_hidden(member) and not compound.findtext("compoundname").startswith("std"):
                        self.members[member.get("id")] = member
        self.known, taken = {}, set()
        for node in [*self.classes, *self.members.values()]:
            label = label_of(node.findtext("qualifiedname") or node.findtext("compoundname") or node.findtext("name"))
            if label not in taken:
                taken.add(label)
                self.known[node.get("id")] = label

    def headers(self):
        files = {node.find("location").get("file") for node in [*self.classes, *self.members.values()]}
        return sorted(file for file in files if file.startswith("kompakt/"))

    def of(self, nodes, header):
        found = [node for node in nodes if node.find("location").get("file") == header]
        return sorted(found, key=lambda node: int(node.find("location").get("line")))

    def heading(self, level, name, node):
        label = self.known.get(node.get("id"))
        target = f"({label})=\n" if label else ""
        return f"{target}{'#' * level} {name}\n"

    def class_page(self, node):
        full = node.findtext("compoundname")
        name = full.removeprefix("kompakt::")
        yield self.heading(2, name, node)
        if node.get("kind") == "concept":
            yield f"```cpp\n{concept(node)}\n```\n"
        else:
            yield f"```cpp\n{template_of(node)}{node.get('kind')} {full};\n```\n"
        yield description(node, self.known) + "\n"
        members = [member for member in node.iter("memberdef") if not is_hidden(member)]
        before = None
        for member in sorted(members, key=lambda member: int(member.find("location").get("line"))):
            if before == "enum" and member.get("kind") == "variable":
                yield "% A list of its own.\n"
            before = member.get("kind")
            yield from self.member(member)

    def member(self, member):
        if member.get("kind") == "variable":
            text = " ".join(description(member, self.known).split())
            yield f"- `{variable(member)}`{': ' if text else ''}{text}\n"
            return
        yield f"```cpp\n{declaration(member)}\n```\n"
        yield description(member, self.known) + "\n"
        for value in member.findall("enumvalue"):
            text = " ".join(description(value, self.known).split())
            if text:
                yield f"- `{value.findtext('name')}`: {text}"
        yield ""

    def page(self, header):
        yield f"# {header.removeprefix('kompakt/')}\n"
        yield f"```cpp\n#include <{header}>\n```\n"
        for node in self.of(self.classes, header):
            yield from self.class_page(node)
        before = None
        for member in self.of(self.members.values(), header):
            name = member.findtext("name")
            if name != before:
                yield self.heading(2, title_of(member), member)
            before = name
            yield from self.member(member)


def main(xml, pages):
    reference = Reference(pathlib.Path(xml))
    folder = pathlib.Path(pages)
    folder.mkdir(parents=True, exist_ok=True)
    for header in reference.headers():
        text = "\n".join(reference.page(header))
        name = header.removeprefix("kompakt/").replace(".", "_")
        (folder / f"{name}.md").write_text(re.sub(r"\n{3,}", "\n\n", text) + "\n", encoding="utf-8")
    print(f"{len(reference.headers())} headers, {len(reference.known)} names")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__.strip())
