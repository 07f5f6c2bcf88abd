"""Compressing and decompressing arrays: the bound, shapes and orders, regions, archives, and what is refused."""

import errno
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from fields import largest_error, turbulence

import kompakt

_stream = bytes(kompakt.compress(turbulence(20)[:, :17, :13], 1e-3, mode="abs", pipeline="bitshuffle"))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_come_back_without_loss(dtype):
    x = np.random.default_rng(1).integers(0, 100, (7, 30, 11)).astype(dtype)
    y = kompakt.decompress(kompakt.compress(x, mode="lossless", pipeline="fixedlength"))
    assert np.array_equal(x, y) and y.dtype == x.dtype


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_any_order_and_strides(order):
    x = turbulence(24)
    x = {"C": x, "F": np.asfortranarray(x), "strided": np.repeat(x, 2, axis=1)[:, ::2], "reversed": x[::-1]}[order]
    assert largest_error(x, kompakt.decompress(kompakt.compress(x, 1e-3, mode="abs", pipeline="bitshuffle"))) <= 1e-3


def test_order_is_that_of_the_array():
    x = turbulence(24)[:, :20, :16]
    for values, order in ((x, "C"), (np.asfortranarray(x), "F"), (x.transpose(2, 0, 1), "C")):
        stream = kompakt.compress(values, 1e-3, mode="abs", pipeline="bitshuffle")
        y = kompakt.decompress(stream)
        assert kompakt.inspect(stream).order == order and y.flags[f"{order}_CONTIGUOUS"]
        assert kompakt.inspect(stream).shape == values.shape
    as_rows = kompakt.compress(np.ascontiguousarray(x.T), 1e-3, mode="abs", pipeline="bitshuffle")
    columns = kompakt.compress(np.asfortranarray(x), 1e-3, mode="abs", pipeline="bitshuffle")
    assert np.array_equal(kompakt.decompress(as_rows).T, kompakt.decompress(columns))


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_outputs_of_any_order_and_strides(order):
    stream, whole = _stream, kompakt.decompress(_stream)
    n, m, k = whole.shape
    room = {"C": np.empty((n, m, k), "f4"), "F": np.empty((n, m, k), "f4", order="F"),
            "strided": np.empty((n, 2 * m, k), "f4")[:, ::2], "reversed": np.empty((n, m, k), "f4")[::-1]}[order]
    assert kompakt.decompress(stream, out=room) is room
    assert np.array_equal(room, whole)


def test_bytes_do_not_depend_on_threads():
    x = turbulence(32)
    one, two = (kompakt.compress(x, 1e-3, pipeline="huffman", threads=n) for n in (1, 2))
    assert bytes(one) == bytes(two)


def parts(error):
    return error.status, error.where, error.advice, error.problem


def test_what_the_library_refuses_has_parts():
    with pytest.raises(kompakt.Error) as caught:
        kompakt.decompress(bytes(64))
    assert parts(caught.value) == ("bad_magic", "inspect", "", caught.value.problem)
    assert str(caught.value) == f"inspect: {caught.value.problem}"
    assert parts(pickle.loads(pickle.dumps(caught.value))) == parts(caught.value)
    assert parts(kompakt.Error("the disk is gone", "io")) == ("io", "", "", "the disk is gone")
    with pytest.raises(ValueError) as caught:
        kompakt.compress(np.zeros(4, "f4"), 0, mode="abs")
    assert parts(caught.value) == ("bad_argument", "options", "give one such as 1e-3", "the bound 0 is not a positive finite number")
    assert str(caught.value).startswith("options: ") and str(caught.value).endswith("; give one such as 1e-3")
    assert parts(pickle.loads(pickle.dumps(caught.value))) == parts(caught.value)


def test_out_is_used():
    x = turbulence(16)
    room, values = bytearray(x.nbytes * 2), np.empty_like(x)
    stream = kompakt.compress(x, 1e-3, mode="abs", pipeline="fixedlength", out=room)
    assert bytes(stream) == bytes(kompakt.compress(x, 1e-3, mode="abs", pipeline="fixedlength"))
    assert kompakt.decompress(stream, out=values) is values
    assert largest_error(x, values) <= 1e-3


