"""The conversation that one resident remembers: lines, open questions and promises."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind, whole_name
from irollan_env.world.observation import Observation
from itcma_s.deliberation.named_times import Moment, clock_of, named_time
from itcma_s.deliberation.plain_words import quoted
from itcma_s.wording import lexicon

LATEST = 60
"""Maximum number of stored lines."""

SHOWN = 9
"""Maximum number of lines in a prompt."""

DROPPED = 3
"""Number of oldest lines dropped at once, so that the prompt keeps its beginning for a few steps."""

_PATIENCE = 6  # steps after which what was asked or promised is not brought up any more
_ASKS = re.compile(
    r"\?|(?:^|[.!,;:] +(?:and |so |but |then )?)"
    r"(?:please|tell|let me know|let's|come|join|help|give|bring|show|wait)\b",
    re.IGNORECASE,
)
_PROMISES = re.compile(
    r"\b(?:I'll|I will|I'm going to|I am going to|I promise|let's|let us|we'll|we will)\b", re.IGNORECASE
)
_OF_GOING = re.compile(r"\b(?:come|go|going|follow|join|meet|over|along|lead)\b", re.IGNORECASE)
_OF_GIVING = re.compile(r"\b(?:give|hand|bring|lend|share|have|take|get|borrow|offer|like)\b", re.IGNORECASE)
_OF: Mapping[str, re.Pattern[str]] = {
    "went": _OF_GOING,
    "handed": _OF_GIVING,
    "took": re.compile(r"\b(?:fetch|take|get|borrow)\b", re.IGNORECASE),
    "cooked": re.compile(r"\bcook\b", re.IGNORECASE),
    "ate": re.compile(r"\b(?:eat|drink|taste)\b", re.IGNORECASE),
    "talked": re.compile(r"\b(?:tell|ask|call|invite|wait)\b", re.IGNORECASE),
}
_OF_DOING = re.compile(
    r"\b(?:come|go|going|follow|join|meet|visit|call|fetch|bring|give|hand|lend|share|show|tell|cook|invite|wait)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"[^.!?]+[.!?]*")
"""A sentence with its marks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of speech, with everybody who was present.

    Attributes:
        time: The time step.
        speaker: Who said them.
        addressee: Whom they were said to.
        text: The words; untrusted text.
        place: Where they were said.
        present: Everybody present, as far as the resident saw, itself included.
        due: The moment that words of the resident's own name, in a world with a calendar; None for no moment.
    """

    time: int
    speaker: str
    addressee: str
    text: str
    place: str
    present: frozenset[str]
    due: Moment | None = None

    def is_due(self, clock: Moment | None) -> bool:
        """Return whether the moment that the line names has come."""
        return self.due is not None and clock is not None and clock >= self.due

    def render(self, me: str) -> str:
        """Render the line for `me`, who was present: 'step 3, AY to you: "Hello."'."""
        speaker, addressee = ("you" if name == me else name for name in (self.speaker, self.addressee))
        return f"step {self.time}, {speaker} to {addressee}: {quoted(self.text)}"


Sort = Literal["went", "handed", "took", "cooked", "ate", "talked"]
"""What a resident did that may answer a request or keep a promise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnDeed:
    """An action that may answer a request or keep a promise.

    Attributes:
        time: The time step in which it was done.
        did: What.
        whom: Who was handed something, or spoken to; empty for everything else.
        at: The moment after it, in a world with a calendar.
    """

    time: int
    did: Sort = "went"
    whom: str = ""
    at: Moment | None = None

    def settles(self, line: Line, whom: str) -> bool:
        """Return whether the deed does what `line` asks of, or promises to, `whom`."""
        if self.at is not None and line.due is not None and not line.is_due(self.at):
            return False
        later = self.time > line.time if self.did == "talked" else self.time >= line.time
        return later and self.whom in ("", whom) and _OF[self.did].search(line.text) is not None

    def answers(self, line: Line) -> bool:
        """Return whether the deed answers the speaker of `line`; handing anything to the speaker does."""
        handed = self.did == "handed" and self.whom == line.speaker and self.time >= line.time
        return handed or self.settles(line, line.speaker)

    @classmethod
    def of(cls, done: Action, time: int) -> Self | None:
        """Make the deed of an action; None if it settles nothing, and for going, which the place shows."""
        match done.primitive:
            case Primitive.PUT if done.partner is not None:
                return cls(time=time, did="handed", whom=done.partner)
            case Primitive.TAKE:
                return cls(time=time, did="took")
            case Primitive.USE if kind(done.target) == "stoveburner":
                return cls(time=time, did="cooked")
            case Primitive.USE if kind(done.target) in lexicon()["gone"]:
                return cls(time=time, did="ate")
            case Primitive.CHAT if done.partner is not None:
                return cls(time=time, did="talked", whom=done.partner)
            case _:
                return None

    def get_state(self) -> dict[str, Any]:
        """Return the deed as JSON-ready data."""
        return _to_json(self, "at")

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the deed with a state from ``get_state``."""
        return cls(**_from_json(state, "at"))


def _named(sentence: str, line: Line) -> str:
    """Return the addressee of a sentence: the person present whom it names, else the addressee of the line."""
    there = "|".join(map(re.escape, sorted(line.present - {line.speaker})))
    called = re.findall(rf"(?:^|, )({there})(?=[,.!?;:])", sentence) if there else []
    return str(called[0]) if called else line.addressee


def _promises(sentence: str) -> bool:
    """Return whether a sentence promises to go somewhere, or to do something for somebody."""
    return "?" not in sentence and all(found.search(sentence) for found in (_PROMISES, _OF_DOING))


class Conversation:
    """The lines that one resident said or heard, oldest first; immutable."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        known = tuple(lines)
        self._lines = (*(line for line in known[:-LATEST] if line.due is not None), *known[-LATEST:])

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines, oldest first."""
        return self._lines

    def with_step(
        self, observation: Observation, own: tuple[str, str] | None, place: str, company: Collection[str]
    ) -> Conversation:
        """Return a conversation with the lines of the last step added.

        Args:
            observation: The current observation.
            own: Whom the resident spoke to in its last step, and its words; None where it did not speak.
            place: Where it spoke.
            company: Those who were there when it spoke.

        The resident's own words come before what others said in the same step, so they do not count as an answer.
        """
        me, clock = observation.resident, clock_of(observation.variables)
        lines = [line for line in self._lines if line.due is None or clock is None or not _is_over(line.due, clock[0])]
        if own is not None:
            said = observation.time - 1
            lines.append(
                Line(
                    time=said,
                    speaker=me,
                    addressee=own[0],
                    text=own[1],
                    place=place,
                    present=frozenset({me, own[0], *company}),
                    due=None if clock is None else named_time(own[1], *clock),
                )
            )
        for message in observation.messages:
            there = frozenset({me, message.sender, message.addressee, *observation.company})
            lines.append(
                Line(
                    time=message.time,
                    speaker=message.sender,
                    addressee=message.addressee,
                    text=" ".join(message.text.split()),
                    place=observation.place,
                    present=there,
                )
            )
        return Conversation(lines)

    def among(self, company: Collection[str], now: int) -> tuple[Line, ...]:
        """Return the last lines heard by somebody in `company`, and all lines since the last step; at most nine.

        Without company, these are the last lines of all. The oldest are dropped three at a time, so that the prompt
        keeps its beginning for several steps.
        """
        known = self._lines
        if company:
            known = tuple(line for line in known if line.time >= now - 1 or not line.present.isdisjoint(company))
        surplus = max(0, len(known) - SHOWN)
        return known[-(-surplus // DROPPED) * DROPPED :]

    def whole(self, line: str) -> str:
        """Complete a shortened line of memory, "AY to WM: Hel…", if the full line is known."""
        head, _, words = line.partition(": ")
        stem = words.removesuffix("…").rstrip()
        for known in reversed(self._lines):
            if head == f"{known.speaker} to {known.addressee}" and known.text.startswith(stem):
                return f"{head}: {known.text}"
        return line

    def last_with(self, person: str, me: str) -> Line | None:
        """Return the last line between two people; None without one."""
        both = {person, me}
        return next((line for line in reversed(self._lines) if {line.speaker, line.addressee} == both), None)

    def unanswered(self, me: str, now: int, deeds: Sequence[OwnDeed] = ()) -> tuple[Line, ...]:
        """Return open questions and requests of the last few steps, the latest of each person who asked.

        Speaking to the asker answers, or naming it in its presence; so does handing it something, or going elsewhere
        after an invitation to come along.
        """
        asked: dict[str, Line] = {}
        for line in self._lines:
            if line.speaker == me:
                heard = (name for name in list(asked) if name in line.present)
                for name in heard:
                    if name == line.addressee or re.search(whole_name(name), line.text):
                        del asked[name]
            elif line.addressee == me and _ASKS.search(line.text) and now - line.time <= _PATIENCE:
                asked[line.speaker] = line
        done = [line.speaker for line in asked.values() if any(deed.answers(line) for deed in deeds)]
        return tuple(line for speaker, line in asked.items() if speaker not in done)

    def promised(
        self,
        me: str,
        now: int,
        deeds: Sequence[OwnDeed] = (),
        but: Collection[str] = (),
        clock: Moment | None = None,
    ) -> tuple[Line, ...]:
        """Return open promises of the last few steps, each cut to the sentence that promises.

        A promise that names a time stays open until the day after it, and no deed before it keeps it.

        Args:
            me: The resident.
            now: The time step.
            deeds: Its deeds since.
            but: Words that the prompt has elsewhere; what is due is returned nevertheless.
            clock: The moment, in a world with a calendar.
        """
        promises = []
        for line in self._lines:
            is_due = line.is_due(clock)
            if line.speaker != me or (line.text in but and not is_due):
                continue
            if now - line.time > _PATIENCE and line.due is None:
                continue
            for sentence in (found.strip() for found in SENTENCE.findall(line.text) if _promises(found)):
                whom = _named(sentence, line)
                promise = replace(line, text=sentence, addressee=whom)
                if not any(deed.settles(promise, whom) for deed in deeds):
                    promises.append(promise)
        return tuple(promises[-3:])

    def get_state(self) -> list[dict[str, Any]]:
        """Return the state as JSON-ready data."""
        return [{**_to_json(line, "due"), "present": sorted(line.present)} for line in self._lines]

    @classmethod
    def from_state(cls, lines: Sequence[Mapping[str, Any]]) -> Self:
        """Return the object with a state from ``get_state``."""
        return cls(Line(**{**_from_json(line, "due"), "present": frozenset(line["present"])}) for line in lines)


def _is_over(due: Moment, now: Moment) -> bool:
    return now.day > due.day + 1 or (now.day == due.day + 1 and now.hour >= due.hour)


def _to_json(one: Line | OwnDeed, key: str) -> dict[str, Any]:
    """Return the attributes, without the moment under the key where there is none."""
    data = asdict(one)
    moment = data.pop(key)
    return data if moment is None else {**data, key: list(moment)}


def _from_json(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {**data, key: Moment(*data[key])} if key in data else dict(data)
