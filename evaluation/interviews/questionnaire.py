"""Questionnaires: items with scales, read from a TOML file, from those shipped, or from a class of Concordia's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.records.files import has_ending, nearby, read_toml
from irollan_env.hints import did_you_mean, quote
from language_models.packages import import_object

MOST_OPTIONS = 101
"""Most answers among which one is chosen: those of a number from 0 to 100."""

WHO = "{resident}"
"""What a text has in place of the name of the resident who is asked."""

_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_Text = Annotated[str, Field(pattern=r"\S")]
_Points = Annotated[list[_Text], Field(min_length=2, max_length=MOST_OPTIONS)]


class QuestionnaireError(ValueError):
    """Raised for a questionnaire that cannot be read.

    Attributes:
        faults: What is wrong, a line each.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        super().__init__("; ".join(self.faults))


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class _Item(_Strict):
    """What all items have.

    Attributes:
        id: Its name in tables, unlike that of any other item.
        text: The question or statement; ``{resident}`` stands for the name of who is asked.
        scale: The scale that it belongs to; empty for none.
        reversed: Whether a high value stands for little of what the scale measures.
    """

    id: _Text
    text: _Text
    scale: str = ""
    reversed: bool = False

    @property
    def answers(self) -> list[str]:
        """Its possible answers, in order; none where it is answered in words."""
        return []

    @property
    def values(self) -> list[float]:
        """The value of each answer; none where answers have none."""
        return []

    def turned(self, value: float) -> float:
        """Return a value in the direction of the scale."""
        return min(self.values) + max(self.values) - value if self.reversed else value


class Likert(_Item):
    """An item answered by one of some labelled points, with the values 1, 2, ...

    Attributes:
        points: Their labels, the lowest first; those of the questionnaire when None.
    """

    kind: Literal["likert"]
    points: _Points | None = None
    scale: _Text

    @property
    def answers(self) -> list[str]:
        """The labels."""
        return list(self.points or ())

    @property
    def values(self) -> list[float]:
        """The numbers of the points, from 1."""
        return [float(place) for place in range(1, len(self.answers) + 1)]


class Number(_Item):
    """An item answered by a number.

    Attributes:
        minimum: The lowest.
        maximum: The highest.
        step: From one number to the next.
    """

    kind: Literal["number"]
    minimum: float
    maximum: float
    step: Annotated[float, Field(gt=0)] = 1.0
    scale: _Text

    @property
    def values(self) -> list[float]:
        """The numbers, from the lowest."""
        return [round(self.minimum + place * self.step, 10) for place in range(self.count)]

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return int((self.maximum - self.minimum) / self.step + 1e-9) + 1

    @property
    def answers(self) -> list[str]:
        """The numbers as text."""
        return [f"{value:g}" for value in self.values]


class Option(_Item):
    """An item answered by one of some options, which need no order.

    Attributes:
        options: The options.
        worth: A number for each option, for an item of a scale; none otherwise.
    """

    kind: Literal["choice"]
    options: _Points
    worth: list[float] | None = Field(default=None, alias="values")

    @property
    def answers(self) -> list[str]:
        """The options."""
        return list(self.options)

    @property
    def values(self) -> list[float]:
        """The number of each option, where they have any."""
        return list(self.worth or ())


class Free(_Item):
    """An item answered in words."""

    kind: Literal["free"]
    scale: Literal[""] = ""
    reversed: Literal[False] = False


Item: TypeAlias = Likert | Number | Option | Free
KINDS: Mapping[str, type[_Item]] = {"likert": Likert, "number": Number, "choice": Option, "free": Free}


