"""Calls of the package as a user writes them: test_types.py has their types checked, and does not run them."""

import io
import os
from typing import Any, Optional, Union, assert_type

import numpy as np

import kompakt
import kompakt.h5py
import kompakt.numcodecs
import kompakt.xarray
import kompakt.zarr


def streams(field: np.ndarray, room: np.ndarray, tensor: "Tensor") -> None:
    stream = kompakt.compress(field, 1e-3, mode="abs", variant="nested", radius=256, fill_value="auto", threads=2)
    assert_type(stream, bytes)
    assert_type(kompakt.compress(field, out=bytearray(kompakt.max_compressed_bytes(field, checksum=False))), memoryview)
    assert_type(kompakt.compress(field, out=room), np.ndarray)
    assert_type(kompakt.compress(tensor, out=tensor, stream=tensor), Tensor)
    assert_type(kompakt.compress(field, axis="3:0:1"), bytes)
    assert_type(kompakt.inspect(stream).axis, Union[int, str])
    choice = kompakt.choose(field, goal="ratio", axis=2)
    assert_type(choice["axis"], Union[int, str, None])
    assert_type(choice["pack"], bool)
    assert_type(kompakt.compress(field, **choice), bytes)
    assert_type(kompakt.decompress(stream, threads=1), np.ndarray)
    assert_type(kompakt.decompress(stream, field), np.ndarray)
    assert_type(kompakt.decompress(stream, like=field), np.ndarray)
    assert_type(kompakt.decompress(stream, like=tensor, space="cuda"), Tensor)
    assert_type(kompakt.decompress(stream, out=tensor), Tensor)


def facts(field: np.ndarray, stream: bytes) -> None:
    info = kompakt.inspect(stream)
    assert_type(info, kompakt.Info)
    assert_type(info.shape, tuple[int, ...])
    assert_type(info.ratio, float)
    assert_type(kompakt.compare(field, field, info, groups=["ssim"]).ssim, Optional[float])
    assert_type(kompakt.metrics(field, field, 0.1, mode="pwr", threads=1).violations, int)
    assert_type(kompakt.value_range(field)["width"], float)
    assert_type(kompakt.__version__, str)


def regions(path: str, stream: bytes, out: np.ndarray) -> None:
    assert_type(kompakt.decompress_region(stream, np.s_[1:2, ..., 3]), np.ndarray)
    assert_type(kompakt.decompress_region(stream, np.s_[1:2], out=out), np.ndarray)
    with open(path, "rb") as file:
        def read(offset: int, nbytes: int) -> bytes:
            return os.pread(file.fileno(), nbytes, offset)

        assert_type(kompakt.RegionReader(read, len(stream))[4:, 2], np.ndarray)
        assert_type(kompakt.read_region(read, len(stream), np.s_[:2], out, threads=1), np.ndarray)


def archives(path: str, field: np.ndarray, tensor: "Tensor") -> None:
    with kompakt.Archive(path, "a", wait=1.5, bound=1e-4, bound_mode="abs", pack=True) as archive:
        archive["t"] = field
        archive.append("p", field, {"units": "Pa"}, mode="lossless")
    with kompakt.open(path) as archive:
        variable = archive["t"]
        assert_type(variable, kompakt.Variable)
        assert_type(variable.attrs, dict[str, str])
        assert_type(variable[2:4, ::5], np.ndarray)
        assert_type(variable.read(), np.ndarray)
        assert_type(variable.read(..., tensor), Tensor)
        assert_type(variable.read(out=tensor, threads=1), Tensor)
        assert_type(kompakt.open(io.BytesIO())["t"].shape, tuple[int, ...])
        assert_type({name: one.info.nbytes for name, one in archive.items()}, dict[str, int])


def codecs(configuration: "dict[str, Any]") -> None:
    assert_type(kompakt.zarr.Kompakt(1e-3, pipeline="auto"), kompakt.zarr.Kompakt)
    assert_type(kompakt.zarr.Kompakt.from_configuration(configuration), kompakt.zarr.Kompakt)
    assert_type(dict(kompakt.h5py.Kompakt(0.1, "abs", extents=(1, 8, 8))), dict[str, Any])
    assert_type(kompakt.xarray.KompaktBackendEntrypoint().guess_can_open("run.kpk"), bool)


# Each of these must be refused: mypy counts a comment that silences nothing as an error.
def mistakes(field: np.ndarray, stream: bytes) -> None:
    kompakt.compress(field, bond=1e-3)  # type: ignore[call-overload]
    kompakt.compress(field, 1e-3, radius="256")  # type: ignore[call-overload]
    kompakt.max_compressed_bytes(field, threads=2)  # type: ignore[call-arg]
    kompakt.decompress(stream, thread=1)  # type: ignore[call-overload]
    kompakt.inspect(stream).rate  # type: ignore[attr-defined]
    kompakt.choose(field)["bound"]  # type: ignore[typeddict-item]
    kompakt.Archive("run.kpk", mod="w")  # type: ignore[call-arg]
    kompakt.open("run.kpk").append("t", field, {"units": 1})  # type: ignore[dict-item]
    kompakt.zarr.Kompakt(bound=[1e-3])  # type: ignore[arg-type]
    kompakt.compress(field, 1e-3, mode="relative")  # type: ignore[call-overload]
    kompakt.compress(field, 1e-3, pipeline="zfp")  # type: ignore[call-overload]
    kompakt.compress(field, 1e-3, predictor="lorenzo")  # type: ignore[call-overload]
    kompakt.compress(field, 1e-3, variant="deepest")  # type: ignore[call-overload]
    kompakt.choose(field, goal="size")  # type: ignore[arg-type]
    kompakt.compare(field, field, groups=["mse"])  # type: ignore[list-item]
    kompakt.decompress(stream, space="gpu")  # type: ignore[call-overload]
    kompakt.Archive("run.kpk", "rw")  # type: ignore[arg-type]
    kompakt.Archive("run.kpk", "w", bound_mode="relative")  # type: ignore[arg-type]
    kompakt.h5py.Kompakt(mode="relative")  # type: ignore[arg-type]
    kompakt.zarr.Kompakt(1e-3, mode="relative")  # type: ignore[arg-type]
    kompakt.numcodecs.Kompakt(1e-3, mode="relative")  # type: ignore[arg-type]
    kompakt.numcodecs.Kompakt(pipeline="zfp")  # type: ignore[arg-type]


class Tensor:
    """An array of another library, on a device."""
