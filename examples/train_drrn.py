"""DRRN on the valley's tasks, in one file: `python examples/train_drrn.py --out runs/drrn`.

A deep reinforcement relevance network (He et al., *Deep Reinforcement Learning with a Natural Language Action Space*,
ACL 2016) gives a value to every pair of an observation and an admissible action, both as text. It learns from reward
alone, by Q-learning with a target network, softmax exploration and, as in Jericho's DRRN (Hausknecht et al., AAAI
2020), a replay that samples transitions with a reward more often. The reward is the environment's dense one.

Texts are bags of words. The goal, the place, what is held, what is seen and the last result are one bag each, so that
the network can compare the words of an action with the words of each of them: this is what lets it do what it was
told for things and places that it never saw together.

Writes to the folder: curve.csv and curve.png (success on test_unseen over steps and minutes), and table.csv (success
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

SPLITS = ("train", "test_seen", "test_unseen")


@dataclass
class Args:
    """What the command line takes; each field is an option."""

    out: str = "runs/drrn"
    families: str = "fetch,deliver"
    minutes: float = 15.0
    seed: int = 1
    threads: int = 1
    max_steps: int = 25
    test_steps: int = 50
    gamma: float = 0.5
    learning_rate: float = 1e-3
    batch_size: int = 48
    update_every: int = 1
    target_every: int = 300
    learning_starts: int = 500
    buffer_size: int = 60_000
    rewarded_share: float = 0.5
    embedding: int = 64
    hidden: int = 128
    temperature: float = 0.02
    last_temperature: float = 0.01
    exploration: float = 0.5
    curve_every: int = 2500
    curve_episodes: int = 25
    table_episodes: int = 100


class Texts:
    """Words as numbers, texts as the numbers of their words (each word once), and actions as numbers of their own."""

    def __init__(self, words: int = 1024, longest_action: int = 16) -> None:
        self.words: dict[str, int] = {}
        self.actions: dict[str, int] = {}
        self.most = words
        # Row n has the words of action n; row 0 stands for no action, and number 0 for no word.
        self.of_action = np.zeros((1024, longest_action), dtype=np.int64)

    def __call__(self, text: str) -> np.ndarray:
        """The numbers of the words of a text."""
        words = dict.fromkeys(re.findall(r"[\w']+", text.lower()))
        known = [self.words.setdefault(word, min(len(self.words) + 1, self.most - 1)) for word in words]
        return np.asarray(known, dtype=np.int64)

    def action(self, text: str) -> int:
        """The number of an action."""
        if (number := self.actions.get(text)) is None:
            number = self.actions[text] = len(self.actions) + 1
            if number == len(self.of_action):
                self.of_action = np.concatenate((self.of_action, np.zeros_like(self.of_action)))
            words = self(text)[: self.of_action.shape[1]]
            self.of_action[number, : len(words)] = words
        return number


class State(NamedTuple):
    """What the network sees: the words of each part of what is perceived, and the numbers of the admissible actions."""

    parts: tuple[np.ndarray, ...]
    actions: np.ndarray


class Transition(NamedTuple):
    """One step."""

    state: State
    action: int
    reward: float
    following: State
    terminated: bool


PARTS = ("goal", "place", "holding", "seen", "result")


def encode(texts: Texts, observation: str, info: dict[str, Any]) -> State:
    """Split the observation into its parts: the goal comes first, then the last result, and the sentence is last."""
    goal, *news, sentence = observation.split("\n")
    place, _, rest = sentence.partition(". ")
    seen, _, rest = rest.partition(". You are ")
    holding = rest if rest.startswith("holding ") else ""
    parts = tuple(texts(text) for text in (goal.removeprefix("Goal: "), place, holding, seen, news[0] if news else ""))
    return State(parts, np.asarray([texts.action(action) for action in info["admissible_actions"]]))


class DRRN(nn.Module):
    """Q(s, a) from bags of words."""

    def __init__(self, texts: Texts, embedding: int, hidden: int) -> None:
        super().__init__()
        self.texts = texts
        self.embedding = nn.EmbeddingBag(texts.most, embedding, mode="sum", padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=0.5)
        with torch.no_grad():
            self.embedding.weight[0].zero_()
        # A state: its parts, and how the words of the goal agree with those of the other parts.
        self.of_state = nn.Linear((2 * len(PARTS) - 1) * embedding, hidden)
        # An action: its words, and how they agree with those of each part of the state.
        self.of_action = nn.Parameter(torch.randn(1 + len(PARTS), embedding, hidden) / (6 * embedding) ** 0.5)
        # Words that two texts share, each with a weight of its own: what is known of words that were never together.
        self.weight = nn.Parameter(torch.ones(texts.most))
        self.of_shared = nn.Linear(len(PARTS), hidden)
        self.of_goal_shared = nn.Linear(len(PARTS) - 1, hidden)
        self.hidden = nn.Linear(hidden, hidden // 2)
        self.value = nn.Linear(hidden // 2, 1)

    def forward(self, states: list[State], actions: list[np.ndarray]) -> torch.Tensor:
        """Shape (states, most actions): the value of each of the actions given for a state; minus infinity pads."""
        padded = np.zeros((len(actions), max(len(some) for some in actions)), dtype=np.int64)
        for row, some in zip(padded, actions, strict=True):
            row[: len(some)] = some
        parts = self._parts(states)
        state = self.of_state(torch.cat((parts, parts[:, :1] * parts[:, 1:]), 1).flatten(1))
        # The weights of an action's words depend on the state: sum over parts of weights times the part's embedding.
        weights = self.of_action[0] + torch.einsum("peh,spe->seh", self.of_action[1:], parts)
        state_shared, action_shared = self._shared(states, padded)
        state = state + self.of_goal_shared(state_shared)
        pair = torch.bmm(self._actions(padded), weights) + self.of_shared(action_shared)
        hidden = torch.relu(state[:, None] + pair)
        values = self.value(torch.relu(self.hidden(hidden))).squeeze(2)
        return values.masked_fill(torch.from_numpy(padded == 0), -torch.inf)

    def _parts(self, states: list[State]) -> torch.Tensor:
        """Shape (states, parts, embedding): the sum of the words' embeddings over the root of their number."""
        texts = [part for state in states for part in state.parts]
        sizes = np.asarray([len(text) for text in texts])
        offsets = torch.from_numpy(np.concatenate(([0], np.cumsum(sizes)[:-1])))
        bags = self.embedding(torch.from_numpy(np.concatenate(texts)), offsets)
        scale = torch.from_numpy(1 / np.sqrt(np.maximum(sizes, 1)).astype(np.float32))
        return (bags * scale[:, None]).view(len(states), len(PARTS), -1)

    def _shared(self, states: list[State], numbers: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """The weights of shared words: of the goal and each other part, and of each action and each part."""
        has = np.zeros((len(states), len(PARTS), self.texts.most), dtype=np.float32)
        for row, state in zip(has, states, strict=True):
            for part, words in zip(row, state.parts, strict=True):
                part[words] = 1
        words = self.texts.of_action[numbers]
        among = np.arange(len(states))[:, None, None]
        shared = torch.from_numpy(has[among, :, words]) * self.weight[torch.from_numpy(words)][..., None]
        return torch.from_numpy(has[:, :1] * has[:, 1:]) @ self.weight, shared.sum(2)

    def _actions(self, numbers: np.ndarray) -> torch.Tensor:
        """Shape (states, actions, embedding); each action is embedded once, in however many states it is."""
        unique, where = np.unique(numbers, return_inverse=True)
        words = self.texts.of_action[unique]
        scale = torch.from_numpy(1 / np.sqrt(np.maximum((words > 0).sum(1), 1)).astype(np.float32))
        bags = self.embedding(torch.from_numpy(words)) * scale[:, None]
        return bags[torch.from_numpy(where.reshape(numbers.shape))]


class Replay:
    """Transitions; those with a reward are kept apart too, and sampled more often."""

    def __init__(self, size: int, rewarded_share: float, generator: random.Random) -> None:
        self.all: deque[Transition] = deque(maxlen=size)
        self.rewarded: deque[Transition] = deque(maxlen=size // 2)
        self.share = rewarded_share
        self.generator = generator

    def add(self, transition: Transition) -> None:
        """Keep a transition; the oldest goes when it is full."""
        self.all.append(transition)
        if transition.reward != 0:
            self.rewarded.append(transition)

    def sample(self, size: int) -> list[Transition]:
        """Transitions, with repetition."""
        rewarded = int(size * self.share) if self.rewarded else 0
        chosen = [self.rewarded[self.generator.randrange(len(self.rewarded))] for _ in range(rewarded)]
        return chosen + [self.all[self.generator.randrange(len(self.all))] for _ in range(size - rewarded)]


def choose(network: DRRN, state: State, temperature: float, generator: np.random.Generator) -> int:
    """Draw one of the actions, by the softmax of their values."""
    with torch.no_grad():
        values = network([state], [state.actions])[0].numpy().astype(np.float64)
    weights = np.exp((values - values.max()) / temperature)
    return int(generator.choice(len(weights), p=weights / weights.sum()))


def learn(network: DRRN, target: DRRN, optimizer: torch.optim.Optimizer, batch: list[Transition], gamma: float) -> None:
    """One step of Q-learning."""
    # In order of their numbers of actions, so that states computed together need little padding.
    batch = sorted(batch, key=lambda transition: len(transition.following.actions))
    following = [transition.following for transition in batch]
    with torch.no_grad():
        parts = (following[start : start + 16] for start in range(0, len(following), 16))
        best = torch.cat([target(part, [state.actions for state in part]).max(1).values for part in parts])
        going_on = torch.tensor([not transition.terminated for transition in batch], dtype=torch.float32)
        goal = torch.tensor([transition.reward for transition in batch]) + gamma * going_on * best
    taken = [transition.state.actions[transition.action : transition.action + 1] for transition in batch]
    values = network([transition.state for transition in batch], taken).squeeze(1)
    loss = nn.functional.smooth_l1_loss(values, goal)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()


def evaluate(args: Args, network: DRRN, texts: Texts, family: str, split: str, episodes: int, seed: int) -> list[int]:
    """The steps of each episode that was solved."""
    env = gym.make("IrollanValley-v0", task=family, split=split, max_steps=args.test_steps, percepts=False)
    generator = np.random.default_rng(seed)
    solved = []
    for episode in range(episodes):
        observation, info = env.reset(seed=seed + episode)
        for step in range(1, args.test_steps + 1):
            state = encode(texts, observation, info)
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
    texts = Texts()
    network = DRRN(texts, args.embedding, args.hidden)
    target = DRRN(texts, args.embedding, args.hidden)
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, fused=True)
    replay = Replay(args.buffer_size, args.rewarded_share, random.Random(args.seed))
    env = gym.make("IrollanValley-v0", task=families[0], reward="dense", max_steps=args.max_steps, percepts=False)
    curve: list[dict[str, Any]] = []
    started = time.monotonic()
    observation, info = env.reset(seed=args.seed)
    state, step, episodes, recent = encode(texts, observation, info), 0, 0, deque[bool](maxlen=100)
    while (minutes := (time.monotonic() - started) / 60) < args.minutes:
        step += 1
        cooled = min(1.0, minutes / (args.minutes * args.exploration))
        temperature = args.temperature * (args.last_temperature / args.temperature) ** cooled
        chosen = choose(network, state, temperature, generator)
        observation, reward, terminated, truncated, info = env.step(info["admissible_actions"][chosen])
        following = encode(texts, observation, info)
        replay.add(Transition(state, chosen, float(reward), following, terminated))
        state = following
        if terminated or truncated:
            episodes += 1
            recent.append(terminated)
            observation, info = env.reset(options={"task": families[episodes % len(families)]})
            state = encode(texts, observation, info)
        if step >= args.learning_starts and step % args.update_every == 0:
            learn(network, target, optimizer, replay.sample(args.batch_size), args.gamma)
        if step % args.target_every == 0:
            target.load_state_dict(network.state_dict())
        if step % args.curve_every == 0:
            row = {"step": step, "minutes": round((time.monotonic() - started) / 60, 2), "episodes": episodes}
            row["train"] = round(sum(recent) / max(1, len(recent)), 3)
            for family in families:
                solved = evaluate(args, network, texts, family, "test_unseen", args.curve_episodes, 10_000)
                row[family] = len(solved) / args.curve_episodes
            curve.append(row)
            write_curve(out, curve, families)
            print(" ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    env.close()
    write_table(args, network, texts, families, out, step)


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
    axes.set(xlabel="minutes", ylabel="success on test_unseen", ylim=(0, 1.02), title="DRRN in IrollanValley")
    axes.legend(loc="lower right")
    figure.savefig(out / "curve.png", dpi=150)
    plt.close(figure)


def write_table(args: Args, network: DRRN, texts: Texts, families: list[str], out: Path, steps: int) -> None:
    """Success and steps at the end, on seeds that neither training nor the curve used."""
    with (out / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["family", "split", "episodes", "success", "mean steps when solved", "training steps"])
        for family in families:
            for split in SPLITS:
                solved = evaluate(args, network, texts, family, split, args.table_episodes, 20_000)
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
