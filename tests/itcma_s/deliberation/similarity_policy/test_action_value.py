"""Every mechanism reaches the worth of the actions, and in the direction that the paper has."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from scenes import EMBEDDER, observe

from irollan_env.actions import Action
from itcma_s.deliberation.protocol import Context
from itcma_s.deliberation.similarity_policy.action_value import value_of_expected_fields
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.emotion.driver import DriverWeights
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from itcma_s.model_calls import ModelCalls
from itcma_s.parameters import Mechanisms, MindParameters
from itcma_s.protention.protention import Protention

TABLE = NameTable(EMBEDDER)
HOME, CANTEEN = Field.from_names(["bed 2", "rug 4"], TABLE), Field.from_names(["SG", "table 9"], TABLE)
STAY, GO = "use bed 2", "go to Public Canteen"


def expect(action: str, field: Field, imagined: Field | None = None) -> Protention:
    return Protention(
        action=Action(action),
        sentence="",
        foresee=lambda: field,
        place="LL's Home" if action == STAY else "Public Canteen",
        company=(),
        source="rule",
        imagine=None if imagined is None else lambda: imagined,
    )


def context(**changes: object) -> Context:
    """MD at home, calm, remembers nothing; it expects to stay there or to be in the canteen."""
    channel = Channel()
    channel.push(Frame(time=0, place="LL's Home", field=HOME))
    made = Context(
        observation=observe(),
        channel=channel,
        present=HOME,
        imagination=HOME,
        activated=(),
        emotion=(0.0, 0.0, 0.0),
        driver=0.0,
        causes={},
        goal="meet SG",
        protended=[expect(STAY, HOME), expect(GO, CANTEEN)],
        recent_actions=(),
        waiting=(),
        familiarity=Familiarity(),
        memory=LongTermMemory(TABLE),
        table=TABLE,
        mechanisms=Mechanisms(),
        generator=np.random.default_rng(0),
        while_waiting=lambda: None,
        calls=ModelCalls("MD", 3),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def gain(weights: DecisionWeights, **changes: object) -> float:
    """How much more it is worth to go than to stay."""
    stay, go = value_of_expected_fields(context(**changes), EMBEDDER, weights).tolist()
    return float(go - stay)


only = partial(DecisionWeights, imagines=0.0, recalls=0.0, steady=0.0, departs=0.0)


def remembered(field: Field, pleasure: float) -> Memory:
    return Memory(first_time=0, last_time=0, place="outside", field=field, pleasure=pleasure)


def test_a_pleasant_memory_draws_to_fields_like_it_and_a_painful_one_away() -> None:
    weights = only(recalls=1.0)
    assert gain(weights) == 0.0
    assert gain(weights, activated=[remembered(CANTEEN, 0.5)]) > 0
    assert gain(weights, activated=[remembered(CANTEEN, -0.5)]) < 0
    better_here = [remembered(HOME, 0.5), remembered(CANTEEN, 0.1)]
    assert gain(weights, activated=better_here) < 0 < gain(weights, activated=better_here[1:])
    # Who is happier now than then does not go back.
    assert gain(weights, activated=[remembered(CANTEEN, 0.5)], emotion=(0.8, 0.0, 0.0)) < 0


def test_without_emotion_memories_promise_nothing_and_nothing_has_to_stay_as_it_is() -> None:
    lived = {"activated": [remembered(CANTEEN, 0.9), remembered(HOME, -0.3)], "emotion": (0.4, 0.3, 0.2)}
    without = frozenset({"pleasure", "arousal", "dominance"})
    whole = DecisionWeights()
    assert gain(whole, **lived) != gain(whole, lacks=without, **lived)
    # That is what having no such terms is, and not what feeling nothing is.
    assert gain(whole, lacks=without, **lived) == gain(replace(whole, recalls=0.0, steady=0.0), **lived)
    assert gain(whole, lacks=without, **lived) != gain(whole, **{**lived, "emotion": (0.0, 0.0, 0.0)})
    assert gain(whole, lacks=frozenset({"arousal"}), **lived) == gain(replace(whole, steady=0.0), **lived)
    weights, no_pleasure = replace(whole, steady=0.0), DriverWeights(pleasure=0.0, arousal=0.7, dominance=0.3)
    assert gain(weights, lacks=frozenset({"pleasure"}), **lived) == gain(
        weights, parameters=MindParameters(driver_weights=no_pleasure), **lived
    )


def test_a_departure_is_wanted_by_a_high_driver_and_shunned_by_a_low_one() -> None:
    weights = only(departs=1.0)
    assert gain(weights, driver=-0.5) < gain(weights) == 0.0 < gain(weights, driver=0.2) < gain(weights, driver=0.9)


def test_arousal_is_to_stay_as_it_is() -> None:
    calm, aroused = (gain(only(steady=1.0), emotion=(0.0, arousal, 0.0)) for arousal in (0.0, 0.6))
    assert calm < 0 < aroused


def test_what_is_imagined_stands_in_the_place_of_the_present() -> None:
    weights = only(imagines=1.0)
    assert gain(weights) > 0
    imagined = [expect(STAY, HOME, CANTEEN), expect(GO, CANTEEN)]
    assert gain(weights, protended=imagined) == 0.0
