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

ALIGNMENT = 32
"""Multiple of bytes at which the data begin, where a file says no other."""

_BLOCKS = {
    **{0: (1, 4), 1: (1, 2), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 30: (1, 2)},
    **{2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 20: (32, 18), 39: (32, 17)},
    **{10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292)},
    **{16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 21: (256, 110), 22: (256, 82), 23: (256, 136)},
    **{29: (256, 56), 34: (256, 54), 35: (256, 66)},
}
"""Elements and bytes of a block of each tensor type of ggml; another type counts no bytes."""

_INTEGERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, kw_only=True, slots=True)
class GgufHeader:
    """Contents of a GGUF header.

    Attributes:
        chat_template: The chat template, `tokenizer.chat_template`; empty for none.
        parameters: Number of parameters: `general.parameter_count`, or the elements of all tensors together.
        texts: All other strings of at most 1,000 bytes, by key.
        size: Bytes that the file must have at least, for the tensors that the header describes.
    """

    chat_template: str
    parameters: int
    texts: Mapping[str, str]
    size: int = 0


class EndsEarly(ValueError):
    """A file that ends within its header."""


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of a file, without its tensors.

    Raises:
        OSError: if the file cannot be read.
        EndsEarly: if it ends within the header.
        ValueError: if it has no such header; the message says what is wrong with it.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).header()
    except (ValueError, struct.error) as error:
        kind = EndsEarly if isinstance(error, EndsEarly) else ValueError
        raise kind(f"{str(path)!r} has no GGUF header that can be read: {error}") from error


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


def check_complete(path: Path) -> None:
    """Check that a file has all the bytes that its header describes; a header of an unknown form describes none.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it has not; the message says that the file is incomplete.
    """
    size = path.stat().st_size
    try:
        needed = cached_gguf_header(path).size
    except EndsEarly as error:
        raise ValueError(f"{str(path)!r} is incomplete: {error}; get the file again") from None
    except ValueError:
        return
    if size < needed:
        raise ValueError(
            f"{str(path)!r} is incomplete: it has {size:,} bytes, and its header describes {needed:,}; get the file "
            "again"
        )


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
        template, counted, alignment, texts = "", None, ALIGNMENT, {}
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
            elif key == b"general.alignment" and kind in _INTEGERS:
                alignment = max(1, self._integer(_INTEGERS[kind]))
            else:
                self._skip(kind)
        elements, ends = 0, [0]
        for _ in range(tensors):
            count, end = self._tensor()
            elements += count
            ends.append(end)
        begin = -(-self._place // alignment) * alignment
        size = begin + max(ends) if tensors else self._place
        return GgufHeader(
            chat_template=template, parameters=elements if counted is None else counted, texts=texts, size=size
        )

    def _integer(self, form: str) -> int:
        begin = self._place
        self._step(struct.calcsize(form))
        (value,) = struct.unpack_from(form, self._data, begin)
        return int(value)

    def _text(self) -> bytes:
        length = self._integer("<Q")
        self._step(length)
        return self._data[self._place - length : self._place]

    def _step(self, length: int) -> None:
        if length > len(self._data) - self._place:
            raise EndsEarly(f"it ends within {length} bytes that begin at {self._place}")
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

    def _tensor(self) -> tuple[int, int]:
        """Read the next tensor: its number of elements, and where its data end, counted from where all data begin."""
        self._text()
        if (dimensions := self._integer("<I")) > MOST_DIMENSIONS:
            raise ValueError(f"a tensor has {dimensions} dimensions where {MOST_DIMENSIONS} are the most")
        elements = prod(self._integer("<Q") for _ in range(dimensions))
        block, size = _BLOCKS.get(self._integer("<I"), (1, 0))
        return elements, self._integer("<Q") + elements // block * size
