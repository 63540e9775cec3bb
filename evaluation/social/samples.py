"""Turns of a run as arrays, and their samples under the null models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.measures.turns import turns
from evaluation.social import nulls
from evaluation.social.networks import Floats, Integers, count_turns
from irollan_env.random_streams import stream


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of a run, residents as indices."""

    times: Integers
    senders: Integers
    receivers: Integers
    present: tuple[tuple[int, ...], ...]
    residents: int

    @classmethod
    def of(cls, frame: pd.DataFrame, names: tuple[str, ...]) -> Turns:
        """Read the turns of a run.

        Args:
            frame: Frame of ``actions``.
            names: The residents, in the order of their indices.

        Returns:
            The turns, in order of time.
        """
        number = {name: position for position, name in enumerate(names)}
        held = turns(frame)
        return cls(
            held["time"].to_numpy(dtype=np.int64),
            np.array([number[name] for name in held["sender"]], dtype=np.int64),
            np.array([number[name] for name in held["receiver"]], dtype=np.int64),
            tuple(tuple(number[name] for name in one) for one in held["present"]),
            len(names),
        )

    @property
    def size(self) -> int:
        """Number of turns."""
        return len(self.times)

    def counts(self, receivers: Integers | None = None) -> Floats:
        """Count the turns in an adjacency matrix, or in several with receivers of shape (..., turns)."""
        return count_turns(self.senders, self.receivers if receivers is None else receivers, self.residents)

    def expected(self) -> Floats:
        """Expected adjacency matrix if each turn went to any resident present."""
        expected = np.zeros((self.residents, self.residents))
        for sender, people in zip(self.senders, self.present, strict=True):
            expected[sender, list(people)] += 1 / len(people)
        return expected

    def within_reach(self) -> NDArray[np.bool_]:
        """Residents present at each turn, shape (turns, residents)."""
        found = np.zeros((self.size, self.residents), dtype=np.bool_)
        for turn, people in enumerate(self.present):
            found[turn, list(people)] = True
        return found

    def parts(self, bounds: Floats) -> Integers:
        """Return the index of the part of the run that each turn lies in, for parts bounded by times."""
        return np.searchsorted(bounds, self.times, side="right").astype(np.int64)


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of the null models, and the parts of a run.

    Attributes:
        company: Receivers, shape (permutations, turns).
        partners: Receivers, of the same shape.
        times: Receivers, of the same shape.
        coins: Uniform numbers in [0, 1), shape (permutations,), for the null model of rivals.
        half: The time halfway.
        quarters: The times after each quarter but the last.
    """

    company: Integers
    partners: Integers
    times: Integers
    coins: Floats
    half: Floats
    quarters: Floats

    @classmethod
    def draw(cls, held: Turns, times: Integers, permutations: int, seed: int) -> Samples:
        """Draw the samples of all null models.

        Args:
            held: The turns.
            times: The time steps of the run.
            permutations: Samples of each null model, at least 1.
            seed: Seed of the samples.

        Returns:
            The samples.
        """
        first, last = float(times.min()), float(times.max()) + 1
        quarters = first + (last - first) * np.array([0.25, 0.5, 0.75])
        half = quarters[1:2]
        present = held.within_reach()

        def exchanged(strata: Integers, name: str) -> Integers:
            return nulls.exchange_receivers(present, held.receivers, strata, permutations, stream(seed, name))

        return cls(
            nulls.redraw_receivers(held.present, permutations, stream(seed, "social company")),
            exchanged(held.parts(half), "social partners"),
            exchanged(held.senders, "social times"),
            stream(seed, "social rivals").random(permutations),
            half,
            quarters,
        )
