"""A mind whose decisions and expectations are given, to see what its mechanisms make of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from irollan_env.actions import Action
from irollan_env.world.observation import Observation
from itcma_s.deliberation.protocol import Context, Intention, Progress
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.protention.protention import Protention
from itcma_s.resident import ItcmaResident


class Decided:
    """Takes the actions it was given, one after the other, and keeps what it was told before each."""

    def __init__(self, actions: Sequence[str], goal: str = "rest") -> None:
        self._actions, self._goal = list(actions), goal
        self.contexts: list[Context] = []

    def notice(self, observation: Observation, last_action: str | None) -> None:
        """Takes no notice."""

    def progress(self, *_: Any) -> Progress:
        return Progress()

    async def aim(self, *_: Any) -> str:
        return self._goal

    def goal(self) -> str:
        return self._goal

    def required_actions(self, *_: Any) -> tuple[str, ...]:
        return ()

    async def decide(self, context: Context) -> Intention:
        self.contexts.append(context)
        action = self._actions.pop(0)
        return Intention(
            action=None if action is None else Action(action),
            goal=f"{self._goal} well",
            words="Good day.",
            thought=f"I think of {action}.",
            plan=(f"{action} first", "then sleep"),
        )

    def get_state(self) -> dict[str, Any]:
        return {}

    def restored(self, state: Mapping[str, Any]) -> Decided:
        return self


class Expects:
    """Expects of each action the field that it was given for it."""

    def __init__(self, fields: Mapping[str, Callable[[], Field]]) -> None:
        self._fields = fields

    async def protend(self, observation: Observation, actions: Sequence[str], *_: Any, **__: Any) -> list[Protention]:
        return [
            Protention(action, f"After {action}.", self._fields[action], observation.place, (), "rule")
            for action in actions
        ]

    def know(self, imagined: Mapping[str, str]) -> None:
        """Nothing is imagined."""


class Scores:
    """Gives each action its score, whatever the goal."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores

    async def score(self, goal: str, actions: Sequence[str], *_: Any) -> dict[str, float]:
        return {action: self._scores[action] for action in actions}

    def get_state(self) -> None:
        """Nothing is kept."""

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Nothing is kept."""


def decided_mind(
    taken: Sequence[str],
    expected: Mapping[str, Field],
    table: NameTable,
    *,
    scores: Mapping[str, float] | None = None,
    seed: int = 0,
    **more: Any,
) -> tuple[ItcmaResident, Decided]:
    """A mind that takes these actions, expects these fields, and scores every action 5 unless told otherwise."""
    deliberation = Decided(taken)
    parts: dict[str, Any] = {
        "deliberation": deliberation,
        "protention_model": Expects(
            {action: partial(lambda field: field, field) for action, field in expected.items()}
        ),  # type: ignore[arg-type]
        "scorer": Scores(scores if scores is not None else dict.fromkeys(expected, 5.0)),
        "generator": np.random.default_rng(seed),
    }
    mind = ItcmaResident("MD", table=table, **{**parts, **more})
    return mind, deliberation
