"""Separate a model's thinking from its answer.

Servers that know the form of a model's thinking put it beside the answer, as `reasoning_content` (DeepSeek, llama.cpp,
older vLLM) or `reasoning` (vLLM, Ollama, OpenRouter). Others leave it in the text, as the block <think>...</think> at
its beginning; where the model's template opens the block, the text has its end alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language_models.arguments import OPTIONS

ALL_THINKING = "is empty: all its tokens went into thinking"
"""What is wrong with an answer that holds thinking alone; continues after "which"."""

MORE_THINKING = f"; set thinking to more tokens {OPTIONS}"
"""What to do about it."""

_BEGIN, _END = "<think>", "</think>"


def thought_beside(message: Mapping[str, Any]) -> str:
    """What stands beside the answer in its message; empty where nothing does."""
    for key in ("reasoning_content", "reasoning"):
        if isinstance(thought := message.get(key), str) and thought.strip():
            return thought
    return ""


def without_thinking(text: str) -> str | None:
    """A text without the block of thinking at its beginning; None where nothing is left without it.

    A text that begins as a JSON object does is an answer from its first character on, whatever words it holds.
    """
    before, end, answer = text.partition(_END)
    if before.lstrip().startswith(_BEGIN):
        return answer.lstrip() or None
    if not end or _BEGIN in before or before.lstrip().startswith("{"):
        return text
    return answer.lstrip() or None
