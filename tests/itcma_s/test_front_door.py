"""The package from its root: every name, the examples of its docstrings, and a resident made in one call."""

import asyncio

import numpy as np
import pytest
from configs import run_config

import evaluation
import irollan_env
import itcma_s
import ltrha
from evaluation.runs.build_society import build_society
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel


def test_a_resident_made_alone_acts_as_the_one_of_a_society():
    model, embedder = ScriptedModel(), HashEmbedder()
    configuration = run_config(model="scripted", embedder="hash", architecture="compressed-memory", seed=4)
    society = build_society(configuration, model, embedder)
    mechanisms = itcma_s.Mechanisms(driver=False, elimination=False)
    alone = {
        name: itcma_s.make_resident(name, model=model, embedder=embedder, seed=4, mechanisms=mechanisms)
        for name in society.residents
    }
    for _ in range(3):
        seen = {name: society.observe(name) for name in alone}
        step = asyncio.run(society.step())
        acts = {name: mind.act(seen[name]) for name, mind in alone.items()}
        for record in step.records:
            act = acts[record["resident"]]
            for part in ("action", "thought", "goal", "driver", "protention"):
                assert record[part] == getattr(act, part)


def test_act_works_where_an_event_loop_runs():
    world, models = irollan_env.World(seed=0), {"model": ScriptedModel(), "embedder": HashEmbedder()}
    one, other = itcma_s.make_resident("LL", **models), itcma_s.make_resident("LL", **models)

    async def in_a_notebook():
        return [one.act(world.observe("LL")), await other.act_async(world.observe("LL"))]

    first, second = asyncio.run(in_a_notebook())
    assert first == second
    assert one.name == "LL"
    assert one.get_state() == other.get_state()


def test_deliberation_is_by_name_or_an_object():
    models = {"model": ScriptedModel(), "embedder": HashEmbedder()}
    own = itcma_s.LLMPolicy(model=models["model"])
    by_name = itcma_s.make_resident("LL", **models, deliberation="llm")
    assert by_name.get_state() == itcma_s.make_resident("LL", **models, deliberation=own).get_state()
    assert by_name.get_state() != itcma_s.make_resident("LL", **models).get_state()
    with pytest.raises(ValueError, match="'llm', 'similarity' or an object, got 'LLM'"):
        itcma_s.make_resident("LL", **models, deliberation="LLM")


class Own(ScriptedModel):
    """A model of one's own."""

    def __init__(self, name, **ability):
        super().__init__()
        self.name = name
        self.__dict__.update(ability)


@pytest.mark.parametrize(
    ("model", "decides"),
    [
        (Own("smollm2"), "by likeness"),
        (Own("scripted"), "by likeness"),
        (Own("scripted", instructed=True), "by model"),
        (Own("openai:http://127.0.0.1:1/v1#qwen"), "by model"),
        (Own("my own"), "by model"),
        (Own("my own", instructed=False), "by likeness"),
    ],
)
def test_who_decides_follows_from_what_the_model_can(model, decides):
    mind = itcma_s.make_resident("LL", model=model, embedder=HashEmbedder())
    assert mind.get_state()["deliberation"]["kind"] == decides


def test_memories_of_before_are_remembered():
    mind = itcma_s.make_resident(
        "LL", model=ScriptedModel(), embedder=HashEmbedder(), memories=["I met SG in the canteen."]
    )
    assert any("I met SG" in line for line in mind.resident.answer())
    assert np.isfinite(mind.act(irollan_env.World(seed=0).observe("LL")).driver)


@pytest.mark.parametrize(
    ("parts", "remedy"),
    [
        ({"model": "scripted"}, r"load_model\('scripted'\)"),
        ({"embedder": "hash"}, r"load_embedder\('hash'\)"),
        ({"mechanisms": ["driver"]}, "must be a Mechanisms"),
    ],
)
def test_what_is_no_part_is_refused_with_the_remedy(parts, remedy):
    with pytest.raises(TypeError, match=remedy):
        itcma_s.make_resident("LL", **{"model": ScriptedModel(), "embedder": HashEmbedder(), **parts})


def test_a_resident_lives_one_episode_or_begins_anew_from_its_first_state():
    agent, world = (
        itcma_s.make_resident("LL", model=ScriptedModel(), embedder=HashEmbedder()),
        irollan_env.World(seed=0),
    )
    start, seen = agent.get_state(), world.observe("LL")
    act = agent.act(seen)
    with pytest.raises(ValueError, match="LL has already decided step 0"):
        agent.act(seen)
    agent.set_state(start)
    assert agent.act(seen) == act


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: itcma_s.pleasure("a", 0),
        lambda: itcma_s.demand(None, 0.5),
        lambda: ltrha.make_framework("hash"),
        lambda: ltrha.make_framework(HashEmbedder()),
        lambda: ltrha.LTRHAParallelWrapper(irollan_env.parallel_env(), ltrha.make_framework(_RANKER)),
    ],
)
def test_another_type_is_refused_by_name(wrong):
    with pytest.raises(TypeError, match="must be a"):
        wrong()


_RANKER = ltrha.LikenessRanker(HashEmbedder())


def test_positions_may_be_lists():
    assert itcma_s.spherical_similarity([0.5, 1.0, 2.0], [0.5, 1.0, 2.0]) == 1.0


def test_the_wrapper_asks_the_valley_and_says_who_was_filtered():
    env = ltrha.LTRHAParallelWrapper(irollan_env.parallel_env(max_steps=20), lambda: ltrha.make_framework(_RANKER))
    env.reset(seed=0)
    outcomes = set()
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents))
        for name in env.agents:
            seen = irollan_env.observation_of(env, name)
            assert seen.percepts
            assert seen.habitus is not None
            assert (seen.outcome, seen.result) == (infos[name]["outcome"], infos[name]["result"])
            assert (seen.outcome == "filtered") == infos[name]["filtered"]
            outcomes.add(seen.outcome)
    assert "filtered" in outcomes


def test_each_mechanism_can_be_left_out_by_its_name():
    assert len(set(itcma_s.MECHANISM_NAMES)) == 16
    assert evaluation.MindConfig(ablate=itcma_s.MECHANISM_NAMES).ablate == itcma_s.MECHANISM_NAMES


def test_a_name_that_is_not_on_the_map_is_refused():
    with pytest.raises(ValueError, match="'XX' is not among the residents"):
        itcma_s.make_resident("XX", model=ScriptedModel(), embedder=HashEmbedder())
