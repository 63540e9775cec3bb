"""Client through which one mind calls the language model and the embedder."""

from __future__ import annotations

import asyncio
import json
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from language_models.arguments import check_options
from language_models.json_answers import check_schema
from language_models.prefetching import prefetch
from language_models.protocol import (
    Caller,
    Embedder,
    FloatArray,
    GenerateRequest,
    LanguageModel,
    ModelError,
    PromptTooLong,
    Usage,
)

T = TypeVar("T")

_LAYOUT = ("\n", "\r", "\t")

MOST_CALLS = 1000
"""Most calls of one mind in one step."""

LONGEST_PROMPT = 4_000_000
"""Most characters of a prompt, of an option, and of all options or texts together."""

LONGEST_MODULE = 100
MOST_TOKENS = 1_000_000


def printable(text: str) -> str:
    """Replace unprintable characters of a model's text by spaces, except line ends and tabs."""
    return "".join(mark if mark.isprintable() or mark in _LAYOUT else " " for mark in text)


def _printable_json(answer: Any) -> Any:
    """Apply ``printable`` to all texts of a JSON value."""
    if isinstance(answer, str):
        return printable(answer)
    if isinstance(answer, dict):
        return {key: _printable_json(one) for key, one in answer.items()}
    return [_printable_json(one) for one in answer] if isinstance(answer, list) else answer


class _Answered(Protocol):
    @property
    def usage(self) -> Usage: ...


AnsweredT = TypeVar("AnsweredT", bound=_Answered)


class StepClosed(RuntimeError):
    """Raised if a mind calls a model after its step has ended."""


class TooManyCalls(RuntimeError):
    """Raised if a mind calls models more often in one step than it may."""


