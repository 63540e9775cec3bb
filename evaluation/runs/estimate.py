"""Estimate the cost of a run from a few of its steps, taken with the scripted model."""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from evaluation.runs import event_loop
from evaluation.runs.build_society import answer_form, build_society
from evaluation.runs.call_seconds import seconds_a_call
from evaluation.runs.config_parts import Deliberation
from evaluation.runs.run_config import RunConfig
from itcma_s.deliberation.model_answer import TRIES
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.model_names import ModelKind, kind_of
from language_models.prices import Price, days_of, price_of
from language_models.registry import describe_model
from language_models.remote.choosing import most_tokens_of_choice, takes_letters
from language_models.remote.choosing_by_letters import requests_of_choice
from language_models.remote.openai_compatible import ASKS
from language_models.scripted import ScriptedModel, Writer, stable_hash
from language_models.token_counts import count_tokens
from language_models.transcript.calls import Call
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript
from ltrha import order_ranker
from ltrha.order_ranker import ASKS as RANKED_TIMES

SAMPLED_STEPS = 12
STEPS_OF_EACH = 4
"""How many steps of each of several runs are taken for their estimate."""
TOKENS_PER_WORD = 1.1
"""A guess: tokens for each word or mark, which is what the scripted model counts. In prompts of this project it is 1.08
for SmolLM2 and 1.03 for MiniLM; another model cuts words in its own way."""
LEAST_PER_WORD, MOST_PER_WORD = 1.0, 1.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Hold the rough cost of a run.

    Attributes:
        sampled_steps: How many steps were taken for it.
        calls: Model calls.
        prompt_tokens: Tokens of prompts; how many of them a cache will serve is not known.
        least_prompt_tokens: The same if the model takes `LEAST_PER_WORD` tokens for a word.
        most_prompt_tokens: The same if it takes `MOST_PER_WORD`.
        generated_tokens: Tokens written.
        most_generated_tokens: Tokens written if every answer is as long as it may be, and asked for as often.
        cost: US dollars, none of the prompts cached; None if the price of a model is not known.
        least_cost: The same at `LEAST_PER_WORD`.
        most_cost: The same at `MOST_PER_WORD`, if every answer is as long as it may be, and asked for as often.
        as_of: The days that the prices are of; empty where they do not say.
        modules: Calls, prompt and generated tokens of each module.
        seconds: How long it takes, with one run at a time.
        pace: What the time follows from, a clause for each model that takes some.
        runs: How many runs it is of.
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
    as_of: str
    modules: Mapping[str, tuple[int, int, int]]
    seconds: float
    pace: tuple[str, ...]
    runs: int = 1


def estimate_runs(
    configurations: Sequence[RunConfig], prices: Mapping[str, Price], sampled_steps: int = STEPS_OF_EACH
) -> Estimate:
    """Estimate the cost of several runs, one after the other; those that differ in their seed alone count as equal.

    Args:
        configurations: The runs, at least one.
        prices: By model.
        sampled_steps: How many steps of each are taken at most.

    Raises:
        ValueError: if there is no run, or one of them cannot be built.
    """
    if not configurations:
        raise ValueError("there is no run to estimate: all are finished")
    counts = Counter(json.dumps(replace(one, seed=0).to_json(), sort_keys=True) for one in configurations)
    found = [
        (estimate(RunConfig.from_json(json.loads(form)), prices, sampled_steps), count)
        for form, count in counts.items()
    ]

    def total(name: str) -> Any:
        return sum(getattr(one, name) * count for one, count in found)

    known = all(one.cost is not None for one, _ in found)
    modules: dict[str, tuple[int, int, int]] = {}
    for one, count in found:
        for module, (calls, prompt, generated) in one.modules.items():
            before = modules.get(module, (0, 0, 0))
            modules[module] = (
                before[0] + calls * count,
                before[1] + prompt * count,
                before[2] + generated * count,
            )
    totals: dict[str, Any] = {name: total(name) for name in _ADDED_UP}
    totals |= {name: total(name) if known else None for name in ("cost", "least_cost", "most_cost")}
    pace = tuple(dict.fromkeys(clause for one, _ in found for clause in one.pace))
    return replace(found[0][0], **totals, modules=modules, pace=pace, runs=len(configurations))


_ADDED_UP = (
    "calls",
    "prompt_tokens",
    "least_prompt_tokens",
    "most_prompt_tokens",
    "generated_tokens",
    "most_generated_tokens",
    "seconds",
)


