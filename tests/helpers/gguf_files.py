"""GGUF files that are made up: a header, and no weights behind it."""

import struct

UINT8, INT32, UINT32, FLOAT32, BOOL, STRING, ARRAY, UINT64 = 0, 5, 4, 6, 7, 8, 9, 10
_FORMS = {UINT8: "<B", INT32: "<i", UINT32: "<I", FLOAT32: "<f", BOOL: "<?", UINT64: "<Q"}
TEMPLATE = ("tokenizer.chat_template", STRING, "{% for message in messages %}{{ message.content }}{% endfor %}")
LARGE = {"token_embd.weight": (2048, 32000), "output.weight": (2048, 500_000)}
"""Tensors of 1.09 billion elements."""


def gguf_bytes(pairs=(), tensors=None, version=3):
    """A header: pairs are of key, type and value; a value of an array is (type of its items, items)."""
    tensors = tensors or {}
    data = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, kind, value in pairs:
        data += _text(key) + struct.pack("<I", kind) + _value(kind, value)
    for name, shape in tensors.items():
        data += _text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", size) for size in shape)
        data += struct.pack("<IQ", 0, 0)
    return data


def save_large_gguf(path):
    """A file whose header is that of a model that is instructed; no program can load it."""
    path.write_bytes(gguf_bytes([TEMPLATE], LARGE))


def _text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(kind, value):
    if kind == STRING:
        return _text(value)
    if kind == ARRAY:
        item, items = value
        return struct.pack("<IQ", item, len(items)) + b"".join(_value(item, one) for one in items)
    return struct.pack(_FORMS[kind], value)
