"""LLM-as-judge: a language model rates runs, with several draws of each rating."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evaluation.judging.prompt import ask
from evaluation.judging.trajectories import Trajectory
from evaluation.rating.packets import CHECKS
from evaluation.rating.rating_scale import (
    ATTENTION_CHECK,
    COLUMNS,
    DIMENSIONS,
    HIGHEST,
    JUDGE,
    JUDGE_PREFIX,
    LOWEST,
)
from evaluation.rating.study import Check
from evaluation.runs import event_loop
from irollan_env.random_streams import stream
from language_models.protocol import Caller, GenerateRequest, LanguageModel, ModelError, PromptTooLong
from language_models.transcript.calls import ModuleUsage, generate_request
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript

HEADER = (*COLUMNS, "source", "expected", "draw")
"""Columns of the ratings: those of a ratings file, and the number of the draw, from 1."""

DRAWS = 5
PATTERN = f'root ::= " "? [{LOWEST}-{HIGHEST}]'
MAX_TOKENS = 4
TEMPERATURE = 1.0
"""Temperature at which draws follow the model's distribution over the points of the scale."""

AT_ONCE = 8
"""Concurrent trajectories if the model does not state its number of slots."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The ratings of a judge.

    Attributes:
        table: One rating per row, with the columns ``HEADER``; failed draws are not in it.
        asked: Number of requested ratings, attention checks included.
        failures: Number of missing ratings by reason.
        checks: Number of attention checks answered.
        passed: Number of attention checks passed.
        usage: Usage of all calls, including earlier sessions and failed calls.
    """

    table: pd.DataFrame
    asked: int
    failures: Counter[str]
    checks: int
    passed: int
    usage: ModuleUsage


@dataclass(frozen=True, kw_only=True, slots=True)
class _Draw:
    """One rating to request."""

    trajectory: Trajectory
    question: str
    number: int
    check: Check | None


def judge(
    model: LanguageModel,
    trajectories: Sequence[Trajectory],
    transcript: Transcript,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    shown: Callable[[int, int], None] = lambda done, of: None,
) -> Judgement:
    """Have a language model rate trajectories.

    Every trajectory is rated in each dimension, ``draws`` times. Each draw counts as a rater and has two attention
    checks, like a person's packet. Calls recorded in the transcript are not made again.

    Args:
        model: A loaded model; it is closed afterwards.
        trajectories: The trajectories to rate.
        transcript: Transcript that records the calls, and answers those of earlier sessions.
        draws: Draws of each rating, at least 1.
        seed: Seed of the draws and of the attention checks, at least 0.
        shown: Called with the numbers of finished and of all trajectories.

    Returns:
        The ratings, and what could not be rated.

    Raises:
        ValueError: if draws or seed is out of range, or there is nothing to rate.
        ModelUnavailable: if the model is unavailable; earlier answers are kept.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws}")
    if seed < 0:
        raise ValueError(f"seed must be a whole number of at least 0, got {seed}")
    if not trajectories:
        raise ValueError("a judge needs at least one trajectory, got none")
    plan = _plan(trajectories, draws, seed)
    failures: Counter[str] = Counter()
    rows = event_loop.run(_all(model, plan, transcript, seed, failures, shown))
    table = pd.DataFrame(rows, columns=list(HEADER))
    checks = table[table["dimension"] == ATTENTION_CHECK]
    return Judgement(
        table=table,
        asked=sum(map(len, plan)),
        failures=failures,
        checks=len(checks),
        passed=int((checks["rating"] == checks["expected"]).sum()),
        usage=transcript.costs.total(),
    )


def _plan(trajectories: Sequence[Trajectory], draws: int, seed: int) -> list[list[_Draw]]:
    """List the draws of each trajectory, ordered by question."""
    checks = [_checks(trajectories, stream(seed, f"judge's checks {draw}")) for draw in range(draws)]
    return [
        [
            _Draw(trajectory=trajectory, question=question, number=draw + 1, check=checks[draw].get(place))
            for question in (*DIMENSIONS, ATTENTION_CHECK)
            for draw in range(draws)
            if question != ATTENTION_CHECK or place in checks[draw]
        ]
        for place, trajectory in enumerate(trajectories)
    ]


def _checks(trajectories: Sequence[Trajectory], rng: np.random.Generator) -> dict[int, Check]:
    """Draw attention checks, one in each half of the trajectories."""
    found = {}
    for part in np.array_split(np.arange(len(trajectories)), min(CHECKS, len(trajectories))):
        place = int(rng.choice(part))
        steps = len(trajectories[place].moments)
        found[place] = Check(step=int(rng.integers(1, steps + 1)), answer=int(rng.integers(LOWEST, HIGHEST + 1)))
    return found


async def _all(
    model: LanguageModel,
    plan: Sequence[Sequence[_Draw]],
    transcript: Transcript,
    seed: int,
    failures: Counter[str],
    shown: Callable[[int, int], None],
) -> list[tuple[str | int, ...]]:
    recorded, done = RecordedModel(model, transcript), 0
    places = asyncio.Semaphore(getattr(model, "slots", AT_ONCE))

    async def one(draws: Sequence[_Draw]) -> list[tuple[str | int, ...]]:
        nonlocal done
        rows = []
        async with places:
            # Sequential, so that a server with a prefix cache reads the steps once.
            for draw in draws:
                try:
                    rating = await _rating(recorded, draw, seed)
                except (ModelError, PromptTooLong) as error:
                    failures[str(error)] += 1
                else:
                    rows.append(_row(model.name, draw, rating))
        done += 1
        shown(done, len(plan))
        return rows

    tasks = [asyncio.ensure_future(one(draws)) for draws in plan]
    try:
        rows = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if (aclose := getattr(model, "aclose", None)) is not None:
            await aclose()
        if (close := getattr(model, "close", None)) is not None:
            close()
    return [row for own in rows for row in own]


async def _rating(model: RecordedModel, draw: _Draw, seed: int) -> int:
    one = draw.trajectory
    prompt = ask(one.resident, one.moments, draw.question, draw.check)
    name = f"judge {one.run} {one.resident} {draw.question} {draw.number}"
    chance = int(stream(seed, name).integers(2**31))
    request = GenerateRequest(
        prompt=prompt,
        caller=Caller(module=draw.question, resident=f"{one.run} {one.resident}", time=draw.number),
        max_tokens=MAX_TOKENS,
        temperature=TEMPERATURE,
        seed=chance,
        pattern=PATTERN,
    )
    for call in model.transcript.lookup(generate_request(model.name, request).key):
        if call.response is not None:
            return int(call.response["text"])
    return int((await model.generate(request)).text)


def _row(model: str, draw: _Draw, rating: int) -> tuple[str | int, ...]:
    one, rater = draw.trajectory, f"{JUDGE_PREFIX}{model}/{draw.number}"
    expected = draw.check.answer if draw.check is not None and draw.question == ATTENTION_CHECK else ""
    return (rater, one.run, one.architecture, one.resident, draw.question, rating, JUDGE, expected, draw.number)
