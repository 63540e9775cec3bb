"""Minds in processes of their own: the same lives as in the run's, without its keys, and with its deadlines."""

import asyncio
import json
import os
import re
import sys
import time
from contextlib import suppress

import pytest
from hosting import decide, first_observation, hosted
from project import DOCS
from zoo import WRONG_CALLS

from language_models.embedders.hash_embedder import HashEmbedder
from language_models.masking import register_secret
from language_models.protocol import PromptTooLong
from language_models.scripted import ScriptedModel
from minds import contained
from minds.model_client import LocalModelClient, printable

FORMS = """
from irollan_env.resident import Act

class Asks:
    def __init__(self, context):
        self.context = context
        self.favourite = int(context.generator.integers(1000))

    async def act(self, observation):
        model = self.context.model
        form = {"trust": {"type": "integer", "minimum": 1, "maximum": 5}}
        found = [
            await model.generate("words", "say something", max_tokens=9, temperature=0, stop=("x",)),
            await model.choose("choice", "pick", ["a", "b", "c"], query="b"),
            await model.generate_json("form", "rate", form),
            (await model.embed(["a", "b"])).tolist(),
            self.context.history.lines(),
            self.favourite,
            int(self.context.generator.integers(1000)),
        ]
        return Act(action=observation.admissible[0], thought=repr(found), pleasure=0.1 + 0.2, driver=1 / 3)

    def answer(self):
        return [f"I like {self.favourite}."]

class Fails(Asks):
    async def act(self, observation):
        try:
            await self.context.model.generate("words", "say something")
        except RuntimeError as error:
            if observation.time:
                raise
            return Act(action=None, thought=f"{type(error).__name__}: {error}")

class MadeOnce(Asks):
    made = 0

    def __init__(self, context):
        MadeOnce.made += 1
        if MadeOnce.made > 1:
            raise ValueError("not again")

    def act(self, observation):
        raise KeyError

class Shows(Asks):
    def act(self, observation):
        import os, sys
        print("on standard output")
        print("\\033[2J on standard error", file=sys.stderr)
        return Act(action=None, thought=" ".join(os.environ), goal=os.getcwd())

class Leaves(Asks):
    def act(self, observation):
        import subprocess
        subprocess.Popen(["sh", "-c", "sleep 60 > fifo"])
        while True:
            pass

class Refuses(Asks):
    def act(self, observation):
        import os, time
        for number in range(3, 20):
            try:
                os.write(number, b'{"done": {"refused": true}}\\n')
            except OSError:
                pass
        time.sleep(60)

class Begins(Asks):
    def __init__(self, context):
        while True:
            pass

class Forgets(Asks):
    def act(self, observation):
        return None

    def get_state(self):
        return {}

    def set_state(self, state):
        raise ValueError("who am I?")
"""


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """Residents with minds of a file in the working directory."""
    (tmp_path / "foreign.py").write_text(FORMS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def make(mind, **settings):
        made.append(hosted(f"foreign:{mind}", **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()
    sys.modules.pop("foreign", None)


def test_it_lives_as_in_the_runs_process_and_is_restored_exactly(foreign):
    lives = []
    for in_process in (True, False):
        prompts = []
        model = ScriptedModel(fail_on=lambda caller, prompt, seen=prompts: seen.append((caller, prompt)))
        resident, later = (foreign("Asks", model=model, in_process=in_process) for _ in range(2))
        acts = [decide(resident, first_observation())]
        later.set_state(json.loads(json.dumps(resident.get_state())))
        acts += [decide(one, first_observation()) for one in (resident, later)]
        assert acts[1] == acts[2]
        lives.append((acts, prompts, resident.get_state(), later.answer()))
    assert lives[0] == lives[1]
    assert lives[0][0][0].failure is None


def test_a_failed_model_call_can_be_caught_and_is_not_the_minds_fault_where_it_is_not(foreign):
    class TooLong(ScriptedModel):
        async def generate(self, request):
            raise PromptTooLong("9,000 tokens are too many")

    resident = foreign("Fails", model=ScriptedModel(fail_on=lambda caller, prompt: True))
    caught, passed_on = (decide(resident, first_observation(time=time)) for time in (0, 1))
    assert caught.thought.startswith("ModelError: planted failure")
    assert (passed_on.failure.startswith("planted failure"), passed_on.at_fault) == (True, False)
    resident = foreign("Fails", model=TooLong())
    caught, passed_on = (decide(resident, first_observation(time=time)) for time in (0, 1))
    assert caught.thought == "PromptTooLong: 9,000 tokens are too many"
    assert re.search(r"raised PromptTooLong at foreign.py:\d+: 9,000", passed_on.failure)
    assert passed_on.at_fault


def test_one_that_cannot_be_made_again_fails_its_steps(foreign):
    resident = foreign("MadeOnce")
    failures = [decide(resident, first_observation()).failure for _ in range(2)]
    assert "raised KeyError at foreign.py" in failures[0]
    assert "raised ValueError at foreign.py" in failures[1]


def test_one_whose_process_ends_between_two_steps_lives_on_from_its_state(foreign):
    resident, other = foreign("Asks"), foreign("Asks")
    for one in (resident, other):
        decide(one, first_observation())
    other.close()
    assert decide(other, first_observation()) == decide(resident, first_observation())


def test_a_decision_that_nobody_waits_for_is_not_taken_for_the_next_one(foreign):
    resident = foreign("Asks")
    expected = decide(foreign("Asks"), first_observation())

    async def give_up_and_decide():
        with suppress(TimeoutError):
            await asyncio.wait_for(resident.act(first_observation(time=9)), 0.001)
        return await resident.act(first_observation())

    assert asyncio.run(give_up_and_decide()).thought == expected.thought


def test_a_run_that_stops_at_once_kills_even_a_mind_that_computes_in_c():
    resident = hosted("zoo:SearchesForever")

    async def decide_and_stop():
        deciding = asyncio.ensure_future(resident.act(first_observation()))
        await asyncio.sleep(0.2)
        contained.kill_all()
        return await deciding

    assert "ended its process by SIGKILL" in asyncio.run(decide_and_stop()).failure


def test_a_run_that_stops_at_once_kills_what_minds_have_started(foreign, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "fifo")
    resident = foreign("Leaves")

    async def decide_and_stop():
        deciding = asyncio.ensure_future(resident.act(first_observation()))
        # Opens once the child writes to it, and ends once nobody can.
        with await asyncio.to_thread(open, tmp_path / "fifo", "rb") as pipe, monkeypatch.context() as patched:
            # A run that exits at once leaves its threads no time to end what the mind started.
            patched.setattr(contained, "end_process", lambda process: process.wait())
            contained.kill_all()
            ended = await asyncio.wait_for(asyncio.to_thread(pipe.read), 20)
        return ended, await deciding

    ended, act = asyncio.run(decide_and_stop())
    assert ended == b""
    assert "ended its process by SIGKILL" in act.failure


def test_an_answer_without_its_parts_fails_the_step_at_once(foreign):
    assert "sent something that is no answer" in decide(foreign("Refuses", patience=30), first_observation()).failure


def test_it_sees_no_keys_and_prints_on_standard_error(foreign, tmp_path, monkeypatch, capfd):
    hidden = {"OPENAI_API_KEY", "IROLLAN_API_KEY", "IROLLAN_MIND_TOKEN", "HF_TOKENS", "GITHUB_PAT", "BASIC_AUTH"}
    hidden |= {"PGPASS", "MYSQL_PWD", "SESSION_COOKIE", "DATABASE_DSN", "HTTPS_PROXY", "PYTHON_KEYRING", "MY_SETTING"}
    shown = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "IROLLAN_CACHE": "cache"}
    for name, value in {**shown, **dict.fromkeys(hidden, "x")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HF_HOME", "hidden-by-registration")
    monkeypatch.setattr("language_models.masking._secrets", [])
    register_secret("hidden-by-registration")
    # However late the thread that passes on what is printed.
    monkeypatch.setattr(contained, "printable", lambda text: time.sleep(0.1) or printable(text))
    resident = foreign("Shows")
    act = decide(resident, first_observation())
    assert act.goal == str(tmp_path)
    seen = act.thought.split()
    assert set(shown) <= set(seen)
    assert not (hidden | {"HF_HOME"}) & set(seen)
    resident.close()
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "on standard output" in printed.err
    assert "\033" not in printed.err


def test_what_never_begins_and_what_does_not_take_its_state_is_one_line(foreign, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(contained, "START", 3.0)
        with pytest.raises(ValueError, match="the mind foreign:Begins of LL cannot be made: gave no answer for 3 s"):
            foreign("Begins")
    resident = foreign("Forgets")
    assert decide(resident, first_observation()).failure is None
    with pytest.raises(ValueError, match=r"the mind foreign:Forgets of LL raised ValueError at foreign.py:\d+: who"):
        resident.set_state(resident.get_state())


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_arguments_raise_in_the_mind(call):
    client = LocalModelClient("LL", ScriptedModel(), HashEmbedder(), 0)
    expected, ask = WRONG_CALLS[call]
    with pytest.raises(expected):
        client.wait(ask(client))
    assert client.error is None


def test_the_forms_of_the_page_are_taken():
    page = (DOCS / "minds.md").read_text(encoding="utf-8")
    form = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])

    class Mind:
        def __init__(self, context):
            self.model = context.model

        async def act(self, observation):
            found = await self.model.generate_json("form", "fill in", form)
            assert found.keys() == form.keys()

    from minds import make_resident

    agent = make_resident("LL", Mind, model=ScriptedModel(), embedder=HashEmbedder())
    assert agent.act(first_observation()).failure is None
