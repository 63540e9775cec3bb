"""Held-out turns, what a program tells of what was written, and the sheet for readers."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.mind.writer import Turn, counted, runs, sheet, turns

SCENE = 'Neighbours in a small valley.\n\nAY is outside with LL. AY is calm.\nLL said to AY: "Where is SG?"\n'
ANSWER = 'AY {wish}\nAY thinks: I saw SG at the well.\nAY says to LL: "SG was at the well."\n'


def page(split: str, prompt: str, wish: str) -> str:
    return json.dumps({"split": split, "prompt": prompt, "answer": ANSWER.format(wish=wish)}) + "\n"


def test_turns_of_words_that_are_held_out(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(
        page("train", SCENE, "wants to help LL.")
        + page("seen", SCENE, "wants to help LL.")
        + page("new", f"{SCENE}AY wants to rest.\n", "still wants it.")
        + page("new", f"{SCENE}AY wants to rest.\n", "now wants to help LL.")
        + json.dumps({"split": "new", "prompt": SCENE, "answer": "AY waits.\n"})
    )
    found = list(turns(path))
    assert [(turn.split, turn.goal) for turn in found] == [("seen", "help LL"), ("new", "rest"), ("new", "help LL")]
    assert {turn.scene for turn in found} == {SCENE}
    assert found[0].page() == f"{SCENE}AY wants to help LL.\nAY is about to talk with LL.\n"
    asked = found[0].page_with_examples()
    assert asked.endswith('LL: "Where is SG?"\nAY thought: I want to help LL')
    assert "said to" not in asked


TURN = Turn(split="new", scene=SCENE, me="AY", you="LL", goal="help LL", thought="", words="")


def test_what_a_program_can_tell() -> None:
    written = [
        ("I saw SG at the well.", "SG was at the well, and I can show you the way.", 100),
        ("I like QX.", "Where is SG?", 110),
        ("AY is tired.", "I do not know.", 120),
    ]
    found = counted([TURN] * 3, written, runs("was at the well and I can show you the way to it"))
    assert found == {
        "turns": 3,
        "name somebody who is nowhere on the page": 0.333,
        "call themselves by name": 0.333,
        "repeat a line that was said": 0.333,
        "have 8 words in a row from training": 0.333,
        "tokens": 110.0,
    }


def test_a_sheet_tells_nobody_which_is_which() -> None:
    writers = {"tuned": [("A.", "a.", 1)] * 20, "plain": [("B.", "b.", 1)] * 20}
    text, key = sheet([TURN] * 20, writers, 0)
    assert text.count("## Pair") == 20
    assert not any(name in text for name in writers)
    assert {entry["A"] for entry in key} == {"tuned", "plain"}
    for entry in key:
        assert {entry["A"], entry["B"]} == {"tuned", "plain"}
    assert sheet([TURN] * 20, writers, 0) == (text, key)
