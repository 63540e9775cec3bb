"""MaskablePPO of sb3-contrib on the valley's tasks: `python examples/train_maskable_ppo.py --out ppo-dense.json`.

The goal is part of what the policy sees. Since every instance has a valley of its own, no number can mean the same
action in every episode: the policy gets the texts of the actions in slots (`SlotActions`), and scores each slot by one
network, from the vector of its text and those of the goal, the last result and the sentence. Texts become vectors by
hashed n-grams, so that names that it never saw are like themselves. It remembers nothing of the steps before.

It trains on `train`, plays the first instances of the test splits as the benchmark has them, and writes what is handed
in to the leaderboard, a result for each seed. It needs the extra "train".
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from evaluation.ability.submissions import cell, submission
from evaluation.ability.task_protocol import Result, play
from irollan_env import wrappers
from irollan_env.environments.action_numbers import ActionSlots
from language_models import load_embedder

SLOTS, WIDTH, HIDDEN = 48, 128, 64
EMBEDDER = load_embedder("hash", dimension=WIDTH)


def vectors(info: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """What the policy sees: "texts", shape (3, width), of goal, result and sentence; "slots", shape (slots, width)."""
    slots = np.zeros((SLOTS, WIDTH), dtype=np.float32)
    slots[: len(info["slot_actions"])] = EMBEDDER.embed(info["slot_actions"])
    return {"texts": EMBEDDER.embed([info["goal"], info["result"] or "nothing yet", info["sentence"]]), "slots": slots}


class Vectors(gym.Wrapper[Any, Any, Any, Any]):
    """Shows vectors, and begins an episode of one family after the other."""

    def __init__(self, env: gym.Env[Any, Any], families: list[str]) -> None:
        super().__init__(env)
        self._families, self._episodes = families, 0
        texts, slots = (spaces.Box(-1.0, 1.0, (rows, WIDTH), np.float32) for rows in (3, SLOTS))
        self.observation_space = spaces.Dict({"texts": texts, "slots": slots})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """An episode of the next family."""
        self._episodes += 1
        task = self._families[self._episodes % len(self._families)]
        _, info = self.env.reset(seed=seed, options={**(options or {}), "task": task})
        return vectors(info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step."""
        _, reward, terminated, truncated, info = self.env.step(action)
        return vectors(info), reward, terminated, truncated, info


class Scores(BaseFeaturesExtractor):
    """A score for each slot, and behind them a vector of the state."""

    def __init__(self, observation_space: spaces.Space[Any]) -> None:
        super().__init__(observation_space, SLOTS + HIDDEN)
        self.of_state = nn.Sequential(nn.Flatten(), nn.Linear(3 * WIDTH, HIDDEN), nn.ReLU())
        self.of_slot = nn.Linear(WIDTH, HIDDEN)
        # How like the goal, the result and the sentence an action is: this carries over to names never seen.
        self.of_likeness = nn.Linear(3, HIDDEN)
        self.of_pair = nn.Linear(HIDDEN, HIDDEN)
        self.score = nn.Linear(HIDDEN, 1)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Shape (batch, slots + hidden)."""
        texts, slots = observations["texts"], observations["slots"]
        state = self.of_state(texts)
        likeness = slots @ texts.transpose(1, 2)
        pair = self.of_slot(slots) + self.of_likeness(likeness) + self.of_pair(state)[:, None]
        return torch.cat((self.score(torch.relu(pair)).squeeze(2), state), 1)


class _First(nn.Module):
    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return features[:, :SLOTS]


class SlotPolicy(MaskableMultiInputActorCriticPolicy):
    """Takes the scores as they are for the logits of the slots; the value is linear in all features."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = _First()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def train(arguments: argparse.Namespace, seed: int) -> MaskablePPO:
    """Learn for so many steps."""
    families = arguments.families.split(",")
    env = gym.make(
        "irollan_env:IrollanValley-v0",
        task=families[0],
        others="neighbour",
        reward=arguments.reward,
        max_steps=arguments.max_steps,
        percepts=False,
    )
    model = MaskablePPO(
        SlotPolicy,
        Vectors(wrappers.SlotActions(env, slots=SLOTS), families),
        policy_kwargs={"features_extractor_class": Scores, "net_arch": []},
        n_steps=min(512, arguments.steps),
        batch_size=64,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.95,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )
    return model.learn(arguments.steps)


class Trained:
    """Plays one resident by a policy that has learned."""

    def __init__(self, model: MaskablePPO) -> None:
        self._model, self._slots = model, ActionSlots(SLOTS)

    def act(self, observation: Any, info: Mapping[str, Any]) -> str | None:
        """The action of a slot, drawn from the policy."""
        offered = self._slots.offer("", info["admissible_actions"], info["goal"])
        seen = vectors({**info, **offered})
        number, _ = self._model.predict(seen, action_masks=offered["action_mask"].astype(bool))
        return None if number == 0 else self._slots.action("", int(number))


def test(arguments: argparse.Namespace, model: MaskablePPO, seed: int) -> list[Result]:
    """The share of the benchmark's instances that a policy solves."""

    def make(agent: str, name: str, task: Any, number: int) -> Trained:
        model.set_random_seed(number)
        return Trained(model)

    played = play("ppo", arguments.families.split(","), arguments.instances, make, percepts=False)
    return [replace(result, seed=seed) for result in played]


def main(argv: list[str] | None = None) -> None:
    """Train and test each seed, and write what is handed in."""
    parser = argparse.ArgumentParser(description="Train MaskablePPO on the valley's tasks.")
    parser.add_argument("--out", default="ppo.json", help="what is handed in; default: %(default)s")
    parser.add_argument("--families", default="fetch,gather", help="default: %(default)s")
    parser.add_argument("--reward", default="dense", choices=["dense", "sparse"], help="default: %(default)s")
    parser.add_argument("--seeds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=5120, help="of training, a seed; default: %(default)s")
    parser.add_argument("--max-steps", type=int, default=60, help="of an episode of training; default: %(default)s")
    parser.add_argument("--instances", type=int, default=10, help="of each test split; default: %(default)s")
    arguments = parser.parse_args(argv)
    torch.set_num_threads(1)  # the network is small, and threads that wait for each other cost more than they bring
    description = (
        f"examples/train_maskable_ppo.py: MaskablePPO of sb3-contrib, {arguments.steps:,} steps of "
        f"{arguments.families.replace(',', ' and ')} of train, by {arguments.reward} reward, without memory."
    )
    results: list[Result] = []
    for seed in range(arguments.seeds):
        found = test(arguments, train(arguments, seed), seed)
        print(*(f"seed {seed}, {r.family} {r.split}: {cell([r])}" for r in found), sep="\n", file=sys.stderr)
        results += found
        # After each seed, so that what is broken off leaves what it has.
        text = json.dumps(submission(f"ppo-{arguments.reward}", description, results))
        Path(arguments.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
