"""Tests of the benchmark protocol: players, episodes, results, and the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from project import DOCS

from evaluation.ability.task_players import BlindTable, ClosedEyes, nothing_to_come, simple_player
from evaluation.ability.task_protocol import checksum, play
from irollan_env import World
from irollan_env.tasks import Fetch, instance_map
from irollan_env.world.observation import Observation


def solved(agent: str, families: list[str], **asked: str) -> int:
    return sum(result.solved for result in play(agent, families, 1, **asked))  # type: ignore[arg-type]


def test_an_expert_solves_and_who_never_looks_does_not() -> None:
    families = ["fetch", "eat", "return", "carry"]
    assert solved("expert", families) == 8
    assert solved("blind", families) == 0
    assert solved("closed-eyes", families) == 0


def test_partners_of_a_population_play_with_it_and_are_known_by_their_checksum() -> None:
    assert solved("expert", ["carry"], partners="keen") == 2
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
        play("wait", ["fech"], 1)
    with pytest.raises(ValueError, match="unknown split 'test_sen'; did you mean 'test_seen'"):
        play("wait", ["fetch"], 1, splits=["test_sen"])
    with pytest.raises(ValueError, match=r"instances must lie in \[1, 500\], got 0"):
        play("wait", [], 0)
    with pytest.raises(ValueError, match=r"unknown agent 'expart'; did you mean 'expert'.*known: .*give a player"):
        play("expart", ["fetch"], 1)
    with pytest.raises(
        TypeError, match=r"agent must be a name, got <function simple_player.*; give a player of your own"
    ):
        play(simple_player, ["fetch"], 1)  # type: ignore[arg-type]


class Reads:
    """Player that waits and records the keys of `info`."""

    keys: ClassVar[set[str]] = set()

    def act(self, observation: Observation, info: Mapping[str, Any]) -> str | None:
        self.keys.update(info)
        return None


@pytest.mark.parametrize(("family", "partners"), [("rush", None), ("carry", None), ("carry", "keen")])
def test_a_player_of_ones_own_is_told_neither_score_nor_plan(family: str, partners: str | None) -> None:
    Reads.keys.clear()
    # Even under the name of a player that follows the plan.
    list(play("expert", [family], 1, lambda *_: Reads(), partners=partners, splits=["test_seen"]))
    page = (DOCS / "datasheet.md").read_text(encoding="utf-8")
    may = re.search(r"may read .*? and (`admissible.*?) of `info`", page, re.DOTALL)
    assert may is not None
    slots = {"slot_actions", "slots_dropped", "slots_dropped_of_goal"}
    assert set(re.findall(r"`(\w+)`", may[1])) - {"observation"} == Reads.keys - {"action_mask"} - slots
