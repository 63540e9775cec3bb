"""The scenes that a small model learns from: all of them keep the rules, and what is held out is held out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from led import context_of
from project import ROOT
from scenes import observe

from itcma_s.deliberation.exchange import Exchange
from itcma_s.deliberation.page.page import infinitive
from itcma_s.deliberation.page.page_of_step import page_of
from language_models.scripted import ScriptedModel

SCENES = ROOT / "valley_scenes"
sys.path.insert(0, str(SCENES))

import check  # noqa: E402
import draw_cards  # noqa: E402
import make_pages  # noqa: E402
import reading  # noqa: E402


@pytest.fixture(scope="module")
def cards() -> dict[int, dict[str, Any]]:
    return reading.cards()


@pytest.fixture(scope="module")
def written(cards: dict[int, dict[str, Any]]) -> list[reading.Scene]:
    return [scene for path in sorted(reading.WRITTEN.glob("*.txt")) for scene in reading.scenes(path, cards)]


def test_the_cards_are_those_of_the_program(cards: dict[int, dict[str, Any]], tmp_path: Path) -> None:
    out = tmp_path / "cards.jsonl"
    draw_cards.write(out, check.PLAIN, len(cards) - check.PLAIN, 0)
    assert out.read_text(encoding="utf-8") == reading.CARDS.read_text(encoding="utf-8")


def test_every_scene_keeps_the_rules(written: list[reading.Scene]) -> None:
    faults = {scene.card["id"]: found for scene in written if (found := check.faults(scene))}
    assert faults == {}
    numbers = [scene.card["id"] for scene in written]
    assert len(numbers) == len(set(numbers))
    assert len(numbers) >= 3000


def test_new_names_things_and_places_are_in_held_out_scenes_alone(
    cards: dict[int, dict[str, Any]], written: list[reading.Scene]
) -> None:
    learned = [scene for scene in written if scene.card["split"] != "new"]
    new = [scene for scene in written if scene.card["split"] == "new"]
    assert len(new) > 100
    for scene in learned:
        people = {*scene.card["people"], *scene.card["absent"]}
        assert not any(draw_cards.is_new_name(name) for name in people)
        assert scene.card["place"] not in draw_cards.NEW_ROOMS
    for scene in new:
        assert all(draw_cards.is_new_name(n) or n in draw_cards.VALLEY for n in scene.card["people"])


def pages(written: list[reading.Scene]) -> Iterator[dict[str, Any]]:
    import random

    r = random.Random(0)
    for scene in written[:60]:
        yield from make_pages.pages(scene, r)
        yield from make_pages.ordered(scene, r)


def test_pages_are_of_the_form_that_a_mind_writes(written: list[reading.Scene]) -> None:
    found = list(pages(written))
    assert len(found) > 200
    for page in found:
        order = page["prompt"].endswith("Who brought most to the others?\n")
        assert order or page["prompt"].startswith("Neighbours in a small valley.\n\n")
        assert page["prompt"].endswith("\n")
        assert page["answer"].endswith("\n")
        assert re.fullmatch(r"([A-Z]{2,3} [^\n]+\n){1,3}|[^\n]+\.\n", page["answer"]), page["answer"]


def test_pages_of_held_out_cards_are_never_learned(
    cards: dict[int, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "pages.jsonl"
    monkeypatch.setattr(sys, "argv", ["make_pages.py", "--out", str(out), "--end", "400"])
    make_pages.main()
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {page["id"] for page in found} > {0, 10, 20, 390}
    for page in found:
        assert page["split"] == cards[page["id"]]["split"]
        assert (page["split"] == "train") == (page["id"] % 10 != 0)


def test_a_deed_goes_on_the_page_and_back(written: list[reading.Scene]) -> None:
    """As it is done, as it was done, and as what one is about to do."""
    sorts = set()
    for act in {line.act for scene in written for line in scene.turns}:
        if said := reading.WORDS.fullmatch(act):
            assert reading.WORDS.fullmatch(reading.told(act)) is not None
            assert reading.told(act) == f'{said[1]} said to {said[2]}: "{said[3]}"'
            continue
        who, _, deed = act.removesuffix(".").partition(" ")
        verb, _, rest = deed.partition(" ")
        about, _, after = infinitive(deed).partition(" ")
        assert ({"go": "goes", "wash": "washes"}.get(about, f"{about}s"), after) == (verb, rest)
        past = reading.told(act)
        assert past.startswith(f"{who} ")
        assert past.endswith(f" {rest}." if rest else ".")
        assert not past.startswith(f"{who} {verb}")
        sorts.add(reading.deed(act)[0])
    assert sorts == {sort for sort, _ in reading._DEEDS}


HELD = ("book 1", "drink 1", "toy 1", "AY's clothes 1")
ACTIONS = (
    *("go to outside", "use chair 2", "leave chair 2", "use stoveburner 1", "use bed 1", "take food 1 from table 2"),
    *("put book 1 in/on table 2", "put book 1 in/on AY", *(f"use {thing}" for thing in HELD)),
)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_deed_of_a_run_is_told_as_scenes_tell_it(action: str) -> None:
    observation = observe(
        "Public Canteen",
        time=1,
        outcome="executed",
        result="Done.",
        people=("AY",),
        furniture=("chair 2", "table 2", "stoveburner 1", "bed 1"),
        items={"food 1": "table 2", "beefsteak": "stoveburner 1"},
        held=HELD,
        admissible=ACTIONS,
    )
    context = context_of(observation, ScriptedModel())
    page = page_of(context, Exchange(), action, decided=action)
    verb, _, rest = page.about.partition(" ")
    way = " ".join(part for part in ("MD", {"go": "goes"}.get(verb, f"{verb}s"), rest) if part) + "."
    assert reading.deed(way) is not None
    assert page.lately == [reading.told(way)]


CARD = {
    "id": 7, "split": "train", "place": "the reading room", "people": ["AY", "LL", "MD"], "absent": ["SG"],
    "things": [["a book", "table"]], "tools": ["chair"], "held": {"LL": "a letter"},
    "feelings": {"AY": "calm", "LL": "calm", "MD": "calm"}, "goals": {"AY": "read the book", "LL": "", "MD": ""},
    "knows": {}, "remembers": "AY", "heard": True, "theme": "", "turns": 4,
}  # fmt: skip
TAKES = "AY takes the book from the table."
ASKS = 'LL says to MD: "Do you know where SG is?"'
READS = "AY reads the book."
LAST = f"AY thinks: MD went out to look for SG, so I read the book now.\n{READS}"
GOING = """MD thinks: I do not see SG outside, so I go to the canteen.
MD goes to the canteen.
MD thinks: SG is not here either, so I wait until they come.
MD waits."""
ORDER = "Order: MD, LL = AY."
SCENE = f"""# 7
AY remembers: yesterday in the canteen, LL said to AY: "The book is for all."
LL said to AY: "Take what you like."
AY thinks: LL says that I may take what I like, so I take the book.
{TAKES}
LL wants to find SG.
LL thinks: AY has the book now, and I still have a letter for SG.
{ASKS}
MD wants to help LL.
MD thinks: LL asks for SG and I have not seen SG, so I look outside.
MD goes out.
{LAST}
{ORDER}
"""


@pytest.fixture
def said_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], tuple[int, list[str]]]:
    """What the program says of scenes, line by line, after its exit status."""
    path = tmp_path / "scenes.txt"
    monkeypatch.setattr(check, "cards", lambda: {7: CARD})
    monkeypatch.setattr(sys, "argv", ["check.py", str(path)])

    def check_it(text: str) -> tuple[int, list[str]]:
        path.write_text(text, encoding="utf-8")
        return check.main(), capsys.readouterr().out.splitlines()

    return check_it


def test_a_scene_that_keeps_the_rules_has_no_fault(said_of: Callable[[str], tuple[int, list[str]]]) -> None:
    assert said_of(SCENE) == (0, ["1 scenes, 0 with faults"])
    assert said_of(f"{SCENE}\n{SCENE}") == (1, ["scenes.txt # 7: written twice", "2 scenes, 1 with faults"])


@pytest.mark.parametrize(
    ("line", "instead", "fault"),
    [
        (TAKES, "AY takes the crown from the table.", "there is no crown on the table: AY takes"),
        (TAKES, "AY takes the book from the shelf.", "there is no book on the shelf: AY takes"),
        (READS, TAKES, "there is no book on the table: AY takes"),
        (READS, "AY gives the letter to LL.", "AY does not hold letter: AY gives"),
        (READS, "AY gives the book to MD.", "MD is not with AY: AY gives"),
        (READS, "AY puts the apple on the table.", "AY does not hold apple: AY puts"),
        (TAKES, "AY reads the letter.", "AY does not hold letter: AY reads"),
        (READS, "AY eats the bread.", "AY does not hold bread: AY eats"),
        (READS, "AY cooks the book.", "book is not on the stove: AY cooks"),
        (READS, "AY washes the book.", "book is not on the sink: AY washes"),
        (READS, "AY rests on the bed.", "there is no bed: AY rests"),
        (READS, "AY goes to the canteen.", "from the reading room one goes out first: AY goes"),
        (READS, "AY flies away.", "no deed of the list, and no words: AY flies"),
        (READS, 'AY says to MD: "Are you coming back?"', "MD is not with AY: AY says"),
        (ASKS, 'LL says to SG: "Do you know where I am?"', "SG is not with LL: LL says"),
        (ASKS, 'LL says to MD: "Do you know where ZZ is?"', "names that are not on the card: ZZ: LL says"),
        ("LL wants to find SG.", "LL wants to find QX.", "names that are not on the card: QX: find QX"),
        (ASKS, 'LL says to MD: "Do you know where she is?"', "he or she: LL says"),
        (ASKS, 'LL says to MD: "Well."', "too short or long: LL says"),
        (ASKS, f'LL says to MD: "{"Well, " * 33}."', "too short or long: LL says"),
        (
            "LL thinks: AY has the book now, and I still have a letter for SG.",
            "LL thinks: I ask.",
            "a thought of 2 words",
        ),
        ("LL wants to find SG.\n", "", "LL has no goal: LL says"),
        (f"{ORDER}\n", "", "no order"),
        (ORDER, "Order: MD, SG.", "an order of others: ['MD', 'SG']"),
        (ORDER, "Order: MD, LL = MD.", "an order of others: ['MD', 'LL', 'MD']"),
        ('AY remembers: yesterday in the canteen, LL said to AY: "The book is for all."\n', "", "no memory of AY"),
        (
            "MD thinks: LL asks for SG and I have not seen SG, so I look outside.\n",
            "",
            "no thought before: MD goes out.",
        ),
        (READS, "LL waits.", "goal, thought and act are of different people: LL waits."),
        (LAST, GOING, "MD is not here: MD waits."),
        (f"{READS}\n{ORDER}\n", "", "the last turn has no act"),
        ("# 7\n", "# 8\n", "a scene begins with '# 8'"),
    ],
)
def test_what_breaks_a_rule_is_found(
    said_of: Callable[[str], tuple[int, list[str]]], line: str, instead: str, fault: str
) -> None:
    assert line in SCENE
    status, said = said_of(SCENE.replace(line, instead, 1))
    assert status == 1
    assert any(f": {fault}" in one for one in said[:-1]), said
    assert said[-1] == "1 scenes, 1 with faults"
