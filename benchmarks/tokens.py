"""The part of ``irollan bench mind`` that says what each architecture costs with a large model, in calls and tokens.

No model is asked: lives of 75 steps are lived with the scripted one, with the prompts that a large model would get, as
``irollan run --estimate`` does with fewer steps. Tokens are estimated from words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from benchmarks.benchmark import Measurement
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.configuration import Configuration
from evaluation.runs.estimate import estimate
from irollan_env.map.valley_map import ValleyMap

STEPS, SEEDS = 75, (0, 1)
LARGE_MODEL = "openai:http://127.0.0.1:8000/v1#model"
"""Any address: what is there is not asked."""


def prompted(tell: Callable[[str], None], *, steps: int = STEPS, seeds: Sequence[int] = SEEDS) -> Iterator[Measurement]:
    """Calls and tokens per resident and step of every architecture, and how much dearer ITCMA is than ITCMA-S.

    Choices are made as at an address that can do both: up to 20 options by letters, which reads a prompt twice, and
    more by a schema, which reads it once. For ITCMA and ITCMA-S tokens are given for either of the two alone, too.

    Args:
        tell: Takes a line about the progress.
        steps: Of each life.
        seeds: Of the lives; numbers are means over them.
    """
    lived = f"a large model, seeds {', '.join(map(str, seeds))}, {steps} steps"
    tokens: dict[str, float] = {}
    for architecture in ARCHITECTURES:
        tell(f"living {steps} steps of {architecture} as with a large model")
        calls, tokens[architecture] = _cost(architecture, "auto", steps, seeds)
        for what, value, goal in (("calls", calls, 1.5), ("tokens", tokens[architecture], 700)):
            yield Measurement(
                name=f"{what} ({architecture}, {lived})",
                value=value,
                unit="per resident and step",
                goal=goal if architecture == "itcma-s" else None,
                at_least=False,
            )
    for architecture in ("itcma", "itcma-s"):
        for what, choosing in (("letters", "logprobs"), ("a schema", "structured")):
            tell(f"living {steps} steps of {architecture} as with a large model that chooses by {what}")
            yield Measurement(
                name=f"tokens with choices by {what} ({architecture}, {lived})",
                value=_cost(architecture, choosing, steps, seeds)[1],
                unit="per resident and step",
                goal=700 if architecture == "itcma-s" else None,
                at_least=False,
            )
    yield Measurement(
        name=f"tokens of itcma / itcma-s ({lived})",
        value=tokens["itcma"] / tokens["itcma-s"],
        unit="times",
        goal=10,
    )


def _cost(architecture: str, choosing: str, steps: int, seeds: Sequence[int]) -> tuple[float, float]:
    """Calls and tokens per resident and step."""
    options = {LARGE_MODEL: {"choosing": choosing}}
    found = [
        estimate(
            Configuration(
                architecture=architecture, model=LARGE_MODEL, embedder="hash", steps=steps, seed=seed, options=options
            ),
            {},
            sampled_steps=steps,
        )
        for seed in seeds
    ]
    moments = steps * len(ValleyMap.default().residents)
    tokens = fmean(one.prompt_tokens + one.generated_tokens for one in found)
    return fmean(one.calls for one in found) / moments, tokens / moments