@pytest.mark.parametrize("room", [bytearray(100), np.zeros(100, "u1"), memoryview(bytearray(100))])
def test_too_little_memory_is_an_error_that_says_how_much(room):
    x = turbulence(16)
    with pytest.raises(ValueError, match="100"):
        kompakt.compress(x, 1e-3, pipeline="bitshuffle", out=room)


@pytest.mark.parametrize("room", [bytes(20000), memoryview(bytes(20000)), np.frombuffer(bytes(20000), "u1")])
def test_streams_are_not_written_to_what_is_read_only(room):
    with pytest.raises(ValueError, match="out"):
        kompakt.compress(turbulence(16), 1e-3, pipeline="bitshuffle", out=room)
    assert not np.frombuffer(room, "u1").any()


@pytest.mark.parametrize("order", "CF")
def test_large_results_begin_where_vectors_do(order):
    x = np.asarray(turbulence(32), order=order)
    y = kompakt.decompress(kompakt.compress(x, 1e-3, mode="abs", pipeline="bitshuffle"))
    assert y.ctypes.data % 64 == 0 and y.flags[f"{order}_CONTIGUOUS"] and y.flags.writeable
    assert largest_error(x, y) <= 1e-3


def test_other_threads_of_python_run_meanwhile():
    x = np.tile(turbulence(64), (8, 4, 4))  # 128 MiB: tens of milliseconds
    for _ in range(5):  # as other work may take the processor
        times, ended = [], threading.Event()

        def work():
            times.append(time.perf_counter())
            kompakt.compress(x, 1e-3, pipeline="huffman", threads=1)
            times.append(time.perf_counter())
            ended.set()

        thread, ticks = threading.Thread(target=work), []
        thread.start()
        while not ended.is_set():
            ticks.append(time.perf_counter())
        thread.join()
        begin, end = times
        inside = [begin, *(tick for tick in ticks if begin < tick < end), end]
        if max(np.diff(inside)) < 0.5 * (end - begin):
            return
    pytest.fail("no other thread has run while an array was compressed")


