#!/usr/bin/env python3
"""Writes the bill of dependencies of what scripts/packages makes, as JSON of SPDX 2.3, from the list scripts/dependencies.json.

usage: bill.py OUT [--python PYTHON] [--date SECONDS]

A version comes from where the build takes the dependency from: a line of scripts/setup, an installed package of Debian, or the
environment of PYTHON. A version that is not known is left out, and a comment says so. --date, by default SOURCE_DATE_EPOCH, dates the
bill, so that two builds of a commit write the same bytes.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
# SPDX writes these relationships from the dependency to its user, and all others from the user to the dependency.
REVERSED = {"OPTIONAL_DEPENDENCY_OF", "RUNTIME_DEPENDENCY_OF"}


def output_of(*words):
    """The first line that a program prints, or an empty text if it fails or is not there."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip().partition("\n")[0] if done.returncode == 0 else ""


def version_of(source, python):
    """The version of a dependency, by the place that the list names."""
    if "setup" in source:
        text = (PROJECT / "scripts/setup").read_text(encoding="utf-8")
        return re.search(rf"^{source['setup']}=(\S+)$", text, re.MULTILINE)[1]
    if "dpkg" in source:
        return output_of("dpkg-query", "-W", "-f", "${Version}", source["dpkg"])
    if "pip" in source:
        return output_of(python, "-c", f"from importlib.metadata import version; print(version({source['pip']!r}))")
    return ""


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version, licence, home, comment=""):
    entry = {
        "SPDXID": identifier(name), "name": name, "versionInfo": version, "downloadLocation": home, "filesAnalyzed": False,
        "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    }
    if not version:
        del entry["versionInfo"]
        comment = f"{comment} The version is not known.".strip()
    if comment:
        entry["comment"] = comment
    return entry


def bill(listed, version, python, date):
    """The document, as objects of JSON."""
    packages, relationships = [], []
    for product, text in listed["products"].items():
        packages.append(package(f"kompakt-{product}", version, "BSD-3-Clause", "NOASSERTION", f"Contents: {text}."))
        relationships.append(("SPDXRef-DOCUMENT", "DESCRIBES", identifier(f"kompakt-{product}")))
    for entry in listed["dependencies"]:
        found = version_of(entry.get("version", {}), python)
        packages.append(package(entry["name"], found, entry["licence"], entry["home"], entry.get("comment", "")))
        for product, kind in entry["uses"].items():
            ends = identifier(f"kompakt-{product}"), identifier(entry["name"])
            first, second = reversed(ends) if kind in REVERSED else ends
            relationships.append((first, kind, second))
    content = json.dumps([packages, relationships], sort_keys=True)
    created = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = f"kompakt-{version}"
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "creationInfo": {"created": created, "creators": ["Organization: The kompakt authors", "Tool: scripts/bill.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
                          for first, kind, second in relationships],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--date", type=int, default=int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    arguments = parser.parse_args()
    listed = json.loads((PROJECT / "scripts/dependencies.json").read_text(encoding="utf-8"))
    version = re.search(r"^project\(kompakt VERSION ([\d.]+)", (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8"),
                        re.MULTILINE)[1]
    document = bill(listed, version, arguments.python, arguments.date)
    arguments.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
