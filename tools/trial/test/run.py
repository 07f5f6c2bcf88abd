#!/usr/bin/env python3
"""Runs trials on fields that are made here, with packages that stand for the peers, and holds their reports against own figures.

usage: run.py PROGRAMS

PROGRAMS is the folder of the benchmarks. PYTHONPATH must have the package kompakt. Exits 1 with a line if something differs, and with
77, which ctest takes for a skipped test, without a package that a trial needs.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

MISSING = [name for name in ("numpy", "h5py", "matplotlib", "kompakt") if importlib.util.find_spec(name) is None]
if MISSING:
    print(f"skipped: {', '.join(MISSING)} cannot be imported; scripts/setup python makes an environment for it")
    sys.exit(77)

import numpy as np

sys.dont_write_bytecode = True
TOOL = pathlib.Path(__file__).resolve().parents[1]
ROOT = TOOL.parents[1]
sys.path += [str(folder) for folder in (TOOL, ROOT / "scripts", ROOT / "tools/compare_ratios", ROOT / "tools/compare_ratios/test")]
import kompakt
import peer_doubles
import reports
import smooth_fields

FILL = 1e20
BROKEN = "#!/bin/sh\necho 'broken on purpose' >&2\nexit 3\n"


def require(condition, what):
    if not condition:
        sys.exit(f"trial: {what}")


def write_fields(folder, kind):
    """Two smooth fields and one with fill values, as a manifest describes them."""
    z, y, x = np.meshgrid(*(np.linspace(0, 3, n) for n in (16, 20, 24)), indexing="ij")
    waves = (np.sin(x + 2 * y) * np.cos(z)).astype("f4")
    masked = waves.copy()
    masked[:, :4, :5] = FILL
    fields = {f"{kind}_waves": (waves, None), f"{kind}_double": (waves[:, 0].astype("f8"), None), f"{kind}_masked": (masked, FILL)}
    folder.mkdir(parents=True)
    entries = []
    for name, (values, fill) in fields.items():
        values.tofile(folder / f"{name}.raw")
        entries.append({"name": name, "file": f"{name}.raw", "dtype": f"f{8 * values.itemsize}", "shape": values.shape, "fill": fill,
                        "domain": name})
    (folder / "manifest.json").write_text(json.dumps(entries))
    return fields


def call(script, *words, packages="", data=None):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))}
    environment.pop("KOMPAKT_TEST_DATA", None)
    if data:
        environment["KOMPAKT_TEST_DATA"] = str(data)
    return subprocess.run([sys.executable, TOOL / script, *map(str, words)], capture_output=True, text=True, env=environment)


def expect(ran, code):
    require(ran.returncode == code, f"exit code {ran.returncode} instead of {code}: {ran.stdout}{ran.stderr}")
    return ran


def made_trial(work):
    """A folder whose smooth fields are there already, so that none is computed."""
    packages, out, data = work / "packages", work / "out", work / "data"
    packages.mkdir()
    peer_doubles.write(packages)
    write_fields(out / "smooth", "smooth")
    return packages, out, data, write_fields(data, "given")


def check_rows(report, fields):
    """Ratios of one pipeline, and that violations of the double of SZ3 are counted."""
    rows = report["parts"]["rate_distortion"]["data"]["rows"]
    require(len({row["field"] for row in rows}) == 6, "how many fields")
    for row in (row for row in rows if row["contender"] == "huffman" and row["field"] in fields):
        values, fill = fields[row["field"]]
        valid = values[values != np.float32(FILL)].astype("f8")
        bound = row["share"] * float(valid.max() - valid.min())
        expected = values.nbytes / len(kompakt.compress(values, bound, "abs", pipeline="huffman", fill_value=fill))
        require(abs(row["ratio"] / expected - 1) < 0.01, f"ratio {row['ratio']} instead of {expected}")
    counts = {name: sum(row["violations"] for row in rows if row["contender"] == name and "refused" not in row) for name in
              {row["contender"] for row in rows}}
    require(counts["sz3"] > 0 and not any(count for name, count in counts.items() if name not in ("sz3", "sperr")), f"violations {counts}")


def check_files(out, parts):
    """A table and pictures of parts, and a page that names violations of peers."""
    page = (out / "index.html").read_text(encoding="utf-8")
    for word in ("Values of kompakt outside their bound: 0.", "SZ3: ", *(f'id="{name}"' for name in parts)):
        require(word in page, f"'{word}' is not on the page")
    require("| compressor |" in (out / "tables/checked.md").read_text(encoding="utf-8"), "a table")
    for picture in (out / "pictures").glob("*.svg"):
        xml.etree.ElementTree.parse(picture)
    require((out / "pictures/psnr.svg").is_file() and 'src="pictures/psnr.svg"' in page, "a picture")


def check_run(programs, work):
    packages, out, data, fields = made_trial(work)
    parts = ("rate_distortion", "radius", "outliers", "books", "lossless", "transfer")
    ran = expect(call("trial", "--quick", "--out", out, "--only", ",".join(parts), "--programs", programs, packages=packages, data=data), 0)
    for name in ("pcodec", "fpzip"):
        require(importlib.util.find_spec(name) or f"{name} skipped" in ran.stdout, f"{name} is not named: {ran.stdout}")
    report = reports.read(out / reports.NAME)
    require(str(work) not in (out / reports.NAME).read_text(), "the report has a path of this machine")
    require({"date", "command", "kompakt_commit", "machine"} <= report.keys(), "what the figures depend on")
    check_rows(report, fields)
    check_files(out, parts)
    kept = json.loads((out / reports.KEPT).read_text(encoding="utf-8"))
    require({"checked", "radius", "lossless"} <= kept["tables"].keys() and kept["command"] == report["command"], "what is kept")
    before = (out / "index.html").read_bytes()
    expect(call("trial", "--draw", "--out", out), 0)
    require(before == (out / "index.html").read_bytes(), "another page of the same report")


def check_failures(work):
    """A part that fails is named and stops no other one; one without its program is skipped; words that are not known."""
    programs, out = work / "programs", work / "out"
    programs.mkdir()
    (programs / "bench_pipelines").write_text(BROKEN)
    (programs / "bench_pipelines").chmod(0o755)
    ran = expect(call("trial", "--quick", "--out", out, "--only", "transfer,hdf5,lossless", "--programs", programs), 1)
    for line in ("transfer: failed: Failure:", "broken on purpose", "hdf5: skipped: ", "lossless: done", "KOMPAKT_TEST_DATA left out"):
        require(line in ran.stdout, f"'{line}' is not in {ran.stdout}")
    ran = expect(call("trial", "--only", "nothing", "--out", out), 2)
    require("'nothing' is no part" in ran.stderr, ran.stderr)
    ran = expect(call("trial", "--draw", "--out", work / "empty"), 2)
    require("run scripts/trial first" in ran.stderr, ran.stderr)


def check_smooth():
    """The same values in each call, finite, and with a range."""
    for name in ("orbital", "burgers"):
        first, second = smooth_fields.FIELDS[name](), smooth_fields.FIELDS[name]()
        require(np.array_equal(first, second) and np.isfinite(first).all() and np.ptp(first) > 0, f"the field {name}")
    steps = list(smooth_fields.reaction_steps(24, 2, 5))
    require(len(steps) == 2 and not np.array_equal(*steps), "steps of the reaction")


def check_page(work):
    """The page of this checkout is of its kept tables; one that is not is refused."""
    expect(call("write-page", "--check"), 0)
    root = work / "root"
    (root / "docs/performance").mkdir(parents=True)
    (root / "docs/performance/made.json").write_bytes((work / "out" / reports.KEPT).read_bytes())
    (root / "docs/trial.md").write_text("before\n<!-- trial: made.json lossless -->\nold\n<!-- end -->\nbehind\n")
    require("are not of docs/performance" in expect(call("write-page", "--check", "--root", root), 1).stderr, "another table")
    expect(call("write-page", "--root", root), 0)
    expect(call("write-page", "--check", "--root", root), 0)
    text = (root / "docs/trial.md").read_text()
    require("| ours, for ratio, lossless |" in text and text.endswith("behind\n"), f"the page: {text}")


def main():
    check_smooth()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        check_run(pathlib.Path(sys.argv[1]).resolve(), work)
        check_failures(work)
        check_page(work)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main()
