"""Variables of xarray as fields of an archive: numbers, and texts as letters."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Dict, Hashable, Iterator, NamedTuple

import numpy as np
import xarray
from xarray.coding.strings import CharacterArrayCoder, EncodedStringCoder
from xarray.conventions import cf_encoder, encode_dataset_coordinates

from ._attributes import texts_of
from ._messages import shown

try:
    from xarray.backends.common import ensure_dtype_not_object
except ImportError:  # xarray of 2024
    from xarray.conventions import ensure_dtype_not_object  # type: ignore[attr-defined, no-redef]


# Types of numbers that an archive keeps, of either order of bytes.
_NUMBERS = tuple(np.dtype(order + word) for word in ("f2", "f4", "f8", "c8", "c16", *(sign + size for sign in "iu" for size in "1248"))
                 for order in "<>")


class ArchivedField(NamedTuple):
    """The values of a variable, not yet read, and the texts that describe them."""

    variable: xarray.Variable
    letters: bool
    texts: Dict[str, str]

    def values(self) -> np.ndarray:
        """The values, of at least one dimension; a byte for each letter."""
        values = np.atleast_1d(self.variable.values)
        return np.ascontiguousarray(values).view(np.uint8) if self.letters else values


def fields_of(dataset: xarray.Dataset) -> Dict[Hashable, ArchivedField]:
    """All variables of a dataset, encoded by the conventions of netCDF.

    Raises
    ------
    TypeError, ValueError
        For types of values, names and attributes that an archive cannot keep, naming the variables.
    """
    _require_names(dataset)
    encoded, attributes = cf_encoder(*encode_dataset_coordinates(dataset))
    with _naming("the dataset"):
        texts_of((), {}, attributes)
    variables = {name: _with_letters(name, variable) for name, variable in encoded.items()}
    _require_types(variables)
    grow = dataset.encoding.get("unlimited_dims", ())
    fields = {}
    for name, variable in variables.items():
        letters = variable.dtype.kind == "S"
        with _naming(shown(name)):
            texts = texts_of(variable.dims, variable.attrs, attributes, [dim for dim in variable.dims if dim in grow], letters)
        fields[name] = ArchivedField(variable, letters, texts)
    return fields


@contextmanager
def _naming(owner: str) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError) as refused:
        raise type(refused)(f"{owner}: {refused}") from None


def _require_names(dataset: xarray.Dataset) -> None:
    for name in (*dataset.variables, *dataset.dims):
        if "/" in str(name):
            raise ValueError(f"{shown(name)} has a slash, which archives have between groups and between dimensions; rename it: "
                             f"dataset.rename({{{name!r}: {str(name).replace('/', '_')!r}}})")
    if dataset.attrs and not dataset.variables:
        raise ValueError(f"the dataset has the attribute {shown(next(iter(dataset.attrs)))} but no variable, beside which an archive "
                         "keeps it")


def _with_letters(name: Hashable, variable: xarray.Variable) -> xarray.Variable:
    """A variable whose texts are letters in UTF-8 along one more dimension, which xarray makes texts of when it reads them."""
    variable = ensure_dtype_not_object(variable, name)
    if variable.dtype.kind not in "SUOT":
        return variable
    variable = variable.copy(deep=False)
    variable.encoding = {key: value for key, value in variable.encoding.items() if key != "dtype"}  # of texts of any length
    variable = EncodedStringCoder(allows_unicode=False).encode(variable, name)  # type: ignore[no-untyped-call]
    return CharacterArrayCoder().encode(variable, name)  # type: ignore[no-untyped-call]


def _require_types(variables: Dict[Hashable, xarray.Variable]) -> None:
    refused = {name: variable.dtype for name, variable in variables.items()
               if variable.dtype != "S1" and variable.dtype not in _NUMBERS}
    if refused:
        what = ", ".join(f"{shown(name)} has values of {dtype}" for name, dtype in refused.items())
        raise TypeError(f"an archive keeps texts, integers and floats of at most 64 bits, complex64 and complex128, but {what}; leave out what it cannot keep: "
                        f"dataset.drop_vars({list(refused)!r})")
