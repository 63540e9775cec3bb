"""The contract between a society and whoever lives in it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from irollan_env.actions import Action, Refusal
from irollan_env.world.observation import Observation


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """What a resident decides in one time step, and what a record keeps of how it came to it.

    Attributes:
        action: One of the six primitives; None waits for one step. A plain text is parsed; what is no action is kept
            as a ``Refusal``, and the world answers that it is inadmissible.
        thought: What the resident thought; untrusted text.
        goal: The goal it pursued.
        plan: Its next steps in its own words, where it has any; untrusted text.
        pleasure: P in (-1, 1).
        arousal: A in (-1, 1).
        dominance: D in (-1, 1).
        driver: d, a finite number.
        relevance: Elimination's score in [1, 5] for each admissible action; None when elimination is off.
        protention: The sentence expected to follow each action that was left.
        memories: Identifiers of the long-term memories that were activated.
        imagination: What the present was blended with a memory into, a row an object: name, theta and phi in radians,
            gamma in metres. None where nothing was blended.
        explanation: Each term that made up this step's pleasure, signed: ``{"met WM": 0.31, "filtered": -0.4}``.
        calls: Identifiers of the model calls made, as in the transcript.
        failure: Why the step failed, when a model call or the mind itself did; the action is then None.
        at_fault: Whether it was the mind, and no model call.
    """

    action: Action | Refusal | None
    thought: str = ""
    goal: str = ""
    plan: tuple[str, ...] = ()
    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0
    driver: float = 0.0
    relevance: Mapping[str, float] | None = None
    protention: Mapping[str, str] = field(default_factory=dict)
    memories: tuple[int, ...] = ()
    imagination: tuple[tuple[str, float, float, float], ...] | None = None
    explanation: Mapping[str, float] = field(default_factory=dict)
    calls: tuple[int, ...] = ()
    failure: str | None = None
    at_fault: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.action, str):
            object.__setattr__(self, "action", Action.parse(self.action))


@runtime_checkable
class Resident(Protocol):
    """Anything that can live in the valley: an ITCMA-S mind, a random policy, a person at a keyboard."""

    name: str

    async def act(self, observation: Observation) -> Act:
        """Decide on one action for what is observed now.

        Where nothing is admissible, the resident is held back in this step: it perceives what there is to perceive,
        and its action is None, for which no model is to be asked.
        """
        ...

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, as JSON-ready data."""
        ...

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave."""
        ...


@runtime_checkable
class Overridable(Protocol):
    """The one method of whoever can take for its own what somebody else decided in its place."""

    def set_action(self, action: str | None) -> None:
        """Remember this as its own action of the step that it has just perceived; it asks no model.

        Args:
            action: As of ``Act``. The step was one of those in which nothing was admissible to its own mind.
        """
        ...


@runtime_checkable
class Interviewable(Protocol):
    """The one method of whoever can tell what it knows, as interviews ask it."""

    def tell(self) -> Sequence[str]:
        """What it knows, a line each, what matters most last; it asks no model and changes nothing."""
        ...


class SyncResident:
    """A resident for plain loops: ``act`` blocks, and returns the decision itself.

    It works in a script and where an event loop runs already, as in Jupyter: every decision is made in one event loop
    that runs in a background thread, in which models keep their connections.

    >>> import gymnasium, irollan_env, numpy
    >>> env = gymnasium.make("irollan_env:IrollanValley-v0", resident="LL")
    >>> agent = SyncResident(irollan_env.ScriptedResident("LL", numpy.random.default_rng(0)))
    >>> _, info = env.reset(seed=0)
    >>> act = agent.act(irollan_env.observation_of(env))
    >>> _, reward, terminated, truncated, info = env.step(act.action)
    >>> info["time"]
    1

    Args:
        resident: The resident whose decisions these are. Its ``set_action`` and ``answer`` are handed on, where it has
            them.

    Attributes:
        resident: The same.
        name: Of the resident.
    """

    def __init__(self, resident: Resident) -> None:
        self.resident = resident
        self.name = resident.name
        if isinstance(resident, Overridable):
            self.set_action = resident.set_action
        if isinstance(resident, Interviewable):
            self.tell = resident.tell

    def act(self, observation: Observation) -> Act:
        """Decide on one action for what is observed now; returns when the decision is made.

        Raises:
            RuntimeError: in the background loop itself, where ``await act_async(observation)`` is what works.
        """
        return run_blocking(self.resident.act(observation))

    async def act_async(self, observation: Observation) -> Act:
        """Decide on one action, for code that awaits it; several residents decide at the same time so."""
        return await asyncio.wrap_future(_background.submit(self.resident.act(observation)))

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, as JSON-ready data."""
        return self.resident.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave."""
        self.resident.set_state(state)


ResultT = TypeVar("ResultT")


def run_blocking(task: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a coroutine in the event loop of the background thread, and wait for its result.

    Raises:
        RuntimeError: in a coroutine that runs in that loop itself, which would wait for ever.
    """
    if _background.is_here:
        task.close()
        raise RuntimeError("this would block the event loop that residents decide in; await act_async(observation)")
    return _background.submit(task).result()


class _BackgroundLoop:
    """One event loop in a daemon thread, begun when it is first needed, and anew in a forked process."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in the loop's thread."""
        return threading.current_thread() is self._thread

    def submit(self, task: Coroutine[Any, Any, ResultT]) -> Future[ResultT]:
        """Run a coroutine; gives what any thread can wait for."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="residents", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(task, self._loop)


_background = _BackgroundLoop()
