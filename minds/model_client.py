"""The language model and the embedder as one mind calls them: in its resident's name, under one of its modules."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from language_models.prefetching import prefetch
from language_models.protocol import Caller, Embedder, FloatArray, GenerateRequest, LanguageModel, ModelError, Usage

T = TypeVar("T")

_LAYOUT = ("\n", "\r", "\t")


def printable(text: str) -> str:
    """Text of a model with a space for each character that cannot be printed, line ends and tabs aside."""
    return "".join(mark if mark.isprintable() or mark in _LAYOUT else " " for mark in text)


def _printable_json(answer: Any) -> Any:
    """A JSON value with all its texts ``printable``."""
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
    """Raised where a mind calls a model after its step has ended."""


class ModelClient:
    """Calls models for one mind, from the event loop of the run or from a thread of the mind's own.

    Calls that are begun in the same order have the same identifiers in every run. A mind that makes several calls at
    once therefore begins them in an order of its own, as ``asyncio.gather`` does.

    Attributes:
        calls: Identifiers of the calls of this step, as in the transcript.
        error: What a call raised that is no ``ModelError``, as when a model cannot be reached at all. It ends the step
            of the whole society, whatever the mind makes of it.
        pending: How many calls are on their way.
    """

    def __init__(self, resident: str, model: LanguageModel, embedder: Embedder, salt: int) -> None:
        """Prepare.

        Args:
            resident: In whose name calls are made.
            model: Generates and chooses.
            embedder: Turns texts into vectors.
            salt: What the seeds of calls follow from, beside resident, module and time step.
        """
        self._resident = resident
        self._model = model
        self._embedder = embedder
        self._salt = salt
        self._time = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open = False
        self.calls: list[int] = []
        self.error: Exception | None = None
        self.pending = 0

    def begin_step(self, time: int) -> None:
        """Begin a time step; called in the event loop of the run."""
        self._time, self._loop, self._open = time, asyncio.get_running_loop(), True
        self.calls, self.error = [], None

    def close_step(self) -> None:
        """Refuse further calls of this step, with ``StepClosed``."""
        self._open = False

    async def generate(
        self, module: str, prompt: str, *, max_tokens: int = 128, temperature: float = 0.7, stop: Sequence[str] = ()
    ) -> str:
        """Generate text that continues a prompt.

        Args:
            module: Which of the mind's modules calls, as the transcript names it.
            prompt: What the text continues.
            max_tokens: The most that the text may take.
            temperature: Of sampling, at least 0; the seed follows from the run's.
            stop: Texts before which the answer ends.

        Raises:
            ModelError: if there was no answer.
        """
        how = {"max_tokens": max_tokens, "temperature": temperature, "stop": stop}
        return await self._generate(module, prompt, lambda text: printable(text).strip(), **how)

    async def _generate(self, module: str, prompt: str, read: Callable[[str], T], **how: Any) -> T:
        async def call() -> T:
            # Made here, since only now it is certain that the step is open.
            request = GenerateRequest(prompt=prompt, caller=self._caller(module), seed=self._seed(module), **how)
            return read((await self._counted(self._model.generate(request))).text)

        return await self._on_loop(call)

    async def generate_json(
        self, module: str, prompt: str, schema: Mapping[str, Mapping[str, Any]], *, max_tokens: int = 256
    ) -> dict[str, Any]:
        """Generate a JSON object that has all of some properties, and no others.

        Args:
            module: Which of the mind's modules calls, as the transcript names it.
            prompt: The request; it has to describe the object, too.
            schema: JSON schema of the value of each property.
            max_tokens: The most that the object may take.

        Returns:
            The object, without characters that cannot be printed.

        Raises:
            ModelError: if there was no answer, or none of this form.
        """
        whole = {"type": "object", "properties": dict(schema), "required": list(schema), "additionalProperties": False}
        found: dict[str, Any] = await self._generate(
            module, prompt, lambda text: _printable_json(json.loads(text)), max_tokens=max_tokens, schema=whole
        )
        return found

    async def choose(self, module: str, prompt: str, options: Sequence[str], *, query: str = "") -> str:
        """Let the model choose one of the options.

        Args:
            module: Which of the mind's modules calls, as the transcript names it.
            prompt: The situation, ending where the choice would be written.
            options: At least one, no two alike.
            query: What is wanted, in a few words, for models that choose by similarity.

        Raises:
            ModelError: if there was no answer.
        """

        async def call() -> str:
            caller = self._caller(module)
            return (await self._counted(self._model.choose(prompt, options, caller=caller, query=query))).option

        return await self._on_loop(call)

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of unit length, shape (len(texts), dimension)."""

        async def call() -> FloatArray:
            await prefetch(self._embedder, texts)
            return self._embedder.embed(texts)

        return await self._on_loop(call)

    def wait(self, call: Coroutine[Any, Any, T]) -> T:
        """Wait for a call in a plain function: ``text = model.wait(model.generate("thought", prompt))``."""
        return asyncio.run(call)

    def _caller(self, module: str) -> Caller:
        return Caller(module=module, resident=self._resident, time=self._time)

    def _seed(self, module: str) -> int:
        return zlib.crc32(f"{self._salt} {self._resident} {module} {self._time}".encode())

    async def _counted(self, asked: Awaitable[AnsweredT]) -> AnsweredT:
        """Await an answer, and note the identifier of its call, also of one that failed."""
        try:
            answer = await asked
        except ModelError as error:
            self._note(error.usage)
            raise
        self._note(answer.usage)
        return answer

    def _note(self, usage: Usage) -> None:
        if usage.call >= 0:
            self.calls.append(usage.call)

    async def _on_loop(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Make a call in the event loop of the run, where the models live."""
        if self._loop is None or not self._open:
            raise StepClosed(f"the step of {self._resident} in which this is called has ended")
        if asyncio.get_running_loop() is self._loop:
            return await self._guarded(call)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._guarded(call), self._loop))

    async def _guarded(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self.pending += 1
        try:
            return await call()
        except ModelError:
            raise
        except Exception as error:
            self.error = error
            raise
        finally:
            self.pending -= 1
