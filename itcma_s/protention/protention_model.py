"""The protention model: predicts the outcome of each action by rule, memory, forecaster or language model (Eq. 7).

The order of the sources keeps a resident cheap: a geometric rule moves the present for actions within the place, memory
supplies the last view of the place that an action leads to, and only what neither knows goes to a forecaster, if there
is one, and then to the language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from itcma_s.actions import expected_sentence
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
    way_back,
    way_to,
    without,
)
from itcma_s.wording import lying_there


class ProtentionModel:
    """Predicts the outcome of each action by rule, memory, forecaster and language model, in this order.

    Departs from the paper: Eq. 7 forecasts from the channel, the imagination and the driver. The rule moves the present
    and, beside it, the imagination; the driver reaches a forecaster alone, where there is one that takes it.
    """

    def __init__(self, table: NameTable, imagination: PlaceImagination, forecaster: Forecaster | None = None) -> None:
        """Create the protention model.

        Args:
            table: The name table of all fields.
            imagination: Imagines places never seen.
            forecaster: Is asked before `imagination`; None for none.
        """
        self._table = table
        self._imagination = imagination
        self._forecaster = forecaster
        # Place -> inputs of the last computation, and the field as seen on arrival.
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
        """Predict the outcome of each action.

        Args:
            observation: The current observation.
            actions: The actions that elimination left.
            last_fields: Place -> the last field seen there, of frames that are not in long-term memory yet.
            memory: Long-term memory.
            views: Views of places from spots in them, as ``Past.views``.
            familiarity: Known places, people and things.
            imagined: Place never seen -> the model's description; extended.
            moment: The present channel, imagination and driver to predict from.
            calls: The model calls of this step.

        Returns:
            One protention per action.

        Raises:
            ModelUnavailable: if the model was asked and cannot be reached.
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
        """Return forecasts for places never seen, and have the model imagine those without a forecast."""
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
        """Predict the outcome of an action that does not leave the place.

        `names` are the names of the present; `imagined` those of the imagination, None if it is the present. `walks`
        caches the fields after walking, for the present and for the imagination.
        """
        on = lying.get(action.target) if action.primitive is Primitive.USE else None
        sentence, target = expected_sentence(action, on, here)
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
        """Return the field after an action within the place: by the rule, or by the forecast if the rule moves nothing.

        For a chat, the rule only turns the resident and cannot predict who comes and goes: the objects are then those
        of the forecast, at the positions of the rule.
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
        """Predict the arrival in another place: as last seen, as forecast, or as imagined.

        `rows` are the rows of the present, by name.
        """
        begin = being_in(place)
        way = way_to(place, rows)
        back = way_back(way, place, here)
        expect = partial(Protention, action=action, place=place, company=people)
        if seen is not None:
            # Things since seen elsewhere, or found missing, are left out.
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
        """Return a place as last seen, reduced to the rows in `kept`, from the door `back`."""
        rows, door = list(kept.values()), list(kept).index(back) if back in kept else None

        def make() -> Field:
            return come_again(Field.trusted(seen.ids[rows], seen.positions[rows]), view, door, others)

        return bringing(self._arrived(place, (seen, rows, view, door, others), make), present)

    def _come_first(
        self, place: str, names: tuple[str, ...], door: NDArray[np.float64] | None, present: Field
    ) -> Field:
        """Return a field of the known names of a place never seen; `door` is the present position of the door to it."""

        def make() -> Field:
            return come_first(Field.from_names(names, self._table), door)

        return bringing(self._arrived(place, (names, None if door is None else tuple(door.tolist())), make), present)

    def _arrived(self, place: str, made_from: tuple[Any, ...], make: Callable[[], Field]) -> Field:
        """Return the field of a place on arrival, cached as long as its inputs are the same."""
        known = self._arrivals.get(place)
        if known is None or known[0] != made_from:
            known = made_from, make()
            self._arrivals[place] = known
        return known[1]


def _but_for(names: frozenset[str], forecast: Field | None, table: NameTable) -> Field | None:
    """Return a forecast without the given things and people, which are somewhere else."""
    if forecast is None:
        return None
    kept = [row for row, name in enumerate(forecast.names(table)) if name not in names]
    return forecast if len(kept) == len(forecast) else Field.trusted(forecast.ids[kept], forecast.positions[kept])


def _first_rows(names: Sequence[str]) -> dict[str, int]:
    """Return the first row of each name."""
    rows: dict[str, int] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, row)
    return rows
