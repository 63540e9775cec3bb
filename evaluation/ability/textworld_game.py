"""TextWorld games (Côté et al., 2018) for residents: translates commands to the six primitives and back.

A resident gets no map and no positions: the objects that commands name are placed on a circle around it, as in ITCMA's
code. A door leads to the room that was seen behind it, or to a room named after its direction. The goal is the last
step of the game's objective, what has to be picked up; the earlier steps, the way there, are withheld.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from irollan_env.actions import Action
from irollan_env.world.observation import Observation, Percept

State = Literal["on", "won", "lost"]
"""State of an episode."""

KINDS = {
    "coin-collector": ("tw-coin_collector", 5),
    "coin-collector-dead-ends": ("tw-coin_collector", 105),
    "treasure-hunter": ("tw-treasure_hunter", 5),
}
"""Kind of game -> TextWorld challenge and level."""

FLOOR = "floor"
"""Container of things that are in no other container."""

_OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
_ROOM = re.compile(r"-= (.+?) =-")
_PLAYER = "PL"


class TextWorldGame:
    """One kind of TextWorld game; the game of each seed is generated when it is first played.

    Args:
        kind: One of ``KINDS``.

    Raises:
        ModuleNotFoundError: if TextWorld is not installed.
    """

    def __init__(self, kind: str) -> None:
        self._textworld = _textworld()
        self.name = kind
        self._challenge, self._level = KINDS[kind]
        self._folder = tempfile.TemporaryDirectory(prefix="textworld-")
        self._env: Any = None

    def reset(self, seed: int) -> Observation:
        """Start the game of a seed, and return the first observation."""
        self._leave()
        textworld = self._textworld
        path = Path(self._folder.name) / f"{seed}.z8"
        if not path.exists():
            options = textworld.GameOptions()
            options.seeds, options.path = seed, str(path)
            make = textworld.challenges.CHALLENGES[self._challenge][1]
            textworld.generator.compile_game(make({"level": self._level}, options), options)
        wanted = textworld.EnvInfos(
            description=True, inventory=True, admissible_commands=True, objective=True, won=True
        )
        self._env = textworld.gym.make(textworld.gym.register_game(str(path), wanted))
        text, infos = self._env.reset()
        self._goal = goal_of(infos["objective"])
        self._time, self._rooms = 0, dict[tuple[str, str], str]()
        self._room = _room(infos["description"])
        return self._observe(infos, text)

    def step(self, action: str | None) -> tuple[Observation, State]:
        """Send the command of an action to the game; waiting sends "look"."""
        command = "look" if action is None else self._commands[action]
        text, _, over, infos = self._env.step(command)
        self._time += 1
        before, self._room = self._room, _room(infos["description"]) or self._room
        if command.startswith("go ") and self._room != before:
            way = command.removeprefix("go ")
            self._rooms[before, way] = self._room
            self._rooms[self._room, _OPPOSITE[way]] = before
        return self._observe(infos, text), "won" if infos["won"] else "lost" if over else "on"

    def close(self) -> None:
        """End the game, and remove the generated games."""
        self._leave()
        self._folder.cleanup()

    def _leave(self) -> None:
        if self._env is not None:
            self._env.close()
            self._env = None

    def _observe(self, infos: dict[str, Any], text: str) -> Observation:
        doors = {way: self._behind(way) for way in _OPPOSITE}
        self._commands = {
            action: command
            for command in infos["admissible_commands"]
            if (action := primitive(command, doors)) is not None
        }
        carried = re.findall(r"an? ([^,.]+?)(?= and |,|\.|$)", infos["inventory"])
        return Observation(
            time=self._time,
            resident=_PLAYER,
            place=self._room,
            sentence=" ".join(infos["description"].split()),
            percepts=tuple(percepts(self._commands, carried)),
            admissible=tuple(map(Action, self._commands)),
            outcome="executed" if self._time else None,
            result=" ".join(text.split()) if self._time else "",
            goal=self._goal,
        )

    def _behind(self, way: str) -> str:
        return self._rooms.get((self._room, way), f"room {way} of {self._room}")


def goal_of(objective: str) -> str:
    """Extract the last step of an objective, such as ``"pick up the coin from the floor of the attic"``.

    Raises:
        ValueError: if the objective names nothing to pick up.
    """
    found = re.findall(r"\b((?:pick[- ]up|take|recover|retrieve|lift|grab)\b[^.]*)\.", objective)
    steps = [step for step in found if not re.match(r"take a trip", step)]
    if not steps:
        raise ValueError(f"an objective must say what to pick up, got {objective!r}")
    return str(steps[-1])


def primitive(command: str, doors: dict[str, str]) -> str | None:
    """Translate a TextWorld command to one of the six primitives; None for commands that change nothing.

    Args:
        command: A command as TextWorld lists it.
        doors: Direction -> the room behind the door.
    """
    verb, _, rest = command.partition(" ")
    match verb:
        case "go":
            return f"go to {doors[rest]}"
        case "take":
            return command if " from " in rest else f"{command} from {FLOOR}"
        case "put" | "insert":
            item, _, target = rest.replace(" into ", " on ").partition(" on ")
            return f"put {item} in/on {target}"
        case "drop":
            return f"put {rest} in/on {FLOOR}"
        case "open" | "eat" | "drink":
            return f"use {rest}"
        case "unlock":
            return f"use {rest.partition(' with ')[2]}"
        case _:
            return None


def percepts(actions: Iterable[str], carried: Iterable[str]) -> list[Percept]:
    """Place the objects named in actions on a circle of radius 1, and carried ones at distance 0."""
    seen: dict[str, dict[str, Any]] = {}
    for action in actions:
        if action.startswith("go to "):
            seen[f"door to {action.removeprefix('go to ')}"] = {"kind": "door"}
        elif action.startswith("take "):
            item, _, source = action.removeprefix("take ").partition(" from ")
            seen.setdefault(source, {"kind": "furniture"})
            seen[item] = {"kind": "item", "on": source}
        elif action.startswith("put "):
            seen.setdefault(action.partition(" in/on ")[2], {"kind": "furniture"})
    held = dict.fromkeys(carried)
    around = {name: more for name, more in seen.items() if name not in held}
    angle = 2 * math.pi / max(len(around), 1)
    found = [
        Percept(name=name, theta=math.pi / 2, phi=number * angle, gamma=1.0, **more)
        for number, (name, more) in enumerate(around.items())
    ]
    return found + [Percept(name=n, kind="item", theta=math.pi / 2, phi=0.0, gamma=0.0, held=True) for n in held]


def _room(description: str) -> str:
    found = _ROOM.search(description)
    return found[1].lower() if found else ""


def _textworld() -> ModuleType:
    if find_spec("textworld") is None:
        raise ModuleNotFoundError("TextWorld is not installed; python -m pip install textworld")
    import textworld
    import textworld.challenges
    import textworld.gym

    return textworld  # type: ignore[no-any-return]
