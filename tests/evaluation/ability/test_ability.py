from __future__ import annotations

import asyncio

import numpy as np
import pytest

from evaluation.ability.ability import STEPS, Ability, Players, make_game, measure, play, table
from evaluation.ability.textworld_game import goal_of, percepts, primitive
from irollan_env.policies.policy_resident import PolicyResident
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

DOORS = {"north": "attic", "south": "room south of hall", "east": "kitchen", "west": "room west of hall"}


def seen(time: int) -> Observation:
    return Observation(time=time, resident="PL", place="hall", sentence="", percepts=(), admissible=("use bed 1",))


class Countdown:
    """Game that is won or lost in a predetermined step."""

    name = "countdown"

    def __init__(self, ends: dict[int, str]) -> None:
        self.ends = ends
        self.time = 0

    def reset(self, seed: int) -> Observation:
        self.time = 0
        return seen(0)

    def step(self, action: str | None) -> tuple[Observation, str]:
        self.time += 1
        return seen(self.time), self.ends.get(self.time, "on")

    def close(self) -> None:
        pass


def idle() -> PolicyResident:
    return PolicyResident("PL", lambda observation, generator: None, np.random.default_rng(0))


def players() -> Players:
    return Players(ScriptedModel(), HashEmbedder())


@pytest.mark.parametrize(
    ("ends", "steps"), [({3: "won"}, 3), ({2: "lost", 3: "won"}, None), ({}, None), ({STEPS: "won"}, STEPS)]
)
def test_an_episode_ends_when_it_is_won_or_lost_or_has_taken_too_long(ends, steps):
    game = Countdown(ends)
    assert asyncio.run(play(game, idle(), game.reset(0))) == steps
    assert game.time == min(ends, default=STEPS)


def test_a_decision_that_fails_is_no_lost_episode():
    class Silent(PolicyResident):
        async def act(self, observation):
            return Act(action=None, failure="no answer")

    game = Countdown({})
    with pytest.raises(RuntimeError, match=r"'PL' could not decide in step 1 of 'countdown': no answer"):
        asyncio.run(play(game, Silent("PL", idle().policy, np.random.default_rng(0)), game.reset(0)))


def test_rates_and_wilson_intervals_by_hand():
    # n = 10, p = 0.8, z = 1.96: centre (p + z^2/2n) / (1 + z^2/n) = 0.7166..., half width 0.2265...
    one = Ability(game="fetch", player="itcma", won=8, episodes=10, steps=12.5)
    assert one.rate == 0.8
    assert one.interval == pytest.approx((0.4902, 0.9433), abs=1e-4)
    none = Ability(game="fetch", player="random", won=0, episodes=10, steps=None)
    assert none.interval == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert table([none, one]).splitlines()[2] == "| `fetch` | 0% [0%, 28%] | 80% [49%, 94%], 12.5 steps |"


def test_minds_play_all_episodes_and_no_one_writes():
    model = ScriptedModel()
    makes = Players(model, HashEmbedder())
    asked = set()
    generate = model.generate

    async def noting(request):
        asked.add(request.caller.module)
        return await generate(request)

    model.generate = noting
    rows = list(measure([Countdown({2: "won"})], makes, ("random", "itcma", "itcma-s"), 2, lambda line: None))
    assert [(row.player, row.won, row.steps) for row in rows] == [(n, 2, 2) for n in ("random", "itcma", "itcma-s")]
    assert asked <= {"protention"}


def test_wrong_names_and_numbers_are_named():
    with pytest.raises(ValueError, match="unknown game 'coin-colector'; did you mean 'coin-collector'"):
        make_game("coin-colector")
    with pytest.raises(ValueError, match="unknown player 'itcmas'; did you mean 'itcma"):
        players().make("itcmas", "AY", 0)
    with pytest.raises(ValueError, match="episodes must be at least 1, got 0"):
        list(measure([], players(), (), 0, lambda line: None))


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("go north", "go to attic"),
        ("go south", "go to room south of hall"),
        ("take coin", "take coin from floor"),
        ("take apple from old table", "take apple from old table"),
        ("put apple on old table", "put apple in/on old table"),
        ("insert apple into chest", "put apple in/on chest"),
        ("drop apple", "put apple in/on floor"),
        ("open chest", "use chest"),
        ("unlock chest with rusty key", "use rusty key"),
        ("examine coin", None),
        ("look", None),
        ("close chest", None),
    ],
)
def test_commands_of_textworld_as_primitives(command, action):
    assert primitive(command, DOORS) == action


def test_what_commands_name_stands_on_a_circle_and_what_is_carried_is_at_hand():
    found = {one.name: one for one in percepts(["go to attic", "take coin from shelf", "put key in/on shelf"], ["key"])}
    assert {name: one.kind for name, one in found.items()} == {
        "door to attic": "door",
        "shelf": "furniture",
        "coin": "item",
        "key": "item",
    }
    assert found["coin"].on == "shelf"
    assert found["key"].held
    assert {one.gamma for one in found.values() if not one.held} == {1.0}
    assert len({one.phi for one in found.values() if not one.held}) == 3


def test_the_goal_is_the_last_step_of_the_objective():
    objective = (
        "First off, venture north. Make an effort to take a trip south. And then, pick up the coin from the floor."
    )
    assert goal_of(objective) == "pick up the coin from the floor"
    with pytest.raises(ValueError, match="must say what to pick up"):
        goal_of("Have fun. Take a trip east.")


def test_a_game_of_textworld_is_played_to_its_end():
    pytest.importorskip("textworld", reason="needs the extra bench")
    game = make_game("coin-collector")
    try:
        observation = game.reset(3)
        assert observation.goal.startswith("pick up the coin")
        assert observation.place == "shower"
        # As its objective says: north, east, east, south, and there lies the coin.
        for room in ("north of shower", "east of basement", "east of bedroom", "south of"):
            (action,) = [one for one in observation.admissible if room in one]
            observation, state = game.step(action)
            assert state == "on"
        back = [one for one in observation.admissible if one.startswith("go to ")]
        assert all("room" not in one for one in back[:1])
        assert game.step("take coin from floor")[1] == "won"
    finally:
        game.close()
