"""Estimation of a resident's pose on the map from the landmarks in its percepts."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping
from typing import Any

from irollan_env.map.geometry import Pose
from irollan_env.map.valley_map import ValleyMap


def landmarks(valley_map: ValleyMap) -> dict[str, dict[str, complex]]:
    """Return the fixed landmarks of each place by percept name: metres east + i metres north."""
    names = [*(ground.name for ground in valley_map.grounds), *(area.name for area in valley_map.areas)]
    marks: dict[str, dict[str, complex]] = {name: {} for name in names}
    for furniture in valley_map.furniture:
        marks[furniture.place][furniture.name] = complex(*furniture.position)
    for area in valley_map.areas:
        marks[area.name][f"door to {area.ground}"] = complex(*area.door)
        marks[area.ground][f"door to {area.name}"] = complex(*area.door)
    return marks


def pose_of(percepts: Iterable[Mapping[str, Any]], marks: Mapping[str, complex]) -> Pose | None:
    """Estimate the pose of a resident from the landmarks that it sees, by least squares.

    Let z be the landmarks on the map, and w the same landmarks relative to the resident, who looks along the real
    axis. The position p and heading h minimise the sum of abs(p + h w - z)^2: h is the direction of the sum of
    (z - mean z) times the conjugate of (w - mean w), and p = mean z - h mean w (Procrustes analysis in the plane).

    Args:
        percepts: Percepts of one record: name, kind, theta, phi, gamma.
        marks: Landmarks of the place: name -> position on the map.

    Returns:
        The pose in metres and radians; None if undetermined, as with fewer than two landmarks.
    """
    pairs = [
        (marks[one["name"]], cmath.rect(one["gamma"] * math.sin(one["theta"]), one["phi"]))
        for one in percepts
        if one["kind"] in ("furniture", "door") and one["name"] in marks
    ]
    if len(pairs) < 2:
        return None
    z = sum(mark for mark, _ in pairs) / len(pairs)
    w = sum(seen for _, seen in pairs) / len(pairs)
    turned = sum((mark - z) * (seen - w).conjugate() for mark, seen in pairs)
    if abs(turned) < 1e-9:
        return None
    heading = turned / abs(turned)
    at = z - heading * w
    return Pose(at.real, at.imag, cmath.phase(heading) % math.tau)