def estimate(configuration: RunConfig, prices: Mapping[str, Price], sampled_steps: int = SAMPLED_STEPS) -> Estimate:
    """Estimate the cost of a run; prompts are those that its own model would get.

    Args:
        configuration: The run.
        prices: By model.
        sampled_steps: How many of its steps are taken at most; the others count as the second half of these.
    """
    steps = min(configuration.steps, sampled_steps)

    async def take_steps() -> None:
        for _ in range(steps):
            await society.step()

    writers: dict[str, Writer] = {"matrix": order_ranker.tie_all}
    if configuration.mind.deliberation == Deliberation.LLM and answer_form(configuration) == "plain":
        writers["action"] = _lines
    with Transcript(":memory:") as transcript:
        society = build_society(
            configuration, RecordedModel(ScriptedModel(writers=writers), transcript), HashEmbedder()
        )
        began = time.monotonic()
        try:
            event_loop.run(take_steps())
        finally:
            society.close()
        own = (time.monotonic() - began) * configuration.steps / steps
        usage = transcript.costs.by_module()
        most, listed, late = Counter[str](), Counter[str](), Counter[str]()
        for call in transcript.calls():
            late[call.caller.module] += call.caller.time >= steps // 2
            most[call.caller.module] += _most(configuration, call)
            # A large model reads the options behind the prompt; an embedded one compares them.
            if configuration.model.instructed(call.caller.module):
                options = _options(call.request.parameters)
                listed[call.caller.module] += options
                if _by_letters(configuration, call):
                    more = requests_of_choice(len(call.request.parameters["options"])) - 1
                    # The best of several groups are listed again.
                    listed[call.caller.module] += options * (1 if more == 1 else 3) + more * call.usage.prompt_tokens
    # The steps to come are as those of the second half: what is asked once, as what a place never seen holds, is over.
    to_come = (configuration.steps - steps) / (steps - steps // 2)
    scale = {row.module: 1 + to_come * late[row.module] / max(1, row.calls) for row in usage}
    modules = {
        row.module: (
            round(row.calls * scale[row.module]),
            round((row.prompt_tokens + listed[row.module]) * scale[row.module] * TOKENS_PER_WORD),
            round(row.generated_tokens * scale[row.module] * TOKENS_PER_WORD),
        )
        for row in usage
    }
    calls, prompt, generated = (sum(row[place] for row in modules.values()) for place in range(3))
    least, greatest = LEAST_PER_WORD / TOKENS_PER_WORD, MOST_PER_WORD / TOKENS_PER_WORD
    # Each request that is asked again reads its prompt again.
    upper = {
        module: (prompt * greatest * _asks(configuration, module), max(generated, round(most[module] * scale[module])))
        for module, (_, prompt, generated) in modules.items()
    }
    models = {module: describe_model(configuration.model.of(module)).recorded_name for module in modules}
    return Estimate(
        sampled_steps=steps,
        calls=calls,
        prompt_tokens=prompt,
        least_prompt_tokens=round(prompt * least),
        most_prompt_tokens=round(prompt * greatest),
        generated_tokens=generated,
        most_generated_tokens=sum(written for _, written in upper.values()),
        cost=_cost(configuration, prices, {module: row[1:] for module, row in modules.items()}),
        least_cost=_cost(configuration, prices, {m: (row[1] * least, row[2] * least) for m, row in modules.items()}),
        most_cost=_cost(configuration, prices, upper),
        as_of=days_of(price for m in modules if (price := price_of(configuration.model.of(m), prices)) is not None),
        modules=modules,
        seconds=own + sum(row[0] * seconds_a_call(models[module])[0] for module, row in modules.items()),
        pace=tuple(dict.fromkeys(map(_pace, models.values()))),
    )


def _pace(model: str) -> str:
    """Describe what the time of a model's calls follows from."""
    seconds, measured = seconds_a_call(model)
    if kind_of(model) is ModelKind.SCRIPTED:
        return f"{model}: as the sampled steps took"
    why = "measured in its last run on this machine" if measured else "assumed, as no run on this machine asked it"
    return f"{model}: {seconds:.2g} s a call, {why}"


def _lines(prompt: str, seed: int) -> str:
    """Write an answer in lines, about as long as a leading model's; it varies with the prompt."""
    listed = re.findall(r"\[(\d+)\]", prompt.rpartition("You can:")[2])
    number = 1 + stable_hash(prompt, seed) % len(listed)
    thought = "I have looked around and thought of what I was asked, and this is what seems best to me now."
    return (
        f"Thought: {thought}\nGoal is: changed\nGoal: Get to know my neighbours over a meal.\n"
        f"Plan: greet them; eat together\nAction: {number}\nWords: Good day to you all, shall we eat together?"
    )


def _cost(
    configuration: RunConfig,
    prices: Mapping[str, Price],
    tokens: Mapping[str, tuple[float, float]],
) -> float | None:
    """Compute US dollars, each module at the price of its own model; None if a price is unknown.

    Args:
        configuration: The run.
        prices: By model.
        tokens: Prompt and generated tokens of each module.
    """
    total = 0.0
    for module, (prompt, generated) in tokens.items():
        if (price := price_of(configuration.model.of(module), prices)) is None:
            return None
        total += price.of(prompt, 0, generated)
    return total


def _options(parameters: Mapping[str, Any]) -> int:
    """Count words and marks of the options of a choice and of their descriptions."""
    return sum(count_tokens(text) for key in ("options", "descriptions") for text in parameters.get(key, ()))


def _choosing(configuration: RunConfig, module: str) -> str:
    """Return the choice method of a module's model."""
    return str(configuration.model.options_of(module).get("choosing", "auto"))


def _by_letters(configuration: RunConfig, call: Call) -> bool:
    """Return whether a call is a choice by letters, which takes several requests."""
    module, parameters = call.caller.module, call.request.parameters
    return (
        call.request.method == "choose"
        and configuration.model.spec_of(module).kind is ModelKind.REMOTE
        and takes_letters(_choosing(configuration, module), len(parameters["options"]))
    )


def _asks(configuration: RunConfig, module: str) -> int:
    """Return how often a module's model is called for one answer, at most."""
    # The model that decides, and the ranker, are asked again for what a schema cannot express.
    again = 1
    if module == "action" and configuration.mind.deliberation == Deliberation.LLM:
        again = TRIES
    elif module == "matrix" and configuration.model.orders_matrix:
        again = RANKED_TIMES
    if not configuration.model.instructed(module):
        return again
    return again * int(configuration.model.options_of(module).get("asks", ASKS))


def _most(configuration: RunConfig, call: Call) -> int:
    """Return the most tokens that a call can generate, with retries."""
    module, parameters = call.caller.module, call.request.parameters
    asks = _asks(configuration, module)
    thinking = int(configuration.model.options_of(module).get("thinking", 0))
    if call.request.method == "generate":
        most = int(parameters["max_tokens"]) + int(parameters.get("think", 0) or thinking)
        return most * int(parameters.get("samples", 1)) * asks
    if call.request.method == "choose" and configuration.model.spec_of(module).kind is ModelKind.REMOTE:
        # An address that may turn out to have no letters writes more.
        if _by_letters(configuration, call) and _choosing(configuration, module) != "auto":
            return requests_of_choice(len(parameters["options"])) * asks
        return (most_tokens_of_choice(parameters["options"]) + thinking) * asks
    # What is there is scored token by token; a choice is scored by the prompt, and by none.
    texts = [text for key in ("options", "descriptions", "continuations") for text in parameters.get(key, ())]
    return 2 * sum(math.ceil(MOST_PER_WORD * count_tokens(text)) for text in texts)


def in_words(found: Estimate) -> str:
    """Write an estimate as lines of text."""
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
    what = "it takes" if found.runs == 1 else f"the {found.runs:,} runs take, one after the other,"
    pace = "; ".join(found.pace) or "no model is asked"
    lines.append(f"{what} about {timedelta(seconds=round(found.seconds))} ({pace})")
    lines.append(
        f"this is a guess, from the first {found.sampled_steps} steps with the scripted model and {TOKENS_PER_WORD:g} "
        f"tokens a word ({LEAST_PER_WORD:g} to {MOST_PER_WORD:g}, as the model cuts words)"
    )
    if found.cost is None:
        lines.append("the price of the model is not known; give it with --prices FILE")
    else:
        as_of = f", at prices of {found.as_of}" if found.as_of else ""
        lines.append(
            f"about ${found.cost:,.2f} (from ${found.least_cost:,.2f} to ${found.most_cost:,.2f} if every answer "
            f"is as long as it may be, and asked for as often), with no prompt cached{as_of}"
        )
    return "\n".join(lines)
