"""Choices by letters: the log-probabilities of an answer's first token are those of the options.

Models favour some positions and letters, so options are listed in both orders, and the two are averaged.
"""

from __future__ import annotations

import math
import string
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from language_models.arguments import option_lines
from language_models.protocol import Choice, Usage, total_usage
from language_models.remote.responses import UnusableAnswer, first_token, gather_answers, text_of

LABELS = string.ascii_uppercase[:20]  # The API reports at most 20 alternatives of a token.

Answer = tuple[dict[str, Any], Usage]
Complete = Callable[[str, dict[str, Any]], Awaitable[Answer]]
"""Sends a prompt with the other fields of the request; returns the answer and its cost."""


class UntilUsable(Protocol):
    """Repeats a request until its answer is usable, a limited number of times."""

    async def __call__(self, ask: Callable[[int], Awaitable[tuple[Choice, Usage]]], remedy: str = "") -> Choice:
        """Return the first usable answer; `ask` takes the number of the attempt."""
        ...


class LetterChooser:
    """Chooses among options that are labelled with letters."""

    def __init__(self, complete: Complete, until_usable: UntilUsable, *, by_chat: bool) -> None:
        """Configure the choice; nothing is sent yet.

        Args:
            complete: Sends a request to the server.
            until_usable: Repeats a request until its answer is usable.
            by_chat: Whether `complete` uses /chat/completions instead of /completions.
        """
        self._complete = complete
        self._until_usable = until_usable
        self._by_chat = by_chat

    async def choose(self, prompt: str, options: Sequence[str], descriptions: Sequence[str]) -> Choice:
        """Choose an option; more options than letters are split into groups, whose winners are compared.

        An option's probability is its probability within its group times that of the group's winner among the winners.

        Args:
            prompt: The situation.
            options: At least one.
            descriptions: One for each, or empty texts.
        """
        size = len(LABELS)
        pairs = list(zip(options, descriptions, strict=True))
        groups = [pairs[start : start + size] for start in range(0, len(pairs), size)]
        rounds = await gather_answers(self._in_both_orders(prompt, group) for group in groups)
        if len(groups) == 1:
            return rounds[0]
        described = dict(pairs)
        best = [choice.option for choice in rounds]
        final = await self.choose(prompt, best, [described[option] for option in best])
        shares = zip(rounds, final.probabilities, strict=True)
        probabilities = tuple(share * one for choice, share in shares for one in choice.probabilities)
        usage = total_usage([*(choice.usage for choice in rounds), final.usage])
        return Choice(option=final.option, probabilities=probabilities, usage=usage)

    async def _in_both_orders(self, prompt: str, group: Sequence[tuple[str, str]]) -> Choice:
        """Average the log-probabilities of both orders: each option gets the geometric mean of its probabilities."""
        options, descriptions = [option for option, _ in group], [text for _, text in group]

        def ask(step: int) -> Awaitable[Choice]:
            listed = options[::step], descriptions[::step]
            return self._until_usable(lambda attempt: self.once(prompt, *listed, attempt))

        forwards, backwards = await gather_answers([ask(1), ask(-1)])
        both = zip(forwards.probabilities, backwards.probabilities[::-1], strict=True)
        means = [math.sqrt(one * other) for one, other in both]
        probabilities = tuple(mean / math.fsum(means) for mean in means)
        best = max(range(len(options)), key=lambda place: means[place])
        usage = total_usage([forwards.usage, backwards.usage])
        return Choice(option=options[best], probabilities=probabilities, usage=usage)

    async def once(
        self, prompt: str, options: Sequence[str], descriptions: Sequence[str], attempt: int = 0
    ) -> tuple[Choice, Usage]:
        """Choose by the letters in one order of options, in one request.

        Log-probabilities depend on no seed, so each attempt is worded differently.

        Args:
            prompt: The situation.
            options: At least one, and no more than ``LABELS``.
            descriptions: Meaning or effect of each option; empty, or as many as options.
            attempt: Number of earlier attempts.

        Raises:
            UnusableAnswer: if no letter is among the likely tokens, none is likelier than the unreported ones, or there
                are no log-probabilities.
        """
        labels = LABELS[: len(options)]
        listed = "\n".join(f"{a}. {o}" for a, o in zip(labels, option_lines(options, descriptions), strict=True))
        how = "Answer with the letter of one option only."
        if attempt:
            how = f"{how} This is attempt {attempt + 1}: write {' or '.join(labels)}, and nothing before it."
        asked = f"{prompt}\n\nOptions:\n{listed}\n\n{how}\nAnswer:"
        body = {
            "max_tokens": 1,
            "temperature": 0.0,
            **({"logprobs": True, "top_logprobs": 20} if self._by_chat else {"logprobs": 20}),
        }
        answer, usage = await self._complete(asked, body)
        tokens = first_token(answer, usage)
        found: dict[str, float] = {}
        for token, logarithm in tokens:
            label = token.strip()
            if len(label) == 1 and label in labels:
                found[label] = found.get(label, 0.0) + math.exp(logarithm)
        if not math.fsum(found.values()) > 0:
            raise UnusableAnswer(text_of(answer, usage), "has no letter of an option among the likely tokens", usage)
        # A token that is not reported is at most as likely as the last that is.
        least = max(min(math.exp(logarithm) for _, logarithm in tokens), 1e-12)
        shares = [max(found.get(label, 0.0), least) for label in labels]
        if len(set(shares)) == 1 and len(found) < len(labels):
            raise UnusableAnswer(text_of(answer, usage), "tells no option from the others by its likely tokens", usage)
        probabilities = tuple(share / math.fsum(shares) for share in shares)
        best = max(range(len(options)), key=lambda place: probabilities[place])
        return Choice(option=options[best], probabilities=probabilities, usage=usage), usage


def requests_of_choice(options: int) -> int:
    """Return how many requests a choice by letters takes: every group of options in both orders."""
    groups = -(-options // len(LABELS))
    return 2 * groups + (requests_of_choice(groups) if groups > 1 else 0)
