#!/usr/bin/env python3
"""The filter through h5py: every read is checked exactly. Runs with any h5py, whatever HDF5 is inside."""

import multiprocessing
import os
import subprocess
import sys
import threading

from case import (ABS, BOUND, FILTER, LOSSLESS, PSNR, PWR, R2R, chunks_of, field, main, require, require_bound,
                  require_relative, require_same, require_smaller, skip, words)
import numpy as np

try:
    import h5py
except ImportError as missing:
    skip(missing)


def write(values, chunk, options, **more):
    with h5py.File("a.h5", "w") as file:
        return file.create_dataset("x", data=values, chunks=chunk, compression=FILTER, compression_opts=options,
                                   **more).id.get_storage_size()


def read():
    with h5py.File("a.h5") as file:
        return file["x"][...]


def bounds():
    """Bounds of each mode, which are those of a chunk."""
    for dtype in ("f4", "f8"):
        x = field(dtype)
        write(x, (32, 32, 64), words(ABS, BOUND))
        require_bound(x, read())
        require_smaller("a.h5", x)
        for pipeline in (1, 2, 3):
            write(x, (32, 32, 64), words(ABS, BOUND, pipeline))
            require_bound(x, read())
        x = field(dtype, (64, 64, 128))
        x[~np.isfinite(x)] = 0
        write(x, (32, 32, 64), words(R2R, 1e-3))
        y = read()
        for part in chunks_of(x.shape, (32, 32, 64)):
            # The product of doubles is rounded to nearest here, by the library downwards.
            require_bound(x[part], y[part], float(np.ptp(x[part].astype("f8"))) * 1e-3)
        write(x, (32, 32, 64), words(PSNR, 60))
        y = read()
        for part in chunks_of(x.shape, (32, 32, 64)):
            rmse = np.sqrt(np.mean((x[part].astype("f8") - y[part]) ** 2))
            require(20 * np.log10(np.ptp(x[part].astype("f8")) / rmse) >= 60 - 1e-9, "PSNR")
        x = x[:8, :8]
        write(x, (8, 8, 32), words(PWR, 1e-2))
        require_relative(x, read(), 1e-2)
        write(x, (8, 8, 32), words(LOSSLESS, 0))
        require_same(x, read())


