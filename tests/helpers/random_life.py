"""Observations of a random life in the valley, with what led to each."""

import numpy as np

from irollan_env.policies.simple import random_policy, scripted_policy
from irollan_env.world.world import World


def random_life(seed, steps=25):
    """What everybody sees in each step, and what it wanted to do in the step before; some acts are held back."""
    world, generator = World(seed=seed), np.random.default_rng(seed)
    last = {}
    for _ in range(steps):
        acts = {}
        for name in world.residents:
            observation = world.observe(name)
            yield observation, last.get(name)
            acts[name] = (random_policy if generator.random() < 0.6 else scripted_policy)(observation, generator)
        last = acts
        world.step(acts, filtered=frozenset(name for name, act in acts.items() if act and generator.random() < 0.15))
