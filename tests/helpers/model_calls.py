"""A model asked once, from plain code."""

import asyncio
from typing import Any

from language_models.protocol import Caller, GenerateRequest, Generation, LanguageModel

CALLER = Caller(module="action", resident="LL")


def request(prompt: str, caller: Caller = CALLER, **settings: Any) -> GenerateRequest:
    return GenerateRequest(prompt=prompt, caller=caller, **settings)


def generate(model: LanguageModel, prompt: str, caller: Caller = CALLER, **settings: Any) -> Generation:
    return asyncio.run(model.generate(request(prompt, caller, **settings)))
