"""Every request of societies that a model leads is read by rule: it names no mechanism, and it is in clean English."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import mean
from typing import Any, NamedTuple

import pytest
from leading import LeadingModel, options_of
from plain_english import unquoted, wrong_with
from requests_of_lives import lived

from itcma_s.deliberation.llm_policy.budget import tokens
from itcma_s.deliberation.plain_words import quoted

STEPS = 15
_NAMES_A_MECHANISM = re.compile(
    r"\b(?:LTRHA|filtered|protention|retention|channel|phenomenal|arousal|dominance|pleasure|driver|PAD|habitus|locale|"
    r"matrix|resources|elimination|embedding|percept)",
    re.IGNORECASE,
)


class Life(NamedTuple):
    """A life, and how it was lived."""

    architecture: str
    turns: str
    model: LeadingModel
    records: list[dict[str, Any]]


@pytest.fixture(scope="module")
def lives():
    return {
        (architecture, turns): Life(
            architecture, turns, *lived(STEPS, architecture=architecture, scheduling=turns, seed=seed)
        )
        for seed, architecture in enumerate(("itcma-s", "itcma"))
        for turns in ("simultaneous", "sequential")
    }


def requests_of(lives):
    """Life, resident and prompt of every request."""
    return [
        (life, request.caller.resident, request.prompt) for life in lives.values() for request in life.model.requests
    ]


def body(prompt):
    """The lines of a request after the rules and the form of the answer."""
    lines = prompt[prompt.index("\nYour name is ") :].splitlines()
    return [line for line in lines if not line.startswith(("Add one key", "Add lines"))]


def test_there_is_one_request_a_decision(lives):
    for life in lives.values():
        assert all(record["failure"] is None for record in life.records)
        assert len(life.model.requests) == len(life.records) == 6 * STEPS
        assert sum(str(record["action"]).startswith("chat") for record in life.records) > 3
        assert any(record["outcome"] == "filtered" for record in life.records) == (life.architecture == "itcma-s")
    assert len(requests_of(lives)) == 24 * STEPS


def test_no_request_names_a_mechanism(lives):
    for _, _, prompt in requests_of(lives):
        bare = unquoted("\n".join(body(prompt)))
        assert not _NAMES_A_MECHANISM.search(bare), prompt
        assert not re.search(r"[{}]|\bNone\b|\bnan\b|\bnull\b|\bTrue\b|\bFalse\b", bare), prompt


def test_every_line_is_in_clean_english(lives):
    for _, me, prompt in requests_of(lives):
        for line in body(prompt):
            assert not wrong_with(line), line
            assert len(line) <= 600, line
            # One's own plan and goal are told as one put them.
            if not line.startswith(("Your name is", "Your goal", "Your plan", "You have no goal yet.")):
                assert not re.search(rf"\b{me}\b", unquoted(line)), line


def test_every_request_ends_with_its_options_numbered_without_a_gap(lives):
    for life, _, prompt in requests_of(lives):
        options = options_of(prompt)
        assert len(options) >= 2
        assert options.count("stay as you are and watch") == 1
        assert all(options)
        assert len(set(options)) == len(options), options
        if life.architecture == "itcma-s":
            assert not any(option.startswith("turn away") for option in options)
        last = prompt.splitlines()[-1]
        assert f"[{len(options)}] " in last or last.startswith(("Add one key", "Add lines"))


def test_whom_one_is_with_and_what_one_heard_is_told(lives):
    for life in lives.values():
        by_step = {(record["resident"], record["time"]): record for record in life.records}
        for request in life.model.requests:
            record = by_step[request.caller.resident, request.caller.time]
            company = re.findall("a person named ([A-Z]+)", record["observation"])
            assert f"\nIt is step {record['time']}. You are " in request.prompt
            assert all(name in request.prompt for name in company)
            for message in record["messages"]:
                assert message["sender"] not in company or quoted(message["text"]) in request.prompt


def test_the_same_is_told_in_the_same_words_whatever_a_mind_has(lives):
    """A mind with the improvements is told section 4 beside it, and one without them nothing at greater length."""
    size = {key: mean(tokens(prompt) for prompt in life.model.prompts) for key, life in lives.items()}
    for turns in ("simultaneous", "sequential"):
        assert 0.5 < size["itcma", turns] / size["itcma-s", turns] < 2, size
        assert max(size["itcma", turns], size["itcma-s", turns]) < 900


def test_a_place_is_imagined_once(lives):
    for life in lives.values():
        assert len(life.model.places) == len(set(life.model.places))
        assert 0 < len(life.model.places) <= 8


def test_a_request_goes_on_from_the_one_before_for_a_good_part(lives):
    for (architecture, _), life in lives.items():
        if architecture == "itcma":
            continue
        shares = []
        for name in {record["resident"] for record in life.records}:
            prompts = [one.prompt for one in life.model.requests if one.caller.resident == name]
            for before, now in pairwise(prompts):
                same = next((n for n, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), len(now))
                shares.append(same / len(now))
        assert mean(shares) > 0.5
