"""Geometry of perception: positions and headings on the map, and spherical coordinates around an observer."""

from __future__ import annotations

import math
from typing import NamedTuple

from irollan_env.map.records import Rectangle

REACH = 0.6
"""Metres between a resident and the furniture or the door it has walked to."""

_DECIMALS = 4
_LARGEST_AZIMUTH = 6.2831  # the largest multiple of 1e-4 below 2 pi
_LARGEST_POLAR = 3.1415  # the largest multiple of 1e-4 below pi


class Pose(NamedTuple):
    """Position (metres) and heading (radians, counter-clockwise from east)."""

    x: float
    y: float
    heading: float


class Spherical(NamedTuple):
    """A position around an observer: polar angle theta, azimuth phi (radians), distance gamma (metres)."""

    theta: float
    phi: float
    gamma: float


AT_HAND = Spherical(round(math.pi / 2, _DECIMALS), 0.0, 0.0)
"""Coordinates of a held item: distance 0, at eye height, straight ahead."""


def spherical(pose: Pose, x: float, y: float, rise: float) -> Spherical:
    """Return spherical coordinates of a point around an observer, as in equations 1 to 3 of the paper.

    Args:
        pose: The observer.
        x: Metres to the east.
        y: Metres to the north.
        rise: Metres above the observer's eyes; negative below.

    Returns:
        theta in [0, pi], pi / 2 at the height of the eyes; phi in [0, 2 pi), 0 straight ahead and growing to the
        left; gamma >= 0, the distance in three dimensions. All rounded to 4 decimals.
    """
    east, north = x - pose.x, y - pose.y
    gamma = math.sqrt(east * east + north * north + rise * rise)
    if gamma < 1e-9:
        return AT_HAND
    theta = min(round(math.acos(rise / gamma), _DECIMALS), _LARGEST_POLAR)
    level = east * east + north * north < 1e-18
    phi = 0.0 if level else round((math.atan2(north, east) - pose.heading) % math.tau, _DECIMALS)
    return Spherical(theta, 0.0 if phi > _LARGEST_AZIMUTH else phi, round(gamma, _DECIMALS))


def facing(pose: Pose, x: float, y: float) -> Pose:
    """Turn a pose towards a point; unchanged when the point is the pose's own position.

    Args:
        pose: The pose to turn.
        x: The point's x, metres to the east.
        y: The point's y, metres to the north.
    """
    east, north = x - pose.x, y - pose.y
    if east * east + north * north < 1e-18:
        return pose
    return Pose(pose.x, pose.y, round(math.atan2(north, east), _DECIMALS))


def beside(target: tuple[float, float], room: Rectangle, sidestep: float) -> Pose:
    """Return the pose after walking to furniture: on the side of the room's centre, facing the furniture.

    Args:
        target: Position of the furniture.
        room: The area it stands in; the result lies in it.
        sidestep: Metres to the side, so that several residents at one table do not stand inside each other.
    """
    x, y = target
    east, north = (room.west + room.east) / 2 - x, (room.south + room.north) / 2 - y
    length = math.hypot(east, north)
    east, north = (east / length, north / length) if length > 1e-9 else (0.0, 1.0)
    return facing(_step_back(target, east, north, sidestep, room), x, y)


def through_door(door: tuple[float, float], house: Rectangle, outwards: bool, within: Rectangle, aside: float) -> Pose:
    """Return the pose after coming through a door: beyond the door, facing onwards.

    Args:
        door: Position of the door, on an edge of the house.
        house: The area the door belongs to.
        outwards: Out of the house, rather than into it.
        within: The rectangle that the result lies in.
        aside: Metres along the wall.
    """
    x, y = door
    east = 1.0 if x == house.west else -1.0 if x == house.east else 0.0
    north = 0.0 if east else 1.0 if y == house.south else -1.0
    if outwards:
        east, north = -east, -north
    pose = _step_back(door, east, north, aside, within)
    return Pose(pose.x, pose.y, round(math.atan2(north, east), _DECIMALS))


def _step_back(origin: tuple[float, float], east: float, north: float, aside: float, within: Rectangle) -> Pose:
    x = origin[0] + REACH * east - aside * north
    y = origin[1] + REACH * north + aside * east
    x = min(max(x, within.west), within.east)
    y = min(max(y, within.south), within.north)
    return Pose(round(x, _DECIMALS), round(y, _DECIMALS), 0.0)
