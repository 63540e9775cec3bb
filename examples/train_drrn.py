"""DRRN on the valley's tasks, in one file: `python examples/train_drrn.py --reward dense --out drrn-dense.json`.

A deep reinforcement relevance network (He et al., *Deep Reinforcement Learning with a Natural Language Action Space*,
ACL 2016) gives a value to every pair of an observation and an admissible action, both as text. It learns from reward
alone, by Q-learning with a target network, softmax exploration and, as in Jericho's DRRN (Hausknecht et al., AAAI
2020), a replay that samples transitions with a reward more often. It remembers nothing of the steps before.

Texts are bags of words. The goal, the place, what is held, what is seen and the last result are one bag each, so that
the network can compare the words of an action with the words of each of them: this is what lets it do what it was
told for things and places that it never saw together.

It trains on `train`, plays the first instances of the test splits as the benchmark has them, and writes what is handed
in to the leaderboard, a result for each seed. It needs torch.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from evaluation.ability.submissions import cell, submission
from evaluation.ability.task_protocol import Result, play


@dataclass
class Args:
    """What the command line takes; each field is an option."""

    out: str = "drrn.json"
    families: str = "fetch,gather"
    reward: str = "dense"
    seeds: int = 5
    steps: int = 2000
    instances: int = 10
    max_steps: int = 60
    gamma: float = 0.9
    learning_rate: float = 1e-3
    batch_size: int = 32
    update_every: int = 4
    target_every: int = 300
    learning_starts: int = 300
    buffer_size: int = 60_000
    rewarded_share: float = 0.5
    embedding: int = 64
    hidden: int = 128
    temperature: float = 0.2
    last_temperature: float = 0.02
    exploration: float = 0.5


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


def encode(texts: Texts, info: Mapping[str, Any]) -> State:
    """What the network sees, of the info of a step: the sentence is split into the place, what is seen and held."""
    place, _, rest = info["sentence"].partition(". ")
    seen, _, rest = rest.partition(". You are ")
    holding = rest if rest.startswith("holding ") else ""
    parts = tuple(texts(text) for text in (info["goal"], place, holding, seen, info["result"] or ""))
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


class Trained:
    """Plays one resident by a network that has learned."""

    def __init__(self, network: DRRN, temperature: float, seed: int) -> None:
        self._network, self._temperature = network, temperature
        self._generator = np.random.default_rng(seed)

    def act(self, observation: Any, info: Mapping[str, Any]) -> str | None:
        """One of the admissible actions."""
        actions = info["admissible_actions"]
        if not actions:
            return None
        state = encode(self._network.texts, info)
        return str(actions[choose(self._network, state, self._temperature, self._generator)])


def train(args: Args, seed: int) -> DRRN:
    """Learn for so many steps, an episode of one family after the other."""
    torch.manual_seed(seed)
    generator, families = np.random.default_rng(seed), args.families.split(",")
    texts = Texts()
    network, target = (DRRN(texts, args.embedding, args.hidden) for _ in range(2))
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, fused=True)
    replay = Replay(args.buffer_size, args.rewarded_share, random.Random(seed))
    env = gym.make(
        "irollan_env:IrollanValley-v0",
        task=families[0],
        others="neighbour",
        reward=args.reward,
        max_steps=args.max_steps,
        percepts=False,
    )
    _, info = env.reset(seed=seed)
    state, episodes, solved = encode(texts, info), 0, deque[bool](maxlen=50)
    for step in range(1, args.steps + 1):
        cooled = min(1.0, step / (args.steps * args.exploration))
        temperature = args.temperature * (args.last_temperature / args.temperature) ** cooled
        chosen = choose(network, state, temperature, generator)
        _, reward, terminated, truncated, info = env.step(info["admissible_actions"][chosen])
        following = encode(texts, info)
        replay.add(Transition(state, chosen, float(reward), following, terminated))
        state = following
        if terminated or truncated:
            episodes += 1
            solved.append(info["score"] == 1.0)
            _, info = env.reset(options={"task": families[episodes % len(families)]})
            state = encode(texts, info)
        if step >= args.learning_starts and step % args.update_every == 0:
            learn(network, target, optimizer, replay.sample(args.batch_size), args.gamma)
        if step % args.target_every == 0:
            target.load_state_dict(network.state_dict())
        if step % 1000 == 0:
            share = sum(solved) / max(1, len(solved))
            print(f"seed {seed}, step {step}: solves {share:.0%} of its last episodes", file=sys.stderr)
    env.close()
    return network


def test(args: Args, network: DRRN, seed: int) -> list[Result]:
    """The share of the benchmark's instances that a network solves."""

    def make(agent: str, name: str, task: Any, number: int) -> Trained:
        return Trained(network, args.last_temperature, number)

    played = play("drrn", args.families.split(","), args.instances, make, percepts=False)
    return [replace(result, seed=seed) for result in played]


def main(argv: list[str] | None = None) -> None:
    """Train and test each seed, and write what is handed in."""
    parser = argparse.ArgumentParser(description="Train a DRRN on the valley's tasks.")
    for field in fields(Args):
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=type(field.default), default=field.default, help="default: %(default)s")
    args = Args(**vars(parser.parse_args(argv)))
    torch.set_num_threads(1)  # the network is small, and threads that wait for each other cost more than they bring
    description = (
        f"examples/train_drrn.py: a DRRN of {args.steps:,} steps of {args.families.replace(',', ' and ')} of train, "
        f"by {args.reward} reward, without memory."
    )
    results: list[Result] = []
    for seed in range(args.seeds):
        found = test(args, train(args, seed), seed)
        print(*(f"seed {seed}, {r.family} {r.split}: {cell([r])}" for r in found), sep="\n", file=sys.stderr)
        results += found
        # After each seed, so that what is broken off leaves what it has.
        text = json.dumps(submission(f"drrn-{args.reward}", description, results))
        Path(args.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
