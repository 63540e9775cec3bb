"""What events do to minds and to the social framework, which the world does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evaluation.runs.config_parts import ExecutionDraw
from irollan_env.world.mechanics.event_settings import Event
from irollan_env.world.mechanics.events import Events
from irollan_env.world.world import World
from itcma_s.memory.memory import Memory, formative_memories
from itcma_s.resident import ItcmaResident
from ltrha import LTRHA

if TYPE_CHECKING:
    from evaluation.runs.society import Society


def events_of(world: World) -> Events | None:
    """Return the mechanic of a world's events; None for a world without."""
    return next((mechanic for mechanic in world.mechanics if isinstance(mechanic, Events)), None)


class Interventions:
    """Carries out what events do beside the world, before each step of a society."""

    def __init__(
        self,
        reframed: Callable[[Mapping[str, Any]], tuple[LTRHA | None, ExecutionDraw]],
        memories_of: Callable[[str], Sequence[Memory]],
    ) -> None:
        """Prepare.

        Args:
            reframed: Makes the framework that other settings of LTRHA give, by their paths below ``ltrha.``, and says
                when it draws.
            memories_of: Returns what a newcomer remembers from before the run; it does so from its arrival on.
        """
        self._reframed, self._memories_of = reframed, memories_of
        self._settings: Mapping[str, Any] = {}

    def __call__(self, society: Society) -> None:
        """Carry out what is due in a society between two steps."""
        if (events := events_of(society.world)) is None:
            return
        if events.framework_settings != self._settings:
            self._settings = dict(events.framework_settings)
            framework, society.execution_draw = self._reframed(self._settings)
            if society.framework is not None and framework is not None:
                society.framework.change(framework)
        for event in events.take_waiting():
            if event.arrive is not None and isinstance(mind := society.residents[event.arrive.resident], ItcmaResident):
                for memory in self._memories_of(mind.name):
                    mind.remember(memory)
            _change_memories(society, event)


def _change_memories(society: Society, event: Event) -> None:
    if (lost := event.forget) is not None:
        _mind(society, lost.resident).forget(lost.text)
    if (new := event.remember) is not None and society.table is not None:
        memories = formative_memories([new.text], society.world.map.names, society.table, society.world.residents)
        _mind(society, new.resident).remember(memories[0])


def _mind(society: Society, name: str) -> ItcmaResident:
    resident = society.residents[name]
    if not isinstance(resident, ItcmaResident):
        raise ValueError(f"{name} has no mind whose memories can change; give it the mind itcma-s")
    return resident
