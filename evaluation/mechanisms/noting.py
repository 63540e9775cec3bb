"""Language model wrapper that records decision requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from language_models.protocol import Caller, Choice, GenerateRequest, Generation, LanguageModel, Scores

DECIDING = "action"
"""Name of the module whose requests are recorded."""


class NoAnswerAtHand(LookupError):
    """Raised when no model is available for a request; not a ModelError, so that the run does not continue."""


class Noting:
    """Forwards model requests and records the decision requests.

    Attributes:
        name: Name of the wrapped model; "none" without one.
    """

    def __init__(self, model: LanguageModel | None, requests: dict[str, str]) -> None:
        """Wrap a model.

        Args:
            model: Answers the requests; None if no model is available.
            requests: Filled with each resident's first decision request since its entry was last removed.
        """
        self.name = "none" if model is None else model.name
        self._model = model
        self._requests = requests

    async def generate(self, request: GenerateRequest) -> Generation:
        """See ``LanguageModel.generate``."""
        return await self._answering(request.prompt, request.caller).generate(request)

    async def choose(self, prompt: str, options: Sequence[str], *, caller: Caller, **asked: Any) -> Choice:
        """See ``LanguageModel.choose``; the options are recorded as part of the request."""
        listed = "\n".join([prompt, *options])
        return await self._answering(listed, caller).choose(prompt, options, caller=caller, **asked)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """See ``LanguageModel.score``."""
        return await self._answering(prompt, caller).score(prompt, continuations, caller=caller)

    def _answering(self, request: str, caller: Caller) -> LanguageModel:
        if caller.module == DECIDING:
            self._requests.setdefault(caller.resident, request)
        if self._model is None:
            raise NoAnswerAtHand(f"no model is at hand to answer module {caller.module!r} of {caller.resident!r}")
        return self._model
