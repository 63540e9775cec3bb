"""The story page that a small model continues: its prompt, the grammar of the continuation, and its parser."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files

from irollan_env.actions import Action, Primitive
from irollan_env.english import noun, phrase, possessive, the, to, within
from irollan_env.naming import is_thing, kind, owner
from irollan_env.world.observation import Message, Observation
from itcma_s.memory.familiarity import belongings
from itcma_s.memory.mentions import mentioned
from itcma_s.wording import of_its_own, plain, portable

_MOST_HEARD = 2
_OWNER_ASKED = re.compile(r"\bwhose\b|\bWho left\b")
_TO_ASK = re.compile(r"\bask\b")
_BEEN = re.compile(r"\bHave you been\b")
_OFFERED = re.compile(r"\b(?:to have|need|share) \{it\}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """The situation that a text is written for.

    Attributes:
        observation: The current observation.
        action: The action decided on; a chat without its words.
        goal: The resident's goal.
        memory: What comes to mind, in a few words; empty when nothing does.
        feeling: How the resident feels, in a few words.
        expected: The sentence of the action's protention.
        said: Lines that the resident said or heard lately and should not repeat, each with whom it talked, and as they
            are meant (``itcma_s.wording.meant``).
        about: Names of people and things that the goal speaks of, whether or not they are there.
        people: Names of all who live here.
        answers: Beginnings of lines that answer what was asked, from what it knows (``answers.answers``).
        waited: Whether it was here for some steps before the one it talks with came.
        channel: The content of the mind in words (``channel_in_words.content``), for a large model; empty otherwise.
    """

    observation: Observation
    action: Action
    goal: str
    memory: str = ""
    feeling: str = ""
    expected: str = ""
    said: tuple[tuple[str, str], ...] = ()
    about: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()
    answers: tuple[str, ...] = ()
    waited: bool = False
    channel: str = ""

    @property
    def partner(self) -> str | None:
        """Whom the action talks with, None when it is no chat."""
        return self.action.target if self.action.primitive is Primitive.CHAT else None

    def meant(self, words: str) -> str:
        """What words of the resident to its partner mean to others."""
        return of_its_own(words, self.observation.resident, self.partner)

    @property
    def heard(self) -> tuple[Message, ...]:
        """The last lines said here: first those to the resident, then overheard ones; at most two."""
        me, messages = self.observation.resident, self.observation.messages
        company = self.observation.company
        here = [m for m in messages if m.sender in company]
        own = [m for m in here if m.addressee == me and m.sender == self.partner]
        rest = [m for m in here if m not in own]
        return tuple([*rest, *own][-_MOST_HEARD:])


@cache
def head() -> str:
    """Return the examples at the head of every page, about things that the valley does not have."""
    return files("itcma_s.deliberation.similarity_policy").joinpath("prompts/page.txt").read_text(encoding="utf-8")


def page(situation: Situation) -> str:
    """Return a page up to the thought: where, with whom, what is there and how it feels, what was said or is done."""
    seen, me = situation.observation, situation.observation.resident
    feels = f" {me} is {situation.feeling}." if situation.feeling else ""
    if situation.partner is None:
        doing = phrase(situation.action, "present", name=the)
        lines = [f"{me} is {within(seen.place)} and {doing}.{_things(situation)}{feels}"]
    else:
        people = [me, situation.partner, *(name for name in seen.company if name != situation.partner)][:4]
        lines = [f"{', '.join(people[:-1])} and {people[-1]} are {within(seen.place)}.{_things(situation)}{feels}"]
    if situation.memory:
        lines.append(situation.memory)
    if situation.partner is not None:
        for line in situation.heard:
            # Of an overheard line it is told whose "your house" is.
            whom = None if line.addressee == me else line.addressee
            lines.append(f'{line.sender}: "{plain(of_its_own(line.text, None, whom))}"')
    return "\n".join(lines) + f"\n{me} thought: {beginning(situation)}"


def beginning(situation: Situation) -> str:
    """Return the words that a thought begins with."""
    return f"I want to {possessive(plain(situation.goal), situation.observation.resident, 'my')}"


def page_grammar(situation: Situation, *, naming: bool = False) -> str:
    """Return the grammar of the continuation: the rest of the thought and, for a chat, a line of one sentence.

    Args:
        situation: What is written about.
        naming: Whether the line has to begin by naming a thing or a place that is in sight
            (``itcma_s/deliberation/similarity_policy/prompts/openings.toml``).
    """
    thought = 'root ::= (", so" | ", because" | ", and") rest ".\\n"'
    rules = 'rest ::= " " [^\\n".?!]{10,70}'
    if situation.partner is None:
        return f"{thought}\n{rules}"
    line = f'"{situation.observation.resident}: \\"" sentence "\\"\\n"'
    if not naming:
        return f'{thought} {line}\n{rules}\nsentence ::= [A-Z] [^\\n".?!]{{8,90}} [.?!]'
    return (
        f"{thought} {line}\n{rules}\nsentence ::= {_alternatives(openings(situation))}\n"
        'more ::= "" | (" and" | " because" | " so") word{3,9}\n'
        'word ::= " " ("I" | [a-z] [a-z\']*)'
    )


def openings(situation: Situation) -> tuple[str, ...]:
    """Return openings of lines that answer what was asked, or name things here or held, or places.

    Of names, those about what the goal speaks of come alone, as long as not all of them were said lately; who is not
    there is asked for. What was said lately is not begun again as long as there is anything else.
    """
    if answering := _not_said(situation.answers, situation):
        return answering
    if wanted := _of_the_goal(situation):
        return wanted
    filled = _filled(_named(situation), *_known(situation))
    return _not_said(filled, situation) or filled


def wants_to_ask(situation: Situation) -> bool:
    """Return whether the goal is to ask the partner something that neither has asked lately."""
    return _TO_ASK.search(situation.goal) is not None and bool(_of_the_goal(situation))


def _named(situation: Situation) -> tuple[tuple[str, str, str], ...]:
    """Return nameable objects here: the sort of opening, the name, and the everyday word."""
    seen, me, you = situation.observation, situation.observation.resident, situation.partner or ""
    here = within(seen.place, me, you)
    things = [percept for percept in seen.percepts if percept.kind == "item"]
    ways = [percept.name.removeprefix("door to ") for percept in seen.percepts if percept.kind == "door"]
    return (
        *(("held" if one.held else "thing", one.name, the(one.name, me, you)) for one in things),
        *(("way", name, to(name, me, you)) for name in ways),
        ("here", seen.place, here),
        *([("waited", seen.place, here)] if situation.waited else []),
    )


def _known(situation: Situation) -> tuple[frozenset[str], str | None, str]:
    """What decides which sentences about things are allowed: ownership, the place, and the listener."""
    seen = situation.observation
    return belongings(seen), owner(seen.place), situation.partner or ""


def _of_the_goal(situation: Situation) -> tuple[str, ...]:
    """Beginnings about what the goal speaks of that were not said lately; of a goal to ask, the questions."""
    seen, me, goal = situation.observation, situation.observation.resident, situation.goal
    named = _named(situation)
    wanted = mentioned(goal, [name for _, name, _ in named], seen.company)
    around = {me, *(percept.name for percept in seen.percepts)}
    # What the goal speaks of is known: who looks for a thing knows where it was.
    absent = [
        ("away" if is_thing(name) else "absent", name, the(name, me, situation.partner or ""))
        for name in situation.about
        if name not in around
    ]
    filled = _filled((*(one for one in named if one[1] in wanted), *absent), *_known(situation))
    if not _TO_ASK.search(goal):
        return _not_said(filled, situation)
    questions = [text for text in filled if text.endswith("?")]
    owners = [text for text in questions if _OWNER_ASKED.search(text)] if "whose" in goal else []
    # Somebody else may have been asked.
    between = tuple(line for line in situation.said if line[0] == situation.partner)
    return _not_said(owners or questions, replace(situation, said=between))


@lru_cache(maxsize=4096)
def _filled(
    named: tuple[tuple[str, str, str], ...], own: frozenset[str], host: str | None, you: str
) -> tuple[str, ...]:
    """The openings that name these, each by sort, name and as people call it; often the same as a step before.

    Questions about an owner are only for things of unknown owner: neither the resident's `own` nor the host's.
    What is somebody's by its name is offered to nobody, and nobody is asked about being at home.
    """
    return tuple(
        dict.fromkeys(
            form.format(it=it, bare=noun(name))
            for sort, name, it in named
            for form in _openings()[sort]
            if not (_OWNER_ASKED.search(form) and (name in own or (host and owner(name) == host)))
            and not ("{bare}" in form and not _may_be_anybodys(name))
            and not (owner(name) and _OFFERED.search(form))
            and not (sort == "way" and owner(name) == you and _BEEN.search(form))
        )
    )


def _may_be_anybodys(name: str) -> bool:
    """Whether a thing is one that people carry about, and bears nobody's name."""
    return owner(name) is None and kind(name) in portable()


