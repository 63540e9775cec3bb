"""Scenes read and played through: what each turn finds around it, and what is wrong with a scene."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from itcma_s.deliberation.page.page import afterwards
from ltrha.deeds import Deed

CARDS = Path(__file__).parent / "cards.jsonl"
WRITTEN = Path(__file__).parent / "written"

_NAME = r"[A-Z]{2,3}"
_GOAL = re.compile(rf"({_NAME}) (wants|now wants|(?:has|is|gives|got) .+?,? and (?:now )?wants) to (.+)\.")
_THOUGHT = re.compile(rf"({_NAME}) thinks: (.+)")
WORDS = re.compile(rf'({_NAME}) (?:says|said) to ({_NAME}): "([^"]+)"')
_MEMORY = re.compile(rf"({_NAME}) remembers: (.+)")
_ORDER = re.compile(r"Order: (.+)\.")
_NUMBERS = ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_A = "(?:(?:the|an|a|one|some|two|three) )?"
_DEEDS = (
    ("take", rf"takes {_A}(.+) from the (.+)"),
    ("put", rf"puts {_A}(.+) (?:on|in|into) the (.+)"),
    ("give", rf"gives {_A}(.+) to ({_NAME})"),
    ("eat", rf"eats {_A}(.+)"),
    ("drink", rf"drinks {_A}(.+)"),
    ("read", rf"reads {_A}(.+)"),
    ("play", rf"plays with {_A}(.+)"),
    ("wear", rf"wears {_A}(.+)"),
    ("cook", rf"cooks {_A}(.+)"),
    ("wash", rf"washes {_A}(.+)"),
    ("rest", r"rests on (?:the|a) (bed|bench)"),
    ("sit", r"sits down on (?:the|a) (chair|bench|bed)"),
    ("use", rf"uses {_A}(.+)"),
    ("rise", r"gets up"),
    ("out", r"goes out(?:side)?"),
    ("go", r"goes to (.+)"),
    ("wait", r"waits"),
)
_USED_UP = ("eat", "drink")


@dataclass(frozen=True, slots=True)
class Line:
    """One turn; `goal_is` is "wants", "now wants", "has done it, and wants", or empty where the goal is kept."""

    who: str
    goal_is: str
    goal: str
    thought: str
    act: str


@dataclass(slots=True)
class Scene:
    """A scene as it is written."""

    card: dict[str, Any]
    turns: list[Line] = field(default_factory=list)
    memories: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    order: list[list[str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody finds around it before its turn, and the turn."""

    line: Line
    place: str
    company: tuple[str, ...]
    things: tuple[tuple[str, str, int], ...]
    tools: tuple[str, ...]
    held: dict[str, tuple[str, ...]]
    lately: tuple[str, ...]
    goal: str


def cards() -> dict[int, dict[str, Any]]:
    """All cards, by number."""
    return {c["id"]: c for c in map(json.loads, CARDS.read_text(encoding="utf-8").splitlines())}


def counted(thing: str) -> tuple[str, int]:
    """A thing of a card, and how many: ("letter", 3) for "three letters"."""
    first, _, rest = thing.partition(" ")
    if first in ("a", "an"):
        return rest, 1
    if first in _NUMBERS:
        return re.sub(r"(?<=x)es$|s$", "", rest), _NUMBERS.index(first) + 1
    return thing, 1


def scenes(path: Path, known: dict[int, dict[str, Any]]) -> Iterator[Scene]:
    """The scenes of a file, each with what is wrong in its form."""
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8").strip()):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        number = re.fullmatch(r"# (\d+).*", lines[0])
        if number is None or int(number[1]) not in known:
            yield Scene(card={"id": -1}, faults=[f"{path.name}: a scene begins with {lines[0][:50]!r}"])
            continue
        scene = Scene(card=known[int(number[1])])
        _read(lines[1:], scene)
        yield scene


def _read(lines: list[str], scene: Scene) -> None:
    goal: tuple[str, str, str] | None = None
    thought: tuple[str, str] | None = None
    for line in lines:
        if m := _MEMORY.fullmatch(line):
            scene.memories[m[1]] = m[2]
        elif m := _ORDER.fullmatch(line):
            scene.order = [[n.strip() for n in group.split("=")] for group in m[1].split(",")]
        elif m := _THOUGHT.fullmatch(line):
            thought = (m[1], m[2])
        elif (m := _GOAL.fullmatch(line)) and thought is None:
            goal = (m[1], m[2], m[3])
        elif thought is None and goal is None:
            if scene.turns:
                scene.faults.append(f"no goal, thought or act: {line}")
            scene.before.append(line)
        elif thought is None:
            scene.faults.append(f"no thought before: {line}")
            goal = None
        else:
            who = line.split(" ")[0]
            if who != thought[0] or (goal is not None and goal[0] != who):
                scene.faults.append(f"goal, thought and act are of different people: {line}")
            else:
                kind, text = (goal[1], goal[2]) if goal is not None else ("", "")
                scene.turns.append(Line(who, kind, text, thought[1], line))
            goal = thought = None
    if thought is not None or goal is not None:
        scene.faults.append("the last turn has no act")


def deed(act: str) -> tuple[str, tuple[str, ...]] | None:
    """What sort of deed an act is, and what it handles; None where it is none of the forms."""
    text = act.partition(" ")[2].removesuffix(".")
    for sort, form in _DEEDS:
        if m := re.fullmatch(form, text):
            return sort, m.groups()
    return None