class Questionnaire(_Strict):
    """Items with scales.

    Attributes:
        title: Its title.
        source: Where its items come from.
        licence: Under which it may be used.
        instructions: What is said before each item.
        points: Labels of the points of all Likert items without their own.
        scales: Titles of the scales, by name.
        items: The items, in the order in which they are listed.
    """

    title: _Text
    source: str = ""
    licence: str = ""
    instructions: str = ""
    points: _Points | None = None
    scales: dict[str, _Text] = Field(default_factory=dict)
    items: Annotated[list[Annotated[Item, Field(discriminator="kind")]], Field(min_length=1)]

    @cached_property
    def of_scale(self) -> dict[str, list[Item]]:
        """The items of each scale."""
        return {name: [item for item in self.items if item.scale == name] for name in self.scales}


def instruments() -> dict[str, Path]:
    """Return the files of the shipped questionnaires, by name."""
    folder = Path(str(files(__package__))) / "instruments"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_questionnaire(name: str) -> Questionnaire:
    """Find a questionnaire: a shipped one, a TOML file, or a questionnaire of Concordia as ``module:Class``.

    Raises:
        QuestionnaireError: if there is none, or something is wrong with it.
        OSError: if the file cannot be read.
    """
    if name in instruments():
        return read_questionnaire(instruments()[name])
    if _CLASS.fullmatch(name):
        return read_questions(name, import_object(f"the questionnaire {name!r}", name))
    path = Path(name).expanduser()
    if path.suffix.lower() == ".toml" or path.is_file():
        return read_questionnaire(path)
    shipped = f"{', '.join(instruments())}, a TOML file, or module:Class of Concordia's"
    hint = did_you_mean(name, instruments())
    raise QuestionnaireError([f"unknown questionnaire {quote(name)}: it must be one of {shipped}{hint}"])


def read_questionnaire(path: Path) -> Questionnaire:
    """Read a questionnaire from a TOML file.

    Raises:
        QuestionnaireError: if the file is missing, is no TOML, or describes no questionnaire; with every fault.
        OSError: if it cannot be read.
    """
    if not path.is_file():
        near = nearby(path, has_ending(".toml"))
        raise QuestionnaireError([f"there is no file {path}{f'; did you mean {near}?' if near is not None else ''}"])
    try:
        data = read_toml(path)
    except ValueError as error:
        raise QuestionnaireError([f"{path} is no questionnaire: {error}"]) from error
    return make_questionnaire(str(path), data)


def make_questionnaire(where: str, data: Mapping[str, Any]) -> Questionnaire:
    """Make a questionnaire from data as a file has it.

    Args:
        where: The beginning of each fault: the path of the file.
        data: The data.

    Raises:
        QuestionnaireError: for data of another form; with every fault.
    """
    try:
        read = Questionnaire.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        raise QuestionnaireError([f"{where}: {_fault(one, data)}" for one in found]) from error
    read = read.model_copy(
        update={
            "items": [
                item.model_copy(update={"points": read.points})
                if isinstance(item, Likert) and item.points is None
                else item
                for item in read.items
            ]
        }
    )
    if faults := _inconsistent(read):
        raise QuestionnaireError([f"{where}: {fault}" for fault in faults])
    return read


def read_questions(name: str, made: Any) -> Questionnaire:
    """Read a questionnaire of Concordia: its questions with choices become Likert items, the others free ones.

    Args:
        name: Its name, for errors.
        made: A subclass of ``concordia.contrib.data.questionnaires.base_questionnaire.QuestionnaireBase`` that is made
            without arguments, or an object of one.

    Raises:
        QuestionnaireError: for anything else.
    """
    try:
        found = made() if isinstance(made, type) else made
        items = [_item_of(number, question, found) for number, question in enumerate(found.questions, start=1)]
        scales = list(dict.fromkeys(item["scale"] for item in items if "scale" in item))
        data = {
            "title": str(found.name).replace("_", " "),
            "source": f"{name}: {found.description}",
            "instructions": _addressed(found.context),
            "scales": {scale: scale for scale in scales},
            "items": items,
        }
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise QuestionnaireError([f"{name} is no questionnaire of Concordia's: {reason}"]) from error
    return make_questionnaire(name, data)


