"""The options of a step in a prompt: equivalent actions merged, owners named, in random order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from irollan_env.actions import Action, Primitive
from irollan_env.english import noun, phrase, to
from irollan_env.naming import is_thing, kind, owner
from irollan_env.world.observation import Observation, Percept
from itcma_s.actions import handled
from itcma_s.deliberation.channel_in_words import PromptDetail, changes_in_words
from itcma_s.deliberation.llm_policy.acquaintance import Acquaintance
from itcma_s.deliberation.llm_policy.scene import seat_of
from itcma_s.deliberation.plain_words import called, deed, joined, numbered, plainly, second_person, yours
from itcma_s.deliberation.protocol import Context
from itcma_s.protention.protention import Protention, is_fixture
from itcma_s.wording import is_gone, lexicon

T = TypeVar("T")

_IMAGINED_WORDS = 4
_NEVER_TREATED = ("read", "play", "drink")  # what one does with things that are neither washed nor cooked

STAY = "stay as you are and watch"


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One option of a prompt, for one or several equivalent actions.

    Attributes:
        head: The beginning shared with other options, in the second person: "hand food 3 to"; may be empty.
        tail: The rest of the text: "AY", or "take one of food 7 to 12 from the food shelf".
        actions: The actions that it stands for, in the world's order; the first is taken. Empty for staying.
        expected: The prediction in words, if it adds anything to the text.
        talks: Whether the option requires words.
    """

    head: str = ""
    tail: str
    actions: tuple[Action, ...]
    expected: str = ""
    talks: bool = False

    @property
    def text(self) -> str:
        """The whole text of the option."""
        return f"{self.head} {self.tail}".lstrip()


def options(context: Context, detail: PromptDetail, known: Acquaintance | None = None) -> list[Option]:
    """Return the options of a step, including staying, in random order; those with one head are adjacent.

    Actions on interchangeable things are one option. With "positions" every action is its own option, with its full
    prediction: the sentence, and the change of the field.

    Args:
        context: The inputs of the decision.
        detail: The level of detail about objects.
        known: The resident's knowledge of people and things; empty by default.
    """
    known = known if known is not None else Acquaintance()
    observation, whole = context.observation, detail == PromptDetail.POSITIONS
    groups: dict[object, list[Protention]] = {}
    for protention in context.protended:
        action = protention.action
        if context.mechanisms.elimination and _changes_nothing(action, observation):
            continue
        key = action if whole else _sameness(action, observation)
        groups.setdefault(key, []).append(protention)
    found = _distinguished([_option(group, context, whole, known) for group in groups.values()], observation)
    found.append(Option(tail=STAY, actions=()))
    lines: dict[str, list[Option]] = {}
    for option in found:
        lines.setdefault(option.head or option.tail, []).append(option)
    return [option for line in _drawn(list(lines.values()), context) for option in _drawn(line, context)]


def _distinguished(found: Sequence[Option], observation: Observation) -> list[Option]:
    """Return the options with furniture of one kind distinguished by the things on it."""
    count = Counter((option.head, option.tail) for option in found)
    apart = []
    for option in found:
        action = option.actions[0]
        if count[option.head, option.tail] == 1 or action.primitive is not Primitive.USE:
            apart.append(option)
            continue
        on_it = [called(one.name, observation.resident) for one in observation.percepts if one.on == action.target]
        apart.append(replace(option, tail=f"{option.tail} with {joined(on_it) or 'nothing'} on it"))
    return apart


def listed(found: Sequence[Option]) -> list[str]:
    """Return the options as numbered prompt lines, from 1; those with a common head share a line."""
    lines, numbered_options = [], enumerate(found, 1)
    for head, run in groupby(numbered_options, key=lambda pair: pair[1].head):
        told = [f"[{number}] {option.tail}{_expecting(option)}" for number, option in run]
        if head and len(told) > 1:
            lines.append(f"- {head} {', '.join(told[:-1])} or {told[-1]}")
        else:
            lines += [f"- {one.replace('] ', f'] {head} ', 1) if head else one}" for one in told]
    return lines


def _expecting(option: Option) -> str:
    return f" ({option.expected})" if option.expected else ""