@lru_cache(maxsize=4096)
def _alternatives(openings: tuple[str, ...]) -> str:
    """The rule for a line that begins in one of these ways, the mark at its end included."""
    pairs = ((opening[:-1], opening[-1]) for opening in openings)
    return " | ".join(f'"{text}" {"more " if text != mark else ""}"{mark}"' for text, mark in pairs)


def _not_said(lines: Iterable[str], situation: Situation) -> tuple[str, ...]:
    """Return the openings that nobody has used lately."""
    begun = {text: situation.meant(text[:-1]) for text in lines}
    return tuple(text for text in lines if not any(line.startswith(begun[text]) for _, line in situation.said))


def read_page(text: str, situation: Situation) -> tuple[str, str]:
    """Parse thought and words of a text that ``page_grammar`` allows, also of one that was cut at its end."""
    rest, _, words = text.partition("\n")
    words = words.removeprefix(f'{situation.observation.resident}: "')
    return tidy(f"{beginning(situation)}{rest}"), tidy(words)


def tidy(text: str) -> str:
    """Return a text on one line, cut after its last whole sentence."""
    text = re.sub(r"\s+([.?!,])", r"\1", " ".join(text.split())).strip(' "')
    text = re.sub(r"[,;:]+([.?!])", r"\1", text)
    end = max(map(text.rfind, ".?!"))
    return text[: end + 1] if end >= 0 else text


@cache
def _openings() -> dict[str, list[str]]:
    return tomllib.loads(
        files("itcma_s.deliberation.similarity_policy").joinpath("prompts/openings.toml").read_text(encoding="utf-8")
    )


def _things(situation: Situation) -> str:
    """One thing in the hand and one or two in sight, those that the goal names first."""
    seen, me = situation.observation, situation.observation.resident
    items = [percept for percept in seen.percepts if percept.kind == "item"]
    named = set(mentioned(situation.goal, [percept.name for percept in items]))
    items.sort(key=lambda percept: (percept.name not in named, not percept.held))
    sentences: list[str] = []
    kinds: set[str] = set()
    for percept in items:
        called = noun(percept.name)
        if called in kinds or len(sentences) == 2:
            continue
        kinds.add(called)
        one = the(percept.name) if owner(percept.name) else f"a {called}"
        sentences.append(f" {me} holds {one}." if percept.held else f" There is {one} on {the(percept.on or 'table')}.")
    return "".join(sentences)
