#!/usr/bin/env python3
"""The filter through programs and packages that have an HDF5 of their own. Every read is checked exactly."""

import json
import os
import subprocess
import sys

from case import (ABS, BOUND, FILTER, field, main, require, require_bound, require_smaller, run, skip, words)
import numpy as np

CHUNK = (32, 32, 64)
USER_DEFINED = ",".join(map(str, words(ABS, BOUND)))


def need(package):
    try:
        return __import__(package)
    except ImportError as missing:
        skip(missing)


def write_h5py(path, values, name="x", compressed=True, **more):
    h5py = need("h5py")
    how = {"compression": FILTER, "compression_opts": words(ABS, BOUND)} if compressed else {}
    with h5py.File(path, "w", track_order=True) as file:  # netCDF-4 writes to no others
        file.create_dataset(name, data=values, chunks=CHUNK, **how, **more)


def read_h5py(path, name="x"):
    with need("h5py").File(path) as file:
        return file[name][...]


def finite_field(dtype="f4"):
    x = field(dtype)
    x[~np.isfinite(x)] = 3
    return x


def h5repack():
    """From contiguous to compressed, to other chunks, and back."""
    x = field("f8")
    write_h5py("plain.h5", x, compressed=False)
    run("h5repack", "-f", f"x:UD={FILTER},0,4,{USER_DEFINED}", "plain.h5", "small.h5")
    require_smaller("small.h5", x)
    y = read_h5py("small.h5")
    require_bound(x, y)
    run("h5repack", "-f", "NONE", "small.h5", "again.h5")
    require_bound(y, read_h5py("again.h5"), 0.0)
    run("h5repack", "-l", "x:CHUNK=70x65x13", "small.h5", "other.h5")
    require_smaller("other.h5", x)
    require_bound(y, read_h5py("other.h5"))


def h5dump():
    x = finite_field()
    write_h5py("small.h5", x)
    run("h5dump", "-d", "x", "-b", "LE", "-o", "x.bin", "small.h5")
    require_bound(x, np.fromfile("x.bin", "f4").reshape(x.shape))
    require(f"FILTER_ID {FILTER}" in run("h5dump", "-p", "-H", "small.h5"), "no filter is shown")


def h5diff():
    x = finite_field()
    write_h5py("plain.h5", x, compressed=False)
    write_h5py("small.h5", x)
    run("h5diff", "-d", BOUND, "plain.h5", "small.h5")
    require("differences found" in run("h5diff", "-d", BOUND / 100, "plain.h5", "small.h5", fails=True), "no difference")


def netcdf_file(path, values):
    """A netCDF-4 file without compression, by the netCDF of the system."""
    with open("x.cdl", "w", encoding="utf-8") as file:
        file.write("netcdf x { dimensions: z = %d; y = %d; x = %d; variables: float z(z); float y(y); float x(x); "
                   "float t(z, y, x); t:_FillValue = 1e20f; y:units = \"degrees_north\"; x:units = \"degrees_east\"; "
                   "z:units = \"m\"; data: z = %s; y = %s; x = %s; t = %s; }" % (
                       *values.shape, *(", ".join(map(str, range(n))) for n in values.shape),
                       ", ".join("%.9g" % v for v in values.flat)))
    run("ncgen", "-k", "nc4", "-o", path, "x.cdl")


def read_ncdump(path, name, like):
    text = run("ncdump", "-p", "9,17", "-v", name, path).split(f" {name} =\n")[1].split(";")[0]
    return np.array([float(v) for v in text.replace("_", "1e20").split(",")], like.dtype).reshape(like.shape)


def ocean():
    x = finite_field()[:20, :30, :40].copy()
    x[5:9, 10:] = 1e20
    return x


def nccopy():
    """netCDF's programs write and read, and a fill value stays what it is."""
    x = ocean()
    netcdf_file("plain.nc", x)
    run("nccopy", "-c", "z/10,y/30,x/40", "-F", f"t,{FILTER},{USER_DEFINED}", "plain.nc", "small.nc")
    require(f'"{FILTER},' in run("ncdump", "-hs", "small.nc"), "the variable has no filter")
    y = read_ncdump("small.nc", "t", x)
    require_bound(x, y)
    require((y[x == 1e20] == np.float32(1e20)).all(), "the fill value has changed")
    require_bound(x, read_h5py("small.nc", "t"))
    run("nccopy", "-c", "z/7,y/30,x/20", "small.nc", "other.nc")
    require_bound(y, read_ncdump("other.nc", "t", x))


def cdo():
    """CDO reads; Debian's cannot write through filters that are given by number."""
    x = ocean()
    netcdf_file("plain.nc", x)
    run("nccopy", "-c", "z/10,y/30,x/40", "-F", f"t,{FILTER},{USER_DEFINED}", "plain.nc", "small.nc")
    run("cdo", "-s", "-f", "nc", "copy", "small.nc", "out.nc")
    require_bound(x, read_ncdump("out.nc", "t", x))


def netcdf4():
    """The Python package writes to a variable that h5py made, and reads."""
    netcdf = need("netCDF4")
    x = finite_field()
    write_h5py("small.h5", np.zeros_like(x))
    with netcdf.Dataset("small.h5", "a") as file:
        file["x"][:] = x
    with netcdf.Dataset("small.h5") as file:
        file.set_auto_mask(False)
        require_bound(x, file["x"][:])
    require_smaller("small.h5", x)


