"""What the environments share: the ``info`` of a step, its picture in text, and their common arguments."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.tasks.assigned_task import AssignedTask
from irollan_env.world.observation import Observation, ObservationTuple

MAX_STEPS = 75
"""The length of an episode in time steps, as in the evaluation of the paper (section 5.2)."""


def step_info(
    observation: Observation | ObservationTuple,
    numbers: Mapping[str, Any],
    assigned: AssignedTask | None = None,
    *,
    expert_plan: bool = False,
) -> dict[str, Any]:
    """The ``info`` of one resident.

    Args:
        observation: What it perceives.
        numbers: What numbers it can use, as ``ActionNumbers.offer`` gives it; None for a mask where there are none.
        assigned: Its task, of which the score is told; None for none, whose score is 0.
        expert_plan: True adds the expert's plan, which is empty without a task.
    """
    info = {
        "admissible_actions": observation.admissible,
        **numbers,
        "sentence": observation.sentence,
        "place": observation.place,
        "percepts": observation.percepts,
        "messages": observation.messages,
        "events": observation.events,
        "goal": observation.goal,
        "score": assigned.score if assigned else 0.0,
        "time": observation.time,
        "doing": observation.doing,
        "outcome": observation.outcome,
        "result": observation.result,
    }
    if expert_plan:
        info["expert_plan"] = assigned.expert_plan if assigned else ()
    return info


def observation_of(name: str, info: Mapping[str, Any]) -> Observation:
    """One resident's observation, put together again from its ``info``."""
    seen = ObservationTuple(
        info["time"],
        info["place"],
        info["sentence"],
        tuple(info["percepts"]),
        tuple(info["messages"]),
        tuple(info["events"]),
        tuple(info["admissible_actions"]),
        info["doing"],
        info["outcome"],
        info["result"],
        info["goal"],
    )
    return seen.of(name)


def picture(observation: Observation) -> str:
    """One resident's step as a few lines of text, for ``render_mode="ansi"``."""
    said = [f'{message.sender} to {message.addressee}: "{message.text}"' for message in observation.messages]
    done = [event.told(observation.resident) for event in observation.events]
    lines = [f"[{observation.time}] {observation.resident}", observation.result, *done, *said, observation.sentence]
    return "\n".join(line for line in lines if line)


def as_map(valley_map: ValleyMap | str | Path | None) -> ValleyMap:
    """A map, the map in a file, or the paper's for None.

    Raises:
        TypeError: for anything else, such as what JSON made of a map in an ``EnvSpec``.
    """
    if valley_map is None:
        return ValleyMap.default()
    if not isinstance(valley_map, (ValleyMap, str, Path)):
        raise TypeError(
            f"map must be a ValleyMap, the path of a map file or None, got {type(valley_map).__name__}; a spec that is "
            "to go through JSON needs the path"
        )
    return valley_map if isinstance(valley_map, ValleyMap) else ValleyMap.from_toml(valley_map)


def check_max_steps(max_steps: int) -> int:
    """The number of steps of an episode, as Python's own integer.

    Raises:
        ValueError: for anything but an integer >= 1, NumPy's included.
    """
    if isinstance(max_steps, bool) or not isinstance(max_steps, (int, np.integer)) or max_steps < 1:
        raise ValueError(f"max_steps must be an integer >= 1, got {max_steps!r}")
    return int(max_steps)


def check_render_mode(render_mode: str | None) -> str | None:
    """None or ``"ansi"``.

    Raises:
        ValueError: for any other.
    """
    if render_mode not in (None, "ansi"):
        raise ValueError(f"render_mode must be None or 'ansi', got {render_mode!r}")
    return render_mode


def check_options(options: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse options that a reset does not know.

    Raises:
        ValueError: for an unknown option.
    """
    for key in options:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"; known are {sorted(known)}"
            raise ValueError(f"unknown option {key!r}{hint}")
