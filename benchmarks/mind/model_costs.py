"""Calls and tokens of recorded runs, and estimates for each architecture with a large model.

Estimates call no model: 75 steps are run with the scripted model and the prompts of a large model,
as ``irollan run --estimate`` does with fewer steps. Tokens are estimated from words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, median

from benchmarks.reporting import Measurement
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.config_parts import Deliberation, MindConfig, ModelConfig
from evaluation.runs.estimate import estimate
from evaluation.runs.run_config import RunConfig
from irollan_env.map.valley_map import ValleyMap

STEPS, SEEDS = 75, (0, 1)
GOALS = {Deliberation.LLM: (1.2, 900), Deliberation.SIMILARITY: (1.5, 700)}
"""Goals for ITCMA-S by deliberation: most calls and tokens per resident and step."""

LARGE_MODEL = "openai:http://127.0.0.1:8000/v1#model"
"""Placeholder address of a large model, which is never called."""


def estimated_costs(
    tell: Callable[[str], None], *, steps: int = STEPS, seeds: Sequence[int] = SEEDS
) -> Iterator[Measurement]:
    """Estimate calls and tokens per resident and step of every architecture, and the ratio of ITCMA to ITCMA-S.

    Each is estimated with decisions by the model and with decisions by similarity. Up to 20 options are chosen by
    letters, which reads a prompt twice, and more by a schema, which reads it once.

    Args:
        tell: Takes a line about the progress.
        steps: Time steps of each run.
        seeds: Seeds of the runs; numbers are means over them.
    """
    for deliberation, (most_calls, most_tokens) in GOALS.items():
        setting = f"a large model, deliberation {deliberation}, seeds {', '.join(map(str, seeds))}, {steps} steps"
        tokens: dict[str, float] = {}
        for architecture in ARCHITECTURES:
            tell(f"running {steps} steps of {architecture} as with a large model, deliberation {deliberation}")
            calls, tokens[architecture] = _cost(architecture, deliberation, steps, seeds)
            for what, value, goal in (("calls", calls, most_calls), ("tokens", tokens[architecture], most_tokens)):
                yield Measurement(
                    name=f"{what} ({architecture}, {setting})",
                    value=value,
                    unit="per resident and step",
                    goal=goal if architecture == "itcma-s" else None,
                    at_least=False,
                )
        yield Measurement(
            name=f"tokens of itcma / itcma-s ({setting})",
            value=tokens["itcma"] / tokens["itcma-s"],
            unit="times",
        )


def recorded_costs(runs: Sequence[Path]) -> Iterator[Measurement]:
    """Compute calls and tokens per resident and step of recorded runs, and the ratio of ITCMA to ITCMA-S."""
    tokens: dict[str, list[float]] = {}
    for path in runs:
        lived = RunDirectory(path).verified()
        effective = lived.manifest["configuration"]["effective"]
        with lived.transcript() as transcript:
            used = transcript.costs.by_module()
        moments = len(lived.records())
        architecture = effective["architecture"]
        whole = architecture == "itcma-s"
        run = f"{architecture}, seed {effective['seed']}, {moments} resident-steps"
        calls, together = (
            sum(values) / moments for values in zip(*((row.calls, row.tokens) for row in used), strict=True)
        )
        prompts, cached = (sum(row.prompt_tokens for row in used), sum(row.cached_tokens for row in used))
        tokens.setdefault(architecture, []).append(together)
        yield Measurement(
            name=f"calls ({run})",
            value=calls,
            unit="per resident and step",
            goal=1.5 if whole else None,
            at_least=False,
        )
        yield Measurement(
            name=f"tokens ({run})",
            value=together,
            unit="per resident and step",
            goal=700 if whole else None,
            at_least=False,
        )
        yield Measurement(
            name=f"prompt tokens from the cache ({run})",
            value=cached / max(prompts, 1),
            unit="of all",
            goal=0.5 if whole else None,
        )
    if {"itcma", "itcma-s"} <= set(tokens):
        ratio = median(tokens["itcma"]) / median(tokens["itcma-s"])
        yield Measurement(name="tokens of itcma / itcma-s", value=ratio, unit="times")


def _cost(architecture: str, deliberation: Deliberation, steps: int, seeds: Sequence[int]) -> tuple[float, float]:
    """Estimate calls and tokens per resident and step of one architecture."""
    found = [
        estimate(
            RunConfig(
                architecture=architecture,
                model=ModelConfig(name=LARGE_MODEL, embedder="hash", options={LARGE_MODEL: {"choosing": "auto"}}),
                mind=MindConfig(deliberation=deliberation),
                steps=steps,
                seed=seed,
            ),
            {},
            sampled_steps=steps,
        )
        for seed in seeds
    ]
    moments = steps * len(ValleyMap.default().residents)
    tokens = fmean(one.prompt_tokens + one.generated_tokens for one in found)
    return fmean(one.calls for one in found) / moments, tokens / moments
