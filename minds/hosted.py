"""Resident with any mind, which isolates the run from the mind's faults."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

import numpy as np

from irollan_env.hints import check_keys, quote
from irollan_env.random_streams import generator_state, restored_generator, stream
from irollan_env.resident import Act, Interviewable
from irollan_env.sync_resident import SyncResident
from irollan_env.world.observation import Observation
from language_models.protocol import Embedder, LanguageModel, ModelError, check_parts
from minds.in_thread import PATIENCE, Hung, in_thread
from minds.mind import History, Mind, MindContext, Stateful, describe_state, state_of
from minds.mind_specs import MindSpec, find_mind
from minds.model_client import ModelClient

VERSION = 1
LARGEST_STATE = 16_000_000
"""Most characters of a mind's state as JSON."""

LONGEST_TEXT = 4000
"""Most characters kept of a thought, a goal or a step of a plan."""

LONGEST_REASON = 500


class HostedMind:
    """A resident whose decisions come from any mind.

    A step fails if the mind raises, hangs, changes its observation, returns an invalid answer, or has a state
    that cannot be saved: the resident waits, the record says why, and the mind's previous state is restored. An action
    that is not admissible does not fail the step: the world rejects it, and the mind perceives that.

    Attributes:
        name: The resident's name.
        spec: The mind.
    """

    def __init__(
        self,
        name: str,
        *,
        spec: MindSpec,
        model: LanguageModel,
        embedder: Embedder,
        generator: np.random.Generator,
        history: History | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Create the mind.

        Args:
            name: The resident's name.
            spec: The mind.
            model: The language model that the mind calls.
            embedder: Compares texts for the mind.
            generator: Source of all random draws of the mind.
            history: Who the resident was before; nobody in particular when None.
            patience: Seconds that a mind with ``in_thread`` may take without a model call.

        Raises:
            ValueError: if the mind cannot be created.
        """
        self.name = name
        self.spec = spec
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
            raise ValueError(f"the mind {spec.name} cannot be made: {_in_words(error)}") from error

    def _begin(self) -> None:
        """Create the mind, or recreate it in the state after its last good step."""
        self._generator = restored_generator(generator_state(self._generator))
        self._client = ModelClient(self.name, self._model, self._embedder, self._salt)
        self._mind: Mind = self.spec.make(
            MindContext(name=self.name, model=self._client, generator=self._generator, history=self._history)
        )
        if not callable(getattr(self._mind, "act", None)):
            raise MindError("has no method act(observation)")
        if self._kept is not None and isinstance(self._mind, Stateful):
            self._mind.set_state(deepcopy(self._kept))

    async def act(self, observation: Observation) -> Act:
        """Decide on one action, as ``Resident.act``.

        Raises:
            ModelUnavailable: if a model cannot be reached; likewise any other error of a call that is no fault
                of the mind.
        """
        mine = Observation.from_json(observation.to_json())
        self._client.begin_step(observation.time)
        try:
            answer = await self._decide(mine)
            self._check_unchanged(mine, observation)
            act = _act_of(answer, may_act=bool(observation.admissible))
            self._kept = _checked(state_of(self._mind))
            failure = ""
        except ModelError as error:
            failure, at_fault = str(error), False
        except Exception as error:
            failure, at_fault = f"the mind {self.spec.name} {_in_words(error)}", True
        calls = tuple(sorted(self._client.calls))
        if self._client.error is not None:
            raise self._client.error
        if failure:
            self._client.close_step()
            self._begin()
            return Act(action=None, failure=failure[:LONGEST_REASON], at_fault=at_fault, calls=calls)
        return replace(act, calls=calls)

    async def _decide(self, mine: Observation) -> Any:
        if self.spec.in_thread:
            return await in_thread(lambda: self._mind.act(mine), lambda: self._client.pending, self._patience)
        answer = self._mind.act(mine)
        return await answer if inspect.isawaitable(answer) else answer

    @staticmethod
    def _check_unchanged(mine: Observation, observation: Observation) -> None:
        if mine != observation:
            changed = [f.name for f in fields(mine) if getattr(mine, f.name) != getattr(observation, f.name)]
            raise MindError(f"changed its observation: {', '.join(changed)}")

    def get_state(self) -> dict[str, Any]:
        """Return the mind's state after its last good step, and the generator, as JSON-ready data."""
        return {
            "version": VERSION,
            "mind": self.spec.name,
            "name": self.name,
            "generator": generator_state(self._generator),
            "state": deepcopy(self._kept),
        }

    def answer(self) -> list[str]:
        """Return the mind's answer to an interview, or its history and state if it has no ``answer``.

        Raises:
            ValueError: if the mind raises, or returns no texts.
        """
        if not isinstance(self._mind, Interviewable):
            return [*self._history.lines(), *describe_state(self._kept)]
        try:
            told = list(self._mind.answer())
            if not all(isinstance(line, str) for line in told):
                raise MindError("told something that is no text")
        except Exception as error:
            raise ValueError(f"the mind {self.spec.name} of {self.name} {_in_words(error)}") from error
        return told

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for the state of another mind, or one that the mind does not accept.
        """
        check_hosted_version(state)
        check_keys(f"the state of {self.name!r}", state, ("version", "mind", "name", "generator", "state"))
        for key, own in (("mind", self.spec.name), ("name", self.name)):
            if state[key] != own:
                raise ValueError(f"this is the state of the {key} {state[key]!r}, and the resident has {own!r}")
        self._generator = restored_generator(state["generator"])
        self._kept = deepcopy(state["state"])
        try:
            self._begin()
        except Exception as error:
            raise ValueError(f"the mind {self.spec.name} of {self.name} {_in_words(error)}") from error


def make_resident(
    name: str,
    mind: str | MindSpec | Callable[[MindContext], Mind],
    *,
    model: LanguageModel,
    embedder: Embedder,
    seed: int = 0,
    history: History | None = None,
) -> SyncResident[HostedMind]:
    """Create a resident that decides by a mind, for plain loops and for event loops.

    Args:
        name: Designation of the resident, such as "LL".
        mind: Name of a mind as ``find_mind`` takes it; a result of ``find_mind``; or a custom class, which is
            called with a ``MindContext``.
        model: The language model that the mind calls.
        embedder: Compares texts for the mind.
        seed: Seed of the resident's random draws, which are the same as in a run with this seed.
        history: Who the resident was before; nobody in particular when None.

    Returns:
        A resident whose ``act(observation)`` waits for the decision, and whose ``act_async`` is awaited.

    Raises:
        TypeError: for a name instead of a loaded model or embedder.
        ValueError: for an unknown mind, or one that cannot be created.
    """
    check_parts(model, embedder)
    if isinstance(mind, str):
        spec = find_mind(mind)
    elif isinstance(mind, MindSpec):
        spec = mind
    else:
        spec = MindSpec(name=getattr(mind, "__qualname__", repr(mind)), in_thread=True, make=mind)
    generator = stream(seed, f"resident {name}")
    resident = HostedMind(name, spec=spec, model=model, embedder=embedder, generator=generator, history=history)
    return SyncResident(resident)


class MindError(RuntimeError):
    """A fault of a mind; the message is worded to follow the mind's name."""


def check_hosted_version(state: Mapping[str, Any]) -> None:
    """Check that this version of the code can resume a saved mind.

    Raises:
        ValueError: for another version.
    """
    if state.get("version") != VERSION:
        raise ValueError(
            f"a saved mind of {state.get('mind')!r} must be of version {VERSION}, got {state.get('version')!r}; go on "
            "with the code that it was saved by"
        )


def is_hosted(state: Mapping[str, Any]) -> bool:
    """Return whether a saved resident is a ``HostedMind``."""
    return "mind" in state


def _act_of(answer: Any, *, may_act: bool) -> Act:
    """Convert a mind's answer to an ``Act``, with texts cut to the limit.

    Raises:
        MindError: for an invalid answer.
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
        action=act.action if may_act else None,
        thought=act.thought[:LONGEST_TEXT],
        goal=act.goal[:LONGEST_TEXT],
        plan=tuple(step[:LONGEST_TEXT] for step in act.plan),
        driver=float(act.driver),
        pleasure=float(act.pleasure),
        arousal=float(act.arousal),
        dominance=float(act.dominance),
    )


def _checked(state: Any) -> Any:
    """Return a mind's state after a JSON round trip, checking its size."""
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
    """Describe an error in one line, worded to follow the mind's name."""
    if isinstance(error, (MindError, Hung)):
        return " ".join(str(error).split())
    return " ".join(f"raised {type(error).__name__}: {error}".split())
