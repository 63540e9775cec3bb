"""What a run will cost, before it is begun: some of its steps are lived with the scripted model, for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation import event_loop
from evaluation.assembly import build_society
from evaluation.configuration import Configuration
from language_models.embedder import HashEmbedder
from language_models.prices import Price, price_of
from language_models.recording import Recorded
from language_models.scripted import ScriptedModel, count_tokens
from language_models.transcript import Transcript

SAMPLED_STEPS = 12
TOKENS_PER_WORD = 1.1
"""A guess: tokens for each word or mark, which is what the scripted model counts. In prompts of this project it is 1.08
for SmolLM2 and 1.03 for MiniLM; another model cuts words in its own way."""
LEAST_PER_WORD, MOST_PER_WORD = 1.0, 1.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What a run will take, roughly.

    Attributes:
        sampled_steps: How many steps were lived for it.
        calls: Model calls.
        prompt_tokens: Tokens of prompts; how many of them a cache will serve is not known.
        least_prompt_tokens: The same if the model takes `LEAST_PER_WORD` tokens for a word.
        most_prompt_tokens: The same if it takes `MOST_PER_WORD`.
        generated_tokens: Tokens written.
        most_generated_tokens: Tokens written if every text is as long as it may be.
        cost: US dollars, none of the prompts cached; None if the price of a model is not known.
        least_cost: The same at `LEAST_PER_WORD`.
        most_cost: The same at `MOST_PER_WORD`, with texts as long as they may be.
        modules: Calls, prompt and generated tokens of each module.
    """

    sampled_steps: int
    calls: int
    prompt_tokens: int
    least_prompt_tokens: int
    most_prompt_tokens: int
    generated_tokens: int
    most_generated_tokens: int
    cost: float | None
    least_cost: float | None
    most_cost: float | None
    modules: Mapping[str, tuple[int, int, int]]


def estimate(configuration: Configuration, prices: Mapping[str, Price], sampled_steps: int = SAMPLED_STEPS) -> Estimate:
    """Estimate the cost of a run; prompts are written as for its own model.

    Args:
        configuration: The run.
        prices: By model.
        sampled_steps: How many of its steps are lived at most; the others count as these.
    """
    steps = min(configuration.steps, sampled_steps)
    scale = configuration.steps / steps

    async def live() -> None:
        for _ in range(steps):
            await society.step()

    with Transcript(":memory:") as transcript:
        society = build_society(configuration, Recorded(ScriptedModel(), transcript), HashEmbedder())
        event_loop.run(live())
        usage = transcript.usage_by_module()
        most, listed = 0, Counter[str]()
        for call in transcript.calls():
            most += _most(call.request.parameters)
            # A large model reads the options behind the prompt; an embedded one compares them.
            if configuration.instructed(call.caller.module):
                options = _options(call.request.parameters)
                listed[call.caller.module] += options
                if call.request.method == "choose" and _in_both_orders(configuration, call.caller.module):
                    listed[call.caller.module] += options + call.usage.prompt_tokens
    modules = {
        row.module: (
            round(row.calls * scale),
            round((row.prompt_tokens + listed[row.module]) * scale * TOKENS_PER_WORD),
            round(row.generated_tokens * scale * TOKENS_PER_WORD),
        )
        for row in usage
    }
    calls, prompt, generated = (sum(row[place] for row in modules.values()) for place in range(3))
    least, greatest = LEAST_PER_WORD / TOKENS_PER_WORD, MOST_PER_WORD / TOKENS_PER_WORD
    most_generated = max(generated, round(most * scale))
    return Estimate(
        sampled_steps=steps,
        calls=calls,
        prompt_tokens=prompt,
        least_prompt_tokens=round(prompt * least),
        most_prompt_tokens=round(prompt * greatest),
        generated_tokens=generated,
        most_generated_tokens=most_generated,
        cost=_cost(configuration, prices, modules, 1.0, 1.0),
        least_cost=_cost(configuration, prices, modules, least, least),
        most_cost=_cost(configuration, prices, modules, greatest, max(greatest, most_generated / max(generated, 1))),
        modules=modules,
    )


def _cost(
    configuration: Configuration,
    prices: Mapping[str, Price],
    modules: Mapping[str, tuple[int, int, int]],
    read: float,
    written: float,
) -> float | None:
    """US dollars, each module at the price of its own model; None if one of the prices is not known.

    Args:
        configuration: The run.
        prices: By model.
        modules: Calls, prompt and generated tokens of each.
        read: So many times these tokens in prompts.
        written: So many times those generated.
    """
    total = 0.0
    for module, (_, prompt, generated) in modules.items():
        if (price := price_of(configuration.model_of(module), prices)) is None:
            return None
        total += price.of(prompt * read, 0, generated * written)
    return total


def _options(parameters: Mapping[str, Any]) -> int:
    """Words and marks of the options of a choice, with what is said of each."""
    return sum(count_tokens(text) for key in ("options", "descriptions") for text in parameters.get(key, ()))


def _in_both_orders(configuration: Configuration, module: str) -> bool:
    """Whether a choice by letters is asked for twice, with the options in both orders."""
    return configuration.options.get(configuration.model_of(module), {}).get("choosing") == "logprobs"


def _most(parameters: Mapping[str, Any]) -> int:
    """The most tokens that a call may write: a choice or a score writes few."""
    return int(parameters.get("max_tokens", 1)) * int(parameters.get("samples", 1))


def in_words(found: Estimate) -> str:
    """An estimate as lines of text."""
    width = max(map(len, found.modules), default=0)
    lines = [
        f"{module:{width}}  {calls:>9,} calls  {prompt:>12,} prompt tokens  {generated:>10,} generated tokens"
        for module, (calls, prompt, generated) in found.modules.items()
    ]
    lines.append(
        f"about {found.calls:,} model calls, {found.prompt_tokens:,} prompt tokens ({found.least_prompt_tokens:,} to "
        f"{found.most_prompt_tokens:,}) and {found.generated_tokens:,} generated tokens (at most "
        f"{found.most_generated_tokens:,})"
    )
    lines.append(
        f"this is a guess, from the first {found.sampled_steps} steps with the scripted model and {TOKENS_PER_WORD:g} "
        f"tokens a word ({LEAST_PER_WORD:g} to {MOST_PER_WORD:g}, as the model cuts words)"
    )
    if found.cost is None:
        lines.append("the price of the model is not known; give it with --prices FILE")
    else:
        lines.append(
            f"about ${found.cost:,.2f} (from ${found.least_cost:,.2f} to ${found.most_cost:,.2f} if every text is as "
            "long as it may be), with no prompt cached"
        )
    return "\n".join(lines)
