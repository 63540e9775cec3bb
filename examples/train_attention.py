"""An attention learner on the valley's tasks, in one file: `python examples/train_attention.py --out attention.json`.

The actions that can be done attend to the words of the goal, to what is seen, the last result and what was said, and to
the steps taken so far: a small transformer decoder (Vaswani et al., 2017) scores each of them. So it remembers where it
was and what it opened, which a learner without memory cannot. It learns by imitation: at every step it is shown what
the environment's expert would do (`info["expert_plan"]`, which knows what the resident has seen and nothing else), in
episodes that the learner plays more and more by itself (DAgger; Ross et al., 2011). It needs no reward.

Texts are vectors of hashed n-grams, so that names that it never saw can be told apart and compared.

It trains on `train`, plays the first instances of the test splits as the benchmark has them, and writes what is handed
in to the leaderboard, a result for each seed. It needs torch.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from evaluation.ability.submissions import cell, submission
from evaluation.ability.task_protocol import Result, play
from language_models import load_embedder

WIDTH, HIDDEN, REMEMBERED = 128, 64, 60
WAIT = "wait"
TEMPERATURE = 0.3
SORTS = 5
GOAL, SEEN, RESULT, SAID, STEP = range(SORTS)


class Texts:
    """Texts as numbers, and a vector for each; number 0 pads."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._embedder = load_embedder("hash", dimension=WIDTH)
        self._vectors = np.zeros((4096, WIDTH), dtype=np.float32)

    def __call__(self, text: str) -> int:
        """The number of a text."""
        if (number := self._numbers.get(text)) is None:
            number = self._numbers[text] = len(self._numbers) + 1
            if number == len(self._vectors):
                self._vectors = np.concatenate((self._vectors, np.zeros_like(self._vectors)))
            self._vectors[number] = self._embedder.embed([text])[0]
        return number

    def vectors(self, numbers: np.ndarray) -> torch.Tensor:
        """The vectors of numbers of any shape."""
        return torch.from_numpy(self._vectors[numbers])


class Moment(NamedTuple):
    """What is decided by: numbers of texts, of which sort each is and how many steps ago, and numbers of actions."""

    context: np.ndarray
    sorts: np.ndarray
    ages: np.ndarray
    actions: np.ndarray


def moment(texts: Texts, info: Mapping[str, Any], past: Sequence[str]) -> Moment:
    """A moment of the info of a step.

    Args:
        texts: Numbers texts.
        info: Of the environment.
        past: The actions of this episode.
    """
    seen = info["sentence"].rstrip(".").replace(". ", ", ").split(", ")
    said = [f"{message.sender}: {message.text}" for message in info["messages"]]
    parts = [(GOAL, word) for word in info["goal"].split()] + [(SEEN, phrase) for phrase in seen]
    parts += [(RESULT, info["result"] or "nothing yet"), *((SAID, text) for text in said)]
    ages = [0.0] * len(parts) + [age / REMEMBERED for age in range(len(past[-REMEMBERED:]), 0, -1)]
    parts += [(STEP, step) for step in past[-REMEMBERED:]]
    return Moment(
        np.asarray([texts(text) for _, text in parts]),
        np.asarray([sort for sort, _ in parts]),
        np.asarray(ages, dtype=np.float32),
        np.asarray([texts(action) for action in (WAIT, *info["admissible_actions"])]),
    )


