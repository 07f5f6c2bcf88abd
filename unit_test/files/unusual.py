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
    from program import BAD_ARGUMENT, BAD_MAGIC, BOUND, CORRUPT, IO, UNSUPPORTED, PROGRAM, Folder, smooth, within_bound
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


def write_with(path, write):
    """A file with a field, and a dataset besides that the program cannot read."""
    with h5py.File(path, "w") as file:
        file["x"] = smooth((40, 50), "f4")
        write(file)


def stays_as_it_is(folder, source, name, *mentions):
    """A copy has all variables, and a note on the one that cannot be read. An archive has all others, with an error but for --skip."""
    end = source.rpartition(".")[2]
    outcome = folder.call("repack", source, f"copy.{end}", *ABS, "--force", "--json")
    assert outcome.returncode == 0, outcome
    for mention in [f"note: '{source}:{name}' stays as it is", *mentions]:
        assert mention in outcome.stderr, (mention, outcome.stderr)
    assert [one["name"] for one in json.loads(outcome.stdout)["files"][0]["variables"]] == ["x"], outcome
    status = UNSUPPORTED if "filter" in mentions else IO
    folder.refused(status, [f"{source}:{name}", *mentions], "compress", "-i", f"{source}:{name}", "-o", "never.kpk", *ABS)
    is_left_out(folder, source, name, status, *mentions)
    fates = {one["name"]: one["compress"] for one in folder.json("info", source)["variables"]}
    assert fates[name].startswith("left out: ") and all(mention in fates[name] for mention in mentions), fates


def is_left_out(folder, source, name, status, *mentions):
    """An archive has x alone, and the exit code and the last line tell of the other one, but for --skip."""
    archive = ["-o", "in.kpk", *ABS, "--force", "--replace-archive"]
    outcome = folder.call("compress", source, *archive, "--json")
    assert outcome.returncode == status and f"note: '{source}:{name}' is left out: " in outcome.stderr, outcome
    for mention in [f"'{source}:{name}' is not in 'in.kpk', which has all others", *mentions, "--skip NAME"]:
        assert mention in outcome.stderr.splitlines()[-1], (mention, outcome.stderr)
    said = json.loads(outcome.stdout)
    assert [one["name"] for one in said["fields"]] == ["x"] and [one["file"] for one in said["left_out"]] == [f"{source}:{name}"], said
    assert [one["name"] for one in folder.json("info", "in.kpk")["fields"]] == ["x"]
    folder.run("compress", source, *archive, "--skip", name, "--quiet")
    assert [one["name"] for one in folder.json("info", "in.kpk")["fields"]] == ["x"]
    (folder / "in.kpk").unlink()


def copies_others(folder, source, name, status, *mentions):
    """A copy goes without a dataset that nothing can read, and says so in a note, in its report and at the end."""
    end = source.rpartition(".")[2]
    outcome = folder.call("repack", source, f"copy.{end}", *ABS, "--force", "--json", "--verify")
    assert outcome.returncode == status and f"note: '{source}:{name}' is left out: " in outcome.stderr, outcome
    for mention in [f"'{source}:{name}' is in no copy, all others are repacked: ", *mentions]:
        assert mention in outcome.stderr.splitlines()[-1], (mention, outcome.stderr)
    assert "--skip" not in outcome.stderr and "stays as it is" not in outcome.stderr, "neither of which is so"
    said = json.loads(outcome.stdout)["files"][0]
    assert [one["name"] for one in said["variables"]] == ["x"] and name not in said["unchanged"], said
    assert [one["name"] for one in said["left_out"]] == [name], said
    with h5py.File(folder / f"copy.{end}") as out, h5py.File(folder / source) as file:
        assert name not in out and set(out) == set(file) - {name}
        assert within_bound(file["x"][...], out["x"][...])


