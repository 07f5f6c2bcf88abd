"""Fields as the program reads them: raw, .npy, FILE.npz:NAME, FILE.nc:NAME, FILE.h5:/NAME and FILE.kpk[:NAME]."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Dict, List, Optional, Tuple, Union

import kompakt
import numpy as np
from kompakt import _core
from kompakt._codec_options import MAX_NDIM
from kompakt._parts import found_in

from .refusal import Refusal
from .words import printable, shown_unit

DTYPES = {
    "f16": "<f2",
    "f32": "<f4",
    "f64": "<f8",
    **{f"{kind}{8 * size}": f"<{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)},
}
_DIMENSIONS = "_dimensions"  # an attribute of archives: names, slowest first, with slashes between them
_FILLS = ("_FillValue", "missing_value")
_KEYS = ("units", "long_name", "standard_name", "NAME", *_FILLS)  # attributes that are read


@dataclass(frozen=True)
class Axis:
    """A dimension: its name, units, where its indices lie, and whether they lie evenly."""

    name: str = ""
    units: str = ""
    values: Optional[np.ndarray] = None
    is_even: bool = False


@dataclass(frozen=True)
class Field:
    """Values and what their file says of them.

    Attributes
    ----------
    values : numpy.ndarray
    label : str
        What was asked for, such as ``run.nc:temperature``.
    name : str
        Of the variable, or of the file.
    fills : tuple of float
        What stands for "no value here": declared by the file, masked in a stream, or found.
    info : kompakt.Info or None
        Of a stream.
    """

    values: np.ndarray
    label: str
    name: str
    long_name: str = ""
    units: str = ""
    axes: Tuple[Axis, ...] = ()
    fills: Tuple[float, ...] = ()
    info: Optional[kompakt.Info] = None


def declared(field: Field) -> "List[Union[float, str]]":
    """The fill values of a field, as `kompakt.compress` takes them."""
    return [*field.fills, "auto"]


def with_found_fills(field: Field) -> Field:
    """A field with the fill values that a compressor finds, too."""
    if field.values.dtype.kind != "f":
        return field
    whole = _core.RangeOfParts()
    whole.add(np.atleast_1d(field.values), declared(field))
    return replace(field, fills=tuple(dict.fromkeys((*field.fills, *sorted(found_in(whole, field.values.dtype))))))


# The widest range whose squares, summed over a large field, are numbers: of metrics and spectra.
_WIDEST = 1e140


def require_drawable(label: str, values: np.ndarray) -> None:
    """Refuse values that lie too far apart for metrics and pictures; places without a value are NaN."""
    if values.dtype.kind != "f":
        return
    finite = values[np.isfinite(values)]
    widest = min(_WIDEST, float(np.finfo(values.dtype).max))
    if finite.size and not 0.5 * float(finite.max()) - 0.5 * float(finite.min()) < 0.5 * widest:
        raise Refusal(
            f"'{label}' has values from {finite.min():g} to {finite.max():g}, further apart than a report can measure; scale "
            "them, or take a part of the field with 'kompakt extract'"
        )


def are_fills(values: np.ndarray, field: Field) -> np.ndarray:
    """Which of some values of a field, or of its reconstruction, stand for no value, apart from NaN."""
    return np.isin(values, np.array(field.fills, values.dtype))


def without_fill(values: np.ndarray, field: Field) -> np.ndarray:
    """A copy of some values of a field, or of its reconstruction, with NaN for its fill values."""
    if values.dtype.kind != "f":
        return values.copy()
    return np.where(are_fills(values, field), values.dtype.type(np.nan), values)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _numbers(value: Any, dtype: np.dtype) -> List[float]:
    """The numbers of an attribute, or of a text such as "1e+20, -999", in a type."""
    words = value.split(",") if isinstance(value, str) else np.ravel(value)
    try:
        return [float(dtype.type(float(word))) for word in words]
    except (TypeError, ValueError):
        return []


def _described(field: Field, attributes: Dict[str, Any]) -> Field:
    numbers = [number for key in _FILLS for number in _numbers(attributes.get(key, ()), field.values.dtype)]
    return replace(
        field,
        units=_text(attributes.get("units", "")),
        long_name=_text(attributes.get("long_name", "")) or _text(attributes.get("standard_name", "")),
        fills=tuple(dict.fromkeys(number for number in numbers if number == number)),
    )


def parse_shape(shape: Optional[str], extents: Optional[str]) -> Optional[Tuple[int, ...]]:
    """Extents, slowest first, of ``--shape C,B,A`` or ``-l AxBxC``; None without both."""
    if shape and extents:
        raise Refusal("--shape and -l are two ways to give the same extents; give one of them")
    text = shape or extents
    if not text:
        return None
    words = text.split(",") if shape else text.split("x")[::-1]
    if not all(re.fullmatch(r"[1-9]\d*", word) for word in words) or len(words) > 8:
        raise Refusal(
            f"'{text}' are no extents; give 1 to 8 numbers, such as {'--shape 240,37,49' if shape else '-l 49x37x240'}"
        )
    return tuple(map(int, words))


def split_name(text: str) -> Tuple[str, str]:
    """A path and, behind a colon, the name of a variable."""
    path, name = _core.split_file_name(os.fsencode(text))
    return os.fsdecode(path), os.fsdecode(name)


def _format(path: str) -> str:
    if path.lower().endswith(".npz") and zipfile.is_zipfile(path):
        return "npz"
    try:
        return _core.format_of_file(os.fsencode(path))
    except kompakt.Error as error:
        raise Refusal(str(error), error.status) from None


def free_memory() -> Optional[int]:
    """Bytes that this process can have; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, ValueError, StopIteration):
        return None


