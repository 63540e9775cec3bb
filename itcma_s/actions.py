"""What an action means to a mind: what it handles, its paraphrases, and the sentence that is expected to follow."""

from __future__ import annotations

import tomllib
from collections.abc import Container, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

from irollan_env.actions import HERE, Action, Primitive
from irollan_env.english import phrase, the, within
from irollan_env.naming import is_numbered, is_thing, kind, owner
from itcma_s.wording import lexicon

IN_GENERAL: Mapping[str, str] = {
    Primitive.GO_TO: "go elsewhere",
    Primitive.LEAVE: "leave",
    Primitive.USE: "use what is there",
    Primitive.TAKE: "take something",
    Primitive.PUT: "put something down or hand it over",
    Primitive.CHAT: "talk",
}
"""Each of the six primitives as a habit, without its target."""


def in_general(action: Action) -> str:
    """Return an action as a habit, without what it is done with: "talk", "show something to somebody"."""
    if action.primitive in IN_GENERAL:
        return IN_GENERAL[action.primitive]
    return phrase(action, name=lambda name: "something" if is_thing(name) else "somebody")


def without_words(action: str) -> str:
    """Return an action without the words of a chat, the form in which repetitions are counted."""
    return action.split(":")[0] if action.startswith("chat with ") else action


def hands_back(action: Action) -> bool:
    """Return whether an action hands an item to its owner."""
    return action.item is not None and action.partner is not None and owner(action.item) == action.partner


def handled(action: Action) -> str | None:
    """Return the item that an action takes, uses, gives, puts down, or does something with."""
    own = not isinstance(action.primitive, Primitive) and is_numbered(action.target)
    return action.item or (action.target if own or action.primitive is Primitive.USE else None)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("itcma_s").joinpath("meanings.toml").read_text(encoding="utf-8"))


def meanings(
    action: str, lying: Mapping[str, str] | None = None, topics: Sequence[str] = (), people: Container[str] = ()
) -> tuple[str, ...]:
    """Return several paraphrases of an action, so that a goal in other words is still close to the right action.

    Args:
        action: One of the six primitives.
        lying: Furniture -> an item that lies on it; None if unknown.
        topics: Possible topics of a chat.
        people: Who is here, and can be left.

    Raises:
        ValueError: if the text is none of the six primitives.
    """
    talks, used, left = _depends_on(action)
    if talks:
        return _meanings(action, None, tuple(topics), False)
    return _meanings(action, None if lying is None or used is None else lying.get(used, ""), (), left in people)


@lru_cache(maxsize=2**16)
def _depends_on(action: str) -> tuple[bool, str | None, str | None]:
    """Return whether the paraphrases depend on topics, on the item on what furniture, and on what is left."""
    read = Action(action)
    used, left = (read.target if read.primitive is one else None for one in (Primitive.USE, Primitive.LEAVE))
    return read.primitive is Primitive.CHAT, used, left


@lru_cache(maxsize=2**16)
def _meanings(action: str, on: str | None, topics: tuple[str, ...], person: bool) -> tuple[str, ...]:
    """Return the paraphrases.

    Args:
        action: The action.
        on: The item on the used furniture: None if unknown, empty if there is none.
        topics: Possible topics of a chat.
        person: Whether it is a person that is left.
    """
    table = _table()
    read = Action(action)
    target, item = read.target, read.item or ""
    match read.primitive:
        case Primitive.CHAT if read.partner is None:
            return (f"write on {the(target)}",)
        case Primitive.CHAT:
            about = (_say(table["chat_about"], it=target, topic=the(topic)) for topic in topics)
            return (*_say(table["chat"], it=target), *chain.from_iterable(about))
        case Primitive.PUT if read.partner is not None:
            return _say(table["give"], it=the(item), to=target)
        case Primitive.PUT:
            return _say(_of(table["put"], target), it=the(item), to=the(target))
        case Primitive.TAKE:
            return _say([*_of(table["take"], item), *table["take_from"].get(kind(target), ())], it=the(item))
        case Primitive.USE:
            if on == "" and kind(target) in table["nothing_on"]:
                return _say(table["nothing_on"][kind(target)])
            return _say(_of(table["use"], target), it=the(target), on=the(on) if on else "something")
        case Primitive.GO_TO:
            return _say(table["go_out"]) if target == "outside" else _say(table["go"], it=the(target))
        case Primitive.LEAVE if person:
            return _say(table["leave_person"], it=target)
        case Primitive.LEAVE:
            return _say(_of(table["leave"], target) if target[-1:].isdigit() else table["go_out"], it=the(target))
        case _:
            return (f"I {phrase(read, name=the)}.",)


@lru_cache(maxsize=2**16)
def expected_sentence(action: Action, on: str | None, place: str) -> tuple[str, str]:
    """Return the predicted sentence for an action within a place, and the object that the action walks to.

    Args:
        action: An action that does not lead to another place.
        on: The item on the furniture that it uses; None without one.
        place: The current place.
    """
    target, item = action.target, action.item or ""
    match action.primitive:
        case Primitive.CHAT if action.partner is None:
            return f"I write on {the(target)}, and the others can read it.", target
        case Primitive.CHAT:
            return f"I talk with {target}: I tell, ask, thank or invite {target}, and {target} listens and answers.", ""
        case Primitive.PUT if action.partner is not None:
            return f"I give {the(item)} to {target}, who has it now.", target
        case Primitive.PUT:
            where = f"{the(item)} lies on {the(target)} {lexicon()['lie'].get(kind(target), '')}".strip()
            return f"{_capital(where)}.", target
        case Primitive.TAKE:
            return f"I hold {the(item)} {lexicon()['hold'].get(kind(item), '')}".strip() + ".", target
        case Primitive.USE:
            entry = lexicon()["use"].get(kind(target), {"brings": "I am using {it}."})
            form = entry["brings"] if on is not None or "empty" not in entry else entry["empty"]
            return _capital(str(form).format(it=the(target), there="it" if on is None else the(on))), target
        case Primitive.LEAVE if not is_numbered(target):
            return f"I walk away from {target}.", target
        case Primitive.LEAVE:
            return str(lexicon()["leave"].get(kind(target), f"I step back from {the(target)}.")), target
        case Primitive.GO_TO:
            return f"I am {within(place)} and wait.", ""
        case _:
            return f"I {phrase(action, name=the)}.", "" if action.partner or target == HERE else target


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _of(entries: Mapping[str, list[str]], name: str) -> list[str]:
    return entries.get(kind(name), entries["other"])


def _say(forms: Sequence[str], **names: str) -> tuple[str, ...]:
    return tuple([_capital(form.format_map(names)) for form in forms])