class ModelClient(ABC):
    """Makes model calls for one mind, recorded by the run in its resident's name.

    Calls that start in the same order have the same identifiers in every run. A mind that makes several calls at
    once must therefore start them in a fixed order, as ``asyncio.gather`` does.

    Arguments are checked before anything is asked: a wrong one raises a ``TypeError`` or a ``ValueError`` in the mind,
    which can catch it.
    """

    def __init__(self) -> None:
        """Begin without calls."""
        self._failed: list[ModelError] = []

    async def generate(
        self, module: str, prompt: str, *, max_tokens: int = 128, temperature: float = 0.7, stop: Sequence[str] = ()
    ) -> str:
        """Generate text that continues a prompt.

        Args:
            module: The calling module of the mind, as named in the transcript.
            prompt: Text to continue.
            max_tokens: Token limit of the text.
            temperature: Sampling temperature, at least 0; the seed is derived from the run's.
            stop: Stop strings, before which the answer ends.

        Raises:
            ModelError: if there was no answer.
            TypeError: for an argument of another type.
            ValueError: for an argument out of its range, or a text with a lone surrogate.
        """
        return str(
            await self._call(
                "generate",
                module=_module(module),
                prompt=_text("prompt", prompt),
                max_tokens=_tokens(max_tokens),
                temperature=_temperature(temperature),
                stop=_texts("stop", stop),
            )
        )

    async def generate_json(
        self, module: str, prompt: str, schema: Mapping[str, Mapping[str, Any]], *, max_tokens: int = 256
    ) -> dict[str, Any]:
        """Generate a JSON object with exactly the given properties.

        Args:
            module: The calling module of the mind, as named in the transcript.
            prompt: The request; it must describe the object, too.
            schema: JSON schema of the value of each property, of the kinds that ``docs/minds.md`` shows.
            max_tokens: Token limit of the object.

        Returns:
            The object, without characters that cannot be printed.

        Raises:
            ModelError: if there was no answer, or none of this form.
            TypeError: for an argument of another type.
            ValueError: for an argument out of its range, or a schema of another form.
        """
        found: dict[str, Any] = await self._call(
            "generate_json",
            module=_module(module),
            prompt=_text("prompt", prompt),
            schema=_properties(schema),
            max_tokens=_tokens(max_tokens),
        )
        return found

    async def choose(self, module: str, prompt: str, options: Sequence[str], *, query: str = "") -> str:
        """Let the model choose one of the options.

        Args:
            module: The calling module of the mind, as named in the transcript.
            prompt: The situation, ending where the choice would be written.
            options: At least one, no two alike, none empty.
            query: What is wanted, in a few words, for models that choose by similarity.

        Raises:
            ModelError: if there was no answer.
            TypeError: for an argument of another type.
            ValueError: for options that cannot be chosen among, or a text with a lone surrogate.
        """
        listed = _texts("options", options)
        check_options(listed)
        return str(
            await self._call(
                "choose",
                module=_module(module),
                prompt=_text("prompt", prompt),
                options=listed,
                query=_text("query", query),
            )
        )

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return vectors of unit length, shape (len(texts), dimension).

        Raises:
            TypeError: for anything but a sequence of texts.
            ValueError: for no text, or one with a lone surrogate.
        """
        listed = _texts("texts", texts)
        if not listed:
            raise ValueError("texts must hold at least one text, got none")
        return np.asarray(await self._call("embed", texts=listed), dtype=np.float32)

    def wait(self, call: Coroutine[Any, Any, T]) -> T:
        """Wait for a call in a plain function: ``text = model.wait(model.generate("thought", prompt))``."""
        return asyncio.run(call)

    def has_failed(self, error: BaseException) -> bool:
        """Return whether an error is that of a model call in this step, and none that the mind made up."""
        return any(error is one for one in self._failed)

    @abstractmethod
    async def _call(self, kind: str, **arguments: Any) -> Any:
        """Make a call, whose arguments are checked, and return its result."""


class LocalModelClient(ModelClient):
    """Makes the calls itself, from the run's event loop or from a thread of the mind's own.

    Attributes:
        calls: Identifiers of the calls of this step, as in the transcript.
        error: An error of a call that is no ``ModelError``, as when a model cannot be reached. It ends the step
            of the whole society, even if the mind catches it.
        pending: Number of calls under way.
        loop: The run's event loop while the step is open; None otherwise.
    """

    def __init__(
        self, resident: str, model: LanguageModel, embedder: Embedder, salt: int, *, answers_for_length: bool = False
    ) -> None:
        """Set the resident, the models and the seed.

        Args:
            resident: The resident that calls are recorded for.
            model: Generates and chooses.
            embedder: Turns texts into vectors.
            salt: Determines the seeds of calls, with resident, module and time step.
            answers_for_length: Whether a prompt that is too long for the model is the mind's own fault, which it can
                catch, and no error of the run.
        """
        super().__init__()
        self._resident = resident
        self._model = model
        self._embedder = embedder
        self._salt = salt
        self._forgiven = (ModelError, TooManyCalls, *((PromptTooLong,) if answers_for_length else ()))
        self._time = 0
        self._begun = 0
        self._heard = 0
        self.loop: asyncio.AbstractEventLoop | None = None
        self.calls: list[int] = []
        self.error: Exception | None = None
        self.pending = 0

    def begin_step(self, time: int) -> None:
        """Start a time step; called in the event loop of the run."""
        self._time, self.loop = time, asyncio.get_running_loop()
        self.calls, self.error, self._failed = [], None, []
        self._begun = self._heard = 0

    def close_step(self) -> None:
        """Reject further calls of this step with ``StepClosed``."""
        self.loop = None

    def was_heard(self) -> bool:
        """Return whether a call is under way, or began since this was asked last."""
        heard = self.pending > 0 or self._begun > self._heard
        self._heard = self._begun
        return heard

    def closed(self) -> StepClosed:
        """Return the error of a call that comes too late."""
        return StepClosed(f"the step of {self._resident} in which this is called has ended")

    async def _call(self, kind: str, **arguments: Any) -> Any:
        if self.loop is None:
            raise self.closed()
        if asyncio.get_running_loop() is self.loop:
            return await self._guarded(kind, arguments)
        guarded = self._guarded(kind, arguments)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(guarded, self.loop))

    async def _guarded(self, kind: str, arguments: Mapping[str, Any]) -> Any:
        """Make a call in the event loop of the run, where the models live."""
        if self._begun >= MOST_CALLS:
            raise TooManyCalls(f"{self._resident} may call models at most {MOST_CALLS:,} times in one step")
        self._begun += 1
        self.pending += 1
        try:
            match kind:
                case "generate":
                    return await self._generate(**arguments)
                case "generate_json":
                    return await self._generate_json(**arguments)
                case "choose":
                    return await self._choose(**arguments)
                case _:
                    return await self._embed(**arguments)
        except self._forgiven:
            raise
        except Exception as error:
            self.error = error
            raise
        finally:
            self.pending -= 1

    async def _generate(self, module: str, prompt: str, **how: Any) -> str:
        return printable(await self._text_of(module, prompt, **how)).strip()

    async def _generate_json(self, module: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Any:
        text = await self._text_of(module, prompt, schema=_whole(schema), max_tokens=max_tokens)
        return _printable_json(json.loads(text))

    async def _text_of(self, module: str, prompt: str, **how: Any) -> str:
        request = GenerateRequest(prompt=prompt, caller=self._caller(module), seed=self._seed(module), **how)
        return (await self._counted(self._model.generate(request))).text

    async def _choose(self, module: str, prompt: str, options: Sequence[str], query: str) -> str:
        caller = self._caller(module)
        return (await self._counted(self._model.choose(prompt, options, caller=caller, query=query))).option

    async def _embed(self, texts: Sequence[str]) -> FloatArray:
        await prefetch(self._embedder, texts)
        return self._embedder.embed(texts)

    def _caller(self, module: str) -> Caller:
        return Caller(module=module, resident=self._resident, time=self._time)

    def _seed(self, module: str) -> int:
        return zlib.crc32(f"{self._salt} {self._resident} {module} {self._time}".encode())

    async def _counted(self, asked: Awaitable[AnsweredT]) -> AnsweredT:
        """Await an answer, and record its call's identifier, also if the call failed."""
        try:
            answer = await asked
        except ModelError as error:
            self._note(error.usage)
            self._failed.append(error)
            raise
        self._note(answer.usage)
        return answer

    def _note(self, usage: Usage) -> None:
        if usage.call >= 0:
            self.calls.append(usage.call)