class Play:
    """A scene played through, turn by turn."""

    def __init__(self, scene: Scene) -> None:
        card = scene.card
        self.scene = scene
        self.place = dict.fromkeys(card["people"], card["place"])
        self.things: dict[str, Counter[tuple[str, str]]] = {card["place"]: Counter()}
        for thing, spot in card["things"]:
            name, count = counted(thing)
            self.things[card["place"]][name, spot] += count
        self.held: dict[str, Counter[str]] = {name: Counter() for name in card["people"]}
        for name, thing in card["held"].items():
            self.held[name][counted(thing)[0]] += 1
        self.goals: dict[str, str] = {}
        self.lately: dict[str, list[str]] = {name: list(scene.before) for name in card["people"]}
        self.gone: set[str] = set()
        for name, goal in card["goals"].items():
            self.goals[name] = goal

    def turns(self) -> Iterator[Turn]:
        """Every turn up to the first that cannot be; faults are noted in the scene."""
        spoke: set[str] = set()
        for line in self.scene.turns:
            me = line.who
            if me not in self.place or me in self.gone:
                self.scene.faults.append(f"{me} is not here: {line.act}")
                return
            here = self.place[me]
            company = tuple(n for n, p in self.place.items() if p == here and n != me and n not in self.gone)
            first = me not in spoke
            spoke.add(me)
            goal = self.goals.get(me, "")
            turn = Turn(
                line=line,
                place=here,
                company=company,
                things=tuple((t, s, c) for (t, s), c in self.things.get(here, Counter()).items() if c > 0),
                tools=tuple(self.scene.card["tools"]) if here == self.scene.card["place"] else (),
                held={n: tuple(t for t, c in self.held[n].items() for _ in range(c)) for n in (me, *company)},
                lately=tuple(self.lately[me]),
                goal=goal,
            )
            if fault := self._act(line, here, company, first):
                self.scene.faults.append(f"{fault}: {line.act}")
                return
            yield turn
            if line.goal:
                self.goals[me] = line.goal

    def _act(self, line: Line, here: str, company: tuple[str, ...], first: bool) -> str:
        """Do what a turn does; what is wrong with it, or empty."""
        me = line.who
        if not line.goal and first and not self.goals.get(me):
            return f"{me} has no goal"
        if m := WORDS.fullmatch(line.act):
            if m[2] not in company:
                return f"{m[2]} is not with {me}"
        else:
            found = deed(line.act)
            if found is None:
                return "no deed of the list, and no words"
            if fault := self._do(me, *found, here, company):
                return fault
        for name in (me, *company):
            self.lately[name].append(told(line.act))
        return ""

    def _do(self, me: str, sort: str, parts: tuple[str, ...], here: str, company: tuple[str, ...]) -> str:
        lying, mine = self.things.setdefault(here, Counter()), self.held[me]
        thing = _single(parts[0], {*(t for t, _ in lying), *mine}) if parts else ""
        match sort:
            case "take":
                spot = next((s for t, s in lying if t == thing and lying[t, s] > 0 and s == parts[1]), None)
                if spot is None:
                    return f"there is no {thing} on the {parts[1]}"
                lying[thing, spot] -= 1
                mine[thing] += 1
            case "put" | "give":
                if not mine[thing]:
                    return f"{me} does not hold {thing}"
                if sort == "give" and parts[1] not in company:
                    return f"{parts[1]} is not with {me}"
                mine[thing] -= 1
                if sort == "put":
                    lying[thing, parts[1]] += 1
                else:
                    self.held[parts[1]][thing] += 1
            case "eat" | "drink" | "read" | "play" | "wear" | "use":
                spot = next((s for t, s in lying if t == thing and lying[t, s] > 0), None)
                if not mine[thing] and (spot is None or sort in _USED_UP):
                    return f"{me} does not hold {thing}"
                if sort in _USED_UP:
                    mine[thing] -= 1
            case "cook" | "wash":
                tool = "stove" if sort == "cook" else "sink"
                if tool not in self.scene.card["tools"] or not lying[thing, tool]:
                    return f"{thing} is not on the {tool}"
            case "rest" | "sit":
                if thing not in self.scene.card["tools"] or here != self.scene.card["place"]:
                    return f"there is no {thing}"
            case "out":
                if here == "outside":
                    return f"{me} is outside"
                self.place[me] = "outside"
                for name in self.place:
                    if name != me and self.place[name] == "outside" and name not in self.gone:
                        self.lately[name].append(f"{me} came out.")
            case "go":
                if here == self.scene.card["place"] and (here.startswith("the ") or here.endswith("house")):
                    return f"from {here} one goes out first"
                self.gone.add(me)
        return ""


def _single(thing: str, known: set[str]) -> str:
    """What is handled, as it is called here: "letter" for "three letters" or "one letter"."""
    for name in (thing, re.sub(r"(?<=x)es$|s$", "", thing), thing.removeprefix("hot "), thing.removeprefix("clean ")):
        if name in known:
            return name
    return thing


def told(act: str) -> str:
    """An act, told afterwards."""
    if m := WORDS.fullmatch(act):
        return f'{m[1]} said to {m[2]}: "{m[3]}"'
    return afterwards(act)


def as_deed(act: str) -> Deed:
    """An act as the valley's own action, as the matrix is told of it."""
    if m := WORDS.fullmatch(act):
        return Deed(action=f"chat with {m[2]}: {m[3]}", partner=m[2])
    sort, parts = deed(act) or ("wait", ())
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
