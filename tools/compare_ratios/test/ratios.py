#!/usr/bin/env python3
"""Holds compare-ratios against sizes and errors that are found here, on fields that are made here.

usage: ratios.py KOMPAKT

Exits 1 with a line if they differ, and with 77, which ctest takes for a skipped test, without NumPy. Packages that
stand for the peers are in peer_doubles.py; the peers themselves are tried if they are installed.
"""

import csv
import fractions
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

sys.dont_write_bytecode = True
import peer_doubles

TOOL = pathlib.Path(__file__).resolve().parents[1] / "compare-ratios"
sys.path.append(str(TOOL.parents[2] / "scripts"))
sys.path.append(str(TOOL.parent))
import exact_errors
import peers
import pipelines
import tables

FILL = 1e20
RARE_FILL = -999.0  # at too few places to be found without being told
BOUNDS = ("1e-2", "1e-3")
CONFIGS = ("huffman", "bitshuffle --variant nested")
HURT = """#!{python}
import os, subprocess, sys
status = subprocess.call([{kompakt!r}, *sys.argv[1:]])
if sys.argv[1] == "decompress" and status == 0:  # other values than the stream has, the first of them by far
    with open(sys.argv[sys.argv.index("-o") + 1], "r+b") as file:
        file.write(bytes.fromhex({first!r}))
sys.exit(status)
"""


def require(condition, what):
    if not condition:
        sys.exit(f"ratios: {what}")


def made_fields():
    z, y, x = np.meshgrid(*(np.linspace(0, 3, n) for n in (20, 24, 30)), indexing="ij")
    smooth = np.sin(x + 2 * y) * np.cos(z)
    masked = (smooth * 10).astype("f4")
    masked[:, :8, :9] = FILL
    rare = (smooth * 10).astype("f4")
    rare.flat[[3, 500, 5000]] = RARE_FILL
    holed = smooth[0].copy()
    holed[3, 4], holed[5, 5] = math.nan, math.inf
    return {"smooth": (smooth.astype("f4"), None, "waves"), "double": (smooth[:, 0], None, "waves"),
            "masked": (masked, FILL, "masks"), "rare": (rare, RARE_FILL, "masks"), "holed": (holed, None, "masks"),
            "flat": (np.full((6, 7), 2.5, "f4"), None, "waves"),
            "ranks": (smooth.astype("f4").reshape(2, 10, 1, 4, 6, 30), None, "waves")}


def write_fields(folder, fields):
    entries = []
    for name, (values, fill, domain) in fields.items():
        values.tofile(folder / f"{name}.raw")
        entries.append({"name": name, "file": f"{name}.raw", "dtype": f"f{8 * values.itemsize}",
                        "shape": values.shape, "fill": fill, "domain": domain})
    (folder / "manifest.json").write_text(json.dumps(entries))
    return folder


def write_alone(work, name):
    folder = work / f"only_{name}"
    folder.mkdir(exist_ok=True)
    return write_fields(folder, {name: made_fields()[name]})


class Run:
    def __init__(self, *words, path=""):
        words = [sys.executable, TOOL, *words]
        result = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                                env={**os.environ, "PYTHONPATH": str(path)})
        self.code, self.out, self.err = result.returncode, result.stdout, result.stderr

    def expect(self, code):
        require(self.code == code, f"exit code {self.code} instead of {code}: {self.out}{self.err}")
        return self


def own_ratio(kompakt, folder, name, field, words, bound, work):
    """Of the file that the program writes."""
    values, fill, _ = field
    stream = work / "own.kpk"
    mask = [] if fill is None else ["--fill", repr(fill)]
    subprocess.run([kompakt, "compress", "-i", folder / f"{name}.raw", "-t", f"f{8 * values.itemsize}", "--shape",
                    ",".join(map(str, values.shape)), "-m", "abs", "-e", repr(bound), "-c", *words.split(), *mask,
                    "-o", stream, "--force"], check=True, capture_output=True)
    return values.nbytes / stream.stat().st_size


