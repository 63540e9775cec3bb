"""Turns that somebody wrote for pages of runs: read and checked; python valley_scenes/turns.py says what is wrong.

`turns/NNNN.jsonl` has the pages that draw_turns.py drew; `turns/NNNN.txt` has what follows: "# ID", and a turn.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from itcma_s.deliberation.answer import GoalIs, Unusable
from itcma_s.deliberation.page.page import Page, infinitive

TURNS = Path(__file__).parent / "turns"
EVERY = 10
"""One of so many pages is held out."""
_WORD = re.compile(r"[A-Za-z']+")
_NAME = re.compile(r"\b[A-Z]{2,3}\b")
_PRONOUNS = re.compile(r"\b([Hh]e|[Ss]he|[Hh]im|[Hh]is|[Hh]ers?)\b")
_NEITHER = {"OK", "TV"}
_SAYS = re.compile(r'[A-Z]{2,3} says to ([A-Z]{2,3}): ".*')
_KEPT = "still wants it."
_WISHES = ("now wants to ", "has done it, and wants to ", "wants to ")
_GOAL = re.compile(r" wants to (.+)\.$")


@dataclass(frozen=True, slots=True)
class Written:
    """A page of a run, and the turn that was written for it.

    Attributes:
        id: The page's number.
        page: What somebody finds around it.
        ways: How its turn may end; where it is decided, the one line "X says to Y:", or nothing.
        turn: The lines that follow; empty where nobody wrote any.
    """

    id: int
    page: str
    ways: list[str]
    turn: str

    @property
    def split(self) -> str:
        """Whether it is learned from."""
        return "run" if self.id % EVERY == 0 else "train"

    @property
    def decided(self) -> bool:
        """Whether the page says what is done."""
        return " is about to " in self.page

    def as_decided(self) -> Written:
        """The same turn where its act is told before: the thought and, in a talk, the words follow."""
        wish, thought, act = self.turn.split("\n")
        me, says = act.split(" ", 1)[0], _SAYS.match(act)
        about = f"talk with {says[1]}" if says else infinitive(act.partition(" ")[2].removesuffix("."))
        page = self.page
        if (goal := _GOAL.search(wish)) is not None:
            page = f"{re.sub(rf'^{me} wants to .*$', '', page, flags=re.M).rstrip()}\n{me} wants to {goal[1]}.\n"
        turn = f"{thought}\n{act}" if says else thought
        ways = [says[0].partition(' "')[0]] if says else []
        return Written(self.id, f"{page}{me} is about to {about}.\n", ways, turn)

    def fault(self) -> str | None:
        """What is wrong with the turn."""
        me = self.page.split("\n\n", 1)[1].split(" ", 1)[0]
        page = Page(me=me, where="", held={})
        try:
            if self.decided:
                partner = self.ways[0].removesuffix(":").rsplit(" ", 1)[-1] if self.ways else None
                thought, words = page.read_writing(self.turn, partner)
            else:
                thought, words = read_turn(me, self.turn, self.ways)
        except ValueError as reason:
            return str(reason)
        if (
            strangers := set(_NAME.findall(self.turn))
            - set(_NAME.findall("\n".join([self.page, *self.ways])))
            - _NEITHER
        ):
            return f"names that are not on the page: {', '.join(sorted(strangers))}"
        if _PRONOUNS.search(self.turn):
            return "he or she"
        if not 4 <= len(_WORD.findall(thought)) <= 20:
            return f"a thought of {len(_WORD.findall(thought))} words, where 4 to 20 are wanted"
        if words and not 2 <= len(_WORD.findall(words)) <= 20:
            return f"{len(_WORD.findall(words))} words said, where 2 to 20 are wanted"
        return None


def write_turn(me: str, before: str, goal_is: GoalIs, goal: str, thought: str, act: str) -> str:
    """A turn of somebody who decides, as it is learned.

    Args:
        me: Whose turn it is.
        before: What it wanted so far; empty for nothing.
        goal_is: What became of that.
        goal: What it wants from now on.
        thought: What it thinks.
        act: What it does or says.
    """
    wish = f"now wants to {goal}." if before else f"wants to {goal}."
    wish = {"kept": _KEPT, "reached": f"has done it, and wants to {goal}.", "changed": wish}[goal_is]
    return f"{me} {wish}\n{me} thinks: {thought}\n{act}\n"


def read_turn(me: str, turn: str, ways: Collection[str]) -> tuple[str, str]:
    """The thought and the words of a turn of somebody who decides.

    Args:
        me: Whose turn it is.
        turn: Its three lines.
        ways: How it may end: a deed, or "LL says to AY:" where words follow.

    Raises:
        Unusable: if the turn has another form.
    """
    lines = turn.strip().split("\n")
    if len(lines) != 3 or not all(line.startswith(f"{me} ") for line in lines):
        raise Unusable(f"has {len(lines)} lines where a goal, a thought and an act are expected, each of {me}")
    wish, thought = (line.removeprefix(f"{me} ") for line in lines[:2])
    if not wish.startswith((_KEPT, *_WISHES)) or not thought.startswith("thinks: "):
        raise Unusable(f"has no goal or no thought of {me}")
    way, quote, words = lines[2].partition(' "')
    words = words.removesuffix('"')
    if way not in ways or bool(words) != way.endswith(":") or bool(quote) != bool(words):
        raise Unusable(f"does what cannot be done: {lines[2][:60]!r}")
    return thought.removeprefix("thinks: "), words


def read(folder: Path = TURNS) -> Iterator[Written]:
    """All pages, with what was written for them."""
    for path in sorted(folder.glob("*.jsonl")):
        text = path.with_suffix(".txt").read_text(encoding="utf-8") if path.with_suffix(".txt").exists() else ""
        turns = {
            int(number): lines.strip() for number, lines in re.findall(r"^# (\d+)\n((?:(?!# ).*\n?)*)", text, re.M)
        }
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            yield Written(one["id"], one["page"], one["ways"], turns.get(one["id"], ""))


def main() -> int:
    """Check what was written, of the folder or of the files that are named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    found = [(one, one.fault()) for one in read(folder)]
    for one, fault in found:
        if one.turn and fault:
            print(f"# {one.id}: {fault}: {one.turn!r}")
    written = sum(bool(one.turn) for one, _ in found)
    wrong = sum(bool(one.turn and fault) for one, fault in found)
    print(f"{len(found)} pages, {written} written, {wrong} with faults")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
