"""Recipes: things and a piece of furniture make other things, some with a tool that wears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import listed, some
from irollan_env.world.mechanics.access import Access
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Recipe:
    """One recipe: who uses the furniture, with everything on it or in hands, gets what it makes.

    Attributes:
        at: The kind of furniture.
        takes: How many items of each kind are used up.
        makes: How many items of each kind come of it; each kind needs that many spare items in the map.
        tool: A kind of item that has to be in the resident's hands; empty for none.
        wears: After how many uses a tool breaks; 0 for never.
        status: The statuses of what is made.
    """

    at: str
    takes: Mapping[str, Positive] = Field(min_length=1)
    makes: Mapping[str, Positive] = Field(min_length=1)
    tool: str = ""
    wears: int = Field(default=0, ge=0)
    status: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the recipe: ``"bread from flour and 2 water, with a rolling pin in hand"``."""
        tool = f", with a {self.tool} in hand" if self.tool else ""
        return f"{_counted(self.makes)} from {_counted(self.takes)}{tool}"


class Recipes(SettledMechanic[Mapping[str, Recipe]]):
    """Makes things: ``use oven 1`` makes bread where flour and water are on it or in the resident's hands.

    The settings are a table for each recipe, by its name. The first recipe whose ingredients are there is made.
    """

    name = "recipes"
    kind = Mapping[str, Recipe]

    def check(self, valley_map: ValleyMap) -> None:
        """Check that kinds and statuses are those of the map, and that each thing can be made."""
        tables = valley_map.tables
        for name, recipe in self.settings.items():
            where = f"mechanics.recipes.{name}"
            check_name(f"{where}.at", "kind of furniture", recipe.at, [one.name for one in valley_map.furniture_kinds])
            for key, kinds in (("takes", recipe.takes), ("makes", recipe.makes)):
                for one in kinds:
                    check_name(f"{where}.{key}", "kind of item", one, tables.items_of)
            if recipe.tool:
                check_name(f"{where}.tool", "kind of item", recipe.tool, tables.items_of)
            for status in recipe.status:
                check_name(f"{where}.status", "status", status, tables.status_bit)
        self._check_can_be_made(valley_map)

    def _check_can_be_made(self, valley_map: ValleyMap) -> None:
        there = {item.kind for item in valley_map.items}
        spare = {one.name: one.spare for one in valley_map.item_kinds}
        for name, recipe in self.settings.items():
            for made, number in recipe.makes.items():
                if spare[made] < number:
                    raise ValueError(
                        f"mechanics.recipes.{name}.makes {number} {made}, and the map has {spare[made]} spare ones; "
                        f"give the kind {made!r} 'spare = {max(number, 20)}'"
                    )
                if made in recipe.takes and made not in there:
                    raise ValueError(
                        f"mechanics.recipes.{name} needs {made!r} to make {made!r}; lay one down in the map, or take "
                        "it out of 'takes'"
                    )
        makers = list(self.settings.values())
        made_by_recipe = {one for recipe in makers for one in recipe.makes}
        # A spare kind that no recipe makes is brought by another mechanic or an event.
        possible = there | {one for one, number in spare.items() if number and one not in made_by_recipe}
        while new := {one for recipe in makers if recipe.takes.keys() <= possible for one in recipe.makes} - possible:
            possible |= new
        for name, recipe in self.settings.items():
            if circle := sorted(one for one in recipe.takes if one not in possible and one in made_by_recipe):
                raise ValueError(
                    f"mechanics.recipes.{name} needs {circle[0]!r}, which needs itself to be made; lay one down in the "
                    "map, or change a recipe"
                )

    def offers(self, world: World, resident: str) -> Iterable[Action]:
        """Offer the use of furniture at which something can be made now."""
        for furniture in world.furniture_in(world.place_of(resident)):
            if self._possible(world, resident, furniture) is not None:
                yield Action(f"use {furniture}")

    def perform(self, world: World, resident: str, action: Action) -> str | None:
        """Use furniture that is of no other use; what is made comes in ``after_action``."""
        return f"You use the {action.target}."

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Make what the first possible recipe makes."""
        if action.primitive is not Primitive.USE:
            return ""
        furniture = action.target
        if (recipe := self._possible(world, resident, furniture)) is None:
            full = self._possible(world, resident, furniture, whatever_room=True)
            return f"There is no room for {_counted(full.makes)}." if full is not None else ""
        for item in self._ingredients(world, resident, furniture, recipe) or ():
            world.remove(item, cause="recipe")
        where, made = _where(world, resident, furniture), []
        for kind, number in recipe.makes.items():
            made += [world.add(kind, where, cause="recipe", status=recipe.status) for _ in range(number)]
        names = [name for name in made if name is not None]
        world.show(resident, "used", furniture, None, f"The {listed(names)} {'are' if len(names) > 1 else 'is'} made.")
        worn = self._wear(world, resident, recipe) if recipe.tool and recipe.wears else ""
        return f"You make the {listed(names)}. {worn}".rstrip()

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Say what can be made at the furniture in the resident's place."""
        kinds = dict.fromkeys(world.kind_of(furniture) for furniture in world.furniture_in(world.place_of(resident)))
        for one in kinds:
            recipes = [recipe.describe() for recipe in self.settings.values() if recipe.at == one]
            if recipes:
                yield f"At {some(one)} one can make {'; '.join(recipes)}."

    def every_action(self, valley_map: ValleyMap) -> Iterable[Action]:
        """Return the use of all furniture that a recipe needs."""
        places = {recipe.at for recipe in self.settings.values()}
        return (Action(f"use {piece.name}") for piece in valley_map.furniture if piece.kind in places)

    def _possible(self, world: World, resident: str, furniture: str, *, whatever_room: bool = False) -> Recipe | None:
        for recipe in self.settings.values():
            if recipe.at != self.kind_of(furniture) or not self._has_tool(world, resident, recipe):
                continue
            if (used := self._ingredients(world, resident, furniture, recipe)) is None:
                continue
            if not (whatever_room or _has_room(world, _where(world, resident, furniture), recipe, used)):
                continue
            if all(world.spare(made) + recipe.takes.get(made, 0) >= number for made, number in recipe.makes.items()):
                return recipe
        return None

    def _has_tool(self, world: World, resident: str, recipe: Recipe) -> bool:
        return not recipe.tool or any(world.kind_of(item) == recipe.tool for item in world.holding(resident))

    def _ingredients(self, world: World, resident: str, furniture: str, recipe: Recipe) -> list[str] | None:
        """Return the items that a recipe uses up, on the furniture first; None where one is missing."""
        on_it = world.contents(furniture) if world.is_open(furniture) else ()
        at_hand = [item for item in (*on_it, *world.holding(resident)) if not world.is_spent(item)]
        used: list[str] = []
        for kind, number in recipe.takes.items():
            found = [item for item in at_hand if world.kind_of(item) == kind][:number]
            if len(found) < number:
                return None
            used += found
        return used

    def _wear(self, world: World, resident: str, recipe: Recipe) -> str:
        tool = next(item for item in world.holding(resident) if world.kind_of(item) == recipe.tool)
        uses = self.kept.setdefault("uses", {})
        uses[tool] = uses.get(tool, 0) + 1
        if uses[tool] < recipe.wears:
            return ""
        world.remove(tool, cause="worn out")
        return f"The {tool} breaks."

    def forget(self, item: str) -> None:
        """Forget how worn a tool was that leaves the world."""
        self.kept.get("uses", {}).pop(item, None)


def _where(world: World, resident: str, furniture: str) -> str:
    """Return where things are made: on the furniture, or in the hands of who uses what holds nothing."""
    return furniture if world.holds_things(furniture) else resident


def _has_room(world: World, where: str, recipe: Recipe, used: Sequence[str]) -> bool:
    """Return whether what a recipe makes can be there: by the limits of ``access``, and nothing heavy in the hands."""
    made = [kind for kind, number in recipe.makes.items() for _ in range(number)]
    if where in world.residents and any(map(world.is_heavy, made)):
        return False
    limits = (one for one in world.mechanics if isinstance(one, Access))
    return all(one.room_for(world, where, made, used) for one in limits)


def _counted(kinds: Mapping[str, int]) -> str:
    return listed([one if number == 1 else f"{number} {one}" for one, number in kinds.items()])
