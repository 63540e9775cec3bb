"""Notices: boards that keep what is said to them, and books and signs with a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from pydantic.dataclasses import dataclass

from irollan_env.actions import SILENCE, Action, Primitive
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name

if TYPE_CHECKING:
    from irollan_env.world.world import World


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Board:
    """A board on which residents write by chatting with it.

    Attributes:
        keeps: How many notices it keeps; the oldest goes first.
        begins_with: Notices that are there at the start.
    """

    keeps: Positive = 10
    begins_with: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class NoticesSettings:
    """Settings of the mechanic ``notices``.

    Attributes:
        boards: Furniture -> its board.
        texts: Item or furniture -> the text that using it shows.
    """

    boards: Mapping[str, Board] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


class Notices(SettledMechanic[NoticesSettings]):
    """Keeps what is written: ``chat with noticeboard 1: "..."`` writes, ``use noticeboard 1`` reads."""

    name = "notices"
    kind = NoticesSettings

    def check(self, valley_map: ValleyMap) -> None:
        """Check that boards are furniture, and texts on furniture or items of the map."""
        tables = valley_map.tables
        for name in self.settings.boards:
            check_name("mechanics.notices.boards", "furniture", name, tables.furniture_number)
        for name in self.settings.texts:
            known = [*tables.item_number, *tables.furniture_number]
            check_name("mechanics.notices.texts", "item or furniture", name, known)

    def begin(self, world: World) -> None:
        """Put up the first notices."""
        self.kept = {
            "written": {
                name: [{"number": n, "time": 0, "by": "", "text": text} for n, text in enumerate(board.begins_with, 1)]
                for name, board in self.settings.boards.items()
            },
            "read": {},
        }

    def offers(self, world: World, resident: str) -> Iterable[Action]:
        """Offer to write on the boards here and to read them, and what has a text."""
        for furniture in world.furniture_in(world.place_of(resident)):
            if furniture in self.settings.boards:
                yield Action(f"chat with {furniture}: {SILENCE}")
            if furniture in self.settings.boards or furniture in self.settings.texts:
                yield Action(f"use {furniture}")
        for item in world.holding(resident):
            if item in self.settings.texts:
                yield Action(f"use {item}")

    def perform(self, world: World, resident: str, action: Action) -> str | None:
        """Write on a board, or look at something."""
        if action.primitive is not Primitive.CHAT:
            return f"You use the {action.target}."
        if action.words == SILENCE:
            return f"You write nothing on the {action.target}."
        board, notices = self.settings.boards[action.target], self.kept["written"].setdefault(action.target, [])
        number = notices[-1]["number"] + 1 if notices else 1
        notices.append({"number": number, "time": world.time, "by": resident, "text": action.words})
        del notices[: -board.keeps]
        world.show(resident, "used", action.target, None, "")
        return f'You write on the {action.target}: "{action.words}"'

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Show what is written."""
        if action.primitive is not Primitive.USE:
            return ""
        told = []
        if action.target in self.settings.boards:
            notices = self._notices(action.target)
            told = [f'{one["by"] or "Somebody"} wrote: "{one["text"]}"' for one in notices]
            if notices:
                self.kept["read"].setdefault(action.target, {})[resident] = notices[-1]["number"]
            told = told or ["Nothing is written there."]
        if (text := self.settings.texts.get(action.target)) is not None:
            told.append(f'It says: "{text}"')
        return " ".join(told)

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Say where notices are that the resident has not read."""
        for furniture in world.furniture_in(world.place_of(resident)):
            if furniture in self.settings.boards:
                last = self.kept["read"].get(furniture, {}).get(resident, 0)
                new = sum(one["number"] > last and one["by"] != resident for one in self._notices(furniture))
                if new:
                    yield f"The {furniture} has {new} new notice{'s' if new > 1 else ''}."

    def variables(self, world: World, resident: str | None) -> Mapping[str, float]:
        """Return how many notices were ever written on each board."""
        if resident is not None:
            return {}
        written = {name: self._notices(name) for name in self.settings.boards}
        return {f"notices on {name}": float(one[-1]["number"] if one else 0) for name, one in written.items()}

    def every_action(self, valley_map: ValleyMap) -> Iterable[Action]:
        """Return writing on each board, and the use of what has a text."""
        yield from (Action(f"chat with {name}: {SILENCE}") for name in self.settings.boards)
        yield from (Action(f"use {name}") for name in dict.fromkeys([*self.settings.boards, *self.settings.texts]))

    def _notices(self, board: str) -> list[dict[str, Any]]:
        notices: list[dict[str, Any]] = self.kept["written"].get(board, [])
        return notices
