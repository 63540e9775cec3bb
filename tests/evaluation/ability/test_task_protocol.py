"""The protocol of the benchmark: who plays what, what is handed in, and what the page says."""

from __future__ import annotations

import pytest

from evaluation.ability.task_players import BlindTable, ClosedEyes, nothing_to_come, simple_player
from evaluation.ability.task_protocol import checksum, play
from irollan_env import World
from irollan_env.tasks import Fetch, instance_map


def solved(agent: str, families: list[str], instances: int = 2, **asked: str) -> int:
    return sum(result.solved for result in play(agent, families, instances, **asked))  # type: ignore[arg-type]


def test_an_expert_solves_and_who_never_looks_does_not() -> None:
    families = ["fetch", "eat", "return", "carry"]
    assert solved("expert", families) == 16
    assert solved("blind", families) == 0
    assert solved("closed-eyes", families) == 0


def test_partners_of_a_population_play_with_it_and_are_known_by_their_checksum() -> None:
    assert solved("expert", ["carry"], partners="keen") == 4
    assert solved("wait", ["relay"], partners="keen") == 0
    assert {name: checksum(name) for name in ("keen", "slow", "wayward")} == CHECKSUMS
    with pytest.raises(ValueError, match="unknown population 'kean'; did you mean 'keen'"):
        solved("expert", ["carry"], partners="kean")


CHECKSUMS = {"keen": "e52588b1a3", "slow": "4543b09513", "wayward": "5f25d59d17"}


def test_the_blind_have_their_list_before_they_see_anything() -> None:
    player = BlindTable(Fetch(kind="cup", furniture="table", place="Elm Hall"))
    seen = World(instance_map("train", 0), seed=0).observe("AY")
    first = [player.act(seen, {}) for _ in range(40)]
    assert [action for action in first if action and action.startswith("take cup")]
    assert "go to Elm Hall" in first + [player.act(seen, {}) for _ in range(40)]
    shut = ClosedEyes()
    assert [shut.act(seen, {"expert_plan": ("go to A", "go to B")}), shut.act(seen, {"expert_plan": ("use C",)})] == [
        "go to A",
        "go to B",
    ]
    assert shut.act(seen, {"expert_plan": ("use C",)}) is None
    assert nothing_to_come([shut, shut])
    assert not nothing_to_come([shut, BlindTable(Fetch(kind="cup", furniture="table", place="Elm Hall"))])
    assert not nothing_to_come([shut, simple_player("wait", "AY", Fetch(kind="", furniture="", place=""), 0)])


def test_the_same_seed_is_the_same_game() -> None:
    once, again = (list(play("random", ["deliver"], 2)) for _ in range(2))
    assert once == again
    assert type(simple_player("scripted", "AY", Fetch(kind="", furniture="", place=""), 0)).__name__ == "Resident"


def test_what_cannot_be_played() -> None:
    with pytest.raises(ValueError, match="unknown family 'fech'; did you mean 'fetch'"):
        list(play("wait", ["fech"], 1))
    with pytest.raises(ValueError, match=r"instances must lie in \[1, 500\], got 0"):
        list(play("wait", [], 0))
