"""DRRN on the valley's tasks, in one file: `python examples/train_drrn.py --minutes 20 --out runs/drrn`.

A deep reinforcement relevance network (He et al., *Deep Reinforcement Learning with a Natural Language Action Space*,
ACL 2016) gives a value to every pair of an observation and an admissible action, both as text. It learns from reward
alone, by Q-learning with a target network, softmax exploration and, as in Jericho's DRRN (Hausknecht et al., AAAI
2020), a replay that samples transitions with a positive reward more often. The reward is the environment's dense one.

Texts are bags of words. The goal, the place, what is held, what is seen and the last result are one bag each, so that
the network can compare the words of an action with the words of each of them: this is what lets it do what it was
told for things and places that it never saw together.

Writes to the folder: curve.csv and curve.png (success on eval_unseen over steps and minutes), and table.csv (success
and steps for each family and split, at the end).
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import time
from collections import deque
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import matplotlib
import numpy as np
import torch
from torch import nn

import irollan_env  # noqa: F401  (registers the environments)

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SPLITS = ("train", "eval_seen", "eval_unseen")


@dataclass
class Args:
    """What the command line takes; each field is an option."""

    out: str = "runs/drrn"
    families: str = "fetch,deliver"
    minutes: float = 20.0
    seed: int = 1
    threads: int = 1
    max_steps: int = 25
    test_steps: int = 50
    gamma: float = 0.5
    learning_rate: float = 1e-3
    batch_size: int = 64
    update_every: int = 2
    target_every: int = 500
    learning_starts: int = 500
    buffer_size: int = 60_000
    positive_share: float = 0.5
    embedding: int = 64
    hidden: int = 128
    temperature: float = 0.04
    last_temperature: float = 0.01
    exploration: float = 0.5
    curve_every: int = 5000
    curve_episodes: int = 20
    table_episodes: int = 100


class Words:
    """Texts as sets of words, and words as numbers; number 0 pads."""

    def __init__(self, most: int = 4096) -> None:
        self.numbers: dict[str, int] = {}
        self.most = most
        self.seen: dict[str, np.ndarray] = {}

    def __call__(self, text: str) -> np.ndarray:
        """The numbers of the words of a text, each once."""
        if (found := self.seen.get(text)) is None:
            words = dict.fromkeys(re.findall(r"[\w']+", text.lower()))
            known = [self.numbers.setdefault(word, min(len(self.numbers) + 1, self.most - 1)) for word in words]
            found = np.asarray(known, dtype=np.int16)
            if len(self.seen) < 200_000:
                self.seen[text] = found
        return found


class State(NamedTuple):
    """What the network sees: a bag of words for each of five texts, and one for each admissible action."""

    parts: tuple[np.ndarray, ...]
    actions: list[np.ndarray]


class Transition(NamedTuple):
    """One step."""

    state: State
    action: int
    reward: float
    following: State
    terminated: bool


PARTS = ("goal", "place", "holding", "seen", "result")


def encode(words: Words, observation: str, info: dict[str, Any]) -> State:
    """Split the observation into its parts: the paper's sentence has always the same form."""
    first, _, rest = observation.partition(". ")
    seen, _, rest = rest.partition(". You are ")
    holding = rest if rest.startswith("holding ") else ""
    texts = (info["goal"], first, holding, seen, info["result"])
    return State(tuple(words(text) for text in texts), [words(action) for action in info["admissible_actions"]])


