"""What a checker of types finds in the package and in a program that calls it; the stub of the compiled module."""

import ast
import os
import pathlib
import subprocess
import sys

import kompakt
import pytest
from kompakt import _core, _options

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(kompakt.__file__).resolve().parent


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Checks what its arguments name with the package's own settings, and shows what mypy says against it."""
    pytest.importorskip("mypy")
    for other in ("h5py", "matplotlib", "xarray", "zarr"):
        pytest.importorskip(other)
    folder = tmp_path_factory.mktemp("mypy")

    def check(*words):
        command = [sys.executable, "-m", "mypy", "--config-file", HERE.parent / "pyproject.toml", "--cache-dir",
                   folder / "cache", *words]
        # In an empty place, where no zarr.py is before the library of this name.
        done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    return check


def test_the_package_has_no_errors_of_types(mypy):
    mypy("-p", "kompakt")


def test_calls_of_a_user_have_the_types_that_they_return(mypy):
    mypy(HERE / "typed_calls.py")


# ------------------------------------------------------------------------------------------ the stub of the module

def head_of(annotation):
    """``dict`` of ``dict[str, int]``; a class of `kompakt._options` is a dict, too."""
    if annotation is None:
        return None
    if isinstance(annotation, ast.Subscript):
        return head_of(annotation.value)
    text = ast.unparse(annotation)
    return "dict" if hasattr(_options, text) else text


def signature_of(function):
    """The names of arguments, in their order, with their kinds, and what is as sure as the module knows it."""
    arguments = function.args
    groups = {"positional": arguments.posonlyargs, "any": arguments.args, "named": arguments.kwonlyargs}
    names = {kind: [one.arg for one in group] for kind, group in groups.items()}
    defaults = [ast.unparse(one) for one in arguments.defaults]
    heads = [head_of(one.annotation) for group in groups.values() for one in group] + [head_of(function.returns)]
    return names, defaults, [ast.unparse(one) for one in function.decorator_list], heads


def definitions_of(body, prefix=""):
    found = {}
    for part in body:
        if isinstance(part, ast.ClassDef):
            found[prefix + part.name] = "class"
            found.update(definitions_of(part.body, f"{prefix}{part.name}."))
        elif isinstance(part, ast.FunctionDef):
            found[prefix + part.name] = signature_of(part)
        elif isinstance(part, ast.AnnAssign):
            found[prefix + part.target.id] = head_of(part.annotation)
    return found


def test_the_stub_is_that_of_the_compiled_module():
    stubgen = pytest.importorskip("nanobind.stubgen")
    generator = stubgen.StubGen(_core, quiet=True)
    generator.put(_core)
    compiled = definitions_of(ast.parse(generator.get()).body)
    written = definitions_of(ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8")).body)
    assert written.keys() == compiled.keys()
    for name, known in compiled.items():
        if not isinstance(known, tuple):
            assert written[name] == known, name
            continue
        assert written[name][:3] == known[:3], name
        # Where the module takes or gives any object, the stub may say which.
        for wanted, given in zip(known[3], written[name][3]):
            assert given == wanted or wanted in ("object", "object | None"), (name, wanted, given)
