from itertools import pairwise

from itcma_s.protention_rollouts import rollout, spelling_table


def test_rollouts_are_the_same_for_a_seed_and_go_on_from_step_to_step():
    names = spelling_table()
    transitions = list(rollout(5, 6, names))
    assert len(transitions) > 20
    again = list(rollout(5, 6, spelling_table()))
    assert [one.action for one in again] == [one.action for one in transitions]
    for one in transitions:
        assert one.following.time == one.observation.time + 1
        assert one.following.outcome == "executed"
        assert one.moment.present.names(names) == tuple(p.name for p in one.observation.percepts)
        assert one.unknown == (one.expected.source == "model")
        leads = one.action.startswith("go to") or one.action == f"leave {one.observation.place}"
        assert one.stays != leads
    mine = [one for one in transitions if one.observation.resident == "LL"]
    for before, after in pairwise(mine):
        if after.observation.time == before.following.time:
            assert after.observation == before.following
