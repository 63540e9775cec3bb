"""The last steps as prompt lines: what the resident and the others did and said, one line a step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from irollan_env.actions import Action, Primitive
from irollan_env.english import within
from irollan_env.naming import is_thing
from irollan_env.world.events import Event
from irollan_env.world.observation import Message, Observation
from itcma_s.deliberation.channel_in_words import STAYED, PromptDetail, own_deed, there
from itcma_s.deliberation.llm_policy.budget import tokens
from itcma_s.deliberation.plain_words import heard, joined, past, plainly, seen, without_echo
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory

_PASSING = re.compile(r' held back|^[^:;"]{1,40}? went ')
_CAME = re.compile(r'^[^:;"]{1,40}? comes? (?:in )?from ')
_TO_ME = " to you: "
_KEPT = 8  # time steps for which it is known when what happened; retention is shorter


@dataclass(frozen=True, kw_only=True, slots=True)
class Others:
    """What the others did and said in a time step, in words, in the order of events as far as known.

    Attributes:
        before: Lines from before the resident's own action.
        after: Lines from after it.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One time step in the resident's recent history.

    Attributes:
        time: The time step.
        where: The resident's place and company.
        lying: The things in that place, in words; empty where they are left out.
        others: What the others did and said in it.
        done: What the resident did; empty before it has acted, and as long as the prompt has it as the last act.
        words: What the resident said; empty where it did not speak, or was not heard.
        retained: Whether the step is part of retention (Eq. 6), or of the present.
    """

    time: int
    where: str
    lying: str = ""
    others: Others
    done: str = ""
    words: str = ""
    retained: bool = True

    def parts(self) -> list[str]:
        """Return the non-empty parts of the step, in order."""
        return [part for part in (self.lying, *self.others.before, self.words, self.done, *self.others.after) if part]


class RecentHistory:
    """The recent steps in a request, oldest first; immutable.

    Words and deeds stand in the step in which they were said and done, so that what follows one's own act is written a
    step later, as that act is. Those that retention has lost leave together, when all of them take more than they may,
    and only as many as it needs for half: so that requests begin alike for some steps.
    """

    def __init__(
        self,
        steps: Iterable[Step] = (),
        others: Mapping[int, Others] | None = None,
        held: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        """Create a history, by default an empty one.

        Args:
            steps: The steps in the prompt, oldest first.
            others: By time step, what the others did and said in it, of the steps that are retained.
            held: Filtered person -> last time step, and number of consecutive steps.
        """
        self._steps = tuple(steps)
        self._others = dict(others or {})
        self._held = dict(held or {})

    def noticed(self, observation: Observation) -> RecentHistory:
        """Return the history with what the others did and said since the last step."""
        held, now = dict(self._held), observation.time
        others = {time: what for time, what in self._others.items() if time >= now - _KEPT}
        happened: list[Event | Message] = [*observation.events, *observation.messages]
        told: dict[int, list[str]] = {now - 1: [], now: []}
        for one in sorted(happened, key=lambda one: one.time):
            if line := _line(one, observation, held):
                told[now if one.time >= now else now - 1].append(line)
        others[now - 1] = replace(others.get(now - 1, Others()), after=tuple(dict.fromkeys(told[now - 1])))
        others[now] = Others(before=tuple(dict.fromkeys(told[now])))
        return RecentHistory(self._steps, others, held)

    def with_frames(
        self, frames: Sequence[Frame], me: str, table: NameTable, detail: PromptDetail, most: float
    ) -> RecentHistory:
        """Return the history with the frames of the channel, oldest first, the last of them the present.

        Args:
            frames: Retention and primal impression.
            me: Whose they are.
            table: The names of their fields.
            detail: How much is said of what was there.
            most: The tokens that all steps together may take; retention is included in any case.
        """
        known = {step.time: step for step in self._steps}
        first = frames[0].time if frames else 0
        steps = [replace(step, retained=False) for step in self._steps if step.time < first]
        for number, frame in enumerate(frames):
            age = len(frames) - 1 - number
            step = known.get(frame.time) or _written(frame, me, table, detail)
            step = replace(step, others=self._others.get(frame.time, step.others))
            if age >= 1:
                step = replace(step, words=_said(frame, me))
            if age >= 2 or (age == 1 and step.others.after and frames[-1].place != frame.place):
                step = replace(step, done="")
                step = replace(step, done=_did(frame, me) or ("" if step.parts() else STAYED))
            steps.append(step)
        return RecentHistory(_kept(steps, most), self._others, self._held)

    def lines(self) -> list[str]:
        """Return a line per step; place and company appear where they change."""
        lines, where = [], ""
        for step in self._steps:
            parts = step.parts()
            if not parts:
                continue
            was, where = where, step.where
            new = where != was and step is not self._steps[-1]  # Where one is now is told with what is there.
            lines.append(f"- step {step.time}{where if new else ''}: {'; '.join(parts)}")
        return lines

    def render(self) -> str:
        """Return all lines as one text."""
        return "\n".join(self.lines())

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {
            "steps": [asdict(step) for step in self._steps],
            "others": [[time, asdict(others)] for time, others in self._others.items()],
            "held": {who: list(how) for who, how in self._held.items()},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the object with a state from ``get_state``."""
        return cls(
            (Step(**{**step, "others": _others(step["others"])}) for step in state["steps"]),
            {int(time): _others(others) for time, others in state["others"]},
            {who: (int(time), int(times)) for who, (time, times) in state["held"].items()},
        )