def check_ratios(kompakt, folder, fields, work):
    """Ratios, bounds and means of the program alone."""
    report, table = work / "report.json", work / "report.csv"
    ran = Run(folder, "--kompakt", kompakt, "--peers", "none", "--configs", ",".join(CONFIGS), "--bounds",
              ",".join(BOUNDS), "--json", report, "--csv", table).expect(0)
    require("flat skipped: no bound" in ran.out, f"a field without a range is not told of: {ran.out}")
    told = json.loads(report.read_text())
    require(told["command"].startswith(f"compare-ratios {folder.name} --bounds {','.join(BOUNDS)} --peers none"), told["command"])
    rows = {(row["field"], row["compressor"], row["bound"]): row for row in told["rows"]}
    require(len(rows) == len(told["rows"]) == (len(fields) - 1) * len(CONFIGS) * len(BOUNDS), "how many rows")
    for (name, words, share), row in rows.items():
        values, fill, _ = fields[name]
        valid = values[np.isfinite(values) & (values != np.float32(math.nan if fill is None else fill))].astype(float)
        bound = float(share) * float(valid.max() - valid.min())
        ratio = own_ratio(kompakt, folder, name, fields[name], words, bound, work)
        require(row["abs_bound"] == bound and row["ratio"] == ratio, f"{name}, {words}: {row}, not {ratio}")
        require(row["violations"] == 0 and 0 < row["error_of_bound"] <= 1, f"{name}, {words}: {row}")
    for share in BOUNDS:
        logs = [math.log(row["ratio"]) for key, row in rows.items() if key[1:] == (CONFIGS[0], share)]
        mean = told["means"][share]["ratio"][CONFIGS[0]]
        require(math.isclose(mean, math.exp(sum(logs) / len(logs))), f"mean {mean} within {share}")
    with table.open() as file:
        ratios = [row["ratio"] for row in csv.DictReader(file)]
    require(ratios == [str(row["ratio"]) for row in told["rows"]], f"the CSV has {ratios}")


def check_doubles(kompakt, folder, fields, work):
    """Peers that stand for the real ones: how they are called, that what they break is counted, what they refuse."""
    packages, report = work / "doubles", work / "doubles.json"
    peer_doubles.write(packages)
    ran = Run(folder, "--kompakt", kompakt, "--configs", "huffman", "--bounds", "1e-3", "--json", report,
              path=packages).expect(0)
    told = json.loads(report.read_text())
    broken = {name: {row["field"]: row["violations"] for row in told["rows"] if row["compressor"] == name}
              for name in ("huffman", "sz3", "zfp")}
    taken = [name for name in fields if name not in ("flat", "holed")]
    for name in taken:
        # That of fields with fill values is hidden under the mask, where the fill value is put back.
        expected = {"huffman": 0, "sz3": int(fields[name][1] is None), "zfp": 0}
        require({peer: counts[name] for peer, counts in broken.items()} == expected, f"violations of {name}: {broken}")
    require(broken["zfp"]["holed"] is None and "holed skipped for zfp: NaN" in ran.out, f"NaN for zfp: {ran.out}")
    check_mask(fields["masked"], told, packages)
    require(broken["huffman"]["holed"] == 0, "NaN and infinity")
    require(told["means"]["1e-3"]["fields"] == len(taken), f"a mean of fields that not all took: {told['means']}")
    check_quotients(told)


def kept_ratios(told):
    """Ratios of peers whose streams keep the bound, and of ours, by field."""
    found = {}
    for row in told["rows"]:
        if row["violations"] == 0:
            found.setdefault(row["field"], {})[row["compressor"]] = row["ratio"]
    return found


