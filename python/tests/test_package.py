"""The source distribution, and a wheel of it, in an empty place: minutes, as the library is compiled."""

import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

pytest.importorskip("build")
pytest.importorskip("scikit_build_core")

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
KOKKOS = os.environ.get("KOMPAKT_KOKKOS_DIR", "")  # the one that the build tree of these tests has found


def run(*words, cwd, **variables):
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


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
    assert any(name.startswith("kompakt/hdf5/plugin/") for name in names)
    assert {"kompakt/py.typed", "kompakt/_core.pyi"} <= set(names)
    code = "import kompakt, numpy as np; x = np.ones((9, 40, 50), 'f4').cumsum(2, dtype='f4'); " \
           "print(kompakt.__file__, np.abs(kompakt.decompress(kompakt.compress(x, 0.1, mode='abs')) - x).max() <= 0.1)"
    said = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert said.split() == [str(tmp_path / "site" / "kompakt" / "__init__.py"), "True"]
