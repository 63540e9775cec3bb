import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from model_calls import generate, request

from language_models.protocol import (
    Caller,
    GenerateRequest,
    Generation,
    LanguageModel,
    ModelError,
    Refused,
    Scores,
    Usage,
)
from language_models.scripted import ScriptedModel
from language_models.transcript.recording import RecordedModel
from language_models.transcript.replaying import NotRecorded, ReplayedModel
from language_models.transcript.transcript import Transcript

NAMES = ["ada", "ben", "cleo", "dora"]


class Slow(ScriptedModel):
    """Answers after a while that differs from run to run."""

    def __init__(self, delays: random.Random, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.delays = delays

    async def generate(self, request: GenerateRequest) -> Generation:
        await asyncio.sleep(self.delays.random() / 200)
        return await super().generate(request)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        await asyncio.sleep(self.delays.random() / 200)
        return await super().score(prompt, continuations, caller=caller)


async def day(model: LanguageModel, name: str) -> list[object]:
    """One resident's step: two goals at once, a score of each, a choice, and a call that may fail."""
    caller = Caller(module="goal", resident=name, time=1)
    goals = await asyncio.gather(
        *(model.generate(request(f"{name} wants {n}", caller=caller, seed=n)) for n in range(2))
    )
    answers: list[object] = [*goals, *[await model.score(g.text, ["yes", "no"], caller=caller) for g in goals]]
    answers.append(await model.choose(goals[0].text, ["go", "stay"], caller=caller, query="q", descriptions=["a", "b"]))
    try:
        answers.append(await model.generate(request("fragile", caller=Caller(module="speech", resident=name, time=1))))
    except ModelError as error:
        answers.append((str(error), error.usage))
    return answers


async def society(model: LanguageModel) -> list[object]:
    return await asyncio.gather(*(day(model, name) for name in NAMES))


def test_a_run_has_the_same_identifiers_whatever_its_timing() -> None:
    seen = []
    for seed in range(3):
        with Transcript(":memory:") as transcript:
            model = RecordedModel(Slow(random.Random(seed)), transcript)
            answers = asyncio.run(society(model))
            seen.append((answers, list(transcript.calls())))
            assert len(transcript) == 6 * len(NAMES)
    assert seen[0] == seen[1] == seen[2]


def test_a_replay_gives_the_same_answers_failures_and_usage(tmp_path: Path) -> None:
    def fails(caller: Caller, prompt: str) -> bool:
        return prompt == "fragile" and caller.resident in ("ben", "dora")

    with Transcript(tmp_path / "t.sqlite") as transcript:
        live = asyncio.run(society(RecordedModel(Slow(random.Random(1), fail_on=fails), transcript)))
    with Transcript(tmp_path / "t.sqlite", read_only=True) as transcript, Transcript(":memory:") as again:
        replayed = asyncio.run(society(RecordedModel(ReplayedModel(transcript), again)))
        assert replayed == live
        assert list(again.calls()) == list(transcript.calls())
    assert "planted failure" in str(live[1])
    assert "planted failure" not in str(live[0])


def test_a_failed_call_is_recorded_and_raised_on() -> None:
    with Transcript(":memory:") as transcript:
        model = RecordedModel(ScriptedModel(outputs=["one"]), transcript)
        caller = Caller(module="goal", resident="ada")
        text = generate(model, "p", caller=caller)
        with pytest.raises(ModelError, match="ran out") as error:
            generate(model, "p", caller=caller)
        assert error.value.call == 10_000
        assert text.usage.call == 0
        assert "ran out" in transcript.get(error.value.call).error
        (usage,) = transcript.costs.by_model()
        assert (usage.calls, usage.failures, usage.refusals) == (2, 1, 0)
        assert transcript.take_usage() == [usage]
        assert transcript.take_usage() == []
        with pytest.raises(ValueError, match="at least one string"):
            asyncio.run(model.choose("p", [], caller=caller))
        assert transcript.get(20_000).error.startswith("ValueError: options must hold")


def test_a_cancelled_call_is_recorded() -> None:
    class Stuck(ScriptedModel):
        async def generate(self, request: GenerateRequest) -> Generation:
            await asyncio.sleep(60)
            raise AssertionError

    with Transcript(":memory:") as transcript:
        model = RecordedModel(Stuck(), transcript)
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(model.generate(request("p", caller=Caller(module="goal"))), timeout=0.01))
        assert transcript.get(0).error.startswith("CancelledError")


