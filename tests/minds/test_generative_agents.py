"""Generative agents: the score of memories, reflection, plans and reactions."""

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from hosting import decide, first_observation, hosted, modules_of

from irollan_env.world.observation import Message
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel
from minds.generative_agents.memory_stream import DECAY, Memory, MemoryStream, scaled
from minds.generative_agents.planning import HORIZON, PART, Plan
from minds.generative_agents.reflection import reflect
from minds.model_client import LocalModelClient

MODULES = {"importance", "reflection", "summary", "planning", "reaction", "action", "dialogue"}


def make_client(model=None):
    return LocalModelClient("LL", ScriptedModel() if model is None else model, HashEmbedder(), 0)


def stream_of(client, *memories):
    stream = MemoryStream(client)
    for number, (text, importance, called_up) in enumerate(memories):
        stream.add(Memory(text=text, sort="observation", created=number, called_up=called_up, importance=importance))
    return stream


def run(client, coroutine_of):
    async def go():
        client.begin_step(7)
        return await coroutine_of()

    return asyncio.run(go())


def test_all_modules_ask():
    modules, records = modules_of("generative-agents", 20, architecture="itcma", scheduling="sequential")
    assert set(modules) == MODULES
    assert modules["action"] == len(records) == 120
    assert modules["importance"] <= 120
    assert all(record["failure"] is None for record in records)
    assert any(record["plan"] for record in records)


def test_the_score_is_the_sum_of_three_scaled_parts():
    client = make_client()
    stream = stream_of(client, ("the soup is hot", 1, 0), ("SG likes books", 10, 4), ("the soup is cold", 4, 6))
    run(client, lambda: stream.retrieve("the soup is hot", 7, 0))
    scores = stream.scores("the soup is hot", 7)
    vectors = HashEmbedder().embed([memory.text for memory in stream.memories]).astype(float)
    relevance = vectors @ HashEmbedder().embed(["the soup is hot"])[0].astype(float)
    recency = DECAY ** np.array([7.0, 3.0, 1.0])
    expected = scaled(recency) + scaled(np.array([1.0, 10.0, 4.0])) + scaled(relevance)
    assert scores == pytest.approx(expected, abs=1e-3)
    assert DECAY == 0.995


@pytest.mark.parametrize(
    ("memories", "called_up"),
    [
        ([("a b", 5, 0), ("a b", 5, 6)], 1),
        ([("a b", 1, 3), ("a b", 9, 3)], 1),
        ([("the soup is cold", 5, 3), ("SG likes books", 5, 3)], 0),
    ],
    ids=["recency", "importance", "relevance"],
)
def test_each_part_decides_where_the_others_are_the_same(memories, called_up):
    client = make_client()
    stream = stream_of(client, *memories)
    assert run(client, lambda: stream.retrieve("the soup", 7, 1)) == [called_up]
    assert stream.memories[called_up].called_up == 7


def test_insights_have_their_evidence():
    insights = {"insights": ["SG reads (because of 2, 1, 77)"]}
    answers = iter([json.dumps({"questions": ["What does SG like?"]}), json.dumps(insights)])
    client = make_client(ScriptedModel(writers={"reflection": lambda prompt, seed: next(answers)}))
    stream = stream_of(client, ("SG takes a book", 4, 1), ("SG likes books", 5, 2))
    run(client, lambda: reflect("LL", stream, 7, client))
    insight = stream.memories[-1]
    assert (insight.text, insight.sort, insight.evidence) == ("SG reads", "reflection", [1, 0])


def test_reflection_is_due_when_enough_has_happened():
    def rate(prompt, seed):
        return json.dumps({str(number): 10 for number in range(1, prompt.count("\n"))})

    asked = []

    def watch(caller, prompt):
        asked.append((caller.time, caller.module))
        return False

    resident = hosted("generative-agents", model=ScriptedModel(fail_on=watch, writers={"importance": rate}))
    for time in range(6):
        messages = tuple(Message(time=time, sender="SG", addressee="LL", text=f"{time} {n}") for n in range(5))
        decide(resident, replace(first_observation(), time=time, messages=messages))
    assert sorted({time for time, module in asked if module == "reflection"}) == [2, 5]


def test_plans_are_made_finer_as_their_time_comes():
    plan = Plan(begun=10, parts=["cook", "eat"], refined=12, steps=["wash", "cut"])
    assert [plan.part(time) for time in (10, 15, 16, 22)] == ["cook", "cook", "eat", ""]
    assert [plan.step(time) for time in (12, 13, 14)] == ["wash", "cut", ""]
    assert plan.ahead(13) == ["cut"]
    assert Plan().part(0) == Plan().step(0) == ""
    assert HORIZON % PART == 0


@pytest.mark.parametrize(("react", "refined"), [("yes", 1), ("no", 0)])
def test_who_reacts_plans_anew(react, refined):
    answer = json.dumps({"react": react, "reaction": "run outside"})
    prompts = []

    def watch(caller, prompt):
        prompts.append(prompt)
        return False

    planning = json.dumps({"steps": ["one", "two", "three"]})
    writers = {
        "reaction": lambda prompt, seed: answer,
        "planning": lambda prompt, seed: planning if "steps, one action" in prompt else '{"plan": ["rest", "eat"]}',
    }
    resident = hosted("generative-agents", model=ScriptedModel(fail_on=watch, writers=writers))
    decide(resident, first_observation())
    fire = Message(time=1, sender="SG", addressee="LL", text="Fire!")
    decide(resident, replace(first_observation(), time=1, messages=(fire,)))
    assert resident.get_state()["state"]["plan"]["refined"] == refined
    assert any("you react to what happened: run outside" in prompt for prompt in prompts) == (react == "yes")
