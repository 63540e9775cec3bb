"""Packets for raters: blinded stories of finished runs in balanced order, with attention checks."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import lcm
from pathlib import Path
from statistics import mean

import numpy as np

from evaluation.rating.design import balanced_orders, deal, williams
from evaluation.rating.finished_runs import FinishedRun, read_finished_runs
from evaluation.rating.participation import CONSENT, WITHDRAWAL, Terms
from evaluation.rating.rating_scale import DIMENSIONS, HIGHEST, LOWEST
from evaluation.rating.study import Check, Item, RatingError, Study

WORDS_A_MINUTE = 238
"""Speed of adults' silent reading of English prose: M. Brysbaert (2019), Journal of Memory and Language 109, 104047."""

SECONDS_A_RATING = 15
"""Assumed time to read and answer a question, without a comment."""

CHECKS = 2
"""Attention checks per rater, one in each half of the packet; a guess passes both once in 49 times."""

MOST_RATERS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Design and workload of a study.

    Attributes:
        architectures: Number of runs of each architecture.
        steps: Time steps of each run.
        residents: Number of residents that a rater reads per run.
        raters: Number of raters.
        items: Total number of residents that a rater reads.
        words: Mean number of words that a rater reads.
        minutes: Shortest, mean and longest estimated workload of a rater, in minutes.
        checks: Attention checks per rater.
        exact_with: Positions and carry-over are exactly balanced with a multiple of this many raters.
        notes: Caveats for the planner.
    """

    architectures: dict[str, int]
    steps: int
    residents: int
    raters: int
    items: int
    words: int
    minutes: tuple[float, float, float]
    checks: int
    exact_with: int
    notes: tuple[str, ...]


def prepare(
    runs: Sequence[Path],
    *,
    raters: int,
    out: Path,
    rng: np.random.Generator,
    residents: int | None = None,
    terms: Terms | None = None,
) -> Plan:
    """Make a rating study in which each rater reads one run of each architecture.

    The order of architectures, and within each architecture the order of residents, are balanced over raters
    (``balanced_orders``). Where there are several runs of an architecture, raters get them equally often.

    Args:
        runs: Directories of finished runs, of one length.
        raters: Number of raters, at least the number of runs of any architecture.
        out: The new directory.
        rng: Random generator of everything but the secrets of the links.
        residents: Residents of each run that a rater reads, each equally often; all if None.
        terms: The texts that raters agree to; the default ones if None.

    Returns:
        Design and workload of the study.

    Raises:
        RatingError: if the runs or numbers do not fit, or ``out`` is taken; nothing is written then.
        ValueError: if a path is no run.
    """
    if not 1 <= raters <= MOST_RATERS:
        raise RatingError(f"raters must be a whole number from 1 to {MOST_RATERS}, got {raters}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RatingError(f"{out} is there already, and answers are never overwritten; give another --out")
    finished = read_finished_runs(runs)
    groups = [list(group) for _, group in groupby(finished, key=lambda one: one.architecture)]
    names = list(finished[0].residents)
    residents = len(names) if residents is None else residents
    _check_numbers(groups, raters, residents)
    stories = {f"s{number:02d}": finished[index] for number, index in enumerate(rng.permutation(len(finished)), 1)}
    items = _items(groups, stories, raters, residents, rng)
    minutes = {rater: _minutes(own, stories) for rater, own in items.items()}
    study = Study(
        steps=finished[0].steps,
        minutes=minutes,
        stories={story: one.residents for story, one in stories.items()},
        items=items,
        tokens={rater: secrets.token_urlsafe(16) for rater in items},
    )
    key = {
        story: {"run": one.run, "architecture": one.architecture, "path": str(one.path), "model": one.model}
        for story, one in stories.items()
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    texts = Terms.read() if terms is None else terms
    study.save(out, {"stories": key}, {CONSENT: texts.consent, WITHDRAWAL: texts.withdrawal})
    each = next(iter(items.values()))
    return Plan(
        architectures={group[0].architecture: len(group) for group in groups},
        steps=study.steps,
        residents=residents,
        raters=raters,
        items=len(each),
        words=round(mean(_words(own, stories) for own in items.values())),
        minutes=(min(minutes.values()), mean(minutes.values()), max(minutes.values())),
        checks=sum(item.check is not None for item in each),
        exact_with=lcm(len(williams(len(groups))), len(williams(len(names)))),
        notes=_notes(groups),
    )


def _check_numbers(groups: Sequence[Sequence[FinishedRun]], raters: int, residents: int) -> None:
    """Check that the numbers of raters and residents fit the runs."""
    count = len(groups[0][0].residents)
    if not 1 <= residents <= count:
        raise RatingError(f"residents must be a whole number from 1 to {count}, got {residents}")
    largest = max(groups, key=len)
    if len(largest) > raters:
        raise RatingError(
            f"with {raters} raters some of the {len(largest)} runs of {largest[0].architecture} would be read by "
            f"nobody, since a rater reads one of each architecture; give at least {len(largest)} raters"
        )


def _items(
    groups: Sequence[Sequence[FinishedRun]],
    stories: dict[str, FinishedRun],
    raters: int,
    residents: int,
    rng: np.random.Generator,
) -> dict[str, tuple[Item, ...]]:
    story_of = {one.path: story for story, one in stories.items()}
    names = list(groups[0][0].residents)
    societies = balanced_orders(len(groups), raters, rng)
    runs = [deal(len(group), raters, rng) for group in groups]
    orders = [balanced_orders(len(names), raters, rng) for _ in groups]
    width = len(str(raters))
    packets = {}
    for rater in range(raters):
        plain = [
            Item(story=story_of[groups[group][runs[group][rater]].path], society=society, resident=names[resident])
            for society, group in enumerate(societies[rater], 1)
            for resident in orders[group][rater][:residents]
        ]
        steps = groups[0][0].steps
        packets[f"rater-{rater + 1:0{width}d}"] = _with_checks(plain, steps, rng)
    return packets


def _with_checks(items: Sequence[Item], steps: int, rng: np.random.Generator) -> tuple[Item, ...]:
    """Add an attention check to a random item of each half."""
    checked = list(items)
    for part in np.array_split(np.arange(len(items)), min(CHECKS, len(items))):
        chosen = int(rng.choice(part))
        check = Check(step=int(rng.integers(1, steps + 1)), answer=int(rng.integers(LOWEST, HIGHEST + 1)))
        item = items[chosen]
        checked[chosen] = Item(story=item.story, society=item.society, resident=item.resident, check=check)
    return tuple(checked)


def _words(items: Sequence[Item], stories: dict[str, FinishedRun]) -> int:
    return sum(moment.words() for item in items for moment in stories[item.story].residents[item.resident])


def _minutes(items: Sequence[Item], stories: dict[str, FinishedRun]) -> float:
    asked = len(items) * len(DIMENSIONS) * SECONDS_A_RATING / 60
    return round(_words(items, stories) / WORDS_A_MINUTE + asked, 1)


def _notes(groups: Sequence[Sequence[FinishedRun]]) -> tuple[str, ...]:
    notes = []
    if len(groups) == 1:
        notes.append(f"all runs are of {groups[0][0].architecture}: there is nothing to compare it with")
    models = {group[0].architecture: {one.model for one in group} for group in groups}
    if len({frozenset(names) for names in models.values()}) > 1:
        listed = ", ".join(f"{architecture} {' and '.join(sorted(names))}" for architecture, names in models.items())
        notes.append(f"the architectures were run with different models, which ratings cannot tell apart: {listed}")
    if len({len(group) for group in groups}) > 1:
        listed = ", ".join(f"{len(group)} of {group[0].architecture}" for group in groups)
        notes.append(f"there are not equally many runs of each architecture ({listed})")
    return tuple(notes)
