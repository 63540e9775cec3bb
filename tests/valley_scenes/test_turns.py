"""Turns that were written for pages of runs: all can be learned from, and none of what is held out is."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import sys
from pathlib import Path

import pytest
from project import ROOT

sys.path.insert(0, str(ROOT / "valley_scenes"))

import draw_cards
import draw_turns
import make_pages
import turns

FOUND = "Neighbours in a small valley.\n\nLL is outside with AY. LL holds a book.\n"
PAGE = f'{FOUND}AY said to LL: "Is it mine?"\nLL wants to read.\n'
WAYS = ["LL reads the book.", "LL gives the book to AY.", "LL waits.", "LL says to AY:"]
GIVES = "LL now wants to be kind to AY.\nLL thinks: AY asks whether my book is theirs.\nLL gives the book to AY."
SAYS = 'LL still wants it.\nLL thinks: AY asks whose book I hold.\nLL says to AY: "No, it is mine."'


def written(turn: str, page: str = PAGE, ways: list[str] | None = None) -> turns.Written:
    return turns.Written(1, page, WAYS if ways is None else ways, turn)


def test_every_page_has_a_turn_without_a_fault() -> None:
    found = list(turns.read())
    assert len(found) > 500
    assert {one.id: one.fault() for one in found if one.fault()} == {}
    assert len({one.id for one in found}) == len(found)
    assert {one.as_decided().fault() for one in found if not one.decided} == {None}


def test_names_that_are_held_out_are_on_no_page() -> None:
    names = {name for one in turns.read() for name in re.findall(r"\b[A-Z]{2,3}\b", f"{one.page}\n{one.turn}")}
    assert not any(draw_cards.is_new_name(name) for name in names - {"OK", "TV"})
    assert len(names) > 300


@pytest.mark.parametrize(
    ("turn", "fault"),
    [
        (GIVES, None),
        (SAYS, None),
        ("", "has 1 lines"),
        (GIVES.replace("gives the book to AY", "takes the book"), "does what cannot be done"),
        (GIVES.replace("AY asks", "SG asks"), "names that are not on the page: SG"),
        (GIVES.replace("theirs", "his"), "he or she"),
        (GIVES.replace("AY asks whether my book is theirs", "I give it"), "a thought of 3 words"),
        (SAYS.replace("No, it is mine.", "No."), "1 words said"),
    ],
)
def test_faults_are_found(turn: str, fault: str | None) -> None:
    found = written(turn).fault()
    assert (found is None) if fault is None else (found is not None and fault in found)


def test_a_turn_is_told_as_decided_with_the_goal_that_it_was_taken_for() -> None:
    gives, says = written(GIVES).as_decided(), written(SAYS).as_decided()
    assert gives.page.endswith('"Is it mine?"\nLL wants to be kind to AY.\nLL is about to give the book to AY.\n')
    assert gives.turn == "LL thinks: AY asks whether my book is theirs."
    assert says.page == f"{PAGE}LL is about to talk with AY.\n"
    assert says.turn.endswith('\nLL says to AY: "No, it is mine."')
    assert gives.fault() is says.fault() is None


def test_files_are_read_with_the_turns_that_are_there(tmp_path: Path) -> None:
    rows = [{"id": number, "page": PAGE, "ways": WAYS} for number in (9, 10, 11)]
    (tmp_path / "0000.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (tmp_path / "0000.txt").write_text(f"# 9\n{GIVES}\n\n# 10\n{SAYS}\n", encoding="utf-8")
    found = list(turns.read(tmp_path))
    assert [one.turn for one in found] == [GIVES, SAYS, ""]
    assert [one.split for one in found] == ["train", "run", "train"]


def test_pages_are_drawn_from_a_run_with_other_names_and_what_could_be_done(tmp_path: Path) -> None:
    act = 'act ::= "LL reads the book.\\n" | "LL says to AY: " words'
    patterns = [
        f'root ::= "LL " wish "\\n" act\n{act}\nwords ::= [a-z]',
        'root ::= "LL thinks: " thought "\\n" "LL says to AY: " words\nthought ::= [a-z]',
    ]
    with sqlite3.connect(tmp_path / "transcript.sqlite") as connection:
        connection.execute("CREATE TABLE prompts (hash TEXT, text TEXT)")
        connection.execute("CREATE TABLE calls (id INTEGER PRIMARY KEY, method TEXT, prompt TEXT, request TEXT)")
        for number, pattern in enumerate(patterns):
            connection.execute("INSERT INTO prompts VALUES (?, ?)", (str(number), PAGE + "x" * number))
            request = json.dumps({"pattern": pattern})
            connection.execute(
                "INSERT INTO calls (method, prompt, request) VALUES ('generate', ?, ?)", (number, request)
            )
        connection.execute("INSERT INTO prompts VALUES ('2', 'another prompt')")
        connection.execute("INSERT INTO calls (method, prompt, request) VALUES ('generate', 2, '{}')")
    assert [ways for _, ways in draw_turns.asked(tmp_path)] == [
        ["LL reads the book.", "LL says to AY:"],
        ["LL says to AY:"],
    ]
    drawn = draw_turns.draw([tmp_path], 9, random.Random(3))
    assert len(drawn) == 2
    for one in drawn:
        me = str(one["page"]).split("\n\n")[1].split(" ")[0]
        assert all(way.startswith(f"{me} ") for way in one["ways"])
        assert not draw_cards.is_new_name(me)


def test_pages_of_runs_are_learned_from_so_often_and_the_held_out_ones_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "pages.jsonl"
    monkeypatch.setattr(turns, "read", lambda: [written(GIVES), turns.Written(20, PAGE, WAYS, SAYS), written("")])
    monkeypatch.setattr(sys, "argv", ["make_pages.py", "--out", str(out), "--first", "9999999", "--turns", "3"])
    make_pages.main()
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(page["split"], page["id"]) for page in found] == [("train", 1)] * 3 + [("run", 20)]
