"""The models as one mind asks them: in its resident's name, under one of its modules.

What they answer is told again in later requests, and on pages: a mind is given it without what cannot be printed.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from language_models.prefetching import prefetch
from language_models.protocol import Caller, Embedder, FloatArray, GenerateRequest, LanguageModel, ModelError, Usage

T = TypeVar("T")


_LAID_OUT = ("\n", "\r", "\t")


def shown(text: str) -> str:
    """Text of a model with a space for each character that cannot be printed, line ends and tabs aside."""
    return "".join(mark if mark.isprintable() or mark in _LAID_OUT else " " for mark in text)


def _shown_in(answer: Any) -> Any:
    """An object that a model filled in, with its texts as ``shown`` gives them."""
    if isinstance(answer, str):
        return shown(answer)
    if isinstance(answer, dict):
        return {key: _shown_in(one) for key, one in answer.items()}
    return [_shown_in(one) for one in answer] if isinstance(answer, list) else answer


class _Answered(Protocol):
    @property
    def usage(self) -> Usage: ...


AnsweredT = TypeVar("AnsweredT", bound=_Answered)


class StepClosed(RuntimeError):
    """What a mind is told that asks on after its step was given up."""


class ModelClient:
    """What a mind asks models through, from the event loop of the run or from a thread of its own.

    Calls that are begun in the same order have the same identifiers in every run; a mind that asks several things at
    once therefore begins them in an order of its own (``asyncio.gather`` does).

    Attributes:
        calls: Identifiers of the calls of this step, as in the transcript.
        broken: What a call raised that is no ``ModelError``, as when a model cannot be asked at all. It ends the step
            of everybody, whatever the mind makes of it.
        busy: How many calls are on their way.
    """

    def __init__(self, resident: str, model: LanguageModel, embedder: Embedder, salt: int) -> None:
        """Prepare.

        Args:
            resident: In whose name.
            model: Answers what is asked.
            embedder: Turns texts into vectors.
            salt: What the seeds of calls follow from, beside who asks for what and when.
        """
        self._resident = resident
        self._model = model
        self._embedder = embedder
        self._salt = salt
        self._time = 0
        self._home: asyncio.AbstractEventLoop | None = None
        self._open = False
        self.calls: list[int] = []
        self.broken: Exception | None = None
        self.busy = 0

    def begin(self, time: int) -> None:
        """Begin a time step; called in the event loop of the run."""
        self._time, self._home, self._open = time, asyncio.get_running_loop(), True
        self.calls, self.broken = [], None

    def put_out(self) -> None:
        """Answer nothing more to a mind whose step was given up."""
        self._open = False

    async def write(
        self, module: str, prompt: str, *, max_tokens: int = 128, temperature: float = 0.7, stop: Sequence[str] = ()
    ) -> str:
        """Text that goes on with a prompt.

        Raises:
            ModelError: if there was no answer.
        """

        async def ask() -> str:
            answer = await self._counted(
                self._model.generate(
                    GenerateRequest(
                        prompt=prompt,
                        caller=self._caller(module),
                        max_tokens=max_tokens,
                        temperature=temperature,
                        seed=self._seed(module),
                        stop=stop,
                    )
                )
            )
            return shown(answer.text).strip()

        return await self._at_home(ask)

    async def fill(
        self, module: str, prompt: str, schema: Mapping[str, Mapping[str, Any]], *, max_tokens: int = 256
    ) -> dict[str, Any]:
        """An object with these properties, all of them; the prompt has to say the form in any case.

        Args:
            module: Which of the mind's modules asks.
            prompt: The request.
            schema: By key what its value may be, as ``language_models.json_answers`` knows it.
            max_tokens: The most that it may take.

        Raises:
            ModelError: if there was no answer, or none of this form.
        """
        whole = {
            "type": "object",
            "properties": dict(schema),
            "required": list(schema),
            "additionalProperties": False,
        }

        async def ask() -> dict[str, Any]:
            answer = await self._counted(
                self._model.generate(
                    GenerateRequest(
                        prompt=prompt,
                        caller=self._caller(module),
                        max_tokens=max_tokens,
                        seed=self._seed(module),
                        schema=whole,
                    )
                )
            )
            found: dict[str, Any] = _shown_in(json.loads(answer.text))
            return found

        return await self._at_home(ask)

    async def choose(self, module: str, prompt: str, options: Sequence[str], *, query: str = "") -> str:
        """One of the options, never anything else.

        Args:
            module: Which of the mind's modules asks.
            prompt: The situation, ending where the choice would be written.
            options: At least one, no two alike.
            query: The heart of the matter in a few words, for models that choose by likeness.

        Raises:
            ModelError: if there was no answer.
        """

        async def ask() -> str:
            caller = self._caller(module)
            return (await self._counted(self._model.choose(prompt, options, caller=caller, query=query))).option

        return await self._at_home(ask)

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of unit length, shape (len(texts), dimension)."""

        async def ask() -> FloatArray:
            await prefetch(self._embedder, texts)
            return self._embedder.embed(texts)

        return await self._at_home(ask)

    def now(self, asked: Coroutine[Any, Any, T]) -> T:
        """What something asked for comes to, for plain functions: ``text = ask.now(ask.write("thought", prompt))``."""
        return asyncio.run(asked)

    def _caller(self, module: str) -> Caller:
        return Caller(module=module, resident=self._resident, time=self._time)

    def _seed(self, module: str) -> int:
        return zlib.crc32(f"{self._salt} {self._resident} {module} {self._time}".encode())

    async def _counted(self, asked: Awaitable[AnsweredT]) -> AnsweredT:
        """An answer, with its identifier noted, and that of a call that failed."""
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

    async def _at_home(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Have something asked in the event loop of the run, where the models live."""
        if self._home is None or not self._open:
            raise StepClosed(f"the step of {self._resident} in which this is asked is over")
        if asyncio.get_running_loop() is self._home:
            return await self._guarded(ask)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._guarded(ask), self._home))

    async def _guarded(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self.busy += 1
        try:
            return await ask()
        except ModelError:
            raise
        except Exception as error:
            self.broken = error
            raise
        finally:
            self.busy -= 1
