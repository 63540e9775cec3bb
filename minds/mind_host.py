"""Host of a mind where it lives: in the process of the run, or in one of its own."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import fields
from typing import Any

import numpy as np

from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.resident import Interviewable
from irollan_env.world.observation import Observation
from language_models.packages import import_object
from language_models.protocol import ModelError
from minds.decision import Decision, MindError, checked_state, describe_error, plain_answer
from minds.history import History
from minds.mind import Mind, MindContext, Stateful, state_of
from minds.model_client import ModelClient


class ClassError(ValueError):
    """Raised if a name stands for no mind."""


def find_class(name: str, source: str) -> Callable[[MindContext], Mind]:
    """Import the class of a mind.

    Args:
        name: The mind's name, for errors.
        source: ``module:Class``; the module may be a file in the working directory.

    Raises:
        ClassError: for another form, an import that fails in any way, or a class that is no mind.
    """
    check_source(name, source)
    try:
        found: Any = import_object(f"the mind {name!r}", source)
    except ValueError as error:
        raise ClassError(str(error)) from error
    if not callable(getattr(found, "act", None)):
        raise ClassError(f"the mind {name!r} is {found!r}, which has no method act(observation); give it one")
    make: Callable[[MindContext], Mind] = found
    return make


def check_source(name: str, source: str) -> None:
    """Check that a name has the form ``module:Class``.

    Raises:
        ClassError: if it does not.
    """
    if not re.fullmatch(r"[\w.]+:[\w.]+", source):
        raise ClassError(f"a mind of one's own is written module:Class, got {name!r}")


class MindHost:
    """Makes a mind, calls it, and turns what it returns or raises into plain data."""

    def __init__(
        self,
        make: Callable[[MindContext], Mind],
        *,
        name: str,
        source: str,
        client: ModelClient,
        history: History,
        setting: str,
    ) -> None:
        """Set what the mind is made from; ``begin`` makes it.

        Args:
            make: Makes it.
            name: Name of the resident.
            source: ``module:Class`` of the mind, for errors.
            client: Makes its model calls.
            history: Who the resident was before.
            setting: What it lives in.
        """
        self._make = make
        self._name = name
        self._source = source
        self._client = client
        self._history, self._setting = history, setting
        self._generator = np.random.default_rng(0)
        self._mind: Mind | None = None

    def begin(self, first: Mapping[str, Any], generator: Mapping[str, Any] | None, state: Any) -> dict[str, Any]:
        """Make the mind, in a state from before where there is one.

        Args:
            first: State of the generator that every mind of this resident is made with.
            generator: State of the generator to go on from; None where the mind has not lived yet.
            state: The mind's state; None for none.

        Returns:
            The generator's state.

        Raises:
            MindError: if it is no mind.
            BaseException: whatever it raises.
        """
        self._mind = None
        self._generator = restored_generator(first)
        context = MindContext(
            name=self._name,
            model=self._client,
            generator=self._generator,
            history=self._history,
            setting=self._setting,
        )
        mind = self._make(context)
        if not callable(getattr(mind, "act", None)):
            raise MindError("has no method act(observation)")
        if state is not None and isinstance(mind, Stateful):
            mind.set_state(deepcopy(state))
        if generator is not None:
            self._generator.bit_generator.state = restored_generator(generator).bit_generator.state
        self._mind = mind
        return generator_state(self._generator)

    def decide(self, observation: Observation) -> Decision | Awaitable[Decision]:
        """Let the mind decide on an observation, of which it gets a copy.

        Raises:
            MindError: for a fault.
            BaseException: whatever it raises.
        """
        mine = Observation.from_json(observation.to_json())
        answer: Any = self._of().act(mine)
        if inspect.isawaitable(answer):
            return self._awaited(answer, mine, observation)
        return self._decision(answer, mine, observation)

    async def _awaited(self, answer: Awaitable[Any], mine: Observation, observation: Observation) -> Decision:
        return self._decision(await answer, mine, observation)

    def _decision(self, answer: Any, mine: Observation, observation: Observation) -> Decision:
        if mine != observation:
            changed = [f.name for f in fields(mine) if getattr(mine, f.name) != getattr(observation, f.name)]
            raise MindError(f"changed its observation: {', '.join(changed)}")
        plain = plain_answer(answer)
        state = checked_state(state_of(self._of()))
        return Decision(answer=plain, state=state, generator=generator_state(self._generator))

    def decide_alone(self, observation: Observation) -> Decision:
        """Let the mind decide, outside of any event loop; whatever it raises is a failure."""
        try:
            found = self.decide(observation)
            return asyncio.run(_coroutine(found)) if inspect.isawaitable(found) else found
        except BaseException as error:
            return self.failed(error)

    def failed(self, error: BaseException) -> Decision:
        """Return the failure of a mind that raised an error."""
        by_model = isinstance(error, ModelError) and self._client.has_failed(error)
        return Decision(
            generator=generator_state(self._generator),
            failure=(str(error) if by_model else describe_error(error, self._source)) or type(error).__name__,
            at_fault=not by_model,
        )

    def answer(self) -> list[str] | None:
        """Return what the mind answers to an interview; None for one that has no ``answer``.

        Raises:
            MindError: for something that is no text.
            BaseException: whatever it raises.
        """
        mind = self._of()
        if not isinstance(mind, Interviewable):
            return None
        told = list(mind.answer())
        if not all(isinstance(line, str) for line in told):
            raise MindError("told something that is no text")
        return [str.__str__(line) for line in told]

    def _of(self) -> Mind:
        if self._mind is None:
            raise MindError("was not made")
        return self._mind


async def _coroutine(answer: Awaitable[Decision]) -> Decision:
    return await answer
