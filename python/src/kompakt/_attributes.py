"""Attributes of variables as archives keep them, as texts; some are numbers in words. They are read and written here."""

from __future__ import annotations

import re
from typing import Any, Dict, Hashable, Iterable, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from ._messages import shown

# Keys of the program, as src/programs/files/variable.cpp has them.
_DIMENSIONS, _TYPES, _UNLIMITED = "_dimensions", "_types", "_unlimited"
# The last ones: which groups declare dimensions, and how HDF5 calls a scale.
_OWN_KEYS = (_DIMENSIONS, _TYPES, _UNLIMITED, "_dimension_levels", "_scale_name")
_OWN_GROUP, _OUTER_GROUP = "./", "../"
# In front of names of attributes that would else be one of all these: "_own _types".
_ESCAPE = "_own "
_FILL = "_FillValue"
# Among the types: of attributes that are lists of texts of any and of a fixed length, bytes of a text that no archive keeps, and of a
# variable whose values are letters. Behind a word may be extents, "f64[2,3]", of which a list keeps the number alone.
_TEXTS, _FIXED_TEXTS, _BYTES, _LETTERS, _BOOLEAN = "texts", "fixed", "bytes", "char", "bool"
# Where a text goes on that is longer than one attribute: "_part 2 of history".
_PART = re.compile("_part (.*?) of (.*)", re.DOTALL)
_MOST_BYTES, _MOST_KEY_BYTES = 65535, 255
_NO_LETTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_DTYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4", "u32": "u4",
           "i64": "i8", "u64": "u8", "c64": "c8", "c128": "c16"}


class Described(NamedTuple):
    """Attributes, dimensions and the rest that the texts of a variable describe."""

    #: Names of its dimensions, none for a scalar; None if they are not known.
    dims: Optional[Tuple[str, ...]]
    #: Its attributes: texts, numbers, arrays of these.
    attrs: Dict[str, Any]
    #: The attributes of groups that it lies in, by their names; "" is the root.
    groups: Dict[str, Dict[str, Any]]
    #: Names of those of its dimensions that can grow.
    unlimited: Tuple[str, ...] = ()
    #: Whether its values are letters, a byte each.
    letters: bool = False


def group_of(name: str) -> str:
    """The group of a variable or group of this name; "" is the root, also of itself."""
    return name.rpartition("/")[0]


def describe(name: str, shape: Tuple[int, ...], dtype: np.dtype, texts: Mapping[str, str]) -> Described:
    """Read the texts of the field of an archive. What is no number of the type that is said stays a text."""
    texts = _whole(texts)
    lines = texts.get(_TYPES, "").split("\n")
    letters = _LETTERS in lines and dtype == np.uint8
    types = {**({} if letters else {_FILL: dtype}), **_types_of(lines)}
    words = {key: word.partition("[")[0] for word, _, key in (line.partition(" ") for line in lines)}
    attrs: Dict[str, Any] = {}
    groups: Dict[str, Dict[str, Any]] = {}
    for key, text in texts.items():
        if key in _OWN_KEYS:
            continue
        value = _text_as(words[key], text) if words.get(key) in _TEXT_WORDS else _value_of(text, types.get(key))
        group, own = _split(key, group_of(name))
        if group is not None and own == _DIMENSIONS:  # those that no variable has, of which a dataset knows nothing
            continue
        target = attrs if group is None else groups.setdefault(group, {})
        target[_unescaped(own)] = value
    unlimited = texts.get(_UNLIMITED, "")
    return Described(_dims_of(texts.get(_DIMENSIONS), shape), attrs, groups, tuple(unlimited.split("/")) if unlimited else (),
                     letters)


def _is_of_program(key: str) -> bool:
    """Whether an archive has a key for what it says itself."""
    return key in _OWN_KEYS or key.startswith((_OWN_GROUP, _OUTER_GROUP, _ESCAPE)) or _PART.fullmatch(key) is not None


def _escaped(key: str) -> str:
    return _ESCAPE + key if _is_of_program(key) else key


def _unescaped(key: str) -> str:
    own = key[len(_ESCAPE):]
    return own if key.startswith(_ESCAPE) and _is_of_program(own) else key


def _whole(texts: Mapping[str, str]) -> Dict[str, str]:
    """Texts that are attributes, not parts of them; a part without its beginning counts as none."""
    whole: Dict[str, str] = {}
    for key, text in texts.items():
        part = _PART.fullmatch(key)
        if part is None:
            whole[key] = text
        elif part[2] in whole:
            whole[part[2]] += text
    return whole


_TEXT_WORDS = (_TEXTS, _FIXED_TEXTS, _BYTES)


def _text_as(word: str, text: str) -> Any:
    if word != _BYTES:
        return text.split("\n")
    numbers = _value_of(text, np.dtype("u1"))
    return text if isinstance(numbers, str) else np.atleast_1d(numbers).tobytes().decode(errors="replace")


def _types_of(lines: List[str]) -> Dict[str, np.dtype]:
    types = {}
    for line in lines:
        word, _, key = line.partition(" ")
        word = word.partition("[")[0]
        if word in _DTYPES or word == _BOOLEAN:  # xarray writes no Boolean attributes
            types[key] = np.dtype(_DTYPES.get(word, "i1"))
    return types