def test_an_interrupt_comes_through():
    code = """
        import signal, time
        import kompakt, numpy as np
        signal.signal(signal.SIGINT, signal.default_int_handler)
        x = np.tile(np.sin(np.arange(1 << 20, dtype="f4") / 50), (32, 1))
        room = np.empty_like(x)
        begin = time.monotonic()
        stream = whole = kompakt.compress(x, 1e-3, pipeline="huffman", threads=1)
        once = time.monotonic() - begin
        print("ready", flush=True)
        try:
            while True:
                stream = kompakt.compress(x, 1e-3, pipeline="huffman", threads=1)
                kompakt.decompress(stream, out=room)
        except KeyboardInterrupt:
            print("interrupted", time.monotonic(), once, flush=True)
        assert bytes(stream) == bytes(whole)
        kompakt.decompress(whole, out=room)
        assert np.abs(room - x).max() <= kompakt.inspect(whole).resolved_bound
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.1)
        sent = time.monotonic()
        child.send_signal(subprocess.signal.SIGINT)
        said, at, once = child.communicate(timeout=100)[0].split()
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0 and said == "interrupted"
    assert float(at) - sent < 1 + 3 * float(once)


def test_many_threads_of_python():
    x, results = turbulence(24), [None] * 8

    def work(i):
        results[i] = bytes(kompakt.compress(x, 1e-3, pipeline="bitshuffle"))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1


def test_archives(tmp_path):
    x, path = turbulence(16), tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as archive:
        archive.append("a", x, {"units": "K"}, bound=1e-3, mode="abs")
    with kompakt.Archive(path, "a") as archive:
        archive["b"] = x
    with kompakt.open(path) as archive:
        variable = archive["a"]
        assert list(archive) == ["a", "b"] and variable.attrs["units"] == "K"
        assert largest_error(x[3:5, ::2], variable[3:5, ::2]) <= 1e-3
    for use in (lambda: archive["a"], lambda: list(archive), lambda: len(archive), lambda: "a" in archive,
                lambda: variable[0], variable.read, variable.stream, lambda: np.asarray(variable)):
        with pytest.raises(ValueError, match="run.kpk' is closed"):
            use()


@pytest.mark.parametrize("name, mode, error", [
    ("no.kpk", "r", FileNotFoundError), ("no.kpk", "r+", FileNotFoundError), ("no/a.kpk", "w", FileNotFoundError),
    ("folder", "r", IsADirectoryError), ("folder", "w", IsADirectoryError), ("folder", "a", IsADirectoryError),
    ("a.kpk", "x", FileExistsError), ("a.kpk/b.kpk", "r", NotADirectoryError), ("text", "r", kompakt.Error)])
def test_names_that_cannot_be_used_raise_what_open_raises(tmp_path, name, mode, error):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no archive")
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["t"] = np.zeros(4, "f4")
    with pytest.raises(error, match=name.partition("/")[0]) as caught, kompakt.Archive(tmp_path / name, mode) as archive:
        archive["t"] = np.zeros(4, "f4")
    assert type(caught.value) is error
    assert list(kompakt.open(tmp_path / "a.kpk")) == ["t"]


@pytest.mark.parametrize("text", ["a\0b", "a\udcff"])
def test_texts_that_an_archive_would_cut_are_refused(tmp_path, text):
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        for name, attrs in (text, {}), ("t", {"units": text}), ("t", {text: "K"}):
            with pytest.raises(ValueError, match="null byte or is no UTF-8"):
                archive.append(name, np.zeros(4, "f4"), attrs)
    assert not list(kompakt.open(tmp_path / "a.kpk"))


def test_names_of_archives_are_any_bytes_but_null(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/run\xff.kpk")
    with kompakt.Archive(path, "w") as archive:
        archive["t"] = np.zeros(4, "f4")
    assert list(kompakt.open(path)) == ["t"]
    pathlib.Path(path).write_text("no archive")
    with pytest.raises(kompakt.Error, match="'.*run\\\\xff.kpk' is not an archive"):
        kompakt.open(path)
    with pytest.raises(ValueError, match="null byte"):
        kompakt.Archive(f"{tmp_path}/run\0.kpk", "w")


@pytest.mark.parametrize("mode, call", [("r", "os.open"), ("r+", "os.open"), ("w", "tempfile.TemporaryFile"), ("x", "tempfile.TemporaryFile")])
def test_errors_of_the_system_go_by_their_numbers(tmp_path, monkeypatch, mode, call):
    from kompakt import _errors

    def refusing(number):
        def refuse(*_, **__):
            raise OSError(number, "in any language")
        monkeypatch.setattr(f"kompakt._errors.{call}", refuse)

    path = str(tmp_path / "a.kpk")
    words = "ArchiveReader: cannot open 'a.kpk': Keine Berechtigung; check the path and its permissions"
    if mode.startswith("r"):
        (tmp_path / "a.kpk").write_bytes(b"there")
    for number, error in (errno.EACCES, PermissionError), (errno.EROFS, OSError), (errno.ENOSPC, kompakt.Error), (errno.EMFILE, kompakt.Error):
        refusing(number)
        with pytest.raises(error, match="a.kpk") as caught, _errors.system_errors(path, mode):
            raise kompakt.Error(words, "io")
        assert type(caught.value) is error
    with pytest.raises(kompakt.Error), _errors.system_errors(path, mode):
        raise kompakt.Error("ArchiveReader: 'a.kpk': the index is damaged: No such file or directory;", "corrupt")


@pytest.mark.parametrize("mode", ["r", "r+", "a", "w"])
def test_an_error_that_the_system_does_not_repeat_stays_and_nothing_changes(tmp_path, mode):
    from kompakt import _errors
    (tmp_path / "a.kpk").write_bytes(b"there")
    with pytest.raises(kompakt.Error), _errors.system_errors(str(tmp_path / "a.kpk"), mode):
        raise kompakt.Error("ArchiveReader: cannot open 'a.kpk': No such file or directory; check the path", "io")
    assert os.listdir(tmp_path) == ["a.kpk"] and (tmp_path / "a.kpk").read_bytes() == b"there"


def test_archives_refuse_what_they_are_not_open_for(tmp_path):
    path = tmp_path / "run.kpk"
    with kompakt.Archive(path, "w") as archive:
        archive["a"] = turbulence(8)
        with pytest.raises(ValueError, match="mode='w', not to be read"):
            archive["a"]
    with pytest.raises(ValueError, match="is closed"):
        archive["b"] = turbulence(8)
    before = path.read_bytes()
    with kompakt.open(path) as archive:
        with pytest.raises(ValueError, match="mode='r', not to be written"):
            archive["b"] = turbulence(8)
        with pytest.raises(KeyError, match="'b'"):
            archive["b"]
    with pytest.raises(ValueError, match="mode='rw'"):
        kompakt.Archive(path, "rw")
    with pytest.raises(TypeError, match="attrs"):
        with kompakt.Archive(path, "a") as archive:
            archive.append("c", turbulence(8), {"level": 3})
    assert path.read_bytes() == before


def test_compare_finds_what_the_bound_says():
    x = turbulence(16)
    y = kompakt.decompress(kompakt.compress(x, 1e-2, mode="abs", pipeline="bitshuffle"))
    assert kompakt.compare(x, y, 1e-2).max_abs_error <= 1e-2


@pytest.mark.parametrize("array, error, named", [
    (np.array([object()]), TypeError, "object"), (np.zeros(3, "c32"), TypeError, "complex256"),
    (np.zeros(3, "U4"), TypeError, "U4"), (np.zeros(3, "M8[s]"), TypeError, "datetime64"),
    (np.zeros(3, [("a", "f4")]), TypeError, "'a'"), (np.zeros(3, np.longdouble), TypeError, "float128"),
    (np.ma.masked_array([1j, 2], [True, False]), TypeError, "masked"), (object(), TypeError, "object"),
    (3 + 2j, TypeError, "complex"), (None, TypeError, "NoneType"), ("field.npy", TypeError, "str"),
    (np.float32(3), (TypeError, ValueError), "float32|0 dimensions"), (np.zeros((1,) * 9, "f4"), ValueError, "9 dimensions")])
def test_what_is_no_field_is_refused_by_name(array, error, named):
    with pytest.raises(error, match=named):
        kompakt.compress(array, 1e-3)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("options", [{"mode": "abs", "bound": 3.7}, {"bound": 0.02}, {"mode": "pwr", "bound": 0.1}, {"mode": "psnr", "bound": 40}])
def test_integers_keep_a_bound(dtype, options):
    kinds = np.iinfo(dtype)
    ends = max(kinds.min, -2**50), min(kinds.max, 2**50)
    values = np.linspace(*ends, 3000).astype(dtype).reshape(30, 100)
    stream = kompakt.compress(values, **options)
    restored = kompakt.decompress(stream)
    assert restored.dtype == values.dtype
    assert kompakt.compare(values, restored, kompakt.inspect(stream)).violations == 0
    assert len(stream) < values.nbytes


def test_integers_come_back_exactly_if_nobody_says_a_bound(tmp_path):
    labels = np.random.default_rng(0).integers(0, 2**20, (40, 50))
    for values in (labels, labels.astype("u2"), labels > 9, bytearray(b"abc" * 99)):
        assert np.array_equal(kompakt.decompress(kompakt.compress(values)), np.asarray(values))
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive["labels"] = labels
        archive.append("near", labels, bound=100.0, mode="abs")
    archive = kompakt.open(tmp_path / "a.kpk")
    assert np.array_equal(archive["labels"][...], labels)
    assert 0 < np.abs(archive["near"][...] - labels).max() <= 100


def test_a_memoryview_of_numbers_is_an_array_of_them():
    values = turbulence(16)
    assert kompakt.compress(memoryview(values), 1e-3) == kompakt.compress(values, 1e-3)
    assert kompakt.compress(memoryview(values)) == kompakt.compress(values)
    counts = np.arange(3000, dtype="i4")
    assert np.array_equal(kompakt.decompress(kompakt.compress(memoryview(counts))), counts)


def test_integers_that_are_no_numbers_of_float64_come_back_exactly():
    values = np.array([2**63 - 1, 0, -2**62 + 1, 5] * 100, "i8")
    stream = kompakt.compress(values, 1e3, mode="abs")
    assert kompakt.inspect(stream).mode == "lossless"
    assert np.array_equal(kompakt.decompress(stream), values)
    with pytest.raises(ValueError, match=r"2\*\*53"):
        kompakt.compare(values, values, 1.0)


def test_masked_integers_keep_their_mask():
    values = np.ma.masked_array(np.arange(6000, dtype="i2"), np.arange(6000) % 7 == 0, fill_value=-1)
    stream = kompakt.compress(values, 0.1)
    assert kompakt.inspect(stream).fill_value == -1
    restored = kompakt.decompress(stream)
    assert np.array_equal(restored == -1, values.mask)
    assert np.abs(restored.astype(int) - values).max() <= 599


@pytest.mark.parametrize("values, named", [(np.zeros(30, bool), "bool"), (bytearray(30), "bytearray"), (memoryview(b"a" * 30), "memoryview")])
def test_what_is_no_number_has_no_bound(values, named):
    with pytest.raises(ValueError, match=f"{named}.*mode='r2r'.*lossless"):
        kompakt.compress(values, 1e-3)
    assert len(kompakt.compress(values, mode="lossless")) > 0


@pytest.mark.parametrize("lend", [bytes, bytearray, memoryview, lambda data: memoryview(data).cast("c")])
def test_a_stream_has_no_bound_and_is_called_one(lend):
    stream = kompakt.compress(turbulence(8), 1e-3)
    with pytest.raises(ValueError, match=r"^a stream of kompakt, which decompress\(\) restores, is only compressed without loss"):
        kompakt.compress(lend(stream), 1e-3)
    assert kompakt.decompress(kompakt.compress(lend(stream), mode="lossless")).tobytes() == stream


def test_messages_name_no_class_of_the_library(tmp_path):
    stream, path = kompakt.compress(turbulence(8), 1e-3), tmp_path / "a.kpk"
    with kompakt.Archive(path, "w") as archive:
        archive.append("t", turbulence(8))
        with pytest.raises(ValueError, match="^Archive: there is already a field 't'; ") as refused:
            archive.append("t", turbulence(8))
    assert refused.value.where == "ArchiveWriter"
    (tmp_path / "b.kpk").write_bytes(path.read_bytes()[:-20])
    with pytest.raises(kompakt.Error, match="^Archive: '.*b.kpk' cannot be read as an archive"):
        kompakt.open(tmp_path / "b.kpk")
    with pytest.raises(kompakt.Error, match="^inspect: the header gives a size of"):
        kompakt.decompress(stream[:-20])


@pytest.mark.parametrize("options", [
    {"bound": -1.0}, {"bound": float("nan")}, {"mode": "most"}, {"pipeline": "best"}, {"threads": 0}, {"predictor": "oracle"}])
def test_bad_options_name_the_value(options):
    with pytest.raises((ValueError, kompakt.Error), match=str(next(iter(options.values()))).replace("-1.0", "-1")):
        kompakt.compress(turbulence(8), **{"pipeline": "bitshuffle", **options})


def test_bad_outputs_are_refused_and_left_alone():
    stream = kompakt.compress(turbulence(8), 1e-3, pipeline="bitshuffle")
    read_only = np.zeros((8, 8, 8), "f4")
    read_only.flags.writeable = False
    for out, named in ((read_only, "read-only"), (np.zeros((8, 8, 7), "f4"), r"\(8, 8, 7\).*\(8, 8, 8\)"),
                       (np.zeros((8, 8, 8), "f8"), "float64.*float32"), (np.zeros((8, 8, 8), ">f4"), ">f4"),
                       (np.zeros(512, "f4"), r"\(512,\)"), (bytearray(2048), "uint8"), ([0.0] * 512, "list"),
                       (np.ma.zeros((8, 8, 8), "f4"), "masked"), (np.zeros((8, 8, 8), "c8"), "complex64")):
        for call in (lambda: kompakt.decompress(stream, out=out), lambda: kompakt.decompress_region(stream, ..., out=out)):
            with pytest.raises((ValueError, TypeError), match=named):
                call()
        assert not np.asarray(out).any()


@pytest.mark.parametrize("junk", [b"", b"no stream at all", np.zeros(2000, "u1"), bytearray(b"KPK"), memoryview(b"")])
def test_what_is_no_stream_is_an_error(junk):
    for call in (kompakt.decompress, kompakt.inspect, lambda junk: kompakt.decompress_region(junk, 0),
                 lambda junk: kompakt.read_region(lambda at, size: bytes(junk)[at:at + size], len(junk), 0)):
        with pytest.raises(kompakt.Error):
            call(junk)


@pytest.mark.parametrize("buffer", [None, 3, "text", [1, 2], object()])
def test_what_has_no_bytes_is_refused_by_type(buffer):
    with pytest.raises(TypeError, match=type(buffer).__name__):
        kompakt.decompress(buffer)


@pytest.mark.parametrize("key, named", [(20, "20"), ((0, 0, 0, 0), "4 indices"), ((..., ...), "Ellipsis"), ("t", "'t'"),
                                        (1.5, "1.5"), (np.array([1, 2]), "array"), (True, "True"), (-21, "-21")])
def test_keys_that_do_not_fit_are_refused_by_value(key, named):
    with pytest.raises(IndexError, match=named):
        kompakt.decompress_region(_stream, key)


def test_a_reader_that_fails_or_gives_too_little_is_an_error():
    def failing(at, size):
        raise OSError("the store has gone")

    with pytest.raises(OSError, match="the store has gone"):
        kompakt.read_region(failing, len(_stream), 0)
    with pytest.raises(ValueError, match="returned 3 bytes"):
        kompakt.read_region(lambda at, size: b"abc", len(_stream), 0)
    with pytest.raises((TypeError, ValueError), match="NoneType"):
        kompakt.read_region(lambda at, size: None, len(_stream), 0)


def test_a_second_openmp_runtime_does_not_disturb():
    pytest.importorskip("sklearn")
    from sklearn.cluster import KMeans

    x = turbulence(24)
    labels = KMeans(3, n_init=1, random_state=0).fit(x.reshape(-1, 1)).labels_
    y = kompakt.decompress(kompakt.compress(x, 1e-3, mode="abs", pipeline="bitshuffle"))
    assert largest_error(x, y) <= 1e-3
    assert np.array_equal(labels, KMeans(3, n_init=1, random_state=0).fit(x.reshape(-1, 1)).labels_)


def test_text_of_options_says_what_arguments_say():
    x = turbulence(24)
    named = kompakt.compress(x, 1e-2, mode="abs", pipeline="huffman", predictor="tile", pack=True, radius=256)
    assert kompakt.compress(x, "abs:0.01,pipeline=huffman,predictor=tile,pack,radius=256") == named
    assert kompakt.compress(x, "abs:0.01", pipeline="huffman", predictor="tile", pack=True, radius=256) == named
    assert kompakt.compress(x, "r2r:0.01,goal=ratio") == kompakt.compress(x, 0.01, goal="ratio")
    assert len(kompakt.compress(x, "lossless")) <= kompakt.max_compressed_bytes(x, "lossless")
    for text, named in ("abs:0.01,predictor=tiles", "'tiles'"), ("abs", "'abs'"), ("predicter=tile", "'predicter'"):
        with pytest.raises(ValueError, match=named):
            kompakt.compress(x, text)
    with pytest.raises(ValueError, match="goal='ratio'.*'huffman'"):
        kompakt.compress(x, 1e-2, pipeline="huffman", goal="ratio")
    with pytest.raises(TypeError, match="'fill'.*fill_value"):
        kompakt.compress(x, 1e-2, fill=1e20)
    with pytest.raises(ValueError, match="mode='pwr'.*'abs:0.01'"):
        kompakt.compress(x, "abs:0.01", mode="pwr")


def test_axis_along_which_nothing_changes_makes_the_smallest_stream():
    x = np.random.default_rng(5).random((40, 30, 50)).astype(np.float32)
    x[1:] = x[0]
    chosen = kompakt.choose(x, 1e-3, goal="ratio")
    assert chosen["axis"] == 0
    for order in "CF":
        field = np.array(x, order=order)
        stream = kompakt.compress(field, 1e-3, axis=0, pipeline="huffman")
        info = kompakt.inspect(stream)
        assert info.axis == 0 and info.shape == x.shape
        assert 1.3 * len(stream) < len(kompakt.compress(field, 1e-3, axis=2, pipeline="huffman"))
        y = kompakt.decompress(stream)
        assert np.abs(x.astype(float) - y).max() <= info.resolved_bound
        assert np.array_equal(kompakt.decompress_region(stream, np.s_[3:9, 4:8, 5:7]), y[3:9, 4:8, 5:7])
    with pytest.raises(ValueError, match="axis 3"):
        kompakt.compress(x, 1e-3, axis=3)


def rough_along_three(shape):
    """Values that differences along the indices 0, 1 and 3 together make small, and no other three."""
    random = np.random.default_rng(6)
    a, b, c, d = shape
    return (random.random((a, b, c, 1)) + random.random((a, 1, c, d)) + random.random((1, b, c, d))).astype(np.float32)


@pytest.mark.parametrize("order, axis, found", [
    ("C", 2, 2), ("C", "2", 2), ("C", "3:0:1", "3:0:1"), ("C", "3:0", "3:0"), ("C", "-1:0", "3:0"), ("C", "3:2:1", 3),
    ("C", "1:3:0", "1:3:0"), ("F", "3:0:1", 3), ("F", "3:1:2", "3:1:2"), ("F", "3:1:0", "3:1")])
@pytest.mark.parametrize("options", [{"pipeline": "fixedlength", "predictor": "tile"}, {"pipeline": "bitshuffle", "predictor": "interpolate"}])
def test_the_next_axes_are_stored_where_they_are_not_those_in_memory(order, axis, found, options):
    x = np.array(rough_along_three((9, 5, 7, 11)), order=order)
    stream = kompakt.compress(x, 1e-3, mode="abs", axis=axis, **options)
    info = kompakt.inspect(stream)
    assert info.axis == found and type(info.axis) is type(found) and (info.shape, info.order) == (x.shape, order)
    y = kompakt.decompress(stream)
    assert largest_error(x, y) <= 1e-3 and y.flags[f"{order}_CONTIGUOUS"]
    assert np.array_equal(kompakt.decompress_region(stream, np.s_[2:7, 1:4, 3, 5:10]), y[2:7, 1:4, 3, 5:10])
    assert stream == kompakt.compress(x, 1e-3, mode="abs", axis=info.axis, **options)
    assert stream == kompakt.compress(x, f"abs:1e-3,axis={axis}", **options)


def test_axes_along_which_differences_are_small_make_the_smallest_stream():
    x = rough_along_three((16, 16, 16, 16))
    chosen = kompakt.choose(x, 1e-3, goal="ratio")
    assert sorted(chosen["axis"].split(":")) == ["0", "1", "3"]
    stream = kompakt.compress(x, 1e-3, **chosen)
    assert chosen["axis"].startswith(kompakt.inspect(stream).axis)  # which names no more than it must
    assert 1.3 * len(stream) < len(kompakt.compress(x, 1e-3, **{**chosen, "axis": 3}))
    assert largest_error(x, kompakt.decompress(stream)) <= kompakt.inspect(stream).resolved_bound
    assert len(stream) <= kompakt.max_compressed_bytes(x, 1e-3, goal="ratio")
    for axis in (2, "2", "3:0:1"):
        named = kompakt.choose(x, 1e-3, goal="ratio", axis=axis)
        assert named["axis"] == (2 if axis == "2" else axis)
        assert kompakt.inspect(kompakt.compress(x, 1e-3, **named)).axis == named["axis"]


@pytest.mark.parametrize("axis, named", [("3:3", "3:3"), ("x", "'x'"), ("1:2:3:0", "'1:2:3:0'"), ("0:", "''"), ("1.5", "'1.5'"), ("9", "axis 9"),
                                         ("0:4", "axis 4"), (4, "axis 4"), ("-2", "axis -2")])
def test_words_that_name_no_axes_are_refused_by_value(axis, named):
    x = rough_along_three((3, 4, 5, 6))
    for call in (kompakt.compress, kompakt.choose, kompakt.max_compressed_bytes):
        with pytest.raises(ValueError, match=named):
            call(x, 1e-3, axis=axis)


def test_values_of_two_decimals_are_found_without_loss():
    x = np.round(np.cumsum(np.random.default_rng(2).normal(size=(40, 50, 60)), axis=2), 2).astype(np.float32)
    x[3, 4, 5:9] = np.nan, np.inf, -0.0, 1e-30
    plain = kompakt.compress(x, mode="lossless", steps="none")
    chosen = kompakt.choose(x, 0, mode="lossless", goal="ratio")
    assert chosen["steps"] == "quotients:100"
    for stream in (kompakt.compress(x, mode="lossless"), kompakt.compress(x, mode="lossless", **chosen)):
        assert kompakt.inspect(stream).steps == "quotients:100"
        assert kompakt.decompress(stream).tobytes() == x.tobytes()
        assert 1.2 * len(stream) < len(plain)
    assert kompakt.inspect(plain).steps is None
    with pytest.raises(ValueError, match="steps"):
        kompakt.compress(x, mode="lossless", steps="thirds:3")
    with pytest.raises(ValueError, match="steps"):
        kompakt.compress(x, 1e-3, steps="bits:3")
    with pytest.raises(TypeError, match="steps"):
        kompakt.compress(x, mode="lossless", steps=3)


# ------------------------------------------------------------------------------------------ archives that are written

def test_an_archive_of_a_relative_path_stays_in_the_folder_where_it_was_opened(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    x = turbulence(16)
    for mode in ("w", "r+", "a"):
        monkeypatch.chdir(first)
        archive = kompakt.Archive("a.kpk", mode)
        monkeypatch.chdir(second)
        archive[mode] = x
        archive.close()
    monkeypatch.chdir(first)
    archive = kompakt.open("a.kpk")
    monkeypatch.chdir(second)
    assert list(pickle.loads(pickle.dumps(archive))) == list(archive) == ["w", "r+", "a"] and os.listdir(second) == []


def test_writers_of_datasets_stay_in_the_folder_where_they_were_called(tmp_path, monkeypatch):
    pytest.importorskip("kompakt.xarray")
    xarray, dask = pytest.importorskip("xarray"), pytest.importorskip("dask.array")
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()

    def moving(block):
        os.chdir(second)
        return block

    x = turbulence(16)
    dataset = xarray.Dataset({"t": (("z", "y", "x"), dask.from_array(x, chunks=8).map_blocks(moving, dtype=x.dtype, meta=x[:0]))})
    for write in ("to_kpk", "to_zarr", "to_netcdf"):
        monkeypatch.chdir(first)
        getattr(dataset.kompakt, write)(write, bounds={"t": "abs:0.01"})
    assert sorted(os.listdir(first)) == ["to_kpk", "to_netcdf", "to_zarr"] and os.listdir(second) == []


def test_a_field_that_is_replaced_keeps_its_attributes(tmp_path):
    x = turbulence(16)
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive.append("t", x, {"units": "K", "_FillValue": "-999"})
        archive.append("p", x, {"units": "Pa"})
        archive["p"] = 2 * x  # of the same writer
        archive["new"] = x
    y = x.copy()
    y[3, 3, 3] = -999
    with kompakt.Archive(tmp_path / "a.kpk", "r+", bound=0.1, bound_mode="abs") as archive:
        archive["t"] = y
        archive["p"] = kompakt.compress(x)
        archive["p"] = 3 * x
    with kompakt.open(tmp_path / "a.kpk") as archive:
        assert archive["t"].attrs == {"units": "K", "_FillValue": "-999"} and archive["t"][3, 3, 3] == -999
        assert archive["p"].attrs == {"units": "Pa"} and archive["new"].attrs == {}
    with kompakt.Archive(tmp_path / "a.kpk", "r+") as archive:
        del archive["t"]
        archive["t"] = x
    assert kompakt.open(tmp_path / "a.kpk")["t"].attrs == {}


def test_an_array_of_xarray_brings_its_own_attributes(tmp_path):
    xarray = pytest.importorskip("xarray")
    x = turbulence(16)
    named = xarray.DataArray(x, dims=("z", "y", "x"), attrs={"units": "m", "level": 3})
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive.append("t", x, {"units": "K"})
        archive["t"] = named
        archive.append("u", named)
        archive.append("none", named, {})
        archive.append("kept", x, {"units": "K"})
        archive["kept"] = xarray.DataArray(x)
    with kompakt.open(tmp_path / "a.kpk") as archive:
        for name in ("t", "u"):
            assert archive[name].attrs["units"] == "m" and archive[name].attrs["_dimensions"] == "z/y/x"
        assert archive["none"].attrs == {} and archive["kept"].attrs == {"units": "K"}


def test_a_refused_value_leaves_the_field_that_it_would_replace(tmp_path):
    x = turbulence(16)
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        archive.append("t", x, {"units": "K"})
        with pytest.raises(TypeError):
            archive["t"] = np.array(["text"])
    assert kompakt.open(tmp_path / "a.kpk")["t"].attrs == {"units": "K"}