def require_memory(label: str, nbytes: int) -> None:
    """Refuses what would not fit with its reconstruction and the errors."""
    free = free_memory()
    if free is not None and 4 * nbytes > free:
        raise Refusal(
            f"'{label}' has {nbytes} bytes of values; a report needs four times as much memory, and "
            f"{free} bytes are free; take a part with 'kompakt extract'"
        )


def _read_raw(path: str, dtype: Optional[str], shape: Optional[Tuple[int, ...]]) -> Field:
    if dtype is None or shape is None:
        raise Refusal(f"'{path}' does not describe itself; give -t TYPE and -l or --shape")
    if dtype not in DTYPES:
        raise Refusal(f"-t {dtype} is not known; there are {', '.join(DTYPES)}")
    kind = np.dtype(DTYPES[dtype])
    size, wanted = os.path.getsize(path), prod(shape) * kind.itemsize
    if size != wanted:
        raise Refusal(
            f"'{path}' has {size} bytes where {'x'.join(map(str, shape[::-1]))} of {dtype} make {wanted}; "
            "check -t and the extents"
        )
    require_memory(path, size)
    return Field(np.fromfile(path, kind).reshape(shape), path, os.path.basename(path))


def _read_npy(path: str) -> Field:
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        require_memory(path, mapped.nbytes)
        values = np.array(mapped, dtype=mapped.dtype.newbyteorder("="), order="K")
    except (ValueError, EOFError) as error:
        raise Refusal(f"'{path}' is no file of NumPy that can be read: {error}", "corrupt") from None
    return Field(values, path, os.path.basename(path))


def _read_npz(path: str, name: str, label: str) -> Field:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            sizes = {info.filename: info.file_size for info in arrays.zip.infolist()}
            names = [member.removesuffix(".npy") for member in sizes if member.endswith(".npy")]
            chosen = _choose(path, name, names, names)
            require_memory(label, sizes[f"{chosen}.npy"])
            values = arrays[chosen]
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise Refusal(f"'{label}' is no array of NumPy that can be read: {error}", "corrupt") from None
    return Field(values.astype(values.dtype.newbyteorder("="), copy=False), label, chosen)


def _import(module: str, path: str, what: str) -> Any:
    try:
        return __import__(module, fromlist=["_"])
    except ImportError:
        raise Refusal(
            f"'{path}' is a file of {what}, which Python reads by {module.partition('.')[0]}; "
            f"install it with: pip install {module.partition('.')[0]}"
        ) from None


def _choose(path: str, name: str, names: List[str], candidates: List[str]) -> str:
    """The variable that is meant; the only candidate if none is named."""
    found = [one for one in names if one.lstrip("/") == name.lstrip("/")]
    if name and not found:
        raise Refusal(f"'{path}' has no variable '{name}'; it has {', '.join(names) or 'none'}")
    if not name and len(candidates) != 1:
        raise Refusal(
            f"'{path}' has {len(candidates)} variables that may be meant; name one behind a colon: "
            + (", ".join(candidates) or "no variable has floating-point numbers")
        )
    return found[0] if name else candidates[0]


