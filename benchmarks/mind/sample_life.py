"""Test data for minds: a simulated life in a furnished house, and memories of random play in the valley."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from irollan_env.policies.simple import random_policy
from irollan_env.world.world import World
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.compression import compress, segment_boundary
from itcma_s.memory.memory import Memory

OBJECTS = 30
"""Objects in each frame of a simulated life."""

ROOMS, _FURNITURE, _SPOTS = 8, 22, 6.0  # rooms; pieces in each; metres along a wall
_KINDS = ("table", "chair", "bed", "sinkbasin", "wardrobe", "bookshelf", "countertop", "storagebin")
_MOVABLE = ("book", "toy", "clothes", "food", "flower", "pen", "key", "letter")


def sample_life(steps: int, table: NameTable, generator: np.random.Generator) -> Iterator[tuple[str, Field]]:
    """Simulate the places and fields of an agent walking between furnished rooms in which things are moved.

    Args:
        steps: Number of frames.
        table: Table to which the names of 176 pieces of furniture and 64 things are added.
        generator: Random generator.

    Yields:
        Each frame's place and its field of ``OBJECTS`` rows; an agent that stands still sees the same again.
    """
    furniture = [
        table.ids(f"{_KINDS[n % len(_KINDS)]} {room * _FURNITURE + n}" for n in range(_FURNITURE))
        for room in range(ROOMS)
    ]
    corners = generator.uniform(0.0, _SPOTS, (ROOMS, _FURNITURE, 2))
    loose = OBJECTS - _FURNITURE
    things = table.ids(f"{_MOVABLE[n % len(_MOVABLE)]} {n}" for n in range(ROOMS * loose)).reshape(ROOMS, loose)
    spots = generator.uniform(0.0, _SPOTS, (ROOMS, loose, 2))
    room, stand, facing = 0, np.zeros(2), 0.0
    for _ in range(steps):
        if generator.random() < 0.15:
            room = int(generator.integers(ROOMS))
        if generator.random() < 0.6:
            stand, facing = generator.uniform(0.0, _SPOTS, 2), float(generator.uniform(0.0, 2.0 * math.pi))
        # Two random things swap their positions.
        (one, two), (here, there) = generator.integers(ROOMS, size=2), generator.integers(loose, size=2)
        things[one, here], things[two, there] = things[two, there], things[one, here]
        spots[one, here] = generator.uniform(0.0, _SPOTS, 2)
        offsets = np.concatenate((corners[room], spots[room])) - stand
        azimuth = np.mod(np.arctan2(offsets[:, 1], offsets[:, 0]) - facing, 2.0 * math.pi)
        azimuth[azimuth >= 2.0 * math.pi] = 0.0
        positions = np.stack((np.full(OBJECTS, math.pi / 2), azimuth, np.hypot(*offsets.T)), axis=1)
        yield f"room {room}", Field(np.concatenate((furniture[room], things[room])), positions)


def sample_memory(place: str, field: Field, time: int, generator: np.random.Generator) -> Memory:
    """Build a compressed memory of six frames, whose other contents are as long as in a run."""
    return Memory(
        first_time=6 * time,
        last_time=6 * time + 5,
        place=place,
        field=field,
        actions=(f"take book {time} from table {time}", f"put book {time} in/on bed {time}"),
        results=(f"You take the book {time} from the table {time}.", f"You put the book {time} in/on the bed {time}."),
        said=(f"LL to SG: Come with me to the reading room at {time}, there is something on the table.",),
        pleasure=float(generator.beta(2, 4)),
        arousal=float(generator.uniform(0.0, 0.7)),
        frames=6,
    )


def memories_of_random_play(world: World, names: list[str], steps: int, table: NameTable) -> dict[str, list[Memory]]:
    """Collect residents' memories of random play together, compressed as ITCMA-S does.

    Args:
        world: The world, which continues from its current state.
        names: Residents whose memories are collected.
        steps: Number of time steps.
        table: Table of names that their minds share.
    """
    generator = np.random.default_rng(0)
    memories: dict[str, list[Memory]] = {name: [] for name in names}
    segments: dict[str, list[Frame]] = {name: [] for name in names}
    for _ in range(steps):
        seen = {name: world.observe(name) for name in world.residents}
        actions = {name: random_policy(observation, generator) for name, observation in seen.items()}
        for name in names:
            frame = Frame(
                time=world.time,
                place=seen[name].place,
                field=Field.from_percepts(seen[name].percepts, table),
                action=actions[name] or "",
                arousal=float(generator.uniform(0.0, 0.7)),
            )
            if segment_boundary(segments[name], frame):
                memories[name].append(compress(segments[name], table, generator))
                segments[name] = []
            segments[name].append(frame)
        world.step(actions)
    return memories


def repeat_memories(memories: list[Memory], count: int) -> list[Memory]:
    """Repeat the given memories up to a count, each repetition at later times."""
    span = memories[-1].last_time + 1
    rounds = (divmod(n, len(memories)) for n in range(count))
    return [
        replace(
            memories[place],
            first_time=memories[place].first_time + number * span,
            last_time=memories[place].last_time + number * span,
        )
        for number, place in rounds
    ]
