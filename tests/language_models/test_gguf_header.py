"""What the header of a GGUF file says, and which files it makes models that are asked by instruction."""

import struct
from pathlib import Path

import pytest
from gguf_files import ARRAY, BOOL, FLOAT32, INT32, LARGE, STRING, TEMPLATE, UINT8, UINT32, UINT64, gguf_bytes

from language_models.gguf_header import GgufHeader, check_complete, is_instructed_file, read_gguf_header
from language_models.packages import smollm2_path

PAIRS = [
    ("general.architecture", STRING, "llama"),
    ("general.file_type", UINT32, 2),
    ("llama.rope.freq_base", FLOAT32, 10000.0),
    ("tokenizer.ggml.add_bos_token", BOOL, True),
    ("tokenizer.ggml.tokens", ARRAY, (STRING, ["a", "b", "é"])),
    ("tokenizer.ggml.token_type", ARRAY, (INT32, [1, 1, 3])),
    ("general.small", UINT8, 7),
    TEMPLATE,
    ("general.after", STRING, "the template"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


@pytest.mark.parametrize("version", [2, 3])
def test_a_header_is_read(file: Path, version: int) -> None:
    file.write_bytes(gguf_bytes(PAIRS, {"a": (2, 3), "b": (5,), "scalar": ()}, version))
    header = read_gguf_header(file)
    assert (header.chat_template, header.parameters) == (TEMPLATE[2], 12)
    assert header.texts == {key: value for key, kind, value in PAIRS if kind == STRING and key != TEMPLATE[0]}
    file.write_bytes(gguf_bytes([*PAIRS, ("general.parameter_count", UINT64, 70)], {"a": (2, 3)}, version))
    assert read_gguf_header(file).parameters == 70
    file.write_bytes(gguf_bytes(PAIRS[:3]))
    bare = read_gguf_header(file)
    assert bare == GgufHeader(chat_template="", parameters=0, texts=bare.texts, size=file.stat().st_size)


def test_whether_a_file_is_complete(file: Path) -> None:
    header = gguf_bytes([("general.alignment", UINT32, 64)], {"a": (2, 3), "b": (5,)})
    needed = -(-len(header) // 64) * 64 + 24
    file.write_bytes(header.ljust(needed, b"\0"))
    assert read_gguf_header(file).size == needed
    check_complete(file)
    for size in (needed - 1, len(header) - 3):
        file.write_bytes(header.ljust(needed, b"\0")[:size])
        with pytest.raises(ValueError, match=r"model\.gguf' is incomplete: .*; get the file again$"):
            check_complete(file)
    check_complete(smollm2_path())


def test_the_weights_that_come_with_the_install() -> None:
    header = read_gguf_header(smollm2_path())
    assert "<|im_start|>" in header.chat_template
    assert 134_000_000 < header.parameters < 136_000_000
    assert not is_instructed_file(smollm2_path())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "cannot mmap an empty file"),
        (b"PK\x03\x04", "it begins with b'PK.x03.x04' where b'GGUF' is expected"),
        (b"GGUF", "it ends within 4 bytes"),
        (gguf_bytes(version=1), "its version is 1 where 2 or 3 is expected"),
        (gguf_bytes(PAIRS, LARGE)[:-20], "it ends"),
        (gguf_bytes(PAIRS)[:60], "it ends"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63), "it ends within 9223372036854775808 bytes that begin at 32"),
        (gguf_bytes([("a", UINT8, 1)]).replace(struct.pack("<IB", UINT8, 1), struct.pack("<IB", 99, 1)), "the type 99"),
        (b"GGUF" + struct.pack("<IQQQI", 3, 1, 0, 0, 4_000_000_000), "a tensor has 4000000000 dimensions where 8"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), "it ends"),
    ],
)
def test_what_is_no_header_is_told_and_is_not_instructed(file: Path, content: bytes, reason: str) -> None:
    file.write_bytes(content)
    with pytest.raises(ValueError, match=rf"model\.gguf' has no GGUF header that can be read: .*({reason})"):
        read_gguf_header(file)
    assert not is_instructed_file(file)


def test_a_file_is_instructed_by_its_template_and_its_size(file: Path) -> None:
    file.write_bytes(gguf_bytes([TEMPLATE], LARGE))
    assert is_instructed_file(file)
    file.write_bytes(gguf_bytes([("general.name", STRING, "a base model")], LARGE))
    assert not is_instructed_file(file)
    billion = [TEMPLATE, ("general.parameter_count", UINT64, 1_000_000_000)]
    file.write_bytes(gguf_bytes(billion, LARGE))
    assert not is_instructed_file(file)
    file.write_bytes(gguf_bytes([TEMPLATE, ("general.parameter_count", UINT64, 1_000_000_001)]))
    assert is_instructed_file(file)
