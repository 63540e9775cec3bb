"""World of a scenario, with its initial state and regrowing food."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.scenarios.scenario import Scenario
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.acting import Outcome
from irollan_env.world.mechanic import Mechanic
from irollan_env.world.world import World


class ScenarioWorld(World):
    """A valley in which eaten food regrows as long as the store is not empty."""

    def __init__(
        self,
        scenario: Scenario,
        valley_map: ValleyMap,
        seed: int | np.random.Generator,
        *,
        places: Mapping[str, str] | None = None,
        items: Mapping[str, str] | None = None,
        mechanics: Sequence[Mechanic] = (),
    ) -> None:
        """Set the initial state.

        Args:
            scenario: The scenario.
            valley_map: The map.
            seed: Seed of the turn order.
            places: Places by resident where the scenario names none.
            items: Furniture or holder by item where the scenario names none.
            mechanics: Rules beside those that the map names.
        """

        def prepare(world: World) -> None:
            begin_with(world, places or {}, items or {})
            everywhere = dict.fromkeys(self.residents, scenario.places["all"]) if "all" in scenario.places else {}
            own = {who: place for who, place in scenario.places.items() if who != "all"}
            begin_with(world, {**everywhere, **own}, scenario.items)

        super().__init__(valley_map, seed, mechanics=mechanics, prepare=prepare)
        self._scenario = scenario

    def step(self, actions: Mapping[str, str | None], **how: Any) -> dict[str, Outcome]:
        """Take a step as ``World.step``, then regrow food."""
        outcomes = super().step(actions, **how)
        self._grow()
        return outcomes

    def end_step(self) -> dict[str, Outcome]:
        """End a step as ``World.end_step``, then regrow food."""
        outcomes = super().end_step()
        self._grow()
        return outcomes

    def _grow(self) -> None:
        """Regrow one eaten piece of food in its store."""
        regrows = self._scenario.regrows
        if not regrows or self.time % self._scenario.every:
            return
        state = self.get_state()
        food = {name: item for name, item in state["items"].items() if name.startswith("food ")}
        left = any(item["on"] in regrows and "eaten" not in item["status"] for item in food.values())
        eaten = next((name for name, item in food.items() if "eaten" in item["status"]), None)
        if not left or eaten is None:
            return
        state["items"][eaten] = {"on": regrows[0], "status": []}
        for resident in state["residents"].values():
            if eaten in resident["holding"]:
                resident["holding"].remove(eaten)
                resident["doing"] = None if resident["doing"] == f"using the {eaten}" else resident["doing"]
        changes = self._changes, self._past_changes
        self.set_state(state)
        self._changes, self._past_changes = changes


def begin_with(world: World, places: Mapping[str, str], items: Mapping[str, str]) -> None:
    """Move residents and things in a world at time step 0; who is not there yet stays away.

    Args:
        world: The world.
        places: Place by resident.
        items: Furniture or holder by item; a spare one comes into the world.
    """
    if not places and not items:
        return
    state, tables = world.get_state(), world.map.tables
    for item, where in items.items():
        held = where in tables.resident_number
        if item in state.get("absent", ()):
            state["absent"].remove(item)
            state["items"][item] = {"status": []}
        state["items"][item]["on"] = None if held else where
        for name, resident in state["residents"].items():
            if item in resident["holding"] and name != where:
                resident["holding"].remove(item)
        if held and item not in state["residents"][where]["holding"]:
            state["residents"][where]["holding"].append(item)
    for number, name in enumerate(tables.residents):
        if (place := places.get(name)) is None or not world.is_present(name):
            continue
        for people in state["people"].values():
            if name in people:
                people.remove(name)
        state["people"][place].append(name)
        ground = tables.rectangles[tables.place_number[place]]
        share = (number + 1) / (len(tables.residents) + 1)
        position = [ground.west + share * (ground.east - ground.west), (ground.south + ground.north) / 2]
        state["residents"][name]["position"] = [round(value, 4) for value in position]
    world.set_state(state)
