"""Protention (Eq. 7): the field and the sentence that are expected to follow each action.

The order is what makes a resident cheap: a geometric rule moves the present for what is done here, memory supplies what
was seen last where an action leads to, and only what neither knows is asked of a forecaster, where there is one, and
what it does not know of the language model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from itertools import islice
from typing import Literal, NamedTuple

from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Chat, GoTo, Leave, Put, Take, Use, parse
from itcma_s.deliberation.by_likeness.writing import Style
from itcma_s.elimination.meanings import lying_there
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.protention.forecasting import Forecaster, Moment
from itcma_s.protention.geometric_rule import come_again, come_first, moved, placed
from itcma_s.wording import is_person, kind, lexicon, noun, the, what_it_is_like, within
from language_models.protocol import Caller, LanguageModel, ModelError

Source = Literal["rule", "memory", "model", "learned"]
_MOST_NAMES = 4
_PAGE = r'root ::= " " [a-zA-Z] [^\n".!?:]{8,90} "."'
_INSTRUCT = r'root ::= " "? [a-zA-Z] [^\n]{3,400} "\n"?'


class Protention(NamedTuple):
    """What is expected to follow one action.

    Attributes:
        action: The action.
        sentence: The expectation in words, in the first person.
        foresee: Makes the expected field.
        place: Where one would be.
        company: Who would be there.
        source: Where it comes from; of an action that stays in the place, its words.
    """

    action: str
    sentence: str
    foresee: Callable[[], Field]
    place: str
    company: tuple[str, ...]
    source: Source

    @property
    def field(self) -> Field:
        """The expected field, made when it is looked at: the feelings look at that of the action taken alone."""
        return self.foresee()


class Protender:
    """Expects what each action brings, by rule, memory, forecaster and model, in this order.

    Departs from the paper: Eq. 7 forecasts from the channel, the imagination and the driver. The rule and memory use
    the present alone; the imagination and the driver reach a forecaster, where there is one that takes them.
    """

    def __init__(
        self,
        table: NameTable,
        model: LanguageModel,
        vocabulary: frozenset[str] | None,
        style: Style = "page",
        forecaster: Forecaster | None = None,
    ) -> None:
        self._table = table
        self._model = model
        self._vocabulary = vocabulary
        self._style = style
        self._forecaster = forecaster
        prompt = "place.txt" if style == "page" else "place_instruct.txt"
        self._head = files("itcma_s.protention").joinpath("prompts", prompt).read_text(encoding="utf-8")

    async def protend(
        self,
        observation: Observation,
        actions: Sequence[str],
        lately: Mapping[str, Field],
        memory: LongTermMemory,
        views: Mapping[str, Mapping[str, Field]],
        familiarity: Familiarity,
        imagined: dict[str, str],
        *,
        moment: Moment,
        caller: Caller,
        calls: list[int],
    ) -> list[Protention]:
        """What follows each action.

        Args:
            observation: What is perceived now.
            actions: Those that elimination left.
            lately: Place -> the last field seen there, for what is not in long-term memory yet.
            memory: Long-term memory.
            views: How places look from where one walked to in them, as ``Past.views``.
            familiarity: What is known.
            imagined: Place -> what the model said is there, for places never seen; grows.
            moment: What is expected follows from this; the rule moves its present.
            caller: Who asks the model.
            calls: Identifiers of the model calls made; grows.

        Returns:
            One protention per action.

        Raises:
            ModelError: if the model was asked and failed; what it answered about other places is kept all the same, and
                `calls` has every other call.
        """
        lying, here = lying_there(observation), observation.place
        names, company = list(moment.present.names(self._table)), observation.company
        ways = {action: _destination(action, here) for action in actions}
        fields = {
            place: lately[place] if place in lately else memory.last_seen(place)
            for place in ways.values()
            if place is not None
        }
        new = [place for place, seen in fields.items() if seen is None and place != "outside"]
        forecasts: dict[str, Field] = {}
        if self._forecaster is not None:
            expected = self._forecaster.forecast(moment, [f"go to {place}" for place in new], self._table)
            forecasts = {place: field for place, field in zip(new, expected, strict=True) if field is not None}
        unknown = [place for place in new if place not in forecasts and place not in imagined]
        if unknown:
            await self._imagine_all(unknown, imagined, caller, calls)
        people, rows = familiarity.people_by_place(), _first_rows(names)
        return [
            self._here(action, here, company, names, lying, moment, views.get(here, {}))
            if place is None
            else self._arrival(
                action,
                place,
                here,
                fields[place],
                people.get(place, ()),
                forecasts.get(place),
                imagined.get(place),
                moment.present,
                rows,
                views.get(place, {}),
                familiarity,
            )
            for action, place in ways.items()
        ]

    def _here(
        self,
        action: str,
        here: str,
        company: tuple[str, ...],
        names: list[str],
        lying: dict[str, str],
        moment: Moment,
        views: Mapping[str, Field],
    ) -> Protention:
        """What follows an action that does not leave the place. `names` are those of the present."""
        parsed = parse(action)
        on = lying.get(parsed.thing) if isinstance(parsed, Use) else None
        sentence, target = _said(action, on, here)
        return Protention(
            action=action,
            sentence=sentence,
            foresee=partial(self._after, action, names, moment, views.get(target)),
            place=here,
            company=company,
            source="rule",
        )

    def _after(self, action: str, names: list[str], moment: Moment, view: Field | None) -> Field:
        """The field after an action that stays in the place: by the rule, or where that moves nothing, as forecast.

        Of a chat the rule knows that one turns to somebody, and not who comes and goes meanwhile: what is there is then
        as forecast, and stands where the rule says.
        """
        parsed, present = parse(action), moment.present
        after = moved(present, parsed, names, view)
        if self._forecaster is None or not (after is present or isinstance(parsed, Chat)):
            return after
        (forecast,) = self._forecaster.forecast(moment, [action], self._table)
        if forecast is None:
            return after
        return forecast if after is present else placed(forecast, after)

    def _arrival(
        self,
        action: str,
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
        begin = _beginning(place)
        way = _way(place, rows)
        back = _back(way, place, here)
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
            foresee = partial(_come_again, seen, kept, view, back, others, present)
            return expect(sentence=_finding(begin, (*people, *kept)), foresee=foresee, source="memory")
        if forecast is not None:
            found = (*people, *forecast.names(self._table))
            return expect(sentence=_finding(begin, found), foresee=lambda: forecast, source="learned")
        foresee = partial(self._come_first, [back or place, *people], None if way is None else rows[way], present)
        if place == "outside":
            return expect(sentence=_finding(begin, people), foresee=foresee, source="rule")
        return expect(sentence=f"{begin}. There may be {imagined}", foresee=foresee, source="model")

    def _come_first(self, names: Sequence[str], way: int | None, present: Field) -> Field:
        """A place never seen, of which these names are known; `way` is the row of the present that leads there."""
        door = None if way is None else present.positions[way]
        return come_first(Field.from_names(names, self._table), door, present)

    async def _imagine_all(
        self, places: Sequence[str], imagined: dict[str, str], caller: Caller, calls: list[int]
    ) -> None:
        """Ask the model about places; `imagined` and `calls` grow."""
        answers = await asyncio.gather(*(self._imagine(place, caller) for place in places), return_exceptions=True)
        failures: list[BaseException] = []
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, BaseException):
                failures.append(answer)
            else:
                imagined[place], call = answer
                calls.append(call)
        if failures:
            # One that no resident lives on from comes first.
            error = next((one for one in failures if not isinstance(one, ModelError)), failures[0])
            calls += [one.call for one in failures if isinstance(one, ModelError) and one is not error]
            raise error

    async def _imagine(self, place: str, caller: Caller) -> tuple[str, int]:
        """What the model says is in a place, and the identifier of the call."""
        like = what_it_is_like(place)
        about = f"{the(place)[:1].upper()}{the(place)[1:]}{f', {like}' if like else ''}"
        page = self._style == "page"
        answer = await self._model.generate(
            f"{self._head}{about}:" if page else f"{self._head}{about}.\nThere may be",
            caller=caller,
            max_tokens=24 if page else 80,
            temperature=0.3,
            pattern=_PAGE if page else _INSTRUCT,
            vocabulary=self._vocabulary,
        )
        text = answer.text.strip()
        if not page:
            text = text.removeprefix("There may be").strip().split(". ")[0].rstrip(".") + "."
        return text, answer.usage.call


def names_of(observation: Observation) -> list[str]:
    """The names of what is seen, and those that the expectation of a place never seen may need beside them."""
    names, here = [percept.name for percept in observation.percepts], observation.place
    places, sight = {_destination(action, here) for action in observation.admissible}, frozenset(names)
    ahead = sorted(place for place in places if place is not None)
    return [*names, *(_back(_way(place, sight), place, here) or place for place in ahead)]


def _back(way: str | None, place: str, here: str) -> str:
    """What leads back from a place, by what leads there; empty where that is not in sight."""
    return "" if way is None else way.removesuffix(place) + here


def _way(place: str, names: Container[str]) -> str | None:
    """What leads to a place, of what is in sight; None where nothing does."""
    for way in (f"door to {place}", f"road to {place}"):
        if way in names:
            return way
    return None


@cache
def _beginning(place: str) -> str:
    """The words for being in another place."""
    like = what_it_is_like(place)
    return f"I am {'outside' if place == 'outside' else f'in {place}'}" + (f", {like}" if like else "")


def _first_rows(names: Sequence[str]) -> dict[str, int]:
    """The first row of each name."""
    rows: dict[str, int] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, row)
    return rows


def _come_again(
    seen: Field, kept: Mapping[str, int], view: Field | None, back: str, others: Sequence[Field], present: Field
) -> Field:
    """A place as it was seen last, of which some rows are kept, each by its name; one comes in by what leads back."""
    rows, door = list(kept.values()), list(kept).index(back) if back in kept else None
    return come_again(Field.trusted(seen.ids[rows], seen.positions[rows]), view, door, others, present)


@lru_cache(maxsize=2**16)
def _said(action: str, on: str | None, place: str) -> tuple[str, str]:
    """The words for what follows an action that does not leave a place, and what one walks to for it.

    Args:
        action: The action.
        on: What lies on the furniture that it uses; None where nothing does.
        place: Where one is.
    """
    match parse(action):
        case Chat(person, _):
            return f"I talk with {person}: I tell, ask, thank or invite {person}, and {person} listens and answers.", ""
        case Put(item, target) if is_person(target):
            return f"I give {the(item)} to {target}, who has it now.", target
        case Put(item, target):
            where = f"{the(item)} lies on {the(target)} {lexicon()['lie'].get(kind(target), '')}".strip()
            return f"{_capital(where)}.", target
        case Take(item, source):
            return f"I hold {the(item)} {lexicon()['hold'].get(kind(item), '')}".strip() + ".", source
        case Use(thing):
            entry = lexicon()["use"].get(kind(thing), {"brings": "I am using {it}."})
            form = entry["brings"] if on is not None or "empty" not in entry else entry["empty"]
            return _capital(str(form).format(it=the(thing), there="it" if on is None else the(on))), thing
        case Leave(target) if is_person(target):
            return f"I walk away from {target}.", target
        case Leave(target):
            return str(lexicon()["leave"].get(kind(target), f"I step back from {the(target)}.")), target
        case _:
            return f"I am {within(place)} and wait.", ""


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _finding(begin: str, names: Iterable[str]) -> str:
    """The words for a place, with the first of the names that say something about it."""
    told = (name for name in dict.fromkeys(names) if not is_fixture(name))
    found = ", ".join(map(noun, islice(told, _MOST_NAMES)))
    return f"{begin}; there I may find {found}." if found else f"{begin}."


@lru_cache(maxsize=2**16)
def _destination(action: str, here: str) -> str | None:
    """Where an action leads, None when it does not leave the place."""
    match parse(action):
        case GoTo(place):
            return place
        case Leave(target) if target == here:
            return "outside"
        case _:
            return None


@cache
def is_fixture(name: str) -> bool:
    """Doors and furniture, which say nothing about a place that its name does not."""
    return name.startswith("door to ") or kind(name) in (
        "table", "chair", "bed", "bookshelf", "countertop", "foodshelf", "sinkbasin", "storagebin", "stoveburner",
        "wardrobe", "nightstand",
    )  # fmt: skip
