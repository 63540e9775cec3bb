"""The request of a step, with its most stable parts first for prefix caching (figure 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain

from irollan_env.actions import Primitive
from irollan_env.english import the
from irollan_env.world.observation import Observation
from itcma_s.deliberation.channel_in_words import PromptDetail, field_in_words
from itcma_s.deliberation.conversation import Conversation, Line, OwnDeed
from itcma_s.deliberation.easing import needs_in_words
from itcma_s.deliberation.feeling_in_words import feeling, standing
from itcma_s.deliberation.llm_policy.acquaintance import Acquaintance
from itcma_s.deliberation.llm_policy.answer_format import Form
from itcma_s.deliberation.llm_policy.budget import Budget
from itcma_s.deliberation.llm_policy.options import Option, listed
from itcma_s.deliberation.llm_policy.recent_history import RecentHistory
from itcma_s.deliberation.llm_policy.remembering import recalled
from itcma_s.deliberation.llm_policy.scene import scene
from itcma_s.deliberation.named_times import clock_of
from itcma_s.deliberation.plain_words import joined, quoted
from itcma_s.deliberation.protocol import Context

_SAID_BEFORE = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """Contents of a request other than the results of the mechanisms.

    Attributes:
        myself: Its description of itself; empty as long as there is none.
        memories: What it always remembers from before the run.
        told_before: Memories from before the run whose content is told elsewhere.
        described: Person -> a description of it, where there is one.
        acquaintance: The people and places it knows.
        recent: The last steps.
        conversation: What was said.
        deeds: Its own deeds of the last steps that may answer a question or keep a promise.
        plan: Its next steps, as of its last decision.
        goal_since: The time step since which it has its goal; None where it has none.
        outcome: What came of its last act, in words; empty in the first step.
        felt: P, A, D of the step before.
        given: Whether its goal was set from outside.
        setting: What the resident is told that it lives in.
        outside: How one leaves a room, in words; empty where that depends on the room.
    """

    myself: str
    memories: Sequence[str]
    told_before: frozenset[str]
    described: Mapping[str, str]
    acquaintance: Acquaintance
    recent: RecentHistory
    conversation: Conversation
    deeds: Sequence[OwnDeed]
    plan: Sequence[str]
    goal_since: int | None
    outcome: str
    felt: tuple[float, float, float]
    given: bool = False
    setting: str = "a small valley"
    outside: str = "outside"


def compose(
    context: Context, known: Known, options: Sequence[Option], form: Form, budget: Budget, detail: PromptDetail
) -> str:
    """Return the request of a step as plain text: constant and growing parts first, new parts last."""
    observation, me = context.observation, context.observation.resident
    log = known.recent.render()
    told = frozenset(words for words in _heard(context) if quoted(words) in log)
    before = _said_before(known, observation, told)
    said = told | {line.text for line in before}
    around = field_in_words(context.present, context.table) if detail == PromptDetail.POSITIONS else ""
    mind = recalled(context, known.conversation, detail, told | known.told_before)
    parts = [
        _text("rules.txt").replace("{setting}", known.setting).replace("{out}", known.outside or "out of it"),
        _text(f"form_{form}.txt"),
        "\n".join(["", f"Your name is {me}. {_sentence(known.myself)}".rstrip()]),
        _section("You remember from before:", [f"- {line}" for line in known.memories]),
        _goal(context, known),
        _section("Places as you left them:", budget.cut("places", _places(known, me))),
        _section("People you know:", _people(known, observation, budget)),
        _section("What comes to mind:", [f"- {line}" for line in mind]),
        _section("You said that you would:", budget.cut("promises", _promises(known, observation, said))),
        _section("Your last steps:", known.recent.lines()),
        _section("Said before:", [f"- {line.render(me)}" for line in before]),
        "\n".join(["", *(part for part in (known.outcome, _plan(known)) if part)]),
        "\n".join(scene(observation, known.acquaintance, known.described, _offered(options), around)),
        " ".join(chain.from_iterable(observation.notices.values())),
        *needs_in_words(observation, context.familiarity),
        _questions(known, observation, said),
        feeling(context.emotion, context.driver, context.causes, known.felt, me=me, lacks=context.lacks),
        standing(observation),
        "\n".join(["", "You can:", *listed(options)]),
    ]
    return "\n".join(part for part in parts if part.strip())


def _offered(options: Sequence[Option]) -> frozenset[str]:
    """Return the things that can be taken."""
    actions = (action for option in options for action in option.actions)
    return frozenset(str(action.item) for action in actions if action.primitive is Primitive.TAKE)


def _heard(context: Context) -> Iterator[str]:
    """Yield the spoken words in the frames of the channel."""
    for frame in context.channel.frames:
        for line in frame.said:
            yield " ".join(line.partition(": ")[2].split())


@cache
def _text(name: str) -> str:
    return files("itcma_s.deliberation.llm_policy").joinpath("prompts", name).read_text(encoding="utf-8").rstrip("\n")


def _section(head: str, lines: Sequence[str]) -> str:
    return "\n".join(["", head, *lines]) if lines else ""


def _places(known: Known, me: str) -> list[str]:
    return [f"- {the(place, you=me)}: {line}" for place, line in known.acquaintance.told_places.items()]


def _people(known: Known, observation: Observation, budget: Budget) -> list[str]:
    """Return a line for each described person, people present first if the budget is short."""
    acquaintance = known.acquaintance
    told = acquaintance.describe_people(observation.resident, known.described)
    order = sorted(told, key=lambda name: (name not in observation.company, -acquaintance.people[name].last))
    lines = {name: f"- {line}" for name, line in told.items()}
    return budget.first("people", lines, order)


def _said_before(known: Known, observation: Observation, told: Collection[str]) -> list[Line]:
    """Return the last line with each person present, if the recent steps do not contain it."""
    me = observation.resident
    last = [known.conversation.last_with(person, me) for person in observation.company]
    untold = [line for line in last if line is not None and line.text not in told]
    return sorted(untold, key=lambda line: line.time)[-_SAID_BEFORE:]


def _promises(known: Known, observation: Observation, told: frozenset[str]) -> list[str]:
    """Describe the open promises; those whose time has come say so."""
    clock = clock_of(observation.variables)
    now = None if clock is None else clock[0]
    promises = known.conversation.promised(observation.resident, observation.time, known.deeds, told, now)
    return [f"- {_to_whom(line)}{' (now)' if line.is_due(now) else ''}" for line in promises]


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
    return f"Your plan: {'; '.join(step.rstrip('.;') for step in known.plan)}." if known.plan else ""


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


def _questions(known: Known, observation: Observation, told: frozenset[str]) -> str:
    """List the people present who wait for an answer, with words that are not in the request yet."""
    unanswered = known.conversation.unanswered(observation.resident, observation.time, known.deeds)
    asked = [line for line in unanswered if line.speaker in observation.company]
    untold = [line for line in asked if line.text not in told]
    again = [f"{line.speaker} said to you in step {line.time}: {quoted(line.text)}" for line in untold]
    who = joined([f"{line.speaker} (step {line.time})" for line in asked])
    return "\n".join([*again, *([f"You have not answered {who} yet."] if asked else [])])