def _item_of(number: int, question: Any, of: Any) -> dict[str, Any]:
    before = question.preprompt or of.default_preprompt
    text = _addressed(f"{before.strip()} {question.statement}".strip())
    item: dict[str, Any] = {"id": str(number), "text": text}
    if not question.choices:
        return item | {"kind": "free"}
    points = [_addressed(choice) for choice in question.choices]
    return item | {
        "kind": "likert",
        "points": points,
        "scale": question.dimension,
        "reversed": not question.ascending_scale,
    }


def _addressed(text: str) -> str:
    return text.replace("{player_name}", WHO)


def _fault(error: Any, data: Mapping[str, Any]) -> str:
    """Describe a fault of the form in a clause that names the item, the key, the value and what was expected."""
    place = [part for part in error["loc"] if part not in KINDS]
    where, form = "it", Questionnaire.model_fields
    if place[:1] == ["items"] and len(place) > 1 and isinstance(place[1], int):
        given = data["items"][place[1]]
        table = given if isinstance(given, Mapping) else {}
        called, kind = table.get("id"), str(table.get("kind"))
        where = f"item {called!r}" if isinstance(called, str) else f"item {place[1] + 1}"
        form = KINDS[kind].model_fields if kind in KINDS else {}
        place = place[2:]
        if error["type"] == "union_tag_invalid":
            return f"{where} is of the kind {kind!r}: it must be one of {', '.join(KINDS)}{did_you_mean(kind, KINDS)}"
        if error["type"] == "union_tag_not_found":
            return f"{where} lacks 'kind': one of {', '.join(KINDS)}"
    key = ".".join(map(str, place))
    known = [field.alias or name for name, field in form.items()]
    if error["type"] == "missing":
        return f"{where} lacks {key!r}"
    if error["type"] == "extra_forbidden":
        return f"{where} has an unknown key {key!r}{did_you_mean(key, known) or f'; the keys are {known}'}"
    expected = f"{error['msg'][:1].lower()}{error['msg'][1:]}, got {quote(str(error['input']))}"
    return f"{where}: {f'{key}: ' if key else ''}{expected}"


def _inconsistent(read: Questionnaire) -> list[str]:
    """Return what does not go together in a questionnaire of the right form."""
    faults = []
    seen: set[str] = set()
    for item in read.items:
        who = f"item {item.id!r}"
        if item.id in seen:
            faults.append(f"two items have the id {item.id!r}; each needs its own")
        seen.add(item.id)
        if item.scale and item.scale not in read.scales:
            known = did_you_mean(item.scale, read.scales) or f"; [scales] has {', '.join(read.scales) or 'none'}"
            faults.append(f"{who} is of the scale {item.scale!r}, which [scales] lacks{known}")
        if isinstance(item, Likert) and item.points is None:
            faults.append(f"{who} lacks 'points', and so does the questionnaire")
        if isinstance(item, Number) and not 2 <= item.count <= MOST_OPTIONS:
            faults.append(f"{who} must have from 2 to {MOST_OPTIONS} numbers from minimum to maximum, got {item.count}")
            continue  # There may be too many to list.
        if isinstance(item, Option):
            if item.worth is not None and len(item.worth) != len(item.options):
                faults.append(f"{who} must have a value for each of its {len(item.options)} options, got {item.worth}")
            if item.scale and item.worth is None:
                faults.append(f"{who} is of a scale, and lacks 'values': a number for each option")
        if len(set(item.answers)) < len(item.answers):
            faults.append(f"{who} has an answer twice: {', '.join(item.answers)}")
    if faults:
        return faults
    for name, items in read.of_scale.items():
        if not items:
            faults.append(f"the scale {name!r} has no item")
        ranges = {(min(item.values), max(item.values)) for item in items if item.values}
        if len(ranges) > 1:
            said = ", ".join(f"{low:g} to {high:g}" for low, high in sorted(ranges))
            faults.append(f"the items of the scale {name!r} must have one range of values, got {said}")
    return faults
