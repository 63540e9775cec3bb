"""What each primitive does, and why the world refuses it."""

import pytest
from staging import do, refused, stage

from irollan_env import World


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("go to AY's Home", "You are already in AY's Home."),
        ("go to LL's Home", "No door leads from AY's Home to LL's Home; go to outside first."),
        ("go to LL's home", 'There is no place "LL\'s home" in the valley; did you mean "LL\'s Home"?'),
        ("go to table 1", "'go to' leads from place to place; take, put and use walk you to the table 1 as it is."),
        ("go to LL", "LL is a person; go to the place where LL is."),
        ("leave outside", "You are not in outside but in AY's Home."),
        ("leave chair 1", "You are not using the chair 1."),
        ("leave LL", "You are not talking with LL."),
        ("leave book 1", "The book 1 cannot be left; put it in/on something."),
        ("leave nobody at all here", "There is no place, furniture or person 'nobody at all here' in the valley."),
        ("take fod 1 from foodshelf 1", "There is no item 'fod 1' in the valley; did you mean 'food 1'?"),
        ("take the food 1 from foodshelf 1", "There is no item 'the food 1' in the valley; did you mean 'food 1'?"),
        ("take food 1 from foodshelf 2", "The foodshelf 2 is not here in AY's Home."),
        ("take food 1 from table 1", "There is no food 1 in/on the table 1."),
        ("take food 1 from LL", "There is no furniture 'LL' in the valley."),
        ("put food 1 in/on table 1", "You are not holding the food 1."),
        ("use food 1", "You are not holding the food 1; take it first."),
        ("use table 1", "The table 1 cannot be used; things can be put in/on it, or taken from it."),
        ("use sinkbasin 1", "The sinkbasin 1 is not here in AY's Home."),
        ("use LL", "LL cannot be used; use furniture that is here, or an item that you hold."),
        ("use magic", "There is no furniture 'magic' in the valley."),
        ("chat with LL: hello", "LL is not here in AY's Home."),
        ("chat with AY: hello", "You are AY yourself."),
        ("chat with ay: hello", "There is no person 'ay' in the valley; did you mean 'AY'?"),
        (
            "dance",
            "'dance' is none of the six actions: go to SOMEWHERE; use SOMETHING; leave SOMEWHERE/SOMEONE; take "
            "SOMETHING from SOMEWHERE; put SOMETHING in/on SOMEWHERE; chat with SOMEONE: CHAT CONTENT.",
        ),
    ],
)
def test_refusals_say_why(action, reason):
    assert refused(World(seed=0), "AY", action) == reason


def test_sinkbasin_and_stoveburner():
    world = stage(holding={"LL": ["toy 3", "beefsteak"]})
    do(world, "LL", "put toy 3 in/on sinkbasin 1")
    assert do(world, "LL", "use sinkbasin 1") == "You use the sinkbasin 1. The toy 3 is now clean and damp."
    assert world.doing("LL") == "using the sinkbasin 1"
    assert world.status_of("toy 3") == ("clean", "damp")
    assert world.status_of("beefsteak") == ()
    do(world, "LL", "take toy 3 from sinkbasin 1")
    assert world.status_of("toy 3") == ("clean", "damp")
    do(world, "LL", "put toy 3 in/on stoveburner 1")
    do(world, "LL", "put beefsteak in/on stoveburner 1")
    assert do(world, "LL", "use stoveburner 1") == (
        "You use the stoveburner 1. The beefsteak is now hot. The toy 3 is now clean and hot."
    )
    do(world, "LL", "take toy 3 from stoveburner 1")
    do(world, "LL", "put toy 3 in/on sinkbasin 1")
    do(world, "LL", "use sinkbasin 1")
    assert world.status_of("toy 3") == ("clean", "damp")
    assert do(world, "LL", "leave sinkbasin 1") == "You leave the sinkbasin 1."
    assert world.doing("LL") is None


def test_reading_and_talking_in_a_seat_keep_it():
    world = stage(people={"AY": "LL's Home"}, holding={"LL": ["book 1"]})
    do(world, "LL", "use chair 7")
    do(world, "LL", "use book 1")
    assert world.doing("LL") == "using the book 1"
    do(world, "LL", "chat with AY: look")
    assert world.doing("LL") == "talking with AY"
    assert refused(world, "AY", "use chair 7") == "LL is using the chair 7."
    assert do(world, "LL", "leave AY") == "You stop talking with AY."
    assert world.doing("LL") == "using the chair 7"
    do(world, "LL", "put book 1 in/on table 2")
    assert world.doing("LL") is None
    do(world, "AY", "use chair 7")


def test_what_is_eaten_stays_eaten():
    world = stage(holding={"LL": ["beefsteak", "book 1", "beverage 1"]}, status={"beefsteak": ["hot"]})
    assert do(world, "LL", "use beefsteak") == "You use the beefsteak. The beefsteak is now eaten."
    assert world.status_of("beefsteak") == ("hot", "eaten")
    assert "use beefsteak" not in world.admissible("LL")
    assert refused(world, "LL", "use beefsteak") == "The beefsteak is eaten already."
    assert do(world, "LL", "use beverage 1").endswith("is now drunk.")
    assert do(world, "LL", "use book 1").endswith("is now read.")
    assert do(world, "LL", "use book 1") == "You use the book 1."
    assert "You are holding the beefsteak in the hot eaten status, " in world.observe("LL").sentence
    do(world, "LL", "put beefsteak in/on table 2")
    assert "the beefsteak placed on the table 2 in the hot eaten status" in world.observe("LL").sentence
    other = World()
    other.set_state(world.get_state())
    assert other.status_of("beverage 1") == ("drunk",)


def test_words_reach_the_addressee_and_are_overheard():
    world = stage(people={"AY": "LL's Home", "MD": "LL's Home", "SG": "outside"})
    assert do(world, "AY", 'chat with LL: "do you like the toy?"') == 'You say to LL: "do you like the toy?"'
    for listener in ("LL", "MD"):
        (message,) = world.observe(listener).messages
        assert (message.time, message.sender, message.addressee) == (0, "AY", "LL")
        assert message.text == "do you like the toy?"
    for other in ("AY", "SG", "WL"):
        assert world.observe(other).messages == ()
    assert world.doing("AY") == "talking with LL"
    world.step({})
    assert world.observe("LL").messages == ()
    assert world.doing("AY") == "talking with LL"


def test_a_talk_ends_when_somebody_leaves():
    world = stage(people={"AY": "LL's Home", "MD": "LL's Home"})
    world.step({"AY": "chat with LL: hello", "MD": "chat with AY: hello"})
    assert "leave LL" in world.admissible("AY")
    do(world, "LL", "go to outside")
    assert world.doing("AY") is None
    assert world.doing("MD") == "talking with AY"
    do(world, "MD", "leave LL's Home")
    assert world.doing("MD") == "moving"


def test_talking_to_somebody_who_leaves_in_the_same_step():
    results = set()
    for seed in range(20):
        world = stage(people={"AY": "LL's Home"}, seed=seed)
        outcomes = world.step({"AY": "chat with LL: wait!", "LL": "go to outside"})
        results.add(outcomes["AY"].result)
        assert bool(world.observe("LL").messages) == (outcomes["AY"].kind == "executed")
    assert results == {'You say to LL: "wait!"', "Nothing happens. LL has just left."}
