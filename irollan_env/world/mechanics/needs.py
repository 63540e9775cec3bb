"""Needs: numbers of the body that rise, are felt, and fall by eating, resting, and being somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.growth import places_of_growth
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name
from irollan_env.world.mechanics.trade import KnownTrade, known_trade

if TYPE_CHECKING:
    from irollan_env.world.world import World

Share = Annotated[float, Field(ge=0.0, le=1.0)]
_DIGITS = 9


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class NeedsSettings:
    """One need: the table ``[mechanics.needs.NAME]``, in which NAME is what is felt: ``hunger``.

    Attributes:
        rises: What a step adds to it, in [0, 1].
        rises_in: Place -> what a step there adds instead.
        carrying: What a step adds for each thing held.
        start: Its level at the beginning, or the least and the most of it, from which each resident's is drawn.
        eased_by: Kind of thing or furniture -> what using one takes from it.
        eased_on: Kind of furniture -> what each step of sitting or lying on one takes from it.
        eased_in: Place -> what each step there takes from it.
        unless: Statuses with which a thing eases nothing: ``["rotten"]``.
        words: Pairs of a level and what a resident perceives from there on, in rising order:
            ``[[0.5, "You are hungry."], [0.8, "You are very hungry."]]``.
        at_end: What happens at 1: ``"nothing"``; ``"slower"``: every second step one can only wait; ``"out"``: one can
            do nothing for some steps.
        steps: How many steps one is out.
        wakes_at: The level after that.
        out_words: What a resident perceives that is out.
        seen_out: What others in the place perceive; ``{name}`` stands for the resident.
    """

    rises: Share = 0.05
    rises_in: dict[str, Share] = field(default_factory=dict)
    carrying: Share = 0.0
    start: Share | tuple[Share, Share] = 0.0
    eased_by: dict[str, Share] = field(default_factory=dict)
    eased_on: dict[str, Share] = field(default_factory=dict)
    eased_in: dict[str, Share] = field(default_factory=dict)
    unless: tuple[str, ...] = ()
    words: tuple[tuple[Share, str], ...] = ()
    at_end: Literal["nothing", "slower", "out"] = "nothing"
    steps: Positive = 5
    wakes_at: Share = 0.8
    out_words: str = "You have collapsed and can do nothing."
    seen_out: str = "{name} has collapsed."


class Needs(SettledMechanic[dict[str, NeedsSettings]]):
    """Any number of needs, each with a level in [0, 1] for each resident."""

    name = "needs"
    kind = dict[str, NeedsSettings]

    def __init__(self, settings: Mapping[str, Any], valley_map: ValleyMap) -> None:
        """Make the mechanic of a map; see ``SettledMechanic``."""
        super().__init__(settings, valley_map)
        self.kept = {"levels": {}, "out_until": {}}

    def check(self, valley_map: ValleyMap) -> None:
        """Check the settings against a map; see ``SettledMechanic``."""
        for name, one in self.settings.items():
            _check(f"mechanics.needs.{name}", one, valley_map)

    def begin(self, world: World) -> None:
        """Draw the level of each need at the beginning."""
        for name in world.residents:
            self.kept["levels"][name] = {need: _drawn(one, world) for need, one in self.settings.items()}

    def after_step(self, world: World) -> None:
        """Let needs rise, fall by rest, and come to their end."""
        out_until = self.kept["out_until"]
        for name in filter(world.is_present, world.residents):
            levels, out = self._levels(name), out_until.get(name, {})
            for need, one in self.settings.items():
                if need in out:
                    if world.time >= out[need]:
                        del out[need]
                        levels[need] = one.wakes_at
                    continue
                levels[need] = _inside(levels[need] + self._change(world, name, one))
                if levels[need] == 1.0 and one.at_end == "out":
                    out[need] = world.time + one.steps
            out_until[name], self.kept["levels"][name] = out, levels
        self.kept["out_until"] = {name: out for name, out in out_until.items() if out}

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        """Refuse everything to a resident that is out, and every second step to one that is slow."""
        for need, one in self.settings.items():
            if need in self._out(resident):
                return one.out_words
            if one.at_end == "slower" and world.time % 2 and self._levels(resident)[need] == 1.0:
                return "You are too weak to do anything but wait for a moment."
        return None

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Ease the needs that the use of a thing or of furniture eases."""
        if action.primitive is not Primitive.USE:
            return ""
        used, levels, eased = self.kind_of(action.target), self._levels(resident), []
        spoiled = set(world.status_of(action.target)) if action.target in self._map.tables.item_number else set()
        for need, one in self.settings.items():
            if by := 0.0 if spoiled.intersection(one.unless) else one.eased_by.get(used, 0.0):
                if levels[need] > 0.0:
                    eased.append(need)
                levels[need] = _inside(levels[need] - by)
        self.kept["levels"][resident] = levels
        return " ".join(f"It eases your {need}." for need in eased)

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Say what a resident feels, and whom it sees collapsed."""
        out, levels = self._out(resident), self._levels(resident)
        for need, one in self.settings.items():
            said = [sentence for least, sentence in one.words if levels[need] >= least]
            yield from [one.out_words] if need in out else said[-1:]
        if self.kept["out_until"]:
            for name in world.people_in(world.place_of(resident)):
                if name != resident:
                    yield from (self.settings[need].seen_out.replace("{name}", name) for need in self._out(name))

    def needs(self, world: World, resident: str) -> Mapping[str, float]:
        """Return the levels of a resident."""
        return dict(self._levels(resident))

    def variables(self, world: World, resident: str | None) -> Mapping[str, float]:
        """Return ``{"out": 1}`` for a resident that is out."""
        return {"out": 1.0} if resident is not None and self._out(resident) else {}

    def _levels(self, resident: str) -> dict[str, float]:
        """Return the levels of a resident; a need that was added in a running world begins at its least start."""
        levels: dict[str, float] = self.kept["levels"].get(resident, {})
        if levels.keys() != self.settings.keys():
            levels = {need: levels.get(need, _bounds(one)[0]) for need, one in self.settings.items()}
        return levels

    def _out(self, resident: str) -> Mapping[str, int]:
        """Return the needs for which a resident is out, with the step until which it is."""
        out: Mapping[str, int] = self.kept["out_until"].get(resident, {})
        return out

    def _change(self, world: World, name: str, one: NeedsSettings) -> float:
        """Return what a step does to a need."""
        place = world.place_of(name)
        rise = one.rises_in.get(place, one.rises) + one.carrying * len(world.holding(name))
        seat = world.seat_of(name)
        rest = one.eased_on.get(self.kind_of(seat), 0.0) if seat is not None else 0.0
        return rise - rest - one.eased_in.get(place, 0.0)


class CommonKnowledge(NamedTuple):
    """What all who live on a map know of their needs.

    Attributes:
        eases: Need -> kind of thing or furniture, or place -> what it takes from the need; 0 for things in a status in
            which they do not, such as ``"rotten food"``.
        grows: Kind of thing that eases a need -> the places where it grows.
        trade: Resident -> what it knows of prices and wages; empty where there is no trade.
    """

    eases: Mapping[str, Mapping[str, float]]
    grows: Mapping[str, tuple[str, ...]]
    trade: Mapping[str, KnownTrade] = MappingProxyType({})


def common_knowledge(valley_map: ValleyMap) -> CommonKnowledge:
    """Return what all who live on a map know of their needs, and of its trade; nothing where it has none."""
    sold = "trade" in valley_map.mechanics
    trade = {one.name: known_trade(valley_map, one.name) for one in valley_map.residents} if sold else {}
    if "needs" not in valley_map.mechanics:
        return CommonKnowledge({}, {}, trade)
    settings = Needs(valley_map.mechanics["needs"], valley_map).settings
    eases = {
        need: {
            **{f"{status} {kind}": 0.0 for status in one.unless for kind in one.eased_by},
            **one.eased_in,
            **one.eased_on,
            **one.eased_by,
        }
        for need, one in settings.items()
    }
    wanted = {kind for known in eases.values() for kind in known}
    grows = places_of_growth(valley_map)
    return CommonKnowledge(eases, {kind: places for kind, places in grows.items() if kind in wanted}, trade)


def _check(where: str, one: NeedsSettings, valley_map: ValleyMap) -> None:
    furniture = [kind.name for kind in valley_map.furniture_kinds if kind.usable]
    useful = [*(kind.name for kind in valley_map.item_kinds if kind.usable), *furniture]
    seats = [kind.name for kind in valley_map.furniture_kinds if kind.seat]
    for key, what, given, known in (
        ("rises_in", "place", one.rises_in, valley_map.places),
        ("eased_in", "place", one.eased_in, valley_map.places),
        ("eased_by", "kind that can be used", one.eased_by, useful),
        ("eased_on", "kind of seat", one.eased_on, seats),
        ("unless", "status", one.unless, valley_map.statuses),
    ):
        for each in given:
            check_name(f"{where}.{key}", what, each, known)
    low, high = _bounds(one)
    if low > high:
        raise ValueError(f"{where}.start: the least must not be above the most, got {[low, high]}")
    levels = [level for level, _ in one.words]
    if levels != sorted(levels):
        raise ValueError(f"{where}.words: the levels must rise, got {levels}")


def _bounds(one: NeedsSettings) -> tuple[float, float]:
    return one.start if isinstance(one.start, tuple) else (one.start, one.start)


def _drawn(one: NeedsSettings, world: World) -> float:
    low, high = _bounds(one)
    return low if low == high else round(float(world.random.uniform(low, high)), _DIGITS)


def _inside(level: float) -> float:
    return round(min(max(level, 0.0), 1.0), _DIGITS)
