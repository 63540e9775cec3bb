"""One model for each module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from language_models.protocol import Caller, Choice, GenerateRequest, Generation, LanguageModel, Scores


class RoutedModel:
    """Passes each call on to the model of the module that makes it.

    Attributes:
        name: The names of all models.
    """

    def __init__(self, default: LanguageModel, by_module: Mapping[str, LanguageModel]) -> None:
        """Assign models to modules.

        Args:
            default: For modules that are not named.
            by_module: By ``Caller.module``.
        """
        self._default = default
        self._by_module = dict(by_module)
        self.name = ", ".join(dict.fromkeys([default.name, *(model.name for model in by_module.values())]))

    def model_of(self, module: str) -> LanguageModel:
        """The model that a module asks."""
        return self._by_module.get(module, self._default)

    async def generate(self, request: GenerateRequest) -> Generation:
        """Pass the request on."""
        return await self.model_of(request.caller.module).generate(request)

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Pass the request on."""
        model = self.model_of(caller.module)
        return await model.choose(prompt, options, caller=caller, query=query, descriptions=descriptions)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Pass the request on."""
        return await self.model_of(caller.module).score(prompt, continuations, caller=caller)
