"""The story prompt of one time step, from the observation, the conversation, the feeling, memory and the goal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from irollan_env.actions import Action, Primitive, Refusal
from irollan_env.english import Form, conjugate, noun, phrase, the, to, within
from irollan_env.naming import is_numbered, kind
from irollan_env.world.events import Event
from irollan_env.world.observation import Observation
from itcma_s.deliberation.conversation import Conversation
from itcma_s.deliberation.feeling_in_words import felt_in_words
from itcma_s.deliberation.plain_words import joined, plainly, quoted
from itcma_s.deliberation.protocol import Context
from itcma_s.deliberation.story.story_prompt import StoryPrompt, several
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.memory import Memory
from itcma_s.protention.protention import is_fixture
from itcma_s.wording import is_gone

_MOST_THINGS = 3
_MOST_FACTS = 2
_MOST_RECENT = 4
_A_WHILE = 4  # steps after which what was said is over
_MOST_WORDS = 30
_MOST_CHARACTERS = 200
_FOR_USE = ("stoveburner", "sinkbasin", "bed", "chair", "bench")


def prompt_of(
    context: Context, conversation: Conversation, last: str | None, *, decided: Action | None = None
) -> StoryPrompt:
    """Make the story prompt of a step.

    Args:
        context: The inputs of the decision.
        conversation: The remembered conversation.
        last: The resident's last action; None without one.
        decided: The action already decided on; None without one.
    """
    observation, me = context.observation, context.observation.resident
    recent = _recently(observation, conversation, last)
    held = Counter(noun(percept.name) for percept in observation.percepts if percept.held and not is_gone(percept))
    return StoryPrompt(
        me=me,
        where=within(observation.place),
        company=observation.company,
        things=_things(observation, context.goal),
        held={me: [several(name, count) for name, count in held.items()]} if held else {},
        feeling=felt_in_words(context.emotion, context.lacks),
        knows=_facts(observation, context.familiarity, context.goal),
        remembers=_memory(context.activated, recent),
        recent=recent,
        goal=as_wanted(context.goal),
        about=deed_in_words(decided, observation) if decided is not None else "",
    )


_TREATING = {"sinkbasin": "wash", "stoveburner": "cook"}


def as_wanted(goal: str) -> str:
    """Rewrite a goal as a phrase after "wants to", also one set from outside: "put a hot beefsteak on the table"."""
    text = plainly(goal.strip().rstrip("."), "")
    return text[:1].lower() + text[1:]


def _things(observation: Observation, goal: str) -> list[str]:
    """List the things here by kind, those in the goal first, and useful furniture."""
    lying: Counter[tuple[str, str]] = Counter()
    for percept in observation.percepts:
        if percept.kind == "item" and not percept.held and not is_gone(percept):
            state = [word for word in ("hot", "clean") if word in percept.status]
            lying[" ".join([*state, noun(percept.name)]), noun(str(percept.on))] += 1
    first = sorted(lying, key=lambda one: one[0] not in goal)[:_MOST_THINGS]
    furniture = dict.fromkeys(kind(p.name) for p in observation.percepts if p.kind == "furniture")
    return [
        *(f"{several(thing, count)} on the {spot}" for (thing, spot), count in lying.items() if (thing, spot) in first),
        *(several(noun(sort)) for sort in furniture if sort in _FOR_USE),
    ]


def _recently(observation: Observation, conversation: Conversation, last: str | None) -> list[str]:
    """List what was recently said and done here, oldest first."""
    now = observation.time
    lines = [line for line in conversation.among(observation.company, now) if line.time >= now - _A_WHILE]
    happened = [(line.time, 2, f"{line.speaker} said to {line.addressee}: {_brief(line.text)}") for line in lines]
    if (mine := _own(last, observation)) is not None:
        happened.append((now - 1, 0, mine))
    happened += [(event.time, 1, _seen(event, observation)) for event in observation.events]
    happened.sort(key=lambda one: one[:2])
    return [text for _, _, text in happened][-_MOST_RECENT:]


def _own(last: str | None, observation: Observation) -> str | None:
    """Describe the resident's last action; None without one, and for heard words, which are listed separately."""
    me = observation.resident
    if last is None:
        return None
    action = Action.parse(last)
    if observation.outcome == "filtered":
        return f"{me} wanted to {deed_in_words(action, observation)}, and was held back."
    talked = isinstance(action, Action) and action.primitive is Primitive.CHAT
    return (
        None if talked or observation.outcome != "executed" else f"{me} {deed_in_words(action, observation, 'past')}."
    )


