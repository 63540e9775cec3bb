"""Tests that each mechanism changes a minimum of repeated decisions in short runs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from configs import run_config
from lived_runs import LEAST_ACTIONS, Silent, lived

from evaluation.commands.cli import main
from evaluation.mechanisms.counterfactual import Outcome
from evaluation.mechanisms.measuring import Comparison, Measured, NotTheSameError, _check_same, measure
from evaluation.mechanisms.noting import Noting
from evaluation.mechanisms.table import Share, _words, changes_nothing, page, rows
from evaluation.mechanisms.terms import terms
from evaluation.mechanisms.watching import watched_by
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.build_society import deliberation_of
from evaluation.runs.replay import replay
from irollan_env.world.observation import Observation
from itcma_s.ablation.decision_inputs import NO_CHANGE, DecisionInputs, restored
from itcma_s.ablation.mechanisms import AS_ITCMA_FELT, DRAWN_ANEW, MECHANISMS
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past
from itcma_s.mind_state import MindState
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel


@pytest.fixture(scope="module")
def counted(measured):
    return {row.name: row for row in rows([measured])}


def test_every_decision_is_made_again_and_comes_out_as_it_was(run, measured):
    decided = [record for record in run.records() if record["failure"] is None and record["admissible"]]
    assert measured.decisions == len(decided) > 60
    with_terms = [row for row in rows([measured]) if row.name.startswith(("weight ", "rule "))]
    assert {row.gives for row in with_terms} == {measured.decisions}


def test_what_changes_decisions_is_not_cut_off(counted):
    assert {name for name, least in LEAST_ACTIONS.items() if counted[name].removed.actions.count < least} == set()
    elimination, driver = counted["elimination"].replaced, counted["driver"]
    assert elimination is not None
    assert elimination.actions.count >= 4  # by another goal
    assert driver.formed >= 15
    assert driver.removed.goals.count >= 2
    assert driver.replaced is not None
    assert driver.replaced.goals.count >= 1
    assert counted["rule out_of_place"].removed.goals.count >= 3


@pytest.mark.parametrize("term", terms(DecisionWeights()), ids=lambda term: term.name)
def test_a_resident_decides_without_the_term_that_is_removed(term):
    without = term.removed(given(1)).without
    configuration, model = run_config(model="scripted"), ScriptedModel()
    found = deliberation_of(configuration, model, HashEmbedder(), frozenset(), without=without)
    assert isinstance(found, SimilarityPolicy)
    assert found._weights == DecisionWeights().without(without) != DecisionWeights()


@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name != "itcma-s"])
def test_every_architecture_decides_again_as_it_did(architecture, tmp_path):
    found = measure(lived(tmp_path / "run", steps=2, architecture=architecture), Silent(), only=["driver", "habitus"])
    assert found.decisions >= 11
    gives = {row.name: row.gives for row in rows([found])}
    assert gives["driver"] > 0
    assert (gives["habitus"] > 0) == ARCHITECTURES[architecture].ltrha


@pytest.fixture(scope="module")
def led(tmp_path_factory):
    return lived(tmp_path_factory.mktemp("led") / "run", steps=3, deliberation="llm")


def test_a_model_that_leads_is_asked_less_without_a_mechanism(led):
    looked_at = ["emotion", "topic", "dominance", DRAWN_ANEW.name]
    before = {path: path.read_bytes() for path in led.path.rglob("*") if path.is_file()}
    found = measure(led, Silent(), only=looked_at)
    assert {path: path.read_bytes() for path in led.path.rglob("*") if path.is_file()} == before
    told = {row.name: row.removed for row in rows([found])}
    assert not any(one.was.answered or one.became.answered for one in found.comparisons)
    assert told["emotion"].actions.of == 0
    assert told["emotion"].words >= 1
    assert 0 < told["emotion"].share < 0.1
    # Only the order of the options is random.
    assert told[DRAWN_ANEW.name].requests == Share(count=0, of=found.decisions)
    assert "words of a request" in page([found])
    assert "another moment's" not in page([found])


def test_a_model_that_leads_is_told_of_every_mechanism_that_its_architecture_has(tmp_path):
    run = lived(tmp_path / "run", steps=6, deliberation="llm", architecture="ltrha")
    names = ("activated memory", "retention", "emotion", "driver", "topic", "resources", "habitus")
    told = {row.name: row.removed for row in rows([measure(run, Silent(), only=names)])}
    for name in names:
        assert told[name].requests.count > told[name].requests.of / 3, name
    assert told["topic"].requests.count == told["topic"].requests.of


def test_decisions_are_asked_anew_where_a_model_is_at_hand(led):
    asked = measure(led, Silent(), only=["emotion", "topic", DRAWN_ANEW.name], at_hand=ScriptedModel())
    for one in asked.comparisons:
        assert one.was.answered
        assert one.became.answered
        if one.mechanism != DRAWN_ANEW.name and one.was.request == one.became.request:
            assert one.was == one.became
    assert any(one.other_action for one in asked.comparisons)


def test_the_command_counts_runs_of_one_architecture_together(tmp_path, capsys):
    path, picture = str(lived(tmp_path / "run", steps=2).path), tmp_path / "driver.png"
    asked = ["--only", "driver", "--every", "2", "--figure", str(picture), "--json"]
    assert main(["bench", "mechanisms", path, path, *asked]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["architecture"], found["deliberation"], found["decisions"]) == ("itcma-s", "similarity", 12)
    assert [row["mechanism"] for row in found["mechanisms"]] == ["driver"]
    assert main(["bench", "mechanisms", path, "--only", "diver"]) == 2
    assert "unknown mechanism 'diver': it must be one of imagination, " in capsys.readouterr().err
    assert main(["bench", "mechanisms", path, "--every", "0"]) == 2
    assert "every must be at least 1 time step, got 0" in capsys.readouterr().err


def test_a_decision_that_hangs_on_something_else_is_a_defect():
    was = Outcome(action="use bed 1", goal="sleep")
    _check_same("AY", 3, was, was)
    with pytest.raises(NotTheSameError, match="of AY at time step 3"):
        _check_same("AY", 3, was, replace(was, action="use bed 2"))
    # A model may answer a repeated request differently, but the request must be the same.
    asked = replace(was, request="What now?")
    _check_same("AY", 3, asked, replace(asked, action="use bed 2", answered=True))
    with pytest.raises(NotTheSameError):
        _check_same("AY", 3, asked, replace(asked, request="What then?"))


TABLE = NameTable(HashEmbedder())


def seen(place):
    return Field.from_names([f"door to {place}", "chair 1"], TABLE)


def memory(time):
    return Memory(first_time=time, last_time=time, place="outside", field=seen("outside"))


def given(time, **other):
    present = seen("WL's Home")
    values = {
        "observation": Observation(
            time=time,
            resident="LL",
            place="LL's Home",
            sentence="",
            percepts=(),
            admissible=("use bed 1", "use chair 1"),
            topic=0.5 + time,
            resources=time,
            habitus={"use bed 1": 0.9, "use chair 1": 0.1},
            needs={"hunger": 0.1 * time},
        ),
        "present": present,
        "retention": tuple(Frame(time=n, place="outside", field=present) for n in range(max(0, time - 4), time)),
        "memories": tuple(map(memory, range(time))),
        "activated": (memory(time - 1),),
        "imagination": seen("outside"),
        "emotion": (0.1 * time, 0.2, 0.3),
        "driver": 0.5 + time,
        "causes": {f"met somebody in step {time}": 0.4},
        "eliminates": True,
        "goal": f"see what is there in step {time}",
    }
    return DecisionInputs(**{**values, **other})


CHANGED = {
    "imagination": "imagination",
    "activated memory": "activated",
    "all of long-term memory": "memories activated imagination",
    "retention": "retention",
    "protention": "expects",
    "emotion": "lacks causes",
    "pleasure": "lacks",
    "arousal": "lacks",
    "dominance": "lacks",
    "what it is felt about": "causes",
    "driver": "driver lacks",
    "elimination": "eliminates",
    "needs": "observation",
    "topic": "observation",
    "resources": "observation",
    "habitus": "observation",
}


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_a_mechanism_is_removed_alone_and_once(mechanism):
    here = given(7)
    assert mechanism.there(here)
    bare = mechanism.removed(here)
    different = {name for name in DecisionInputs.__slots__ if getattr(bare, name) != getattr(here, name)}
    assert different == set(CHANGED[mechanism.name].split())
    if mechanism.name != "protention":
        assert not mechanism.there(bare)


def test_emotion_as_in_itcmas_own_code_by_hand():
    def at(time, emotion):
        here = given(1, emotion=emotion)
        return replace(here, observation=replace(here.observation, time=time))

    def felt(time, emotion=(-0.5, 0.2, 0.3)):
        return AS_ITCMA_FELT.removed(at(time, emotion)).emotion

    assert felt(0, (0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)
    assert felt(1) == pytest.approx((2 * np.tanh(2) - 1, 0.2, -0.4))
    assert felt(1)[0] == pytest.approx(0.928, abs=1e-3)
    assert felt(2)[0] == pytest.approx(0.998, abs=1e-3)
    assert felt(40)[0] == pytest.approx(0.999, abs=1e-3)
    assert felt(3, (0.9, 0.5, 0.0))[1:] == (0.5, 0.0)  # nothing was expected
    assert AS_ITCMA_FELT.removed(given(3)).causes == {}
    # Memories are of somebody who felt so, too: what they promise is beyond a present that is measured alike.
    (remembered,) = AS_ITCMA_FELT.removed(
        given(3, activated=(replace(memory(2), pleasure=0.1, dominance=0.6),))
    ).activated
    assert remembered.pleasure == pytest.approx(0.998, abs=1e-3)
    assert remembered.dominance == pytest.approx(0.2)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_what_is_put_in_its_place_is_another_moments(mechanism):
    here, other = given(7), given(3, emotion=(0.6, 0.7, 0.8), imagination=seen("AY's Home"))
    assert mechanism.replaced is not None
    found = mechanism.replaced(here, other, np.random.default_rng(1))
    match mechanism.name:
        case "retention":
            assert [frame.time for frame in found.retention] == [4, 5, 6]
        case "protention":
            assert found.expects is not None
            assert found.expects != NO_CHANGE
        case "elimination":
            assert found.eliminated_for == other.goal
        case "habitus":
            drawn = [mechanism.replaced(here, other, np.random.default_rng(n)) for n in range(9)]
            dealt = {tuple((one.observation.habitus or {}).values()) for one in drawn}
            assert dealt == {(0.9, 0.1), (0.1, 0.9)}
        case "topic" | "resources" | "needs":
            value = getattr(other.observation, mechanism.name)
            assert found == replace(here, observation=replace(here.observation, **{mechanism.name: value}))
        case "emotion":
            assert found == replace(here, emotion=other.emotion, causes=other.causes)
        case "pleasure":
            assert found.emotion == (0.6, 0.2, 0.3)
        case "arousal":
            assert found.emotion == (0.1 * 7, 0.7, 0.3)
        case "dominance":
            assert found.emotion == (0.1 * 7, 0.2, 0.8)
        case _:
            names = CHANGED[mechanism.name].split()
            assert found == replace(here, **{name: getattr(other, name) for name in names})


@pytest.mark.parametrize(("name", "value"), [("topic", 3.5), ("resources", 3)])
def test_the_habitus_is_asked_under_the_topic_and_resources_that_are_put_in_their_place(name, value):
    (mechanism,) = [one for one in MECHANISMS if one.name == name]
    here = given(7, habitus_of=lambda observation: {name: getattr(observation, name)})
    assert mechanism.removed(here).observation.habitus == {name: None}
    assert mechanism.replaced is not None
    assert mechanism.replaced(here, given(3), np.random.default_rng(1)).observation.habitus == {name: value}


class Disposed:
    """Observer that compares the recomputed habitus with the observed one, also with the topic reversed."""

    def __init__(self):
        self.requests = {}
        self.names, self.table = None, None
        self.as_it_is = []
        self.turned = []

    async def before(self, occasion, again):
        habitus_of, observation = occasion.given.habitus_of, occasion.given.observation
        self.as_it_is.append(habitus_of(observation) == observation.habitus)
        self.turned.append(habitus_of(replace(observation, topic=-(observation.topic or 0.0))) == observation.habitus)

    def after(self, *outcome): ...


def test_what_the_habitus_tends_to_under_the_topic_of_the_step_is_what_was_decided_from(run):
    watch = Disposed()
    replay(run, Silent(), build=watched_by(watch, None, {}), wrap=lambda model: Noting(model, watch.requests))
    assert len(watch.as_it_is) > 60
    assert all(watch.as_it_is)
    assert not all(watch.turned)


def test_a_mind_is_restored_with_what_is_given_and_stays_as_it_is():
    past = Past(TABLE, np.random.default_rng(0))
    for time in range(3):
        past.channel.push(Frame(time=time, place="outside", field=seen("outside")))
        past.memory.append(memory(time))
    mind = MindState(
        deliberation=SimilarityPolicy(model=ScriptedModel(), embedder=HashEmbedder()), past=past, imagined={"a": "b"}
    )
    here = given(2, retention=(), memories=(memory(0),))
    found = restored(mind, here, TABLE)
    assert (found.past.channel.retention, len(found.past.memory)) == ((), 1)
    assert found.past.channel.primal_impression == past.channel.primal_impression
    assert (found.feelings.driver, found.feelings.emotion) == (here.driver, here.emotion)
    found.imagined["c"] = "d"
    assert (len(mind.past.channel.retention), len(mind.past.memory), mind.imagined) == (2, 3, {"a": "b"})
    assert mind.feelings.driver == 0.0


def test_weights_that_count_something_and_rules_that_hold_are_terms():
    names = [term.name for term in terms(DecisionWeights(brings=0.0, errands=False))]
    assert "weight says" in names
    assert not {"weight brings", "weight margin", "weight shortlist"} & set(names)
    assert [name for name in names if name.startswith("rule ")] == [
        "rule misleads",
        "rule worn_out",
        "rule out_of_place",
    ]


def test_the_order_and_the_numbers_of_options_say_nothing():
    was = "You hold nothing.\n\nYou can:\n- talk to [1] AY, [2] WL or [3] SG\n- [4] go outside (AY may be there)"
    other = "You hold nothing.\n\nYou can:\n- [1] go outside (AY may be there)\n- talk to [2] SG, [3] AY or [4] WL"
    assert _words(was, other) == (0, 0)
    assert _words(was, was.replace(", [2] WL", "")) == (1, 0)


def test_shares_words_and_what_changes_nothing_by_hand():
    # Wilson, n = 10, p = 0.8, z = 1.96, as for task ability.
    assert Share(count=8, of=10).interval == pytest.approx((0.4902, 0.9433), abs=1e-4)
    was = Outcome(action="use bed 1", goal="sleep", request="You are calm.\nThe bed is soft.\n- [1] stay\n- [2] go")
    other = Outcome(action="use chair 1", goal="sleep", request="The bed is a soft one.\n- [1] go\n- [2] stay")
    measured = Measured(
        configuration=run_config(model="scripted"),
        mechanisms=[one for one in MECHANISMS if one.name in ("topic", "emotion", "habitus")],
        decisions=4,
        comparisons=[
            Comparison(mechanism=name, how="removed", resident="AY", time=n, formed=n == 0, was=was, became=became)
            for name, outcomes in (("emotion", (other, was)), ("topic", (was,)))
            for n, became in enumerate(outcomes)
        ],
    )
    emotion, topic, habitus = rows([measured])
    # Where there is no emotion, none is removed, and the decision stays what it is: 1 of 4.
    assert (emotion.gives, emotion.formed, emotion.removed.actions) == (2, 1, Share(count=1, of=4))
    assert emotion.removed.examples == ("AY in step 1, wanting to sleep: use bed 1 -> use chair 1",)
    # "You are calm." and "soft." go, "a soft one." come; options only change places. Twice asked, once otherwise.
    assert emotion.removed.requests == Share(count=1, of=2)
    assert (emotion.removed.words, emotion.removed.instead) == (2.0, 1.5)
    assert emotion.removed.share == pytest.approx(4 / 26)
    assert [changes_nothing(row) for row in (emotion, topic, habitus)] == [False, True, False]
    told = page([measured], examples=True)
    assert "Changes nothing: topic." in told
    assert "Not in these decisions: habitus." in told
    assert "| emotion | 3.3, Eq. 10-12 | 2 | 1 (25.0%) [4.6%, 69.9%] | 0 of 1 formed |" in told
