"""Accuracy of the matrix's ranking by similarity: thanks above insults, helpful actions first, effect of each input.

The reference words for tone were chosen on the tuning pairs; the held-out pairs were not looked at.
An action serves a goal if it is the sensible one in its situation; it is compared with each other action there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from operator import gt
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.intervals import wilson
from benchmarks.reporting import AsJson, as_table_or_json, progress, table
from evaluation.runs.build_society import build_society
from evaluation.runs.run_config import RunConfig
from irollan_env.actions import Action
from language_models.embedders.sentence_embedder import MiniLM
from language_models.protocol import Embedder, Usage
from language_models.scripted import ScriptedModel
from ltrha import Deed, LikenessRanker, Ranking, RankingWeights, Standing
from ltrha.likeness_ranker import Merits
from ltrha.ranking import RankBy, by_score

INPUTS = ("deed", "tone", "topic", "resources")
_DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A share with its counts and interval.

    Attributes:
        what: What was counted.
        count: Number of cases for which it holds.
        of: Number of cases.
        low: Lower end of Wilson's 95 per cent interval of the share.
        high: Upper end.
    """

    what: str
    count: int
    of: int
    low: float
    high: float


def command(
    steps: Annotated[int, typer.Option(min=1, help="Time steps of each society.")] = 40,
    seeds: Annotated[int, typer.Option(min=0, help="How many societies; 0 leaves them out.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Test what the ranking by similarity distinguishes, with MiniLM, and count the ranks that each input changes.

    Societies run with the scripted model and MiniLM; their rankings are repeated with one input left out.
    """
    embedder, tell = MiniLM(), progress("matrix")
    rows = asyncio.run(told_apart(embedder))
    for rank_by in RankBy if seeds else ():
        tell(f"societies that are ranked by {rank_by}")
        rows += asyncio.run(changed(rank_by, embedder, steps, seeds))
    cells = [[row.what, f"{row.count} of {row.of}", f"{row.low:.0%} to {row.high:.0%}"] for row in rows]
    as_table_or_json([asdict(row) for row in rows], table(["what", "count", "95 %"], cells), as_json=as_json)


async def told_apart(embedder: Embedder) -> list[Row]:
    """Count how often thanks rank above an insult, and an action that serves the goal above one that does not."""
    pairs = _read("insults_and_thanks")
    rows = []
    for name, some in pairs.items():
        said = [(_saying(pair["thanks"]), _saying(pair["insult"])) for pair in some]
        rows.append(await _first_above(f"thanks above an insult, {name.replace('_', ' ')}", said, embedder))
    served = [
        (_doing(case["goal"], case["sensible"]), _doing(case["goal"], other))
        for number in (1, 2, 3, 4)
        for case in _read(f"situations_for_tuning_{number}")
        for other in case["actions"]
        if other != case["sensible"]
    ]
    rows.append(await _first_above("a deed that serves the goal above another", served, embedder))
    return rows


async def changed(rank_by: RankBy, embedder: Embedder, steps: int, seeds: int) -> list[Row]:
    """Count the ranks that change when each input is left out, in societies ranked by a rank_by."""
    noted: list[tuple[Sequence[Standing], list[Merits]]] = []
    for seed in range(seeds):
        configuration = RunConfig.from_keys(
            {"model.name": "scripted", "model.embedder": "minilm", "seed": seed, "ltrha.rank_by": rank_by}
        )
        society = build_society(configuration, ScriptedModel(), embedder)
        if society.framework is None:
            raise RuntimeError(f"the architecture {configuration.architecture} has no matrix")
        society.framework.matrix.ranker = _Noting(embedder, rank_by, noted)
        for _ in range(steps):
            await society.step()
    weights = RankingWeights()
    rows = []
    for left_out in INPUTS:
        without = replace(weights, **{left_out: 0.0})
        moved = sum(_moved(standings, merits, weights, without) for standings, merits in noted)
        everybody = sum(len(merits) for _, merits in noted)
        spread = float(np.mean([np.std([getattr(one, left_out) for one in merits]) for _, merits in noted]))
        what = f"ranks by {rank_by} that change without {left_out} (its spread in a step: {spread:.3f})"
        rows.append(_row(what, moved, everybody))
    return rows


class _Noting(LikenessRanker):
    """Ranks by similarity and records the standings and merits that it ranks."""

    def __init__(
        self, embedder: Embedder, rank_by: RankBy, noted: list[tuple[Sequence[Standing], list[Merits]]]
    ) -> None:
        super().__init__(embedder, rank_by=rank_by)
        self._noted = noted

    async def rank(self, standings: Sequence[Standing], *, time: int = 0) -> Ranking:
        self._noted.append((standings, await self.merits(standings)))
        return await super().rank(standings, time=time)


def _moved(
    standings: Sequence[Standing], merits: Sequence[Merits], weights: RankingWeights, others: RankingWeights
) -> int:
    """Count the agents whose rank differs between two sets of weights."""
    ranks = [_places(standings, [one.weighed(some) for one in merits]) for some in (weights, others)]
    return sum(ranks[0][name] != ranks[1][name] for name in ranks[0])


def _places(standings: Sequence[Standing], scores: Sequence[float]) -> dict[str, float]:
    """Return each agent's rank; tied agents share their mean rank."""
    places: dict[str, float] = {}
    for group in by_score(standings, scores, Usage()).groups:
        places |= dict.fromkeys(group, len(places) + (len(group) - 1) / 2)
    return places


async def _first_above(what: str, pairs: Sequence[tuple[Standing, Standing]], embedder: Embedder) -> Row:
    """Count how often the first of a pair ranks above the second; equal names exclude an effect of names."""
    ranker = LikenessRanker(embedder)
    merits = await ranker.merits([one for pair in pairs for one in pair])
    scores = [one.weighed(ranker.weights) for one in merits]
    return _row(what, sum(map(gt, scores[::2], scores[1::2])), len(pairs))


def _read(name: str) -> Any:
    return json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))


def _row(what: str, count: int, of: int) -> Row:
    low, high = wilson(count, of)
    return Row(what=what, count=count, of=of, low=low, high=high)


def _saying(text: str) -> Standing:
    return _doing("talk with the others", f"chat with SG: {text}")


def _doing(goal: str, action: str) -> Standing:
    return Standing(name="LL", place="Public Canteen", topic=0.0, goal=goal, deeds=(Deed(action=Action(action)),))