def _drawn(items: Sequence[T], context: Context) -> list[T]:
    return [items[place] for place in context.generator.permutation(len(items))]


def _changes_nothing(action: Action, observation: Observation) -> bool:
    """Return whether an action is pointless.

    Such as turning away from somebody, sitting down again, a sink or stove with nothing to treat, or handling what is
    eaten or drunk other than putting it away.
    """
    gone = {percept.name for percept in observation.percepts if percept.kind == "item" and is_gone(percept)}
    target, done = action.target, lexicon()["done"].get(kind(action.target))
    match action.primitive:
        case Primitive.TAKE:
            return action.item in gone
        case Primitive.PUT if action.item in gone:
            return action.partner is not None or done is not None
        case Primitive.PUT if action.partner is None and done is not None:
            return phrase(Action(f"use {action.item}")).partition(" ")[0] in _NEVER_TREATED
        case Primitive.USE if kind(target) in ("chair", "bed"):
            return kind(target) in {kind(seat_of(one)) for one in observation.admissible}
        case Primitive.USE if done is not None:
            return all(done in percept.status for percept in observation.percepts if percept.on == target)
        case Primitive.LEAVE:
            return target in observation.company
        case _:
            return False


def _sameness(action: Action, observation: Observation) -> object:
    """Return a key that is equal for interchangeable actions."""
    things = {percept.name: percept for percept in observation.percepts}
    target, item = action.target, action.item or ""
    match action.primitive:
        case Primitive.TAKE:
            return "take", _sort(item, things), kind(target), _lies_at(item, things)
        case Primitive.PUT:
            whole = item in things and not is_gone(things[item])
            return "put", item, action.partner or (_purpose(item, target) if whole else "away")
        case Primitive.USE if target in things and things[target].kind == "furniture":
            bears = tuple(sorted(name for name, percept in things.items() if percept.on == target))
            return "use", kind(target), bears if kind(target) in ("sinkbasin", "stoveburner") else ()
        case Primitive.USE:
            return "use", target
        case Primitive.LEAVE if target == observation.place:
            return "go", "outside"
        case Primitive.GO_TO:
            return "go", target
        case _:
            return action


def _sort(item: str, things: Mapping[str, Percept]) -> object:
    """Return kind, owner and state of a thing."""
    status = things[item].status if item in things else ()
    return (kind(item), owner(item), status)


def _purpose(item: str, furniture: str) -> str:
    """Return the purpose of putting a thing on furniture: washing, cooking, its usual place, or putting it aside."""
    sort = kind(furniture)
    if sort in lexicon()["done"] or noun(item) in lexicon()["lie"].get(sort, ""):
        return sort
    return "aside"


def _lies_at(item: str, things: Mapping[str, Percept]) -> str:
    return kind(str(things[item].on)) if item in things else ""


def _option(group: Sequence[Protention], context: Context, whole: bool, known: Acquaintance) -> Option:
    group = sorted(group, key=lambda one: laid_elsewhere(one.action))
    actions, first, seen = tuple(one.action for one in group), group[0], context.observation
    head, tail = ("", deed(actions[0], seen.resident, exactly=True)) if whole else _words(actions, seen, known)
    return Option(
        head=head,
        tail=tail,
        actions=actions,
        expected=_in_full(first, context) if whole else _clause(first, seen, known),
        talks=actions[0].primitive is Primitive.CHAT,
    )


def laid_elsewhere(action: Action) -> bool:
    """Return whether an action puts a thing on furniture other than a table or counter."""
    return action.primitive is Primitive.PUT and kind(action.target) not in ("table", "countertop")


