"""The story prompt that a small model continues, the grammar of the continuation, and its parser.

Such a model gets no questions or instructions; it was trained on scenes of this form (valley_scenes/README.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from itcma_s.deliberation.model_answer import Unusable
from itcma_s.deliberation.plain_words import joined
from language_models.json_grammar import quoted

HEAD = "Neighbours in a small valley."
_END = "\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class StoryPrompt:
    """A scene from one person's view, in plain English.

    Attributes:
        me: Who.
        where: "in the canteen", "outside".
        company: Who else is here.
        things: What lies here and what can be used: "a book on the bookshelf", "a stove".
        held: Who is here -> what it is seen to hold: "a book".
        feeling: Such as "happy and curious"; empty to leave it out.
        knows: What it knows of what is spoken of: "SG was in the canteen".
        remembers: What comes to mind: 'in the canteen, SG said to LL: "..."'; may be empty.
        recent: What was said and done here before, the latest last: 'AY said to LL: "..."', "AY took the book.".
        goal: What it wants: "get to know AY"; empty where it has no goal.
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
    recent: Sequence[str] = ()
    goal: str = ""
    about: str = ""

    def text(self) -> str:
        """Return the prompt text."""
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
        lines += self.recent
        if self.goal:
            lines.append(f"{me} wants to {self.goal}.")
        if self.about:
            lines.append(f"{me} is about to {self.about}.")
        return "\n".join(lines) + "\n"

    def writing_grammar(self, partner: str | None, thoughts: Iterable[str], lines: Iterable[str] = ()) -> str:
        """Return the GBNF grammar of the continuation: one of some thoughts and, in a chat, one of some lines.

        Args:
            partner: Whom the words are for; None where the act needs none.
            thoughts: At least one.
            lines: At least one for a partner.
        """
        root = f"root ::= {quoted(f'{self.me} thinks: ')} thought {quoted(_END)}"
        rules = f"thought ::= {_one_of(thoughts)}"
        if partner is None:
            return f"{root}\n{rules}"
        said, closing = f'{self.me} says to {partner}: "', f'"{_END}'
        return f"{root} {quoted(said)} words {quoted(closing)}\n{rules}\nwords ::= {_one_of(lines)}"

    def read_writing(self, text: str, partner: str | None) -> tuple[str, str]:
        """Parse a continuation that ``writing_grammar`` allows.

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
    """Return a text without unprintable characters."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _one_of(texts: Iterable[str]) -> str:
    return " | ".join(map(quoted, texts))


_SEVERAL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "many")
_MASS = frozenset(["food", "soup", "bread", "fish", "tea", "honey", "cheese", "soap", "pie"])


def several(thing: str, count: int = 1) -> str:
    """Return a thing with its count: "a book", "food", "three apples", "SG's clothes"."""
    if thing in _MASS or thing.endswith("clothes"):
        return thing
    if count > 1:
        number = _SEVERAL[count - 2] if count <= 10 else "many"
        return f"{number} {thing}{'es' if thing.endswith(('x', 'ch', 'sh')) else 's'}"
    return f"{'an' if thing[:1] in 'aeiou' else 'a'} {thing}"
