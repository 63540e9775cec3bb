"""Resident with any mind, which isolates the run from the mind's faults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from irollan_env.hints import check_keys
from irollan_env.random_streams import generator_state, restored_generator, stream
from irollan_env.resident import Act
from irollan_env.sync_resident import SyncResident
from irollan_env.world.observation import Observation
from language_models.protocol import Embedder, LanguageModel, check_parts
from minds import in_thread
from minds.contained import Contained
from minds.decision import LONGEST_REASON, Decision, UnusableMind, act_of, describe_error
from minds.history import History
from minds.mind import SETTING, Mind, MindContext, describe_state
from minds.mind_host import MindHost
from minds.mind_specs import MindSpec, find_mind
from minds.model_client import LocalModelClient

VERSION = 1


class HostedMind:
    """A resident whose decisions come from any mind.

    A step fails if the mind raises, hangs, changes its observation, returns an invalid answer, or has a state
    that cannot be saved: the resident waits, the record says why, and the mind's previous state is restored. An action
    that is not admissible does not fail the step: the world rejects it, and the mind perceives that.

    Attributes:
        name: The resident's name.
        spec: The mind; where it is contained, it lives in a process of its own.
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
        setting: str = SETTING,
        patience: float | None = None,
    ) -> None:
        """Create the mind.

        Args:
            name: The resident's name.
            spec: The mind.
            model: The language model that the mind calls.
            embedder: Compares texts for the mind.
            generator: Source of all random draws of the mind.
            history: Who the resident was before; nobody in particular when None.
            setting: What it lives in, as the map says.
            patience: Seconds that a contained mind, or one with ``in_thread``, may take without a model call;
                ``in_thread.PATIENCE`` when None.

        Raises:
            UnusableMind: if the mind cannot be created.
        """
        self.name = name
        self.spec = spec
        self._history = History() if history is None else history
        salt = int(deepcopy(generator).integers(2**31))
        self._client = LocalModelClient(name, model, embedder, salt, answers_for_length=spec.in_thread)
        self._first = self._generator = generator_state(generator)
        self._kept: Any = None
        patience = in_thread.PATIENCE if patience is None else patience
        self._place: Contained | _InProcess = (
            Contained(
                name=spec.name,
                source=spec.source,
                resident=name,
                client=self._client,
                history=self._history,
                setting=setting,
                patience=patience,
            )
            if spec.contained
            else _InProcess(spec, name, self._client, self._history, setting, patience)
        )
        self._is_made = False
        try:
            self._generator = self._place.begin(self._first, None, None)
        except Exception as error:
            raise self._cannot(error, "cannot be made: ") from error
        self._is_made = True

    async def act(self, observation: Observation) -> Act:
        """Decide on one action, as ``Resident.act``.

        Raises:
            ModelUnavailable: if a model cannot be reached; likewise any other error of a call that is no fault
                of the mind.
        """
        try:
            if not (self._is_made and self._place.lives):
                await self._place.begin_again(self._first, self._generator, self._kept)
                self._is_made = True
            self._client.begin_step(observation.time)
            decision = await self._place.decide(observation)
        except Exception as error:
            failure = describe_error(error, self.spec.source)
            decision = Decision(generator=self._generator, failure=failure, at_fault=True)
        finally:
            self._client.close_step()
        calls = tuple(sorted(self._client.calls))
        if self._client.error is not None:
            raise self._client.error
        self._generator = dict(decision.generator)
        if decision.failure:
            self._is_made = False
            failure = f"the mind {self.spec.name} {decision.failure}" if decision.at_fault else decision.failure
            return Act(action=None, failure=failure[:LONGEST_REASON], at_fault=decision.at_fault, calls=calls)
        self._kept = decision.state
        return replace(act_of(decision.answer, may_act=bool(observation.admissible)), calls=calls)

    def get_state(self) -> dict[str, Any]:
        """Return the mind's state after its last good step, and the generator, as JSON-ready data."""
        return {
            "version": VERSION,
            "mind": self.spec.name,
            "name": self.name,
            "generator": dict(self._generator),
            "state": deepcopy(self._kept),
        }

    def answer(self) -> list[str]:
        """Return the mind's answer to an interview, or its history and state if it has no ``answer``.

        Raises:
            UnusableMind: if the mind raises, or returns no texts.
        """
        try:
            if not (self._is_made and self._place.lives):
                self._place.begin(self._first, self._generator, self._kept)
                self._is_made = True
            told = self._place.answer()
        except Exception as error:
            raise self._cannot(error) from error
        return [*self._history.lines(), *describe_state(self._kept)] if told is None else told

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for the state of another mind.
            UnusableMind: if the mind does not accept it.
        """
        check_hosted_version(state)
        check_keys(f"the state of {self.name!r}", state, ("version", "mind", "name", "generator", "state"))
        for key, own in (("mind", self.spec.name), ("name", self.name)):
            if state[key] != own:
                raise ValueError(f"this is the state of the {key} {state[key]!r}, and the resident has {own!r}")
        self._generator = generator_state(restored_generator(state["generator"]))
        self._kept, self._is_made = deepcopy(state["state"]), False
        try:
            self._place.begin(self._first, self._generator, self._kept)
        except Exception as error:
            raise self._cannot(error) from error
        self._is_made = True

    def close(self) -> None:
        """End the process of a contained mind; nothing else has one."""
        self._place.close()

    def _cannot(self, error: Exception, what: str = "") -> UnusableMind:
        """Return the error for a failure outside of any step."""
        return UnusableMind(f"the mind {self.spec.name} of {self.name} {what}{describe_error(error, self.spec.source)}")


class _InProcess:
    """A mind in the process of the run, with the methods of ``Contained``."""

    lives = True

    def __init__(
        self, spec: MindSpec, name: str, client: LocalModelClient, history: History, setting: str, patience: float
    ) -> None:
        self._host = MindHost(spec.make, name=name, source=spec.source, client=client, history=history, setting=setting)
        self._spec, self._client, self._patience = spec, client, patience

    def begin(self, first: Mapping[str, Any], generator: Mapping[str, Any] | None, state: Any) -> dict[str, Any]:
        return self._host.begin(first, generator, state)

    async def begin_again(
        self, first: Mapping[str, Any], generator: Mapping[str, Any] | None, state: Any
    ) -> dict[str, Any]:
        return self._host.begin(first, generator, state)

    async def decide(self, observation: Observation) -> Decision:
        host = self._host
        if self._spec.in_thread:
            decide = partial(host.decide_alone, observation)
            return await in_thread.in_thread(decide, self._client.was_heard, self._patience)
        try:
            found = host.decide(observation)
            return await found if inspect.isawaitable(found) else found
        except Exception as error:
            return host.failed(error)

    def answer(self) -> list[str] | None:
        return self._host.answer()

    def close(self) -> None:
        pass


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
        name: Designation of the resident, such as "LL"; any name works, as maps may have others than the paper's.
        mind: Name of a mind as ``find_mind`` takes it; a result of ``find_mind``; or a custom class, which is
            called with a ``MindContext`` in this process.
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
        named = getattr(mind, "__qualname__", repr(mind))
        source = f"{getattr(mind, '__module__', '')}:{named}"
        spec = MindSpec(name=named, source=source, in_thread=True, make=mind)
    generator = stream(seed, f"resident {name}")
    resident = HostedMind(name, spec=spec, model=model, embedder=embedder, generator=generator, history=history)
    return SyncResident(resident)


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
