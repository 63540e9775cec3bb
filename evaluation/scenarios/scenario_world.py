"""World of a scenario, with its initial state and regrowing food."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluation.scenarios.scenario import Scenario
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.acting import Outcome
from irollan_env.world.world import World


class ScenarioWorld(World):
    """A valley in which eaten food regrows as long as the store is not empty."""

    def __init__(self, scenario: Scenario, valley_map: ValleyMap, seed: int | np.random.Generator) -> None:
        """Set the initial state.

        Args:
            scenario: The scenario.
            valley_map: The map.
            seed: Seed of the turn order.
        """
        super().__init__(valley_map, seed)
        self._scenario = scenario
        self.set_state(_started(self.get_state(), scenario, self.map))

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
        self.set_state(state)


def _started(state: dict[str, Any], scenario: Scenario, valley_map: ValleyMap) -> dict[str, Any]:
    """Build the initial state of a scenario."""
    tables = valley_map.tables
    for item, where in scenario.items.items():
        held = where in tables.resident_number
        state["items"][item]["on"] = None if held else where
        if held:
            state["residents"][where]["holding"].append(item)
    for number, name in enumerate(tables.residents):
        place = scenario.places.get(name, scenario.places.get("all"))
        if place is None:
            continue
        for people in state["people"].values():
            if name in people:
                people.remove(name)
        state["people"][place].append(name)
        ground = tables.rectangles[tables.place_number[place]]
        share = (number + 1) / (len(tables.residents) + 1)
        position = [ground.west + share * (ground.east - ground.west), (ground.south + ground.north) / 2]
        state["residents"][name]["position"] = [round(value, 4) for value in position]
    return state
