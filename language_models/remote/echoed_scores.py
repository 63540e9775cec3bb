"""Log-probabilities of a text from /completions with `echo`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from language_models.protocol import ModelError, Scores, Usage
from language_models.remote.responses import as_unusable


def read_echo(answer: dict[str, Any], usage: Usage, prompt: str, server: str) -> Scores:
    """The log-probability of what follows a prompt, in nats, summed over its tokens.

    A token that lies across the border belongs to what follows.

    Args:
        answer: What came back for the prompt and the text behind it.
        usage: What it cost.
        prompt: The prompt alone.
        server: Its address, for errors.

    Raises:
        ModelError: if the answer has no log-probabilities of the text.
    """
    try:
        logprobs = answer["choices"][0]["logprobs"]
        tokens = list(zip(logprobs["tokens"], logprobs["token_logprobs"], logprobs["text_offset"], strict=True))
        values = [value for token, value, start in tokens if start + len(token) > len(prompt)]
        if not values:
            raise ValueError("no token of the continuation")
        total = math.fsum(float(value) for value in values)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelError(
            f"{server} does not score: its answer to /completions with echo has no log-probabilities of the "
            f"prompt ({error}); use a server that has them, such as vLLM, or the embedded model",
            usage=as_unusable(usage, "has no log-probabilities of the prompt", answer),
        ) from None
    return Scores(values=(total,), usage=replace(usage, generated_tokens=len(values)))
