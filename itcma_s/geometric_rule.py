"""The geometric rule of protention (Eq. 7): how the field moves for what is done where one is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irollan_env.primitives import Action, Put, Refusal, Take, Use
from itcma_s.phenomenal_field import Field, PositionArray

_AT_HAND = (math.pi / 2, 0.0, 0.0)


def cartesian(positions: PositionArray) -> PositionArray:
    """Spherical coordinates (theta, phi, gamma), shape (n, 3), as x (ahead), y (left), z (up) in metres."""
    theta, phi, gamma = positions.T
    return np.stack(
        [gamma * np.sin(theta) * np.cos(phi), gamma * np.sin(theta) * np.sin(phi), gamma * np.cos(theta)], axis=1
    )


def spherical(points: PositionArray) -> PositionArray:
    """The inverse of ``cartesian``; the origin is straight ahead at distance 0."""
    gamma = np.linalg.norm(points, axis=1)
    safe = np.where(gamma > 0, gamma, 1.0)
    theta = np.where(gamma > 0, np.arccos(np.clip(points[:, 2] / safe, -1.0, 1.0)), math.pi / 2)
    phi = np.where(gamma > 0, np.arctan2(points[:, 1], points[:, 0]) % (2 * math.pi), 0.0)
    phi = np.where(phi >= 2 * math.pi, 0.0, phi)
    return np.stack([theta, phi, gamma], axis=1)


def recentre(field: Field, target: int) -> Field:
    """The field as seen from where its row `target` is: the geometric rule for walking to something."""
    points = cartesian(field.positions)
    moved = spherical(points - points[target] * (np.array(field.positions[:, 2]) > 0)[:, None])
    return Field(field.ids, moved)


def move_row(field: Field, row: int, position: tuple[float, float, float]) -> Field:
    """The field with one object somewhere else: the geometric rule for taking and putting."""
    positions = field.positions.copy()
    positions[row] = position
    return Field(field.ids, positions)


def moved(field: Field, action: Action | Refusal, names: Sequence[str]) -> Field:
    """The field after an action that does not leave the place; the same field where nothing of it moves.

    Args:
        field: Now.
        action: What is done.
        names: The names of the field's rows.
    """
    match action:
        case Take(item, _) if item in names:
            return move_row(field, names.index(item), _AT_HAND)
        case Put(item, target) if item in names and target in names:
            theta, phi, gamma = field.positions[names.index(target)].tolist()
            return move_row(field, names.index(item), (theta, phi, gamma))
        case Use(thing) if thing in names:
            return recentre(field, names.index(thing))
        case _:
            return field
