"""Plain-English phrases for a valley's actions, things and places, with the person and tense given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal

from irollan_env.actions import Action, Primitive, with_names
from irollan_env.naming import POSSESSIVE, kind, owner

Form = Literal["infinitive", "present", "past", "gerund"]
"""Form of a verb: "eat" (also the present of "I" and "you"), "eats" (third person), "ate", "eating"."""

NOUNS: Mapping[str, str] = MappingProxyType(
    {
        "foodshelf": "food shelf",
        "countertop": "counter",
        "sinkbasin": "sink",
        "stoveburner": "stove",
        "storagebin": "box",
        "bookshelf": "bookshelf",
        "nightstand": "nightstand",
        "beverage": "drink",
        "beefsteak": "beefsteak",
        "10 dollar": "dollar bill",
        "1 gold coin": "gold coin",
        "Public Canteen": "canteen",
        "Public Reading Room": "reading room",
    }
)
"""Kind of thing, or name, -> noun; whatever is missing is called as it is named."""

USES: Mapping[str, str] = MappingProxyType(
    {
        "bed": "rest on {it}",
        "chair": "sit down on {it}",
        "sinkbasin": "wash with {it}",
        "stoveburner": "cook with {it}",
        "food": "eat {it}",
        "beefsteak": "eat {it}",
        "beverage": "drink {it}",
        "book": "read {it}",
        "toy": "play with {it}",
        "clothes": "wear {it}",
    }
)
"""Kind of thing -> what using it is called; whatever is missing is used."""

_VERBS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "come": ("comes", "came", "coming"),
        "cook": ("cooks", "cooked", "cooking"),
        "do": ("does", "did", "doing"),
        "drink": ("drinks", "drank", "drinking"),
        "eat": ("eats", "ate", "eating"),
        "get": ("gets", "got", "getting"),
        "give": ("gives", "gave", "giving"),
        "go": ("goes", "went", "going"),
        "hand": ("hands", "handed", "handing"),
        "leave": ("leaves", "left", "leaving"),
        "play": ("plays", "played", "playing"),
        "put": ("puts", "put", "putting"),
        "read": ("reads", "read", "reading"),
        "rest": ("rests", "lay down", "resting"),
        "say": ("says", "said", "saying"),
        "sit": ("sits", "sat", "sitting"),
        "step": ("steps", "stepped", "stepping"),
        "stop": ("stops", "stopped", "stopping"),
        "take": ("takes", "took", "taking"),
        "talk": ("talks", "talked", "talking"),
        "turn": ("turns", "turned", "turning"),
        "write": ("writes", "wrote", "writing"),
        "use": ("uses", "used", "using"),
        "wait": ("waits", "waited", "waiting"),
        "wash": ("washes", "washed", "washing"),
        "wear": ("wears", "put on", "wearing"),
    }
)
_IRREGULAR = dict(
    re.findall(
        r"(\w+):(\w+)",
        "beat:beat begin:began bend:bent bet:bet bite:bit blow:blew break:broke bring:brought build:built burn:burnt "
        "buy:bought catch:caught choose:chose cut:cut deal:dealt dig:dug draw:drew drive:drove fall:fell feed:fed "
        "feel:felt fight:fought find:found fly:flew forget:forgot forgive:forgave grow:grew hang:hung have:had "
        "hear:heard hide:hid hit:hit hold:held hurt:hurt keep:kept kneel:knelt know:knew lay:laid lead:led lend:lent "
        "let:let lie:lay light:lit lose:lost make:made meet:met pay:paid ride:rode ring:rang rise:rose run:ran see:saw "
        "sell:sold send:sent set:set sew:sewed shake:shook shoot:shot show:showed shut:shut sing:sang sleep:slept "
        "sow:sowed speak:spoke spend:spent spin:spun spread:spread stand:stood steal:stole stick:stuck sweep:swept "
        "swim:swam swing:swung teach:taught tear:tore tell:told think:thought throw:threw win:won write:wrote",
    )
)
"""Verb -> past, for verbs of primitives of one's own."""
_BASES = {present: verb for verb, (present, _, _) in _VERBS.items()}
_PLACE: Mapping[Form, int] = {"present": 0, "past": 1, "gerund": 2}
_FIXTURE = re.compile(
    r"\b(table|chair|bed|bookshelf|countertop|foodshelf|sinkbasin|storagebin|stoveburner|wardrobe|nightstand) \d+\b"
)
_HOME = re.compile(r"(?<=\w)(['’]s?) Home\b")
_WHOLE = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in NOUNS if " " in name or name == "beefsteak"))


def conjugate(text: str, form: Form) -> str:
    """Put the verb at the beginning of a text into another form.

    >>> conjugate("eat the food", "past")
    'ate the food'

    Args:
        text: A text whose first word is a known verb, in the infinitive or the present.
        form: The wanted form of the verb.
    """
    first, space, rest = text.partition(" ")
    verb = _BASES.get(first, first)
    return f"{verb if form == 'infinitive' else _forms(verb)[_PLACE[form]]}{space}{rest}"


