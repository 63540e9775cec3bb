import json
from dataclasses import replace

import pytest
from scenes import observe

from irollan_env import Event
from itcma_s.emotion.appraisal import AppraisalWeights
from itcma_s.emotion.events import Events
from itcma_s.memory.familiarity import Familiarity

APPRAISAL = AppraisalWeights()
NOTHING = {"place": (), "person": (), "thing": ()}
SPOKE = 'chat with SG: "Good day."'


def appraise(
    events,
    /,
    *,
    new=None,
    familiarity=None,
    last=None,
    reached=None,
    outcome="executed",
    in_turn=False,
    nearer=0.0,
    **seen,
):
    events.appraise(
        observe(outcome=outcome, **seen),
        {**NOTHING, **(new or {})},
        (familiarity if familiarity is not None else Familiarity()).people,
        last_action=last,
        reached=reached,
        weights=APPRAISAL,
        in_turn=in_turn,
        nearer=nearer,
    )
    return events.terms


def test_what_is_new():
    new = {"place": ("SG's Home",), "person": ("SG", "WM"), "thing": ("book 1", "toy 1")}
    assert appraise(Events(), new=new) == {
        "came to SG's Home for the first time": 0.4,
        "met SG": 0.5,
        "met WM": 0.5,
        "saw new things": 0.06,
    }
    # In the first step only people count: one's home is no discovery.
    assert appraise(Events(), new=new, outcome=None) == {"met SG": 0.5, "met WM": 0.5}
    assert appraise(Events(), new={"thing": tuple(map(str, range(20)))}) == {"saw new things": 0.3}


@pytest.mark.parametrize(("nearer", "terms"), [(0.5, {"came nearer to the goal": 0.15}), (0.0, {}), (-0.5, {})])
def test_to_come_nearer_to_the_goal_is_worth_as_much_as_one_came_nearer(nearer, terms):
    assert appraise(Events(), nearer=nearer) == terms


def test_an_answer_is_worth_more_than_words():
    events, known = Events(), Familiarity(people={"SG": 0})
    assert appraise(events, familiarity=known, last=SPOKE, people=["SG"], time=3) == {}
    assert events.waiting == {"SG": 3}
    heard = [("SG", "MD", "And to you."), ("WM", "SG", "Hello, both.")]
    terms = appraise(events, familiarity=known, people=["SG", "WM"], heard=heard, time=4)
    assert terms == {"SG answered": pytest.approx(0.4)}
    assert events.waiting == {}
    assert known.people == {"SG": 1}
    again = appraise(events, familiarity=known, people=["SG"], heard=[("SG", "MD", "Hm?")], time=5)
    assert again == {"SG spoke to me": 0.15}
    assert known.people == {"SG": 1}


def test_to_be_ignored_hurts_after_two_steps():
    events = Events()
    appraise(events, last=SPOKE, people=["SG"], time=3)
    assert appraise(events, people=["SG"], time=4) == {}
    assert appraise(events, people=["SG"], time=5) == {"SG ignored me": -0.25}
    assert appraise(events, people=["SG"], time=6) == {}


def test_who_names_me_to_another_or_hands_me_something_ignores_nobody():
    for heard, events in (([("SG", "WL", "MD is right, WL.")], ()), ([], (handed("book 1", by="SG"),))):
        spoken = Events()
        appraise(spoken, last=SPOKE, people=["SG"], time=3)
        appraise(spoken, people=["SG", "WL"], time=4, heard=heard, events=events)
        assert "SG ignored me" not in appraise(spoken, people=["SG", "WL"], time=5)
    spoken = Events()
    appraise(spoken, last=SPOKE, people=["SG"], time=3)
    appraise(spoken, people=["SG", "WL"], time=4, heard=[("SG", "WL", "I saw MD's house.")])
    assert "SG ignored me" in appraise(spoken, people=["SG", "WL"], time=5)


def test_where_people_take_turns_an_answer_by_name_or_by_hand_is_one_at_once():
    for heard, events in (([("SG", "WL", "MD is right, WL.")], ()), ([], (handed("book 1", by="SG"),))):
        spoken, together = Events(), Events()
        seen = {"people": ["SG", "WL"], "heard": heard, "events": events}
        felt = appraise(spoken, last=SPOKE, time=4, in_turn=True, **seen)
        assert spoken.waiting == {}
        assert ("SG answered" in felt) == bool(heard)  # what is handed over is felt as a gift
        assert "SG ignored me" not in appraise(spoken, people=["SG", "WL"], time=6)
        # Who acts at the same time has not heard the words yet.
        appraise(together, last=SPOKE, time=4, **seen)
        assert together.waiting == {"SG": 4}


