"""What language models write, read as what can be done."""

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded

from irollan_env.environments.wrappers import ForgivingActions, understood

ADMISSIBLE = (
    "go to outside",
    "go to canteen",
    "leave AY's Home",
    "chat with LL: ...",
    "take food 1 from foodshelf 1",
    "take food 11 from foodshelf 1",
    "put book 2 in/on LL",
    "put book 2 in/on table 1",
    "put book 2 in/on bookshelf 1",
    "use book 2",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("go to outside", "go to outside"),
        ("Go to outside.", "go to outside"),
        ("> go to the canteen", "go to canteen"),
        ("go outside", "go to outside"),
        ("Walk to the canteen", "go to canteen"),
        ("take the food 1 from the foodshelf 1", "take food 1 from foodshelf 1"),
        ("Pick up food 11 from foodshelf 1", "take food 11 from foodshelf 1"),
        ("put the book 2 on the table 1", "put book 2 in/on table 1"),
        ("Place book 2 into bookshelf 1", "put book 2 in/on bookshelf 1"),
        ("give book 2 to LL", "put book 2 in/on LL"),
        ("Thought: I read.\nAction: Use book 2\n", "use book 2"),
        ("**Action:** `use book 2`", "use book 2"),
        ('"leave AY\'s home"', "leave AY's Home"),
        ("say to LL: Where are YOU?", 'chat with LL: "Where are YOU?"'),
        ('Chat with LL: "The Book 2."', 'chat with LL: "The Book 2."'),
    ],
)
def test_what_is_meant(written: str, meant: str) -> None:
    assert understood(written, ADMISSIBLE) == meant


@pytest.mark.parametrize(
    "written",
    [
        "",
        "take food",
        "take food 2 from foodshelf 1",
        "go",
        "chat with LL",
        "chat with WM: hello",
        "go to outside: now",
    ],
)
def test_nothing_is_guessed(written: str) -> None:
    assert understood(written, ADMISSIBLE) == written


def test_two_that_are_meant_alike_are_none() -> None:
    assert understood("Use the book", ("use book", "use the book")) == "Use the book"


def test_an_environment_takes_it() -> None:
    env = ForgivingActions(gym.make("irollan_env:IrollanValley-v0"))
    with pytest.raises(ResetNeeded):
        env.step("wait")
    env.reset(seed=0)
    assert env.step("Go to the outside.")[4]["result"] == "You go to outside."
    assert env.step("dance")[4]["result"].startswith("Nothing happens. 'dance' is none")
    assert env.step(None)[4]["result"] == "You wait."