def two_in_a_process():
    """h5py and netCDF4 bring an HDF5 each; both write and read, in turns, whichever comes first."""
    here = os.path.abspath(__file__)
    for first, second in (("h5py", "netCDF4"), ("netCDF4", "h5py")):
        need(first), need(second)
        run(sys.executable, here, f"turns_{first}", cwd=".")


def turns(first, second):
    need(first), need(second)
    x = finite_field()
    for turn in range(3):
        write_h5py("small.h5", x + turn)
        with sys.modules["netCDF4"].Dataset("small.h5", "a") as file:
            file.set_auto_mask(False)
            require_bound(x + turn, file["x"][:])
            file["x"][:] = x - turn
        require_bound(x - turn, read_h5py("small.h5"))
        require_smaller("small.h5", x)
    with open("/proc/self/maps", encoding="ascii") as maps:
        loaded = {line.split()[-1] for line in maps if "libhdf5-" in line}
    require(len(loaded) == 2, f"not two HDF5s, but {loaded}")


def turns_h5py():
    turns("h5py", "netCDF4")


def turns_netcdf4():
    turns("netCDF4", "h5py")


def openpmd():
    """openPMD-api has an HDF5 inside that shows its functions to nobody, so that all words are given."""
    api = need("openpmd_api")
    x = field("f4", (64, 64, 64))
    every_word = words(ABS, BOUND, 0, 0, 0, 1, 3, 0, 0, 1, 32, 64, 64)
    options = {"chunks": [32, 64, 64],
               "permanent_filters": [{"id": FILTER, "flags": "mandatory", "cd_values": every_word}]}
    series = api.Series("small.h5", api.Access.create, json.dumps({"hdf5": {"dataset": options}}))
    record = series.iterations[0].meshes["E"]["x"]
    record.reset_dataset(api.Dataset(x.dtype, x.shape))
    record.store_chunk(x)
    series.close()
    require_smaller("small.h5", x)
    series = api.Series("small.h5", api.Access.read_only)
    y = series.iterations[0].meshes["E"]["x"].load_chunk()
    series.flush()
    require_bound(x, y)
    series.close()
    require_bound(x, read_h5py("small.h5", "data/0/meshes/E/x"))


def missing_filter():
    """Without the plugin programs say what is missing, and the rest of a file can be read."""
    write_h5py("small.h5", finite_field())
    nothing = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    require("unable to print data" in run("h5dump", "-d", "x", "small.h5", fails=True, env=nothing), "h5dump is silent")
    run("h5dump", "-H", "small.h5", env=nothing)
    code = "import h5py; h5py.File('small.h5')['x'][...]"
    failed = subprocess.run([sys.executable, "-c", code], env=nothing, text=True, capture_output=True, check=False)
    require("OSError" in failed.stderr and failed.returncode == 1, failed.stderr)


def damaged_chunk():
    """Each byte of a chunk that is altered is an error with a message of the filter, never a crash."""
    h5py = need("h5py")
    x = field("f4", (32, 32, 64))
    write_h5py("small.h5", x)
    with h5py.File("small.h5") as file:
        place = file["x"].id.get_chunk_info(0)
    random = np.random.default_rng(2)
    with open("small.h5", "rb") as file:
        sound = file.read()
    places = [*range(60), *random.integers(60, place.size, 300)]
    for at in places:
        damaged = bytearray(sound)
        damaged[place.byte_offset + at] ^= 1 << random.integers(8)
        with open("damaged.h5", "wb") as file:
            file.write(damaged)
        try:
            read_h5py("damaged.h5")
        except OSError as error:
            require(any(word in str(error) for word in ("decompress:", "restore:", "inspect:", "kompakt")),
                    f"byte {at}: {error}")
        else:
            require(False, f"byte {at} was altered, and nobody says so")
    message = run("h5dump", "-d", "x", "-E", "damaged.h5", fails=True)
    require("kompakt" in message and "Filter kompakt failed" in message, message)


def hostile_words():
    """Words of a file that were altered are an error, or what was read is thrown away by HDF5; never a crash."""
    h5py = need("h5py")
    x = field("f4", (32, 32, 64))
    write_h5py("small.h5", x)
    with h5py.File("small.h5") as file:
        true = file["x"].id.get_create_plist().get_filter(0)[2]
    with open("small.h5", "rb") as file:
        sound = file.read()
    old = np.array(true, "<u4").tobytes()
    require(sound.count(old) == 1, "the words are not where they should be")
    nan = words(ABS, float("nan"))[2:4]
    hostile = [(1, 77), (2, nan[0], nan[1]), (4, 99), (5, 99), (7, 0xffffffff), (8, 9), (11, 0), (11, 2), (11, 99),
               (12, 0), (12, 31), (12, 33), (13, 31), (14, 63), (14, 65), (12, 0xffffffff, 0xffffffff, 0xffffffff), (13, 0x80000000), (0, 9)]
    for at, *values in hostile:
        new = list(true)
        new[at:at + len(values)] = values
        with open("hostile.h5", "wb") as file:
            file.write(sound.replace(old, np.array(new, "<u4").tobytes()))
        code = "import h5py, sys; h5py.File('hostile.h5')['x'][...]"
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)
        require(done.returncode == 1 and "OSError" in done.stderr, f"{at} {values}: {done.returncode} {done.stderr}")
        run("h5dump", "-d", "x", "hostile.h5", fails=True)


if __name__ == "__main__":
    main({t.__name__: t for t in (h5repack, h5dump, h5diff, nccopy, cdo, netcdf4, two_in_a_process, openpmd,
                                  missing_filter, damaged_chunk, hostile_words)} |
         {"turns_h5py": turns_h5py, "turns_netCDF4": turns_netcdf4})
