import asyncio
import math
from functools import cache
from itertools import groupby

import pytest
from configs import run_config

from evaluation.runs.architectures import ARCHITECTURES, get_architecture
from evaluation.runs.build_society import build_society
from irollan_env.actions import Action
from itcma_s.actions import without_words
from itcma_s.parameters import Mechanisms
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

SEEN = ("place", "observation", "percepts", "messages", "admissible")
"""What a resident perceives, whatever kind of mind it has."""


@cache
def steps_of(architecture, seed=0, steps=12):
    """The steps that a society takes with the scripted model."""
    configuration = run_config(architecture=architecture, model="scripted", seed=seed, steps=steps)
    society = build_society(configuration, ScriptedModel(), HashEmbedder())

    async def take_steps():
        return [await society.step() for _ in range(steps)]

    return asyncio.run(take_steps())


def pairs(one, other):
    """The records of two architectures side by side, step by step."""
    for first, second in zip(steps_of(one), steps_of(other), strict=True):
        yield list(zip(first.records, second.records, strict=True))


def differing(step):
    """Names of the fields in which any two records of a step differ."""
    return {field for one, other in step for field in one.keys() | other.keys() if one[field] != other[field]}


def until(field, one, other):
    """The steps before the first one in which a field differs, of which there is one at least; and that one."""
    before = []
    for step in pairs(one, other):
        if field in differing(step):
            assert before, f"{field} differs from the first step on"
            return before, step
        before.append(step)
    raise AssertionError(f"{field} never differs between {one} and {other}")


def test_ltrha_adds_resources_topics_and_the_filter_to_itcma():
    steps = list(pairs("itcma", "ltrha"))
    assert differing(steps[0]) == {"resources", "topic"}
    for step in steps:
        for itcma, ltrha in step:
            assert itcma["resources"] is itcma["topic"] is None
            assert ltrha["resources"] is not None
            assert ltrha["topic"] is not None
            assert itcma["relevance"] is ltrha["relevance"] is None
    outcomes = [
        {record["outcome"] for step in steps_of(name) for record in step.records} for name in ("itcma", "ltrha")
    ]
    assert "filtered" not in outcomes[0]
    assert "filtered" in outcomes[1]
    # The first thing that a mind itself feels of LTRHA is that it gained or lost resources.
    felt = [set(ltrha["explanation"]) - set(itcma["explanation"]) for itcma, ltrha in steps[1]]
    assert set().union(*felt) <= {"gained resources", "lost resources"}
    assert any(felt)


def test_the_driver_changes_nothing_but_itself_until_it_leads_to_another_action():
    before, then = until("action", "itcma", "driver")
    for step in before:
        assert differing(step) == {"driver"}
    for itcma, driver in then:
        assert all(itcma[field] == driver[field] for field in SEEN)


def test_compressed_memory_changes_nothing_until_something_else_is_remembered():
    before, then = until("memories", "itcma", "compressed-memory")
    for step in before:
        assert differing(step) == set()
    for itcma, compressed in then:
        assert all(itcma[field] == compressed[field] for field in SEEN)


def test_itcma_s_eliminates_and_has_its_driver_where_ltrha_has_neither():
    first, *_ = pairs("ltrha", "itcma-s")
    assert {"relevance", "protention", "driver"} <= differing(first)
    for ltrha, whole in first:
        same = (*SEEN, "resources", "topic", "pleasure", "arousal", "dominance", "memories")
        assert all(ltrha[field] == whole[field] for field in same)
        assert set(ltrha["protention"]) == set(ltrha["admissible"])
        assert whole["relevance"].keys() == set(whole["admissible"])
        assert 0 < len(whole["protention"]) <= len(ltrha["protention"])
        assert whole["protention"].items() <= ltrha["protention"].items()
    assert any(len(whole["protention"]) < len(ltrha["protention"]) for ltrha, whole in first)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_emotions_and_topics_stay_in_their_ranges(architecture):
    for step in steps_of(architecture):
        for record in step.records:
            assert all(-1 < record[emotion] < 1 for emotion in ("pleasure", "arousal", "dominance"))
            assert math.isfinite(record["driver"])
            assert record["topic"] is None or -1 <= record["topic"] <= 1
            assert record["relevance"] is None or all(1 <= score <= 5 for score in record["relevance"].values())
        values = {
            quantity: [row.value for row in step.metrics if row.quantity == quantity]
            for quantity in ("topic", "rate", "resources", "people")
        }
        assert all(-1 <= topic <= 1 for topic in values["topic"])
        assert all(0.5 <= rate <= 1 for rate in values["rate"])
        # Resources have no bounds of their own, but what one gains others lose.
        assert sum(values["resources"]) == sum(values["people"])
        assert bool(values["resources"]) == ARCHITECTURES[architecture].ltrha


# It is as long as the paper's runs.
@pytest.mark.slow
def test_nobody_loops_in_a_run_as_long_as_the_papers():
    records = [record for step in steps_of("itcma-s", 0, 75) for record in step.records]
    visited, met = [], []
    for name in dict.fromkeys(record["resident"] for record in records):
        own = [record for record in records if record["resident"] == name]
        # What was filtered was not done, and may be tried again.
        taken = [without_words(record["action"]) for record in own if record["outcome"] != "filtered"]
        stays = [len(list(same)) for _, same in groupby(taken)]
        assert max(stays) <= 4, f"{name} did the same {max(stays)} times in a row"
        visited.append(len({record["place"] for record in own}))
        done = [record["action"] for record in own if record["outcome"] == "executed" and record["action"]]
        met.append(len({action.target for action in map(Action, done) if action.words}))
    assert sum(visited) / 6 >= 3
    assert sum(met) / 6 >= 3


def test_the_papers_five_differ_exactly_where_they_should():
    def switches(name):
        architecture = get_architecture(name)
        mechanisms = architecture.mechanisms
        return mechanisms.compressed_memory, mechanisms.driver, mechanisms.elimination, architecture.ltrha

    assert {name: switches(name) for name in ARCHITECTURES} == {
        "itcma": (False, False, False, False),
        "ltrha": (False, False, False, True),
        "compressed-memory": (True, False, False, False),
        "driver": (False, True, False, False),
        "itcma-s": (True, True, True, True),
    }
    assert get_architecture("itcma-s").mechanisms == Mechanisms()
