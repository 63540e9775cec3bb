"""Days in the valley as text: written by `python tests/helpers/golden.py`, and replayed line by line by the tests.

A file has every sentence, every admissible action, what was done and what came of it. The actions are read from the
file when it is replayed, so that it does not depend on the policy that once chose them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

import numpy as np
from project import DATA

from irollan_env import ValleyMap, World, generate_towns, get_policy

FOLDER = DATA / "transcripts"
MAPS: dict[str, Callable[[], ValleyMap]] = {
    "the paper's valley": ValleyMap.default,
    "two towns": lambda: generate_towns(10, towns=2, seed=0),
}
DAYS = {"scripted.txt": ("the paper's valley", 0, 20), "everyone_in_one_place.txt": ("the paper's valley", 1, 16)}
DAYS |= {"two_towns.txt": ("two towns", 2, 8)}

Choose = Callable[[World, str, int], str | None]


def play(title: str, choose: Choose) -> str:
    """The text of a day whose first line is ``title``: ``# MAP, seed SEED, STEPS steps``."""
    found = re.fullmatch(r"# (.+), seed (\d+), (\d+) steps", title)
    assert found, title
    world = World(MAPS[found[1]](), seed=int(found[2]))
    lines = [title]
    for step in range(int(found[3])):
        actions = {}
        for name in world.residents:
            seen = world.observe(name)
            actions[name] = choose(world, name, step)
            lines += [f"[{step}] {name}: {seen.sentence}"]
            lines += [f'  hears {m.sender} to {m.addressee}: "{m.text}"' for m in seen.messages]
            lines += [f"  sees: {event.describe(name, seen.places)}" for event in seen.events]
            lines += [f"  can: {' | '.join(seen.admissible)}", f"  does: {actions[name] or 'wait'}"]
        lines += [f"  => {name}: {one.kind}: {one.result}" for name, one in world.step(actions).items()]
    return "\n".join(lines) + "\n"


def replay(text: str) -> str:
    """The same day, with the actions that the text has."""
    title, *lines = text.splitlines()
    done = iter([line.removeprefix("  does: ") for line in lines if line.startswith("  does: ")])

    def choose(world: World, name: str, step: int) -> str | None:
        action = next(done)
        return None if action == "wait" else action

    return play(title, choose)


def scripted(seed: int) -> Choose:
    """The scripted policy, with a nonsense now and then; on day 1 all meet in LL's Home first."""
    generator, dice, policy = np.random.default_rng(seed), random.Random(seed), get_policy("scripted")

    def choose(world: World, name: str, step: int) -> str | None:
        if seed == 1 and name != "LL" and step < 2:
            return "go to LL's Home" if world.place_of(name) == "outside" else "go to outside"
        nonsense: Mapping[int, str | None] = {0: "take book 1 from LL", 1: "go to the moon", 2: None}
        return nonsense[dice.randrange(3)] if dice.random() < 0.1 else policy(world.observe(name), generator)

    return choose


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file, (valley, seed, steps) in DAYS.items():
        text = play(f"# {valley}, seed {seed}, {steps} steps", scripted(seed))
        (FOLDER / file).write_text(text, encoding="utf-8")
