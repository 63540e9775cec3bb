"""What expected fields are worth: by hand, and in the direction that the paper gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scenes import EMBEDDER

from itcma_s.deliberation.similarity_policy.feelings_ahead import (
    capital,
    expected_arousal,
    goal_likeness,
    recalled,
    unsteadiness,
)
from itcma_s.emotion.driver import DriverWeights
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import field_similarity
from itcma_s.memory.memory import Memory
from itcma_s.parameters import MindParameters

TABLE = NameTable(EMBEDDER)
CANTEEN = Field.from_names(["door to outside", "table 9", "SG"], TABLE)
HOME = Field.from_names(["bed 2", "wardrobe 1"], TABLE)
PARAMETERS = MindParameters(driver_weights=DriverWeights(pleasure=0.5, arousal=0.3, dominance=0.2))


def at(distance: float, *names: str) -> Field:
    positions = np.array([(math.pi / 2, 0.0, distance)] * len(names))
    return Field(TABLE.ids(names), positions)


def memory(field: Field, **emotion: float) -> Memory:
    return Memory(first_time=0, last_time=0, place="outside", field=field, **emotion)  # type: ignore[arg-type]


def test_likeness_to_the_goal_is_that_of_the_object_most_like_it_where_it_stands() -> None:
    (goal,) = EMBEDDER.embed(["SG"])
    assert goal_likeness(goal, [at(0.0, "SG"), Field.empty()], TABLE) == pytest.approx([1.0, 0.0])
    # Eq. 3: of three parts the distance alone differs; names and positions count half each.
    assert goal_likeness(goal, [at(2.0, "SG", "SG's clothes 1")], TABLE) == pytest.approx([1 - 0.5 * math.tanh(2) / 3])
    near, far, without = goal_likeness(goal, [at(1.0, "SG"), at(2.0, "SG"), at(0.0, "bed 2")], TABLE)
    assert near > far > without


def test_expected_arousal_is_eq_11_of_the_expected_field() -> None:
    changes = [1 - field_similarity(HOME, CANTEEN, TABLE), 1 - field_similarity(HOME, HOME, TABLE)]
    # Two frames would be retained: the weights are 1/3 and 2/3.
    expected = math.tanh(changes[0] / 3 + 2 * changes[1] / 3)
    assert expected_arousal([HOME], [CANTEEN, HOME], TABLE) == pytest.approx([expected])
    assert expected_arousal([HOME, CANTEEN], [], TABLE).tolist() == [0.0, 0.0]
    stays, goes = expected_arousal([HOME, CANTEEN], [HOME, HOME], TABLE)
    assert stays == 0.0 < goes


def test_what_a_memory_promises_by_hand() -> None:
    memories = [memory(CANTEEN, pleasure=0.6, dominance=0.3), memory(HOME, pleasure=-0.4)]
    home, canteen = recalled([HOME, CANTEEN], memories, HOME, (0.1, 0.9, 0.2), PARAMETERS, TABLE)
    alike = field_similarity(HOME, CANTEEN, TABLE), field_similarity(CANTEEN, HOME, TABLE)
    strong = 1 + 0.2 * math.hypot(0.6, 0.3), 1 + 0.2 * 0.4, 1 + 0.2 * math.hypot(0.1, 0.9, 0.2)
    better, worse = 0.5 * (0.6 - 0.1) + 0.2 * (0.3 - 0.2), 0.5 * (-0.4 - 0.1) + 0.2 * (0.0 - 0.2)
    # Of the present no gain is to be expected: it counts in the divisor alone.
    assert home == pytest.approx(
        (alike[0] * strong[0] * better + strong[1] * worse) / (alike[0] * strong[0] + strong[1] + strong[2])
    )
    assert canteen == pytest.approx(
        (strong[0] * better + alike[1] * strong[1] * worse) / (strong[0] + alike[1] * (strong[1] + strong[2]))
    )
    assert recalled([HOME], [], HOME, (0.1, 0.9, 0.2), PARAMETERS, TABLE).tolist() == [0.0]


@pytest.mark.parametrize(("felt", "now", "there"), [(0.6, 0.0, True), (-0.6, 0.0, False), (0.6, 0.9, False)])
def test_one_goes_where_it_was_better_than_it_is_now(felt: float, now: float, there: bool) -> None:
    memories = [memory(CANTEEN, pleasure=felt)]
    home, canteen = recalled([HOME, CANTEEN], memories, HOME, (now, 0.0, 0.0), PARAMETERS, TABLE)
    assert bool(canteen > home) is there


def test_that_it_was_worse_here_before_drives_nobody_away_from_where_it_is_well() -> None:
    home, canteen = recalled([HOME, CANTEEN], [memory(HOME, pleasure=0.2)], HOME, (0.8, 0.0, 0.0), PARAMETERS, TABLE)
    assert home == pytest.approx(canteen)
    assert home < 0
    two = [memory(HOME, pleasure=0.2), memory(CANTEEN, pleasure=0.2)]
    home, canteen = recalled([HOME, CANTEEN], two, HOME, (0.8, 0.0, 0.0), PARAMETERS, TABLE)
    assert home > canteen


def test_arousal_is_to_stay_as_it_is() -> None:
    found = unsteadiness(np.array([0.1, 0.5, 0.7]), (0.0, 0.5, 0.0), PARAMETERS.driver_weights)
    assert found == pytest.approx([0.12, 0.0, 0.06])


def test_resources_let_the_habitus_lead() -> None:
    assert capital(None) == capital(0.0) == 1.0
    # Twice the sigmoid of Eq. 18.
    assert capital(1.0) == pytest.approx(2 / (1 + math.exp(-1)))
    assert capital(-30.0) < 1e-6 < capital(30.0) <= 2.0
