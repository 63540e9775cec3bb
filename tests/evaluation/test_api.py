"""The front door: runs from Python, as frames, replayed, branched and gone on with; from plain code and in a loop."""

import asyncio

import pytest
from configs import run_config

import evaluation
from evaluation.sweeps.declaration import declare
from itcma_s import MECHANISM_NAMES
from language_models import ScriptedModel, load_embedder


class Own(ScriptedModel):
    """A model that no name stands for."""

    instructed = True

    def __init__(self, **how):
        super().__init__(name="own", **how)


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    return evaluation.run(run_config(model="scripted", steps=3, seed=2), tmp_path_factory.mktemp("api") / "run")


def test_every_name_is_there_and_no_other():
    for name in evaluation.__all__:
        assert getattr(evaluation, name) is not None
    assert set(evaluation.__all__) <= set(dir(evaluation))
    with pytest.raises(AttributeError, match="has no attribute 'runs_of'"):
        _ = evaluation.runs_of


def test_a_run_is_frames(lived):
    again = evaluation.load_run(lived.path)
    assert len(again.events) == len(lived.events) == 18
    assert again.config == lived.config == run_config(model="scripted", steps=3, seed=2)
    drivers = again.metrics.query("quantity == 'driver'").pivot(index="time", columns="subject", values="value")
    assert drivers.shape == (3, 6)
    assert drivers.loc[2, "LL"] == again.events.query("time == 2 and resident == 'LL'")["driver"].item()
    named = {call for calls in again.events["calls"] for call in calls}
    assert named <= set(again.calls["call"])
    assert again.calls["prompt_tokens"].sum() > 0
    assert "3 time steps" in repr(again)


def test_it_is_replayed_branched_and_gone_on_with(lived, tmp_path):
    assert lived.replay().records == 18
    other = lived.branch(2, {"seed": 5}, out=tmp_path / "other")
    assert other.records[:12] == lived.records[:12]
    assert len(other.resume(4).records) == 24
    with pytest.raises(ValueError, match="unknown key 'sed'"):
        lived.branch(2, {"sed": 5}, out=tmp_path / "wrong")
    assert evaluation.measure(lived).query("level == 'society'")["value"].notna().any()


def test_a_model_that_is_handed_in_is_replayed_without_it(tmp_path):
    asked = run_config(steps=2, deliberation="similarity", embedder="hash")
    mine = evaluation.run(asked, tmp_path / "own", model=Own(), embedder=load_embedder("hash"))
    assert set(mine.calls["model"]) == {"own"}
    assert mine.config.model.instructed("writing")
    assert evaluation.load_run(tmp_path / "own").replay().calls == len(mine.calls)
    with pytest.raises(ValueError, match="own is for all modules, got roles"):
        evaluation.run(run_config(roles={"matrix": "scripted"}), model=Own())


def test_it_runs_where_an_event_loop_runs_and_a_failed_run_says_why(tmp_path):
    async def cell():
        return evaluation.run(run_config(model="scripted", steps=1))

    assert len(asyncio.run(cell()).records) == 6
    model = Own(fail_on=lambda caller, prompt: True)
    with pytest.raises(evaluation.RunError, match="the model had no answer for anyone in step 1"):
        evaluation.run(run_config(steps=1, embedder="hash"), tmp_path / "failed", model=model)


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ({"config": "scripted"}, r"RunConfig\(model=.*got 'scripted'"),
        ({"model": "scripted"}, r"load_model\('scripted'\)"),
        ({"embedder": "hash"}, r"load_embedder\('hash'\)"),
    ],
)
def test_a_name_where_an_object_belongs_is_a_type_error(given, remedy):
    with pytest.raises(TypeError, match=remedy):
        evaluation.run(**given)


def test_decisions_that_failed_are_said_once(tmp_path):
    model = Own(fail_on=lambda caller, prompt: caller.resident == "LL")
    with pytest.warns(RuntimeWarning) as caught:
        failing = evaluation.run(run_config(steps=2, embedder="hash"), tmp_path / "run", model=model)
    failed = failing.events["failure"].count()
    assert failed
    of_run = [one for one in caught if f"{failed} of 12 decisions had no answer" in str(one.message)]
    assert [one.filename for one in of_run] == [__file__]


def test_no_ablation_is_an_empty_list():
    assert declare({"mind.ablate": [[], ["emotion"]]}).axes["mind.ablate"] == ([], ["emotion"])


def test_the_part_of_minds_lists_every_mechanism():
    assert [name for name in MECHANISM_NAMES if f'"{name}"' not in evaluation.MindConfig.__doc__] == []


def test_a_society_of_ones_own_has_no_directory():
    society = evaluation.build_society(run_config(model="scripted"), ScriptedModel(), load_embedder("hash"))
    lived = evaluation.run_society(society, 2)
    assert set(lived.metrics["quantity"]) >= {"driver", "resources", "topic"}
    for asks in (lived.replay, lived.report, lambda: lived.calls, lambda: lived.config):
        with pytest.raises(ValueError, match="a run of run_society"):
            asks()
    with pytest.raises(ValueError, match="quantity must be one of pleasure"):
        evaluation.plot_emotion(lived, "joy")


@pytest.mark.parametrize(
    ("made", "remedy"),
    [
        (lambda: evaluation.ModelConfig("scripted"), "name='scripted'"),
        (lambda: evaluation.RunConfig(step=3), "did you mean 'steps'"),
        (lambda: evaluation.RunConfig(rank_by="company"), r"did you mean ltrha=LTRHAConfig\(rank_by=\.\.\.\)"),
        (lambda: evaluation.LTRHAConfig(speed=1), "its keys are "),
    ],
)
def test_a_configuration_made_by_no_key_of_its_own_says_which_there_are(made, remedy):
    with pytest.raises(TypeError, match=remedy):
        made()
