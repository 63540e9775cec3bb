"""The one request of a step: what changes least comes first, so that a prefix cache serves it (figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from irollan_env.world.observation import Observation
from itcma_s.deliberation.by_model.acquaintance import Acquaintance
from itcma_s.deliberation.by_model.answer import Form
from itcma_s.deliberation.by_model.budget import Budget
from itcma_s.deliberation.by_model.options import Option, listed
from itcma_s.deliberation.by_model.scene import scene
from itcma_s.deliberation.channel_in_words import STAYED, Detail, field_in_words, moments, recalled
from itcma_s.deliberation.exchange import DROPPED, Exchange, Line, OwnDeed
from itcma_s.deliberation.feeling_in_words import feeling, standing
from itcma_s.deliberation.plain_words import joined, quoted, seen
from itcma_s.deliberation.protocol import Context
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
from itcma_s.wording import the


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What a resident tells itself beside what the mechanisms computed.

    Attributes:
        myself: Its description of itself; empty as long as there is none.
        described: Person -> a description of it, where there is one.
        acquaintance: The people and places it knows.
        exchange: What was said.
        deeds: Its own deeds of the last steps that may answer a question or keep a promise.
        plan: Its next steps, as of its last decision.
        goal_since: The time step since which it has its goal; None where it has none.
        outcome: What came of its last act, in words; empty in the first step.
        felt: P, A, D of the step before.
        given: Whether its goal was set from outside.
    """

    myself: str
    described: Mapping[str, str]
    acquaintance: Acquaintance
    exchange: Exchange
    deeds: Sequence[OwnDeed]
    plan: Sequence[str]
    goal_since: int | None
    outcome: str
    felt: tuple[float, float, float]
    given: bool = False


def compose(
    context: Context, known: Known, options: Sequence[Option], form: Form, budget: Budget, detail: Detail
) -> str:
    """The request of a step, as plain text."""
    observation, me = context.observation, context.observation.resident
    lines = known.exchange.among(observation.company, observation.time)
    said = budget.cut("said", [f"- {line.told(me)}" for line in lines], DROPPED)
    told = frozenset(line.text for line in lines[len(lines) - len(said) :])
    around = field_in_words(context.present, context.table) if detail == "positions" else ""
    parts = [
        _text("rules.txt"),
        _text(f"form_{form}.txt"),
        "\n".join(["", f"Your name is {me}. {known.myself}".rstrip()]),
        _section("Places as you left them:", budget.cut("places", _places(known, me))),
        _section("People you know:", budget.cut("people", _people(known))),
        _section("Said lately:", said),
        _section("You said that you would:", budget.cut("promises", _promises(known, me, observation.time, told))),
        f"\n{_goal(context, known)}{_plan(known)}",
        _section("What comes to mind:", [f"- {line}" for line in recalled(context, detail, told)]),
        _last_steps(context, detail, told),
        known.outcome,
        "\n".join(["", *scene(observation, known.acquaintance.strangers(), known.acquaintance.givers(), around)]),
        "\n".join(dict.fromkeys(seen(event, me) for event in observation.events)),
        _questions(known, observation, told),
        feeling(
            context.emotion,
            context.driver,
            context.causes,
            known.felt,
            me=context.observation.resident,
        ),
        standing(observation),
        "\n".join(["", "You can:", *listed(options)]),
    ]
    return "\n".join(part for part in parts if part.strip())


@cache
def _text(name: str) -> str:
    return files("itcma_s.deliberation.by_model").joinpath("prompts", name).read_text(encoding="utf-8").rstrip("\n")


def _section(head: str, lines: Sequence[str]) -> str:
    return "\n".join(["", head, *lines]) if lines else ""


def _places(known: Known, me: str) -> list[str]:
    return [f"- {the(place, you=me)}: {line}" for place, line in known.acquaintance.told_places.items()]


def _people(known: Known) -> list[str]:
    """A line for each person of whom there is something to tell: its description, what passed, where it is."""
    told = known.acquaintance.told_people
    lines = {person: [known.described.get(person, ""), told.get(person, "")] for person in {**told, **known.described}}
    return [f"- {person}: {'; '.join(part.rstrip('.') for part in parts if part)}" for person, parts in lines.items()]


def _promises(known: Known, me: str, now: int, told: frozenset[str]) -> list[str]:
    return [f"- {_to_whom(line)}" for line in known.exchange.promised(me, now, known.deeds, told)]


def _to_whom(line: Line) -> str:
    return f"step {line.time}, to {line.addressee}: {quoted(line.text)}"


def _goal(context: Context, known: Known) -> str:
    if known.given:
        return _sentence(f"You have been asked to do this, and it is your goal: {context.goal}")
    if not context.goal:
        return "You have no goal yet."
    since = f" (since step {known.goal_since})" if known.goal_since is not None else ""
    return _sentence(f"Your goal{since}: {context.goal}")


def _plan(known: Known) -> str:
    return f" Your plan: {'; '.join(step.rstrip('.;') for step in known.plan)}." if known.plan else ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _last_steps(context: Context, detail: Detail, told: frozenset[str]) -> str:
    """Retention, a frame a line, without what was said; what one did in the last of them is told as the last act."""
    me, frames = context.observation.resident, context.channel.retention

    def lines(frames: Sequence[Frame]) -> list[str]:
        return moments(list(map(Memory.from_frame, frames)), me, context.table, detail, told, quoting=False)

    last = [replace(frame, action="", result="") for frame in frames[-1:]]
    steps = [*lines(frames[:-1]), *(line for line in lines(last) if not line.endswith(STAYED))]
    return _section("Your last steps:", [f"- {line}" for line in steps])


def _questions(known: Known, observation: Observation, told: frozenset[str]) -> str:
    """Who waits here for an answer; with the words where they are not told above."""
    unanswered = known.exchange.unanswered(observation.resident, observation.time, known.deeds)
    asked = [line for line in unanswered if line.speaker in observation.company]
    untold = [line for line in asked if line.text not in told]
    again = [f"{line.speaker} said to you in step {line.time}: {quoted(line.text)}" for line in untold]
    who = joined([f"{line.speaker} (step {line.time})" for line in asked])
    return "\n".join([*again, *([f"You have not answered {who} yet."] if asked else [])])
