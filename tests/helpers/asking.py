"""A model at the address of a stand-in server, asked for one thing."""

import asyncio

from language_models.protocol import Caller, GenerateRequest
from language_models.remote.openai_compatible import OpenAICompatible

ADA = Caller(module="action", resident="ada")


def use(server, ask, **options):
    async def run():
        settings = {"backoff": 0.01, "api_key": "", **options}
        async with OpenAICompatible(server.url, settings.pop("model", "qwen"), **settings) as model:
            return await ask(model)

    return asyncio.run(run())


def generate(model, **options):
    return model.generate(GenerateRequest(prompt="Ada thinks:", caller=ADA, **options))


def choose(model):
    return model.choose("What now?", ["go", "stay"], caller=ADA, descriptions=["see Ben", "rest"])
