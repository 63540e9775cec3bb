"""Residents in ordinary code: a script's loop, a notebook's cell, a Gymnasium or PettingZoo loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from functools import cache
from typing import Any, Generic, TypeVar

from irollan_env.resident import Act, Resident
from irollan_env.world.observation import Observation

T = TypeVar("T")
R_co = TypeVar("R_co", bound=Resident, covariant=True)


@cache
def background_loop() -> asyncio.AbstractEventLoop:
    """The event loop, one for the process, that runs in a thread of its own; it ends with the process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="irollan event loop", daemon=True).start()
    return loop


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in the background loop, whether or not an event loop runs here already."""
    return asyncio.run_coroutine_threadsafe(coroutine, background_loop()).result()


class SyncResident(Generic[R_co]):
    """A resident whose ``act`` is an ordinary function: it works in a plain loop and where an event loop runs.

    Args:
        resident: The resident; give it to a society that awaits its residents.

    Attributes:
        resident: The same.
    """

    def __init__(self, resident: R_co) -> None:
        self.resident = resident

    @property
    def name(self) -> str:
        """The name of the resident."""
        return self.resident.name

    def act(self, observation: Observation) -> Act:
        """Decide on one action for what is observed now, and wait for the decision."""
        return run_sync(self.resident.act(observation))

    async def act_async(self, observation: Observation) -> Act:
        """As ``act``; several residents that are awaited together ask their models together."""
        deciding = asyncio.run_coroutine_threadsafe(self.resident.act(observation), background_loop())
        return await asyncio.wrap_future(deciding)

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, as JSON-ready data."""
        return self.resident.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave."""
        self.resident.set_state(state)
