"""A model that notes what it was asked for a decision, and answers where there is one that answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from language_models.protocol import Caller, Choice, GenerateRequest, Generation, LanguageModel, Scores

DECIDING = "action"
"""The module that asks for decisions."""


class NoAnswerAtHand(LookupError):
    """A request that no model is at hand to answer. It is no ModelError: nobody lives on without an answer."""


class Noting:
    """Passes requests on, and notes those for decisions.

    Attributes:
        name: That of the model behind it.
    """

    def __init__(self, model: LanguageModel | None, requests: dict[str, str]) -> None:
        """Begin with nothing noted.

        Args:
            model: Answers; None where none is at hand.
            requests: By resident, the first request since it was removed from here.
        """
        self.name = "none" if model is None else model.name
        self._model = model
        self._requests = requests

    async def generate(self, request: GenerateRequest) -> Generation:
        """See ``LanguageModel.generate``."""
        return await self._answering(request.prompt, request.caller).generate(request)

    async def choose(self, prompt: str, options: Sequence[str], *, caller: Caller, **asked: Any) -> Choice:
        """See ``LanguageModel.choose``; the options are noted as part of the request."""
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
