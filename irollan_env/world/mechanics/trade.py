"""Trade: money as things, prices on the signs of shelves, tills that keep what is paid, and chests with wages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import listed
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Shelf:
    """A piece of furniture whose things have a price.

    Attributes:
        prices: Kind of item -> its price in pieces of money; a kind without a price is free.
        till: The furniture that keeps what is paid.
        keepers: Residents who take from the shelf without paying, and who alone take from the till.
    """

    prices: Mapping[str, Positive] = Field(min_length=1)
    till: str
    keepers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Wage:
    """A chest from which residents take what they have earned.

    Attributes:
        pays: Pieces of money that fall due each time.
        every: After how many steps they fall due; 0 for never.
        to: Who earns every so many steps; everybody when empty.
        work: A kind of furniture or item whose use earns them each time; empty for none.
        paid_after: Least number of steps between two uses of ``work`` that one resident earns for.
    """

    pays: Positive
    every: int = Field(default=0, ge=0)
    to: tuple[str, ...] = ()
    work: str = ""
    paid_after: Positive = 1


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class TradeSettings:
    """Settings of the mechanic ``trade``.

    Attributes:
        money: The kind of item that is money.
        shelves: Furniture -> what things on it cost.
        wages: Furniture with money in it -> who earns how much of it.
    """

    money: str
    shelves: Mapping[str, Shelf] = field(default_factory=dict)
    wages: Mapping[str, Wage] = field(default_factory=dict)


class Trade(SettledMechanic[TradeSettings]):
    """Sells and pays: to take a thing with a price pays it, and a chest gives each resident what it has earned."""

    name = "trade"
    kind = TradeSettings

    def check(self, valley_map: ValleyMap) -> None:
        """Check that all names are those of the map, and that tills can be reached."""
        tables, settings = valley_map.tables, self.settings
        where = "mechanics.trade"
        check_name(f"{where}.money", "kind of item", settings.money, tables.items_of)
        for name, shelf in settings.shelves.items():
            here = f"{where}.shelves.{name}"
            self._check_furniture(valley_map, here, name)
            self._check_furniture(valley_map, f"{here}.till", shelf.till)
            if shelf.till == name:
                raise ValueError(f"{here}.till is the shelf itself; name another piece of furniture")
            for one in shelf.prices:
                check_name(f"{here}.prices", "kind of item", one, tables.items_of)
            for keeper in shelf.keepers:
                check_name(f"{here}.keepers", "resident", keeper, tables.resident_number)
        for name, wage in settings.wages.items():
            here = f"{where}.wages.{name}"
            self._check_furniture(valley_map, here, name)
            for resident in wage.to:
                check_name(f"{here}.to", "resident", resident, tables.resident_number)
            if not wage.every and not wage.work:
                raise ValueError(f"{here} pays nobody; give it 'every' or 'work'")
            if wage.work:
                kinds = [*(one.name for one in valley_map.furniture_kinds), *tables.items_of]
                check_name(f"{here}.work", "kind of furniture or item", wage.work, kinds)

    @staticmethod
    def _check_furniture(valley_map: ValleyMap, where: str, name: str) -> None:
        tables = valley_map.tables
        check_name(where, "furniture", name, tables.furniture_number)
        if not tables.receptacle[tables.furniture_number[name]]:
            raise ValueError(f"{where}: nothing can be put in/on {name!r}; give its kind 'receptacle = true'")

    def refuse(self, world: World, resident: str, action: Action) -> str | None:
        """Refuse what the resident cannot pay for, what it has not earned, and the money of others."""
        if action.primitive is not Primitive.TAKE or action.item is None:
            return None
        if (wage := self.settings.wages.get(action.target)) is not None and self._is_money(world, action.item):
            due = self._due(action.target, resident)
            return None if due else f"Nothing in the {action.target} is due to you{_how(wage)}."
        for name, shelf in self.settings.shelves.items():
            if action.target == shelf.till and shelf.keepers and resident not in shelf.keepers:
                return f"The {shelf.till} belongs to {listed(shelf.keepers)}."
            if action.target == name and resident not in shelf.keepers:
                price, purse = shelf.prices.get(world.kind_of(action.item), 0), len(self._purse(world, resident))
                if purse < price:
                    return f"The {action.item} costs {self._money(price)}, and you hold {purse or 'none'}."
        return None

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Pay for what was taken, and note what was earned."""
        if action.primitive is Primitive.USE:
            return self._work(world, resident, action.target)
        if action.primitive is not Primitive.TAKE or action.item is None:
            return ""
        if action.target in self.settings.wages and self._is_money(world, action.item):
            due = self._add_due(action.target, resident, -1)
            return f"{self._money(due)} more {_is(due)} due to you." if due else ""
        shelf = self.settings.shelves.get(action.target)
        price = 0 if shelf is None or resident in shelf.keepers else shelf.prices.get(world.kind_of(action.item), 0)
        if shelf is None or not price:
            return ""
        for coin in self._purse(world, resident)[:price]:
            world.move(coin, shelf.till, cause="paid")
        return f"You pay {self._money(price)}."

    def after_step(self, world: World) -> None:
        """Let wages fall due."""
        for name, wage in self.settings.wages.items():
            if wage.every and world.time % wage.every == 0:
                for resident in wage.to or world.residents:
                    if world.is_present(resident):
                        self._add_due(name, resident, wage.pays)

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Read the signs in the resident's place, and say what is due to it there."""
        for furniture in world.furniture_in(world.place_of(resident)):
            if (shelf := self.settings.shelves.get(furniture)) is not None:
                prices = [f"{one} {self._money(price)}" for one, price in shelf.prices.items()]
                yield f"A sign on the {furniture} says: {', '.join(prices)}."
            if (wage := self.settings.wages.get(furniture)) is not None:
                due = self._due(furniture, resident)
                if due and any(self._is_money(world, item) for item in world.contents(furniture)):
                    yield f"{self._money(due)} in the {furniture} {_is(due)} due to you."
                elif wage.work:
                    yield f"Who uses a {wage.work} earns {self._money(wage.pays)}, to be taken from the {furniture}."

    def variables(self, world: World, resident: str | None) -> Mapping[str, float]:
        """Return what each resident has in hand and is due, prices that it reads, and what the tills hold."""
        money = self.settings.money
        if resident is not None:
            due = {f"{money} due in {chest}": float(self._due(chest, resident)) for chest in self.settings.wages}
            here = world.furniture_in(world.place_of(resident))
            return {money: len(self._purse(world, resident)), **due, **self._prices(here)}
        tills = dict.fromkeys(shelf.till for shelf in self.settings.shelves.values())
        held = {till: sum(self._is_money(world, item) for item in world.contents(till)) for till in tills}
        return {f"{money} in {till}": float(number) for till, number in held.items()} | self._prices(
            self.settings.shelves
        )

    def _prices(self, shelves: Iterable[str]) -> dict[str, float]:
        return {
            f"price of {one} on {name}": float(price)
            for name in shelves
            if name in self.settings.shelves
            for one, price in self.settings.shelves[name].prices.items()
        }

    def _work(self, world: World, resident: str, used: str) -> str:
        told = []
        for name, wage in self.settings.wages.items():
            if not wage.work or wage.work != self.kind_of(used) or (wage.to and resident not in wage.to):
                continue
            last = self.kept.setdefault("worked", {}).setdefault(name, {})
            if resident in last and world.time - last[resident] < wage.paid_after:
                continue
            last[resident] = world.time
            self._add_due(name, resident, wage.pays)
            told.append(f"You have earned {self._money(wage.pays)}, to be taken from the {name}.")
        return " ".join(told)

    def _due(self, chest: str, resident: str) -> int:
        due: int = self.kept.get("due", {}).get(chest, {}).get(resident, 0)
        return due

    def _add_due(self, chest: str, resident: str, number: int) -> int:
        due = self.kept.setdefault("due", {}).setdefault(chest, {})
        due[resident] = left = due.get(resident, 0) + number
        return int(left)

    def _is_money(self, world: World, item: str) -> bool:
        return world.kind_of(item) == self.settings.money

    def _purse(self, world: World, resident: str) -> Sequence[str]:
        return [item for item in world.holding(resident) if self._is_money(world, item)]

    def _money(self, number: int) -> str:
        money = self.settings.money
        return f"{number} {money}" if number == 1 or money == "money" else f"{number} {money}s"


