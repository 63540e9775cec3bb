"""A model asked once, from plain code."""

import asyncio

from language_models.protocol import Caller, GenerateRequest

CALLER = Caller(module="action", resident="LL")


def request(prompt, caller=CALLER, **settings):
    return GenerateRequest(prompt=prompt, caller=caller, **settings)


def generate(model, prompt, caller=CALLER, **settings):
    return asyncio.run(model.generate(request(prompt, caller, **settings)))
