"""MaskablePPO of sb3-contrib in the valley, without a patch: `python examples/train_maskable_ppo.py --steps 20000`.

LL learns to see the valley: it is paid 1 for each place that it enters for the first time in an episode. With
`--task fetch`, or another family, it learns to do what it is told instead, for the environment's dense reward: the
goal is the first line of what it observes. Texts become vectors, and the mask over the catalogue keeps the policy to
what can be done. It needs the extra "train".
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from irollan_env import ValleyMap
from irollan_env.environments.wrappers import CatalogueActions, EmbeddedObservation
from language_models.registry import resolve_embedder


class NewPlaces(gym.Wrapper[str, str, str, str]):
    """Rewards each place entered for the first time in an episode."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin at home, which is known."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._seen = {info["place"]}
        return observation, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Step, and look where one is."""
        observation, _, terminated, truncated, info = self.env.step(action)
        reward = float(info["place"] not in self._seen)
        self._seen.add(info["place"])
        return observation, reward, terminated, truncated, info


def make(embedder: str, task: str | None) -> gym.Env[Any, Any]:
    """The wrapped environment; wrappers that make numbers of text come last."""
    embed = resolve_embedder(embedder).build().embed
    options: dict[str, Any] = {"resident": "LL", "others": "scripted", "max_steps": 30, "percepts": False}
    # The paper's valley in every episode: its numbers mean the same throughout.
    env = gym.make("irollan_env:IrollanValley-v0", map=ValleyMap.default(), task=task, reward="dense", **options)
    return EmbeddedObservation(CatalogueActions(NewPlaces(env) if task is None else env), embed)


def play(env: gym.Env[Any, Any], model: MaskablePPO | None, episodes: int) -> float:
    """Mean return of the model, or of random admissible play when None."""
    total = 0.0
    for episode in range(episodes):
        observation, info = env.reset(seed=10_000 + episode)
        env.action_space.seed(episode)
        over = False
        while not over:
            if model is None:
                action = env.action_space.sample(info["action_mask"])
            else:
                action, _ = model.predict(observation, action_masks=get_action_masks(env))
            observation, reward, terminated, truncated, info = env.step(action)
            total += float(reward)
            over = terminated or truncated
    return total / episodes


def main(argv: list[str] | None = None) -> None:
    """Train, and say what random play and the trained policy come to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000, help="environment steps to train for")
    parser.add_argument("--episodes", type=int, default=20, help="episodes to evaluate on")
    parser.add_argument("--embedder", default="hash", help="hash or minilm")
    parser.add_argument("--task", metavar="FAMILY", help="learn these tasks instead of seeing the valley")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    torch.set_num_threads(1)  # the network is small, and threads that wait for each other cost more than they bring
    env = make(arguments.embedder, arguments.task)
    unit = "new places" if arguments.task is None else "reward"
    print(f"random admissible play: {play(env, None, arguments.episodes):.2f} {unit} an episode")
    length = min(256, arguments.steps)
    model = MaskablePPO("MlpPolicy", env, n_steps=length, batch_size=64, gamma=0.95, seed=arguments.seed, device="cpu")
    model.learn(arguments.steps)
    print(f"after {arguments.steps} steps: {play(env, model, arguments.episodes):.2f} {unit} an episode")


if __name__ == "__main__":
    main()
