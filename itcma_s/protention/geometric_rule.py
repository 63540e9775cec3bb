"""The geometric rule of protention (Eq. 7): the movement of the field caused by an action.

Acting on an object means walking to it, which moves everything else by one translation and one turn. If the resident
walked there before, the remembered positions of the fixed things determine the viewpoint exactly; otherwise it is
predicted at arm's length from the object, on the side of the middle of the place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.map.geometry import REACH
from itcma_s.fields.phenomenal_field import Field, PositionArray

_AT_HAND = (math.pi / 2, 0.0, 0.0)
_TWO_PI = 2.0 * math.pi


def cartesian(positions: PositionArray) -> PositionArray:
    """Convert spherical coordinates (theta, phi, gamma), shape (n, 3), to x (ahead), y (left), z (up) in metres."""
    theta, phi, gamma = positions.T
    points = np.empty_like(positions)
    level = gamma * np.sin(theta)
    points[:, 0], points[:, 1], points[:, 2] = level * np.cos(phi), level * np.sin(phi), gamma * np.cos(theta)
    return points


def spherical(points: PositionArray) -> PositionArray:
    """Invert ``cartesian``; the origin is straight ahead at distance 0."""
    gamma = np.linalg.norm(points, axis=1)
    safe = np.where(gamma > 0, gamma, 1.0)
    theta = np.where(gamma > 0, np.arccos(np.clip(points[:, 2] / safe, -1.0, 1.0)), math.pi / 2)
    phi = np.where(gamma > 0, np.arctan2(points[:, 1], points[:, 0]) % (2 * math.pi), 0.0)
    phi = np.where(phi >= 2 * math.pi, 0.0, phi)
    positions = np.empty_like(points)
    positions[:, 0], positions[:, 1], positions[:, 2] = theta, phi, gamma
    return positions


def turn(field: Field, row: int) -> Field:
    """Return the field after turning on the spot towards the object in `row`."""
    positions = field.positions.copy()
    away = positions[:, 2] > 0
    positions[away, 1] = (positions[away, 1] - positions[row, 1]) % _TWO_PI
    positions[positions[:, 1] >= _TWO_PI, 1] = 0.0  # what is a little below 0 is 2 pi in float64
    positions.flags.writeable = False
    return Field.trusted(field.ids, positions)


def approach(field: Field, row: int) -> Field:
    """Return the field after walking to the object in `row`, facing it."""
    return _beside(field, row, -1.0)


def enter(field: Field, row: int, *, along: bool = False) -> Field:
    """Return the field after coming in through the door in `row`, which is then behind.

    Args:
        field: The place, from any viewpoint.
        row: The row of the door.
        along: Whether to look along the field's own axis instead of towards the middle of the place.
    """
    return _beside(field, row, 1.0, along=along)


def behind(door: PositionArray) -> PositionArray:
    """Return the position of a door after coming through it, shape (1, 3), from its position on the other side."""
    theta, _, gamma = door.tolist()
    return spherical(np.array([[-REACH, 0.0, gamma * math.cos(theta)]]))


def as_seen_before(field: Field, view: Field) -> Field:
    """Return the field from the viewpoint of an earlier view of the same place.

    Args:
        field: A field with distinct names.
        view: Immobile things of this place, from the new viewpoint.

    Returns:
        The field after the horizontal rotation and translation that fit the common objects best; the common objects
        have the positions of the view. With fewer than two of them the direction is unknown and the field unchanged.
    """
    _, rows, seen = np.intersect1d(field.ids, view.ids, return_indices=True)
    if len(rows) < 2:
        return field
    points, before = cartesian(field.positions), cartesian(view.positions)[seen, :2]
    now = points[rows, :2]
    middle = now.mean(axis=0)
    there = before.mean(axis=0)
    a, b = now - middle, before - there
    angle = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
    positions = _as_seen(field, middle, (math.cos(angle), -math.sin(angle)), there)
    positions[rows] = view.positions[seen]
    return Field.trusted(field.ids, positions)


def move_row(field: Field, row: int, position: tuple[float, float, float]) -> Field:
    """Return the field with one object moved: the geometric rule for taking and putting."""
    positions = field.positions.copy()
    positions[row] = position
    return Field(field.ids, positions)


def moved(
    field: Field,
    action: Action,
    names: Sequence[str],
    view: Field | None = None,
    walks: dict[int, Field] | None = None,
) -> Field:
    """Return the field after an action within the place; the same object if nothing moves.

    Args:
        field: The field before the action.
        action: The action.
        names: The names of the field's rows, distinct.
        view: Immobile things of the place, seen from the object when the resident last walked to it; None if never.
        walks: Cache: row -> the field after walking from `field` to that row; extended.

    Departs from the paper: a rule replaces the forecasting model of Eq. 7, and does not use the driver.
    """
    target, item = action.target, action.item or ""
    match action.primitive:
        case Primitive.CHAT if target in names:
            return turn(field, names.index(target))
        case Primitive.PUT if item in names and target in names:
            given, to = names.index(item), names.index(target)
            if action.partner is not None:
                left = turn(field, to)
                return Field(np.delete(left.ids, given), np.delete(left.positions, given, axis=0))
            walked = _walk(field, to, view, walks)
            theta, phi, gamma = walked.positions[to].tolist()
            return move_row(walked, given, (theta, phi, gamma))
        case Primitive.TAKE if item in names:
            walked = _walk(field, names.index(target), view, walks) if target in names else field
            return move_row(walked, names.index(item), _AT_HAND)
        case Primitive.USE if target in names:
            row = names.index(target)
            return _walk(field, row, view, walks) if field.positions[row, 2] > 0 else field
        case Primitive():
            return field
        case _ if action.partner in names:
            return turn(field, names.index(target))
        case _ if target in names and field.positions[names.index(target), 2] > 0:
            return _walk(field, names.index(target), view, walks)
        case _:
            return field


def come_again(seen: Field, view: Field | None, door: int | None, others: Sequence[Field]) -> Field:
    """Return a known place as last seen, from the door through which the resident comes in.

    Args:
        seen: The place as last seen, from any viewpoint, with distinct names.
        view: Immobile things of it, as seen on the last entry by this door; None if there was none.
        door: The row of that door; None if it was not seen.
        others: Views like `view` from other doors, looking straight ahead.
    """
    if view is not None:
        return _with(as_seen_before(seen, view), view, ~np.isin(view.ids, seen.ids))
    if door is None:
        return seen
    if not others:
        return enter(seen, door)
    # Doors stand along streets: the nearest faces the same way or the opposite way, towards the middle.
    name = seen.ids[door]
    nearest = min(others, key=lambda other: float(other.positions[other.ids == name, 2].min(initial=math.inf)))
    return enter(as_seen_before(seen, nearest), door, along=True)


def come_first(field: Field, door: PositionArray | None) -> Field:
    """Return the field of a place never seen, with its first row, the way back, behind if `door` is known."""
    if door is None:
        return field
    positions = field.positions.copy()
    positions[0] = behind(door)
    return Field(field.ids, positions)


def bringing(field: Field, present: Field) -> Field:
    """Return the field of another place, with the objects that are held now added."""
    held = present.positions[:, 2] == 0
    return _with(field, present, held & ~np.isin(present.ids, field.ids)) if held.any() else field


def _with(field: Field, other: Field, rows: NDArray[np.bool_]) -> Field:
    """Return a field with the selected rows of another field appended."""
    return Field.trusted(
        np.concatenate((field.ids, other.ids[rows])), np.concatenate((field.positions, other.positions[rows]))
    )


def placed(field: Field, places: Field) -> Field:
    """Copy positions from `places` for the objects that both fields contain."""
    positions = field.positions.copy()
    _, rows, there = np.intersect1d(field.ids, places.ids, return_indices=True)
    positions[rows] = places.positions[there]
    return Field(field.ids, positions)


def _walk(field: Field, row: int, view: Field | None, walks: dict[int, Field] | None) -> Field:
    if walks is not None and row in walks:
        return walks[row]
    walked = approach(field, row) if view is None else as_seen_before(field, view)
    if walks is not None:
        walks[row] = walked
    return walked


def _beside(field: Field, row: int, ahead: float, *, along: bool = False) -> Field:
    """Return the field from REACH metres beside a row, inwards, looking at it (-1) or away from it (1)."""
    points = cartesian(field.positions)[:, :2]
    target = points[row]
    inwards = points[field.positions[:, 2] > 0].mean(axis=0) - target
    if along:
        inwards[1] = 0.0
    length = float(np.linalg.norm(inwards))
    inwards = inwards / length if length > 1e-9 else np.array([-ahead, 0.0])
    east, north = (ahead * inwards).tolist()
    return Field.trusted(field.ids, _as_seen(field, target + REACH * inwards, (east, north), np.zeros(2)))


def _as_seen(
    field: Field, spot: NDArray[np.float64], ahead: tuple[float, float], at: NDArray[np.float64]
) -> PositionArray:
    """Return positions with the direction `ahead` ahead and the point `spot` at `at`; held objects stay at hand."""
    points = cartesian(field.positions)
    east, north = ahead
    points[:, :2] = (points[:, :2] - spot) @ np.array([[east, -north], [north, east]]) + at
    positions = spherical(points)
    positions[field.positions[:, 2] == 0] = _AT_HAND
    return positions