def integers():
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        info = np.iinfo(code)
        x = np.random.default_rng(3).integers(info.min, info.max, (40, 50), dtype=code, endpoint=True)
        x[10:30] = 7
        write(x, (16, 50), words(LOSSLESS, 0))
        require_same(x, read())
        x = (x // 2**12 if info.bits == 64 else x)  # what f64 holds
        for fill in (7, info.max if info.bits < 64 else 2**50):
            x[3:5] = fill
            write(x, (16, 50), words(ABS, 5), fillvalue=fill)
            require(np.array_equal(read()[x == fill], x[x == fill]), f"{code}: the fill value {fill} is not kept")
        write(x, (16, 50), words(ABS, 3.9))
        require(0 < np.abs(read().astype(object) - x.astype(object)).max() <= 3, f"{code} is not within 3")


def byte_orders():
    """The chunk of a big-endian dataset is the one of the same values in the machine's order, and comes back within the bound."""
    for code in ("f2", "f4", "f8", "i2", "u2", "i4", "i8", "c8", "c16"):
        walk = np.nan_to_num(field("f8", (40, 50)), posinf=0, neginf=0)
        x = (walk * (1 + 2j) if code[0] == "c" else np.abs(100 * walk)).astype(code)
        for options in (words(ABS, 5), words(LOSSLESS, 0), words(PWR, 0.1), words(R2R, 0.01, 2)):
            fills = {} if code[0] == "c" else {"fillvalue": x[3, 4]}
            stored, found = [], []
            for order in "<>":
                write(x.astype(order + code), (40, 50), options, **fills)
                found.append(read())
                with h5py.File("a.h5") as file:
                    require(file["x"].dtype == np.dtype(order + code), "the dataset has another type")
                    stored.append(file["x"].id.read_direct_chunk((0, 0))[1])
            require(stored[0] == stored[1], f"{code}: the byte order changes the stream")
            require(np.array_equal(*found), f"{code}: the byte order changes the values")
            if options[1] == LOSSLESS:
                require_same(x, found[1].astype(code))


def enumerations():
    """True and false, and other names of integers, come back as they were; no bound is taken for them."""
    flags = field("f8", (40, 50)) > 0
    colours = h5py.enum_dtype({"red": 1, "green": 2, "blue": 700}, basetype=">i2")
    names = np.where(flags, 700, 2).astype(">i2")
    for x, dtype in ((flags, None), (names, colours)):
        size = write(x, (40, 50), words(LOSSLESS, 0), dtype=dtype)
        require(size < x.nbytes and np.array_equal(read(), x), "values of an enumeration have changed")
    refused("values of an enumeration, such as true and false, which have no bound", dtype="?")


def shapes():
    """Ranks 1 to 10, extents of 1, chunks larger than what is in them, of one value, and extents that are given."""
    for shape, chunk in [((1000,), (128,)), ((1,), (1,)), ((3, 1, 50), (2, 1, 50)), ((50, 40), (64, 64)),
                         ((3, 4, 5, 6, 7), (2, 2, 5, 6, 7)), ((2,) * 10, (2,) * 10), ((5, 1, 1), (1, 1, 1))]:
        x = field("f4", shape)
        write(x, chunk, words(ABS, BOUND), maxshape=(None,) * len(shape))
        require_bound(x, read())
    x = field("f8", (4 * 32 * 32 * 32,))
    plain = write(x, (32 * 32 * 32,), words(ABS, BOUND))
    require_bound(x, read())
    smooth = np.add.outer(np.add.outer(np.arange(32.0) ** 2, np.arange(32.0) ** 3), np.arange(32.0)).ravel()
    plain = write(smooth, smooth.shape, words(ABS, BOUND))
    given = write(smooth, smooth.shape, words(ABS, BOUND, 0, 0, 0, 1, 0, 0, 0, 0, 32, 32, 32))
    require_bound(smooth, read())
    require(given < plain, f"with extents {given} bytes, without {plain}")


def parts():
    """Boxes written and read, chunks that are never written, and a dataset that grows."""
    x = field()
    with h5py.File("a.h5", "w") as file:
        d = file.create_dataset("x", x.shape, "f4", chunks=(32, 32, 64), maxshape=(None,) * 3, compression=FILTER,
                                compression_opts=words(ABS, BOUND), fillvalue=-7)
        d[10:50, 3:40, 60:70] = x[10:50, 3:40, 60:70]
    with h5py.File("a.h5", "a") as file:
        d = file["x"]
        require_bound(x[10:50, 3:40, 60:70], d[10:50, 3:40, 60:70])
        require((d[60:, :, :] == -7).all(), "what was not written is not the fill value")
        d.resize((80, 65, 130))
        d[70:] = x[:10]
    with h5py.File("a.h5") as file:
        require_bound(x[:10], file["x"][70:])


def fill_values():
    """A fill value of the dataset is masked: it is kept bit for bit, and a bound relative to the range is of the rest."""
    x = field()
    x[~np.isfinite(x)] = 0
    x[20:40, 10:] = 1e20
    for options, fill in ((words(R2R, 1e-3), {"fillvalue": 1e20}), (words(R2R, 1e-3, 0, 0, 0, 0, 1), {})):
        write(x, x.shape, options, **fill)
        y = read()
        sea = x < 1e19
        require_bound(x[sea], y[sea], float(np.ptp(x[sea].astype("f8"))) * 1e-3)
        require_same(x[~sea], y[~sea])
        require_smaller("a.h5", x)


def fletcher():
    x = field()
    write(x, (32, 32, 64), words(ABS, BOUND, 0, 0, 0, 2), fletcher32=True)
    require_bound(x, read())


def environment():
    """Each space and number of threads stores the same bytes; what means nothing is an error, before anything is written."""
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import test_h5py as t; x = t.field('f8', (64, 64, 64)); "
            "t.write(x, (64, 64, 32), t.words(t.ABS, t.BOUND)); t.require_bound(x, t.read())")
    command = [sys.executable, "-c", code, os.path.dirname(os.path.abspath(__file__))]
    stored = set()
    for more in ({}, {"KOMPAKT_HDF5_SPACE": "serial"}, {"KOMPAKT_HDF5_SPACE": "openmp", "KOMPAKT_HDF5_THREADS": "1"},
                 {"KOMPAKT_HDF5_THREADS": "3"}, {"KOMPAKT_HDF5_THREADS": "4", "OMP_DYNAMIC": "true"},
                 {"OMP_NUM_THREADS": "600"}):
        subprocess.run(command, check=True, env={**os.environ, **more})
        with h5py.File("a.h5") as file:
            stored.add(file["x"].id.read_direct_chunk((0, 0, 32))[1])
    require(len(stored) == 1, f"{len(stored)} streams of one chunk")
    for name, value in (("SPACE", "abacus"), ("THREADS", "many"), ("THREADS", "0"), ("THREADS", "513")):
        done = subprocess.run(command, check=False, env={**os.environ, f"KOMPAKT_HDF5_{name}": value}, text=True,
                              capture_output=True)
        require(done.returncode == 1 and value in done.stderr.splitlines()[-1], done.stderr)


