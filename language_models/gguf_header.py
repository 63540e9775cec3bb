"""Reading of a GGUF file's header: metadata of the model, and the sizes of its tensors.

The format is ggml's specification (docs/gguf.md there), versions 2 and 3: a magic number, the version, how many
tensors and pairs of key and value there are, the pairs, and for each tensor its name, shape, type and place.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_DIMENSIONS = 8
"""Most dimensions of a tensor that are accepted; ggml itself has at most four."""
MORE_PARAMETERS_THAN = 1_000_000_000
"""Parameters above which a model counts as instructed: SmolLM2-135M, though instructed, ignores requested forms."""
LONGEST_TEXT = 1000
"""Most bytes of a string that is kept."""

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by its type number; 8 is a string, and 9 an array."""

_INTEGERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, kw_only=True, slots=True)
class GgufHeader:
    """Contents of a GGUF header.

    Attributes:
        chat_template: The chat template, `tokenizer.chat_template`; empty for none.
        parameters: Number of parameters: `general.parameter_count`, or the elements of all tensors together.
        texts: All other strings of at most 1,000 bytes, by key.
    """

    chat_template: str
    parameters: int
    texts: Mapping[str, str]


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of a file, without its tensors.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it has no such header; the message says what is wrong with it.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).header()
    except (ValueError, struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"{str(path)!r} has no GGUF header that can be read: {error}") from error


def cached_gguf_header(path: Path) -> GgufHeader:
    """Return the header of a file, reading it again only if the file has changed.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it has no such header.
    """
    state = path.stat()
    return _read_once(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _read_once(path: Path, size: int, changed: int) -> GgufHeader:
    return read_gguf_header(path)


def is_instructed_file(path: Path) -> bool:
    """Return whether a file's model takes instructions: it has a chat template and is large enough."""
    try:
        header = cached_gguf_header(path)
    except (OSError, ValueError):
        return False
    return bool(header.chat_template.strip()) and header.parameters > MORE_PARAMETERS_THAN


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._place = 0

    def header(self) -> GgufHeader:
        if (magic := self._data[:4]) != MAGIC:
            raise ValueError(f"it begins with {magic!r} where {MAGIC!r} is expected")
        self._place = 4
        if (version := self._integer("<I")) not in VERSIONS:
            raise ValueError(f"its version is {version} where 2 or 3 is expected")
        tensors, pairs = self._integer("<Q"), self._integer("<Q")
        template, counted, texts = "", None, {}
        for _ in range(pairs):
            key, kind = self._text(), self._integer("<I")
            if kind == _STRING:
                text = self._text()
                if key == b"tokenizer.chat_template":
                    template = text.decode()
                elif len(text) <= LONGEST_TEXT:
                    texts[key.decode(errors="replace")] = text.decode(errors="replace")
            elif key == b"general.parameter_count" and kind in _INTEGERS:
                counted = self._integer(_INTEGERS[kind])
            else:
                self._skip(kind)
        if counted is None:
            counted = sum(self._elements() for _ in range(tensors))
        return GgufHeader(chat_template=template, parameters=counted, texts=texts)

    def _integer(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._data, self._place)
        self._place += struct.calcsize(form)
        return int(value)

    def _text(self) -> bytes:
        length = self._integer("<Q")
        self._step(length)
        return self._data[self._place - length : self._place]

    def _step(self, length: int) -> None:
        if length > len(self._data) - self._place:
            raise ValueError(f"it ends within {length} bytes that begin at {self._place}")
        self._place += length

    def _skip(self, kind: int) -> None:
        """Skip a value; reject arrays of arrays."""
        if kind == _STRING:
            self._step(self._integer("<Q"))
        elif kind == _ARRAY:
            item, count = self._integer("<I"), self._integer("<Q")
            if item == _STRING:
                for _ in range(count):
                    self._step(self._integer("<Q"))
            else:
                self._step(self._size(item) * count)
        else:
            self._step(self._size(kind))

    def _size(self, kind: int) -> int:
        if kind not in _SIZES:
            raise ValueError(f"a value has the type {kind}, which is not known")
        return _SIZES[kind]

    def _elements(self) -> int:
        """Read the number of elements of the next tensor."""
        self._text()
        if (dimensions := self._integer("<I")) > MOST_DIMENSIONS:
            raise ValueError(f"a tensor has {dimensions} dimensions where {MOST_DIMENSIONS} are the most")
        elements = prod(self._integer("<Q") for _ in range(dimensions))
        self._step(12)  # The tensor's type and offset.
        return elements