def test_silent_is_who_did_something_else_since_and_was_not_kept_from_answering():
    took = Event(time=3, actor="SG", deed="took", thing="book 1", other="table 2")
    tried = Event(time=3, actor="SG", deed="held back", other="MD", text="chat with MD: ...")
    for events, heard, silent in (
        ((), (), False),  # It had no turn.
        ((took,), (), True),
        ((tried,), (), False),
        ((), (("SG", "WL", "Good day, WL."),), True),
        ((), (("SG", "MD", "Good day."),), False),
    ):
        spoken, seen = Events(), {"people": ["SG", "WL"], "time": 4, "events": events, "heard": heard}
        appraise(spoken, last=SPOKE, in_turn=True, **seen)
        assert spoken.silent(observe(outcome="executed", **seen)) == (frozenset({"SG"}) if silent else frozenset())


def test_who_has_left_ignores_nobody():
    events = Events()
    appraise(events, last=SPOKE, people=["SG"], time=3)
    assert appraise(events, time=5) == {}
    assert events.waiting == {}


@pytest.mark.parametrize("outcome", ["filtered", "inadmissible", "failed"])
def test_words_that_were_not_said_are_not_waited_for(outcome):
    events = Events()
    appraise(events, last=SPOKE, people=["SG"], outcome=outcome)
    assert events.waiting == {}


def test_pain_of_actions():
    assert appraise(Events(), outcome="filtered") == {"filtered": -0.4}
    assert appraise(Events(), outcome="inadmissible") == {"refused": -0.4}
    assert appraise(Events(), outcome="failed") == {}


def test_resources_gained_and_lost():
    events = Events()
    assert appraise(events, resources=1.0) == {}
    assert appraise(events, resources=4.0) == {"gained resources": pytest.approx(0.3)}
    assert appraise(events, resources=4.0) == {}
    assert appraise(events, resources=2.0) == {"lost resources": pytest.approx(-0.2)}
    assert appraise(Events(), resources=None) == {}


def handed(thing, to="MD", by="LL"):
    return Event(time=2, actor=by, deed="handed", thing=thing, other=to)


def test_to_be_given_something():
    assert appraise(Events(), held=["toy 1"]) == {}
    assert appraise(Events(), held=["book 1"], events=(handed("book 1"),)) == {"was given book 1 by LL": 0.4}
    # Also while taking something, and several at once; what others get is not mine.
    several = (handed("toy 2"), handed("cup 1", to="SG"), handed("cup 2", by="WM"))
    both = appraise(Events(), held=["book 2", "toy 2", "cup 2"], last="take book 2 from table 2", events=several)
    assert both == {"was given toy 2 by LL": 0.4, "was given cup 2 by WM": 0.4}


def test_who_was_held_back_ignores_nobody():
    wanted = Event(time=4, actor="SG", deed="held back", other="MD", text="chat with MD: ...")
    events = Events()
    appraise(events, last=SPOKE, people=["SG"], time=3)
    assert appraise(events, people=["SG"], time=5, events=(wanted,)) == {}
    assert events.waiting == {"SG": 5}
    assert appraise(events, people=["SG"], time=7) == {"SG ignored me": -0.25}
    # Who wanted to speak to somebody else, or to do something else, does.
    for change in ({"other": "WM"}, {"other": None, "text": "go to outside"}):
        events = Events(waiting={"SG": 3})
        assert appraise(events, people=["SG"], time=5, events=(replace(wanted, **change),)) == {"SG ignored me": -0.25}


def test_who_wanted_to_speak_is_awaited_in_that_step_and_ignores_nobody_later():
    wanted = Event(time=4, actor="WM", deed="held back", other="MD", text="chat with MD: ...")
    events = Events(waiting={"SG": 4})
    now = observe(people=["SG", "WM"], time=5, events=(wanted,))
    assert events.awaited(now) == {"SG", "WM"}
    appraise(events, people=["SG", "WM"], time=5, events=(wanted,))
    assert events.waiting == {"SG": 4}


def test_state_survives_json_and_is_not_shared():
    events = Events()
    appraise(events, last=SPOKE, people=["SG"], held=["toy 1"], resources=2.0, reached="rest")
    state = json.loads(json.dumps(events.get_state()))
    again = Events.from_state(state)
    assert again == events
    appraise(again, people=["SG"], time=9)
    assert state == events.get_state()


def test_words_that_crossed_are_one_exchange_and_not_waited_for():
    events, known = Events(), Familiarity()
    heard = [("SG", "MD", "Hello.")]
    terms = appraise(events, familiarity=known, last=SPOKE, people=["SG"], heard=heard)
    assert terms == {"SG spoke to me": 0.15}
    assert (known.people, events.waiting) == ({"SG": 1}, {})
    appraise(events, familiarity=known, last=SPOKE, people=["SG"], heard=heard, outcome="filtered")
    assert known.people == {"SG": 1}
    # An answer that crosses the next line.
    appraise(Events(waiting={"SG": 3}), familiarity=known, last=SPOKE, people=["SG"], heard=heard, time=4)
    assert known.people == {"SG": 2}
