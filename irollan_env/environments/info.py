"""Helpers shared by the environments: the ``info`` of a step, text rendering, and argument checks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from irollan_env.hints import check_known
from irollan_env.tasks.assigned_task import AssignedTask
from irollan_env.world.observation import Observation, ObservationTuple

RENDER_MODES = ("ansi", "rgb_array")
"""Ways to render: as text, and as a picture of the map from above."""

IN_OTHER_WORLDS = ("needs", "variables", "notices", "answers")
"""What observations have besides in worlds with mechanics; an info leaves out what is empty."""

MAX_STEPS = 75
"""The length of an episode in time steps, as in the evaluation of the paper (section 5.2)."""


def step_info(
    resident: str,
    observation: Observation | ObservationTuple,
    numbers: Mapping[str, Any],
    assigned: AssignedTask | None = None,
    *,
    expert_plan: bool = False,
) -> dict[str, Any]:
    """Build the ``info`` of one resident.

    Args:
        resident: Its name.
        observation: Its observation.
        numbers: Its action numbers, as from ``ActionNumbers.offer``; the mask is None where there are none.
        assigned: Its task, for the score; None for no task, with a score of 0.
        expert_plan: True adds the expert's plan, which is empty without a task.
    """
    info = {
        "resident": resident,
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
    info |= {key: value for key in IN_OTHER_WORLDS if (value := getattr(observation, key))}
    if expert_plan:
        info["expert_plan"] = assigned.expert_plan if assigned else ()
    return info


def observation_of(source: Any, resident: str | None = None) -> Observation:
    """Return a resident's current observation, as ``act`` of a resident takes it.

    Use this function for any environment, wrapped or not; it calls the environment's method of the same name.

    >>> import gymnasium, irollan_env
    >>> env = gymnasium.make("irollan_env:IrollanValley-v0", resident="LL")
    >>> _, info = env.reset(seed=0)
    >>> irollan_env.observation_of(env).resident
    'LL'
    >>> irollan_env.observation_of(info) == irollan_env.observation_of(env)
    True
    >>> valley = irollan_env.parallel_env()
    >>> _, infos = valley.reset(seed=0)
    >>> irollan_env.observation_of(valley, "AY").place
    "AY's Home"

    Args:
        source: An environment of this package after its first reset, in wrappers or not; the ``info`` of a resident; or
            the ``infos`` of a parallel environment. Infos have percepts and events where the environment was made with
            ``percepts=True``; the environment itself always gives them.
        resident: Whose observation it is. None for the resident of an info, the one that learns in a Gymnasium
            environment, and the one whose turn it is in an AEC environment.

    Raises:
        ResetNeeded: for an environment before its first reset.
        ValueError: for an unknown resident, one that has to be named, or an info without percepts.
        TypeError: for anything else, such as another package's environment.
    """
    if isinstance(source, Mapping):
        return _observation_in(source, resident)
    layer = source
    while layer is not None:
        # Looked up on the class: PettingZoo's wrappers hand on every attribute of what they wrap.
        if (method := getattr(type(layer), "observation_of", None)) is not None:
            observation: Observation = method(layer, resident)
            return observation
        layer = getattr(layer, "__dict__", {}).get("env")
    kind = type(getattr(source, "unwrapped", source)).__name__
    raise TypeError(f"observation_of takes an environment of irollan_env, its info or its infos, got {kind}")


def _observation_in(info: Mapping[str, Any], resident: str | None) -> Observation:
    """Return the observation in an info, or in infos by resident."""
    if "admissible_actions" not in info:
        if not info or not all(isinstance(one, Mapping) and "admissible_actions" in one for one in info.values()):
            raise TypeError(f"this is no info of irollan_env: it lacks 'admissible_actions' and has {list(info)[:12]}")
        name = only_resident(resident, list(info))
        return _observation_in(info[name], name)
    name = info.get("resident", resident)
    if not isinstance(name, str) or resident not in (None, name):
        raise ValueError(f"this is the info of {name!r}, not of {resident!r}")
    if not info["percepts"]:  # there is at least a door wherever one is
        raise ValueError(
            f"the info of {name!r} has no percepts; make the environment with percepts=True, or give observation_of "
            "the environment itself"
        )
    seen = observation_from(name, info)
    ltrha = {key: info[key] for key in ("resources", "topic", "habitus") if key in info}
    return replace(seen, **ltrha) if ltrha else seen


def only_resident(resident: str | None, residents: Sequence[str]) -> str:
    """Return the requested resident, or the only one when None.

    Args:
        resident: The name, or None.
        residents: All names.

    Raises:
        ValueError: for an unknown name, or None where there are several.
    """
    if resident is None and len(residents) == 1:
        return residents[0]
    if resident is None:
        raise ValueError(f"there are several residents; name one of {list(residents)[:12]}")
    return check_known("resident", resident, residents)


def observation_from(name: str, info: Mapping[str, Any]) -> Observation:
    """Rebuild an observation from its ``info``; percepts and events are empty where the info has none.

    Args:
        name: The resident's name.
        info: An info from ``step_info``.
    """
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
        *(info.get(key, {}) for key in IN_OTHER_WORLDS),
    )
    return seen.of(name)


def picture(observation: Observation) -> str:
    """Render one resident's step as a few lines of text, for ``render_mode="ansi"``."""
    said = [f'{message.sender} to {message.addressee}: "{message.text}"' for message in observation.messages]
    done = [event.describe(observation.resident, observation.places) for event in observation.events]
    lines = [f"[{observation.time}] {observation.resident}", observation.result, *done, *said, observation.sentence]
    return "\n".join(line for line in lines if line)


def check_render_mode(render_mode: str | None, modes: Sequence[str] = RENDER_MODES) -> str | None:
    """Check that a render mode is None or one of ``modes``, and return it.

    Raises:
        ValueError: for any other.
    """
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, modes))}, got {render_mode!r}")
    return render_mode


def check_options(options: Mapping[str, Any], known: Collection[str]) -> None:
    """Reject unknown reset options.

    Args:
        options: By name.
        known: The names that there are.

    Raises:
        ValueError: for an unknown option.
    """
    for key in options:
        check_known("option", key, known)