class Attention(nn.Module):
    """Scores actions, which attend to each other and to what is perceived and remembered."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self.texts = texts
        self.of_context, self.of_action = nn.Linear(WIDTH, HIDDEN), nn.Linear(WIDTH, HIDDEN)
        # How like an action is to what is likest of each sort, and how often it was taken: this carries over to names
        # that were never seen.
        self.of_likeness = nn.Linear(SORTS + 1, HIDDEN)
        self.sort, self.age = nn.Embedding(SORTS, HIDDEN), nn.Linear(1, HIDDEN)
        self.decoder = nn.TransformerDecoderLayer(HIDDEN, 4, 2 * HIDDEN, dropout=0.0, batch_first=True, norm_first=True)
        self.score = nn.Linear(HIDDEN, 1)

    def forward(self, moments: Sequence[Moment]) -> torch.Tensor:
        """Shape (moments, most actions): scores; minus infinity pads."""
        context, actions = (_padded([getattr(one, key) for one in moments]) for key in ("context", "actions"))
        sorts = torch.from_numpy(_padded([one.sorts for one in moments]))
        ages = torch.from_numpy(_padded([one.ages for one in moments]))
        nothing, nobody = torch.from_numpy(context == 0), torch.from_numpy(actions == 0)
        seen, offered = self.texts.vectors(context), self.texts.vectors(actions)
        around = self.of_context(seen) + self.sort(sorts) + self.age(ages[..., None])
        likeness = (offered @ seen.transpose(1, 2)).masked_fill(nothing[:, None], 0.0)
        of_sort = nn.functional.one_hot(sorts, SORTS)
        best = (likeness[..., None] * of_sort[:, None]).amax(2)
        often = ((likeness > 0.999) & (sorts == STEP)[:, None]).sum(2, keepdim=True).log1p()
        found = self.decoder(
            self.of_action(offered) + self.of_likeness(torch.cat((best, often), 2)),
            around,
            tgt_key_padding_mask=nobody,
            memory_key_padding_mask=nothing,
        )
        return self.score(found).squeeze(2).masked_fill(nobody, -torch.inf)


def _padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    filled = np.zeros((len(rows), max(len(row) for row in rows)), dtype=rows[0].dtype)
    for place, row in zip(filled, rows, strict=True):
        place[: len(row)] = row
    return filled


def choose(network: Attention, now: Moment, temperature: float, generator: np.random.Generator) -> int:
    """Draw an action by its score."""
    with torch.no_grad():
        weights = torch.softmax(network([now])[0] / temperature, 0).numpy().astype(np.float64)
    return int(generator.choice(len(weights), p=weights / weights.sum()))


def shown_best(info: Mapping[str, Any], actions: Sequence[str]) -> int:
    """Which action the expert would take: it says what the dots say, and waits for whom it wants to speak with."""
    first = next(iter(info["expert_plan"]), WAIT)
    if first.startswith("chat with "):
        first = f"{first.partition(':')[0]}: ..."
    return actions.index(first) if first in actions else 0


def train(arguments: argparse.Namespace, seed: int) -> Attention:
    """Play so many steps, at first by the expert, then more and more by oneself, and learn what the expert would do."""
    torch.manual_seed(seed)
    generator, families = np.random.default_rng(seed), arguments.families.split(",")
    texts = Texts()
    network = Attention(texts)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    options = {"others": "neighbour", "max_steps": arguments.max_steps, "percepts": False, "expert_plan": True}
    env = gym.make("irollan_env:IrollanValley-v0", task=families[0], **options)
    _, info = env.reset(seed=seed)
    shown: list[tuple[Moment, int]] = []
    past: list[str] = []
    episodes, lost = 0, 0.0
    for step in range(1, arguments.steps + 1):
        now, actions = moment(texts, info, past), (WAIT, *info["admissible_actions"])
        best = shown_best(info, actions)
        shown.append((now, best))
        by_itself = generator.random() < step / arguments.steps
        action = actions[choose(network, now, TEMPERATURE, generator) if by_itself else best]
        past.append(action)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            episodes += 1
            _, info = env.reset(options={"task": families[episodes % len(families)]})
            past = []
        if step % 2 == 0:
            lost += learn(network, optimizer, [shown[i] for i in generator.integers(len(shown), size=32)])
        if step % 1000 == 0:
            print(f"seed {seed}, step {step}: cross entropy {lost / 500:.2f}", file=sys.stderr)
            lost = 0.0
    env.close()
    return network


def learn(network: Attention, optimizer: torch.optim.Optimizer, batch: Sequence[tuple[Moment, int]]) -> float:
    """One step of gradient descent; gives the cross entropy."""
    loss = nn.functional.cross_entropy(network([now for now, _ in batch]), torch.tensor([best for _, best in batch]))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


class Trained:
    """Plays one resident through one episode by a network that has learned."""

    def __init__(self, network: Attention, seed: int) -> None:
        self._network, self._past = network, list[str]()
        self._generator = np.random.default_rng(seed)

    def act(self, observation: Any, info: Mapping[str, Any]) -> str | None:
        """One of the admissible actions, or None."""
        now = moment(self._network.texts, info, self._past)
        action = (WAIT, *info["admissible_actions"])[choose(self._network, now, TEMPERATURE, self._generator)]
        self._past.append(action)
        return None if action == WAIT else action


def test(arguments: argparse.Namespace, network: Attention, seed: int) -> list[Result]:
    """The share of the benchmark's instances that a network solves."""

    def make(agent: str, name: str, task: Any, number: int) -> Trained:
        return Trained(network, number)

    played = play("attention", arguments.families.split(","), arguments.instances, make, percepts=False)
    return [replace(result, seed=seed) for result in played]


def main(argv: list[str] | None = None) -> None:
    """Train and test each seed, and write what is handed in."""
    parser = argparse.ArgumentParser(description="Train a transformer on the valley's tasks, by imitation.")
    parser.add_argument("--out", default="attention.json", help="what is handed in; default: %(default)s")
    parser.add_argument("--families", default="fetch,gather", help="default: %(default)s")
    parser.add_argument("--seeds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=5000, help="of training, a seed; default: %(default)s")
    parser.add_argument("--max-steps", type=int, default=60, help="of an episode of training; default: %(default)s")
    parser.add_argument("--instances", type=int, default=10, help="of each test split; default: %(default)s")
    arguments = parser.parse_args(argv)
    torch.set_num_threads(1)  # the network is small, and threads that wait for each other cost more than they bring
    description = (
        f"examples/train_attention.py: a small transformer that sees the steps of its episode, {arguments.steps:,} "
        f"steps of {arguments.families.replace(',', ' and ')} of train, by imitation of the expert, without reward."
    )
    results: list[Result] = []
    for seed in range(arguments.seeds):
        found = test(arguments, train(arguments, seed), seed)
        print(*(f"seed {seed}, {r.family} {r.split}: {cell([r])}" for r in found), sep="\n", file=sys.stderr)
        results += found
        # After each seed, so that what is broken off leaves what it has.
        text = json.dumps(submission("attention", description, results))
        Path(arguments.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