def _value_of(text: str, dtype: Optional[np.dtype]) -> Any:
    if dtype is None:
        return text
    words = text.split(", ") if text else []
    part = _part_of(dtype)
    try:
        numbers = np.array([part.type(float(word) if part.kind == "f" else int(word)) for word in words], part).view(dtype)
    except (ValueError, OverflowError):
        return text
    return numbers[0] if len(numbers) == 1 else numbers


def _part_of(dtype: np.dtype) -> np.dtype:
    """The type of the numbers in a text: of complex ones the real and the imaginary parts follow each other."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def fills_of(texts: Mapping[str, str]) -> List[Any]:
    """Numbers, or complex ones, that the texts of a field declare to stand for no value."""
    return [number for key in (_FILL, "missing_value") for number in _numbers_of(texts.get(key, ""))]


def _numbers_of(text: str) -> List[Any]:
    """The numbers of a text such as "1e20, -999"; none of any other text."""
    try:
        numbers = [complex(word) for word in text.split(", ")] if text else []
    except ValueError:
        return []
    return [number if number.imag else number.real for number in numbers]


def _split(key: str, group: str) -> "Tuple[Optional[str], str]":
    """The owner of an attribute, a group or the variable itself (None), and its name there."""
    if not key.startswith((_OWN_GROUP, _OUTER_GROUP)):
        return None, key
    if key.startswith(_OWN_GROUP):
        return group, key[len(_OWN_GROUP):]
    while key.startswith(_OUTER_GROUP):
        group, key = group_of(group), key[len(_OUTER_GROUP):]
    return group, key


def _dims_of(text: Optional[str], shape: Tuple[int, ...]) -> Optional[Tuple[str, ...]]:
    if text == "" and shape == (1,):
        return ()
    dims = tuple(text.split("/")) if text else ()
    extents = dict(zip(dims, shape))  # of a dimension that comes twice both are the same
    return dims if len(dims) == len(shape) and all(extents[dim] == extent for dim, extent in zip(dims, shape)) else None


_WORDS = {np.dtype(code): word for word, code in _DTYPES.items()}


def texts_of(dims: Iterable[Hashable], attrs: Mapping[Hashable, Any], group: Mapping[Hashable, Any],
             unlimited: Iterable[Hashable] = (), letters: bool = False) -> Dict[str, str]:
    """Texts that `describe` reads, for a variable in the root group: the reverse of it.

    Parameters
    ----------
    dims : names of dimensions, none for a scalar
    attrs, group : attributes of the variable, and of its group
    unlimited : names of those dimensions that can grow
    letters : whether the values are letters, a byte each

    Raises
    ------
    TypeError, ValueError
        For an attribute that is neither texts nor numbers, and for a name that archives do not keep.
    """
    texts: Dict[str, str] = {}
    types = [_LETTERS] if letters else []
    for prefix, attributes in (("", attrs), (_OWN_GROUP, group)):
        for key, value in attributes.items():
            name = prefix + _escaped(str(key))
            text, word = _text_of(str(key), value)
            texts.update(_parts(name, text))
            if word:
                types.append(f"{word} {name}")
    texts[_DIMENSIONS] = "/".join(map(str, dims))
    if grow := "/".join(map(str, unlimited)):
        texts[_UNLIMITED] = grow
    if types:
        texts.update(_parts(_TYPES, "\n".join(types)))
    return texts


def _parts(name: str, text: str) -> Dict[str, str]:
    """A text of any length as attributes, cut between its letters."""
    data = text.encode()
    parts: Dict[str, str] = {}
    while data or not parts:
        part = data[:_MOST_BYTES].decode(errors="ignore")  # of the letter that is cut
        data = data[len(part.encode()):]
        key = f"_part {len(parts) + 1} of {name}" if parts else name
        if _NO_LETTER.search(key) or any(letter in key for letter in "\t\n\r") or len(key.encode(errors="replace")) > _MOST_KEY_BYTES:
            raise ValueError(f"the attribute {shown(name)} has a name that archives do not keep: up to {_MOST_KEY_BYTES} bytes without "
                             "control characters; rename it")
        parts[key] = part
    return parts


def _text_of(name: str, value: Any) -> "Tuple[str, Optional[str]]":
    """The text of an attribute, and the word of its type if it is a number, or a list."""
    if isinstance(value, str):
        value = value.rstrip("\0")  # which some files of netCDF end with
        if _NO_LETTER.search(value) is None:
            return value, None
        return ", ".join(map(str, value.encode(errors="surrogateescape"))), _BYTES
    if isinstance(value, (list, tuple, np.ndarray)) and len(value) and all(
            isinstance(item, str) and "\n" not in item and not _NO_LETTER.search(item) for item in value):
        return "\n".join(value), _TEXTS
    numbers = np.asarray(value)
    if numbers.dtype == np.float16:
        numbers = numbers.astype(np.float32)
    numbers = numbers.astype(numbers.dtype.newbyteorder("="), copy=False)
    word = _WORDS.get(numbers.dtype)
    if word is None or numbers.ndim > 1:
        raise TypeError(f"the attribute {shown(name)} is {shown(value)}, which an archive cannot keep; make it a text or numbers, or "
                        "delete it")
    return ", ".join(map(str, np.atleast_1d(numbers).view(_part_of(numbers.dtype)))), word