@lru_cache(maxsize=2**12)
def _forms(verb: str) -> tuple[str, str, str]:
    """Return present, past and gerund of a verb, by rule where it is in no table."""
    if verb in _VERBS:
        return _VERBS[verb]
    soft = re.sub(r"(?<=[^aeiou])y$", "i", verb)
    doubled = verb + verb[-1] if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb) else verb
    present = f"{soft}es" if soft != verb or re.search(r"(?:[sxzo]|[cs]h)$", verb) else f"{verb}s"
    past = f"{verb}d" if verb.endswith("e") else f"{soft}ed" if soft != verb else f"{doubled}ed"
    stem = re.sub(r"(?<=[^eoy])e$", "", re.sub(r"ie$", "y", verb))
    return present, _IRREGULAR.get(verb, past), f"{stem if stem != verb else doubled}ing"


def phrase(
    action: Action,
    form: Form = "infinitive",
    *,
    name: Callable[[str], str] = str,
    talk: str = "talk with",
    out: str = "go out",
    uses: Mapping[str, str] = USES,
) -> str:
    """Return an action as an English verb phrase without a subject.

    >>> phrase(Action("put SG's clothes 1 in/on SG"))
    "give SG's clothes 1 to SG"
    >>> phrase(Action("take 1 gold coin from storagebin 1"), "present", name=the)
    'takes the gold coin from the box'

    Args:
        action: The action; the words of a chat are left out.
        form: The form of the verb.
        name: Returns what a person, thing or place is called in the phrase, given its name.
        talk: The verb for a chat, in the infinitive.
        out: The verb for going to the outside, in the infinitive.
        uses: The verb for using a thing, by its kind.
    """
    target, item = name(action.target), name(action.item or "")
    match action.primitive:
        case Primitive.CHAT if action.partner is None:
            text = f"write on {target}"
        case Primitive.CHAT:
            text = f"{talk} {target}"
        case Primitive.PUT if action.partner is not None:
            text = f"give {item} to {target}"
        case Primitive.PUT:
            text = f"put {item} on {target}"
        case Primitive.USE:
            text = uses.get(kind(action.target), "use {it}").format(it=target)
        case Primitive.GO_TO if action.target == "outside":
            text = out
        case Primitive.GO_TO:
            text = f"go to {target}"
        case Primitive.LEAVE:
            text = f"leave {target}"
        case Primitive.TAKE:
            text = f"take {item} from {target}"
        case _:
            text = with_names(action, name)
    return conjugate(text, form)


@cache
def noun(name: str) -> str:
    """Return the everyday name without number or article: "book", "SG's clothes", "gold coin", "LL's house"."""
    if name in NOUNS:
        return NOUNS[name]
    base, whose = kind(name), owner(name)
    called = NOUNS.get(base, base)
    called = "house" if called == "Home" else called
    return f"{whose}'s {called}" if whose else called


def the(name: str, me: str = "", you: str = "") -> str:
    """Return a noun with its article: "the book", "SG's clothes", "LL", "outside", "Woodhaven", "my clothes".

    Args:
        name: The name of a person, thing or place.
        me: The speaker, whose things are "my" things; nobody by default.
        you: The listener, whose things are "your" things; nobody by default.
    """
    whose, called = owner(name), noun(name)
    if me and whose == me:
        return possessive(called, me, "my")
    if you and whose == you:
        return possessive(called, you, "your")
    if name == "outside" or whose or (called[:1].isalpha() and not called[:1].islower()):
        return called
    return f"the {called}"


def within(place: str, me: str = "", you: str = "") -> str:
    """Return a location phrase: "outside", "in the canteen", "in LL's house", "in my house", "in your house".

    Args:
        place: Its name.
        me: The speaker; nobody by default.
        you: The listener; nobody by default.
    """
    return "outside" if place == "outside" else f"in {the(place, me, you)}"


def to(place: str, me: str = "", you: str = "") -> str:
    """Return a destination phrase: "outside", "to the canteen", "to LL's house", "to my house", "to your house".

    Args:
        place: Its name.
        me: The speaker; nobody by default.
        you: The listener; nobody by default.
    """
    return "outside" if place == "outside" else f"to {the(place, me, you)}"


def possessive(text: str, whose: str, pronoun: str) -> str:
    """Replace a person's name in the possessive by a pronoun: "SG's house" becomes "my house".

    Args:
        text: Any text.
        whose: The person's name.
        pronoun: ``"my"``, ``"your"``, ``"their"``.
    """
    return re.sub(rf"(?<!\w){re.escape(whose)}{POSSESSIVE}(?!\w)", pronoun, text)


def without_numbers(text: str) -> str:
    """Replace the names of furniture, houses and public rooms by everyday words: "on the stove", "LL's house".

    Things that can be told apart by their numbers alone, as food and books, keep them.
    """
    text = _FIXTURE.sub(lambda match: f"the {NOUNS.get(match[1], match[1])}", text)
    text = _WHOLE.sub(lambda match: f"the {NOUNS[match[0]]}", text)
    return _HOME.sub(r"\1 house", text)
