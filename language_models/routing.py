"""Model that routes each module's calls to a model of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from language_models.protocol import Caller, Choice, GenerateRequest, Generation, LanguageModel, Scores


class RoutedModel:
    """Forwards each call to the model of the module that makes it.

    Attributes:
        name: The names of all models.
    """

    def __init__(self, default: LanguageModel, by_module: Mapping[str, LanguageModel]) -> None:
        """Assign models to modules.

        Args:
            default: Model for modules that are not named.
            by_module: Models by ``Caller.module``.
        """
        self._default = default
        self._by_module = dict(by_module)
        self.name = ", ".join(dict.fromkeys([default.name, *(model.name for model in by_module.values())]))

    def model_of(self, module: str) -> LanguageModel:
        """Return the model for a module."""
        return self._by_module.get(module, self._default)

    async def generate(self, request: GenerateRequest) -> Generation:
        """Forward the request."""
        return await self.model_of(request.caller.module).generate(request)

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Forward the request."""
        model = self.model_of(caller.module)
        return await model.choose(prompt, options, caller=caller, query=query, descriptions=descriptions)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Forward the request."""
        return await self.model_of(caller.module).score(prompt, continuations, caller=caller)
