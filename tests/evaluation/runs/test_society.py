import asyncio
import json

import pytest
from residents import RandomResident

from evaluation.report.html_page import _KEYS
from evaluation.runs.society import ResidentError, Society
from irollan_env import generate_towns
from irollan_env.random_streams import stream
from irollan_env.world.world import World
from language_models.embedders.hash_embedder import HashEmbedder
from ltrha import LTRHA, LikenessRanker, Matrix, make_framework

_FOR_THE_VIEWER = (
    *("admissible", "calls", "events", "explanation", "imagination"),
    *("memories", "percepts", "plan", "protention", "relevance"),
)


def society(seed=0, *, ltrha=True, **oddities):
    world = World(seed=stream(seed, "world"))
    residents = [RandomResident(name, stream(seed, name), **oddities.get(name, {})) for name in world.residents]
    framework = None
    if ltrha:
        framework = LTRHA(
            world.residents,
            [area.name for area in world.map.areas] + [world.map.outside],
            Matrix(LikenessRanker(HashEmbedder())),
            stream(seed, "ltrha"),
            places={name: world.place_of(name) for name in world.residents},
        )
    return Society(world, residents[::-1], framework=framework)


def take_steps(one, steps):
    async def go_on():
        return [await one.step() for _ in range(steps)]

    return asyncio.run(go_on())


def test_one_record_a_resident_in_the_residents_order():
    one = society()
    for time, step in enumerate(take_steps(one, 5)):
        assert step.time == time
        assert [record["resident"] for record in step.records] == list(one.world.residents)
        for record in step.records:
            assert {*_KEYS, *_FOR_THE_VIEWER} == set(record)
            assert json.loads(json.dumps(record)) == record


def test_ltrha_tells_what_it_knows_and_filters():
    one = society()
    steps = take_steps(one, 30)
    seen = one.residents["AY"].seen
    assert seen[0].resources == 1.0
    assert all(sum(observation.habitus.values()) == pytest.approx(1) for observation in seen)
    assert all(set(observation.habitus) == set(observation.admissible) for observation in seen)
    outcomes = [record["outcome"] for step in steps for record in step.records]
    assert 0 < outcomes.count("filtered") < len(outcomes) / 2
    last = {row.subject: row.value for row in steps[-1].metrics if row.quantity == "resources"}
    assert last == one.framework.resources
    assert sum(last.values()) == pytest.approx(6)
    assert {row.subject for row in steps[0].metrics if row.quantity == "topic"} == set(one.framework.locales)
    people = {row.subject: row.value for row in steps[-1].metrics if row.quantity == "people"}
    assert people == {
        place: sum(one.world.place_of(name) == place for name in one.residents) for place in one.framework.locales
    }
    assert sum(people.values()) == 6


def test_everybody_sees_its_own_habitus_topic_and_resources_of_the_step_before():
    """Figure 4, the way back: what LTRHA knows after a step is what its own resident sees in the next one."""
    one = society()
    take_steps(one, 12)
    framework = one.framework
    told = {name: one.observe(name) for name in one.residents}
    for name, observation in told.items():
        place = one.world.place_of(name)
        assert observation.topic == framework.topics[place]
        assert observation.resources == framework.resources[name]
        situation = framework.situation(name)
        assert situation.place == place
        assert observation.habitus == framework.habitus[name].preferences(situation, observation.admissible)
        assert len(set(observation.habitus.values())) > 1
        others = [other.preferences(situation, observation.admissible) for other in framework.habitus.values()]
        assert others.count(observation.habitus) == 1
    assert len({observation.resources for observation in told.values()}) > 2


def test_without_ltrha_nobody_is_filtered():
    one = society(ltrha=False)
    steps = take_steps(one, 20)
    assert not [record for step in steps for record in step.records if record["outcome"] == "filtered"]
    assert one.residents["AY"].seen[0].habitus is one.residents["AY"].seen[0].resources is None
    assert {row.quantity for row in steps[0].metrics} == {"pleasure", "arousal", "dominance", "driver"}


def test_failed_decisions_and_waiting_are_told_apart_and_never_filtered():
    steps = take_steps(society(AY={"fails": range(40)}, LL={"waits": range(40)}), 40)
    for step in steps:
        by_name = {record["resident"]: record for record in step.records}
        assert by_name["AY"]["outcome"] == "failed"
        assert by_name["AY"]["failure"] == "no answer"
        assert by_name["LL"]["outcome"] == "executed"
        assert by_name["AY"]["action"] is by_name["LL"]["action"] is by_name["LL"]["failure"] is None


def test_a_defect_names_its_resident():
    with pytest.raises(ResidentError, match="resident WL at time step 3: KeyError: 'a defect'"):
        take_steps(society(WL={"breaks": (3,)}), 5)


def test_a_state_of_another_society():
    with pytest.raises(ValueError, match="the state has a framework, unlike this society"):
        society(ltrha=False).set_state(society().get_state())
    with pytest.raises(ValueError, match="the state is of \\[\\], not of"):
        society().set_state({**society().get_state(), "residents": {}})
    with pytest.raises(ValueError, match="there must be one resident for each of"):
        Society(World(), [RandomResident("AY", stream(0, "AY"))])


def test_a_framework_of_another_map_is_refused():
    towns = World(generate_towns(8, seed=0))
    residents = [RandomResident(name, stream(0, name)) for name in towns.residents]
    ranker = LikenessRanker(HashEmbedder())
    with pytest.raises(ValueError, match=r"valley_map=world\.map"):
        Society(towns, residents, framework=make_framework(ranker))
    assert Society(towns, residents, framework=make_framework(ranker, valley_map=towns.map)).framework


def test_the_first_call_of_one_is_on_its_way_before_the_next_begins_to_think():
    one, said = society(ltrha=False), []
    for name, resident in one.residents.items():
        resident.act = thinking(name, resident.act, said)
    take_steps(one, 1)
    assert said == [f"{name} {what}" for name in one.residents for what in ("thinks", "has sent")]


def test_a_step_that_is_cancelled_leaves_nobody_thinking():
    one, left = society(ltrha=False), []

    async def cancelled():
        for resident in one.residents.values():
            resident.act = stuck
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(one.step(), 0.01)
        await asyncio.sleep(0)
        left.extend(task for task in asyncio.all_tasks() if task is not asyncio.current_task())

    asyncio.run(cancelled())
    assert left == []


def thinking(name, act, said):
    async def think(observation):
        said.append(f"{name} thinks")
        await asyncio.sleep(0)
        said.append(f"{name} has sent")
        return await act(observation)

    return think


async def stuck(observation):
    await asyncio.sleep(60)
