#!/usr/bin/env python3
"""Holds ratio-speed and draw-picture against sizes that are found here, on fields that are made here.

usage: run.py PROGRAMS

PROGRAMS is a folder with kompakt and bench_pipelines. Exits 1 with a line if they differ, and with 77, which ctest
takes for a skipped test, without NumPy. Packages that stand for the peers are those of the test of compare_ratios; the
picture is drawn if matplotlib is installed.
"""

import hashlib
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

sys.dont_write_bytecode = True
TOOL = pathlib.Path(__file__).resolve().parents[1]
ROOT = TOOL.parents[1]
sys.path += [str(folder) for folder in (TOOL, ROOT / "tools/compare_ratios", ROOT / "tools/compare_ratios/test",
                                        ROOT / "scripts")]
import compressors
import peer_doubles
import picture
import points
import quiet

GROUP = "made fields"
FILL = 1e20
BOUNDS = ("1e-2", "1e-3")
WAYS = {**dict.fromkeys(compressors.OURS, 2), "sz3": 1, "zfp": 1}  # how many numbers of threads
REPLACED = """#!{python}
import os, subprocess, sys
words = sys.argv[1:]
{change}
status = subprocess.call([{program!r}, *words])
{damage}
sys.exit(status)
"""
COARSER = "words[words.index('--bounds') + 1] = '0.25,0.125'"
OTHER_VALUE = """if words[0] == "decompress" and status == 0:
    with open(words[words.index("-o") + 1], "r+b") as file:
        file.write(bytes.fromhex("0000c842"))  # 100"""


def require(condition, what):
    if not condition:
        sys.exit(f"ratio_speed: {what}")


def write_fields(folder):
    """Two that can be measured, of both types, and two that cannot."""
    folder.mkdir()
    z, y, x = np.meshgrid(*(np.linspace(0, 3, n) for n in (20, 24, 40)), indexing="ij")
    smooth = np.sin(x + 2 * y) * np.cos(z)
    masked = smooth.astype("f4")
    masked[:, :8, :9] = FILL
    fields = {"smooth": (smooth.astype("f4"), None), "double": (smooth[:, 0], None), "masked": (masked, FILL),
              "flat": (np.full((6, 7), 2.5, "f4"), None)}
    entries = []
    for name, (values, fill) in fields.items():
        values.tofile(folder / f"{name}.raw")
        entries.append({"name": name, "file": f"{name}.raw", "dtype": f"f{8 * values.itemsize}",
                        "shape": values.shape, "fill": fill})
    (folder / "manifest.json").write_text(json.dumps(entries))
    return {name: values for name, (values, fill) in fields.items() if fill is None and np.ptp(values) > 0}


def call(script, *words, packages=""):
    words = [sys.executable, TOOL / script, *words]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(packages)})


def expect(ran, code):
    require(ran.returncode == code, f"exit code {ran.returncode} instead of {code}: {ran.stdout}{ran.stderr}")
    return ran


def own_bytes(programs, folder, values, name, words, bound):
    """Of the file that the program writes."""
    stream = folder / "own.kpk"
    subprocess.run([programs / "kompakt", "compress", "-i", folder / f"{name}.raw", "-t", f"f{8 * values.itemsize}",
                    "--shape", ",".join(map(str, values.shape)), "-m", "abs", "-e", repr(bound), "-c", *words.split(),
                    "--fill", "none", "-o", stream, "--force"], check=True, capture_output=True)
    return stream.stat().st_size


def check_rows(programs, folder, fields, report):
    """Sizes, bounds and checks of every field and compressor."""
    rows = {(row["field"], row["compressor"], row["bound"]): row
            for row in (dict(zip(report["columns"], cells)) for cells in report["rows"])}
    require(len(rows) == len(report["rows"]) == len(fields) * len(WAYS) * len(BOUNDS), "how many rows")
    bounds = {entry["field"]: dict(zip(BOUNDS, entry["abs_bounds"])) for entry in report["fields"]}
    for (name, compressor, bound), row in rows.items():
        require(len(row["compress_gbps"]) == len(row["decompress_gbps"]) == WAYS[compressor], f"threads of {row}")
        require(min(row["compress_gbps"] + row["decompress_gbps"]) > 0, f"throughput of {row}")
        values, words = fields[name], compressors.OURS.get(compressor)
        require(bounds[name][bound] == float(bound) * float(values.max() - values.min()), f"bound of {row}")
        require(row["violations"] == int(compressor == "sz3"), f"violations of {row}; the double of SZ3 breaks one")
        if words:
            expected = own_bytes(programs, folder, values, name, words, bounds[name][bound])
            require(row["bytes"] == expected, f"{expected} bytes, not those of {row}")
            require(0 < row["error_of_bound"] <= 1, f"errors of {row}")
    return rows


