"""The page of a scene that a small model goes on with: what stands on it, the form of what follows, how it is read.

A model of this size is neither asked nor instructed. It was trained on scenes of this form (valley_scenes/README.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from itcma_s.deliberation.answer import Answer, GoalIs, Unusable
from itcma_s.deliberation.plain_words import joined

HEAD = "Neighbours in a small valley."
KEPT = "still wants it."
_THOUGHT = 'thought ::= [A-Z] [^\\n"]{10,220} [.?!]'
_WORDS = 'words ::= "\\"" [A-Z] [^\\n"]{1,180} [.?!] "\\"\\n"'
_GOALS: Mapping[str, GoalIs] = {
    KEPT: "kept",
    "now wants to ": "changed",
    "has done it, and wants to ": "reached",
    "wants to ": "changed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What somebody finds around it before its turn, in plain words.

    Attributes:
        me: Who.
        where: "in the canteen", "outside".
        company: Who else is here.
        things: What lies here and what can be used: "a book on the bookshelf", "a stove".
        held: Who is here -> what it is seen to hold: "a book".
        feeling: Such as "happy and curious"; empty where nothing is told.
        knows: What it knows of what is spoken of: "SG was in the canteen".
        remembers: What comes to mind: 'in the canteen, SG said to LL: "..."'; may be empty.
        lately: What was said and done here before, the latest last: 'AY said to LL: "..."', "AY took the book.".
        goal: What it wants: "get to know AY"; empty where it has no goal.
        given: Whether the goal is set from outside, so that it stays.
        about: What is decided on already: "take the book from the bookshelf", "talk with AY"; empty where nothing is.
    """

    me: str
    where: str
    company: Sequence[str] = ()
    things: Sequence[str] = ()
    held: Mapping[str, Sequence[str]]
    feeling: str = ""
    knows: Sequence[str] = ()
    remembers: str = ""
    lately: Sequence[str] = ()
    goal: str = ""
    given: bool = False
    about: str = ""

    def text(self) -> str:
        """The page, up to the turn."""
        me, alone = self.me, "" if self.company else " alone"
        told = [f"{me} is{alone} {self.where}{f' with {joined(self.company)}' if self.company else ''}."]
        if self.things:
            are = "are" if len(self.things) > 1 or self.things[0].split(" ")[0] in _SEVERAL else "is"
            told.append(f"There {are} {joined(self.things)}.")
        told += [f"{who} holds {joined(things)}." for who, things in self.held.items() if things]
        if self.feeling:
            told.append(f"{me} is {self.feeling}.")
        lines = [HEAD, "", " ".join(told)]
        if self.knows:
            lines.append(f"{me} knows that {' and that '.join(self.knows)}.")
        if self.remembers:
            lines.append(f"{me} remembers: {self.remembers}")
        lines += self.lately
        if self.goal:
            lines.append(f"{me} wants to {self.goal}.")
        if self.about:
            lines.append(f"{me} is about to {self.about}.")
        return "\n".join(lines) + "\n"

    def answer(self, goal_is: GoalIs, goal: str, thought: str, act: str) -> str:
        """The turn, as it is written; what ``read`` reads and ``grammar`` allows."""
        if goal_is == "kept":
            wish = KEPT
        elif goal_is == "reached":
            wish = f"has done it, and wants to {goal}."
        else:
            wish = f"now wants to {goal}." if self.goal else f"wants to {goal}."
        return f"{self.me} {wish}\n{self.me} thinks: {thought}\n{act}\n"

    def grammar(self, ways: Iterable[str]) -> str:
        """The form of the turn, in GBNF.

        Args:
            ways: The deeds that are open, "LL takes the book from the bookshelf.", and "LL says to AY:" for words.
        """
        deeds = [_literal(f"{way}\n") for way in ways if not way.endswith(":")]
        words = [f"{_literal(f'{way} ')} words" for way in ways if way.endswith(":")]
        if self.given:
            wish = _literal(KEPT)
        elif self.goal:
            wish = f'{_literal(KEPT)} | ("now wants to " | "has done it, and wants to ") goal "."'
        else:
            wish = '"wants to " goal "."'
        me, end = self.me, _literal("\n")
        return (
            f"root ::= {_literal(f'{me} ')} wish {end} {_literal(f'{me} thinks: ')} thought {end} act\n"
            f"wish ::= {wish}\n"
            'goal ::= [a-z] [^\\n".?!]{3,80}\n'
            f"{_THOUGHT}\n"
            f"act ::= {' | '.join([*deeds, *words])}\n"
            f"{_WORDS}"
        )

    def writing_grammar(self, partner: str | None) -> str:
        """The form of what follows where it is decided what to do, in GBNF: a thought and, in a talk, words.

        Args:
            partner: Whom the words are for; None where the act needs none.
        """
        end = _literal("\n")
        thought = f"root ::= {_literal(f'{self.me} thinks: ')} thought {end}"
        if partner is None:
            return f"{thought}\n{_THOUGHT}"
        return f"{thought} {_literal(f'{self.me} says to {partner}: ')} words\n{_THOUGHT}\n{_WORDS}"

    def read(self, text: str, ways: Mapping[str, int]) -> Answer:
        """Read a turn.

        Args:
            text: What the model wrote; untrusted.
            ways: What can be done, as ``grammar`` takes it -> the number of the option.

        Raises:
            Unusable: if it has not the form.
        """
        lines = [line.strip() for line in text.strip().split("\n")]
        me = f"{self.me} "
        if len(lines) != 3 or not all(line.startswith(me) for line in lines):
            raise Unusable(f"has {len(lines)} lines where a goal, a thought and an act are expected, each of {self.me}")
        wish, thought = (line.removeprefix(me) for line in lines[:2])
        found = next(((form, kind) for form, kind in _GOALS.items() if wish.startswith(form)), None)
        if found is None or not thought.startswith("thinks: "):
            raise Unusable(f"has no goal or no thought of {self.me}")
        way, quote, words = lines[2].partition(' "')
        words = _printable(words.removesuffix('"'))
        if way not in ways or bool(words) != way.endswith(":") or bool(quote) != bool(words):
            raise Unusable(f"does what cannot be done: {lines[2][:60]!r}")
        return Answer(
            thought=_printable(thought.removeprefix("thinks: ")),
            goal_is=found[1],
            goal=_printable(wish.removeprefix(found[0]).removesuffix(".")) if found[0] != KEPT else "",
            plan=(),
            action=ways[way],
            words=words,
        )

    def read_writing(self, text: str, partner: str | None) -> tuple[str, str]:
        """Read what ``writing_grammar`` allows.

        Args:
            text: What the model wrote; untrusted.
            partner: Whom the words are for; None where the act needs none.

        Returns:
            The thought, and the words: empty where there is no partner, and nowhere else.

        Raises:
            Unusable: if it has not the form.
        """
        lines = [line.strip() for line in text.strip().split("\n")]
        thinks, says = f"{self.me} thinks: ", f'{self.me} says to {partner}: "'
        thought = _printable(lines[0].removeprefix(thinks))
        if not (lines[0].startswith(thinks) and thought):
            raise Unusable(f"has no thought of {self.me}: {lines[0][:60]!r}")
        if partner is None:
            if lines[1:]:
                raise Unusable(f"goes on after the thought: {lines[1][:60]!r}")
            return thought, ""
        if len(lines) != 2:
            raise Unusable(f"has {len(lines)} lines where a thought and words are expected")
        words = _printable(lines[1].removeprefix(says).removesuffix('"'))
        if not (lines[1].startswith(says) and lines[1].endswith('"') and words):
            raise Unusable(f"has no words to {partner}: {lines[1][:60]!r}")
        return thought, words


