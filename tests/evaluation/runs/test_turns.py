"""Societies whose residents take turns within a step, and those in which LTRHA draws before they decide."""

import asyncio
import json
import random
from collections import Counter

import pytest
from configs import run_config
from residents import RandomResident

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.build_society import build_society
from evaluation.runs.society import FailedCallError, NoAnswerError, Society, rounds
from irollan_env.policies.policy_resident import PolicyResident, ScriptedResident
from irollan_env.policies.simple import POLICIES
from irollan_env.random_streams import stream
from irollan_env.resident import Act
from irollan_env.world.world import World
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript
from ltrha import LTRHA, LikenessRanker, Matrix

SAME = ("events.jsonl", "metrics.csv")
IN_TURN = ("--scheduling", "sequential", "--execution-draw", "before")


def society(
    seed=0,
    *,
    scheduling="sequential",
    execution_draw="after",
    standing_decides="execution",
    resident=RandomResident,
    ltrha=True,
    **odd,
):
    world = World(seed=stream(seed, "world"))
    residents = [resident(name, generator=stream(seed, name), **odd.get(name, {})) for name in world.residents]
    framework = None
    if ltrha:
        framework = LTRHA(
            world.residents,
            [area.name for area in world.map.areas] + [world.map.outside],
            Matrix(LikenessRanker(HashEmbedder())),
            stream(seed, "ltrha"),
            places={name: world.place_of(name) for name in world.residents},
            standing_decides=standing_decides,
        )
    return Society(world, residents, framework=framework, scheduling=scheduling, execution_draw=execution_draw)


def take_steps(one, steps, **how):
    async def go_on():
        return [await one.step(**how) for _ in range(steps)]

    return asyncio.run(go_on())


def records_of(steps):
    return [record for step in steps for record in step.records]


class Slow(RandomResident):
    """Answers after a while that no seed says."""

    async def act(self, observation):
        await asyncio.sleep(random.random() / 500)
        return await super().act(observation)


class Speaker(RandomResident):
    """Speaks to the first person there is, or goes outside."""

    async def act(self, observation):
        act = await super().act(observation)
        for action in observation.admissible:
            if action.startswith("chat with ") or action == "go to outside":
                object.__setattr__(act, "action", action.replace("...", "Good day."))
                break
        return act


def test_in_each_round_one_of_each_place_decides():
    world = World(seed=0)
    assert [set(names) for names in rounds(world, world.turn_order())] == [set(world.residents)]
    world.step(dict.fromkeys(("AY", "SG", "LL"), "go to outside"))
    found = rounds(world, world.turn_order())
    places = [[world.place_of(name) for name in names] for names in found]
    assert [len(names) for names in found] == [4, 1, 1]
    assert len(set(places[0])) == 4
    assert places[1] == places[2] == ["outside"]
    assert sorted(name for names in found for name in names) == sorted(world.residents)


class Taker(RandomResident):
    """Goes to the reading room and takes a book of which there is one."""

    async def act(self, observation):
        wanted = (TAKING, "go to Public Reading Room", "go to outside")
        return Act(action=next((one for one in wanted if one in observation.admissible), None))


TAKING = "take book 12 from bookshelf 12"


@pytest.mark.parametrize("scheduling", ["sequential", "simultaneous"])
def test_where_standing_decides_turns_the_top_gets_what_only_one_can_have(scheduling):
    def taker(seed, decides):
        one = society(seed, scheduling=scheduling, standing_decides=decides, resident=Taker)
        one.framework.filter = lambda names: frozenset()
        take_steps(one, 2)
        one.framework.resources = {name: float(name == "WL") for name in one.residents}
        records = records_of(take_steps(one, 1))
        (got,) = (
            record["resident"] for record in records if (record["action"], record["outcome"]) == (TAKING, "executed")
        )
        return got

    assert {taker(seed, "turns") for seed in range(6)} == {"WL"}
    assert len({taker(seed, "execution") for seed in range(6)}) > 1


def test_who_comes_later_hears_what_was_said_in_the_same_step_and_all_hear_everything_once():
    one = society(resident=Speaker, ltrha=False)
    steps = take_steps(one, 5)
    said, heard = Counter(), Counter()
    at_once = 0
    for record in records_of(steps):
        for message in record["messages"]:
            at_once += message["time"] == record["time"]
            heard[message["time"], message["sender"]] += 1
        if str(record["action"]).startswith("chat with") and record["time"] < 4:
            assert record["outcome"] == "executed"
            said[record["time"], record["resident"]] += 5
    # All six are outside from the second step on; of two, one hears the other in the same step: 15 a step.
    assert at_once == 15 * 4
    assert {key: heard[key] for key in said} == said
    together = take_steps(society(resident=Speaker, ltrha=False, scheduling="simultaneous"), 5)
    assert not any(
        message["time"] == record["time"] for record in records_of(together) for message in record["messages"]
    )


def test_nothing_that_is_wanted_is_gone_within_a_place():
    for seed in range(2):
        outcomes = Counter(record["outcome"] for record in records_of(take_steps(society(seed), 40)))
        assert outcomes["executed"] > 150
        assert outcomes["inadmissible"] == 0
    together = [
        record for seed in range(2) for record in records_of(take_steps(society(seed, scheduling="simultaneous"), 40))
    ]
    assert any(record["outcome"] == "inadmissible" for record in together)


@pytest.mark.parametrize("draw", ["after", "before"])
def test_the_same_whatever_answers_first_and_other_with_another_seed(draw):
    one, other = (take_steps(society(3, resident=Slow, execution_draw=draw), 12) for _ in range(2))
    assert one == other
    assert one == take_steps(society(3, execution_draw=draw), 12)
    assert one != take_steps(society(4, execution_draw=draw), 12)
    assert one != take_steps(society(3, execution_draw=draw, scheduling="simultaneous"), 12)