def _whole(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _properties(schema: Any) -> dict[str, Any]:
    """Return a schema in plain data."""
    if not isinstance(schema, Mapping):
        raise TypeError(f"schema must be a mapping of each property to its JSON schema, got {type(schema).__name__}")
    try:
        text = json.dumps(dict(schema), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"schema must be JSON-ready: {error}") from None
    _check_length("schema", len(text))
    properties: dict[str, Any] = json.loads(text)
    for name in properties:
        _text("a property of schema", name)
    check_schema(_whole(properties))
    return properties


def _module(module: Any) -> str:
    if len(text := _text("module", module)) > LONGEST_MODULE:
        raise ValueError(f"module must have at most {LONGEST_MODULE} characters, got {len(text):,}")
    return text


def _tokens(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)):
        raise TypeError(f"max_tokens must be a whole number, got {type(count).__name__}")
    if not 1 <= count <= MOST_TOKENS:
        raise ValueError(f"max_tokens must lie in [1, {MOST_TOKENS:,}], got {count!r}")
    return int(count)


def _temperature(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"temperature must be a number, got {type(value).__name__}")
    # A whole number stays one in the transcript.
    degree = int(value) if isinstance(value, (int, np.integer)) else float(value)
    if not 0 <= degree < math.inf:
        raise ValueError(f"temperature must be a finite number of at least 0 (0 is greedy), got {degree!r}")
    return degree


def _text(name: str, text: Any) -> str:
    """Return a text as Python's own, with which the subclass of a mind cannot interfere."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a text, got {type(text).__name__}")
    plain = str.__str__(text)
    _check_length(name, len(plain))
    try:
        plain.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} must be valid Unicode, and has the lone surrogate {plain[error.start]!r} at {error.start}"
        ) from None
    return plain


def _texts(name: str, texts: Any) -> list[str]:
    if isinstance(texts, str) or not isinstance(texts, (Sequence, np.ndarray)):
        raise TypeError(f"{name} must be a list of texts, got {type(texts).__name__}")
    found: list[str] = []
    length = 0
    for text in texts:
        found.append(_text(f"{name}[{len(found)}]", text))
        length += len(found[-1]) + 1
        _check_length(name, length)
    return found


def _check_length(name: str, length: int) -> None:
    if length > LONGEST_PROMPT:
        raise ValueError(f"{name} must have at most {LONGEST_PROMPT:,} characters, got {length:,}")
