"""Who a resident was before it came to the valley, and how it is told."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from irollan_env.naming import listed, some


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """Who a resident was before it came to the valley; nobody in particular by default.

    Attributes:
        name: Its own name, beside its designation in the valley; empty for none.
        age: In years; None where it is not given.
        pronouns: As it is spoken of: "she/her"; empty for none.
        language: The language that it speaks; empty for English.
        occupation: What it works as: "baker"; empty for none.
        traits: Its character, in a few words.
        skills: What it is good at: "baking bread".
        goals: What it wants, after "I want to"; it sets out with the first.
        memories: Its memories, a sentence each, the oldest first; those whose time is known begin with it.
        days: How many days before the run each memory lies; None where its time is not known.
        relations: Its relation to each resident, by name.
        feelings: What it feels about residents, by name, from -1 (hate) to 1 (love).
    """

    name: str = ""
    age: int | None = None
    pronouns: str = ""
    language: str = ""
    occupation: str = ""
    traits: str = ""
    skills: Sequence[str] = ()
    goals: Sequence[str] = ()
    memories: Sequence[str] = ()
    days: Sequence[float | None] = ()
    relations: Mapping[str, str] = field(default_factory=dict)
    feelings: Mapping[str, float] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the whole history in sentences in the first person, without repeats."""
        return list(self.dated_lines())

    def dated_lines(self) -> dict[str, float | None]:
        """Return the lines with how many days before the run each lies; None for no time of its own."""
        called = [f"I am called {self.name}."] if self.name else []
        like = [f"I am {self.traits.rstrip('.')}."] if self.traits else []
        able = [f"I am good at {listed(self.skills)}."] if self.skills else []
        about = [*called, *_facts("I am", "My", self), *like, *able, *(f"I want to {goal}." for goal in self._aims())]
        days = (*self.days, *[None] * (len(self.memories) - len(self.days)))
        return {
            **dict.fromkeys(about),
            **dict(zip(self.memories, days, strict=True)),
            **dict.fromkeys(self.relation_lines().values()),
        }

    def relation_lines(self) -> dict[str, str]:
        """Return the sentence about each resident that it has a relation to."""
        lines = {}
        for who, what in self.relations.items():
            relation = f"{who} is {what.rstrip('.')}" + ("" if what.startswith("my ") else " to me")
            lines[who] = f"{relation}; I {_feels(self.feelings[who], who)}." if who in self.feelings else f"{relation}."
        return lines

    def impressions(self) -> dict[str, str]:
        """Return what it thinks of each resident it has a relation to, in the second person: "your sister"."""
        return {
            who: re.sub(r"^my\b", "your", what)
            + (f"; you {_feels(self.feelings[who], who, 'are')}" if who in self.feelings else "")
            for who, what in self.relations.items()
        }

    def introduction(self) -> str:
        """Return who it is in the second person: "You are called Lena."; empty for nobody in particular."""
        called = [f"You are called {self.name}."] if self.name else []
        like = [f"You are {self.traits.rstrip('.')}."] if self.traits else []
        able = [f"You are good at {listed(self.skills)}."] if self.skills else []
        wants = [f"You also want to {listed(self._aims()[1:])}."] if len(self.goals) > 1 else []
        return " ".join([*called, *_facts("You are", "Your", self), *like, *able, *wants])

    def _aims(self) -> list[str]:
        return [goal.rstrip(".") for goal in self.goals]

    def to_prompt(self) -> str:
        """Format the whole history as part of a prompt, followed by an empty line; empty for no history."""
        lines = self.lines()
        return "What you know of yourself:\n" + "\n".join(f"- {line}" for line in lines) + "\n\n" if lines else ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> History:
        """Read a history from an identity, or from keys that are the attributes; any may be missing.

        Args:
            data: A memory may be ``{"at": "two years ago", "text": ...}``, with a time as ``days_before`` reads it, and
                a relation ``{"about": "my sister", "feeling": 0.8}``. Keys that are no attribute are left out.

        Raises:
            ValueError: for a time that cannot be read.
        """
        known = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        if "days" not in data:
            known["memories"], known["days"] = _in_order(data.get("memories", ()))
        relations = data.get("relations", {})
        told = {who: what["about"] if isinstance(what, Mapping) else what for who, what in relations.items()}
        felt = {
            who: float(what["feeling"])
            for who, what in relations.items()
            if isinstance(what, Mapping) and "feeling" in what
        }
        known |= {"relations": told, "feelings": data.get("feelings", felt)}
        keys: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in known.items()}
        return cls(**keys)


