"""The world's sentences in plain English, with the reader as "you"."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from functools import cache

from irollan_env.actions import Action, Primitive, Refusal
from irollan_env.english import NOUNS, Form, conjugate, noun, phrase, possessive, the
from irollan_env.naming import OWNER, owner
from irollan_env.world.events import Event
from itcma_s.actions import handled

_ARTICLE = re.compile(rf"\b[Tt]he (?=(?:{OWNER} )?[a-z]+ \d+\b)")
_FURNITURE = re.compile(
    r"(?:\b[Tt]he )?\b(table|chair|bed|bookshelf|countertop|foodshelf|sinkbasin|storagebin|stoveburner|wardrobe|"
    r"nightstand) \d+\b"
)
_VERBS = (
    *("take", "go", "come", "put", "hand", "use", "leave", "stop", "wait", "say"),
    *("eat", "drink", "read", "play", "wear", "rest", "sit", "wash", "cook"),
)
# Somebody's name of several words, or one word.
_WHO = r"\w+|(?!You |The |There |Nothing )[^\W\d_a-z](?:(?! wanted to )[^:;!?\"]){0,39}?"
_DEED = re.compile(rf"^({_WHO}) ({'|'.join(_VERBS)})(?:e?s)?\b")
_USE = re.compile(rf"\b(?P<form>using|uses|use) (?:the )?(?P<thing>(?:{OWNER} )?[a-z]+ \d+|beefsteak)\b")
_FORMS: Mapping[str, Form] = {"use": "infinitive", "uses": "present", "using": "gerund"}
_SAYS_NO_MORE = re.compile(r"(?:: the [^:]*|\. The [^.]*) is now (?:eaten|drunk|read)\.$")  # than the deed itself
_OUTSIDE = re.compile(r"\b(go|goes|going|come|comes|coming) to outside\b")
_SINGLE = {ord(mark): "'" for mark in '"“”„‟«»＂'}
_BROKEN = re.compile(r"\s+\S*…$")  # a word that was cut with its line
_NUMBERED = re.compile(r" (\d+)$")
_HOME = re.compile(r"(?<=\w)(['’]s?) Home\b")


def yours(name: str, me: str) -> str:
    """Replace the resident's own name in possessives: "LL's clothes 1" becomes "your clothes 1"."""
    return possessive(name, me, "your") if me else name


def called(name: str, me: str) -> str:
    """Return a thing's name, with an article if it has neither number nor owner: "food 5", "the beefsteak"."""
    return yours(name, me) if _NUMBERED.search(name) or owner(name) is not None else the(name)


def plainly(text: str, me: str, *, furniture: bool = False) -> str:
    """Rewrite the world's sentences in everyday words: "You take book 1 from the bookshelf", "You go to the canteen".

    Args:
        text: The words.
        me: The reader, addressed as "you".
        furniture: Whether furniture keeps its number.
    """
    text = _USE.sub(_used, text)
    if not furniture:
        text = _FURNITURE.sub(lambda match: f"the {noun(match[1])}", text)
    text = _ARTICLE.sub("", text).replace(" in/on ", " on ")
    text = _OUTSIDE.sub(r"\1 outside", text)
    for name, called in _places().items():
        text = text.replace(name, called)
    return yours(_HOME.sub(r"\1 house", text), me)


def deed(action: Action, me: str, *, exactly: bool = False) -> str:
    """Return an action in the infinitive: "put the beefsteak on the stove", "go to your house".

    Args:
        action: The action.
        me: Who does it.
        exactly: Whether furniture keeps its number.
    """
    text, thing = phrase(action), handled(action)
    return plainly(text.replace(thing, called(thing, "")) if thing is not None else text, me, furniture=exactly)


