"""Whether residents with the default model choose sensibly, on situations that nothing was tuned on."""

from __future__ import annotations

import asyncio

import pytest
from project import DATA
from situations import SituationCase, choose, load, observe

from itcma_s.actions import without_words
from language_models.embedders.minilm import MiniLM
from language_models.local.embedded import EmbeddedModel

REQUIRED = 0.80
"""Share of the situations in which the sensible action is chosen, whatever the order of the actions."""

SENTENCE = (
    "You are in Public Canteen. Looking around you, you see a person named SG who is using chair 2, "
    "a person named WM, a door to outside, the table 4, the chair 2, "
    "the food 3 in the hot status placed on the table 4, "
    "and the SG's clothes 1 placed on the chair 2 in the clean damp status. "
    "You are holding the book 1, and the toy 2 in the hot status. You are moving."
)


def case(**changes: object) -> SituationCase:
    values: dict[str, object] = {
        "id": "one",
        "goal": "read book 1",
        "observation": SENTENCE.replace("the food 3 in the hot status placed", "the food 3 placed"),
        "heard": "WM: Good day.",
        "actions": ("use book 1", "go to outside"),
        "sensible": "use book 1",
    }
    return SituationCase(**{**values, **changes})  # type: ignore[arg-type]


def test_a_sentence_becomes_an_observation() -> None:
    seen = observe(case(), ["go to outside", "use book 1"])
    assert (seen.resident, seen.place, seen.goal) == ("ZZ", "Public Canteen", "read book 1")
    assert seen.admissible == ("go to outside", "use book 1")
    assert seen.company == ("SG", "WM")
    assert seen.holding == ("book 1", "toy 2")
    found = {percept.name: percept for percept in seen.percepts}
    assert {name: percept.kind for name, percept in found.items()} == {
        "SG": "person",
        "WM": "person",
        "door to outside": "door",
        "table 4": "furniture",
        "chair 2": "furniture",
        "food 3": "item",
        "SG's clothes 1": "item",
        "book 1": "item",
        "toy 2": "item",
    }
    assert (found["SG"].doing, found["WM"].doing) == ("using chair 2", None)
    assert (found["food 3"].on, found["food 3"].status) == ("table 4", ())
    assert (found["SG's clothes 1"].on, found["SG's clothes 1"].status) == ("chair 2", ("clean", "damp"))
    assert (found["toy 2"].held, found["toy 2"].gamma, found["toy 2"].status) == (True, 0.0, ("hot",))
    assert {found[name].gamma for name in ("SG", "door to outside", "table 4", "food 3")} == {1.0}
    assert [message.sender for message in seen.messages] == ["WM"]


def test_nothing_heard_is_no_message() -> None:
    assert observe(case(heard=""), []).messages == ()


def test_a_sentence_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match=r"situation 'one': the observation must begin 'You are in PLACE\.', got"):
        observe(case(observation="Hello there."), [])


def test_the_sensible_action_is_one_of_the_actions() -> None:
    with pytest.raises(ValueError, match="situation 'one': 'use bed 1' is none of the actions"):
        case(sensible="use bed 1")


@pytest.mark.slow
@pytest.mark.needs_torch
def test_residents_choose_sensibly() -> None:
    data = DATA
    cases = [*load(data / "situations.json"), *load(data / "situations_second.json")]
    embedder = MiniLM()
    model = EmbeddedModel.smollm2(embedder=embedder, threads=1)

    async def sensible(one: SituationCase) -> bool:
        orders = (one.actions, one.actions[::-1])
        return all([await choose(one, order, model, embedder) == without_words(one.sensible) for order in orders])

    async def count() -> int:
        return sum([await sensible(one) for one in cases])

    try:
        share = asyncio.run(count()) / len(cases)
    finally:
        model.close()
    assert share >= REQUIRED, f"{share:.2f} of {len(cases)} situations"
