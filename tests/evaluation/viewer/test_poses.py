"""Tests that poses are recovered from percepts."""

import math

import numpy as np
import pytest

from evaluation.viewer.poses import landmarks, pose_of
from irollan_env.map.geometry import Pose, spherical
from irollan_env.map.valley_map import ValleyMap

MARKS = landmarks(ValleyMap.default())


def seen_from(pose, marks, rise=-0.8):
    return [
        {
            "name": name,
            "kind": "door" if name.startswith("door") else "furniture",
            **spherical(pose, at.real, at.imag, rise)._asdict(),
        }
        for name, at in marks.items()
    ]


@pytest.mark.parametrize("place", ["LL's Home", "AY's Home", "Public Canteen", "outside"])
def test_a_pose_is_found_again(place):
    rng = np.random.default_rng(len(place))
    for _ in range(20):
        pose = Pose(rng.uniform(0, 50), rng.uniform(0, 34), rng.uniform(0, math.tau))
        found = pose_of(seen_from(pose, MARKS[place]), MARKS[place])
        assert math.dist(found[:2], pose[:2]) < 0.01
        assert abs(math.remainder(found.heading - pose.heading, math.tau)) < 0.001


def test_one_landmark_leaves_it_open():
    marks = MARKS["LL's Home"]
    pose = Pose(12.0, 30.0, 1.0)
    assert pose_of(seen_from(pose, marks)[:1], marks) is None
    assert pose_of([], marks) is None


def test_people_and_things_that_move_are_no_landmarks():
    marks = MARKS["LL's Home"]
    pose = Pose(12.0, 30.0, 1.0)
    moved = [{"name": "WL", "kind": "person", "theta": 1.57, "phi": 2.0, "gamma": 40.0}]
    found = pose_of([*seen_from(pose, marks), *moved], marks)
    assert math.dist(found[:2], pose[:2]) < 0.01
