"""Synchronous interface to residents, for scripts, notebooks and Gymnasium or PettingZoo loops."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from irollan_env.resident import Act, Interviewable, Overridable, Resident, check_act
from irollan_env.world.observation import Observation

T = TypeVar("T")
R_co = TypeVar("R_co", bound=Resident, covariant=True)


class SyncResident(Generic[R_co]):
    """A resident with a synchronous ``act``, usable in a plain loop and while an event loop is running.

    Every decision is made in one event loop that runs in a background thread, in which models keep their connections.

    >>> import gymnasium, irollan_env, numpy
    >>> env = gymnasium.make("irollan_env:IrollanValley-v0", resident="LL")
    >>> agent = SyncResident(irollan_env.ScriptedResident("LL", numpy.random.default_rng(0)))
    >>> _, info = env.reset(seed=0)
    >>> act = agent.act(irollan_env.observation_of(env))
    >>> _, reward, terminated, truncated, info = env.step(act.action)
    >>> info["time"]
    1

    Args:
        resident: The resident to wrap, which societies await directly. Where it has the methods of
            ``Overridable`` or ``Interviewable``, so has this object.

    Attributes:
        resident: The wrapped resident.
    """

    def __init__(self, resident: R_co) -> None:
        self.resident = resident
        self._has_warned = False
        if isinstance(resident, Overridable):
            self.set_action = resident.set_action
        if isinstance(resident, Interviewable):
            self.answer = resident.answer

    @property
    def name(self) -> str:
        """The name of the resident."""
        return self.resident.name

    def act(self, observation: Observation) -> Act:
        """Decide on one action for the current observation, and block until the decision is made.

        After a failed decision it waits, and ``act.failure`` says why; the first also gives a ``RuntimeWarning``.

        Raises:
            TypeError: for anything but an observation, and where the resident returned anything but an ``Act``.
            ValueError: for the observation of another resident.
            RuntimeError: in the background loop itself; ``await act_async(observation)`` there.
        """
        self._check(observation)
        return self._warned(run_sync(self.resident.act(observation)))

    async def act_async(self, observation: Observation) -> Act:
        """Decide like ``act`` without blocking; residents that are awaited together call their models concurrently."""
        self._check(observation)
        return self._warned(await asyncio.wrap_future(_background.submit(self.resident.act(observation))))

    def _check(self, observation: Observation) -> None:
        if not isinstance(observation, Observation):
            raise TypeError(
                f"act takes an Observation, got {type(observation).__name__}; irollan_env.observation_of(env, "
                f"{self.name!r}) gives it for an environment, its info or its infos"
            )
        if observation.resident != self.name:
            raise ValueError(f"{self.name} was given the observation of {observation.resident}; ask for its own")

    def _warned(self, act: Act) -> Act:
        check_act(self.name, act)
        if act.failure is not None and not self._has_warned:
            self._has_warned = True
            message = f"{self.name} waits: {act.failure} (act.failure has the reason; later ones give no warning)"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
        return act

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON-ready data."""
        return self.resident.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``."""
        self.resident.set_state(state)


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in the background loop, whether or not an event loop runs here already.

    Raises:
        RuntimeError: in the background loop itself, where it would block forever.
    """
    if _background.is_here:
        coroutine.close()
        raise RuntimeError("this would block the event loop that residents decide in; await act_async(observation)")
    return _background.submit(coroutine).result()


class _BackgroundLoop:
    """An event loop in a daemon thread, started on first use, and again in a forked process."""

    def __init__(self) -> None:
        self._forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in the loop's thread."""
        return threading.current_thread() is self._thread

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Schedule a coroutine and return its future, which any thread can wait for."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="residents", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


_background = _BackgroundLoop()
