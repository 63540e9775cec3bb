"""The pages that the small model learned from, and that it is asked by pages of the same form."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import pytest
from led import context_of
from project import ROOT
from scenes import observe

from itcma_s.deliberation.exchange import Exchange
from itcma_s.deliberation.page.page import infinitive
from itcma_s.deliberation.page.page_of_step import page_of
from language_models.scripted import ScriptedModel

sys.path.insert(0, str(ROOT / "valley_scenes"))

import make_pages  # noqa: E402

PAGES = {
    "end": "387bb98db6f822d4ec5b049d924200feda201b7810121a208d381dbb2d0b1124",
    "first": "ac62d62bb394aa334ccb7c564a7a81de7743c927fed34a29f71e581894330d6a",
    "turns": "37cd098f7d0eba4a4c3ca1ecc990bd0241c5d562174ab1b68daff8eef478f018",
}
"""SHA-256 of the pages that the adapter which ships was trained on, in turn: a page that changes asks for a new one."""


@pytest.fixture(scope="module")
def pages() -> dict[str, list[dict[str, Any]]]:
    return {
        "end": list(make_pages.all_pages(end=3360)),
        "first": list(make_pages.all_pages(first=3360)),
        "turns": list(make_pages.all_pages(first=3360, turns=8)),
    }


def test_training_sees_the_pages_that_it_saw(pages: dict[str, list[dict[str, Any]]]) -> None:
    found = {
        name: hashlib.sha256("".join(json.dumps(one) + "\n" for one in some).encode()).hexdigest()
        for name, some in pages.items()
    }
    assert found == PAGES


def test_every_tenth_card_and_page_of_a_run_is_held_out(pages: dict[str, list[dict[str, Any]]]) -> None:
    assert {page["split"] for page in pages["turns"]} == {"train", "seen", "new", "run"}
    for page in (page for some in pages.values() for page in some):
        assert (page["split"] == "train") == (page["id"] % 10 != 0)


HELD = ("book 1", "drink 1", "toy 1", "AY's clothes 1")
ACTIONS = (
    *("go to outside", "use chair 2", "leave chair 2", "use stoveburner 1", "use bed 1", "take food 1 from table 2"),
    *("put book 1 in/on table 2", "put book 1 in/on AY", *(f"use {thing}" for thing in HELD)),
)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_deed_of_a_run_is_worded_as_scenes_word_it(action: str) -> None:
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
    page = page_of(context_of(observation, ScriptedModel()), Exchange(), action, decided=action)
    verb, _, rest = page.about.partition(" ")
    act = " ".join(part for part in ("MD", {"go": "goes"}.get(verb, f"{verb}s"), rest) if part) + "."
    assert make_pages.deed(act)
    assert page.lately == [make_pages.told(act)]
    assert page.about == infinitive(act.partition(" ")[2].removesuffix("."))
