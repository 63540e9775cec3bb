"""Client through which one mind calls the language model and the embedder."""

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


class ModelClient:
    """Makes model calls for one mind, from the run's event loop or from a thread of the mind's own.

    Calls that start in the same order have the same identifiers in every run. A mind that makes several calls at
    once must therefore start them in a fixed order, as ``asyncio.gather`` does.

    Attributes:
        calls: Identifiers of the calls of this step, as in the transcript.
        error: An error of a call that is no ``ModelError``, as when a model cannot be reached. It ends the step
            of the whole society, even if the mind catches it.
        pending: Number of calls under way.
    """

    def __init__(self, resident: str, model: LanguageModel, embedder: Embedder, salt: int) -> None:
        """Set the resident, the models and the seed.

        Args:
            resident: The resident that calls are recorded for.
            model: Generates and chooses.
            embedder: Turns texts into vectors.
            salt: Determines the seeds of calls, with resident, module and time step.
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
        """Start a time step; called in the event loop of the run."""
        self._time, self._loop, self._open = time, asyncio.get_running_loop(), True
        self.calls, self.error = [], None

    def close_step(self) -> None:
        """Reject further calls of this step with ``StepClosed``."""
        self._open = False

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
        """
        how = {"max_tokens": max_tokens, "temperature": temperature, "stop": stop}
        return await self._generate(module, prompt, lambda text: printable(text).strip(), **how)

    async def _generate(self, module: str, prompt: str, read: Callable[[str], T], **how: Any) -> T:
        async def call() -> T:
            # Created here, since only now it is certain that the step is open.
            request = GenerateRequest(prompt=prompt, caller=self._caller(module), seed=self._seed(module), **how)
            return read((await self._counted(self._model.generate(request))).text)

        return await self._on_loop(call)

    async def generate_json(
        self, module: str, prompt: str, schema: Mapping[str, Mapping[str, Any]], *, max_tokens: int = 256
    ) -> dict[str, Any]:
        """Generate a JSON object with exactly the given properties.

        Args:
            module: The calling module of the mind, as named in the transcript.
            prompt: The request; it must describe the object, too.
            schema: JSON schema of the value of each property.
            max_tokens: Token limit of the object.

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
            module: The calling module of the mind, as named in the transcript.
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
        """Return vectors of unit length, shape (len(texts), dimension)."""

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
        """Await an answer, and record its call's identifier, also if the call failed."""
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
        """Run a call in the event loop of the run, where the models live."""
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
