"""Entities of gdm-concordia; skipped where it is not installed, as on Python 3.11."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hosting import decide, first_observation, hosted, lived_on, modules_of
from project import HELPERS, ROOT

from irollan_env.world.observation import Message
from language_models.scripted import ScriptedModel
from minds.history import History
from minds.mind_specs import find_mind

installed = pytest.mark.skipif(find_spec("concordia") is None, reason="gdm-concordia is not installed")
PREFABS = ("basic", "basic_with_plan", "conversational", "minimal", "rational")


@pytest.mark.skipif(find_spec("concordia") is not None, reason="gdm-concordia is installed")
def test_where_it_is_not_installed_it_is_told_what_to_install():
    with pytest.raises(ValueError, match=r"the mind concordia needs gdm-concordia, for Python 3\.12 and later"):
        find_mind("concordia")


@installed
def test_a_prefab_that_there_is_not():
    with pytest.raises(ValueError, match=r"concordia has no prefab 'basik': .* did you mean 'basic'"):
        find_mind("concordia:basik")


@installed
@pytest.mark.parametrize("prefab", PREFABS)
def test_it_goes_on_exactly(prefab):
    whole, gone_on = lived_on(f"concordia:{prefab}", 4, 2)
    assert gone_on == whole


@installed
def test_basic_costs_what_it_costs_by_itself():
    script = HELPERS / "concordia_by_itself.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "4"
    modules, records = modules_of("concordia", 4, architecture="itcma")
    chats = sum((record["action"] or "").startswith("chat with") for record in records)
    assert modules.pop("speech", 0) == chats
    assert sum(modules.values()) == 4 * len(records)
    assert modules["act"] == modules["PersonBySituation"] == len(records)


@installed
def test_no_option_is_lost_and_their_order_stays():
    seen = []

    class Last(ScriptedModel):
        async def choose(self, prompt, options, **how):
            seen.append((prompt, options))
            return await super().choose(prompt, [options[-1]], **how)

    actions = tuple(f"take book {number} from shelf 1" for number in range(60))
    act = decide(hosted("concordia", model=Last()), replace(first_observation(), admissible=actions))
    assert act.action == "take book 59 from shelf 1"
    assert seen[0][1] == list(actions)
    assert "(z) take book 25 from shelf 1" in seen[0][0]
    assert "(bh) take book 59 from shelf 1" in seen[0][0]


@installed
def test_it_remembers_what_it_heard_and_its_history_and_says_words_of_its_own():
    prompts = []

    def watch(caller, prompt):
        prompts.append((caller.module, prompt))
        return False

    model = ScriptedModel(fail_on=watch, writers={"speech": lambda prompt, seed: "Good day, SG."})
    resident = hosted("concordia", model=model, history=History(memories=("I came to open a library.",)))
    heard = Message(time=0, sender="SG", addressee="LL", text="The soup is ready.")
    observation = replace(first_observation(), messages=(heard,), admissible=("chat with SG: ...",))
    assert decide(resident, observation).action == 'chat with SG: "Good day, SG."'
    assert any("I came to open a library." in prompt for _, prompt in prompts)
    prompts.clear()
    decide(resident, replace(first_observation(), time=1))
    assert any("The soup is ready." in prompt for module, prompt in prompts if module == "act")


@installed
def test_calls_come_in_the_same_order_whatever_pythons_hashes_are():
    code = (
        "import json\nfrom hosting import society_of, take_steps\n"
        "society = society_of('concordia:rational')\nrecords = take_steps(society, 2)\n"
        "print(json.dumps([records, society.get_state()['residents']]))"
    )
    answers = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}{os.pathsep}{HELPERS}"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]


@installed
def test_a_model_that_fails_fails_the_step_and_the_entity_goes_on():
    model = ScriptedModel(fail_on=lambda caller, prompt: caller.time == 1)
    resident = hosted("concordia", model=model)
    for time, failed in enumerate((False, True, False)):
        act = decide(resident, replace(first_observation(), time=time))
        assert (act.failure is not None) == failed
    assert act.action is not None


@installed
def test_concordias_questionnaire_works_on_an_entity_that_lives_here():
    modules, records = modules_of("idle", 2, architecture="itcma", by_resident={"LL": "questioned:Questioned"})
    own = [record for record in records if record["resident"] == "LL"]
    assert [record["failure"] for record in own] == [None, None]
    for record in own:
        answers = record["thought"].split("; ")
        assert len(answers) == 2
        assert set(answers) <= {"LL agrees", "LL does not agree"}
        assert record["goal"] == f"{answers.count('LL agrees') / 2:.1f}"
    # An act, and each of the two questions, costs what an act costs by itself.
    assert modules["act"] == modules["PersonBySituation"] == 2 * 3


@installed
@pytest.mark.parametrize("mind", ["Questioned", "Interviewed"])
def test_who_was_asked_goes_on_exactly(mind):
    whole, gone_on = lived_on("idle", 3, 2, by_resident={"LL": f"questioned:{mind}"})
    assert gone_on == whole
