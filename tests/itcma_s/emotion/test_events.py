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


def handed(thing, to="MD", by="LL"):
    return Event(time=2, actor=by, deed="handed", thing=thing, other=to)


SPEAKS = {"last": SPOKE, "people": ["SG"], "time": 3}
WANTED = Event(time=4, actor="SG", deed="held back", other="MD", text="chat with MD: ...")
NAMED, GIVEN = [("SG", "WL", "MD is right, WL.")], (handed("book 1", by="SG"),)
STORIES = {
    "speaks": ([SPEAKS], {}, {"SG": 3}),
    "has to wait": ([SPEAKS, {"people": ["SG"], "time": 4}], {}, {"SG": 3}),
    "is ignored for two steps": ([SPEAKS, {"people": ["SG"], "time": 5}], {"SG ignored me": -0.25}, {}),
    "is ignored once": ([SPEAKS, {"people": ["SG"], "time": 5}, {"people": ["SG"], "time": 6}], {}, {}),
    "is left": ([SPEAKS, {"time": 5}], {}, {}),
    "is held back": ([{**SPEAKS, "outcome": "filtered"}], {"filtered": -0.4}, {}),
    "is refused": ([{**SPEAKS, "outcome": "inadmissible"}], {"refused": -0.4}, {}),
    "failed": ([{**SPEAKS, "outcome": "failed"}], {}, {}),
    "is named to another": ([SPEAKS, {"people": ["SG", "WL"], "time": 5, "heard": NAMED}], {"SG answered": 0.4}, {}),
    "its house is spoken of": (
        [SPEAKS, {"people": ["SG", "WL"], "time": 5, "heard": [("SG", "WL", "I saw MD's house.")]}],
        {"SG ignored me": -0.25},
        {},
    ),
    "is given something": (
        [SPEAKS, {"people": ["SG"], "time": 5, "events": GIVEN}],
        {"was given book 1 by SG": 0.4},
        {},
    ),
    "who answers is held back": ([SPEAKS, {"people": ["SG"], "time": 5, "events": (WANTED,)}], {}, {"SG": 5}),
    "who answers is held back, and then does not": (
        [SPEAKS, {"people": ["SG"], "time": 5, "events": (WANTED,)}, {"people": ["SG"], "time": 7}],
        {"SG ignored me": -0.25},
        {},
    ),
    "who speaks to another is held back": (
        [SPEAKS, {"people": ["SG"], "time": 5, "events": (replace(WANTED, other="WM"),)}],
        {"SG ignored me": -0.25},
        {},
    ),
    "who goes is held back": (
        [SPEAKS, {"people": ["SG"], "time": 5, "events": (replace(WANTED, other=None, text="go to outside"),)}],
        {"SG ignored me": -0.25},
        {},
    ),
    "who was not spoken to is held back": (
        [SPEAKS, {"people": ["SG", "WM"], "time": 4, "events": (replace(WANTED, actor="WM"),)}],
        {},
        {"SG": 3},
    ),
    "comes nearer to its goal": ([{"nearer": 0.5}], {"came nearer to the goal": 0.15}, {}),
    "does not come nearer": ([{"nearer": -0.5}], {}, {}),
}


@pytest.mark.parametrize(("steps", "felt", "waiting"), STORIES.values(), ids=STORIES)
def test_what_comes_of_words(steps, felt, waiting):
    events = Events()
    for step in steps:
        terms = appraise(events, **step)
    assert terms == pytest.approx(felt)
    assert events.waiting == waiting


def test_an_answer_is_worth_more_than_words():
    events, known = Events(), Familiarity(people={"SG": 0})
    appraise(events, familiarity=known, **SPEAKS)
    heard = [("SG", "MD", "And to you."), ("WM", "SG", "Hello, both.")]
    terms = appraise(events, familiarity=known, people=["SG", "WM"], heard=heard, time=4)
    assert terms == {"SG answered": pytest.approx(0.4)}
    assert (events.waiting, known.people) == ({}, {"SG": 1})
    again = appraise(events, familiarity=known, people=["SG"], heard=[("SG", "MD", "Hm?")], time=5)
    assert again == {"SG spoke to me": 0.15}
    assert known.people == {"SG": 1}


@pytest.mark.parametrize(("heard", "events"), [(NAMED, ()), ([], GIVEN)])
def test_where_people_take_turns_an_answer_by_name_or_by_hand_is_one_at_once(heard, events):
    spoken, together = Events(), Events()
    seen = {"people": ["SG", "WL"], "heard": heard, "events": events}
    felt = appraise(spoken, last=SPOKE, time=4, in_turn=True, **seen)
    assert spoken.waiting == {}
    assert ("SG answered" in felt) == bool(heard)  # what is handed over is felt as a gift
    # Who acts at the same time has not heard the words yet.
    appraise(together, last=SPOKE, time=4, **seen)
    assert together.waiting == {"SG": 4}


def test_who_wanted_to_speak_is_awaited_in_that_step():
    now = observe(people=["SG", "WM"], time=5, events=(replace(WANTED, actor="WM"),))
    assert Events(waiting={"SG": 4}).awaited(now) == {"SG", "WM"}


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


def test_resources_gained_and_lost():
    events = Events()
    assert appraise(events, resources=1.0) == {}
    assert appraise(events, resources=4.0) == {"gained resources": pytest.approx(0.3)}
    assert appraise(events, resources=4.0) == {}
    assert appraise(events, resources=2.0) == {"lost resources": pytest.approx(-0.2)}
    assert appraise(Events(), resources=None) == {}


def test_to_be_given_something():
    assert appraise(Events(), held=["toy 1"]) == {}
    assert appraise(Events(), held=["book 1"], events=(handed("book 1"),)) == {"was given book 1 by LL": 0.4}
    # Also while taking something, and several at once; what others get is not mine.
    several = (handed("toy 2"), handed("cup 1", to="SG"), handed("cup 2", by="WM"))
    both = appraise(Events(), held=["book 2", "toy 2", "cup 2"], last="take book 2 from table 2", events=several)
    assert both == {"was given toy 2 by LL": 0.4, "was given cup 2 by WM": 0.4}


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