class DRRN(nn.Module):
    """Q(s, a) from bags of words."""

    def __init__(self, words: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(words, embedding, mode="sum", padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=0.5)
        with torch.no_grad():
            self.embedding.weight[0].zero_()
        # A state: its parts, and how the goal's words agree with those of the other parts.
        self.of_state = nn.Linear((2 * len(PARTS) - 1) * embedding, hidden)
        # An action: its words, and how they agree with those of each part of the state.
        self.of_action = nn.Linear((1 + len(PARTS)) * embedding, hidden)
        self.hidden = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, 1)

    def bags(self, texts: list[np.ndarray]) -> torch.Tensor:
        """Shape (texts, embedding): the sum of the words' embeddings over the root of their number."""
        sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
        flat = torch.from_numpy(np.concatenate(texts).astype(np.int64))
        offsets = torch.from_numpy(np.concatenate(([0], np.cumsum(sizes)[:-1])))
        scale = torch.from_numpy(1 / np.sqrt(np.maximum(sizes, 1)).astype(np.float32))
        return self.embedding(flat, offsets) * scale[:, None]

    def forward(self, states: list[State], actions: list[list[np.ndarray]]) -> torch.Tensor:
        """Shape (number of all actions,): the values of the actions given for each state, one after the other."""
        parts = self.bags([part for state in states for part in state.parts]).view(len(states), len(PARTS), -1)
        goal, others = parts[:, :1], parts[:, 1:]
        state = self.of_state(torch.cat((parts, goal * others), 1).flatten(1))
        # Many states have the same actions: each text is embedded once.
        unique = {id(action): action for some in actions for action in some}
        row = {key: number for number, key in enumerate(unique)}
        rows = torch.tensor([row[id(action)] for some in actions for action in some])
        owner = torch.repeat_interleave(torch.arange(len(states)), torch.tensor([len(some) for some in actions]))
        action = self.bags(list(unique.values()))[rows]
        pair = torch.cat((action[:, None], action[:, None] * parts[owner]), 1).flatten(1)
        return self.value(torch.relu(self.hidden(torch.relu(state[owner] + self.of_action(pair))))).squeeze(1)