def check_quotients(told):
    """Means over one peer, and over the best one of each field that keeps its bound."""
    means, kept = told["means"]["1e-3"], kept_ratios(told)
    ratios = {(row["field"], row["compressor"]): row["ratio"] for row in told["rows"]}
    best = {name: max(of, key=of.get) for name, of in kept.items()}
    rivals = {name: max(ratio for peer, ratio in of.items() if peer != "huffman") for name, of in kept.items() if len(of) > 1}
    for other, quotients in {"zfp": [kept[name]["huffman"] / ratios[name, "zfp"] for name in kept if ratios[name, "zfp"]],
                             "best peer": [kept[name]["huffman"] / ratio for name, ratio in rivals.items()]}.items():
        expected = {"fields": len(quotients), **dict.fromkeys(("huffman", "kompakt"), tables.geometric_mean(quotients))}
        require(means["over"][other].keys() == expected.keys() and
                all(math.isclose(means["over"][other][key], value) for key, value in expected.items()), f"{means}, not {expected}")
    ahead = list(best.values())
    require(means["ahead"] == {"kompakt": ahead.count("huffman"), "sz3": ahead.count("sz3"), "zfp": ahead.count("zfp")},
            f"{means['ahead']} of {best}")


def check_settings(kompakt, work):
    """The settings of SZ3: the best that keeps its bound is named, and one that is smaller but breaks it is counted."""
    packages, report = work / "doubles", work / "settings.json"
    ran = Run(write_alone(work, "smooth"), "--kompakt", kompakt, "--configs", "huffman", "--bounds", "1e-3", "--peers",
              ",".join(peers.BOUNDED_NAMES[:3]), "--json", report, path=packages).expect(0)
    told = json.loads(report.read_text())
    rows = {row["compressor"]: row for row in told["rows"]}
    require(rows["sz3"]["violations"] == 1 and not rows["sz3-interpolation"]["violations"], f"violations: {rows}")
    require(rows["sz3"]["bytes"] < rows["sz3-interpolation"]["bytes"] < rows["sz3-lorenzo"]["bytes"], f"sizes: {rows}")
    line = next(line for line in ran.out.splitlines() if line.startswith("smooth "))
    require(line.split()[5] == "sz3-interpolation" and line.endswith("  sz3 1"), f"the best peer: {ran.out}")
    for best in ("best sz3", "best peer"):
        over = rows["huffman"]["ratio"] / rows["sz3-interpolation"]["ratio"]
        require(math.isclose(told["means"]["1e-3"]["over"][best]["kompakt"], over), f"{told['means']} is not {over}")


def check_lossless(kompakt, work):
    """Without loss: each field as it is, bits compared, a zero with another sign counted, and a flat field taken."""
    packages, report = work / "lossless_doubles", work / "lossless.json"
    peer_doubles.write(packages, peer_doubles.LOSSLESS)
    peer_doubles.write_absent(packages, ["hdf5plugin"])
    fields = {name: made_fields()[name] for name in ("smooth", "masked", "holed", "flat", "ranks")}
    lost = {name: np.count_nonzero((values == 0) & np.signbit(values)) for name, (values, _, _) in fields.items()}
    require(lost["smooth"] > 0, "no zero with a sign")
    (work / "lossless").mkdir()
    folder = write_fields(work / "lossless", fields)
    ran = Run(folder, "--kompakt", kompakt, "--lossless", "--json", report, path=packages).expect(0)
    told = json.loads(report.read_text())
    ours = pipelines.CHOSEN_WITHOUT_LOSS.split(",")
    broken = {(row["field"], row["compressor"]): row["violations"] for row in told["rows"]}
    expected = {(name, who): lost[name] * (who == "pcodec") for name in fields for who in (*ours, "pcodec", "fpzip")}
    require(broken == expected, f"different values: {broken}")
    require("blosc2 skipped: hdf5plugin cannot be used" in ran.out, f"a peer that is missing: {ran.out}")
    [row] = (row for row in told["rows"] if (row["field"], row["compressor"]) == ("masked", "auto --for ratio"))
    stream = work / "own.kpk"
    subprocess.run([kompakt, "compress", "-i", folder / "masked.raw", "-t", "f32", "--shape", "20,24,30", "-m", "lossless", "--for",
                    "ratio", "-o", stream, "--force"], check=True, capture_output=True)
    require(row["bytes"] == stream.stat().st_size, f"{row} has not the {stream.stat().st_size} bytes of the program")
    require(told["means"]["lossless"]["over"]["best peer"]["fields"] == len(fields), f"means: {told['means']}")