def deed_in_words(action: Action | Refusal, observation: Observation, form: Form = "infinitive") -> str:
    """Describe an action, with the things it treats: "wash the coat"; a refusal is "wait"."""
    match action:
        case Action(Primitive.USE, thing) if (treating := _TREATING.get(kind(thing))) is not None:
            things = dict.fromkeys(the(p.name) for p in observation.percepts if p.on == thing)
            text = f"{treating} {joined(list(things))}" if things else f"use the {noun(thing)}"
        case Action(Primitive.LEAVE, target) if not is_numbered(target) and target not in observation.places:
            text = f"turn away from {target}"
        case Action(Primitive.LEAVE, target) if kind(target) in ("chair", "bed", "bench"):
            text = "get up"
        case Action(Primitive.LEAVE, target) if is_fixture(target):
            text = f"step back from {the(target)}"
        case Action(Primitive.LEAVE):
            text = "go out"
        case Action():
            text = phrase(action, name=the)
        case Refusal():
            text = "wait"
    return conjugate(text, form)


def _seen(event: Event, observation: Observation) -> str:
    """Describe somebody else's action in the past tense."""
    place = observation.place
    who, thing, other = event.actor, event.thing, event.other
    match event.deed:
        case "came":
            return f"{who} came {'out' if place == 'outside' else 'in'}."
        case "left":
            return f"{who} went {'out' if other == 'outside' else to(str(other))}."
        case "took":
            return f"{who} took {the(str(thing))} from {the(str(other))}."
        case "put":
            return f"{who} put {the(str(thing))} on {the(str(other))}."
        case "handed":
            return f"{who} gave {the(str(thing))} to {other}."
        case "used":
            return f"{who} {deed_in_words(Action(f'use {thing}'), observation, 'past')}."
        case "did":
            return f"{who} {deed_in_words(Action.parse(event.text), observation, 'past')}."
        case "held back":
            wish = deed_in_words(Action.parse(event.text), observation) if event.text else "do something"
            return f"{who} wanted to {wish}, and was held back."
        case _:
            return event.describe(observation.resident, observation.places)


def _facts(observation: Observation, familiarity: Familiarity, goal: str) -> list[str]:
    """List the known whereabouts of people and things in the last question and in the goal."""
    me = observation.resident
    asked = [message.text for message in observation.messages if message.addressee == me]
    around = {me, observation.place, *(percept.name for percept in observation.percepts)}
    facts: dict[str, None] = {}
    for name in familiarity.spoken_of(" ".join([*asked[-1:], goal])):
        if name in around or name in familiarity.places:
            continue
        where = familiarity.whereabouts(name) if familiarity.is_person(name) else familiarity.seen.get(name)
        if where is None or where == observation.place:
            continue
        facts[
            f"{name} was {within(where)}"
            if familiarity.is_person(name)
            else f"there is {several(noun(name))} {within(where)}"
        ] = None
    return list(facts)[:_MOST_FACTS]


def _memory(activated: Sequence[Memory], recent: Collection[str]) -> str:
    """Return the last line of the activated memories that is not recent, or the text of one from before the run."""
    for memory in activated:
        if memory.formative:
            return _brief(memory.witnessed[-1])
        for line in reversed(memory.said):
            head, _, words = line.partition(": ")
            speaker, _, addressee = head.partition(" to ")
            said = f"{speaker} said to {addressee}: {_brief(words)}"
            if words and addressee and said not in recent:
                return f"{within(memory.place)}, {said}"
    return ""


def _brief(text: str) -> str:
    """Quote untrusted words, cut to a maximum length."""
    words = text.split()
    brief = " ".join(words[:_MOST_WORDS])[:_MOST_CHARACTERS]
    return quoted(brief + ("…" if len(brief) < len(" ".join(words)) else ""))
