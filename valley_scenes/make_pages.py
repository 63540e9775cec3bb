"""Pages to learn from, of all scenes: python valley_scenes/make_pages.py --out runs/pages.jsonl.

Each turn of a scene is a page: what the one whose turn it is finds around it, worded as in a run, and what follows.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from irollan_env.english import conjugate
from itcma_s.deliberation.plain_words import joined
from itcma_s.deliberation.story.story_prompt import StoryPrompt, several
from itcma_s.protention.place_imagination import page_about
from ltrha.deeds import KEPT, Deed, describe_deeds
from ltrha.plain_text import first_words
from ltrha.ranking import Standing

SCENES = Path(__file__).parent / "scenes.jsonl.gz"
LATELY = 4
DECIDED = 0.22
"""Share of turns whose act is told before."""
IMAGINED = 0.25
"""Share of scenes that a page asks of what there may be where they play."""
_GOAL_WORDS, _GOAL_CHARACTERS = 16, 120
_NEWEST_WORDS, _OLDER_WORDS = 16, 10
_MARKS = str.maketrans("", "", '.?!:;"“”')
EVERY = 10
"""One of so many pages of runs is held out."""

_NAME = r"[A-Z]{2,3}"
_GOAL = re.compile(rf"({_NAME}) (wants|now wants|(?:has|is|gives|got) .+?,? and (?:now )?wants) to (.+)\.")
_THOUGHT = re.compile(rf"({_NAME}) thinks: (.+)")
_WORDS = re.compile(rf'({_NAME}) (?:says|said) to ({_NAME}): "([^"]+)"')
_MEMORY = re.compile(rf"({_NAME}) remembers: (.+)")
_ORDER = re.compile(r"Order: (.+)\.")
_WHEN = re.compile(r"^(?:(?:yesterday|today|earlier|once|(?:this|one|last) \w+|(?:a|two|three|some|many) \w+ ago),? )+")
"""A run's memories have no date."""
_NUMBERS = ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_A = "(?:(?:the|an|a|one|some|two|three) )?"
_DEEDS = (
    ("take", rf"takes {_A}(.+) from the (.+)"),
    ("put", rf"puts {_A}(.+) (?:on|in|into) the (.+)"),
    ("give", rf"gives {_A}(.+) to ({_NAME})"),
    ("consume", rf"(?:eats|drinks) {_A}(.+)"),
    ("use", rf"(?:reads|plays with|wears|cooks|washes|uses) {_A}(.+)"),
    ("use", r"(?:rests|sits down) on (?:the|a) (bed|bench|chair)"),
    ("rise", r"gets up"),
    ("out", r"goes out(?:side)?"),
    ("go", r"goes to (.+)"),
    ("wait", r"waits"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One turn as it is written; `goal_is` and `goal` are empty where the goal is kept.

    Attributes:
        goal_is: "wants", "now wants", or "has done it, and wants".
    """

    who: str
    goal_is: str
    goal: str
    thought: str
    act: str


@dataclass(slots=True)
class Scene:
    """A scene: its card, and what was written for it."""

    card: Mapping[str, Any]
    turns: list[Line] = field(default_factory=list)
    memories: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    order: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody finds around it before its turn, and the turn."""

    line: Line
    place: str
    company: tuple[str, ...]
    things: tuple[tuple[str, str, int], ...]
    tools: tuple[str, ...]
    held: Mapping[str, tuple[str, ...]]
    lately: tuple[str, ...]
    goal: str


@dataclass(frozen=True, slots=True)
class RunPage:
    """A page of a run that the small model led, and the turn that was written for it.

    Attributes:
        id: Its number.
        page: What somebody finds around it.
        turn: The lines that follow.
    """

    id: int
    page: str
    turn: str

    @property
    def split(self) -> str:
        """Whether it is learned from."""
        return "run" if self.id % EVERY == 0 else "train"

    def as_decided(self) -> RunPage:
        """The same turn where its act is told before: the thought and, in a talk, the words follow."""
        wish, thought, act = self.turn.split("\n")
        me = act.split(" ", 1)[0]
        page = self.page
        if goal := re.search(r" wants to (.+)\.$", wish):
            page = f"{re.sub(rf'^{me} wants to .*$', '', page, flags=re.M).rstrip()}\n{me} wants to {goal[1]}.\n"
        turn = f"{thought}\n{act}" if _partner(act) else thought
        return RunPage(self.id, f"{page}{me} is about to {_about(act)}.\n", turn)


def read(path: Path = SCENES) -> tuple[list[Scene], list[RunPage]]:
    """All scenes, and all pages of runs, each in its order."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    scenes = [parse(row["card"], row["lines"]) for row in rows if "card" in row]
    return scenes, [RunPage(row["id"], row["page"], row["turn"]) for row in rows if "page" in row]


def parse(card: Mapping[str, Any], lines: Sequence[str]) -> Scene:
    """A scene from its lines; README.md has their form."""
    scene, goal, thought = Scene(card=card), ("", ""), ""
    for line in lines:
        if m := _MEMORY.fullmatch(line):
            scene.memories[m[1]] = m[2]
        elif m := _ORDER.fullmatch(line):
            scene.order = [[name.strip() for name in group.split("=")] for group in m[1].split(",")]
        elif m := _THOUGHT.fullmatch(line):
            thought = m[2]
        elif not thought and (m := _GOAL.fullmatch(line)):
            goal = (m[2], m[3])
        elif not thought:
            scene.before.append(line)
        else:
            scene.turns.append(Line(line.split(" ")[0], *goal, thought, line))
            goal, thought = ("", ""), ""
    return scene


def counted(thing: str) -> tuple[str, int]:
    """A thing of a card, and how many: ("letter", 3) for "three letters"."""
    first, _, rest = thing.partition(" ")
    if first in ("a", "an"):
        return rest, 1
    if first in _NUMBERS:
        return re.sub(r"(?<=x)es$|s$", "", rest), _NUMBERS.index(first) + 1
    return thing, 1


def deed(act: str) -> tuple[str, tuple[str, ...]]:
    """What sort of deed an act is, and what it handles.

    Raises:
        ValueError: where it is none of the forms.
    """
    text = act.partition(" ")[2].removesuffix(".")
    for sort, form in _DEEDS:
        if m := re.fullmatch(form, text):
            return sort, m.groups()
    raise ValueError(f"{act!r} is no deed of the valley: {', '.join(form for _, form in _DEEDS)}")


def play(scene: Scene) -> Iterator[Turn]:
    """What each turn of a scene finds around it, in order."""
    card = scene.card
    place = dict.fromkeys(card["people"], card["place"])
    things: dict[str, Counter[tuple[str, str]]] = {card["place"]: Counter()}
    for thing, spot in card["things"]:
        name, count = counted(thing)
        things[card["place"]][name, spot] += count
    held: dict[str, Counter[str]] = {name: Counter() for name in card["people"]}
    for name, thing in card["held"].items():
        held[name][counted(thing)[0]] += 1
    goals = dict(card["goals"])
    lately = {name: list(scene.before) for name in card["people"]}
    for line in scene.turns:
        me = line.who
        here = place[me]
        company = tuple(name for name, where in place.items() if where == here and name != me)
        lying = things.setdefault(here, Counter())
        yield Turn(
            line=line,
            place=here,
            company=company,
            things=tuple((thing, spot, count) for (thing, spot), count in lying.items() if count > 0),
            tools=tuple(card["tools"]) if here == card["place"] else (),
            held={name: tuple(held[name].elements()) for name in (me, *company)},
            lately=tuple(lately[me]),
            goal=goals.get(me, ""),
        )
        sort, parts = ("talk", ()) if _WORDS.fullmatch(line.act) else deed(line.act)
        thing = _single(parts[0], {*(thing for thing, _ in lying), *held[me]}) if parts else ""
        match sort:
            case "take":
                lying[thing, parts[1]] -= 1
                held[me][thing] += 1
            case "put":
                held[me][thing] -= 1
                lying[thing, parts[1]] += 1
            case "give":
                held[me][thing] -= 1
                held[parts[1]][thing] += 1
            case "consume":
                held[me][thing] -= 1
            case "out":
                place[me] = "outside"
                for name, where in place.items():
                    if name != me and where == "outside":
                        lately[name].append(f"{me} came out.")
            case "go":
                del place[me]
        for name in (me, *company):
            lately[name].append(told(line.act))
        if line.goal:
            goals[me] = line.goal


def _single(thing: str, known: set[str]) -> str:
    """What is handled, as it is called here: "letter" for "three letters" or "one letter"."""
    for name in (thing, re.sub(r"(?<=x)es$|s$", "", thing), thing.removeprefix("hot "), thing.removeprefix("clean ")):
        if name in known:
            return name
    return thing


def told(act: str) -> str:
    """An act, told afterwards."""
    if m := _WORDS.fullmatch(act):
        return f'{m[1]} said to {m[2]}: "{m[3]}"'
    who, _, deed = act.removesuffix(".").partition(" ")
    return f"{who} {conjugate(deed, 'past')}."


def as_deed(act: str) -> Deed:
    """An act as the valley's own action, as the matrix is told of it."""
    if m := _WORDS.fullmatch(act):
        return Deed(action=f"chat with {m[2]}: {m[3]}", partner=m[2])
    sort, parts = deed(act)
    thing = f"{parts[0]} 1" if parts else ""
    match sort:
        case "take":
            return Deed(action=f"take {thing} from {parts[1]} 1")
        case "put":
            return Deed(action=f"put {thing} in/on {parts[1]} 1")
        case "give":
            return Deed(action=f"put {thing} in/on {parts[1]}", partner=parts[1])
        case "out" | "go":
            return Deed(action=f"go to {parts[0] if parts else 'outside'}")
        case "rise":
            return Deed(action="leave chair 1")
        case "wait":
            return Deed(action=None)
        case _:
            return Deed(action=f"use {thing}")


def _partner(act: str) -> str | None:
    said = re.match(rf'{_NAME} says to ({_NAME}): "', act)
    return said[1] if said else None


def _about(act: str) -> str:
    """What an act is, told before: "talk with LL"."""
    partner = _partner(act)
    return f"talk with {partner}" if partner else conjugate(act.partition(" ")[2].removesuffix("."), "infinitive")


def page(turn: Turn, scene: Scene, goal: str) -> StoryPrompt:
    """The page of a turn."""
    me, card = turn.line.who, scene.card
    place = turn.place if turn.place == "outside" else f"in {turn.place}"
    return StoryPrompt(
        me=me,
        where=place,
        company=turn.company,
        things=[
            *(f"{several(thing, count)} on the {spot}" for thing, spot, count in turn.things),
            *(several(tool) for tool in turn.tools),
        ],
        held={
            name: [several(thing, count) for thing, count in Counter(things).items()]
            for name, things in turn.held.items()
            if things
        },
        feeling=card["feelings"][me],
        knows=card["knows"].get(me, ()),
        remembers=_WHEN.sub("", scene.memories.get(me, "")),
        recent=turn.lately[-LATELY:],
        goal=goal,
    )


def pages(scene: Scene, r: random.Random) -> Iterator[dict[str, str]]:
    """Prompt and answer of every turn that can be."""
    split, number = scene.card["split"], scene.card["id"]
    for turn in play(scene):
        line, goal = turn.line, turn.goal
        if r.random() < DECIDED:
            yield {"split": split, "id": number, **decided(turn, scene)}
            continue
        kept = not line.goal or line.goal == goal
        if kept and goal and line.goal and r.random() < 0.25:
            goal, kept = "", False  # so that goals are formed, too
        if kept:
            wish = "still wants it."
        elif goal and line.goal_is not in ("wants", "now wants"):
            wish = f"has done it, and wants to {line.goal}."
        else:
            wish = f"{'now ' if goal else ''}wants to {line.goal}."
        answer = f"{line.who} {wish}\n{line.who} thinks: {line.thought}\n{line.act}\n"
        yield {"split": split, "id": number, "prompt": page(turn, scene, goal).text(), "answer": answer}


def decided(turn: Turn, scene: Scene) -> dict[str, str]:
    """Prompt and answer where the act is decided on: the thought, and the words."""
    line = turn.line
    one = replace(page(turn, scene, line.goal or turn.goal), about=_about(line.act))
    words = f"\n{line.act}" if _WORDS.fullmatch(line.act) else ""
    return {"prompt": one.text(), "answer": f"{line.who} thinks: {line.thought}{words}\n"}


def order_page(standings: Sequence[Standing]) -> str:
    """The page; what follows is a name, or an order: "AY and LL, then SG."."""
    return "\n".join([*map(_wish_and_deeds, standings), "Who brought most to the others?", ""])


def _wish_and_deeds(standing: Standing) -> str:
    """What somebody wants and did; a goal cannot end its sentence, nor words their quotation marks."""
    goal = first_words(standing.goal, _GOAL_WORDS, _GOAL_CHARACTERS).translate(_MARKS).strip()
    deeds = describe_deeds(standing.deeds, _NEWEST_WORDS, _OLDER_WORDS) or "has done nothing yet"
    return f"{standing.name} wants {f'to {goal}' if goal else 'nothing in particular'}, and {deeds}."


def ordered(scene: Scene, r: random.Random) -> Iterator[dict[str, str]]:
    """Who brought most to the others in a scene, from first to last, and what that follows from."""
    people = [name for group in scene.order for name in group]
    if len(people) < 3 or set(people) != set(scene.card["people"]):
        return
    goals = dict(scene.card["goals"])
    deeds: dict[str, tuple[Deed, ...]] = dict.fromkeys(people, ())
    for line in scene.turns:
        goals[line.who] = line.goal or goals.get(line.who, "")
        deeds[line.who] = (*deeds[line.who], as_deed(line.act))[-KEPT:]
    standings = [
        Standing(name=name, place=scene.card["place"], topic=0.0, goal=goals.get(name, ""), deeds=deeds[name])
        for name in r.sample(people, len(people))
    ]
    groups = [joined(r.sample(group, len(group))) for group in scene.order]
    yield {"prompt": order_page(standings), "answer": f"{', then '.join(groups)}.\n"}


def imagined(scene: Scene) -> Iterator[dict[str, str]]:
    """What there may be where a scene plays, for those who were never there."""
    card = scene.card
    things = [several(*counted(thing)) for thing, _ in card["things"]]
    there = [*dict.fromkeys(several(spot) for _, spot in card["things"]), *map(several, card["tools"]), *things]
    if card["place"] != "outside" and len(there) > 2:
        yield {"prompt": page_about(card["place"]), "answer": f"There may be {joined(there)}.\n"}


def all_pages(first: int = 0, end: int = 10**9, turns: int = 0) -> Iterator[dict[str, Any]]:
    """Pages of scenes, then those of runs, each with its split and its number.

    Args:
        first: Of the first card whose scene is taken.
        end: Of the card after the last.
        turns: How often each page of a run comes that is learned from; those held out come once.
    """
    r = random.Random(0)
    scenes, of_runs = read()
    for scene in scenes:
        if max(0, first) <= scene.card["id"] < end:
            of = {"split": scene.card["split"], "id": scene.card["id"]}
            yield from pages(scene, r)
            yield from ({**of, **one} for one in ordered(scene, r))
            if r.random() < IMAGINED:
                yield from ({**of, **one} for one in imagined(scene))
    for one in of_runs:
        for _ in range(turns if one.split == "train" else min(turns, 1)):
            shown = one.as_decided() if " is about to " not in one.page and r.random() < DECIDED else one
            yield {"split": one.split, "id": one.id, "prompt": shown.page, "answer": f"{shown.turn}\n"}


def main() -> None:
    """Write pages of all scenes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("valley_scenes/pages.jsonl"))
    parser.add_argument("--first", type=int, default=0, help="only of cards from this number on")
    parser.add_argument("--end", type=int, default=10**9, help="and before this one")
    parser.add_argument("--turns", type=int, default=0, help="how often the pages of runs come among them")
    options = parser.parse_args()
    with options.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in all_pages(options.first, options.end, options.turns))


if __name__ == "__main__":
    main()