class Replay:
    """Transitions; those with a positive reward are kept apart too, and sampled more often."""

    def __init__(self, size: int, positive_share: float, generator: random.Random) -> None:
        self.all: deque[Transition] = deque(maxlen=size)
        self.positive: deque[Transition] = deque(maxlen=size // 2)
        self.share = positive_share
        self.generator = generator

    def add(self, transition: Transition) -> None:
        """Keep a transition; the oldest goes when it is full."""
        self.all.append(transition)
        if transition.reward > 0:
            self.positive.append(transition)

    def sample(self, size: int) -> list[Transition]:
        """Transitions, with repetition."""
        positive = int(size * self.share) if self.positive else 0
        chosen = [self.positive[self.generator.randrange(len(self.positive))] for _ in range(positive)]
        return chosen + [self.all[self.generator.randrange(len(self.all))] for _ in range(size - positive)]


def choose(network: DRRN, state: State, temperature: float, generator: np.random.Generator) -> int:
    """Draw one of the actions, by the softmax of their values."""
    with torch.no_grad():
        values = network([state], [state.actions]).numpy().astype(np.float64)
    weights = np.exp((values - values.max()) / temperature)
    return int(generator.choice(len(weights), p=weights / weights.sum()))


def learn(network: DRRN, target: DRRN, optimizer: torch.optim.Optimizer, batch: list[Transition], gamma: float) -> None:
    """One step of Q-learning."""
    following = [transition.following for transition in batch]
    with torch.no_grad():
        values = target(following, [state.actions for state in following])
        best = torch.stack([some.max() for some in values.split([len(state.actions) for state in following])])
        going_on = torch.tensor([not transition.terminated for transition in batch], dtype=torch.float32)
        goal = torch.tensor([transition.reward for transition in batch]) + gamma * going_on * best
    taken = [[transition.state.actions[transition.action]] for transition in batch]
    loss = nn.functional.smooth_l1_loss(network([transition.state for transition in batch], taken), goal)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()


def evaluate(args: Args, network: DRRN, words: Words, family: str, split: str, episodes: int, seed: int) -> list[int]:
    """The steps of each episode that was solved."""
    env = gym.make("IrollanValley-v0", task=family, split=split, max_steps=args.test_steps, percepts=False)
    generator = np.random.default_rng(seed)
    solved = []
    for episode in range(episodes):
        observation, info = env.reset(seed=seed + episode)
        for step in range(1, args.test_steps + 1):
            state = encode(words, observation, info)
            action = info["admissible_actions"][choose(network, state, args.last_temperature, generator)]
            observation, _, terminated, truncated, info = env.step(action)
            if terminated:
                solved.append(step)
            if terminated or truncated:
                break
    env.close()
    return solved


def train(args: Args) -> None:
    """Learn until the time is up, then write the table."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    generator, families = np.random.default_rng(args.seed), args.families.split(",")
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    words = Words()
    network = DRRN(words.most, args.embedding, args.hidden)
    target = DRRN(words.most, args.embedding, args.hidden)
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    replay = Replay(args.buffer_size, args.positive_share, random.Random(args.seed))
    env = gym.make("IrollanValley-v0", task=families[0], reward="dense", max_steps=args.max_steps, percepts=False)
    curve: list[dict[str, Any]] = []
    started = time.monotonic()
    observation, info = env.reset(seed=args.seed)
    state, step, episodes, recent = encode(words, observation, info), 0, 0, deque[bool](maxlen=100)
    while (minutes := (time.monotonic() - started) / 60) < args.minutes:
        step += 1
        cooled = min(1.0, minutes / (args.minutes * args.exploration))
        temperature = args.temperature * (args.last_temperature / args.temperature) ** cooled
        chosen = choose(network, state, temperature, generator)
        observation, reward, terminated, truncated, info = env.step(info["admissible_actions"][chosen])
        following = encode(words, observation, info)
        replay.add(Transition(state, chosen, float(reward), following, terminated))
        state = following
        if terminated or truncated:
            episodes += 1
            recent.append(terminated)
            observation, info = env.reset(options={"task": families[episodes % len(families)]})
            state = encode(words, observation, info)
        if step >= args.learning_starts and step % args.update_every == 0:
            learn(network, target, optimizer, replay.sample(args.batch_size), args.gamma)
        if step % args.target_every == 0:
            target.load_state_dict(network.state_dict())
        if step % args.curve_every == 0:
            row = {"step": step, "minutes": round((time.monotonic() - started) / 60, 2), "episodes": episodes}
            row["train"] = round(sum(recent) / max(1, len(recent)), 3)
            for family in families:
                solved = evaluate(args, network, words, family, "eval_unseen", args.curve_episodes, 10_000)
                row[family] = len(solved) / args.curve_episodes
            curve.append(row)
            write_curve(out, curve, families)
            print(" ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    env.close()
    write_table(args, network, words, families, out, step)


def write_curve(out: Path, curve: list[dict[str, Any]], families: list[str]) -> None:
    """The learning curve, as numbers and as a picture."""
    with (out / "curve.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, curve[0].keys())
        writer.writeheader()
        writer.writerows(curve)
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for family in families:
        axes.plot([row["minutes"] for row in curve], [row[family] for row in curve], marker=".", label=family)
    axes.axhline(0.8, color="grey", linewidth=0.8, linestyle="--")
    axes.set(xlabel="minutes", ylabel="success on eval_unseen", ylim=(0, 1.02), title="DRRN in IrollanValley")
    axes.legend(loc="lower right")
    figure.savefig(out / "curve.png", dpi=150)
    plt.close(figure)


def write_table(args: Args, network: DRRN, words: Words, families: list[str], out: Path, steps: int) -> None:
    """Success and steps at the end, on seeds that neither training nor the curve used."""
    with (out / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["family", "split", "episodes", "success", "mean steps when solved", "training steps"])
        for family in families:
            for split in SPLITS:
                solved = evaluate(args, network, words, family, split, args.table_episodes, 20_000)
                mean = round(float(np.mean(solved)), 2) if solved else ""
                row = [family, split, args.table_episodes, len(solved) / args.table_episodes, mean, steps]
                writer.writerow(row)
                print(*row, flush=True)


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description="Train a DRRN on the valley's tasks.")
    for field in fields(Args):
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=type(field.default), default=field.default, help="default: %(default)s")
    train(Args(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
