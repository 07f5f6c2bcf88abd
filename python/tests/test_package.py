"""The package of the build tree as files, the bill of its dependencies, the source distribution, and a wheel of it in an empty
place, which takes minutes, as the library is compiled."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import kompakt

pytest.importorskip("build")
pytest.importorskip("scikit_build_core")

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
BUILT = pathlib.Path(kompakt.__file__).parent
KOKKOS = os.environ.get("KOMPAKT_KOKKOS_DIR", "")  # the one that the build tree of these tests has found


def run(*words, cwd, **variables):
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def require_one_library(package):
    """Module and plugin are small, and the one library is beside the module."""
    [module], [plugin] = package.glob("_core.*.so"), (package / "hdf5" / "plugin").glob("*")
    [library] = package.glob("libkompakt_python-*.so")
    assert plugin.name == "libH5Zkompakt.so"
    assert plugin.stat().st_size < 100_000 and module.stat().st_size < 2_000_000 < library.stat().st_size
    for path in (module, plugin):
        assert library.name.encode() in path.read_bytes()


def test_the_library_is_inside_once():
    require_one_library(BUILT)


def test_the_plugin_serves_a_program_without_python(tmp_path):
    pytest.importorskip("h5py")
    program = shutil.which("h5dump") or pytest.skip("no h5dump")
    write = "import h5py, numpy, kompakt.h5py as k; h5py.File('a.h5', 'w').create_dataset('x', data=numpy.arange(4096.), " \
            "chunks=(1024,), **k.Kompakt('abs:0.25'))"
    run(sys.executable, "-c", write, cwd=tmp_path)
    said = run(program, "-d", "/x", "-s", "4000", "-c", "1", "a.h5", cwd=tmp_path, HDF5_PLUGIN_PATH=kompakt.hdf5_plugin_path())
    [value] = [line.split(":")[1] for line in said.splitlines() if "(4000):" in line]
    assert abs(float(value) - 4000) <= 0.25


def test_functions_of_another_copy_do_not_replace_those_of_the_package(tmp_path):
    compiler = shutil.which("cc") or pytest.skip("no compiler of C")
    (tmp_path / "other.c").write_text("#include <stdlib.h>\nint kompakt_compress(void) { abort(); }\n"
                                      "char const* kompakt_git_commit(void) { return \"other\"; }\n")
    run(compiler, "-shared", "-fPIC", "-o", "other.so", "other.c", cwd=tmp_path)
    code = "import ctypes; ctypes.CDLL('./other.so', ctypes.RTLD_GLOBAL); import kompakt, numpy; " \
           "print(kompakt.decompress(kompakt.compress(numpy.ones(9), 0.1))[0])"
    assert run(sys.executable, "-c", code, cwd=tmp_path).split() == ["1.0"]


def test_the_bill_of_dependencies_is_spdx(tmp_path):
    script = PACKAGE.parent / "scripts" / "bill.py"
    for name in ("a.spdx.json", "b.spdx.json"):
        run(sys.executable, script, name, cwd=tmp_path, SOURCE_DATE_EPOCH="1700000000")
    text = (tmp_path / "a.spdx.json").read_text()
    assert text == (tmp_path / "b.spdx.json").read_text()
    bill = json.loads(text)
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    known = {"SPDXRef-DOCUMENT"} | {package["SPDXID"] for package in bill["packages"]}
    assert len(known) == len(bill["packages"]) + 1
    for line in bill["relationships"]:
        assert {line["spdxElementId"], line["relatedSpdxElement"]} <= known
    versions = {package["name"]: package.get("versionInfo") for package in bill["packages"]}
    assert versions["Kokkos"] and versions["nanobind"]
    try:
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    except ImportError:
        return
    assert validate_full_spdx_document(parse_file(str(tmp_path / "a.spdx.json"))) == []


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The source distribution, unpacked in an empty place."""
    folder = tmp_path_factory.mktemp("sources")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, PACKAGE, cwd=folder)
    [packed] = folder.glob("kompakt-*.tar.gz")
    with tarfile.open(packed) as archive:
        # Python before 3.11.4 has no filters.
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder / packed.name.removesuffix(".tar.gz")


def test_the_source_distribution_has_what_a_wheel_is_made_of(sources):
    names = {path.relative_to(sources).as_posix() for path in sources.rglob("*")}
    for wanted in ("PKG-INFO", "LICENSE", "pyproject.toml", "CMakeLists.txt", "src/bindings/module.cpp", "src/kompakt/py.typed",
                   "src/kompakt/_core.pyi", "build_backend/kompakt_build.py", "library/CMakeLists.txt",
                   "library/include/kompakt/kompakt.h", "library/backends/cuda/encode.hpp", "library/LICENSE"):
        assert wanted in names
    assert not [name for name in names if name.startswith(("tests/", "build/")) or "__pycache__" in name]
    # Metadata need all that pyproject.toml names, such as the licence.
    hook = "from scikit_build_core.build import prepare_metadata_for_build_wheel as made; made('metadata')"
    run(sys.executable, "-c", hook, cwd=sources)
    assert any((sources / "metadata").rglob("LICENSE"))


@pytest.mark.long
def test_a_wheel_of_it_works_without_the_repository(sources, tmp_path):
    settings = [f"--config-setting=cmake.define.Kokkos_DIR={KOKKOS}"] if KOKKOS else []
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", *settings, "--outdir", tmp_path, sources, cwd=tmp_path)
    [wheel] = tmp_path.glob("kompakt-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert not [name for name in names if name.endswith((".cpp", ".hpp", ".a"))]
    assert wheel.stat().st_size <= 10_000_000
    require_one_library(tmp_path / "site" / "kompakt")
    assert {"kompakt/py.typed", "kompakt/_core.pyi"} <= set(names)
    code = "import kompakt, numpy as np; x = np.ones((9, 40, 50), 'f4').cumsum(2, dtype='f4'); " \
           "print(kompakt.__file__, np.abs(kompakt.decompress(kompakt.compress(x, 0.1, mode='abs')) - x).max() <= 0.1)"
    said = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert said.split() == [str(tmp_path / "site" / "kompakt" / "__init__.py"), "True"]