def _axis(name: str, values: Any, attributes: Dict[str, Any], extent: int) -> Axis:
    """A dimension with the values of its coordinate variable, if there is one finite value for each index."""
    values = np.asarray(values, dtype=np.float64)
    units = shown_unit(_text(attributes.get("units", "")))
    if values.shape != (extent,) or not np.all(np.isfinite(values)):
        return Axis(name, units)
    steps = np.diff(values)
    even = len(steps) > 0 and np.all(np.abs(steps - steps.mean()) <= 0.02 * abs(steps.mean())) and steps.mean() != 0
    return Axis(name, units, values, bool(even))


def _name(name: Any) -> str:
    """A name as h5py gives it, which has bytes for what is not UTF-8, as Python's arguments have it."""
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name or ""


def _hdf5_attributes(dataset: Any) -> Dict[str, Any]:
    """The variables that a report is about: others may have types that NumPy does not know."""
    found = {}
    for key in _KEYS:
        try:
            if key in dataset.attrs:
                found[key] = dataset.attrs[key]
        except (OSError, RuntimeError, TypeError, ValueError):
            continue  # says nothing
    return found


def _hdf5_kind(dataset: Any) -> str:
    """The letter of NumPy for the kind of its values; none if NumPy does not know it."""
    try:
        return str(dataset.dtype.kind)
    except (TypeError, ValueError):
        return ""


def _hdf5_axes(dataset: Any) -> Tuple[Axis, ...]:
    axes = []
    for dimension, extent in zip(dataset.dims, dataset.shape):
        scale = dimension[0] if len(dimension) else None
        name = (_name(scale.name).rpartition("/")[2] if scale is not None else "") or _name(dimension.label)
        attributes = {} if scale is None else _hdf5_attributes(scale)
        if (
            scale is not None
            and _hdf5_kind(scale) in tuple("fiu")
            and scale.ndim == 1
            and not _text(attributes.get("NAME", "")).startswith("This is a netCDF dimension but not")
        ):
            axes.append(_axis(name, scale[...], attributes, extent))
        else:
            axes.append(Axis(name))
    return tuple(axes)


def _read_hdf5(path: str, name: str, label: str) -> Field:
    h5py = _import("h5py", path, "HDF5")
    _import("kompakt.h5py", path, "HDF5")  # lets its HDF5 find the filter
    datasets: Dict[str, Any] = {}
    try:
        with h5py.File(path, "r") as file:
            file.visititems(
                lambda key, item: datasets.update({_name(key): item}) if isinstance(item, h5py.Dataset) else None
            )
            numeric = [key for key, item in datasets.items() if _hdf5_kind(item) in tuple("fiu") and item.ndim]
            fields = [key for key in numeric if _hdf5_kind(datasets[key]) == "f" and "CLASS" not in datasets[key].attrs]
            chosen = _choose(path, name, numeric, fields)
            dataset = datasets[chosen]
            require_memory(label, dataset.size * dataset.dtype.itemsize)
            values = np.asarray(dataset[...], dtype=dataset.dtype.newbyteorder("="))
            field = Field(values, label, chosen, axes=_hdf5_axes(dataset))
            return _described(field, _hdf5_attributes(dataset))
    except OSError as error:
        raise Refusal(f"cannot read '{label}': {error}", "io") from None


def _read_classic(path: str, name: str, label: str) -> Field:
    netcdf_file = _import("scipy.io", path, "classic netCDF").netcdf_file
    try:
        with netcdf_file(path, "r", mmap=False) as file:
            variables = file.variables
            numeric = [key for key, item in variables.items() if item.data.dtype.kind in "fiu" and item.data.ndim]
            fields = [key for key in numeric if variables[key].data.dtype.kind == "f" and key not in file.dimensions]
            chosen = _choose(path, name, numeric, fields)
            variable = variables[chosen]
            require_memory(label, variable.data.nbytes)
            axes = tuple(
                _axis(one, variables[one].data, variables[one]._attributes, extent) if one in variables else Axis(one)
                for one, extent in zip(variable.dimensions, variable.shape)
            )
            values = np.asarray(variable.data, dtype=variable.data.dtype.newbyteorder("="))
            return _described(Field(values, label, chosen, axes=axes), dict(variable._attributes))
    except (OSError, TypeError, ValueError) as error:
        raise Refusal(f"cannot read '{label}': {error}", "corrupt") from None


def _masked(fill: Optional[float]) -> Tuple[float, ...]:
    """The fill value of a stream or field, unless there is none, or it is NaN."""
    return () if fill is None or fill != fill else (fill,)


