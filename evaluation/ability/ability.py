"""``irollan bench ability``: minds in games of TextWorld, beside chance; ``task_protocol`` has the valley's tasks.

A player decides by its whole mind: perception, memory, emotion, driver, elimination, protention and choice. Only what
comes after the decision is left out, thoughts and words, which no game asks for. The language model is therefore asked
for one thing, what there is in places never seen. It is asked once for each place; its answer is kept for all episodes,
as it would be the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, Literal, Protocol

from evaluation.ability.textworld_game import KINDS, TextWorldGame
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
"""Who plays: chance, and the individual minds of two architectures. LTRHA, a framework for societies, is not there."""
LED = "itcma-s-led"
"""Plays like "itcma-s", but the model leads it."""

STEPS = 50
"""After which an episode is given up."""


State = Literal["on", "won", "lost"]
"""How an episode stands."""


class Game(Protocol):
    """What is played: episodes that are won or not."""

    name: str

    def reset(self, seed: int) -> Observation:
        """Begin the episode of a seed."""
        ...

    def step(self, action: str | None) -> tuple[Observation, State]:
        """Act; gives what is perceived then, and how the episode stands."""
        ...

    def close(self) -> None:
        """Let go of what the game holds."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Ability:
    """How often a player won a game.

    Attributes:
        game: A kind of TextWorld game.
        player: One of ``PLAYERS``, or ``LED``.
        won: Episodes won.
        episodes: Episodes played.
        steps: Steps of the episodes that were won, on average; None where none was.
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
        """JSON-ready."""
        low, high = self.interval
        row = {"game": self.game, "player": self.player, "won": self.won, "episodes": self.episodes}
        return {**row, "rate": round(self.rate, 3), "low": round(low, 3), "high": round(high, 3), "steps": self.steps}


class Players:
    """Makes a player for each episode; a mind begins each one empty.

    Args:
        model: Says what there may be in places never seen.
        embedder: Embeds names and sentences.
    """

    def __init__(self, model: LanguageModel, embedder: Embedder) -> None:
        self._model = model
        self._embedder = embedder
        self._table = NameTable(embedder)
        self._words = vocabulary(names_of(ValleyMap.default()))
        self._imagined: dict[str, str] = {}

    def make(self, player: str, resident: str, seed: int) -> Resident:
        """A player that has seen nothing yet.

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
        """Keep what the model said to a player that was made here."""
        self._imagined.update(resident.get_state().get("imagined", {}))


async def play(game: Game, resident: Resident, observation: Observation) -> int | None:
    """Play an episode from its first observation; gives the steps until it was won, None when it was not.

    Raises:
        RuntimeError: if a decision fails: an episode that was cut short measures nothing.
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
        games: What is played.
        players: Makes who plays.
        names: Of the players.
        episodes: Of each game, with the seeds 0, 1, ...
        tell: Takes a line about the progress.

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
    """A Markdown table: a line per game, a column per player."""
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
    """A kind of TextWorld game, by name.

    Raises:
        ValueError: for an unknown name.
        ModuleNotFoundError: for a TextWorld game where TextWorld is not installed.
    """
    if name in KINDS:
        return TextWorldGame(name)
    raise ValueError(f"unknown game {name!r}{did_you_mean(name, KINDS) or f'; known are {list(KINDS)}'}")