def _printable(text: str) -> str:
    """A text without characters that cannot be printed."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_PAST = {
    "takes": "took",
    "puts": "put",
    "gives": "gave",
    "eats": "ate",
    "drinks": "drank",
    "reads": "read",
    "plays": "played",
    "wears": "put on",
    "cooks": "cooked",
    "washes": "washed",
    "rests": "lay down",
    "sits": "sat",
    "uses": "used",
    "gets": "got",
    "goes": "went",
    "waits": "waited",
    "turns": "turned",
    "steps": "stepped",
    "leaves": "left",
    "talks": "talked",
}


def afterwards(act: str) -> str:
    """A deed of the page, told when it is over: "LL took the book from the bookshelf."."""
    who, verb, *rest = act.split(" ")
    end = "." if verb.endswith(".") else ""
    return " ".join([who, _PAST[verb.removesuffix(".")] + end, *rest])


def infinitive(deed: str) -> str:
    """A deed as what one is about to do: "take the book from the bookshelf" for "takes the book from the bookshelf"."""
    verb, *rest = deed.split(" ")
    return " ".join([{"goes": "go", "washes": "wash"}.get(verb, verb.removesuffix("s")), *rest])


_SEVERAL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "many")
_MASS = frozenset(["food", "soup", "bread", "fish", "tea", "honey", "cheese", "soap", "pie"])


def several(thing: str, count: int = 1) -> str:
    """So many of a thing: "a book", "food", "three apples", "SG's clothes"."""
    if thing in _MASS or thing.endswith("clothes"):
        return thing
    if count > 1:
        number = _SEVERAL[count - 2] if count <= 10 else "many"
        return f"{number} {thing}{'es' if thing.endswith(('x', 'ch', 'sh')) else 's'}"
    return f"{'an' if thing[:1] in 'aeiou' else 'a'} {thing}"
