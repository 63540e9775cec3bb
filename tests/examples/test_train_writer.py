"""The example that trains an adapter goes on where it was stopped, and writes what llama.cpp adds to the weights."""

import asyncio
import json
import shutil
import sys
from copy import deepcopy

import pytest
from example_files import load_example

from language_models.gguf_header import read_gguf_header
from language_models.local.adapters import check_adapter
from language_models.local.embedded import EmbeddedModel
from language_models.packages import smollm2_path
from language_models.protocol import Caller

NEEDED = "needs the extra tune: python -m pip install -e '.[tune]'"
for package in ("torch", "peft", "gguf"):
    pytest.importorskip(package, reason=f"{package} is not installed; {NEEDED}")
import torch  # noqa: E402

pytestmark = pytest.mark.slow
ADAPTER, CHECKPOINT, CURVE = "valley-writer.gguf", "checkpoint.pt", "curve.csv"
STEPS = 4
TINY = "--tokens 256 --rank 2 --layers 1 --epochs 1 --dropout 0.1 --learning-rate 0.01 --save-every 1 --held-out 1"
PROMPT = "Neighbours in a small valley.\n\nAY is in the canteen. There is an apple on the table.\nAY wants to eat.\n"
ANSWER = "AY still wants it.\nAY thinks: The apple is here.\nAY takes the apple from the table.\n"


