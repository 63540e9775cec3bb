"""The protention_model: expects what each action brings, by rule, memory, forecaster and model, in this order (Eq. 7).

The order is what makes a resident cheap: a geometric rule moves the present for what is done here, memory supplies what
was seen last where an action leads to, and only what neither knows is asked of a forecaster, where there is one, and
what it does not know of the language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.model_calls import ModelCalls
from itcma_s.protention.geometric_rule import bringing, come_again, come_first, moved, placed
from itcma_s.protention.place_imagination import PlaceImagination
from itcma_s.protention.protention import (
    Forecaster,
    Protention,
    being_in,
    destination,
    finding,
    staying,
    way_back,
    way_to,
    without,
)
from itcma_s.wording import lying_there


class ProtentionModel:
    """Expects what each action brings, by rule, memory, forecaster and model, in this order.

    Departs from the paper: Eq. 7 forecasts from the channel, the imagination and the driver. The rule moves the present
    and, beside it, the imagination; the driver reaches a forecaster alone, where there is one that takes it.
    """

    def __init__(self, table: NameTable, imagination: PlaceImagination, forecaster: Forecaster | None = None) -> None:
        """Prepare.

        Args:
            table: The names of all fields.
            imagination: Says what there may be in places never seen.
            forecaster: Asked before that; None for none.
        """
        self._table = table
        self._imagination = imagination
        self._forecaster = forecaster
        # Place -> what it was put together from the last time, and how it looks from where one comes in.
        self._arrivals: dict[str, tuple[tuple[Any, ...], Field]] = {}

    def know(self, imagined: Mapping[str, str]) -> None:
        """Take in earlier imaginations of places, so that the model is not asked about them again."""
        self._imagination.know(imagined)

    async def protend(
        self,
        observation: Observation,
        actions: Sequence[Action],
        last_fields: Mapping[str, Field],
        memory: LongTermMemory,
        views: Mapping[str, Mapping[str, Field]],
        familiarity: Familiarity,
        imagined: dict[str, str],
        *,
        moment: Moment,
        calls: ModelCalls,
    ) -> list[Protention]:
        """What follows each action.

        Args:
            observation: What is perceived now.
            actions: Those that elimination left.
            last_fields: Place -> the last field seen there, for what is not in long-term memory yet.
            memory: Long-term memory.
            views: How places look from where one walked to in them, as ``Past.views``.
            familiarity: What is known.
            imagined: Place never seen -> what the model said is there; grows.
            moment: What is expected follows from this; the rule moves its present.
            calls: The model calls of this step.

        Returns:
            One protention per action.

        Raises:
            ModelError: if the model was asked and failed; its other answers are kept, and `calls` has their calls.
        """
        lying, here, company = lying_there(observation), observation.place, observation.company
        names = list(moment.present.names(self._table))
        imagined_names = None if moment.imagination is moment.present else list(moment.imagination.names(self._table))
        ways = {action: destination(action, here) for action in actions}
        ahead = [place for place in ways.values() if place is not None]
        fields = {place: last_fields[place] if place in last_fields else memory.last_seen(place) for place in ahead}
        new = [place for place, seen in fields.items() if seen is None and place != "outside"]
        forecasts = await self._unseen(new, imagined, moment, calls)
        walks: tuple[dict[int, Field], dict[int, Field]] = {}, {}
        people, rows = familiarity.people_by_place(), _first_rows(names)
        movable = [percept for percept in observation.percepts if percept.kind in ("person", "item")]
        near = frozenset(percept.name for percept in movable)
        elsewhere = near.difference(observation.holding)
        return [
            self._here(action, here, company, names, imagined_names, lying, moment, views.get(here, {}), walks)
            if place is None
            else self._arrival(
                action,
                place,
                here,
                fields[place],
                people.get(place, ()),
                _but_for(elsewhere, forecasts.get(place), self._table),
                without(imagined[place], near) if place in imagined else None,
                moment.present,
                rows,
                views.get(place, {}),
                familiarity,
            )
            for action, place in ways.items()
        ]

    async def _unseen(
        self, places: Sequence[str], imagined: dict[str, str], moment: Moment, calls: ModelCalls
    ) -> dict[str, Field]:
        """Those of the places never seen that the forecaster knows something about; the others are imagined."""
        forecasts: dict[str, Field] = {}
        if self._forecaster is not None:
            expected = self._forecaster.forecast(moment, [Action(f"go to {place}") for place in places], self._table)
            forecasts = {place: field for place, field in zip(places, expected, strict=True) if field is not None}
        unknown = [place for place in places if place not in forecasts and place not in imagined]
        if unknown:
            await self._imagination.imagine_all(unknown, imagined, calls)
        return forecasts

    def _here(
        self,
        action: Action,
        here: str,
        company: tuple[str, ...],
        names: list[str],
        imagined: list[str] | None,
        lying: dict[str, str],
        moment: Moment,
        views: Mapping[str, Field],
        walks: tuple[dict[int, Field], dict[int, Field]],
    ) -> Protention:
        """What follows an action that does not leave the place.

        `names` are those of the present, `imagined` those of the imagination, None where that is the present. `walks`
        are the walks of either that were made for another action.
        """
        on = lying.get(action.target) if action.primitive is Primitive.USE else None
        sentence, target = staying(action, on, here)
        view = views.get(target)
        return Protention(
            action=action,
            sentence=sentence,
            foresee=partial(self._after, action, names, moment, view, walks[0]),
            place=here,
            company=company,
            source="rule",
            imagine=None if imagined is None else partial(moved, moment.imagination, action, imagined, view, walks[1]),
        )

    def _after(
        self, action: Action, names: list[str], moment: Moment, view: Field | None, walks: dict[int, Field]
    ) -> Field:
        """The field after an action that stays in the place: by the rule, or where that moves nothing, as forecast.

        Of a chat the rule knows that one turns to somebody, and not who comes and goes meanwhile: what is there is then
        as forecast, and stands where the rule says.
        """
        present = moment.present
        after = moved(present, action, names, view, walks)
        if self._forecaster is None or not (after is present or action.primitive is Primitive.CHAT):
            return after
        (forecast,) = self._forecaster.forecast(moment, [action], self._table)
        if forecast is None:
            return after
        return forecast if after is present else placed(forecast, after)

    def _arrival(
        self,
        action: Action,
        place: str,
        here: str,
        seen: Field | None,
        people: tuple[str, ...],
        forecast: Field | None,
        imagined: str | None,
        present: Field,
        rows: Mapping[str, int],
        views: Mapping[str, Field],
        familiarity: Familiarity,
    ) -> Protention:
        """What follows an action that leads to another place: as seen last, as forecast, or as imagined.

        `rows` are those of the present, by name.
        """
        begin = being_in(place)
        way = way_to(place, rows)
        back = way_back(way, place, here)
        expect = partial(Protention, action=action, place=place, company=people)
        if seen is not None:
            # What was seen elsewhere since, or was gone when one looked again, is not there any more.
            kept = {
                name: row
                for name, row in _first_rows(seen.names(self._table)).items()
                if name.startswith(("door to ", "road to ")) or familiarity.seen.get(name) == place
            }
            view = views.get(here)
            others = [other for spot, other in views.items() if spot in familiarity.places] if view is None else []
            foresee = partial(self._come_again, place, seen, kept, view, back, others, present)
            return expect(sentence=finding(begin, (*people, *kept)), foresee=foresee, source="memory")
        if forecast is not None:
            found = (*people, *forecast.names(self._table))
            return expect(sentence=finding(begin, found), foresee=lambda: forecast, source="learned")
        door = None if way is None else present.positions[rows[way]]
        foresee = partial(self._come_first, place, (back or place, *people), door, present)
        if place == "outside":
            return expect(sentence=finding(begin, people), foresee=foresee, source="rule")
        there = f" There may be {imagined}" if imagined else ""
        return expect(sentence=f"{begin}.{there}", foresee=foresee, source="model")

    def _come_again(
        self,
        place: str,
        seen: Field,
        kept: Mapping[str, int],
        view: Field | None,
        back: str,
        others: Sequence[Field],
        present: Field,
    ) -> Field:
        """A place as it was seen last, of which some rows are kept, each by its name; one comes in through `back`."""
        rows, door = list(kept.values()), list(kept).index(back) if back in kept else None

        def make() -> Field:
            return come_again(Field.trusted(seen.ids[rows], seen.positions[rows]), view, door, others)

        return bringing(self._arrived(place, (seen, rows, view, door, others), make), present)

    def _come_first(
        self, place: str, names: tuple[str, ...], door: NDArray[np.float64] | None, present: Field
    ) -> Field:
        """A place never seen, of which these names are known; `door` is where the door that leads there is now."""

        def make() -> Field:
            return come_first(Field.from_names(names, self._table), door)

        return bringing(self._arrived(place, (names, None if door is None else tuple(door.tolist())), make), present)

    def _arrived(self, place: str, made_from: tuple[Any, ...], make: Callable[[], Field]) -> Field:
        """How a place looks from where one comes in; from the same as the last time it is not made again."""
        known = self._arrivals.get(place)
        if known is None or known[0] != made_from:
            known = made_from, make()
            self._arrivals[place] = known
        return known[1]


def _but_for(names: frozenset[str], forecast: Field | None, table: NameTable) -> Field | None:
    """What is forecast, without those things and people that are somewhere else now."""
    if forecast is None:
        return None
    kept = [row for row, name in enumerate(forecast.names(table)) if name not in names]
    return forecast if len(kept) == len(forecast) else Field.trusted(forecast.ids[kept], forecast.positions[kept])


def _first_rows(names: Sequence[str]) -> dict[str, int]:
    """The first row of each name."""
    rows: dict[str, int] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, row)
    return rows