def _others(state: Mapping[str, Sequence[str]]) -> Others:
    return Others(before=tuple(state["before"]), after=tuple(state["after"]))


def _line(one: Event | Message, observation: Observation, held: dict[str, tuple[int, int]]) -> str:
    """Describe an event or message; empty for an arrival, which the company shows.

    Args:
        one: What happened.
        observation: The reader's, who is addressed as "you".
        held: Filtered person -> last time step, and number of consecutive steps; updated.
    """
    me = observation.resident
    if isinstance(one, Message):
        held.pop(one.sender, None)
        return heard(f"{one.sender} to {one.addressee}: {one.text}", me)
    if one.deed != "held back":
        held.pop(one.actor, None)
        return "" if one.deed == "came" else seen(one, me, observation.places).rstrip(".")
    last, times = held.get(one.actor, (one.time - 1, 0))
    times = times + 1 if last == one.time - 1 else 1
    held[one.actor] = (one.time, times)
    return seen(one, me, observation.places).rstrip(".") + (f" again, {times} times in a row" if times > 1 else "")


def _kept(steps: Sequence[Step], most: float) -> list[Step]:
    """Return all steps if they fit; else the latest that fit into half, and shortened retained ones."""
    if sum(map(_length, steps)) <= most:
        return list(steps)
    kept: list[Step] = []
    room = most / 2
    for number, step in enumerate(reversed(steps)):
        room -= _length(step)
        if number == 0 or room >= 0:
            kept.append(step)
        elif step.retained:
            kept.append(_in_short(step))
    return kept[::-1]


def _length(step: Step) -> int:
    return tokens("; ".join(step.parts())) + 6


def _in_short(step: Step) -> Step:
    """Return a step without what others said to one another, and where they went."""
    before, after = (
        tuple(part for part in parts if _TO_ME in part or not (part.endswith('"') or _PASSING.search(part)))
        for parts in (step.others.before, step.others.after)
    )
    return replace(step, others=Others(before=before, after=after))


def _written(frame: Frame, me: str, table: NameTable, detail: PromptDetail) -> Step:
    """Make a step from a frame of memory, which does not have the order of events within it."""
    memory = Memory.from_frame(frame)
    names = frame.field.names(table)
    people = [name for name in names if not is_thing(name) and name != me]
    where = f", {within(frame.place, you=me)}{f', with {joined(people)}' if people else ''}"
    did = [past(plainly(without_echo(line), me)).rstrip(".") for line in frame.witnessed if not _CAME.search(line)]
    said = [heard(line, me) for line in frame.said if not line.startswith(f"{me} to ")]
    others = Others(before=tuple(dict.fromkeys([*did, *said])))
    return Step(time=frame.time, where=where, lying=there(memory, names, me, table, detail), others=others)


def _said(frame: Frame, me: str) -> str:
    own = [heard(line, me) for line in frame.said if line.startswith(f"{me} to ")]
    return own[-1] if own else ""


def _did(frame: Frame, me: str) -> str:
    """Describe the resident's own action; speech only if nobody heard it."""
    if not frame.action:
        return ""
    action = Action(frame.action)
    return own_deed(action, frame.result, me, frame.said if action.primitive is Primitive.CHAT else ())
