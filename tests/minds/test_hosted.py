"""What a mind does wrong stays with it."""

import asyncio
import inspect
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hosting import decide, first_observation, hosted, modules_of, society_of, take_steps

from evaluation.runs.society import NoAnswerError
from irollan_env.random_streams import stream
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import ModelUnavailable
from language_models.scripted import ScriptedModel
from minds.mind import MindContext, describe_state
from minds.mind_specs import find_mind
from minds.model_client import LocalModelClient


def by_odd_mind(mind, **settings):
    """A society of minds by rule, where LL has an odd one in the run's process."""
    return society_of(
        "random", by_resident={"LL": f"odd_minds:{mind}"}, architecture="itcma", in_process=True, **settings
    )


def own(records):
    return [record for record in records if record["resident"] == "LL"]


@pytest.mark.parametrize(
    ("mind", "failure"), [("Raises", "raised KeyError at odd_minds.py"), ("Exits", "raised SystemExit")]
)
def test_even_in_the_runs_process_a_mind_that_raises_ends_its_own_step(mind, failure):
    records = own(take_steps(by_odd_mind(mind), 2))
    assert all(record["failure"].startswith(f"the mind odd_minds:{mind} {failure}") for record in records)
    assert {record["outcome"] for record in records} == {"failed"}


def test_only_what_an_answer_may_say_is_taken_over():
    act = decide(hosted("odd_minds:SaysTooMuch", in_process=True), first_observation())
    assert (act.failure, act.thought, act.pleasure) == (None, "x" * 4000, 0.5)
    assert (act.relevance, act.memories, act.calls) == (None, (), ())


def test_who_hangs_is_given_up_for_the_step_and_its_late_request_is_not_made():
    model = ScriptedModel()
    resident = hosted("odd_minds:Hangs", model=model, patience=0.2, in_process=True)

    async def three_steps():
        acts = [await resident.act(replace(first_observation(), time=time)) for time in range(3)]
        # By now it has woken up, and has asked.
        await asyncio.sleep(1.2)
        return acts

    acts = asyncio.run(three_steps())
    given_up = "the mind odd_minds:Hangs gave no answer and asked no model for 0.2 s"
    assert [act.failure for act in acts] == [None, given_up, None]
    assert model.calls == 0


def public(thing):
    """What can be had of a thing without reaching into it."""
    if isinstance(thing, Mapping):
        return [*thing, *thing.values()]
    if isinstance(thing, (list, tuple, set, frozenset)):
        return list(thing)
    if isinstance(thing, (str, int, float, type(None), np.random.Generator)):
        return []
    names = [name for name in dir(thing) if not name.startswith("_")]
    found = [getattr(thing, name) for name in names]
    return [one for one in found if not isinstance(one, type) and not inspect.isroutine(one)]


def test_what_a_mind_is_given_leads_to_nobody_else():
    identities = {"SG": {"memories": ["A secret of SG."]}, "LL": {"memories": ["A secret of LL."]}}
    society = society_of("odd_minds:KeepsWhatItIsGiven", architecture="itcma", identities=identities, in_process=True)
    take_steps(society, 2)
    own, other = (society.residents[name]._place._host._mind for name in ("LL", "SG"))
    found, left = {}, [own.context, own.seen]
    while left:
        one = left.pop()
        if id(one) not in found:
            found[id(one)] = one
            left += public(one)
    texts = [one for one in found.values() if isinstance(one, str)]
    assert "A secret of LL." in texts
    assert "A secret of SG." not in texts
    # Texts, numbers and other constants may be the same; what can be changed is not.
    theirs = (other, other.context, other.context.model, other.context.generator, other.seen, *other.seen.percepts)
    assert not [one for one in theirs if id(one) in found]


