#!/usr/bin/env python3
"""Packed variables, integers that stand for scale_factor * integer + add_offset, through archives and copies within a bound.

usage: packed.py KOMPAKT

Exit status 77, which ctest takes for a skipped test, if a package is not there.
"""

import sys
from fractions import Fraction

try:
    import netCDF4
    import numpy as np
    from program import BAD_ARGUMENT, BOUND_VIOLATED, Folder
except ImportError as error:
    print(f"skipped: {error.name} is not installed; scripts/setup makes an environment that has it")
    sys.exit(77)

SHAPE = (60, 90)
SCALE, OFFSET = 0.015625, 273.15


def waves(seed=0):
    """Numbers from 240 to 310 or so with some noise."""
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    noise = np.random.default_rng(seed).normal(0, 0.2, SHAPE)
    return 275 + 25 * np.sin(x / 20) * np.cos(y / 17) + noise


def integers(dtype, scale=SCALE, offset=OFFSET):
    return np.round((waves() - offset) / scale).astype(dtype)


def write(path, values, fill=None, **attributes):
    """A file with one variable `t`, as its integers are."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", SHAPE[0])
        file.createDimension("x", SHAPE[1])
        t = file.createVariable("t", values.dtype, ("y", "x"), fill_value=fill, chunksizes=(30, 45))
        t.set_auto_maskandscale(False)
        t.setncatts(attributes)
        t[:] = values


def stored(path):
    with netCDF4.Dataset(path) as file:
        file["t"].set_auto_maskandscale(False)
        return file["t"][:], {key: file["t"].getncattr(key) for key in file["t"].ncattrs()}


def through(folder, *words):
    """The integers and attributes of in.nc through an archive, and through a copy with the filter."""
    folder.run("compress", "in.nc", *words, "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
    folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
    folder.run("repack", "in.nc", "copy.nc", *words, "--force", "--quiet", "--verify")
    return stored(folder / "back.nc"), stored(folder / "copy.nc")


def largest_error(a, b, scale):
    """In the numbers that integers stand for, without rounding."""
    return Fraction(float(scale)) * int(np.abs(a.astype(object) - b.astype(object)).max())


def test_a_bound_is_one_of_the_numbers():
    folder = Folder()
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4"):
        for scale in (SCALE if dtype[1] != "1" else 0.5, 0.1, np.float32(0.1), -0.25):
            values = integers(dtype, scale, 275)
            write(folder / "in.nc", values, scale_factor=scale, add_offset=275.0)
            for bound in (0.3, 2.0, 0.7):
                for found, attributes in through(folder, "-m", "abs", "-e", bound):
                    assert found.dtype == values.dtype and attributes["scale_factor"] == scale, (dtype, attributes)
                    assert largest_error(values, found, abs(scale)) <= Fraction(bound), (dtype, scale, bound)
            for found, _ in through(folder, "-m", "r2r", "-e", "0.01"):
                assert largest_error(values, found, 1) <= Fraction(0.01) * (int(values.max()) - int(values.min())), (dtype, scale)


def test_a_scale_factor_of_float_is_the_number_that_the_float_is():
    """0.3 of a float is more than 0.3: ten steps of it are above a bound of 3."""
    folder = Folder()
    values = integers("i2", 0.3, 275)
    write(folder / "in.nc", values, scale_factor=np.float32(0.3), add_offset=np.float32(275))
    for found, _ in through(folder, "-m", "abs", "-e", 3):
        assert largest_error(values, found, np.float32(0.3)) <= 3 and (found != values).any()


def test_bounds_of_every_mode_are_kept_and_make_streams_smaller():
    folder = Folder()
    values = integers("i2")
    write(folder / "in.nc", values, scale_factor=SCALE, add_offset=OFFSET)
    folder.run("compress", "in.nc", "-m", "lossless", "-o", "exact.kpk")
    exact = (folder / "exact.kpk").stat().st_size
    for words in (("abs", 0.5), ("r2r", 0.01), ("psnr", 50)):
        (found, _), (copied, _) = through(folder, "-m", words[0], "-e", words[1])
        assert (found != values).any() and (copied != values).any(), words
        assert (folder / "a.kpk").stat().st_size < 0.7 * exact, words
        folder.run("compare", "in.nc:t", "back.nc:t", "-m", words[0], "-e", words[1])
    outcome = folder.call("compare", "in.nc:t", "back.nc:t", "-m", "abs", "-e", 0.001)
    assert outcome.returncode == BOUND_VIOLATED, outcome
    folder.run("compress", "in.nc", "-m", "abs", "-e", 10.5 * SCALE, "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
    said = folder.json("info", "a.kpk", "--name", "t")
    assert (said["bound_abs"], said["bound_unpacked"]) == (10, 10 * SCALE), said
    assert f"10 steps of scale_factor {SCALE} are {10 * SCALE}" in folder.run("info", "a.kpk", "--name", "t")
    outcome = folder.call("compress", "in.nc", "-m", "pwr", "-e", "1e-3", "-o", "pwr.kpk")
    assert outcome.returncode == 0 and "stays exact" in outcome.stderr and "add_offset" in outcome.stderr, outcome
    folder.refused(BAD_ARGUMENT, ["add_offset 273.15", "-m abs"], "compress", "-i", "in.nc:t", "-m", "pwr", "-e", "1e-3", "-o", "never.kpk")
    write(folder / "in.nc", values, scale_factor=SCALE)
    for found, _ in through(folder, "-m", "pwr", "-e", 0.05):
        assert (found != values).any() and (np.abs(found.astype(int) - values) <= 0.05 * np.abs(values.astype(int))).all()


def test_reports_say_steps_and_numbers():
    folder = Folder()
    values = integers("i2")
    for units, unit in ({"units": "K"}, "K"), ({}, "in the unpacked numbers"):
        write(folder / "in.nc", values, scale_factor=SCALE, add_offset=OFFSET, **units)
        said = f"10 integer steps, {10 * SCALE} {unit}"
        words = ["-m", "abs", "-e", 10.5 * SCALE]
        out = folder.run("compress", "-i", "in.nc:t", *words, "-o", "t.kpk", "--name", "t", "--force", "--replace-archive")
        assert said in out, out
        for verb in ["repack", "in.nc", "copy.nc", *words, "--force"], ["compare", "in.nc:t", "t.kpk", *words]:
            out = folder.run(*verb)
            assert said in out and "units of the field" not in out, (verb, out)
        out = folder.run("compare", "in.nc:t", "t.kpk")
        assert "largest error" in out and out.count("integer steps") == 2, out


def test_words_of_bits_and_classes_stand_for_themselves():
    """A scale_factor of 1 and an add_offset of 0 change nothing; flag_meanings says so by itself."""
    folder = Folder()
    values = np.random.default_rng(4).integers(0, 60000, SHAPE).astype("u2")
    for attributes in ({"scale_factor": 1.0, "add_offset": 0.0}, {"scale_factor": np.float32(1)},
                       {"scale_factor": 0.5, "flag_meanings": "clear cloudy"}):
        write(folder / "in.nc", values, **attributes)
        folder.run("compress", "in.nc", "-m", "r2r", "-e", "1e-2", "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
        folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
        found, kept = stored(folder / "back.nc")
        assert (found == values).all() and kept["scale_factor"] == attributes["scale_factor"], attributes


def test_what_was_never_written_stays_missing():
    """A single value that netCDF has put where nothing was written, and that no attribute declares."""
    folder = Folder()
    for dtype in ("i2", "u2", "i4", "u4"):
        values = integers(dtype, SCALE, 230)
        values[7, 11] = netCDF4.default_fillvals[dtype]
        write(folder / "in.nc", values, scale_factor=SCALE, add_offset=230.0)
        for mode, bound in (("abs", 2), ("r2r", 0.01)):
            folder.run("compress", "in.nc", "-m", mode, "-e", bound, "-o", "a.kpk", "--force", "--replace-archive", "--quiet")
            folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
            found, _ = stored(folder / "back.nc")
            assert (found[7, 11] == values[7, 11]) and (found != values).any(), (dtype, mode)


def test_fill_values_that_no_double_holds_come_back():
    """Those of netCDF of 64 bits. A variable that has one is without loss, and a note says so; else it has its bound."""
    folder = Folder()
    for dtype in ("i8", "u8"):
        fill = np.dtype(dtype).type(netCDF4.default_fillvals[dtype])
        for declared, has_fill in ((None, True), (fill, True), (fill, False)):
            values = integers(dtype, SCALE, 230)
            if has_fill:
                values[7, 11] = fill
            write(folder / "in.nc", values, fill=declared, scale_factor=SCALE, add_offset=230.0)
            for mode, bound in (("abs", 2), ("r2r", 0.01), ("psnr", 50)):
                words = ["-m", mode, "-e", bound, "--force"]
                for pipeline in ([], ["-c", "fixedlength"]):
                    for verb in (["compress", "in.nc", "-o", "a.kpk", "--replace-archive"], ["repack", "in.nc", "copy.nc", "--verify"]):
                        outcome = folder.call(*verb, *words, *pipeline)
                        case = (dtype, declared, has_fill, mode, pipeline, verb[0])
                        assert outcome.returncode == 0 and ("'in.nc:t' has values of 2^53 or more" in outcome.stderr) == has_fill, (case, outcome)
                        assert "is masked" not in outcome.stderr, (case, outcome)
                    folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
                    for name in ("back.nc", "copy.nc"):
                        found, attributes = stored(folder / name)
                        assert np.array_equal(found, values) == has_fill, (dtype, declared, has_fill, mode, pipeline, name)
                        assert attributes.get("_FillValue") == declared and found.dtype == values.dtype, (name, attributes)


def test_fill_values_and_limits_are_in_units_of_the_integers():
    folder = Folder()
    values = np.clip(integers("i2"), -1000, 900)
    values[:9], values[20:23, :40] = -32767, -32000
    write(folder / "in.nc", values, fill=-32767, scale_factor=SCALE, add_offset=OFFSET, missing_value=np.int16(-32000),
          valid_range=np.array([-1000, 900], "i2"))
    for words in (("abs", 1.0), ("r2r", 0.02), ("psnr", 45)):
        for found, attributes in through(folder, "-m", words[0], "-e", words[1]):
            for fill in (-32767, -32000):
                assert np.array_equal(found == fill, values == fill), words
            inside = values > -30000
            assert found[inside].min() >= -1000 and found[inside].max() <= 900, words
            assert (found != values).any() and np.abs(found.astype(int) - values).max() <= 1.0 / SCALE, words
            assert np.array_equal(attributes["valid_range"], [-1000, 900]) and attributes["_FillValue"] == -32767


def test_limits_of_floats_are_those_of_the_numbers():
    """CF: a valid_range of the type of the unpacked numbers has their units."""
    folder = Folder()
    for scale in (0.1, np.float32(0.1), -0.1):
        for dtype in ("f4", "f8"):
            lower, upper = np.array([262.04, 287.96], dtype)
            values = integers("i2", scale, OFFSET)
            numbers = values * np.float64(scale) + OFFSET
            inside = (lower <= numbers) & (numbers <= upper)
            values[~inside] = values[inside][0]
            numbers = values * np.float64(scale) + OFFSET
            for attributes in {"valid_range": np.array([lower, upper])}, {"valid_min": lower, "valid_max": upper}:
                write(folder / "in.nc", values, scale_factor=scale, add_offset=OFFSET, **attributes)
                for found, kept in through(folder, "-m", "abs", "-e", 2.05):
                    case = (scale, dtype, list(attributes))
                    restored = found * np.float64(scale) + OFFSET
                    assert lower <= restored.min() and restored.max() <= upper, (case, restored.min(), restored.max())
                    assert (found != values).mean() > 0.5, case
                    assert all(np.array_equal(kept[key], attributes[key]) for key in attributes), (case, kept)


def test_limits_that_hold_no_integer_are_named():
    folder = Folder()
    values = integers("i2", 0.5, 250)
    write(folder / "in.nc", values, scale_factor=0.5, add_offset=250.0, valid_range=np.array([260.1, 260.4], "f4"))
    said = "'in.nc:t' has no limits: no integer stands for a number inside valid_range '260.1, 260.4'"
    for words in (["compress", "in.nc", "-o", "a.kpk"], ["compress", "-i", "in.nc:t", "-o", "t.kpk"], ["repack", "in.nc", "copy.nc"]):
        outcome = folder.call(*words, "-m", "abs", "-e", 2)
        assert outcome.returncode == 0 and said in outcome.stderr, (words, outcome)
        outcome = folder.call(*words, "-m", "lossless", "--force", *(["--replace-archive"] if words[0] == "compress" else []))
        assert outcome.returncode == 0 and "limits" not in outcome.stderr, (words, outcome)
    folder.refused(BAD_ARGUMENT, ["--limits 260.1:260.4", "no integer"], "compress", "-i", "in.nc:t", "-m", "abs", "-e", 2,
                   "--limits", "260.1:260.4", "-o", "never.kpk")


def test_what_leaves_no_room_stays_exact_and_says_which_bound_would_gain():
    folder = Folder()
    values = integers("i2")
    write(folder / "in.nc", values, scale_factor=SCALE, add_offset=OFFSET)
    outcome = folder.call("compress", "in.nc", "-m", "abs", "-e", 0.9 * SCALE, "-o", "a.kpk")
    assert outcome.returncode == 0 and "stays exact" in outcome.stderr and f"a bound of {SCALE} or more" in outcome.stderr, outcome
    folder.run("decompress", "-i", "a.kpk", "-o", "back.nc")
    assert np.array_equal(stored(folder / "back.nc")[0], values)


def test_what_is_no_scale_is_named_and_stays_exact():
    folder = Folder()
    values = integers("i2")
    for attributes, said in (({"scale_factor": 0.0}, "scale_factor '0'"), ({"scale_factor": np.nan}, "scale_factor 'nan'"),
                             ({"scale_factor": "0.1"}, "scale_factor '0.1'"), ({"add_offset": np.inf}, "add_offset 'inf'"),
                             ({"scale_factor": np.array([0.1, 0.2])}, "scale_factor '0.1, 0.2'"),
                             ({"scale_factor": 0.1, "_Unsigned": "true"}, "_Unsigned")):
        write(folder / "in.nc", values, **attributes)
        outcome = folder.call("compress", "in.nc", "-m", "r2r", "-e", "0.01", "-o", "a.kpk", "--force", "--replace-archive")
        assert outcome.returncode == 0 and said in outcome.stderr and "stays exact" in outcome.stderr, (attributes, outcome)
        folder.run("decompress", "-i", "a.kpk", "-o", "back.nc", "--force", "--quiet")
        assert np.array_equal(stored(folder / "back.nc")[0], values), attributes
        said_by_info = folder.run("info", "in.nc")
        assert "lossless: its " in said_by_info, said_by_info


def test_limits_and_range_of_a_call_are_of_the_numbers():
    folder = Folder()
    values = integers("i2")
    write(folder / "in.nc", values, scale_factor=SCALE, add_offset=OFFSET)
    lower, upper = (int(values.min()) + 3) * SCALE + OFFSET, (int(values.max()) - 3) * SCALE + OFFSET
    folder.run("compress", "-i", "in.nc:t", "-m", "abs", "-e", 1, "--limits", f"{lower}:{upper}", "-o", "a.kpk", "--quiet")
    folder.run("decompress", "-i", "a.kpk", "-o", "back.npy", "--quiet")
    numbers = np.load(folder / "back.npy") * SCALE + OFFSET
    inside = (values * SCALE + OFFSET > lower + SCALE) & (values * SCALE + OFFSET < upper - SCALE)
    assert numbers[inside].min() >= lower - SCALE and numbers[inside].max() <= upper + SCALE
    folder.run("compress", "-i", "in.nc:t", "-m", "r2r", "-e", "0.01", "--range", 100 * SCALE, "-o", "r.kpk", "--quiet")
    folder.run("decompress", "-i", "r.kpk", "-o", "back.npy", "--force", "--quiet")
    assert np.abs(np.load(folder / "back.npy").astype(int) - values).max() == 1, "0.01 of 100 steps"


def test():
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function()
            print(name)


test()