def check_run(programs, work):
    """A run of all compressors."""
    packages, run = work / "packages", work / "run.json"
    packages.mkdir()
    peer_doubles.write(packages)
    fields = write_fields(work / "fields")
    ran = expect(call("ratio-speed", f"{GROUP}={work / 'fields'}", "--programs", programs, "--json", run, "--bounds",
                      ",".join(BOUNDS), "--rounds", 2, "--samples", 1, "--patience", 0, packages=packages), 0)
    for line in ("masked skipped: fill values", "flat skipped: no bound"):
        require(line in ran.stdout, f"a field that is left out is not told of: {ran.stdout}")
    report = json.loads(run.read_text())
    require(str(work) not in run.read_text(), "the report has a path of this machine")
    rows = check_rows(programs, work / "fields", fields, report)
    require(len(report["points"]) == sum(WAYS.values()) * len(BOUNDS), "how many points")
    lines = points.lines_of(report, GROUP)
    require([line.name for line in lines] == [*compressors.OURS, points.SMALLEST, "sz3", "zfp"], f"lines {lines}")
    for point in (point for line in lines for of_threads in line.by_threads.values() for point in of_threads):
        names = list(compressors.OURS) if point["compressor"] == points.SMALLEST else [point["compressor"]]
        of_point = [min((rows[field, name, point["bound"]] for name in names), key=lambda row: row["bytes"])
                    for field in fields]
        ratios = [fields[row["field"]].nbytes / row["bytes"] for row in of_point]
        at = 1 if point["threads"] == 1 and point["compressor"] not in ("sz3", "zfp") else 0
        rates = [row["compress_gbps"][at] for row in of_point]
        for found, values in ((point["ratio"], ratios), (point["compress_gbps"], rates)):
            require(math.isclose(found, math.prod(values) ** 0.5, rel_tol=1e-3), f"{point}, not of {of_point}")
    return run


def check_absent(programs, work):
    packages = work / "absent"
    packages.mkdir()
    peer_doubles.write_absent(packages)
    ran = expect(call("ratio-speed", work / "fields", "--programs", programs, "--json", work / "absent.json",
                      "--bounds", "1e-2", "--rounds", 1, "--samples", 1, "--patience", 0, packages=packages), 0)
    for peer, package in (("sz3", "pysz"), ("zfp", "zfpy")):
        line = f"{peer} skipped: {package} cannot be used"
        require(line in ran.stdout, f"{peer} is not skipped by name: {ran.stdout}")


def replace(programs, folder, name, change="", damage=""):
    """A folder of programs, one of which does something else."""
    folder.mkdir()
    for program in ("kompakt", "bench_pipelines"):
        (folder / program).symlink_to(programs / program)
    (folder / name).unlink()
    (folder / name).write_text(REPLACED.format(python=sys.executable, program=str(programs / name), change=change,
                                               damage=damage))
    (folder / name).chmod(0o755)
    return folder


def check_other_programs(programs, work):
    """A benchmark that times other streams is refused; values outside the bound are counted."""
    words = ("ratio-speed", work / "fields", "--bounds", ",".join(BOUNDS), "--peers", "none", "--rounds", 1,
             "--samples", 1, "--patience", 0, "--json", work / "other.json", "--programs")
    ran = expect(call(*words, replace(programs, work / "coarser", "bench_pipelines", change=COARSER)), 1)
    require("when it is timed" in ran.stderr and not (work / "other.json").exists(), f"other streams: {ran.stderr}")
    expect(call(*words, replace(programs, work / "broken", "kompakt", damage=OTHER_VALUE)), 1)
    report = json.loads((work / "other.json").read_text())
    at = report["columns"].index("violations")
    counts = [row[at] for row in report["rows"] if row[1] == "smooth"]
    require(counts and set(counts) == {1}, f"values outside the bound are not counted: {counts}")


def check_bad_input(programs, work):
    folder, out = work / "fields", ("--json", work / "bad.json")
    bad = {"manifest.json: No such file": [work / "nowhere", *out],
           "'0' is not a positive": [folder, *out, "--bounds", "0"],
           "no list of different numbers": [folder, *out, "--threads", "2,2"],
           "called 'a'": [f"a={folder}", f"a={folder}", *out], "'szz' is not known": [folder, *out, "--peers", "szz"],
           "no such folder": [folder, "--json", work / "no/a.json"],
           "No such file or directory": [folder, *out, "--peers", "none", "--programs", work / "none"]}
    for line, words in bad.items():
        ran = expect(call("ratio-speed", *words), 2)
        told = ran.stderr + ran.stdout
        require(line in ran.stderr and told.count("\n") == 1, f"{words}: {told}")
    require(not (work / "bad.json").exists(), "a report of nothing")


def check_quiet():
    """What other work disturbs is measured again once the machine is quiet, as long as there is patience."""
    def measured(patience_s, others):
        """others: seconds of other work during each second, in calls, which take a second of both, and pauses."""
        spent, calls = [], []

        def spend(own):
            spent.append((own, others[len(spent)]))

        def one_call():
            calls.append(None)
            spend(1)
            return len(calls)
        watched = quiet.Quiet(patience_s, busy=lambda: sum(map(sum, spent)), own=lambda: sum(own for own, _ in spent),
                              clock=lambda: len(spent), sleep=lambda seconds: spend(0))
        return watched.measured(one_call), watched.again, watched.disturbed, len(spent)
    require(measured(60, [0]) == (1, 0, 0, 1), "a quiet machine")
    require(measured(60, [0.9, 0.9, 0.9, 0, 0]) == (2, 1, 0, 5), "a machine that becomes quiet")
    require(measured(60, [0.9, 0, 0.9, 0, 0]) == (3, 2, 0, 5), "a machine that is quiet while it is watched")
    require(measured(3, [0.9] * 9) == (2, 1, 1, 5), "a machine that stays busy")
    require(quiet.Quiet(60, busy=lambda: None).measured(lambda: 7) == 7, "a system that does not say")


