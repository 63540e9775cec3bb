"""Adapters: what is none, is damaged, or is of other weights, is refused in one line before a run begins."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from gguf_files import STRING, gguf_bytes

from evaluation.commands.cli import main
from language_models.local.adapters import BASE, check_adapter
from language_models.local.embedded import EmbeddedModel


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "weights.gguf"
    path.write_bytes(gguf_bytes())
    return path


def adapter(path: Path, base: str | None, sort: str = "adapter") -> Path:
    pairs = [("general.type", STRING, sort), *([(BASE, STRING, base)] if base else [])]
    path.write_bytes(gguf_bytes(pairs))
    return path


def test_an_adapter_of_these_weights_passes(tmp_path: Path, weights: Path) -> None:
    check_adapter(adapter(tmp_path / "a.gguf", hashlib.sha256(weights.read_bytes()).hexdigest()), weights)
    check_adapter(adapter(tmp_path / "of_others.gguf", None), weights)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, FileNotFoundError, r"a\.gguf' does not exist"),
        (
            ("ab" * 32, "adapter"),
            ValueError,
            r"is of other weights than weights\.gguf: of those with sha256 abababab",
        ),
        ((None, "model"), ValueError, "is no adapter but a model; give it as the model itself"),
        *[(damage, ValueError, "no GGUF header that can be read") for damage in (b"", b"GGUF", b"PK\x03\x04 other")],
    ],
)
def test_what_is_no_adapter_of_these_weights_is_refused(
    tmp_path: Path, weights: Path, content: Any, error: type[Exception], message: str
) -> None:
    path = tmp_path / "a.gguf"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        adapter(path, *content)
    with pytest.raises(error, match=message):
        check_adapter(path, weights)


def test_a_header_without_matrices_is_refused_by_one_line(tmp_path: Path) -> None:
    path = adapter(tmp_path / "a.gguf", None)
    with pytest.raises(ValueError, match=r"llama.cpp could not load .* and the adapter .*a\.gguf"):
        EmbeddedModel.smollm2(slots=1, context=64, threads=1, adapter=path)


@pytest.mark.parametrize("written", [None, b"something else"])
def test_a_run_does_not_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str], written: bytes | None) -> None:
    path, models = tmp_path / "a.gguf", tmp_path / "models.toml"
    if written is not None:
        path.write_bytes(written)
    models.write_text(f'name = "smollm2"\nembedder = "hash"\n[options.smollm2]\nadapter = "{path}"\n')
    assert main(["run", "--model", str(models), "--steps", "1", "--out", str(tmp_path / "run")]) != 0
    told = capsys.readouterr().err.strip().splitlines()
    assert "a.gguf" in told[-1]
    assert "Traceback" not in "\n".join(told)