@pytest.mark.parametrize("scheduling", ["sequential", "simultaneous"])
@pytest.mark.parametrize("execution_draw", ["after", "before"])
def test_a_saved_state_goes_on_exactly_from_every_step(scheduling, execution_draw):
    whole = take_steps(society(5, scheduling=scheduling, execution_draw=execution_draw), 8)
    first = society(5, scheduling=scheduling, execution_draw=execution_draw)
    for step in range(8):
        second = society(99, scheduling=scheduling, execution_draw=execution_draw)
        second.set_state(json.loads(json.dumps(first.get_state())))
        assert take_steps(second, 8 - step) == whole[step:]
        take_steps(first, 1)


def test_failed_decisions_in_turn():
    steps = take_steps(society(AY={"fails": range(9)}), 9)
    assert [record["outcome"] for record in records_of(steps) if record["resident"] == "AY"] == ["failed"] * 9
    with pytest.raises(FailedCallError, match="AY had no answer from the model in step 4: no answer"):
        take_steps(society(AY={"fails": (3,)}), 5, stop_on_failure=True)
    everyone = {name: {"fails": (2,)} for name in World().residents}
    for draw in ("after", "before"):
        with pytest.raises(NoAnswerError, match="the model had no answer for anyone in step 3: no answer"):
            take_steps(society(2, execution_draw=draw, **everyone), 5)


@pytest.mark.parametrize("scheduling", ["sequential", "simultaneous"])
def test_the_same_is_drawn_before_and_after(scheduling):
    """Everyone acts in the first step, so that the same six draw in both."""
    for seed in range(4):
        held, drawn = [], []
        for draw in ("after", "before"):
            one = society(seed, scheduling=scheduling, execution_draw=draw)
            records = records_of(take_steps(one, 1))
            assert draw == "before" or all(record["action"] for record in records)
            held.append([record["resident"] for record in records if record["outcome"] == "filtered"])
            drawn.append(one.framework.get_state()["generator"])
        assert held[0] == held[1]
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("scheduling", ["sequential", "simultaneous"])
@pytest.mark.parametrize("policy", list(POLICIES))
def test_whoever_is_held_back_before_it_decides_has_no_action(scheduling, policy):
    def resident(name, generator):
        return (
            ScriptedResident(name, generator)
            if policy == "scripted"
            else PolicyResident(name, POLICIES[policy], generator)
        )

    one = society(1, scheduling=scheduling, execution_draw="before", resident=resident)
    held = [record for record in records_of(take_steps(one, 10)) if record["outcome"] == "filtered"]
    assert held
    for record in held:
        assert (record["action"], record["admissible"]) == (None, [])
        assert record["result"] == "(This action has been filtered by LTRHA)"
        assert record["observation"]


def test_a_mind_that_is_held_back_feels_it_and_asks_no_model():
    calls = {}
    for draw in ("after", "before"):
        with Transcript(":memory:") as transcript:
            configuration = run_config(model="scripted", execution_draw=draw, scheduling="sequential")
            one = build_society(configuration, RecordedModel(ScriptedModel(), transcript), HashEmbedder())
            steps = take_steps(one, 12)
            asked = {(call.caller.resident, call.caller.time) for call in transcript.calls()}
            calls[draw] = len(list(transcript.calls()))
        held = [record for record in records_of(steps) if record["outcome"] == "filtered"]
        assert len(held) > 5
        by_step = {(record["resident"], record["time"]): record for record in records_of(steps)}
        for record in held:
            assert (record["action"] is None) == (draw == "before")
            if draw == "before":
                assert record["calls"] == []
                assert record["relevance"] is None
                assert (record["resident"], record["time"]) not in asked
            after = by_step.get((record["resident"], record["time"] + 1))
            assert after is None or after["explanation"]["filtered"] == -0.4
    assert calls["before"] < calls["after"]


def files(path):
    return {name: (path / name).read_bytes() for name in SAME}


def run(out, *arguments, steps=4):
    return main(["run", "--model", "scripted", "--steps", str(steps), "--out", str(out), *arguments])


def test_a_run_in_turns_is_resumed_replayed_and_branched_exactly(tmp_path, capsys):
    whole = tmp_path / "whole"
    assert run(whole, *IN_TURN) == 0
    effective = RunDirectory(whole).read_manifest()["configuration"]["effective"]
    assert (effective["world"]["scheduling"], effective["ltrha"]["execution_draw"]) == ("sequential", "before")
    assert main(["replay", str(whole)]) == 0
    part = tmp_path / "part"
    assert run(part, *IN_TURN, steps=2) == 0
    assert main(["resume", str(part), "--steps", "4"]) == 0
    assert files(part) == files(whole)
    assert main(["branch", str(whole), "--at", "2", "--out", str(tmp_path / "same")]) == 0
    assert files(tmp_path / "same") == files(whole)

    # A branch may go on in another way; its steps before stay as they were.
    other = tmp_path / "other"
    changes = ("--set", "world.scheduling=simultaneous", "--set", "ltrha.execution_draw=after")
    assert main(["branch", str(whole), "--at", "2", "--out", str(other), *changes]) == 0
    events = [files(path)["events.jsonl"].splitlines() for path in (whole, other)]
    assert events[0][:12] == events[1][:12]
    assert events[0][12:] != events[1][12:]
    assert main(["replay", str(other)]) == 0


def test_a_society_in_a_way_that_there_is_not():
    with pytest.raises(ValueError, match="scheduling must be one of sequential, simultaneous, got 'in-turn'"):
        society(scheduling="in-turn")
