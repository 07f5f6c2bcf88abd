#!/usr/bin/env python3
"""Fails unless .github/workflows/ci.yml runs each workflow of CMakePresets.json once, after words that scripts/setup knows.

usage: workflow.py PROJECT      (PROJECT: the folder with CMakePresets.json; needs PyYAML)
"""

import json
import pathlib
import re
import sys

import yaml

STEPS = ("scripts/setup ${{ matrix.setup }}", "cmake --workflow --preset ${{ matrix.preset }}")


def faults_of(project):
    job = yaml.safe_load((project / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]["lane"]
    lanes = job["strategy"]["matrix"]["include"]
    presets = json.loads((project / "CMakePresets.json").read_text(encoding="utf-8"))
    known = sorted(preset["name"] for preset in presets["workflowPresets"])
    named = sorted(lane["preset"] for lane in lanes)
    if named != known:
        yield f"ci.yml runs {', '.join(named)}, and CMakePresets.json has the workflows {', '.join(known)}"
    words = re.search(r"^words=\((.*)\)$", (project / "scripts/setup").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    for lane in lanes:
        for word in lane["setup"].split():
            if word not in words:
                yield f"ci.yml, {lane['preset']}: scripts/setup has no word '{word}'; it has {', '.join(words)}"
    commands = [step["run"] for step in job["steps"] if step.get("run") in STEPS]
    if commands != list(STEPS):
        yield f"ci.yml must run '{STEPS[0]}', then '{STEPS[1]}'"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.exit("\n".join(faults_of(pathlib.Path(sys.argv[1]))) or 0)
