"""A learned protention, in one file: `python examples/train_protention.py --out runs/protention`.

The third source of protention (Eq. 7 of the ITCMA-S paper) is a forecaster. Here it is a small network
(itcma_s/protention/learned_protention.py), trained on rollouts of the valley: what a resident had before it, imagined
and felt, what it did, and what it saw then. It learns by the cross-entropy of each object's presence, objects that
appear or disappear counting more, and by the error of the positions of those that are there.

Writes to the folder: protention.safetensors, which `irollan run --set mind.protention=learned:FILE` takes, and
curve.csv (losses on rollouts that it did not learn from).
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from itcma_s.fields.name_table import NameTable
from itcma_s.protention.geometric_rule import cartesian
from itcma_s.protention.learned_protention import Encoded, LearnedProtention, Shape, Vocabulary, batch, encode, named
from itcma_s.protention_rollouts import Transition, rollout, spelling_table


@dataclass
class Args:
    """What the command line takes; each field is an option."""

    out: str = "runs/protention"
    rollouts: int = 16
    steps: int = 75
    held_out: int = 2
    seed: int = 0
    minutes: float = 2.0
    threads: int = 1
    batch_size: int = 64
    learning_rate: float = 2e-3
    changed: float = 4.0


class Examples(NamedTuple):
    """Transitions as the network sees them, and what followed: presence of each name, and positions in units of 5 m."""

    encoded: list[Encoded]
    present: torch.Tensor
    positions: torch.Tensor


def collect(seeds: Sequence[int], steps: int, names: NameTable) -> list[Transition]:
    """The transitions of some rollouts."""
    found: list[Transition] = []
    for seed in seeds:
        found += rollout(seed, steps, names)
        print(f"rollout of seed {seed}: {len(found)} transitions so far", file=sys.stderr)
    return found


def vocabulary_of(transitions: Sequence[Transition], names: NameTable) -> Vocabulary:
    """All names that were seen or named in an action, in the order of the alphabet."""
    seen = {name for one in transitions for name in (*one.field.names(names), *one.moment.present.names(names))}
    return Vocabulary(sorted(seen | {name for one in transitions for name in named(one.action)}))


def examples(transitions: Sequence[Transition], names: NameTable, vocabulary: Vocabulary) -> Examples:
    """What to learn from."""
    present = np.zeros((len(transitions), len(vocabulary)), dtype=np.float32)
    positions = np.zeros((len(transitions), len(vocabulary), 3), dtype=np.float32)
    for row, one in enumerate(transitions):
        points = cartesian(one.field.positions) / 5.0
        for name, point in zip(one.field.names(names), points, strict=True):
            if (number := vocabulary.number.get(name)) is not None:
                present[row, number], positions[row, number] = 1.0, point
    encoded = [encode(one.moment, one.action, names, vocabulary) for one in transitions]
    return Examples(encoded, torch.from_numpy(present), torch.from_numpy(positions))


def loss_of(network: nn.Module, data: Examples, rows: np.ndarray, changed: float) -> torch.Tensor:
    """Cross-entropy of presence, and the distance of what is there."""
    objects, verbs, driver = batch([data.encoded[row] for row in rows])
    logits, points = network(objects, verbs, driver)
    present, positions = data.present[rows], data.positions[rows]
    weights = 1.0 + (changed - 1.0) * (present != objects[..., 0])
    presence = nn.functional.binary_cross_entropy_with_logits(logits, present, weights)
    apart = nn.functional.smooth_l1_loss(points, positions, reduction="none", beta=0.05).sum(2)
    return presence * 10 + (apart * present).sum() / present.sum()


def train(args: Args) -> None:
    """Collect, learn until the time is up, and write the file."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    names, first = spelling_table(), 1000 * args.seed
    learned_from = collect(range(first, first + args.rollouts), args.steps, names)
    kept = collect(range(first + args.rollouts, first + args.rollouts + args.held_out), args.steps, names)
    vocabulary = vocabulary_of(learned_from, names)
    learned = LearnedProtention("learned", vocabulary, Shape())
    data, check = examples(learned_from, names, vocabulary), examples(kept, names, vocabulary)
    optimizer = torch.optim.Adam(learned.network.parameters(), lr=args.learning_rate)
    started, epoch = time.monotonic(), 0
    curve: list[dict[str, float]] = []
    while (spent := (time.monotonic() - started) / 60) < args.minutes:
        epoch += 1
        learned.network.train()
        order = generator.permutation(len(data.encoded))
        total, batches = 0.0, 0
        for start in range(0, len(order), args.batch_size):
            done = (time.monotonic() - started) / 60 / args.minutes
            if done >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = args.learning_rate * min(1.0, 2 * (1 - done)) + 1e-5
            loss = loss_of(learned.network, data, order[start : start + args.batch_size], args.changed)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learned.network.parameters(), 5.0)
            optimizer.step()
            total, batches = total + float(loss.detach()), batches + 1
        learned.network.eval()
        with torch.inference_mode():
            parts = np.array_split(np.arange(len(check.encoded)), max(1, len(check.encoded) // 64))
            unseen = sum(float(loss_of(learned.network, check, part, args.changed)) * len(part) for part in parts)
        row = {"epoch": epoch, "minutes": round(spent, 2), "loss": round(total / max(batches, 1), 4)}
        curve.append({**row, "held out": round(unseen / len(check.encoded), 4)})
        print(" ".join(f"{key} {value}" for key, value in curve[-1].items()), flush=True)
    learned.save(out / "protention.safetensors")
    with (out / "curve.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, curve[0].keys())
        writer.writeheader()
        writer.writerows(curve)
    size = sum(value.numel() for value in learned.network.parameters())
    print(f"{len(vocabulary)} names, {size} weights, {len(learned_from)} transitions: {out / 'protention.safetensors'}")


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description="Train a learned protention on rollouts of the valley.")
    for field in fields(Args):
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=type(field.default), default=field.default, help="default: %(default)s")
    train(Args(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
