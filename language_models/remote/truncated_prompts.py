"""Detection of servers that silently truncate a prompt, whose answers are then rejected."""

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

    Some servers do not count the tokens that they have in their cache, and so seem to cut prompts they read whole. What
    seems to be cut is therefore sent once more, after a beginning that is in no cache. If it was read whole, the
    server's token counts are ignored from then on.
    """

    def __init__(self, ask: Complete, name: str) -> None:
        """Set how to send a prompt.

        Args:
            ask: Sends a prompt.
            name: The server's name, for errors.
        """
        self._ask = ask
        self._name = name
        self._counts = True

    async def complete(self, prompt: str, body: dict[str, Any]) -> Answer:
        """Send a prompt with the other fields of the request; return the answer and its cost.

        Args:
            prompt: Text to continue.
            body: All fields of the request but the prompt.

        Raises:
            PromptTooLong: if the server read only part of the prompt.
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
