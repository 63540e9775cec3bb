"""A resident with any mind: what the mind does wrong stays with it, and is told by its name."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

import numpy as np

from irollan_env.hints import check_keys, quote
from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.resident import Act, Interviewable
from irollan_env.world.observation import Observation
from language_models.protocol import Embedder, LanguageModel, ModelError
from minds.history import History
from minds.in_thread import PATIENCE, Hung, in_thread
from minds.mind import Mind, MindContext, Remembering, state_of, told_by_state
from minds.mind_specs import MindSpec
from minds.model_client import ModelClient

VERSION = 1
LARGEST_STATE = 16_000_000
"""Characters of a mind's state as JSON."""

LONGEST_TEXT = 4000
"""Characters that are kept of a thought, a goal or a step of a plan."""

LONGEST_REASON = 500


class HostedMind:
    """A resident that decides by a mind that was named.

    A step in which the mind raises, hangs, changes its observation, answers what is no answer, or cannot be saved is a
    failed one: the resident waits, the record says why, and the mind goes on as it was before. What it answers that
    is not admissible is the world's to refuse, and the mind's to learn from.

    Attributes:
        name: Of the resident.
        kind: Which mind.
    """

    def __init__(
        self,
        name: str,
        *,
        kind: MindSpec,
        model: LanguageModel,
        embedder: Embedder,
        generator: np.random.Generator,
        history: History | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Begin as the mind begins.

        Args:
            name: Of the resident.
            kind: Which mind.
            model: What it asks.
            embedder: What compares texts for it.
            generator: Source of all its draws.
            history: Who it was before; nobody when None.
            patience: Seconds that a mind of one's own may take in which it asks no model.

        Raises:
            ValueError: if the mind cannot be made.
        """
        self.name = name
        self.kind = kind
        self._model = model
        self._embedder = embedder
        self._generator = generator
        self._history = History() if history is None else history
        self._patience = patience
        self._salt = int(deepcopy(generator).integers(2**31))
        self._kept: Any = None
        try:
            self._begin()
        except Exception as error:
            raise ValueError(f"the mind {kind.name} cannot be made: {_in_words(error)}") from error

    def _begin(self) -> None:
        """Make the mind, anew where there was one, with what it was when it was last well."""
        self._generator = restored_generator(generator_state(self._generator))
        self._ask = ModelClient(self.name, self._model, self._embedder, self._salt)
        self._mind: Mind = self.kind.make(
            MindContext(name=self.name, ask=self._ask, generator=self._generator, history=self._history)
        )
        if self._kept is not None and isinstance(self._mind, Remembering):
            self._mind.set_state(deepcopy(self._kept))

    async def act(self, observation: Observation) -> Act:
        """As ``Resident.act``.

        Raises:
            ModelUnavailable: if a model could not be asked at all; or whatever else a call raised that is no mistake
                of the mind.
        """
        mine = Observation.from_json(observation.to_json())
        self._ask.begin(observation.time)
        try:
            answer = await self._decide(mine)
            self._check_unchanged(mine, observation)
            act = _act_of(answer, held_back=not observation.admissible)
            self._kept = _checked(state_of(self._mind))
            failure = ""
        except ModelError as error:
            failure, at_fault = str(error), False
        except Exception as error:
            failure, at_fault = f"the mind {self.kind.name} {_in_words(error)}", True
        calls, broken = tuple(sorted(self._ask.calls)), self._ask.broken
        if broken is not None:
            raise broken
        if failure:
            self._ask.put_out()
            self._begin()
            return Act(action=None, failure=failure[:LONGEST_REASON], at_fault=at_fault, calls=calls)
        return replace(act, calls=calls)

    async def _decide(self, mine: Observation) -> Any:
        if self.kind.in_thread:
            return await in_thread(lambda: self._mind.act(mine), lambda: self._ask.busy, self._patience)
        answer = self._mind.act(mine)
        return await answer if inspect.isawaitable(answer) else answer

    @staticmethod
    def _check_unchanged(mine: Observation, observation: Observation) -> None:
        if mine != observation:
            changed = [f.name for f in fields(mine) if getattr(mine, f.name) != getattr(observation, f.name)]
            raise MindError(f"changed its observation: {', '.join(changed)}")

    def get_state(self) -> dict[str, Any]:
        """The mind after its last good step, and the generator, as JSON-ready data."""
        return {
            "version": VERSION,
            "mind": self.kind.name,
            "name": self.name,
            "generator": generator_state(self._generator),
            "state": deepcopy(self._kept),
        }

    def tell(self) -> list[str]:
        """What the mind knows, as it tells it; of one that does not, its history and its state.

        Raises:
            ValueError: if the mind raises, or tells no texts.
        """
        if not isinstance(self._mind, Interviewable):
            return [*self._history.lines(), *told_by_state(self._kept)]
        try:
            told = list(self._mind.tell())
            if not all(isinstance(line, str) for line in told):
                raise MindError("told something that is no text")
        except Exception as error:
            raise ValueError(f"the mind {self.kind.name} of {self.name} {_in_words(error)}") from error
        return told

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave.

        Raises:
            ValueError: for the state of another mind, or one that the mind does not take.
        """
        check_hosted_version(state)
        check_keys(f"the state of {self.name!r}", state, ("version", "mind", "name", "generator", "state"))
        for key, own in (("mind", self.kind.name), ("name", self.name)):
            if state[key] != own:
                raise ValueError(f"this is the state of the {key} {state[key]!r}, and the resident has {own!r}")
        self._generator = restored_generator(state["generator"])
        self._kept = deepcopy(state["state"])
        try:
            self._begin()
        except Exception as error:
            raise ValueError(f"the mind {self.kind.name} of {self.name} {_in_words(error)}") from error


class MindError(RuntimeError):
    """What a mind did wrong, as it goes on after its name."""


def check_hosted_version(state: Mapping[str, Any]) -> None:
    """Check that a saved mind is one that this code can go on from.

    Raises:
        ValueError: for another version.
    """
    if state.get("version") != VERSION:
        raise ValueError(
            f"a saved mind of {state.get('mind')!r} must be of version {VERSION}, got {state.get('version')!r}; go on "
            "with the code that it was saved by"
        )


def is_hosted(state: Mapping[str, Any]) -> bool:
    """Whether a saved resident is one with a mind that was named."""
    return "mind" in state


def _act_of(answer: Any, *, held_back: bool) -> Act:
    """What a mind answered as an act: its action, texts cut to what is kept, and feelings; nothing else is taken over.

    Raises:
        MindError: for what is no answer.
    """
    act = answer if isinstance(answer, Act) else Act(action=answer)
    if act.action is not None and not isinstance(act.action, str):
        raise MindError(f"answered {quote(repr(act.action))}: it must be an action as text, None to wait, or an Act")
    if not all(isinstance(text, str) for text in (act.thought, act.goal, *act.plan)):
        raise MindError("answered an Act whose thought, goal or plan is no text")
    for name in ("pleasure", "arousal", "dominance"):
        value = getattr(act, name)
        if not isinstance(value, (int, float)) or not -1 <= value <= 1:
            raise MindError(f"answered an Act whose {name} is no number in [-1, 1]: {value!r}")
    if not isinstance(act.driver, (int, float)) or not math.isfinite(act.driver):
        raise MindError(f"answered an Act whose driver is no finite number: {act.driver!r}")
    return Act(
        action=None if held_back else act.action,
        thought=act.thought[:LONGEST_TEXT],
        goal=act.goal[:LONGEST_TEXT],
        plan=tuple(step[:LONGEST_TEXT] for step in act.plan),
        driver=float(act.driver),
        pleasure=float(act.pleasure),
        arousal=float(act.arousal),
        dominance=float(act.dominance),
    )


def _checked(state: Any) -> Any:
    """A mind's state as it comes back from a checkpoint."""
    if state is None:
        return None
    try:
        text = json.dumps(state, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise MindError(f"has a state that is not JSON-ready: {error}") from error
    if len(text) > LARGEST_STATE:
        raise MindError(f"has a state of {len(text):,} characters; at most {LARGEST_STATE:,} are kept")
    return json.loads(text)


def _in_words(error: Exception) -> str:
    """What went wrong in one line, as it goes on after the mind's name."""
    if isinstance(error, (MindError, Hung)):
        return " ".join(str(error).split())
    return " ".join(f"raised {type(error).__name__}: {error}".split())
