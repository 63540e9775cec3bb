"""The scenes that a small model learns from: all of them keep the rules, and what is held out is held out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from project import ROOT

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
    draw_cards.write(out, len(cards), 0)
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
        assert page["prompt"].startswith("Neighbours in a small valley.\n\n")
        assert page["prompt"].endswith("\n")
        assert page["answer"].endswith("\n")
        assert re.fullmatch(r"([A-Z]{2,3} [^\n]+\n){1,3}|[^\n]+\.\n", page["answer"]), page["answer"]


@pytest.mark.parametrize(
    ("act", "fault"),
    [
        ("AY takes the crown from the table.", "there is no crown"),
        ("AY gives the book to LL.", "does not hold book"),
        ('AY says to ZZ: "Hello there."', "ZZ is not with AY"),
        ("AY goes to the canteen.", "goes out first"),
        ("AY flies.", "no deed of the list"),
        ("AY rests on the bed.", "there is no bed"),
    ],
)
def test_what_cannot_be_is_found(act: str, fault: str) -> None:
    card = {
        "id": 0, "split": "train", "place": "the reading room", "people": ["AY", "LL"], "absent": ["MD"],
        "things": [["a book", "table"]], "tools": [], "held": {}, "feelings": {"AY": "calm", "LL": "calm"},
        "goals": {"AY": "read", "LL": ""}, "knows": {}, "remembers": "", "heard": False, "theme": "", "turns": 1,
    }  # fmt: skip
    scene = reading.Scene(card=json.loads(json.dumps(card)))
    scene.turns.append(reading.Line("AY", "wants", "read", "I like this book and want to read it now.", act))
    assert any(fault in one for one in check.faults(scene)), scene.faults
