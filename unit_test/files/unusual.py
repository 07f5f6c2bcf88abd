#!/usr/bin/env python3
"""Files of HDF5 with names, texts and datasets that are meant to hurt, or that nobody expects.

usage: unusual.py KOMPAKT

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import json
import subprocess
import sys

try:
    import h5py
    import numpy as np
    from program import BAD_ARGUMENT, BOUND, CORRUPT, UNSUPPORTED, PROGRAM, Folder, smooth, within_bound
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

ABS = ["-m", "abs", "-e", BOUND]
FORGED = "\x1b[2J\nkompakt: forged"
NAMES = [f"bad{FORGED}".encode(), b"latin \xfc", b"one \xc2\x9b31m", b"back\rspace\x08", b"del\x7f"]


def call(folder, *words):
    """Bytes, as they reach a terminal."""
    return subprocess.run([PROGRAM, *map(str, words)], cwd=folder.path, capture_output=True, check=False, timeout=60)


def require_harmless(outcome):
    """Nothing that a terminal obeys, and no line but those of the program."""
    for text in (outcome.stdout, outcome.stderr):
        letters = text.decode("utf-8")
        wrong = [c for c in letters if c != "\n" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)]
        assert not wrong, (wrong, text)
        assert not any(line.startswith("kompakt: forged") for line in letters.split("\n")), text


def write_names(path):
    field = smooth((20, 30), "f4")
    with h5py.File(path, "w") as file:
        file["good"] = field
        for name in NAMES:
            file[name] = field
        file[b"words \x1b]0;x\x07"] = ["a"]
        file.create_group(b"group \x1b[1m")["inner"] = field
        for owner in (file, file["good"]):
            owner.attrs["units"] = "K"
            owner.attrs["remark"] = FORGED
            owner.attrs[b"key" + FORGED.encode()] = 1
            owner.attrs[b"pair \x1b[1m"] = np.zeros(2, [("a", "f4"), ("b", "i4")])
    return field


def test_names():
    folder = Folder()
    field = write_names(folder / "in.h5")
    outcome = call(folder, "compress", "in.h5", "-o", "in.kpk", *ABS)
    require_harmless(outcome)
    assert outcome.returncode == BAD_ARGUMENT, outcome
    last = outcome.stderr.decode().splitlines()[-1]
    for mention in ["bad\\x1b[2J\\nkompakt: forged", "latin \\xfc", "one \\xc2\\x9b31m", "group \\x1b[1m/inner", "--skip"]:
        assert mention in last, (mention, last)
    folder.run("decompress", "-i", "in.kpk", "--name", "good", "-o", "good.npy")
    assert within_bound(field, np.load(folder / "good.npy")), "one name must not stop all others"
    require_harmless(call(folder, "info", "in.kpk"))
    for words in [["compress", "in.h5", "-o", "json.kpk", *ABS, "--json"], ["repack", "in.h5", "json.h5", *ABS, "--json"],
                  ["info", "in.kpk", "--json"]]:
        outcome = call(folder, *words)
        require_harmless(outcome)
        json.loads(outcome.stdout.decode("utf-8"))
    skips = [word for pattern in ["bad*", "latin*", "one*", "back*", "del*", "group*"] for word in ("--skip", pattern)]
    outcome = call(folder, "compress", "in.h5", "-o", "skipped.kpk", *ABS, *skips)
    assert outcome.returncode == 0, outcome
    # Alone, with a name of its own, such a variable is a field as any other.
    folder.run("compress", "-i", f"in.h5:bad{FORGED}", *ABS, "-o", "bad.kpk", "--name", "bad")
    for words in [["compress", "-i", "in.h5", *ABS, "-o", "never.kpk"], ["compress", "-i", "in.h5:nothing", *ABS, "-o", "never.kpk"],
                  ["compress", "-i", "in.h5:words \x1b]0;x\x07", *ABS, "-o", "never.kpk"],
                  ["compress", "in.h5", *ABS, "-o", "never.kpk", "--bound", f"{FORGED}=abs:1"],
                  ["repack", "in.h5", "never.h5", *ABS, "--skip", "nothing"], ["repack", "in.h5", "out.h5", *ABS, "--verify"]]:
        require_harmless(call(folder, *words))
    with h5py.File(folder / "in.h5") as before, h5py.File(folder / "out.h5") as after:
        names = sorted(before.id)
        assert names == sorted(after.id) and set(NAMES) < set(names), names
        assert sorted(before["good"].attrs) == sorted(after["good"].attrs)


def write_sparse(path):
    field = np.random.default_rng(1).standard_normal((40, 50)).cumsum(axis=1).astype("f4")
    with h5py.File(path, "w") as file:
        file["x"] = field
        huge = file.create_dataset("huge", (10**6, 10**6), "f4", chunks=(100, 100), fillvalue=-1)
        huge[500:600, 700:800], huge.attrs["units"] = 7, "K"
        words = file.create_dataset("words", (10**6, 10**6), h5py.string_dtype(), chunks=(10, 10))
        words[55, 66], words[-1, -1] = "word", "last"
        file.create_dataset("cut", (25, 25), h5py.string_dtype(), chunks=(10, 10))[21:, 3] = "end"
        file.create_dataset("full", data=[["a", "b", "c"]] * 5, dtype=h5py.string_dtype(), chunks=(2, 2))
        file.create_dataset("never", (10**6, 10**6), h5py.string_dtype())
        refs = file.create_dataset("refs", (10**9,), h5py.ref_dtype, chunks=(10,))
        refs[77] = file["huge"].ref
    return field


def test_sparse():
    folder = Folder()
    field = write_sparse(folder / "in.h5")
    report = folder.json("repack", "in.h5", "out.h5", *ABS, "--verify")
    assert [one["name"] for one in report["files"][0]["variables"]] == ["x"], report
    assert (folder / "out.h5").stat().st_size < 2 * (folder / "in.h5").stat().st_size
    with h5py.File(folder / "in.h5") as before, h5py.File(folder / "out.h5") as after:
        for name in ["huge", "words", "cut", "full", "refs"]:
            assert before[name].shape == after[name].shape and before[name].chunks == after[name].chunks, name
            assert before[name].id.get_num_chunks() == after[name].id.get_num_chunks(), name
        assert np.array_equal(before["huge"][450:650, 650:850], after["huge"][450:650, 650:850])
        assert after["huge"].attrs["units"] == "K" and after["huge"].fillvalue == -1
        assert (after["words"][55, 66], after["words"][-1, -1], after["words"][0, 0]) == (b"word", b"last", b"")
        for name in ["cut", "full"]:
            assert np.array_equal(before[name][...], after[name][...]), name
        assert after["never"].id.get_storage_size() == 0 and after[after["refs"][77]].name == "/huge"
    # The archive has all others, and the exit code says that it has not all.
    outcome = folder.call("compress", "in.h5", "-o", "in.kpk", *ABS)
    assert outcome.returncode == CORRUPT and "in.h5:huge" in outcome.stderr.splitlines()[-1], outcome
    assert "--skip" in outcome.stderr.splitlines()[-1] and "left_out" not in outcome.stdout
    folder.run("decompress", "-i", "in.kpk", "-o", "x.npy")
    assert within_bound(field, np.load(folder / "x.npy"))
    assert [one["name"] for one in folder.json("compress", "in.h5", "-o", "2.kpk", *ABS, "--skip", "hu*")["fields"]] == ["x"]
    # Bounds that name it fit; names that nothing has do not.
    outcome = folder.call("compress", "in.h5", "-o", "3.kpk", *ABS, "--bound", "huge=abs:1", "--json")
    assert outcome.returncode == CORRUPT, outcome
    assert [one["file"] for one in json.loads(outcome.stdout)["left_out"]] == ["in.h5:huge"]
    folder.refused(BAD_ARGUMENT, ["--skip wind", "'x'"], "compress", "in.h5", "-o", "4.kpk", *ABS, "--skip", "wind")
    folder.refused(BAD_ARGUMENT, ["--skip x"], "compress", "-i", "in.h5:x", "-o", "4.kpk", *ABS, "--skip", "x")
    folder.refused(CORRUPT, ["in.h5:huge", "-l"], "compress", "-i", "in.h5:huge", "-o", "4.kpk", *ABS)
    folder.refused(CORRUPT, ["in.h5:huge"], "compress", "in.h5:huge", "-o", "4.kpk", *ABS)
    report = folder.json("repack", "in.h5", "skipped.h5", *ABS, "--bound", "huge=abs:1", "--skip", "hu*")
    assert "huge" in report["files"][0]["unchanged"], report


def test_filters():
    """A variable by a filter that is not there is named."""
    folder = Folder()
    hidden = np.repeat(np.arange(40, dtype="f4"), 50).reshape(40, 50)  # which the filter makes smaller
    with h5py.File(folder / "in.h5", "w") as file:
        file.create_dataset("hidden", data=hidden, chunks=(40, 50), compression="lzf")
        file["x"] = smooth((40, 50), "f4")
    folder.refused(UNSUPPORTED, ["in.h5:hidden", "filter", "--skip"], "compress", "in.h5", "-o", "in.kpk", *ABS)
    folder.refused(UNSUPPORTED, ["in.h5:hidden", "filter", "--skip"], "repack", "in.h5", "out.h5", *ABS)
    folder.run("compress", "in.h5", "-o", "in.kpk", *ABS, "--skip", "hidden")
    folder.run("repack", "in.h5", "out.h5", *ABS, "--skip", "hidden")
    with h5py.File(folder / "out.h5") as out:
        assert np.array_equal(out["hidden"][...], hidden)


def test_names_that_netcdf_does_not_take():
    folder = Folder()
    field = smooth((20, 30), "f4")
    with h5py.File(folder / "in.h5", "w") as file:
        file["good"], file["trailing "] = field, field
        file["good"].dims[0].label, file["good"].dims[1].label = "lat ", "lon"
    folder.run("compress", "in.h5", "-o", "in.kpk", *ABS)
    outcome = folder.call("decompress", "-i", "in.kpk", "-o", "out.nc")
    if "built without" in outcome.stderr:
        return
    assert outcome.returncode == BAD_ARGUMENT and "out.nc:trailing '" in outcome.stderr.splitlines()[-1], outcome
    outcome = folder.call("decompress", "-i", "in.kpk", "--name", "good", "-o", "good.nc")
    assert outcome.returncode == 0 and "'lat ' of 'good' is called 'dim_20'" in outcome.stderr, outcome
    with h5py.File(folder / "good.nc") as out:
        assert [scale[0].name for scale in out["good"].dims] == ["/dim_20", "/lon"]
        assert within_bound(field, out["good"][...])
    folder.run("decompress", "-i", "in.kpk", "-o", "out.h5")


for test in [test_names, test_sparse, test_filters, test_names_that_netcdf_does_not_take]:
    test()
print("unusual: as it should be")
