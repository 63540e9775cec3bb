"""The last steps, what was done and what was said in one: a line a step, each written once and told until it leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from irollan_env.world.naming import is_person
from irollan_env.world.primitives import Chat, parse
from itcma_s.deliberation.by_model.budget import tokens
from itcma_s.deliberation.channel_in_words import STAYED, Detail, own_deed, there
from itcma_s.deliberation.plain_words import heard, joined, past, plainly, without_echo
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
from itcma_s.wording import within

_HELD_BACK = " was held back"
_PASSING = re.compile(r" was held back|^[A-Z]{2,3} went ")
_CAME = " come"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One time step as one remembers it.

    Attributes:
        time: The time step.
        where: Where one was and with whom.
        seen: What the others did and said before one acted, in words.
        done: What one did oneself; empty as long as it is told as the last act, or has not happened.
        words: What one said oneself; empty where one did not speak, or was not heard.
        held: Who was held back then -> how often in a row.
        retained: Whether the step is part of retention (Eq. 6), or of the present.
    """

    time: int
    where: str
    seen: tuple[str, ...] = ()
    done: str = ""
    words: str = ""
    held: Mapping[str, int]
    retained: bool = True

    def parts(self) -> list[str]:
        """What there is to tell of it."""
        return [part for part in (*self.seen, self.words, self.done) if part]


class Lately:
    """The steps that are told, oldest first.

    A step is written when it is there, gets its own deed a step later, and does not change after that. Those that
    retention has lost leave together, when all of them take more than they may, and only as many as it needs for half:
    so that requests begin alike for some steps.
    """

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self._steps = tuple(steps)

    def with_frames(self, frames: Sequence[Frame], me: str, table: NameTable, detail: Detail, most: float) -> Lately:
        """With the frames of the channel, oldest first, the last of them the present.

        Args:
            frames: Retention and primal impression.
            me: Whose they are.
            table: The names of their fields.
            detail: How much is said of what was there.
            most: The tokens that all steps together may take; what is retained is told however much it is.
        """
        known = {step.time: step for step in self._steps}
        first = frames[0].time if frames else 0
        steps = [replace(step, retained=False) if step.time < first else step for step in self._steps]
        steps = [step for step in steps if step.time < first]
        for number, frame in enumerate(frames):
            before = steps[-1] if steps else None
            step = known.get(frame.time) or _written(frame, me, table, detail, before)
            age = len(frames) - 1 - number
            if age >= 1:
                step = replace(step, words=_said(frame, me))
            if age >= 2:
                step = replace(step, done=_did(frame, me) or ("" if step.parts() else STAYED))
            steps.append(step)
        return Lately(_kept(steps, most))

    def lines(self) -> list[str]:
        """A line a step; where one was and with whom is told where it changes."""
        lines, where = [], ""
        for step in self._steps:
            parts = step.parts()
            if not parts:
                continue
            was, where = where, step.where
            new = where != was and step is not self._steps[-1]  # Where one is now is told with what is there.
            lines.append(f"- step {step.time}{where if new else ''}: {'; '.join(parts)}")
        return lines

    def told(self) -> str:
        """All of it, to look up whether words are told."""
        return "\n".join(self.lines())

    def get_state(self) -> list[dict[str, Any]]:
        """JSON-ready state."""
        return [{**asdict(step), "seen": list(step.seen), "held": dict(step.held)} for step in self._steps]

    @classmethod
    def from_state(cls, steps: Sequence[Mapping[str, Any]]) -> Self:
        """What ``get_state`` gave."""
        return cls(Step(**{**step, "seen": tuple(step["seen"])}) for step in steps)


def _kept(steps: Sequence[Step], most: float) -> list[Step]:
    """All steps as long as they fit; else what is retained, with the words of as many as fit into half, the latest."""
    if sum(map(_length, steps)) <= most:
        return list(steps)
    kept: list[Step] = []
    room = most / 2
    for number, step in enumerate(reversed(steps)):
        room -= _length(step)
        if number == 0 or room >= 0:
            kept.append(step)
        elif step.retained:
            kept.append(_without_words(step, own=number == 1))
    return kept[::-1]


def _length(step: Step) -> int:
    return tokens("; ".join(step.parts())) + 6


def _without_words(step: Step, *, own: bool) -> Step:
    """A step without what others said and where they went, and but for the last step only with whom one spoke."""
    seen = tuple(part for part in step.seen if not part.endswith('"') and not _PASSING.search(part))
    if own:
        return replace(step, seen=seen)
    to = step.words.partition(": ")[0].removeprefix("you to ")
    return replace(step, seen=seen, words="", done=step.done or (f"you spoke to {to}" if to else ""))


def _written(frame: Frame, me: str, table: NameTable, detail: Detail, before: Step | None) -> Step:
    memory = Memory.from_frame(frame)
    names = frame.field.names(table)
    people = [name for name in names if is_person(name) and name != me]
    where = f", {within(frame.place, you=me)}{f', with {joined(people)}' if people else ''}"
    held: dict[str, int] = {}
    seen: list[str] = [lying] if (lying := there(memory, names, me, table, detail)) else []
    for line in frame.witnessed:
        actor = line.partition(" ")[0]
        if f"{actor}{_CAME}" in line:
            continue
        text = past(plainly(without_echo(line), me)).rstrip(".")
        if _HELD_BACK in text:
            held[actor] = 1 + (before.held.get(actor, 0) if before is not None else 0)
            text = f"{actor} was held back again, {held[actor]} times in a row" if held[actor] > 1 else text
        seen.append(text)
    mine = f"{me} to "
    seen += [heard(line, me) for line in frame.said if not line.startswith(mine)]
    return Step(time=frame.time, where=where, seen=tuple(dict.fromkeys(seen)), held=held)


def _said(frame: Frame, me: str) -> str:
    own = [heard(line, me) for line in frame.said if line.startswith(f"{me} to ")]
    return own[-1] if own else ""


def _did(frame: Frame, me: str) -> str:
    """What one did, of words only where nobody heard them."""
    if not frame.action:
        return ""
    return own_deed(frame.action, frame.result, me, frame.said if isinstance(parse(frame.action), Chat) else ())
