"""Places never seen, about which a society asks once."""

import asyncio

import pytest
from scenes import run

from itcma_s.model_calls import ModelCalls
from itcma_s.protention.place_imagination import PlaceImagination
from language_models.scripted import ScriptedModel
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

HOMES = ("SG's Home", "WL's Home")


class Slow(ScriptedModel):
    """Answers as the scripted model does, after a while that differs from request to request."""

    def __init__(self, *waits, **more):
        super().__init__(**more)
        self._waits = iter(waits)

    async def generate(self, request):
        await asyncio.sleep(next(self._waits, 0.0))
        return await super().generate(request)


async def ask(imagination, resident, *places, time=3):
    imagined = {}
    calls = ModelCalls(resident, time)
    await imagination.imagine_all(places, imagined, calls)
    return imagined, list(calls.made)


@pytest.mark.parametrize("first", [0, 1])
def test_two_who_ask_at_once_get_one_answer_and_who_is_first_makes_no_difference(first):
    async def both(imagination):
        asking = {"AY": ask(imagination, "AY", *HOMES), "LL": ask(imagination, "LL", *reversed(HOMES))}
        names = ["AY", "LL"] if first == 0 else ["LL", "AY"]
        answers = dict(zip(names, await asyncio.gather(*(asking[name] for name in names)), strict=True))
        return [answers["AY"], answers["LL"]]

    with Transcript(":memory:") as transcript:
        transcript.ids.enlist(["AY", "LL", "", *HOMES])
        model = Slow(0.02, 0.01)
        (imagined, calls), (other, again) = run(both(PlaceImagination(RecordedModel(model, transcript), None)))
        asked = {call.usage.call: call.caller for call in transcript.calls()}
    assert imagined == other
    assert (calls, again) == ([3, 4], [4, 3])
    assert [asked[call].resident for call in calls] == list(HOMES)
    assert model.calls == 2


def test_who_asks_later_is_told_and_made_no_call():
    async def one_after_the_other():
        model = ScriptedModel()
        imagination = PlaceImagination(model, None)
        imagined, calls = await ask(imagination, "AY", HOMES[0], time=3)
        assert (await ask(imagination, "LL", HOMES[0], time=3)) == (imagined, calls)
        assert (await ask(imagination, "LL", HOMES[0], time=4)) == (imagined, [])
        assert model.calls == 1
        await ask(imagination, "LL", HOMES[0], time=2)  # as if it had been taken back
        assert model.calls == 2

    run(one_after_the_other())


def test_what_was_imagined_before_is_known():
    model = ScriptedModel(outputs=())
    imagination = PlaceImagination(model, None)
    imagination.know({HOMES[0]: "a bed."})
    assert run(ask(imagination, "AY", HOMES[0])) == ({HOMES[0]: "a bed."}, [])


def test_a_place_of_which_the_model_says_nothing_usable_is_not_asked_about_again():
    async def three_times():
        model = ScriptedModel(fail_on=lambda caller, prompt: True)
        imagination = PlaceImagination(model, None)
        for name, time in (("AY", 3), ("LL", 3), ("LL", 4)):
            assert (await ask(imagination, name, HOMES[0], time=time))[0] == {HOMES[0]: ""}
        assert model.calls == 1

    run(three_times())


def test_a_call_ends_when_nobody_waits_for_it_any_more():
    async def give_up():
        model = Slow(0.05, 60.0)
        imagination = PlaceImagination(model, None)
        one, other = (asyncio.ensure_future(ask(imagination, name, HOMES[0])) for name in ("AY", "LL"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        one.cancel()
        imagined, _ = await other
        assert HOMES[0] in imagined
        late = asyncio.ensure_future(ask(imagination, "AY", HOMES[1]))
        await asyncio.sleep(0.01)
        late.cancel()
        with pytest.raises(asyncio.CancelledError):
            await late
        await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(give_up())