@pytest.fixture(scope="module")
def writer():
    """The example, which reads weights and tokenizer once; each training has a copy of the weights."""
    module = load_example("train_writer")
    kept = {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # Threads that wait for each other on a busy machine take longer than one.
    with pytest.MonkeyPatch.context() as patch:
        for kind in (module.AutoModelForCausalLM, module.AutoTokenizer):

            def once(*given, name=kind.__name__, read=kind.from_pretrained, **more):
                if name not in kept:
                    kept[name] = read(*given, **more)
                return deepcopy(kept[name])

            patch.setattr(kind, "from_pretrained", once)
        yield module
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with pages, and with other ones."""
    path = tmp_path_factory.mktemp("writer")
    write_pages(path / "pages.jsonl", 5 * STEPS - 4)
    write_pages(path / "other.jsonl", 1)
    return path


def write_pages(path, count):
    pages = [{"split": "train", "id": number, "prompt": PROMPT, "answer": ANSWER} for number in range(count)]
    pages.append({"split": "seen", "id": count, "prompt": PROMPT, "answer": ANSWER})
    path.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")


def train(writer, out, *more):
    arguments = ["--pages", str(out.parent / "pages.jsonl"), "--out", str(out), *TINY.split(), *more]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["train_writer.py", *arguments])
        writer.main()


def refused(writer, out, *more):
    """The one line with which a training ends that does not begin."""
    with pytest.raises(SystemExit) as raised:
        train(writer, out, *more)
    assert isinstance(raised.value.code, str)
    assert "\n" not in raised.value.code
    return raised.value.code


@pytest.fixture(scope="module")
def whole(writer, folder):
    train(writer, folder / "whole")
    return folder / "whole"


def test_it_takes_the_steps_that_it_should(whole):
    assert torch.load(whole / CHECKPOINT, weights_only=True)["step"] == STEPS
    rows = [row.split(",") for row in (whole / CURVE).read_text(encoding="utf-8").splitlines()]
    assert [row[0] for row in rows] == ["step", "0", str(STEPS)]
    assert float(rows[2][1]) < float(rows[1][1])


def test_one_that_was_stopped_goes_on_to_the_same_adapter(writer, whole, capsys):
    """Stopped when its minutes are over, and then within the writing of its third checkpoint."""
    out, save = whole.parent / "stopped", torch.save
    train(writer, out, "--minutes", "1e-9")
    assert "stopped after step 1 of 4; the same command goes on" in capsys.readouterr().err
    assert not (out / ADAPTER).exists()

    def stop(state, path):
        if state["step"] == 3:
            path.write_bytes(b"half of a checkpoint")
            raise KeyboardInterrupt
        save(state, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            train(writer, out)
    assert torch.load(out / CHECKPOINT, weights_only=True)["step"] == 2
    elsewhere = shutil.copy(whole.parent / "pages.jsonl", whole.parent / "copy.jsonl")
    train(writer, out, "--pages", str(elsewhere))
    assert "going on at step 2 of 4" in capsys.readouterr().err
    assert (out / ADAPTER).read_bytes() == (whole / ADAPTER).read_bytes()
    assert (out / CURVE).read_bytes() == (whole / CURVE).read_bytes()


def test_what_cannot_be_gone_on_with_or_read_is_refused_in_a_line(writer, folder, whole):
    before = (whole / CHECKPOINT).read_bytes()
    other, checkpoint = str(folder / "other.jsonl"), str(whole / CHECKPOINT)
    assert "other --pages, steps" in refused(writer, whole, "--pages", other)
    assert "other --rank (2, not 4)" in refused(writer, whole, "--rank", "4", "--seed", "1", "--start", checkpoint)
    assert "other --seed (0, not 1), --start" in refused(writer, whole, "--seed", "1", "--start", checkpoint)
    assert (whole / CHECKPOINT).read_bytes() == before
    out, bad = folder / "new", folder / "bad"
    bad.write_text('{"split": "train"}\n', encoding="utf-8")
    assert "make_pages.py" in refused(writer, out, "--pages", str(folder / "nowhere.jsonl"))
    assert "line 1 of" in refused(writer, out, "--pages", str(bad))
    assert "at most 9 tokens" in refused(writer, out, "--longest", "9")
    for path in (folder / "nowhere.pt", bad):
        assert "no checkpoint.pt" in refused(writer, out, "--start", str(path))
    assert "at most the 30" in refused(writer, out, "--layers", "31")
    assert not out.exists()


def test_one_goes_on_from_the_adapter_of_another(writer, whole):
    out = whole.parent / "after"
    train(writer, out, "--start", str(whole / CHECKPOINT), "--pages", str(whole.parent / "other.jsonl"))
    first, second = (training(path / ADAPTER) for path in (whole, out))
    assert "after" not in first
    assert second["after"] == {**first, "step": STEPS}
    assert second["pages"] != first["pages"]
    # It begins where the other one ended.
    ended, begins = (path.read_text(encoding="utf-8").splitlines() for path in (whole / CURVE, out / CURVE))
    assert begins[1].split(",")[1] == ended[-1].split(",")[1]


def training(adapter):
    """What an adapter says of its training."""
    said = json.loads(read_gguf_header(adapter).texts["irollan.training"])
    return said


def likelihood(adapter):
    """The log-probability of the turn that was learned, in nats."""
    model = EmbeddedModel(smollm2_path(), slots=1, context=256, threads=1, adapter=adapter)
    try:
        return asyncio.run(model.score(PROMPT, [ANSWER], caller=Caller(module="test"))).values[0]
    finally:
        model.close()


def test_llama_adds_it_to_the_weights(whole):
    check_adapter(whole / ADAPTER, smollm2_path())
    assert likelihood(whole / ADAPTER) > likelihood(None) + 1


def test_queries_and_keys_are_in_the_order_of_llama_cpp(writer, tmp_path):
    weights = smollm2_path()
    args = writer.Args(rank=4, layers=30, seed=3)
    model = writer.adapted(args, weights).float()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name and ("q_proj" in name or "k_proj" in name):
                parameter.normal_(0, 2.0, generator=torch.Generator().manual_seed(len(name)))
    head = model.config.hidden_size // model.config.num_attention_heads
    matrices = dict(writer.tensors(writer.get_peft_model_state_dict(model), head))
    writer.write(matrices, tmp_path / ADAPTER, 8, {})
    ids = writer.AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)(PROMPT + ANSWER).input_ids
    given = len(writer.AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)(PROMPT).input_ids)
    with torch.no_grad():
        said = torch.log_softmax(model(torch.tensor([ids])).logits[0].float(), dim=-1)
    expected = sum(said[place - 1, ids[place]].item() for place in range(given, len(ids)))
    served = EmbeddedModel.smollm2(slots=1, context=256, threads=1, adapter=tmp_path / ADAPTER)
    plain = EmbeddedModel.smollm2(slots=1, context=256, threads=1, adapter=None)
    try:
        (found,) = asyncio.run(served.score(PROMPT, [ANSWER], caller=Caller(module="test"))).values
        (without,) = asyncio.run(plain.score(PROMPT, [ANSWER], caller=Caller(module="test"))).values
    finally:
        served.close()
        plain.close()
    assert abs(found - expected) < 0.1 * abs(without - expected)
