"""Growth: things of a kind appear on furniture every so many steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class GrowthSettings:
    """One thing that grows: the table ``[mechanics.growth.NAME]``, with a name of your choice.

    Attributes:
        kind: The kind of thing; it has ``spare`` ones that grow, and those that were used up or spoiled.
        on: The piece of furniture on which it grows, or a kind of furniture: then on each of it.
        place: Only furniture in this place; empty for all.
        every: One grows on each piece after each so many steps.
        for_each: Instead one grows for each so many residents, where the fewest lie; 0 for one on each piece.
        most: None grows while so many of the kind lie there.
        chance: The chance that one grows when it is due, in [0, 1].
        season: When it grows, as three numbers: from the first step to before the second one of each period of as many
            steps as the third says: ``[0, 20, 40]``; empty for always.
        status: Statuses with which it appears.
    """

    kind: str
    on: str
    place: str = ""
    every: Positive = 5
    for_each: Annotated[int, Field(ge=0)] = 0
    most: Positive = 3
    chance: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    season: tuple[int, ...] = ()
    status: tuple[str, ...] = ()


class Growth(SettledMechanic[dict[str, GrowthSettings]]):
    """Lets things appear; nothing of it is kept, as the time and what lies there say what is due."""

    name = "growth"
    kind = dict[str, GrowthSettings]

    def check(self, valley_map: ValleyMap) -> None:
        """Check the settings against a map; see ``SettledMechanic``."""
        for name, crop in self.settings.items():
            _check(f"mechanics.growth.{name}", crop, valley_map)

    def after_step(self, world: World) -> None:
        """Let what is due appear."""
        for crop in self.settings.values():
            if world.time % crop.every or not _in_season(crop, world.time):
                continue
            pieces = _pieces(crop, world.map)
            due = math.ceil(len(world.residents) / crop.for_each) if crop.for_each else len(pieces)
            lying = {piece: sum(world.kind_of(item) == crop.kind for item in world.contents(piece)) for piece in pieces}
            for number in range(due):
                piece = min(lying, key=lying.__getitem__) if crop.for_each else pieces[number]
                if lying[piece] < crop.most and (crop.chance == 1.0 or world.random.random() < crop.chance):
                    world.add(crop.kind, piece, cause="grown", status=crop.status)
                lying[piece] += 1


def places_of_growth(valley_map: ValleyMap) -> dict[str, tuple[str, ...]]:
    """Return the places where each kind of thing grows on a map."""
    found: dict[str, dict[str, None]] = {}
    place_of = {piece.name: piece.place for piece in valley_map.furniture}
    for crop in Growth(valley_map.mechanics.get("growth", {}), valley_map).settings.values():
        found.setdefault(crop.kind, {}).update(dict.fromkeys(place_of[piece] for piece in _pieces(crop, valley_map)))
    return {kind: tuple(places) for kind, places in found.items()}


def _pieces(crop: GrowthSettings, valley_map: ValleyMap) -> tuple[str, ...]:
    furniture = [piece for piece in valley_map.furniture if crop.place in ("", piece.place)]
    return tuple(piece.name for piece in furniture if crop.on in (piece.name, piece.kind))


def _check(where: str, crop: GrowthSettings, valley_map: ValleyMap) -> None:
    kinds = {kind.name: kind for kind in valley_map.item_kinds}
    check_name(f"{where}.kind", "kind", crop.kind, kinds)
    if kinds[crop.kind].spare < 1:
        raise ValueError(f"{where}.kind: {crop.kind!r} has none to grow; give the kind 'spare = N' in item_kinds")
    if crop.place:
        check_name(f"{where}.place", "place", crop.place, valley_map.places)
    receptacles = [kind.name for kind in valley_map.furniture_kinds if kind.receptacle]
    pieces = [piece.name for piece in valley_map.furniture if piece.kind in receptacles]
    check_name(f"{where}.on", "furniture to grow on", crop.on, [*receptacles, *pieces])
    if not _pieces(crop, valley_map):
        raise ValueError(f"{where}.on: there is no {crop.on!r} in {crop.place!r}; name one that stands there")
    for status in crop.status:
        check_name(f"{where}.status", "status", status, valley_map.statuses)
    if crop.season and not (len(crop.season) == 3 and 0 <= crop.season[0] < crop.season[1] <= crop.season[2]):
        told = "must be three numbers: first step, end and length of the period, such as [0, 20, 40]"
        raise ValueError(f"{where}.season: {told}, got {list(crop.season)}")


def _in_season(crop: GrowthSettings, time: int) -> bool:
    if not crop.season:
        return True
    first, end, period = crop.season
    return first <= time % period < end
