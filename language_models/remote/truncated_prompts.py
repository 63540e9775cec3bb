"""Detect servers that silently truncate a prompt: an answer to a part of it does not count."""

from __future__ import annotations

import time
from typing import Any

from language_models.protocol import PromptTooLong, total_usage
from language_models.remote.choosing_by_letters import Answer, Complete
from language_models.remote.prompt_length import LONGER_CONTEXT, seems_truncated
from language_models.remote.responses import adding_usage_on_failure, as_unusable
from language_models.token_counts import count_tokens

_CUT = "seems to be to a part of the prompt only"


class TruncationCheck:
    """Rejects answers to prompts that the server has truncated.

    Some servers do not count the tokens that they have in their cache, and so seem to cut what they read whole. What
    seems to be cut is therefore sent once more, behind a beginning that is in no cache. Where it was whole, nothing
    that this server counts is looked at any more.
    """

    def __init__(self, ask: Complete, name: str) -> None:
        """Prepare; nothing is sent yet.

        Args:
            ask: Sends a prompt.
            name: Of the server, for errors.
        """
        self._ask = ask
        self._name = name
        self._counts = True

    async def complete(self, prompt: str, body: dict[str, Any]) -> Answer:
        """Send a prompt with more fields of the request; the answer and what it cost.

        Args:
            prompt: What the model is to continue.
            body: The other fields, all but the prompt.

        Raises:
            PromptTooLong: if the server read a part of the prompt only.
        """
        answer, usage = await self._ask(prompt, body)
        if not (self._counts and seems_truncated(prompt, usage.prompt_tokens)):
            return answer, usage
        with adding_usage_on_failure(as_unusable(usage, _CUT, answer)):
            other, again = await self._ask(f"({time.time_ns()})\n{prompt}", body)
            if seems_truncated(prompt, read := again.prompt_tokens):
                raise PromptTooLong(
                    f"{self._name} read {read:,} tokens of a prompt of {count_tokens(prompt):,} words and marks, which "
                    f"is longer than the model's context, and answered what was left: {LONGER_CONTEXT}",
                    usage=as_unusable(again, _CUT, other),
                )
        self._counts = False
        return answer, total_usage([usage, again])
