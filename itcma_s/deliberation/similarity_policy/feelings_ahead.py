"""Value of actions by the paper's mechanisms, from their predicted fields (Eq. 4-7 and 11-13).

No model is asked. Each predicted field is rated by its similarity to the goal, its predicted feeling according to the
activated memories, and its predicted arousal.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from itcma_s.emotion.driver import DriverWeights
from itcma_s.emotion.emotion import arousal
from itcma_s.fields.name_table import NameTable, most_alike
from itcma_s.fields.phenomenal_field import Field, FieldBatch
from itcma_s.fields.similarity import DEFAULT_WEIGHTS, FieldWeights, similarity_to_many, spherical_similarity
from itcma_s.memory.memory import Memory
from itcma_s.parameters import MindParameters
from language_models.protocol import FloatArray

_AT_HAND = np.array([math.pi / 2, 0.0, 0.0])
_DECIMALS = 5  # of a cosine, as in the table of names


def goal_likeness(
    goal: FloatArray, expected: Sequence[Field], table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS
) -> NDArray[np.float64]:
    """Return the similarity of each predicted field to a goal: FieldSim (Eq. 4) of a field of the goal alone.

    Its one row is the goal's sentence and the position of what is held. j is the object whose name is most like it.

    Args:
        goal: The goal's unit vector, by the embedder of the names; shape (dimension,).
        expected: The fields.
        table: Where their names stand.
        weights: Of Eq. 3 and 4.

    Returns:
        Shape (len(expected),), in [0, 1]; 0 for an empty field.

    Departs from the paper: the sum is not divided by max(a, b), so that what is there besides counts nothing.
    """
    filled = [n for n, field in enumerate(expected) if len(field)]
    values = np.zeros(len(expected))
    if not filled:
        return values
    likest: dict[bytes, tuple[int, float]] = {}  # of fields with the same objects it is the same one
    chosen = []
    for n in filled:
        ids = expected[n].ids
        if (names := ids.tobytes()) not in likest:
            cosines = np.maximum(np.round(table.vectors[ids] @ goal, _DECIMALS), 0.0)
            (best,), (most,) = most_alike(cosines[None])
            likest[names] = int(best), float(most)
        chosen.append(likest[names])
    positions = np.array([expected[n].positions[row] for n, (row, _) in zip(filled, chosen, strict=True)])
    there = spherical_similarity(_AT_HAND, positions, *weights.coordinates, weights.wrap_azimuth)
    alike = np.array([name for _, name in chosen])
    values[filled] = weights.omega_name * alike + weights.omega_position * there
    return np.minimum(values, 1.0)


def expected_arousal(
    expected: Sequence[Field], past: Sequence[Field], table: NameTable, weights: FieldWeights = DEFAULT_WEIGHTS
) -> NDArray[np.float64]:
    """Return the arousal that each predicted field would cause as the next primal impression (Eq. 11).

    Args:
        expected: The fields.
        past: Re^t and PI^t, oldest first.
        table: Where all names stand.
        weights: Of Eq. 3 and 4.

    Returns:
        Shape (len(expected),), each in [0, tanh(1)]; 0 where nothing is retained.

    Departs from the paper: the oldest frame counts as well, which a full retention will have lost by then.
    """
    if not past or not expected:
        return np.zeros(len(expected))
    differences = 1.0 - similarity_to_many(expected, FieldBatch.of(past), table, weights)
    return np.array([arousal(row) for row in differences])


def recalled(
    expected: Sequence[Field],
    activated: Sequence[Memory],
    present: Field,
    emotion: tuple[float, float, float],
    parameters: MindParameters,
    table: NameTable,
    lacks: Container[str] = (),
) -> NDArray[np.float64]:
    """Return the gain in pleasure and dominance of each predicted field, according to the activated memories.

    A memory counts as much as the expected field activates it, FieldSim (1 + omega |PAD|), and says what it felt like
    beyond the present: omega_P (P - P^t) + omega_D (D - D^t), these terms of Eq. 13. The present is one more of them: a
    field like it promises that all stays as it is.

    Args:
        expected: The fields.
        activated: M(PI^t, Re^t), with the emotions that are kept with each.
        present: PI^t.
        emotion: P^t, A^t, D^t.
        parameters: omega, omega_P and omega_D, and the weights of Eq. 3 and 4.
        table: Where all names stand.
        lacks: As ``Context.lacks``: without pleasure or dominance, its term is none.

    Returns:
        Shape (len(expected),), the mean over the memories and the present, weighted so; 0 where none is called up.
    """
    if not activated or not expected:
        return np.zeros(len(expected))
    recollections = FieldBatch.of([*(memory.field for memory in activated), present])
    likeness = similarity_to_many(expected, recollections, table, parameters.field_weights)
    strength = [memory.weight for memory in activated] + [math.hypot(*emotion)]
    counts = likeness * (1.0 + parameters.emotion_weight * np.array(strength))
    omega_p = 0.0 if "pleasure" in lacks else parameters.driver_weights.pleasure
    omega_d = 0.0 if "dominance" in lacks else parameters.driver_weights.dominance
    gains = [
        omega_p * (memory.pleasure - emotion[0]) + omega_d * (memory.dominance - emotion[2]) for memory in activated
    ]
    total = counts.sum(axis=1)
    means: NDArray[np.float64] = np.divide(
        counts @ np.array([*gains, 0.0]), total, out=np.zeros(len(expected)), where=total > 0
    )
    return means


def unsteadiness(
    aroused: NDArray[np.float64], emotion: tuple[float, float, float], weights: DriverWeights
) -> NDArray[np.float64]:
    """Return the cost of each action for changing arousal, which the driver bias wants steady (Eq. 13).

    Args:
        aroused: As ``expected_arousal`` gives it.
        emotion: P^t, A^t, D^t.
        weights: omega_A.

    Returns:
        Shape as given: omega_A |A^(t+1) - A^t|.
    """
    cost: NDArray[np.float64] = weights.arousal * np.abs(aroused - emotion[1])
    return cost


def capital(resources: float | None) -> float:
    """Return the weight of the habitus by resources: 2 Sigmoid(S), in (0, 2) and 1 for no resources (section 4.3).

    f(ga_i(H_i, S_i), env) has habitus and resources act together, beside the environment. The sigmoid is that of
    Eq. 18; without LTRHA, where there are none, it is 1.
    """
    return 1.0 if resources is None else 1.0 + math.tanh(resources / 2.0)
