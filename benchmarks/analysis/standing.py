"""How fast standing runs away: Eq. 18 and 19 without minds, under matrices that rank by different things.

In each step every resident is held back or not by its rate (Eq. 18), the matrix ranks all of them, and resources move
(Eq. 19; the tied share what their ranks get). Eq. 18 is taken as printed, by the share of the sentence under it as
plain arithmetic has it (debts are taken off the total), and by the share that ``ltrha`` takes (debts count in the total
by their size). A resident is as good as silenced whose mean rate over all steps is below .6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.reporting import AsJson, as_table_or_json, table
from ltrha import execution_rate, tied_allocations

Array = NDArray[np.float64]
Rank = Callable[[NDArray[np.bool_], np.random.Generator], Array]
"""Who was held back in a step -> how each does in the matrix's eyes, the more the better; who does alike is tied."""

RESIDENTS, STEPS, SEEDS, LEAST = 6, 75, 200, 0.6
REMEMBERED = 3
"""Steps whose deeds the matrix knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """What became of standing over all seeds.

    Attributes:
        ranked: By what the matrix ranks.
        rate: How Eq. 18 is read.
        mean: The mean rate over residents, steps and seeds.
        least: The least of the residents' mean rates over the steps, averaged over seeds.
        silenced: Share of the seeds in which some resident's mean rate is below .6.
        silenced_residents: How many residents that are, on average.
        first: In the median seed, the step, from 1, in which a rate falls below .6 for the first time; None if it never
            does in half of the seeds or more.
        worst_at_end: The lowest rate after all steps, averaged over seeds.
        best_at_end: The highest.
    """

    ranked: str
    rate: str
    mean: float
    least: float
    silenced: float
    silenced_residents: float
    first: int | None
    worst_at_end: float
    best_at_end: float


def command(
    steps: Annotated[int, typer.Option(min=1, help="Time steps of a life.")] = STEPS,
    seeds: Annotated[int, typer.Option(min=1, help="How many lives of each kind.")] = SEEDS,
    as_json: AsJson = False,
) -> None:
    """Let resources move for some steps, and print how the rates of Eq. 18 fare."""
    rows = [measure(matrix, reading, steps, seeds) for matrix in MATRICES for reading in READINGS]
    headings = ["the matrix ranks", "rate", "mean", "least", "silenced", "of six", "first below .6", "at the end"]
    shown = table(headings, map(_cells, rows))
    as_table_or_json([asdict(row) for row in rows], shown, as_json=as_json)


def measure(matrix: str, reading: str, steps: int, seeds: int) -> Row:
    """What becomes of standing.

    Args:
        matrix: One of ``MATRICES``.
        reading: One of ``READINGS``.
        steps: Time steps of a life.
        seeds: How many lives.
    """
    rates: Array = np.array([live(matrix, reading, steps, np.random.default_rng(seed)) for seed in range(seeds)])
    means = rates.mean(axis=1)
    low = (rates < LEAST).any(axis=2)
    begun = np.where(low.any(axis=1), low.argmax(axis=1) + 1.0, np.inf)
    first = float(np.quantile(begun, 0.5, method="higher"))
    return Row(
        ranked=matrix,
        rate=reading,
        mean=float(means.mean()),
        least=float(means.min(axis=1).mean()),
        silenced=float((means.min(axis=1) < LEAST).mean()),
        silenced_residents=float((means < LEAST).sum(axis=1).mean()),
        first=int(first) if np.isfinite(first) else None,
        worst_at_end=float(rates[:, -1].min(axis=1).mean()),
        best_at_end=float(rates[:, -1].max(axis=1).mean()),
    )


def live(matrix: str, reading: str, steps: int, rng: np.random.Generator) -> Array:
    """Rates of one life, shape (steps, residents), those of each step before its ranking."""
    resources = np.ones(RESIDENTS)
    rates = np.empty((steps, RESIDENTS))
    rank = MATRICES[matrix]()
    for step in range(steps):
        rates[step] = READINGS[reading](resources)
        held_back = rng.random(RESIDENTS) >= rates[step]
        resources = resources + changes(rank(held_back, rng))
    return rates


def changes(merits: Array) -> Array:
    """Change of each resident's resources (Eq. 19), those who do alike tied; shape (residents,)."""
    _, group, sizes = np.unique(-merits, return_inverse=True, return_counts=True)
    given: Array = tied_allocations(sizes.tolist())[group]
    return given


def plain_share(resources: Array) -> Array:
    """Eq. 18 with each resident's part of the plain sum, in which debts are taken off."""
    return execution_rate(resources / resources.sum())


def at_random() -> Rank:
    """Nothing that anybody does counts."""
    return lambda held_back, rng: rng.random(RESIDENTS)


def by_this_step() -> Rank:
    """Who was held back did nothing, and is last; all else is chance."""
    return lambda held_back, rng: rng.random(RESIDENTS) - held_back


def by_deeds(leaning: Array, credit: float = 1.0) -> Rank:
    """By how many of the last steps' deeds were for others.

    Args:
        leaning: How often each resident's deed is for others, in [0, 1].
        credit: What such a deed counts whose resident was held back from it.
    """
    remembered: list[Array] = []

    def rank(held_back: NDArray[np.bool_], rng: np.random.Generator) -> Array:
        good = (rng.random(RESIDENTS) < leaning).astype(np.float64)
        remembered.append(np.where(held_back, credit * good, good))
        del remembered[:-REMEMBERED]
        return np.sum(remembered, axis=0)

    return rank


def always_alike() -> Rank:
    """The same resident is always the best, another always the last."""
    return lambda held_back, rng: -np.arange(RESIDENTS, dtype=np.float64)


_ALIKE, _UNLIKE = np.full(RESIDENTS, 0.5), np.linspace(0.25, 0.75, RESIDENTS)
MATRICES: Mapping[str, Callable[[], Rank]] = {
    "at random": at_random,
    "by this step, held back is last": by_this_step,
    "by three steps, held back told as such": lambda: by_deeds(_ALIKE),
    "the same, half of it believed": lambda: by_deeds(_ALIKE, credit=0.5),
    "the same as told, residents unlike": lambda: by_deeds(_UNLIKE),
    "the same order always": always_alike,
}
"""By what the matrix ranks -> what makes a ranking of one life. Half of all deeds are for others; where residents are
unlike, from a quarter of one's to three quarters of another's."""

READINGS: Mapping[str, Callable[[Array], Array]] = {
    "amount": execution_rate,
    "plain share": plain_share,
    "share": lambda resources: execution_rate(resources, share=True),
}
"""How Eq. 18 is read -> the rates of some resources."""


def _cells(row: Row) -> list[str]:
    return [
        row.ranked,
        row.rate,
        f"{row.mean:.2f}",
        f"{row.least:.2f}",
        f"{100 * row.silenced:.0f} %",
        f"{row.silenced_residents:.1f}",
        "never" if row.first is None else str(row.first),
        f"{row.worst_at_end:.2f} to {row.best_at_end:.2f}",
    ]
