"""The facts of a step that the small model's thoughts and lines are held to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from irollan_env.actions import Action, Primitive
from irollan_env.english import conjugate, noun, possessive, the, to, within
from irollan_env.world.events import Event
from itcma_s.deliberation.conversation import Conversation, Line
from itcma_s.deliberation.feeling_in_words import felt_in_words
from itcma_s.deliberation.protocol import Context
from itcma_s.deliberation.story.prompt_of_step import as_wanted, deed_in_words
from itcma_s.memory.familiarity import belongings
from itcma_s.wording import is_gone, plain

_ENDED = 6  # steps after which an unanswered line is over


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What is the case for one resident in one step; phrases are in its own words ("my house").

    Attributes:
        me: Who.
        time: The time step.
        place: Where, by name.
        company: Who else is here.
        people: Names of all who live here.
        held: Nouns of what the resident holds.
        own: Nouns of what is its own here.
        feeling: Words for how it feels: "happy", "curious".
        goal: What it wants, after "I want to"; empty without a goal.
        action: What it is about to do; None to wait.
        deed: The same, as an infinitive.
        last: What it did last, in the past tense: "took the book from the bookshelf"; empty without.
        wish: What it was held back from last, as an infinitive; empty without.
        events: What the others did here.
        lines: The lines that it said or heard, oldest first.
        seen: Person or noun of a thing elsewhere -> where it was last, as a phrase: "in the canteen".
        visited: Phrase of a known place -> whether the resident was there.
        past_goals: Its earlier goals, latest last.
    """

    me: str
    time: int
    place: str
    company: tuple[str, ...]
    people: frozenset[str]
    held: frozenset[str]
    own: frozenset[str]
    feeling: tuple[str, ...]
    goal: str
    action: Action | None
    deed: str
    last: str
    wish: str
    events: Sequence[Event]
    lines: Sequence[Line]
    seen: Mapping[str, str]
    visited: Mapping[str, bool]
    past_goals: Sequence[str] = ()

    @property
    def partner(self) -> str | None:
        """Whom it is about to speak to; None for other actions."""
        return self.action.target if self.action is not None and self.action.primitive is Primitive.CHAT else None

    def between(self, other: str) -> list[Line]:
        """Return the lines between the resident and another, oldest first."""
        return [line for line in self.lines if {line.speaker, line.addressee} == {self.me, other}]

    def unanswered(self, other: str) -> str:
        """Return what another said to the resident since the resident last spoke to it; empty without."""
        lines = self.between(other)
        mine = max((place for place, line in enumerate(lines) if line.speaker == self.me), default=-1)
        new = [line.text for line in lines[mine + 1 :] if self.time - line.time <= _ENDED]
        asking = [text for text in new if "?" in text]
        return (asking or new or [""])[-1]


def facts_of(
    context: Context, conversation: Conversation, last: str | None, decided: Action, past_goals: Sequence[str]
) -> Facts:
    """Collect the facts of a step; the arguments are those of ``prompt_of``, and the goals held before."""
    observation, familiarity = context.observation, context.familiarity
    me, here = observation.resident, observation.place
    done = Action.parse(last) if last is not None else None
    wished = isinstance(done, Action) and observation.outcome == "filtered"
    acted = isinstance(done, Action) and observation.outcome == "executed"
    in_words = deed_in_words(done, observation) if done is not None and (wished or acted) else ""
    seen = {
        name if familiarity.is_person(name) else noun(name): within(where, me)
        for name, where in familiarity.seen.items()
        if where != here and name != me
    }
    return Facts(
        me=me,
        time=observation.time,
        place=here,
        company=observation.company,
        people=familiarity.residents | set(observation.company),
        held=frozenset(noun(one.name) for one in observation.percepts if one.held and not is_gone(one)),
        own=frozenset(map(noun, belongings(observation))),
        feeling=tuple(re.findall(r"\w+", felt_in_words(context.emotion, context.lacks).replace(" and ", " "))),
        goal=_from(here, _own(context.goal, me), me),
        action=decided,
        deed=possessive(deed_in_words(decided, observation), me, "my"),
        last=possessive(conjugate(in_words, "past"), me, "my") if acted else "",
        wish=possessive(in_words, me, "my") if wished else "",
        events=observation.events,
        lines=conversation.lines,
        seen=seen,
        visited={the(name, me): time is not None for name, time in familiarity.places.items()},
        past_goals=[_own(goal, me) for goal in past_goals],
    )


def _own(goal: str, me: str) -> str:
    """Return a goal in the resident's own words."""
    text = possessive(plain(as_wanted(goal)), me, "my").replace("at home, in my house", "at home")
    return re.sub(r", (?:which was spoken of|as I said)$", "", text)


def _from(place: str, goal: str, me: str) -> str:
    """Return a goal as it is called in a place: "go to the canteen" is to stay there, once one is there."""
    goal = goal.replace(f"what there is {within(place, me)}", "what there is here")
    return "stay here for a while" if goal == f"go {to(place, me)}" else goal