def seen(event: Event, me: str, places: Container[str]) -> str:
    """Describe an observed event in the past tense, given the places around: "LL handed you the beefsteak."."""
    wanted = Action.parse(event.text)
    if isinstance(wanted, Action) and wanted.primitive in (Primitive.TAKE, Primitive.USE):
        return f"{event.actor} wanted to {deed(wanted, me)}, and was held back."
    text = without_echo(event.describe(me, places))
    thing = event.thing if isinstance(wanted, Refusal) else wanted.item
    if thing is not None:
        text = text.replace(f" {thing}", f" {called(thing, '')}", 1)
    return past(plainly(text, me))


def quoted(words: str) -> str:
    """Quote untrusted words on one line, with inner quotation marks neutralised."""
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in words).split())
    return f'"{line.translate(_SINGLE)}"'


def heard(line: str, me: str) -> str:
    """Render a line of memory, "AY to WM: Hello.", for `me`, who heard it."""
    head, _, words = line.partition(": ")
    speaker, _, addressee = head.partition(" to ")
    who = [("you" if name == me else name) for name in (speaker, addressee) if name]
    return f"{' to '.join(who)}: {quoted(_BROKEN.sub('…', words))}"


def without_echo(text: str) -> str:
    """Remove a redundant state from the world's sentence, such as that what was eaten is now eaten."""
    return _SAYS_NO_MORE.sub(".", text)


def past(sentence: str) -> str:
    """Put a sentence about an action into the past tense: "You take food 1." as "You took food 1."."""
    return _DEED.sub(lambda deed: f"{deed[1]} {conjugate(deed[2], 'past')}", sentence, count=1)


def _used(match: re.Match[str]) -> str:
    """Replace "use" by the verb for the thing: "uses the food 5" as "eats food 5"."""
    thing, form = match["thing"], _FORMS[match["form"]]
    words = phrase(Action(f"use {thing}"), form)
    words = words.replace("sitting down ", "sitting ", 1) if form == "gerund" else words
    return words.replace(thing, called(thing, ""))


@cache
def _places() -> dict[str, str]:
    """Return the everyday words for public rooms."""
    return {name: the(name) for name in NOUNS if name[:1].isupper()}


def joined(names: Sequence[str]) -> str:
    """Join names: "AY", "AY and MD", "AY, MD and WL"; empty for none."""
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _end(run: str) -> int:
    return int(run.rpartition(" ")[2])


def _parted(run: str) -> list[str]:
    first, _, last = run.partition(" to ")
    return [first, last] if last and int(last) == int(first) + 1 else [run]


def numbered(names: Sequence[str], me: str) -> str:
    """Abbreviate things of one kind: "food 5", "food 5 and 6", "food 5 to 8 and 10"."""
    numbers = sorted(int(match[1]) for name in names if (match := _NUMBERED.search(name)))
    if len(numbers) < len(names) or len(names) == 1:
        return joined([called(name, me) for name in names])
    told: list[str] = []
    for number in numbers:
        if told and _end(told[-1]) == number - 1:
            first = told[-1].partition(" to ")[0]
            told[-1] = f"{first} to {number}"
        else:
            told.append(str(number))
    # Two in a row are told one by one.
    parts = [part for one in told for part in _parted(one)]
    return f"{yours(_NUMBERED.sub('', names[0]), me)} {joined(parts)}"


def summary(names: Sequence[str], me: str) -> list[str]:
    """Group things by kind, each kind abbreviated."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(_NUMBERED.sub("", name), []).append(name)
    return [numbered(group, me) for group in kinds.values()]


_SECOND = (
    (r"\bI am\b", "you are"),
    (r"\bI was\b", "you were"),
    (r"\bI\b", "you"),
    (r"\b[Mm]e\b", "you"),
    (r"\b[Mm]y\b", "your"),
)


def second_person(sentence: str) -> str:
    """Put a first-person sentence into the second person, in lower case: "I hold book 3." as "you hold book 3."."""
    for pattern, pronoun in _SECOND:
        sentence = re.sub(pattern, pronoun, sentence)
    return (
        sentence if sentence[:1] != sentence[:1].upper() or _is_name(sentence) else sentence[:1].lower() + sentence[1:]
    )


def _is_name(sentence: str) -> bool:
    return re.match(rf"{OWNER} ", sentence) is not None