@pytest.mark.parametrize("mind", ["react", "piano", "generative-agents"])
def test_being_hosted_asks_nothing_more(mind):
    """The same requests, in the same order, as the mind makes that nobody hosts."""
    scenes = [replace(first_observation(), time=time) for time in range(4)]

    def watched():
        requests = []
        return requests, ScriptedModel(fail_on=lambda caller, prompt: requests.append((caller.module, prompt)))

    here, model = watched()
    resident = hosted(mind, model=model)
    for scene in scenes:
        assert decide(resident, scene).failure is None

    alone, model = watched()
    generator = stream(0, "resident LL")
    client = LocalModelClient("LL", model, HashEmbedder(), int(deepcopy(generator).integers(2**31)))
    own = find_mind(mind).make(MindContext(name="LL", model=client, generator=generator))

    async def live():
        for scene in scenes:
            client.begin_step(scene.time)
            await own.act(scene)

    asyncio.run(live())
    assert here
    assert here == alone


def test_what_is_not_admissible_is_for_the_world_to_refuse():
    (record,) = own(take_steps(by_odd_mind("Inadmissible"), 1))
    assert (record["outcome"], record["failure"]) == ("inadmissible", None)
    assert "go to the moon" not in record["admissible"]


def test_a_failed_step_leaves_the_mind_as_it_was():
    resident = hosted("odd_minds:Well", model=ScriptedModel(fail_on=[1]), in_process=True)
    observation = first_observation()
    decide(resident, observation)
    act = decide(resident, observation)
    assert act.failure.startswith("planted failure")
    assert resident.get_state()["state"] == {"done": 1}
    decide(resident, observation)
    assert resident.get_state()["state"] == {"done": 2}


def test_a_model_that_is_away_or_silent_ends_the_step_whatever_the_minds_make_of_it():
    class Away(ScriptedModel):
        async def generate(self, request):
            raise ModelUnavailable("away")

    with pytest.raises(ModelUnavailable):
        decide(hosted("odd_minds:SwallowsErrors", model=Away(), in_process=True), first_observation())
    silent = ScriptedModel(fail_on=lambda caller, prompt: True)
    with pytest.raises(NoAnswerError, match="planted failure"):
        take_steps(society_of("react", model=silent, by_resident={"LL": "odd_minds:NoText"}, in_process=True), 1)
    # A society whose minds are at fault lives on.
    records = take_steps(society_of("odd_minds:Raises", architecture="itcma", in_process=True), 2)
    assert {record["outcome"] for record in records} == {"failed"}


def test_calls_are_recorded_under_their_module_and_a_plain_function_lives_as_one_that_awaits():
    (modules, records), plain, contained = (
        modules_of(f"odd_minds:{mind}", 3, architecture="itcma", in_process=in_process)
        for mind, in_process in (("Well", True), ("Plain", True), ("Plain", False))
    )
    assert modules == {"words": 18}
    assert [record["calls"] for record in records[:6]] == [[lane] for lane in range(6)]
    assert plain == contained == (modules, records)


def test_it_does_not_go_on_from_the_state_of_another_and_one_that_cannot_be_made_is_named():
    state = hosted("odd_minds:Well", in_process=True).get_state()
    with pytest.raises(ValueError, match="this is the state of the mind 'odd_minds:Well', and the resident has 'idle'"):
        hosted("idle").set_state(state)
    with pytest.raises(ValueError, match="must be of version 1, got 99"):
        hosted("odd_minds:Well", in_process=True).set_state({**state, "version": 99})
    with pytest.raises(ValueError, match="CannotBeMade of LL cannot be made: raised RuntimeError at odd"):
        hosted("odd_minds:CannotBeMade", in_process=True)


def test_a_mind_that_does_not_tell_what_it_knows_is_told_by_its_state():
    state = {"visits": {"outside": 2, "Public Canteen": 1}, "lines": ["a", "", "b"], "last": None}
    assert list(describe_state(state)) == ["visits outside: 2", "visits Public Canteen: 1", "lines: a", "lines: b"]
    resident = hosted("odd_minds:Well", in_process=True)
    assert resident.answer() == []
    decide(resident, first_observation())
    assert resident.answer() == ["done: 1"]