def _words(actions: Sequence[Action], observation: Observation, known: Acquaintance) -> tuple[str, str]:
    """Return head and tail of an option."""
    me, action = observation.resident, actions[0]
    target, item = action.target, action.item or ""
    match action.primitive:
        case Primitive.TAKE:
            return "take", f"{_one_of(actions, me)} from the {noun(target)}{_whose(item, observation, known)}"
        case Primitive.PUT if action.partner is not None:
            return f"hand {_one_of(actions, me)} to", target
        case Primitive.PUT if any(one.name == item and is_gone(one) for one in observation.percepts):
            return "", f"put away what is left of {_one_of(actions, me)}"
        case Primitive.PUT:
            return f"put {_one_of(actions, me)} on", f"the {noun(target)}"
        case Primitive.USE if len(actions) > 1 and is_fixture(target):
            return "", phrase(action, name=lambda name: f"a {noun(name)}")
        case Primitive.USE if len(actions) > 1:
            return "", phrase(action, name=lambda _: _one_of(actions, me))
        case Primitive.CHAT if action.partner is None:
            return "write on", f"the {target}"
        case Primitive.CHAT:
            return "talk to", target
        case Primitive.GO_TO if target != "outside":
            return "go", to(target, you=me)
        case Primitive.LEAVE if target in observation.company:
            return "", f"turn away from {target}"
        case Primitive.LEAVE if target != observation.place:
            return "", f"{'get up' if kind(target) in ('chair', 'bed') else 'step back'} from the {noun(target)}"
        case Primitive.LEAVE:
            return "", "go outside"
        case _:
            text = plainly(phrase(action, name=lambda name: called(name, me), out="go outside"), me)
            last = called(target, me)
            own = not isinstance(action.primitive, Primitive) and text.endswith(f" {last}")
            return (text.removesuffix(f" {last}"), last) if own else ("", text)


def _one_of(actions: Sequence[Action], me: str) -> str:
    """Return a thing's name, or "one of food 7 to 12" for interchangeable things."""
    names = list(dict.fromkeys(item for action in actions if (item := handled(action)) is not None))
    return called(names[0], me) if len(names) == 1 else f"one of {numbered(names, me)}"


def _whose(item: str, observation: Observation, known: Acquaintance) -> str:
    """Name the owner of an unnamed thing in somebody else's house, or who put it there; else empty."""
    me, whose = observation.resident, owner(observation.place)
    if whose in (None, me) or owner(item) is not None:
        return ""
    who = known.laid.get(item, whose)
    return f", which is {whose}'s" if who == whose else f", which {'you' if who == me else who} put there"


def _clause(expected: Protention, observation: Observation, known: Acquaintance) -> str:
    """Describe predicted people and things at a destination, or the new state of things; else empty."""
    me, action = observation.resident, expected.action
    match action.primitive:
        case Primitive.GO_TO | Primitive.LEAVE if expected.place != observation.place:
            told = expected.sentence.partition("; there I may find ")[2].rstrip(".")
            found = [one for one in told.split(", ") if one and (is_thing(one) or owner(one) is not None)]
            names = [one for one in found if one not in known.spent]
            things = joined([yours(one, me) for one in names[:1]]) or _imagined(expected.sentence)
            there = _expected_there(expected, known)
            return "; ".join([*there, *([f"you expect {things}"] if things else [])])
        case Primitive.USE if (done := lexicon()["done"].get(kind(action.target))) is not None:
            lying = [percept for percept in observation.percepts if percept.on == action.target]
            new = [called(percept.name, me) for percept in lying if done not in percept.status]
            return f"{joined(new)} will be {done}" if new else ""
        case _:
            return ""


def _expected_there(expected: Protention, known: Acquaintance) -> list[str]:
    """Describe the people predicted in another place, with the time of a sighting there."""
    told: dict[str, list[str]] = {}
    for person in expected.company:
        place, time = known.sighted.get(person, ("", -1))
        told.setdefault(f" there in step {time}" if place == expected.place else "", []).append(person)
    return [
        f"{joined(people)} {'was' if len(people) == 1 else 'were'}{when}" if when else f"{joined(people)} may be there"
        for when, people in told.items()
    ]


def _imagined(sentence: str) -> str:
    """Return the first words of the imagined contents of a place never seen."""
    words = sentence.partition(" There may be ")[2].rstrip(".").split()
    return " ".join(words[:_IMAGINED_WORDS]).rstrip(",;") + ("…" if len(words) > _IMAGINED_WORDS else "")


def _in_full(expected: Protention, context: Context) -> str:
    """Describe the full prediction: its sentence and the change of the field."""
    sentence = plainly(second_person(expected.sentence), context.observation.resident)
    changes = plainly(changes_in_words(context.present, expected.field, context.table), context.observation.resident)
    return f"{sentence}{changes}".rstrip(".")
