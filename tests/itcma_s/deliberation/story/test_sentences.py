"""Thoughts and lines that the facts of a step bear out: from single situations, and in every step of a life."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scenes import EMBEDDER, run
from story_facts import FACTS, said

from irollan_env import Act, Action, World
from irollan_env.world.events import Event
from itcma_s import make_mind
from itcma_s.deliberation.similarity_policy import similarity_policy
from itcma_s.deliberation.story.facts import Facts
from itcma_s.deliberation.story.sentences import lines, thoughts
from itcma_s.fields.name_table import NameTable
from language_models.scripted import ScriptedModel

GREETED = (said("MD", "SG", "Hello, SG. I am MD.", time=2), said("SG", "MD", "Hello, MD. I am SG.", time=3))


def heard(text: str, **more: Any) -> Facts:
    return replace(FACTS, lines=(*GREETED, said("SG", "MD", text)), **more)


@pytest.mark.parametrize(
    ("asked", "answer", "more"),
    [
        ("What do you like to do?", "I like to read.", {}),
        ("How are you?", "I am happy and curious.", {}),
        ("Are you hungry?", "I have food with me.", {"held": frozenset({"food"})}),
        ("Are you hungry?", "No, I have eaten.", {"past_goals": ["eat the food"]}),
        ("Have you been in the canteen?", "No, I have not been in the canteen yet.", {}),
        ("Have you been in the reading room?", "Yes, I was in the reading room.", {}),
        ("Have you been in your house?", "Yes, I was in my house.", {}),
        ("Do you know where WM is?", "I think WM is in the canteen.", {"seen": {"WM": "in the canteen"}}),
        ("Have you seen WM?", "I do not know where WM is.", {}),
        ("Have you seen AY?", "AY is here.", {"company": ("SG", "AY")}),
        ("What is wrong?", "I wanted to go out, but I was held back.", {"wish": "go out"}),
        ("What is wrong?", "Nothing is wrong. I am happy and curious.", {}),
        ("Do you come with me?", "Not now. I want to read the book first.", {"goal": "read the book"}),
        ("Shall we go to the canteen?", "Yes, I want to go there, too.", {"goal": "see what there is in the canteen"}),
        (
            "What do you want to do?",
            "I want to see what there is in your house.",
            {"goal": "see what there is in SG's house"},
        ),
        ("Whose book is this?", "I do not know whose it is.", {}),
        ("Whose book is this?", "It is mine.", {"own": frozenset({"book"})}),
        ("Whom have you met so far?", "You are the first that I talk with.", {}),
        ("Blue or green?", "I do not know.", {}),
    ],
)
def test_a_question_is_answered_from_what_is_so(asked: str, answer: str, more: dict[str, Any]) -> None:
    facts = heard(asked, **more)
    assert answer in lines(facts)
    assert all(re.search(r"[^.?!]+[.!]", line) for line in lines(facts))
    assert all("SG asks" in thought or "held back" in thought for thought in thoughts(facts))


def test_nothing_is_answered_that_nobody_asked() -> None:
    for line in lines(replace(FACTS, lines=GREETED[:1])):
        assert not re.match(r"Yes|No\b|Thank|I see|Hello", line)


def test_whoever_speaks_with_somebody_for_the_first_time_says_who_it_is() -> None:
    assert all(line.startswith("Hello, SG. I am MD. ") for line in lines(FACTS))


def test_what_was_asked_long_ago_is_not_answered_any_more() -> None:
    facts = heard("How are you?")
    assert facts.unanswered("SG") == replace(facts, time=10).unanswered("SG") == "How are you?"
    assert replace(facts, time=11).unanswered("SG") == ""


def test_what_was_said_is_not_said_again() -> None:
    facts = heard("What do you like to do?")
    told = (*facts.lines, said("MD", "SG", lines(facts)[0]), said("SG", "MD", "And what do you like?", time=5))
    assert lines(facts)[0] not in lines(replace(facts, lines=told))
    asked = [said("MD", "SG", line, time=3) for line in lines(replace(FACTS, lines=GREETED[:1]))]
    assert not {line.text for line in asked} & set(lines(replace(FACTS, lines=(*GREETED, *asked))))


READS = {"goal": "read the book", "time": 6}
SEEKS = {"goal": "look for WM", "time": 6}
MEETS = {"goal": "meet the others", "deed": "go out", "action": Action("go to outside"), "company": ()}
CAME = Event(time=4, actor="SG", deed="came", other="SG's Home")
TAKES = {"deed": "take the book from the table", "action": Action("take book 1 from table 1")}
RESTS = {"deed": "rest on the bed", "action": Action("use bed 1")}
GOES = {"deed": "go to the canteen", "action": Action("go to Public Canteen"), "seen": {"WM": "in the canteen"}}


@pytest.mark.parametrize(
    ("thought", "more"),
    [
        ("I want to get to know SG, so I talk with SG.", {}),
        ("SG came out, so I greet SG.", {"events": (CAME,), "lines": ()}),
        ("I was held back, but I still want to talk with SG.", {"wish": "talk with SG"}),
        ("I want to look for WM. SG may know where WM is.", SEEKS),
        ("WM was in the canteen, and I want to look for WM.", {**SEEKS, **GOES}),
        ("Before I read the book, I want to talk with SG.", READS),
        ("I want to read the book, so I take the book from the table.", {**READS, **TAKES}),
        ("I want to read the book, but first I rest on the bed.", {**READS, **RESTS}),
        ("Nobody is here, and I want to meet the others.", MEETS),
    ],
)
def test_a_thought_says_why_the_deed_is_done(thought: str, more: dict[str, Any]) -> None:
    facts = replace(FACTS, **{"lines": GREETED[:1], **more})
    assert thought in {*thoughts(facts), *thoughts(replace(facts, time=facts.time + 1))}


@pytest.fixture(scope="module")
def lived() -> list[tuple[Facts, str, str]]:
    """The facts of each step that six scripted residents live, with what they thought and said."""
    found: list[tuple[Facts, str, str]] = []
    write = similarity_policy.write_story

    async def listening(page: Any, facts: Facts, **more: Any) -> tuple[str, str]:
        thought, words = await write(page, facts, **more)
        found.append((facts, thought, words))
        return thought, words

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity_policy, "write_story", listening)
        world, table = World(seed=3), NameTable(EMBEDDER)
        minds = {
            name: make_mind(
                name,
                model=ScriptedModel(),
                table=table,
                embedder=EMBEDDER,
                style="scene",
                generator=np.random.default_rng(number),
            )
            for number, name in enumerate(world.residents)
        }
        for _ in range(12):
            acts: dict[str, Act] = {name: run(mind.act(world.observe(name))) for name, mind in minds.items()}
            world.step({name: act.action for name, act in acts.items()})
    return found


def test_every_text_of_a_life_is_true(lived: list[tuple[Facts, str, str]]) -> None:
    assert sum(bool(words) for _, _, words in lived) > 10
    for facts, thought, words in lived:
        for text in (thought, words):
            assert set(re.findall(r"([A-Z]\w+) (?:is|are) here", text)) <= set(facts.company or ("Nobody",)), text
            held = re.search(r"I (?:hold (.+?), and|have (.+?) with me)", text)
            assert held is None or any(noun in held[0] for noun in facts.held), text
            assert "held back" not in text or facts.wish or any(e.deed == "held back" for e in facts.events), text
            assert "alone" not in text or not facts.company, text
        assert facts.me not in re.sub(r"I am \w+\.", "", f"{thought} {words}"), (thought, words)
        assert words == "" or facts.partner in facts.company
        assert not {*facts.seen} & {facts.me, *facts.company}


def test_no_line_of_a_life_is_said_twice_to_the_same_person(lived: list[tuple[Facts, str, str]]) -> None:
    for facts, _, words in lived:
        if words:
            before = [line.text for line in facts.between(str(facts.partner)) if line.speaker == facts.me]
            assert words not in before
