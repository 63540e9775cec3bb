"""Positions around an observer, by values worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from staging import do, stage

from irollan_env import Percept, World
from irollan_env.map.geometry import Pose, beside, spherical, through_door
from irollan_env.map.records import Rectangle

ROOM = Rectangle(0.0, 0.0, 10.0, 10.0)
EAST, NORTH = 0.0, math.pi / 2


@pytest.mark.parametrize(
    ("pose", "point", "expected"),
    [
        (Pose(0, 0, EAST), (3, 0, 0), (1.5708, 0.0, 3.0)),  # straight ahead, at eye height
        (Pose(0, 0, EAST), (0, 2, 0), (1.5708, 1.5708, 2.0)),  # to the left
        (Pose(0, 0, EAST), (0, -2, 0), (1.5708, 4.7124, 2.0)),  # to the right
        (Pose(0, 0, NORTH), (-1, 0, 0), (1.5708, 1.5708, 1.0)),  # to the left of who looks north
        (Pose(1, 1, EAST), (-1, 1, 0), (1.5708, 3.1416, 2.0)),  # behind
        (Pose(0, 0, EAST), (1, 0, -1), (2.3562, 0.0, 1.4142)),  # 45 degrees below the eyes
        (Pose(0, 0, EAST), (1, 0, 1), (0.7854, 0.0, 1.4142)),  # 45 degrees above
        (Pose(0, 0, EAST), (3, 4, -12), (math.acos(-12 / 13), math.atan2(4, 3), 13.0)),
        (Pose(0, 0, EAST), (0, 0, -1), (3.1415, 0.0, 1.0)),  # at one's feet: rounded to stay below pi
        (Pose(2, 2, EAST), (2, 2, 0), (1.5708, 0.0, 0.0)),  # where one is
        (Pose(0, 0, EAST), (1, -1e-6, 0), (1.5708, 0.0, 1.0)),  # an azimuth that would round to 2 pi
    ],
)
def test_spherical(pose, point, expected):
    assert spherical(pose, *point) == pytest.approx(expected, abs=1e-4)


coordinate = st.floats(-100, 100)


@given(coordinate, coordinate, st.floats(-10, 10), coordinate, coordinate, st.floats(-3, 3))
def test_every_position_is_a_valid_percept(x, y, heading, px, py, up):
    at = spherical(Pose(x, y, heading), px, py, up)
    percept = Percept(name="table 1", kind="furniture", theta=at.theta, phi=at.phi, gamma=at.gamma)
    assert percept.phi < 2 * math.pi


def test_who_walks_to_a_table_faces_it():
    pose = beside((5.0, 9.0), ROOM, 0.0)
    assert pose == Pose(5.0, 8.4, round(NORTH, 4))
    assert beside((5.0, 5.0), ROOM, 0.0) == Pose(5.0, 5.6, round(-NORTH, 4))
    assert beside((5.0, 9.0), ROOM, 0.3) != pose


def test_who_comes_through_a_door_looks_ahead():
    assert through_door((5.0, 0.0), ROOM, False, ROOM, 0.0) == Pose(5.0, 0.6, round(NORTH, 4))
    assert through_door((5.0, 0.0), ROOM, True, Rectangle(0, -9, 10, 10), 0.0) == Pose(5.0, -0.6, round(-NORTH, 4))
    assert through_door((0.0, 5.0), ROOM, False, ROOM, 0.0) == Pose(0.6, 5.0, 0.0)
    assert through_door((10.0, 5.0), ROOM, False, ROOM, 0.0) == Pose(9.4, 5.0, round(math.pi, 4))


def percept(world, name, thing):
    return next(percept for percept in world.observe(name).percepts if percept.name == thing)


def test_percepts_of_a_world():
    world = stage(people={"AY": "LL's Home"}, holding={"AY": ["book 10"]})  # AY at (16, 29), looking south
    state = world.get_state()
    state["residents"]["AY"]["heading"] = -NORTH
    state["residents"]["LL"]["position"] = [16.0, 25.0]
    world.set_state(state)
    person = percept(world, "AY", "LL")
    assert (person.kind, person.theta, person.phi, person.gamma) == ("person", 1.5708, 0.0, 4.0)
    door = percept(world, "AY", "door to outside")  # at (16, 24), its handle 0.6 m below the eyes
    assert (door.kind, door.phi, door.gamma) == ("door", 0.0, round(math.hypot(5, 0.6), 4))
    shelf, book = percept(world, "AY", "bookshelf 1"), percept(world, "AY", "book 1")  # at (15.25, 33.5), 1.4 m high
    assert shelf.gamma == round(math.sqrt(0.75**2 + 4.5**2 + 0.2**2), 4)
    assert shelf.phi == pytest.approx(math.atan2(4.5, -0.75) + NORTH, abs=1e-4)
    assert (book.theta, book.phi, book.gamma, book.on) == (shelf.theta, shelf.phi, shelf.gamma, "bookshelf 1")
    held = percept(world, "AY", "book 10")
    assert (held.held, held.gamma, held.on) == (True, 0.0, None)
    assert world.observe("AY").percepts[-1] == held


def test_acting_on_a_thing_brings_it_near_and_ahead():
    world = World(seed=0)
    assert percept(world, "LL", "bookshelf 1").gamma > 5
    do(world, "LL", "take book 1 from bookshelf 1")
    shelf = percept(world, "LL", "bookshelf 1")
    assert shelf.gamma < 1
    assert shelf.phi == pytest.approx(0.0, abs=1e-3) or shelf.phi == pytest.approx(2 * math.pi, abs=1e-3)


def test_nobody_stands_inside_another():
    world = stage(people=dict.fromkeys(("AY", "SG", "MD"), "LL's Home"))
    for name in ("AY", "SG", "MD", "LL"):
        do(world, name, "use sinkbasin 1")
    assert all(percept(world, "LL", name).gamma >= 0.1 for name in ("AY", "SG", "MD"))