def test_a_replay_shows_what_differs_from_the_nearest_call() -> None:
    caller = Caller(module="goal", resident="ada", time=4)
    with Transcript(":memory:") as transcript:
        model = RecordedModel(ScriptedModel(), transcript)
        prompt = "You are Ada.\nThe kitchen is quiet.\nBen is here.\nGoal:"
        generate(model, prompt, caller=caller)
        generate(model, "Something else", caller=caller)
        replay = ReplayedModel(transcript)
        with pytest.raises(NotRecorded) as error:
            generate(replay, prompt.replace("quiet", "loud"), caller=caller)
        message = str(error.value)
        assert "holds no such generate call of module 'goal', resident 'ada', time 4" in message
        assert "-The kitchen is quiet.\n+The kitchen is loud.\n" in message
        assert "Something else" not in message
        with pytest.raises(NotRecorded, match=r'-  *"seed": 0|- "seed": 0'):
            generate(replay, prompt, caller=caller, seed=1)
        with pytest.raises(NotRecorded, match=r"module 'goal', resident 'ada', time 4 made it \(call 0\)"):
            generate(replay, prompt, caller=Caller(module="goal", resident="ben"))
        with pytest.raises(NotRecorded, match="nor any other choose call"):
            asyncio.run(replay.choose(prompt, ["a"], caller=caller))
        generate(replay, prompt, caller=caller)
        with pytest.raises(NotRecorded, match="once more than was recorded"):
            generate(replay, prompt, caller=caller)


def test_a_long_difference_is_cut() -> None:
    with Transcript(":memory:") as transcript:
        caller = Caller(module="goal")
        asyncio.run(RecordedModel(ScriptedModel(), transcript).score("\n".join("abcdefgh" * 9), ["x"], caller=caller))
        with pytest.raises(NotRecorded, match=r"\.\.\. and \d+ lines more") as error:
            asyncio.run(ReplayedModel(transcript).score("\n".join("ijklmnop" * 9) + "z" * 999, ["x"], caller=caller))
        assert len(str(error.value)) < 3000


def test_a_replay_needs_to_know_which_model() -> None:
    with Transcript(":memory:") as transcript:
        with pytest.raises(ValueError, match="records no call of any model"):
            ReplayedModel(transcript)
        for name in ("one", "two"):
            model = RecordedModel(ScriptedModel(name=name), transcript)
            asyncio.run(model.score("p", ["x"], caller=Caller(module="m")))
        with pytest.raises(ValueError, match=r"several models, \['one', 'two'\]; name one"):
            ReplayedModel(transcript)
        assert asyncio.run(
            ReplayedModel(transcript, name="two").score("p", ["x"], caller=Caller(module="m"))
        ).usage.call


def test_what_is_not_recorded_is_asked_of_another_model_where_there_is_one() -> None:
    caller = Caller(module="goal", resident="ada")
    with Transcript(":memory:") as transcript:
        generate(RecordedModel(ScriptedModel(outputs=["the old"]), transcript), "p", caller=caller)
        replay = ReplayedModel(transcript, otherwise=ScriptedModel(outputs=["the new", "the newest"]))
        asked = [generate(replay, prompt, caller=caller).text for prompt in ("q", "p", "p")]
        assert asked == ["the new", "the old", "the newest"]


def test_what_failed_since_a_time_step_is_asked_anew() -> None:
    def ask(model: LanguageModel, time: int) -> str:
        return generate(model, "p", caller=Caller(module="goal", resident="ada", time=time)).text

    with Transcript(":memory:") as transcript:
        failing = RecordedModel(ScriptedModel(fail_on=lambda caller, prompt: True), transcript)
        for time in (1, 2):
            with pytest.raises(ModelError):
                ask(failing, time)
        replay = ReplayedModel(transcript, failures_until=2, otherwise=ScriptedModel(outputs=["the new"]))
        with pytest.raises(ModelError, match="planted failure"):
            ask(replay, 1)
        assert ask(replay, 2) == "the new"


def test_a_refusal_is_recorded_as_one_and_replayed_as_one() -> None:
    class Prim(ScriptedModel):
        async def generate(self, request: GenerateRequest) -> Generation:
            raise Refused("I would rather not", usage=Usage(prompt_tokens=3, retries=1, waiting=0.5, seconds=0.7))

    caller = Caller(module="goal", resident="ada")
    with Transcript(":memory:") as transcript:
        for build in (lambda: RecordedModel(Prim(), transcript), lambda: ReplayedModel(transcript)):
            model = build()
            with pytest.raises(Refused, match="I would rather not") as error:
                generate(model, "p", caller=caller)
            assert error.value.usage == Usage(prompt_tokens=3, retries=1, waiting=0.5, seconds=0.7, call=0)
        (usage,) = transcript.costs.by_module()
        assert (usage.module, usage.refusals, usage.failures) == ("goal", 1, 0)
        assert (usage.retries, usage.waiting, usage.seconds) == (1, 0.5, 0.7)