def check_mask(field, told, packages):
    """Fill values of a peer: lines across them in memory order, and a mask beside the stream."""
    zfp = importlib.util.spec_from_file_location("zfpy", packages / "zfpy.py")
    module = importlib.util.module_from_spec(zfp)
    zfp.loader.exec_module(module)
    values = field[0].ravel()
    there = np.flatnonzero(values < FILL)
    lines = np.interp(range(values.size), there, values[there]).astype("f4").reshape(field[0].shape)
    row = next(row for row in told["rows"] if (row["field"], row["compressor"]) == ("masked", "zfp"))
    mask = zlib.compress(np.packbits(values >= FILL).tobytes(), 9)
    taken = len(module.compress_numpy(lines, row["abs_bound"])) + len(mask)
    require(row["bytes"] == taken, f"{row['bytes']} bytes of a masked field instead of {taken}")


def check_absent(kompakt, folder, work):
    packages = work / "absent"
    peer_doubles.write_absent(packages)
    ran = Run(folder, "--kompakt", kompakt, "--configs", "huffman", "--quick", "--peers", "all", path=packages).expect(0)
    for peer, package in (("sz3", "pysz"), ("sz3-lorenzo", "pysz"), ("zfp", "zfpy"), ("sperr", "hdf5plugin")):
        require(f"{peer} skipped: {package} cannot be used" in ran.out, f"{peer} is not skipped by name: {ran.out}")


def check_installed(kompakt, work):
    """The peers, if they are there, and all pipelines of the program."""
    folder = write_alone(work, "masked")
    ran = Run(folder, "--kompakt", kompakt, "--bounds", "1e-3", "--peers", "all").expect(0)
    require("auto --for ratio" in ran.out and "huffman --predictor tile" in ran.out, f"pipelines: {ran.out}")
    without = Run(folder, "--kompakt", kompakt, "--lossless").expect(0)
    for peer in (*peers.BOUNDED, *peers.LOSSLESS):
        if importlib.util.find_spec(peer.package) is None:
            print(f"{peer.name} itself is not tried: {peer.package} is not installed; scripts/setup peers brings it")
            continue
        out = (ran if peer in peers.BOUNDED else without).out
        line = next(line for line in out.splitlines() if line.startswith(f"{peer.name} ") and "ahead" not in line)
        require(float(line.split()[1]) > 1 and line.split()[-1] == "0", f"{peer.name}: {line}")


def check_hurt(kompakt, folder, work):
    """A program whose values are not those of its stream: counted, with exit code 1."""
    for name, first in (("smooth", "0000c842" * 2), ("masked", "0000c842")):  # 100; where a fill value is
        hurt = work / f"hurt_{name}"
        hurt.write_text(HURT.format(python=sys.executable, kompakt=str(kompakt), first=first))
        hurt.chmod(0o755)
        ran = Run(write_alone(work, name), "--kompakt", hurt, "--configs", "huffman", "--peers", "none", "--quick")
        ran.expect(1)
        require(f"huffman {len(first) // 8}" in ran.out, f"violations of {name}: {ran.out}")


