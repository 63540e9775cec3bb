"""Prompt tokens that compression and blending save: the same moments described in three ways.

ITCMA runs are made with the scripted model, or recorded runs are replayed. Each awakened window of memory is described
frame by frame beside the present, as ITCMA does; then compressed into one memory (Eq. 9) beside the present; then
blended with it (Eq. 5), which describes only what is not in the present field. Tokens are estimated from words.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.reporting import Measurement
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.build_society import build_society
from evaluation.runs.config_parts import Deliberation, MindConfig, ModelConfig
from evaluation.runs.progress import progress_on
from evaluation.runs.replay import replay
from evaluation.runs.run_config import RunConfig
from irollan_env.random_streams import stream
from itcma_s.deliberation.channel_in_words import PromptDetail, moments, recalled
from itcma_s.deliberation.protocol import Context
from itcma_s.fields.blending import blend
from itcma_s.memory.compression import compress
from itcma_s.parameters import Mechanisms
from itcma_s.resident import ItcmaResident
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

DETAILS: tuple[PromptDetail, ...] = tuple(PromptDetail)
TOKENS_A_WORD = 1.4
STEPS = 40


class _Counting:
    """Forwards decisions to a deliberation, and counts the tokens of each description of their memories."""

    def __init__(self, within: Any, counts: list[Mapping[str, Mapping[str, float]]]) -> None:
        self._within, self._counts = within, counts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)

    async def decide(self, context: Context) -> Any:
        """Count the tokens of an awakened window, and decide as the deliberation does."""
        if len(context.activated) > 1:
            self._counts.append({detail: memory_tokens(context, detail) for detail in DETAILS})
        return await self._within.decide(context)


def memory_tokens(context: Context, detail: PromptDetail) -> Mapping[str, float]:
    """Count the tokens of the awakened memory: frame by frame, compressed, and blended with the present."""
    me, table = context.observation.resident, context.table
    generator = stream(0, f"{me} {context.observation.time}")
    memory = compress(context.activated, table, generator)
    imagined = replace(
        context,
        activated=(memory,),
        imagination=blend(context.present, memory.field, table, generator),
        mechanisms=Mechanisms(),
    )
    return {
        "frame by frame": _tokens(moments(context.activated, me, table, detail)),
        "compressed": _tokens(moments([memory], me, table, detail)),
        "compressed and blended": _tokens(recalled(imagined, detail)),
    }


def savings(
    tell: Callable[[str], None], *, steps: int = STEPS, seeds: Sequence[int] = (0, 1), runs: Sequence[Path] = ()
) -> Iterator[Measurement]:
    """Measure the mean tokens of a moment's awakened memory, for each description and level of detail.

    Args:
        tell: Takes a line about the progress.
        steps: Time steps of each run.
        seeds: Seeds of the runs.
        runs: Recorded runs whose moments are used instead; they are not changed.

    Raises:
        ValueError: for a run that awakens no windows of memory, such as one with compressed memory.
        ReplayError: if a run cannot be replayed.
    """
    found: list[Mapping[str, Mapping[str, float]]] = []
    for run in runs:
        tell(f"telling the moments of {run} three ways at {len(DETAILS)} levels of detail")
        before = len(found)
        _live_again(RunDirectory(run), found)
        if len(found) == before:
            raise ValueError(f"{run} calls up no windows of memory; take one of itcma, ltrha or driver, and whole")
    for seed in () if runs else seeds:
        tell(f"telling {steps} steps of itcma, seed {seed}, three ways at {len(DETAILS)} levels of detail")
        asyncio.run(_live(steps, seed, found))
    for detail in DETAILS:
        ways = {way: fmean(one[detail][way] for one in found) for way in found[0][detail]}
        for way, value in ways.items():
            yield Measurement(name=f"awakened memory with {detail}, {way}", value=value, unit="tokens")


def _live_again(run: RunDirectory, found: list[Mapping[str, Mapping[str, float]]]) -> None:
    with TemporaryDirectory() as folder:
        vectors = Path(folder) / "embeddings.sqlite"
        if run.embeddings_path.is_file():
            shutil.copyfile(run.embeddings_path, vectors)
        replay(run, progress_on(), build=partial(build_society, make=_noting(found)), vectors=vectors)


def _noting(found: list[Mapping[str, Mapping[str, float]]]) -> Callable[..., ItcmaResident]:
    def make(name: str, *, deliberation: Any, **parts: Any) -> ItcmaResident:
        return ItcmaResident(name, deliberation=_Counting(deliberation, found), **parts)

    return make


async def _live(steps: int, seed: int, found: list[Mapping[str, Mapping[str, float]]]) -> None:
    configuration = RunConfig(
        architecture="itcma",
        model=ModelConfig(name="scripted"),
        mind=MindConfig(deliberation=Deliberation.LLM),
        steps=steps,
        seed=seed,
    )
    society = build_society(configuration, ScriptedModel(), HashEmbedder(), make=_noting(found))
    for _ in range(steps):
        await society.step()


def _tokens(lines: Sequence[str]) -> float:
    return TOKENS_A_WORD * sum(len(line.split()) for line in lines)
