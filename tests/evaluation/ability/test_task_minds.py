"""Tests of minds as task players, with their own decisions or recorded answers."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest
from project import DOCS

from evaluation.ability.submissions import read_submission
from evaluation.ability.task_minds import Mind, TaskMinds
from evaluation.ability.task_protocol import play
from irollan_env import World
from irollan_env.resident import Act
from irollan_env.tasks import Fetch
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel
from language_models.transcript.replaying import NotRecorded, ReplayedModel
from language_models.transcript.transcript import Transcript

DATA = DOCS.parent / "benchmarks" / "data"
FETCH = Fetch(kind="cup", furniture="table", place="Elm Hall")


def replayed(agent: str, family: str, instances: int) -> tuple[int | None, ...]:
    with closing(Transcript(DATA / "transcripts" / f"{agent}-{family}.sqlite", read_only=True)) as transcript:
        minds = TaskMinds(ReplayedModel(transcript), HashEmbedder())
        try:
            return next(play(agent, [family], instances, minds.make, splits=("test_unseen",))).steps
        finally:
            minds.close([])


def test_a_recorded_result_is_played_again() -> None:
    handed_in = {row.family: row.steps for row in read_submission(DATA / "leaderboard" / "react.json")[2]}
    assert replayed("react", "deliver", 2) == handed_in["deliver"]


def test_what_was_not_recorded_is_no_lost_episode() -> None:
    with pytest.raises(NotRecorded, match="holds no such generate call"):
        replayed("react", "deliver", 3)


def test_every_episode_begins_with_a_mind_that_has_seen_nothing() -> None:
    minds = TaskMinds(ScriptedModel(), HashEmbedder())
    once = next(play("itcma-s", ["gather"], 2, minds.make, splits=("test_unseen",)))
    again = next(play("itcma-s", ["gather"], 2, minds.make, splits=("test_unseen",)))
    minds.close([])
    assert once == again
    assert len(once.steps) == 2


@pytest.mark.parametrize(("speaks", "action"), [(True, 'chat with LL: "Hello!"'), (False, "chat with LL: ...")])
def test_words_are_the_minds_own_or_left_to_the_task(speaks: bool, action: str) -> None:
    class Greeter:
        async def act(self, observation: object) -> Act:
            return Act(action='chat with LL: "Hello!"')

    with asyncio.Runner() as runner:
        player = Mind(Greeter(), runner, speaks=speaks)  # type: ignore[arg-type]
        assert player.act(World(seed=0).observe("AY"), {}) == action


def test_a_decision_that_fails_is_no_lost_episode() -> None:
    class Silent:
        async def act(self, observation: object) -> Act:
            return Act(action=None, failure="no answer")

    with asyncio.Runner() as runner, pytest.raises(RuntimeError, match="'AY' could not decide: no answer"):
        Mind(Silent(), runner, speaks=True).act(World(seed=0).observe("AY"), {})  # type: ignore[arg-type]


def test_an_unknown_mind_is_named() -> None:
    with pytest.raises(ValueError, match="unknown player 'itcmas'; did you mean 'itcma"):
        TaskMinds(ScriptedModel(), HashEmbedder()).make("itcmas", "AY", FETCH, 0)
