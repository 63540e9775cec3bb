"""Model calls as page data: full prompts, answers and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from language_models.prices import Price, price_of
from language_models.transcript.calls import Call

_REMEMBERED = "What comes to mind:\n"


def calls_data(calls: Iterable[Call], prices: Mapping[str, Price]) -> dict[str, dict[str, Any]]:
    """Return calls as page data, by identifier; ``dollars`` is null if the price is unknown.

    Args:
        calls: Calls of a run.
        prices: Prices by model.
    """
    return {str(call.usage.call): _call_data(call, prices) for call in calls}


def _call_data(call: Call, prices: Mapping[str, Price]) -> dict[str, Any]:
    usage, price = call.usage, price_of(call.request.model, prices)
    dollars = None if price is None else price.of(usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens)
    return {
        "module": call.caller.module,
        "resident": call.caller.resident,
        "time": call.caller.time,
        "model": call.request.model,
        "method": call.request.method,
        "prompt": call.request.prompt,
        "asked": dict(call.request.parameters),
        "answer": _answer(call),
        "tokens": [usage.prompt_tokens, usage.cached_tokens, usage.generated_tokens],
        "seconds": round(usage.seconds, 3),
        "dollars": dollars,
        "attempts": len(usage.attempts),
    }


def _answer(call: Call) -> Any:
    """Return the generated text, the full response of a choice or score, or the error of a failed call."""
    if call.response is None:
        return call.error
    return call.response.get("text", dict(call.response))


def came_to_mind(calls: Iterable[Call]) -> list[str]:
    """Extract the memories listed in the prompts of calls, one line each; empty if no prompt lists memories."""
    lines: list[str] = []
    for call in calls:
        _, found, rest = call.request.prompt.partition(_REMEMBERED)
        if found:
            lines += [line.removeprefix("- ") for line in rest.partition("\n\n")[0].splitlines()]
    return lines
