from itertools import pairwise

import pytest

from itcma_s.protention_rollouts import rollout, spelling_table

NAMES = spelling_table()


@pytest.fixture(scope="module")
def transitions():
    return list(rollout(5, 6, NAMES))


def test_rollouts_are_the_same_for_a_seed_and_go_on_from_step_to_step(transitions):
    assert len(transitions) > 20
    again = list(rollout(5, 6, spelling_table()))
    assert [one.action for one in again] == [one.action for one in transitions]
    for one in transitions:
        assert one.following.time == one.observation.time + 1
        assert one.following.outcome == "executed"
        assert one.moment.present.names(NAMES) == tuple(p.name for p in one.observation.percepts)
        assert one.unknown == (one.expected.source == "model")
    mine = [one for one in transitions if one.observation.resident == "LL"]
    for before, after in pairwise(mine):
        if after.observation.time == before.following.time:
            assert after.observation == before.following


def test_what_the_rule_leaves_as_it_is_is_told_from_what_it_moves(transitions):
    assert any(one.still for one in transitions)
    for one in transitions:
        leads = one.action.startswith("go to") or one.action == f"leave {one.observation.place}"
        assert one.stays != leads
        if one.still:
            assert one.stays
            assert not one.unknown