def check_bad_input(kompakt, folder, work):
    gone, short, odd, twice = (work / name for name in ("gone", "short", "odd", "twice"))
    fields = {"smooth": made_fields()["smooth"]}
    for other in (gone, short, odd, twice):
        other.mkdir()
        write_fields(other, fields)
    (gone / "smooth.raw").unlink()
    (short / "smooth.raw").write_bytes(b"1234")
    (odd / "manifest.json").write_text('[{"name": "smooth", "file": "smooth.raw", "dtype": "f16", "shape": [1]}]')
    (twice / "manifest.json").write_text(json.dumps(2 * json.loads((twice / "manifest.json").read_text())))
    bad = {"manifest.json: No such file": [work / "nowhere"], "smooth.raw: no such file": [gone],
           "4 bytes are no field of 20x24x30 f32": [short], "dtype 'f16'": [odd], "two fields": [twice],
           "'0' is not a positive": [folder, "--bounds", "1e-3,0"], "'x' is not a positive": [folder, "--bounds", "x"],
           "'inf' is not a positive": [folder, "--bounds", "inf"], "'szz' is not known": [folder, "--peers", "szz"],
           "'pcodec' is not known here": [folder, "--peers", "pcodec"], "'zfp' is not known here":
           [folder, "--lossless", "--peers", "zfp"], "there is no bound with --lossless": [folder, "--lossless", "--bounds", "1"],
           "'huffmann' is not known": [folder, "--configs", "huffmann"], "no such folder":
           [folder, "--json", work / "none/report.json"]}
    for line, words in bad.items():
        ran = Run("--kompakt", kompakt, *words).expect(2)
        require(line in ran.err and ran.err.count("\n") == 1 and not ran.out, f"{words}: {ran.err}{ran.out}")
    ran = Run(folder, "--kompakt", work / "no_program").expect(2)
    require("name the program with --kompakt" in ran.err, ran.err)


def check_offered():
    """Words out of a help text, however it is wrapped."""
    indent = " " * 30
    text = f"""
  -c WORD=auto                pipeline: one (first), two
{indent}(second), three, auto (by a
{indent}sample)
  --for GOAL                  what the pipeline is chosen for: ratio
  --predictor WORD=auto
{indent}prediction: auto, chain
"""
    require(pipelines.offered(text, "-c") == ["one", "two", "three", "auto"], "words of -c")
    require(pipelines.offered(text, "--predictor") == ["auto", "chain"], "words of --predictor")


def check_tables():
    """The best of ours, and who is ahead: none where two are, and whoever takes the field where others do not."""
    ratios = [{"a": 2, "b": 3, "sz3": 3}, {"a": 5, "b": 4, "sz3": 1}, {"a": 1, "b": 1, "sz3": 2},
              {"a": 9, "b": None, "sz3": 1}, {"a": 4, "b": 4, "sz3": None}]
    rows = [{"folder": "", "field": str(i), "kind": "", "bound": "1", "compressor": name, "ratio": ratio, "violations": 0}
            for i, case in enumerate(ratios) for name, ratio in case.items()]
    means = tables.Comparison(rows, ["1"], ["a", "b"], ["sz3"]).means()["1"]
    require(means["fields"] == 3 and means["ahead"] == {"kompakt": 3, "sz3": 1}, f"who is ahead: {means}")
    require(math.isclose(means["ratio"]["kompakt"], 15 ** (1 / 3)), f"the best of ours: {means}")


def check_exact_errors():
    """Against fractions, at bounds that errors reach up to rounding."""
    draw = np.random.default_rng(1)
    outside, exactly = 0, lambda x: fractions.Fraction(float(x))
    for dtype in ("f4", "f8"):
        x = draw.standard_normal(2000).astype(dtype)
        y = (x + draw.choice((-0.125, 0.125), 2000)).astype(dtype)
        for bound in (0.125, np.nextafter(0.125, 0), float(abs(x[0].astype(float) - y[0].astype(float)))):
            exact = sum(abs(exactly(a) - exactly(b)) > exactly(bound) for a, b in zip(x, y))
            found, _ = exact_errors.count_violations(x, y, float(bound))
            require(found == exact, f"{found} violations instead of {exact}")
            outside += 0 < exact < 2000
    require(outside >= 4, "bounds that part the values")


def main():
    kompakt = pathlib.Path(sys.argv[1]).resolve()
    check_exact_errors()
    check_offered()
    check_tables()
    with tempfile.TemporaryDirectory() as work:
        work, fields = pathlib.Path(work), made_fields()
        folder = work / "fields"
        folder.mkdir()
        write_fields(folder, fields)
        check_ratios(kompakt, folder, fields, work)
        check_doubles(kompakt, folder, fields, work)
        check_settings(kompakt, work)
        check_lossless(kompakt, work)
        check_absent(kompakt, folder, work)
        check_installed(kompakt, work)
        check_hurt(kompakt, folder, work)
        check_bad_input(kompakt, folder, work)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main()