def _stream_of(path: str, name: str, label: str) -> Field:
    if name:
        raise Refusal(f"'{path}' is one stream and no archive; leave out '{name}'")
    with open(path, "rb") as file:
        buffer = file.read()
    info = kompakt.inspect(buffer)
    require_memory(label, info.nbytes)
    return Field(kompakt.decompress(buffer), label, os.path.basename(path), info=info, fills=_masked(info.fill_value))


def _archived_axis(archive: Any, group: str, name: str, extent: int) -> Axis:
    """A dimension of an archive, with the variable of its name in the group of the field, or around it."""
    for place in (f"{group}/{name}" if group else name, name):
        if place in archive and archive[place].shape == (extent,):
            return _axis(name, archive[place][...], dict(archive[place].attrs), extent)
    return Axis(name)


def _archived(path: str, name: str, label: str) -> Field:
    with kompakt.open(path) as archive:
        names = list(archive)
        chosen = _choose(path, name, names, names)
        variable = archive[chosen]
        require_memory(label, variable.info.nbytes)
        attributes = dict(variable.attrs)
        field = Field(variable[...], label, chosen, info=variable.info)
        dimensions = _text(attributes.get(_DIMENSIONS, "")).split("/")
        axes: Tuple[Axis, ...] = ()
        if len(dimensions) == field.values.ndim:
            group = chosen.rpartition("/")[0]
            axes = tuple(_archived_axis(archive, group, *one) for one in zip(dimensions, field.values.shape))
    described = _described(field, attributes)
    return replace(described, axes=axes, fills=tuple(dict.fromkeys((*described.fills, *_masked(variable.info.fill_value)))))


def _read_compressed(path: str, name: str, label: str, is_archive: bool) -> Field:
    try:
        return _archived(path, name, label) if is_archive else _stream_of(path, name, label)
    except kompakt.Error as error:
        raise Refusal(f"'{label}': {error}", error.status) from None
    except OSError as error:
        raise Refusal(f"cannot read '{path}': {error.strerror}", "io") from None


def read_field(text: str, dtype: Optional[str] = None, shape: Optional[Tuple[int, ...]] = None) -> Field:
    """Reads all values of a field.

    Parameters
    ----------
    text : str
        A path, and behind a colon the name of a variable.
    dtype : str, optional
        Of a raw file, such as ``f32``; of another one it must agree.
    shape : tuple of int, optional
        Extents, slowest first, of a raw file; of another one they must agree.

    Raises
    ------
    Refusal
        If there is no such field, or it cannot be read.
    """
    path, name = split_name(text)
    form = _format(path)
    if form == "npy":
        field = _read_npy(path)
    elif form == "npz":
        field = _read_npz(path, name, text)
    elif form == "hdf5":
        field = _read_hdf5(path, name, text)
    elif form == "netcdf":
        field = _read_classic(path, name, text)
    elif form in ("stream", "archive"):
        field = _read_compressed(path, name, text, form == "archive")
    else:
        return _in_one_line(_read_raw(path, dtype, shape))
    return _in_one_line(_agreeing(field, dtype, shape))


def _in_one_line(field: Field) -> Field:
    """A field whose texts can be shown, whatever its file says."""
    return replace(
        field,
        label=printable(field.label),
        name=printable(field.name),
        long_name=printable(field.long_name),
        units=printable(field.units),
        axes=tuple(replace(axis, name=printable(axis.name), units=printable(axis.units)) for axis in field.axes),
    )


def _agreeing(field: Field, dtype: Optional[str], shape: Optional[Tuple[int, ...]]) -> Field:
    values = field.values
    if (
        values.dtype.newbyteorder("<").str not in DTYPES.values()
        and values.dtype.str.replace("|", "<") not in DTYPES.values()
    ):
        raise Refusal(
            f"'{field.label}' has values of {values.dtype}; floats of 16 to 64 bits and integers of 8 to 64 bits are supported"
        )
    if values.ndim > MAX_NDIM:
        raise Refusal(f"'{field.label}' has {values.ndim} dimensions; a field has at most {MAX_NDIM}, so join some of them")
    if values.size == 0 or values.ndim == 0:
        raise Refusal(f"'{field.label}' has the extents {values.shape}; a field has at least one value along an axis")
    if dtype is not None and np.dtype(DTYPES.get(dtype, "V1")) != values.dtype:
        raise Refusal(f"-t {dtype}: '{field.label}' has values of {values.dtype}", "type_mismatch")
    if shape is not None and shape != values.shape:
        raise Refusal(
            f"'{field.label}' has the extents {values.shape}, slowest first, and not {shape}", "type_mismatch"
        )
    return field
