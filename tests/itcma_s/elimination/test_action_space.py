from scenes import observe

from irollan_env.actions import Action
from itcma_s.elimination.action_space import reduce_action_space
from itcma_s.memory.familiarity import Familiarity

KNOWN = Familiarity(places={"LL's Home": 3, "outside": 2}, people={"SG": 1, "WM": 1})


def left(relevance, goal="rest", recent_actions=(), needed=None, **seen):
    return reduce_action_space(
        {Action(action): score for action, score in relevance.items()},
        3.0,
        goal=goal,
        observation=observe(**seen),
        familiarity=KNOWN,
        recent_actions=recent_actions,
        needed=needed,
    )


def test_what_reaches_the_threshold_is_left_in_the_order_of_the_action_space():
    scores = {"use bed 2": 3.0, "go to outside": 4.0, "use chair 2": 2.9, "take toy 1 from bed 2": 5.0}
    assert left(scores, goal="see LL's Home") == ["use bed 2", "go to outside", "take toy 1 from bed 2"]


def test_whoever_has_just_spoken_can_be_answered():
    scores = {"chat with SG: ...": 1.0, "chat with WM: ...": 2.0, "use bed 2": 5.0}
    company = {"people": ["SG", "WM"]}
    assert left(scores, **company) == ["chat with WM: ...", "use bed 2"]
    assert left(scores, heard=[("SG", "MD", "Hello.")], **company) == list(scores)
    overheard = left(scores, heard=[("SG", "WM", "Hello.")], **company)
    assert overheard == ["chat with WM: ...", "use bed 2"]


def test_handing_somebody_its_own_thing_is_left():
    scores = {"put SG's clothes 1 in/on SG": 1.0, "put SG's clothes 1 in/on WM": 1.0, "use bed 2": 5.0}
    assert left(scores, people=["SG", "WM"]) == ["put SG's clothes 1 in/on SG", "use bed 2"]


def test_who_waits_or_looks_around_has_something_to_do_with_nothing_of_the_others():
    scores = {"go to outside": 3.5, "use LL's clothes 1": 5.0, "use chair 2": 2.0, "use bed 2": 1.0}
    for goal in ("meet WM in LL's Home", "see what there is in LL's Home"):
        assert left(scores, goal=goal) == ["go to outside", "use LL's clothes 1", "use chair 2"]


def test_something_else_is_left_where_one_is_stuck():
    scores = {"use bed 2": 5.0, "use chair 2": 1.0, "use table 2": 2.0}
    assert left(scores, recent_actions=("use bed 2",) * 3) == ["use bed 2"]
    assert left(scores, recent_actions=("use bed 2",) * 4) == ["use bed 2", "use table 2"]


def test_two_actions_by_turns_wear_out_too():
    scores = {"use bed 2": 5.0, "use chair 2": 4.0, "use table 2": 2.0}
    turns = ("use bed 2", "use chair 2") * 2
    assert left(scores, recent_actions=turns) == ["use bed 2", "use chair 2", "use table 2"]
    assert left(scores, recent_actions=turns[1:]) == ["use bed 2", "use chair 2"]


def test_the_ways_to_whom_one_looks_for_are_left():
    scores = {Action("go to AY's Home"): 1.0, Action("go to Public Canteen"): 1.0, Action("use bed 2"): 5.0}
    known = Familiarity(places={"outside": 3, "AY's Home": 1, "Public Canteen": 2}, people={"AY": 1})

    def ways(**seen):
        now = observe("outside", **seen)
        kept = reduce_action_space(
            scores, 3.0, goal="look for AY", observation=now, familiarity=known, recent_actions=()
        )
        return [action for action in kept if action != "use bed 2"]

    assert ways() == ["go to AY's Home"]  # at home, as its name tells
    known.seen["AY"] = "Public Canteen"
    assert ways() == ["go to Public Canteen"]
    assert ways(people=["AY"]) == []
    known.seen, known.missed = {}, {"AY": ["AY's Home"]}
    assert ways() == ["go to AY's Home", "go to Public Canteen"]  # it may be anywhere


def test_every_way_on_is_left_where_the_goal_is_about_nothing_known():
    scores = {"use bed 2": 5.0, "go to outside": 1.0, "leave LL's Home": 1.0}
    assert left(scores, goal="find the key") == ["use bed 2", "go to outside"]
    assert left(scores, goal="see LL's Home") == ["use bed 2"]


def test_one_thing_to_do_is_left_in_the_place_that_the_goal_is_about():
    scores = {"go to outside": 4.0, "leave LL's Home": 4.5, "use bed 2": 1.0, "use chair 2": 2.0}
    assert left(scores, goal="see what there is in LL's Home") == ["go to outside", "leave LL's Home", "use chair 2"]
    assert left(scores, goal="see what there is outside") == ["go to outside", "leave LL's Home"]
    seat = {"leave chair 2": 4.0, **scores}
    assert "use chair 2" not in left(seat, goal="see what there is in LL's Home")  # to get up is to do something here


def test_what_the_goal_needs_next_is_left_and_nothing_else_for_its_place():
    scores = {"take toy 1 from bed 2": 1.0, "go to outside": 1.0, "use bed 2": 5.0, "use chair 2": 2.0}
    goal = "take the toy and put it on a table in LL's Home"
    assert left(scores, goal=goal, needed={"take toy 1 from bed 2"}) == ["take toy 1 from bed 2", "use bed 2"]
    assert left(scores, goal=goal, needed=set()) == ["use bed 2"]
    assert left(scores, goal="find the key", needed=set()) == ["use bed 2"]  # no way on is kept where it is not needed