def days_before(at: Any) -> float:
    """Return how many days before the run a time lies.

    Args:
        at: A number of days, or "yesterday", "last week", "two years ago", "half a year ago".

    Raises:
        ValueError: for anything else.
    """
    if isinstance(at, int | float) and not isinstance(at, bool) and 0 <= at <= _MOST_DAYS:
        return float(at)
    found = _AGO.fullmatch(at.strip().lower()) if isinstance(at, str) else None
    if found is None:
        raise ValueError(
            f"a time is a number of days from 0 to {_MOST_DAYS}, or such as 'yesterday', 'last week' and "
            f"'two years ago', got {at!r}"
        )
    if found["day"]:
        return 1.0 if found["day"] == "yesterday" else 0.0
    count = found["count"] or "1"
    number = float(count) if count.isdigit() else _COUNTS[count]
    return min(number * _DAYS[found["unit"] or found["last"]], float(_MOST_DAYS))


_MOST_DAYS = 50_000
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25, "decade": 3652.5}
_COUNTS = {
    "half a": 0.5, "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "a couple of": 2.0, "three": 3.0, "a few": 3.0,
    "four": 4.0, "five": 5.0, "several": 5.0, "six": 6.0, "seven": 7.0, "eight": 8.0, "nine": 9.0, "ten": 10.0,
    "eleven": 11.0, "twelve": 12.0, "fifteen": 15.0, "twenty": 20.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0,
}  # fmt: skip
_UNITS = "|".join(_DAYS)
_AGO = re.compile(
    rf"(?P<day>today|yesterday)|last (?P<last>{_UNITS})"
    rf"|(?P<count>\d{{1,5}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))}) (?P<unit>{_UNITS})s? ago"
)


def _in_order(memories: Sequence[Any]) -> tuple[tuple[str, ...], tuple[float | None, ...]]:
    """Return memories in words, the oldest first, with their days; those without a time come last, as given."""
    dated: list[tuple[str, float | None]] = []
    for memory in memories:
        if isinstance(memory, str):
            dated.append((memory, None))
            continue
        at, days = memory["at"], days_before(memory["at"])
        told = at.strip() if isinstance(at, str) else _ago(days)
        dated.append((f"{told[:1].upper()}{told[1:]}: {memory['text']}", days))
    dated.sort(key=lambda one: math.inf if one[1] is None else -one[1])
    return tuple(text for text, _ in dated), tuple(days for _, days in dated)


def _ago(days: float) -> str:
    """Return in words how long ago a number of days is, in the largest unit of which there are two."""
    if days < 2:
        return "yesterday" if days >= 1 else "today"
    unit = next(unit for unit in reversed(_DAYS) if unit != "decade" and days >= 2 * _DAYS[unit])
    return f"{days / _DAYS[unit]:.0f} {unit}s ago"


_LIKING = ((0.6, "{be} very fond of"), (0.2, "like"), (-0.2, "neither like nor dislike"), (-0.6, "do not like"))


def _feels(feeling: float, whom: str, be: str = "am") -> str:
    """Return a feeling from -1 to 1 as what follows "I", or "you" with "are"."""
    return f"{next((words for least, words in _LIKING if feeling >= least), 'cannot bear').format(be=be)} {whom}"


def _facts(be: str, own: str, history: History) -> list[str]:
    """Return age, pronouns, occupation and language in sentences, in the person of the first words."""
    work = history.occupation.rstrip(".")
    has_article = re.match(r"(?:an?|the) ", work)
    language, who = history.language, be.partition(" ")[0]
    return [
        *([f"{be} {history.age} years old."] if history.age is not None else []),
        *([f"{own} pronouns are {history.pronouns}."] if history.pronouns else []),
        *([f"{be} {work if has_article else some(work)}."] if work else []),
        *([f"{who} speak {language}, and say everything in {language}."] if language else []),
    ]
