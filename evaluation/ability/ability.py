"""``irollan bench ability``: minds and a random baseline in TextWorld games; see ``task_protocol`` for valley tasks.

A player decides with its whole mind: perception, memory, emotion, driver, elimination, protention and choice. Thoughts
and words after the decision are left out, since the games do not use them. The language model is therefore only asked
what there is in unseen places, once per place; its answer is kept for all episodes, as it would be the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, Protocol

from evaluation.ability.textworld_game import KINDS, State, TextWorldGame
from evaluation.records.numbers import wilson_interval
from evaluation.runs.architectures import get_architecture
from evaluation.runs.build_society import names_of
from irollan_env.hints import did_you_mean
from irollan_env.map.valley_map import ValleyMap
from irollan_env.policies.policy_resident import PolicyResident
from irollan_env.policies.simple import random_policy
from irollan_env.random_streams import stream
from irollan_env.resident import Resident
from irollan_env.world.observation import Observation
from itcma_s import NameTable, make_mind
from itcma_s.vocabulary import vocabulary
from language_models.protocol import Embedder, LanguageModel

PLAYERS = ("random", "itcma", "itcma-s")
"""Players: a random policy, and the minds of two architectures without LTRHA, which is for societies."""
LED = "itcma-s-led"
"""Name of the player like "itcma-s" whose decisions are made by the language model."""

STEPS = 50
"""Maximum number of steps of an episode."""


class Game(Protocol):
    """A game whose episodes are won or lost."""

    name: str

    def reset(self, seed: int) -> Observation:
        """Start the episode of a seed, and return the first observation."""
        ...

    def step(self, action: str | None) -> tuple[Observation, State]:
        """Perform an action, and return the next observation and the state of the episode."""
        ...

    def close(self) -> None:
        """Release the resources of the game."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Ability:
    """Results of a player in a game.

    Attributes:
        game: A kind of TextWorld game.
        player: One of ``PLAYERS``, or ``LED``.
        won: Number of episodes won.
        episodes: Number of episodes played.
        steps: Mean number of steps of the episodes won; None if none was won.
    """

    game: str
    player: str
    won: int
    episodes: int
    steps: float | None

    @property
    def rate(self) -> float:
        """Share of episodes won, in [0, 1]."""
        return self.won / self.episodes

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval of the rate."""
        return wilson_interval(self.won, self.episodes)

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON-ready data."""
        low, high = self.interval
        row = {"game": self.game, "player": self.player, "won": self.won, "episodes": self.episodes}
        return {**row, "rate": round(self.rate, 3), "low": round(low, 3), "high": round(high, 3), "steps": self.steps}


class Players:
    """Creates a new player for each episode, with an empty mind.

    Args:
        model: Imagines the contents of unseen places.
        embedder: Embeds names and sentences.
    """

    def __init__(self, model: LanguageModel, embedder: Embedder) -> None:
        self._model = model
        self._embedder = embedder
        self._table = NameTable(embedder)
        self._words = vocabulary(names_of(ValleyMap.default()))
        self._imagined: dict[str, str] = {}

    def make(self, player: str, resident: str, seed: int) -> Resident:
        """Create a player without observations.

        Raises:
            ValueError: for a name that is neither in ``PLAYERS`` nor ``LED``.
        """
        generator = stream(seed, f"resident {resident}")
        known = (*PLAYERS, LED)
        if player not in known:
            raise ValueError(f"unknown player {player!r}{did_you_mean(player, known) or f'; known are {known}'}")
        if player == "random":
            return PolicyResident(resident, random_policy, generator)
        mind = make_mind(
            resident,
            model=self._model,
            embedder=self._embedder,
            generator=generator,
            table=self._table,
            style="instruct" if player == LED else "page",
            vocabulary=self._words,
            deliberation="llm" if player == LED else "similarity",
            writes=False,
            mechanisms=get_architecture("itcma-s" if player == LED else player).mechanisms,
        )
        mind.set_state({**mind.get_state(), "imagined": self._imagined})
        return mind

    def done(self, resident: Resident) -> None:
        """Keep the model's answers to a player for later episodes."""
        self._imagined.update(resident.get_state().get("imagined", {}))


async def play(game: Game, resident: Resident, observation: Observation) -> int | None:
    """Play an episode from its first observation, and return the steps until it was won; None if it was not.

    Raises:
        RuntimeError: if a decision fails, since an aborted episode is no valid measurement.
    """
    for step in range(1, STEPS + 1):
        act = await resident.act(observation)
        if act.failure is not None:
            raise RuntimeError(f"{resident.name!r} could not decide in step {step} of {game.name!r}: {act.failure}")
        observation, state = game.step(act.action)
        if state != "on":
            return step if state == "won" else None
    return None


def measure(
    games: Sequence[Game], players: Players, names: Sequence[str], episodes: int, tell: Callable[[str], None]
) -> Iterator[Ability]:
    """Let every player play the same episodes of every game.

    Args:
        games: Games to play.
        players: Creates the players.
        names: Names of the players.
        episodes: Number of episodes of each game, with the seeds 0, 1, ...
        tell: Shows a line of progress.

    Raises:
        ValueError: for less than one episode, or an unknown player.
    """
    if episodes < 1:
        raise ValueError(f"episodes must be at least 1, got {episodes}")
    for game in games:
        for name in names:
            steps: list[int] = []
            for seed in range(episodes):
                observation = game.reset(seed)
                resident = players.make(name, observation.resident, seed)
                taken = asyncio.run(play(game, resident, observation))
                players.done(resident)
                steps += [taken] if taken is not None else []
            won = Ability(
                game=game.name,
                player=name,
                won=len(steps),
                episodes=episodes,
                steps=round(mean(steps), 1) if steps else None,
            )
            tell(f"{game.name}: {name} {won.won} of {episodes}")
            yield won


def table(rows: Sequence[Ability]) -> str:
    """Format results as a Markdown table with a line per game and a column per player."""
    players = list(dict.fromkeys(row.player for row in rows))
    cells: Mapping[tuple[str, str], Ability] = {(row.game, row.player): row for row in rows}
    lines = ["| game | " + " | ".join(players) + " |", "|---" * (len(players) + 1) + "|"]
    for game in dict.fromkeys(row.game for row in rows):
        found = [cells.get((game, player)) for player in players]
        lines.append(f"| `{game}` | " + " | ".join("" if one is None else _cell(one) for one in found) + " |")
    return "\n".join(lines)


def _cell(one: Ability) -> str:
    low, high = one.interval
    return f"{one.rate:.0%} [{low:.0%}, {high:.0%}]" + (f", {one.steps:g} steps" if one.steps is not None else "")


def make_game(name: str) -> Game:
    """Create a TextWorld game of the named kind.

    Raises:
        ValueError: for an unknown name.
        ModuleNotFoundError: if TextWorld is not installed.
    """
    if name in KINDS:
        return TextWorldGame(name)
    raise ValueError(f"unknown game {name!r}{did_you_mean(name, KINDS) or f'; known are {list(KINDS)}'}")
