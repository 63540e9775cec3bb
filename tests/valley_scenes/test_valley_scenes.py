"""The pages that the small model learned from, and that it is asked by pages of the same form."""

import hashlib
import json
import sys

import pytest
from led import context_of
from project import ROOT
from scenes import observe

from irollan_env.actions import Action
from itcma_s.deliberation.conversation import Conversation
from itcma_s.deliberation.story.prompt_of_step import prompt_of
from language_models.scripted import ScriptedModel

sys.path.insert(0, str(ROOT / "valley_scenes"))

import make_pages


@pytest.fixture(scope="module")
def pages():
    return list(make_pages.all_pages(turns=8))


def test_training_sees_the_pages_that_it_saw(pages):
    """A page that changes asks for another adapter."""
    found = hashlib.sha256("".join(json.dumps(one) + "\n" for one in pages).encode())
    assert (len(pages), found.hexdigest()) == (
        33295,
        "667115819715656ad09fba004ca7fbb20f9bcea00586f147e609bd84c5f35d8f",
    )


def test_every_tenth_card_and_page_of_a_run_is_held_out(pages):
    assert {page["split"] for page in pages} == {"train", "seen", "new", "run"}
    assert all((page["split"] == "train") == (page["id"] % 10 != 0) for page in pages)


HELD = ("book 1", "drink 1", "toy 1", "AY's clothes 1")
ACTIONS = (
    *("go to outside", "use chair 2", "leave chair 2", "use stoveburner 1", "use bed 1", "take food 1 from table 2"),
    *("put book 1 in/on table 2", "put book 1 in/on AY", *(f"use {thing}" for thing in HELD)),
)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_deed_of_a_run_is_worded_as_scenes_word_it(action):
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
    page = prompt_of(context_of(observation, ScriptedModel()), Conversation(), action, decided=Action(action))
    verb, _, rest = page.about.partition(" ")
    act = " ".join(part for part in ("MD", {"go": "goes"}.get(verb, f"{verb}s"), rest) if part) + "."
    assert make_pages.deed(act)
    assert page.recent == [make_pages.told(act)]
