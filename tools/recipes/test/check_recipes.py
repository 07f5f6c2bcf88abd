"""Holds the recipes of tools/recipes to the project: options that CMake has, needs of the Python package, and the version.

usage: check_recipes.py PROJECT
"""

import ast
import re
import sys
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None


def options_of(project):
    """The names of all options of CMake that the project has."""
    texts = [(project / "CMakeLists.txt").read_text(encoding="utf-8")]
    texts += [file.read_text(encoding="utf-8") for file in sorted((project / "cmake").glob("*.cmake"))]
    return set(re.findall(r"\b(KOMPAKT_(?:ENABLE|REQUIRE|CLI)_[A-Z0-9_]+|KOMPAKT_ARCH)\b", "\n".join(texts)))


def faults_of_spack(project, known):
    """What is wrong with the recipe of Spack: options or variants that there are not."""
    tree = ast.parse((project / "tools/recipes/spack/package.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    variants = {"cuda"}  # of CudaPackage
    for call in calls:
        if getattr(call.func, "id", "") == "variant":
            variants.add(call.args[0].value)
    for call in calls:
        name = getattr(call.func, "attr", "")
        if name in ("define", "define_from_variant"):
            if call.args[0].value not in known:
                yield f"spack/package.py: CMake has no option {call.args[0].value}"
            if name == "define_from_variant" and call.args[1].value not in variants:
                yield f"spack/package.py: there is no variant {call.args[1].value}"


def faults_of_conda(project, known):
    """What is wrong with the recipe of conda-forge: options, version, or needs of the Python package."""
    text = (project / "tools/recipes/conda/recipe.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(text)
    version = re.search(r"project\(kompakt VERSION ([\d.]+)", (project / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    if recipe["context"]["version"] != version:
        yield f"conda/recipe.yaml: says version {recipe['context']['version']}, and the project is {version}"
    for option in re.findall(r"KOMPAKT_[A-Z0-9_]+", text):
        if option not in known:
            yield f"conda/recipe.yaml: CMake has no option {option}"
    needs = recipe["outputs"][1]["requirements"]
    listed = [need.replace(" ", "") for need in needs["host"] + needs["run"]]
    declared = (project / "python/pyproject.toml").read_text(encoding="utf-8")
    for key in ("requires", "dependencies"):
        for need in re.findall(r'"([^"]+)"', re.search(rf"^{key} = \[(.*)\]", declared, re.MULTILINE)[1]):
            if need not in listed:
                yield f"conda/recipe.yaml: the Python package needs {need}, which it does not list"


def main():
    project = Path(sys.argv[1])
    known = options_of(project)
    faults = list(faults_of_spack(project, known))
    if yaml is None:
        print("check_recipes: no PyYAML, so that the recipe of conda-forge is not looked at")
    else:
        faults += faults_of_conda(project, known)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