def test_filters():
    """A variable by a filter that is not there is named, and stops no copy of others."""
    folder = Folder()
    hidden = np.repeat(np.arange(40, dtype="f4"), 50).reshape(40, 50)  # which the filter makes smaller
    for source in ("in.h5", "in.nc"):
        write_with(folder / source, lambda file: file.create_dataset("hidden", data=hidden, chunks=(40, 50), compression="lzf"))
        stays_as_it_is(folder, source, "hidden", "filter", "'lzf' (32000)", "HDF5_PLUGIN_PATH")
        with h5py.File(folder / f"copy{source[2:]}") as out, h5py.File(folder / source) as file:
            assert np.array_equal(out["hidden"][...], hidden)
            assert out["hidden"].id.read_direct_chunk((0, 0)) == file["hidden"].id.read_direct_chunk((0, 0))
    # Texts of any length are no part of the chunk, which only refers to them.
    write_with(folder / "texts.h5", lambda file: file.create_dataset("hidden", data=["a"] * 500, dtype=h5py.string_dtype(),
                                                                     chunks=(500,), compression="lzf"))
    copies_others(folder, "texts.h5", "hidden", UNSUPPORTED, "'lzf' (32000)")


def damage(path, piece):
    """Changes a byte in the middle of what is stored somewhere in a file."""
    whole = bytearray(path.read_bytes())
    at = whole.index(piece)
    whole[at + len(piece) // 2] ^= 255
    path.write_bytes(whole)


def test_damaged_variables():
    """Damage to one variable stops no other, and never passes for its values."""
    folder = Folder()
    values = smooth((40, 50), "f4")
    for source in ("in.h5", "in.nc"):
        write_with(folder / source, lambda file: file.create_dataset("torn", data=values, chunks=(20, 50), fletcher32=True))
        with h5py.File(folder / source) as file:
            chunk = file["torn"].id.read_direct_chunk((20, 0))[1]
        damage(folder / source, chunk)
        folder.refused(CORRUPT, [f"{source}:torn"], "compress", "-i", f"{source}:torn", "-o", "never.kpk", *ABS)
        is_left_out(folder, source, "torn", CORRUPT, "cannot be read as")
        for words in (ABS, ["-m", "r2r", "-e", BOUND, "--verify"]):  # found in copying, and in looking for the range
            copy = "copy." + source.rpartition(".")[2]
            outcome = folder.call("repack", source, copy, *words, "--force", "--json")
            assert outcome.returncode == CORRUPT and f"note: '{source}:torn' stays as it is: " in outcome.stderr, outcome
            assert f"{source}:torn" in outcome.stderr.splitlines()[-1] and "--skip NAME" in outcome.stderr, outcome
            said = json.loads(outcome.stdout)["files"][0]
            assert [one["name"] for one in said["variables"]] == ["x"] and "torn" in said["unchanged"], said
            with h5py.File(folder / source) as file, h5py.File(folder / copy) as out:
                for at in ((0, 0), (20, 0)):
                    assert out["torn"].id.read_direct_chunk(at) == file["torn"].id.read_direct_chunk(at)
                assert 0 < np.abs(out["x"][:] - file["x"][:]).max()
            folder.run("repack", source, copy, *words, "--force", "--skip", "torn")
    # If all of them are damaged, that is why there is nothing to compress.
    with h5py.File(folder / "all.h5", "w") as file:
        file.create_dataset("torn", data=values, chunks=(40, 50), fletcher32=True)
        chunk = file["torn"].id.read_direct_chunk((0, 0))[1]
    damage(folder / "all.h5", chunk)
    outcome = folder.call("repack", "all.h5", "all_copy.h5", *ABS)
    assert outcome.returncode == CORRUPT and "'all.h5:torn' stays as it is: it is damaged" in outcome.stderr, outcome
    assert "of whose variables none can be compressed" in outcome.stderr and "no variable to compress" not in outcome.stderr, outcome
    assert (folder / "all.h5").read_bytes() == (folder / "all_copy.h5").read_bytes()
    np.savez(folder / "in.npz", x=values, torn=np.arange(999.0))
    damage(folder / "in.npz", np.arange(999.0).tobytes())
    is_left_out(folder, "in.npz", "torn", CORRUPT)
    # Without another variable there is no archive.
    np.savez(folder / "alone.npz", torn=np.arange(999.0))
    damage(folder / "alone.npz", np.arange(999.0).tobytes())
    folder.refused(CORRUPT, ["alone.npz:torn", "no other variable"], "compress", "alone.npz", "-o", "never.kpk", *ABS)


def write_virtual(file):
    layout = h5py.VirtualLayout((40, 50), "f4")
    layout[:20] = h5py.VirtualSource("there.h5", "x", (40, 50))[:20]
    layout[20:] = h5py.VirtualSource("gone.h5", "far", (20, 50))
    file.create_virtual_dataset("hidden", layout, fillvalue=-5)


def test_values_in_files_that_are_not_there():
    """HDF5 reads fill values in place of a missing source: nobody may take them for the field."""
    folder = Folder()
    write_with(folder / "there.h5", lambda file: None)
    size = 40 * 50 * 4
    for write, mention in ((lambda file: file.create_dataset("hidden", (40, 50), "f4", external=[("gone.bin", 0, size)]), "'gone.bin'"),
                           (write_virtual, "'gone.h5:far'")):
        write_with(folder / "in.h5", write)
        stays_as_it_is(folder, "in.h5", "hidden", mention, "put that file back")
        with h5py.File(folder / "copy.h5") as out:
            assert out["hidden"].is_virtual or out["hidden"].external == [("gone.bin", 0, size)]
    with h5py.File(folder / "gone.h5", "w") as file:
        file["far"] = np.full((20, 50), 7, "f4")
    folder.run("compress", "in.h5", "-o", "whole.kpk", *ABS, "--quiet")
    folder.run("decompress", "whole.kpk", "--name", "hidden", "-o", "whole.npy")
    assert abs(np.load(folder / "whole.npy")[20:] - 7).max() <= BOUND


def test_links():
    """Copies keep them. An archive has each dataset once, and a note names the rest."""
    folder = Folder()
    field = smooth((40, 50), "f4")
    with h5py.File(folder / "far.h5", "w") as file:
        file["x"] = field
    with h5py.File(folder / "in.h5", "w") as file:
        file["b"] = field
        file["hard"], file["kind"] = file["b"], np.dtype("f8")
        file["group/inner"] = field
        file["group/loop"], file["group2"] = file["/"], file["group"]
        for name, link in (("soft", h5py.SoftLink("/b")), ("nowhere", h5py.SoftLink("/c")), ("groups", h5py.SoftLink("group")),
                           ("far", h5py.ExternalLink("far.h5", "/x"))):
            file[name] = link
        file.create_dataset("grows", data=field, maxshape=(None, 50))
    for end in ("h5", "nc"):  # netCDF takes no link that leads nowhere
        (folder / f"in.{end}").write_bytes((folder / "in.h5").read_bytes())
        outcome = folder.call("compress", f"in.{end}", "-o", f"{end}.kpk", *ABS, "--json")
        assert outcome.returncode == 0, outcome
        assert [one["name"] for one in json.loads(outcome.stdout)["fields"]] == ["b", "group/inner", "grows"]
        for note in (f"note: 7 links of 'in.{end}' are left out", "'hard' -> 'b'", "'soft' -> '/b'", "'nowhere' -> '/c'",
                     "'far' -> 'far.h5:/x'", "'group/loop' -> '/'", "'group2' -> 'group'", "'groups' -> 'group'",
                     f"note: 1 named type of 'in.{end}' is left out, as an archive has none: 'kind'",
                     f"note: 1 variable of 'in.{end}' can grow along an index without a name"):
            assert note in outcome.stderr, (note, outcome.stderr)
        links = {one["name"]: one for one in folder.json("info", f"in.{end}")["links"]}
        assert links["hard"] == {"name": "hard", "target": "b", "object": "b"} and links["far"]["object"] is None, links
    for name in ("hard", "soft", "groups/inner", "group/loop/group2/loop/soft"):
        folder.run("compress", "-i", f"in.h5:{name}", "-o", "one.kpk", "--force", *ABS)
    folder.refused(BAD_ARGUMENT, ["no variable 'nowhere'"], "compress", "-i", "in.h5:nowhere", "-o", "never.kpk", *ABS)
    folder.run("repack", "in.h5", "out.h5", *ABS)
    with h5py.File(folder / "in.h5") as before, h5py.File(folder / "out.h5") as after:
        for name in before:
            kinds = [type(file.get(name, getlink=True)) for file in (before, after)]
            assert kinds[0] == kinds[1], (name, kinds)
        assert after["hard"] == after["b"] and after["group/loop"] == after["/"] and after["far"].file.filename.endswith("far.h5")


def test_names_of_dimensions_that_no_archive_keeps():
    folder = Folder()
    field = smooth((40, 50), "f4")
    with h5py.File(folder / "in.h5", "w") as file:
        for name in ("x", "x2", "titled"):
            file[name] = np.arange(50.)
        file["y"] = np.arange(40.)
        for name, title in (("x", "x"), ("x2", ""), ("y", "/y"), ("titled", "title")):
            file[name].make_scale(title)
        for name in ("whole", "labelled", "part", "two", "half"):
            file[name] = field
        for name in ("whole", "labelled", "two"):
            for axis, scale in ((0, "y"), (1, "x")):
                file[name].dims[axis].attach_scale(file[scale])
        file["whole"].dims[0].label, file["labelled"].dims[0].label, file["half"].dims[1].label = "y", "lines", "columns"
        file["two"].dims[1].attach_scale(file["x2"])
        file["part"].dims[1].attach_scale(file["x"])
    outcome = folder.call("compress", "in.h5", "-o", "in.kpk", *ABS)
    assert outcome.returncode == 0 and outcome.stderr.count("note: ") == 1, outcome
    mention = "4 variables of 'in.h5' have more names of dimensions, which an archive does not keep: "
    assert mention + "'half', 'labelled', 'part', 'two'\n" in outcome.stderr, outcome
    folder.run("decompress", "in.kpk", "-o", "out.nc", "--quiet")
    assert folder.call("compress", "out.nc", "-o", "again.kpk", *ABS).stderr == ""


def test_what_netcdf_passes_over_is_named():
    folder = Folder()
    with h5py.File(folder / "in.nc", "w") as file:
        file["x"] = smooth((40, 50), "f4")
        file["refs"] = np.array([file["x"].ref], h5py.ref_dtype)
    outcome = folder.call("compress", "in.nc", "-o", "in.kpk", *ABS)
    assert outcome.returncode == 0 and "note: 'in.nc:refs' is left out: its values are references" in outcome.stderr, outcome
    assert "left out: its values are references" in folder.run("info", "in.nc")


HOLD = """import h5py, os, sys
file = h5py.File(sys.argv[1], "w", libver=sys.argv[2])
file["x"] = range(1000)
file.flush()
if sys.argv[3] == "die":
    os._exit(0)
print("open", flush=True)
sys.stdin.read()
"""


def hold(path, libver, how):
    """A process that has a file open for writing, or that has died while it had."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, path, libver, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    return process


def test_files_that_others_write():
    """What is locked, or was not closed, is no damage."""
    folder = Folder()
    for end in ("h5", "nc"):
        for how in ("wait", "die"):
            process = hold(folder / f"in.{end}", "latest" if how == "die" else "earliest", how)
            mentions = ["wait until it has ended" if how == "wait" else "h5clear -s", f"'in.{end}'"]
            for words in (["compress", f"in.{end}", "-o", "in.kpk"], ["repack", f"in.{end}", f"out.{end}"]):
                folder.refused(IO, mentions, *words, *ABS)
            folder.refused(IO, mentions, "info", f"in.{end}")
            process.communicate()


def test_files_of_other_kinds():
    """What a file is, and what to do with it."""
    folder = Folder()
    (folder / "folder.nc").mkdir()
    folder.refused(IO, ["'folder.nc'", "it is a folder"], "info", "folder.nc")
    for begin, mention in ((b"\x1f\x8b\x08", "gzip"), (b"\x0e\x03\x13\x01", "HDF4"), (b"PK\x03\x04", "zip"), (b"GRIB", "GRIB"),
                           (b"(\xb5/\xfd", "zstd"), (b"SIMPLE  =", "FITS"), (b"nothing", "no file of NumPy, netCDF or HDF5")):
        for end in ("nc", "h5"):
            (folder / f"in.{end}").write_bytes(begin + bytes(100))
            for words in (["info", f"in.{end}"], ["compress", f"in.{end}", "-o", "in.kpk", *ABS]):
                folder.refused(BAD_MAGIC, [f"'in.{end}' is", mention], *words)
    with h5py.File(folder / "split", "w", driver="split") as file:
        file["x"] = smooth((40, 50), "f4")
    (folder / "split.nc").write_bytes((folder / "split-m.h5").read_bytes())
    for name in ("split-m.h5", "split.nc"):
        folder.refused(BAD_ARGUMENT, [f"'{name}'", "h5repack"], "info", name)


def test_newer_files():
    """Files, and objects in files, of a newer HDF5 than the program has."""
    folder = Folder()
    for end in ("h5", "nc"):
        with h5py.File(folder / f"in.{end}", "w", libver="latest") as file:
            file["x"] = smooth((40, 50), "f4")
            file.create_dataset("new", data=smooth((40, 50), "f4"), chunks=(20, 50), compression="gzip")
        whole = bytearray((folder / f"in.{end}").read_bytes())
        if h5py.version.hdf5_version_tuple >= (2, 0, 0):  # whose chunks HDF5 1 cannot read
            mentions = [f"in.{end}:new' ", "newer HDF5", "h5repack"]
            copies_others(folder, f"in.{end}", "new", UNSUPPORTED, *mentions[1:])
            is_left_out(folder, f"in.{end}", "new", UNSUPPORTED, *mentions[1:])
        whole[8] = 9  # the version of the superblock
        (folder / f"in.{end}").write_bytes(whole)
        for words in (["compress", f"in.{end}", "-o", "in.kpk"], ["repack", f"in.{end}", f"out.{end}"]):
            folder.refused(UNSUPPORTED, [f"'in.{end}'", "newer HDF5", "h5repack"], *words, *ABS)


def test_attributes_of_a_newer_hdf5():
    """They stop no dataset, and no values go with them."""
    if h5py.version.hdf5_version_tuple < (2, 0, 0):
        return
    folder = Folder()
    with h5py.File(folder / "in.h5", "w") as file:
        file["x"], file["plain"] = smooth((40, 50), "f4"), np.arange(500)
        file.create_dataset("packed", data=np.arange(5000), chunks=(1000,), compression="gzip")
        for name in ("x", "plain", "packed"):
            h5py.h5a.create(file[name].id, b"z", h5py.h5t.COMPLEX_IEEE_F64LE, h5py.h5s.create(h5py.h5s.SCALAR))
    outcome = folder.call("repack", "in.h5", "out.h5", *ABS, "--json")
    assert outcome.returncode == UNSUPPORTED and "all others are repacked" in outcome.stderr.splitlines()[-1], outcome
    said = json.loads(outcome.stdout)["files"][0]
    assert said["unchanged"] == ["packed", "plain"] and len(said["left_out"]) == 3, said
    for name in ("x", "plain", "packed"):
        assert f"note: an attribute of 'in.h5:{name}' is left out: " in outcome.stderr, outcome.stderr
    with h5py.File(folder / "out.h5") as out:
        assert np.array_equal(out["plain"], np.arange(500)) and np.array_equal(out["packed"], np.arange(5000))
        assert out["packed"].chunks == (1000,) and out["packed"].compression == "gzip"
    outcome = folder.call("compress", "in.h5", "-o", "in.kpk", *ABS)
    assert outcome.returncode == 0 and outcome.stderr.count("its attributes are left out, as a newer HDF5") == 3, outcome


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


def test_a_field_and_a_group_of_one_name():
    """An archive has both, a file of netCDF or HDF5 one of them."""
    folder = Folder()
    field = smooth((20, 30), "f4")
    np.save(folder / "in.npy", field)
    names = ["a/T/err/x", "a/T", "other"]
    for name in names:
        folder.run("compress", "-i", "in.npy", *ABS, "--name", name, "-o", "in.kpk", *(["--append"] if name != names[0] else []))
    for output in ("out.nc", "out.h5"):
        folder.refused(BAD_ARGUMENT, ["'in.kpk' has the field 'a/T' and", "'a/T/err/x'", "into a folder", "--name"],
                       "decompress", "in.kpk", "-o", output)
    folder.run("decompress", "in.kpk", "-o", "all/")
    assert len(list((folder / "all").iterdir())) == 3
    for number, name in enumerate(names):
        folder.run("decompress", "in.kpk", "--name", name, "-o", f"one{number}.h5")
        with h5py.File(folder / f"one{number}.h5") as out:
            assert within_bound(field, out[name][...]), name


for test in [test_names, test_sparse, test_filters, test_damaged_variables, test_values_in_files_that_are_not_there, test_links, test_names_of_dimensions_that_no_archive_keeps,
             test_what_netcdf_passes_over_is_named, test_files_that_others_write, test_newer_files,
             test_attributes_of_a_newer_hdf5,
             test_files_of_other_kinds, test_names_that_netcdf_does_not_take, test_a_field_and_a_group_of_one_name]:
    test()
print("unusual: as it should be")