class KnownTrade(NamedTuple):
    """What a resident knows of trade, as all who live on a map do.

    Attributes:
        money: The kind of item that is money; empty where there is no trade.
        prices: Kind of item -> place -> the least that it costs there.
        chests: Furniture with wages of the resident's -> its place.
        work: Kind of furniture or item whose use earns it money -> the places where there is one.
    """

    money: str = ""
    prices: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    chests: Mapping[str, str] = MappingProxyType({})
    work: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def known_trade(valley_map: ValleyMap, resident: str) -> KnownTrade:
    """Return what a resident knows of trade on a map at the beginning."""
    if Trade.name not in valley_map.mechanics:
        return KnownTrade()
    settings = Trade(valley_map.mechanics[Trade.name], valley_map).settings
    place_of = {piece.name: piece.place for piece in valley_map.furniture}
    prices: dict[str, dict[str, float]] = {}
    for name, shelf in settings.shelves.items():
        if resident not in shelf.keepers:
            for one, price in shelf.prices.items():
                places = prices.setdefault(one, {})
                places[place_of[name]] = min(float(price), places.get(place_of[name], float(price)))
    own = {name: wage for name, wage in settings.wages.items() if not wage.to or resident in wage.to}
    things = [*((piece.kind, piece.place) for piece in valley_map.furniture)]
    things += [(item.kind, place_of[item.on]) for item in valley_map.items if item.on in place_of]
    work = {
        wage.work: tuple(dict.fromkeys(place for one, place in things if one == wage.work))
        for wage in own.values()
        if wage.work
    }
    return KnownTrade(settings.money, prices, {name: place_of[name] for name in own}, work)


def _how(wage: Wage) -> str:
    return f"; who uses a {wage.work} earns it" if wage.work else ""


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