def check_spread():
    """Points go by the median of rounds, and say how far these are apart."""
    timings = [compressors.Timing(seconds, 2 * seconds, 500) for seconds in (1.0, 4.0, 2.0)]
    row = {"group": GROUP, "compressor": "zfp", "bound": "1e-3", "ratio": 2e6, "bytes": 500, "samples": {1: timings}}
    [point] = points.points_of([row])
    require(point["compress_gbps"] == 0.5 and point["decompress_gbps"] == 0.25, f"medians of {point}")
    require(point["compress_spread"] == 1.5, f"spread of {point}")
    require(points.notes({"disturbed": 0}, [point]) == ["rounds differ by up to 150 %; measure again"], "a note")


def make_pages(root, run, number):
    """A checkout with pages that show a run, the first of which cites a number."""
    for folder in ("docs/performance", "docs/pictures"):
        (root / folder).mkdir(parents=True)
    (root / "docs/performance/openmp_ratio_speed.json").write_bytes(run.read_bytes())
    (root / "docs/performance.md").write_text("before\n<!-- ratio-speed -->\nold\n<!-- end -->\nbehind\n")
    (root / "docs/comparison.md").write_text(f"<!-- ratio-speed -->\nat {number}\n<!-- end -->\nand 0.123456\n")
    digest = hashlib.sha256(run.read_bytes()).hexdigest()
    (root / "docs/pictures/ratio_speed.svg").write_text(f"<desc>{digest}</desc>")
    return root


def check_drawing(root):
    """Draws twice, if it can be drawn at all; the table otherwise, as the check asks for it."""
    if importlib.util.find_spec("matplotlib") is None:
        print("the picture itself is not drawn: matplotlib is not installed; scripts/setup brings it")
        ran = expect(call("draw-picture", "--root", root), 1)
        require("pip install matplotlib" in ran.stderr, f"without matplotlib: {ran.stderr}")
        return False
    path, drawn = root / "docs/pictures/ratio_speed.svg", []
    for _ in range(2):
        expect(call("draw-picture", "--root", root), 0)
        drawn.append(path.read_bytes())
    require(drawn[0] == drawn[1], "two pictures of one run")
    written = " ".join(xml.etree.ElementTree.fromstring(drawn[0]).itertext())
    for word in [GROUP, "10⁻³", "SZ3", "zfp", "fixedlength", "bitshuffle", "huffman"]:
        require(word in written, f"'{word}' is not in the picture")
    require("behind" in (root / "docs/performance.md").read_text(), "the rest of the page is gone")
    expect(call("draw-picture", "--root", root, "--check"), 0)
    return True


def check_pages(run, work):
    report = json.loads(run.read_text())
    shown = f"{report['points'][0]['ratio']:.2f}"
    root = make_pages(work / "pages", run, shown)
    ran = expect(call("draw-picture", "--root", root, "--check"), 1)
    require("the table of docs/performance.md is not of" in ran.stderr and ran.stderr.count("\n") == 1, ran.stderr)
    if not check_drawing(root):
        return
    page = root / "docs/comparison.md"
    page.write_text(page.read_text().replace(shown, "7654.32"))
    ran = expect(call("draw-picture", "--root", root, "--check"), 1)
    require("docs/comparison.md has 7654.32" in ran.stderr, f"a number of no run: {ran.stderr}")
    page.write_text(page.read_text().replace("7654.32", shown))
    data = root / "docs/performance/openmp_ratio_speed.json"
    data.write_text(data.read_text().replace('"disturbed": ', '"disturbed": 1'))
    ran = expect(call("draw-picture", "--root", root, "--check"), 1)
    require("docs/pictures/ratio_speed.svg is not of" in ran.stderr, f"a picture of another run: {ran.stderr}")


def check_arranged():
    """Labels whose first places collide."""
    class Box:
        def __init__(self, *cells):
            self.cells = set(cells)

        def overlaps(self, other):
            return bool(self.cells & other.cells)
    choices = [{"left": Box(1), "right": Box(2)}, {"left": Box(1, 2), "right": Box(2)}]
    require(picture.arranged(choices) == ["left", "right"], "an arrangement that there is")
    require(picture.arranged([{"left": Box(1)}, {"left": Box(1)}]) is None, "an arrangement that there is not")


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    check_quiet()
    check_spread()
    check_arranged()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        run = check_run(programs, work)
        check_pages(run, work)
        check_absent(programs, work)
        check_other_programs(programs, work)
        check_bad_input(programs, work)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main()