def read_in_child(queue):
    queue.put(read())


def processes():
    """A process that is forked has none of the threads of its parent."""
    x = field("f8", (128, 128, 64))
    write(x, (64, 64, 64), words(ABS, BOUND))
    require_bound(x, read())
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=read_in_child, args=(queue,))
    child.start()
    require_bound(x, queue.get(timeout=60))
    child.join(60)
    require(child.exitcode == 0, f"the child ended with {child.exitcode}")


def threads():
    x = field()
    write(x, (32, 32, 64), words(ABS, BOUND))
    found = []

    def check():
        require_bound(x, read())
        found.append(1)

    all_threads = [threading.Thread(target=check) for _ in range(4)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    require(len(found) == 4, "a thread has failed")


def refused(what, **more):
    """The message with which a dataset is refused."""
    options = more.pop("options", words(ABS, BOUND))
    with h5py.File("b.h5", "w") as file:
        try:
            file.create_dataset("x", **{"shape": (100,), "chunks": (50,), "dtype": "f4", **more}, compression=FILTER,
                                compression_opts=options)
        except (ValueError, RuntimeError, OSError) as error:
            require(what in str(error), f"'{what}' is not in: {error}")
            require("\n" not in str(error), f"more than a line: {error}")
            return
    require(False, f"accepted: {more} {options}")


def bad_input():
    """What cannot be done is refused, by one line, when a dataset is created."""
    refused("strings", dtype="S8")
    refused("compound", dtype=[("a", "f4"), ("b", "i4")])
    refused("not plain numbers", dtype=np.dtype(("f4", (3,))))
    refused("integers (i32), and the bound is the default one", dtype="i4", options=words(R2R, 1e-3))
    refused("bound nan", options=words(ABS, float("nan")))
    refused("bound inf", options=words(ABS, float("inf")))
    refused("bound -1", options=words(ABS, -1.0))
    refused("word 1 is 9", options=words(9, 1.0))
    refused("word 4 is 17", options=words(ABS, 1.0, 17))
    refused("word 5 is 4", options=words(ABS, 1.0, 0, 4))
    refused("word 7 is 8, whose flags promise 33 words, but there are 8", options=words(ABS, 1.0, 0, 0, 0, 8))
    refused("word 7 is 256, whose flags promise 17 words, but there are 15",
            options=words(ABS, 1.0, 0, 0, 0, 256, *[0] * 7))
    refused("word 7 is 32", options=words(ABS, 1.0, 0, 0, 0, 32))
    refused("word 8 is 4", options=words(ABS, 1.0, 0, 0, 0, 0, 4))
    refused("there are 0 words", options=None)
    refused("there are 3 words", options=(1, 0, 5))
    refused("there are 34 words", options=words(ABS, 1.0) + (0,) * 30)
    refused("the first word is 2", options=(2,) + words(ABS, 1.0)[1:])
    refused("3 x 4 x 5, but chunks of the dataset have 50 values", options=words(ABS, 1.0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 4, 5))
    refused("shuffle) comes before it", shuffle=True)


if __name__ == "__main__":
    main({t.__name__: t for t in (bounds, integers, byte_orders, enumerations, shapes, parts, fill_values, fletcher, environment,
                                  processes, threads, bad_input)})
