"""What came of an act is told with what was hoped for, and with the reason where nothing came of it."""

from __future__ import annotations

from typing import Any

from scenes import observe

from itcma_s.deliberation.llm_policy.outcome import Done, outcome


def told(
    action: str | None, result: str, came_of_it: str = "executed", silent: tuple[str, ...] = (), **more: Any
) -> str:
    place = more.pop("place", "outside")
    done = Done(action=action, place=place, company=more.pop("hoped", ()))
    return outcome(done, observe(place, outcome=came_of_it, result=result, **more), silent)


def test_deeds_that_were_done() -> None:
    assert told("take food 5 from foodshelf 3", "You take the food 5 from the foodshelf 3.") == (
        "Your last act: you took food 5 from the food shelf."
    )
    assert told("go to Public Canteen", "You go to Public Canteen.", place="Public Canteen") == (
        "Your last act: you went to the canteen."
    )
    assert told(None, "You wait.") == "Your last act: you stayed and watched."


def test_whom_one_hoped_to_find_is_missed() -> None:
    text = told(
        "go to Public Canteen", "You go to Public Canteen.", place="Public Canteen", hoped=("AY", "WL"), people=("WL",)
    )
    assert text == "Your last act: you went to the canteen. You had expected AY here."


def test_words_are_not_said_again_but_that_there_is_no_answer() -> None:
    said = 'You say to AY: "Hello."'
    assert told('chat with AY: "Hello."', said, people=("AY",)) == "Your last act: you spoke to AY."
    assert told('chat with AY: "Hello."', said, silent=("AY",), people=("AY",)).endswith("; AY has not answered.")
    assert told('chat with AY: "Hello."', said, silent=("AY",)).endswith("; AY is not here any more.")


def test_what_was_held_back_is_told_with_the_lost_words() -> None:
    text = told('chat with AY: "Are you hungry?"', "(This action has been filtered by LTRHA)", "filtered")
    assert '"Are you hungry?"' in text
    assert "held back" in text
    assert "LTRHA" not in text
    assert "held back" in told("use chair 3", "(This action has been filtered by LTRHA)", "filtered")


def test_what_could_not_be_done_is_told_with_the_reason() -> None:
    text = told("take food 5 from foodshelf 3", "Nothing happens. AY took the food 5 first.", "inadmissible")
    assert text == "Your last act: you wanted to take food 5 from the food shelf, but could not. AY took food 5 first."


def test_no_act_at_all() -> None:
    assert outcome(None, observe("outside"), ()) == ""
    assert outcome(None, observe("outside", outcome="filtered"), ()).startswith("You were held back before")
    assert outcome(None, observe("outside", outcome="failed"), ()).startswith("Your last act: none")
