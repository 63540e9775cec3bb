"""Conceptual blending of two phenomenal fields (section 3.2.1, Algorithm 1): imagination.

``blend_plain`` is the algorithm as printed, row by row; ``blend`` gives exactly the same, fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from itcma_s.checks import check_range
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import DEFAULT_WEIGHTS, FieldWeights, object_similarity

THRESHOLD = 0.85
"""Default threshold T of similarity, from which objects match in the generic space."""

PROBABILITY = 0.3
"""Default blended probability r, with which an object that matched nothing enters the blended space."""

TOLERANCE = 1e-6
"""Similarities at least 1 - TOLERANCE count as 1: the objects are completely identical."""

Row: TypeAlias = tuple[int, float, float, float]


def blend_plain(
    fx: Field,
    fy: Field,
    table: NameTable,
    generator: np.random.Generator,
    *,
    threshold: float = THRESHOLD,
    probability: float = PROBABILITY,
    weights: FieldWeights = DEFAULT_WEIGHTS,
) -> Field:
    """Blend two fields by the loops of Algorithm 1, as printed: the slow reference for ``blend``.

    Arguments, result, draws and departures are those of ``blend``.

    Departs from the paper: as ``blend`` does.
    """
    _check(threshold, probability)
    rows_x, rows_y = fx.rows(), fy.rows()
    result: list[Row] = []
    averaged: list[Row] = []
    for i, row_x in enumerate(rows_x):
        for j, row_y in enumerate(rows_y):
            one_x = Field(fx.ids[i : i + 1], fx.positions[i : i + 1])
            one_y = Field(fy.ids[j : j + 1], fy.positions[j : j + 1])
            s = float(object_similarity(one_x, one_y, table, weights)[0, 0])
            if s >= 1.0 - TOLERANCE:
                s = 1.0
            if s < threshold:
                continue
            elif s == 1.0:
                average = _average(row_x, row_y, wrap_azimuth=weights.wrap_azimuth)
                if average not in result:
                    result.append(average)
                averaged += [row_x, row_y]
                break
            else:
                if row_x not in result:
                    result.append(row_x)
                if row_y not in result:
                    result.append(row_y)
                break
    rest: list[Row] = []
    for row in rows_x + rows_y:
        if row not in result and row not in averaged and row not in rest:
            rest.append(row)
    result += [row for row in rest if generator.random() < probability]
    return Field(np.array([row[0] for row in result], dtype=np.int32), np.array([row[1:] for row in result]))


def blend(
    fx: Field,
    fy: Field,
    table: NameTable,
    generator: np.random.Generator,
    *,
    threshold: float = THRESHOLD,
    probability: float = PROBABILITY,
    weights: FieldWeights = DEFAULT_WEIGHTS,
) -> Field:
    """Blend two fields into imagination, Blend(f^x, f^y) (Algorithm 1; used in Eq. 5 and 9).

    For each row of f^x the first row of f^y that is similar enough decides: an identical pair (s = 1) enters as its
    average, a matching pair (s >= T) enters as both its rows. Rows that did not get in by then enter with probability
    r. A row is in the field already when a row there has the same name and exactly the same position.

    Draws: one ``generator.random()`` for each distinct row that is not in the result after the loops, the rows of f^x
    in their order, then those of f^y in theirs; the row enters when the draw is below r.

    Args:
        fx: f^x, a rows.
        fy: f^y, b rows.
        table: The table both were made with.
        generator: Source of the draws.
        threshold: T in [0, 1].
        probability: r in [0, 1].
        weights: Weights of names and coordinates in the similarity.

    Returns:
        f^z: the rows of the loops in their order, then those that entered by chance; at most a + b rows.

    Raises:
        ValueError: if T or r lies outside [0, 1].

    Departs from the paper: s = 1 means within 1e-6, before s is compared with T. The average of two identical objects
    keeps the name of f^x's, as their embeddings are the same within that tolerance. It stands for both: neither enters
    by chance beside it, as by line 25 it would where they are not exactly equal. Where azimuths wrap around, so does
    their average.
    """
    _check(threshold, probability)
    rows = fx.rows() + fy.rows()
    chosen, averages, seen = _matched(fx, fy, rows, table, threshold, weights)
    rest: list[int] = []
    for index, row in enumerate(rows):
        if row not in seen:
            seen.add(row)
            rest.append(index)
    if rest:
        chosen += [rest[n] for n in (generator.random(len(rest)) < probability).nonzero()[0].tolist()]
    ids = np.concatenate((fx.ids, fy.ids, np.array([row[0] for row in averages], dtype=np.int32)))[chosen]
    moved = np.array(averages, dtype=np.float64).reshape(-1, 4)[:, 1:]
    positions = np.concatenate((fx.positions, fy.positions, moved))[chosen]
    ids.flags.writeable = False
    positions.flags.writeable = False
    return Field.trusted(ids, positions)


def _matched(
    fx: Field, fy: Field, rows: Sequence[Row], table: NameTable, threshold: float, weights: FieldWeights
) -> tuple[list[int], list[Row], set[Row]]:
    """Run the two loops of Algorithm 1 (lines 1 to 20), with all similarities computed at once.

    Returns:
        The rows of the result by where they come from: 0 … a-1 in f^x, a … a+b-1 in f^y, from a+b on among the
        averages; the averages; and all rows that do not enter by chance any more.
    """
    a, b = len(fx), len(fy)
    chosen: list[int] = []
    averages: list[Row] = []
    seen: set[Row] = set()
    averaged: set[Row] = set()
    if not a or not b:
        return chosen, averages, seen
    similarity = object_similarity(fx, fy, table, weights)
    matches = similarity >= min(threshold, 1.0 - TOLERANCE)
    first = matches.argmax(axis=1)
    pick = np.arange(a)
    matched = matches[pick, first].tolist()
    identical = (similarity[pick, first] >= 1.0 - TOLERANCE).tolist()
    for i, j in enumerate(first.tolist()):
        if not matched[i]:
            continue
        x, y = rows[i], rows[a + j]
        if identical[i]:
            average = _average(x, y, wrap_azimuth=weights.wrap_azimuth)
            averaged.update((x, y))
            if average not in seen:
                seen.add(average)
                chosen.append(a + b + len(averages))
                averages.append(average)
        else:
            if x not in seen:
                seen.add(x)
                chosen.append(i)
            if y not in seen:
                seen.add(y)
                chosen.append(a + j)
    return chosen, averages, seen | averaged


def _average(x: Row, y: Row, *, wrap_azimuth: bool) -> Row:
    """Return the mean of two rows with the first one's name; wrapped azimuths average the shorter way round."""
    phi = (x[2] + y[2]) / 2.0
    if wrap_azimuth and abs(x[2] - y[2]) > math.pi:
        phi = (phi + math.pi) % (2.0 * math.pi)
    return x[0], (x[1] + y[1]) / 2.0, phi, (x[3] + y[3]) / 2.0


def _check(threshold: float, probability: float) -> None:
    check_range("threshold", threshold, 0.0, 1.0, "it is compared with similarities in [0, 1]")
    check_range("probability", probability, 0.0, 1.0, "it is a probability")
