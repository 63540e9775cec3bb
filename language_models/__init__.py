r"""Language models and embedders by name, behind one small protocol: generate, choose, score.

Load a model and ask it from plain code:

>>> from language_models import load_embedder, load_model
>>> with load_model("scripted") as model:
...     model.ask("LL sees SG. LL says:", max_tokens=16, seed=1)
'I keep thinking about this.'

Many requests at once, in a coroutine:

>>> import asyncio
>>> from language_models import Caller, GenerateRequest
>>> async def greet(names):
...     callers = [Caller(module="demo", resident=name) for name in names]
...     requests = [GenerateRequest(prompt=f"{one.resident} says:", caller=one) for one in callers]
...     return [answer.text for answer in await asyncio.gather(*map(model.generate, requests))]
>>> len(asyncio.run(greet(["LL", "SG", "MD"])))
3

To write a backend, derive from ``BaseModel`` and define ``write``. Its name is ``module:Class``, or that of an
entry point in the group ``irollan.models``. A server gets the form of an answer from the prompt and from
``request.schema`` or ``request.pattern``; this model keeps to it by itself, so that a society can ask it, too:

>>> import json, re
>>> from language_models import BaseModel
>>> def fill(schema):  # the first choice, or all names as equals
...     if "enum" in schema:
...         return schema["enum"][0]
...     if "items" in schema:
...         return schema["items"].get("enum") or [fill(schema["items"])]
...     return {key: fill(part) for key, part in schema["properties"].items()}
>>> class Polite(BaseModel):
...     async def write(self, request):
...         if request.schema:
...             return json.dumps(fill(request.schema))
...         labels = re.findall('"([A-Z][a-z]+: )"', request.pattern or "") or [""]
...         return "\n".join(f"{label}After you." for label in labels)
>>> Polite().ask("Who goes first?")
'After you.'
>>> import evaluation
>>> mind = evaluation.MindConfig(deliberation="similarity")  # formulas decide, and the model writes
>>> config = evaluation.RunConfig(steps=4, mind=mind, model=evaluation.ModelConfig(embedder="hash"))
>>> int(evaluation.run(config, model=Polite()).events["failure"].count())
0

Record every call, and replay it without the model:

>>> from language_models import RecordedModel, ReplayedModel, Transcript
>>> caller = Caller(module="action", resident="LL")
>>> with Transcript(":memory:") as transcript:
...     recorded = RecordedModel(Polite(), transcript)
...     asked = GenerateRequest(prompt="It rains. LL says:", caller=caller)
...     text = asyncio.run(recorded.generate(asked)).text
...     asyncio.run(ReplayedModel(transcript).generate(asked)).text == text
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from language_models.model_names import ModelKind
from language_models.protocol import (
    Attempt,
    Caller,
    Choice,
    Embedder,
    GenerateRequest,
    Generation,
    LanguageModel,
    ModelError,
    ModelUnavailable,
    PromptTooLong,
    Refused,
    Scores,
    Usage,
)
from language_models.registry import EmbedderSpec, ModelSpec, find_embedder, find_model, load_embedder, load_model
from language_models.routing import RoutedModel

if TYPE_CHECKING:
    from language_models.base_model import BaseModel
    from language_models.scripted import ScriptedModel
    from language_models.transcript.recording import RecordedModel
    from language_models.transcript.replaying import NotRecorded, ReplayedModel
    from language_models.transcript.transcript import Transcript

__all__ = [
    "Attempt",
    "BaseModel",
    "Caller",
    "Choice",
    "Embedder",
    "EmbedderSpec",
    "GenerateRequest",
    "Generation",
    "LanguageModel",
    "ModelError",
    "ModelKind",
    "ModelSpec",
    "ModelUnavailable",
    "NotRecorded",
    "PromptTooLong",
    "RecordedModel",
    "Refused",
    "ReplayedModel",
    "RoutedModel",
    "Scores",
    "ScriptedModel",
    "Transcript",
    "Usage",
    "find_embedder",
    "find_model",
    "load_embedder",
    "load_model",
]

_IMPORTED_WHEN_USED = {
    "BaseModel": "base_model",
    "NotRecorded": "transcript.replaying",
    "RecordedModel": "transcript.recording",
    "ReplayedModel": "transcript.replaying",
    "ScriptedModel": "scripted",
    "Transcript": "transcript.transcript",
}
"""Imported lazily, since their modules import asyncio and sqlite3, which commands without a model do not need."""


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def __getattr__(name: str) -> Any:
    if name in _IMPORTED_WHEN_USED:
        return getattr(import_module(f"language_models.{_IMPORTED_WHEN_USED[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
