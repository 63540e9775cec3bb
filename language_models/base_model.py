"""Base class of models, which derives `generate` and `choose` from one method that writes text."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import re
import time
from collections.abc import Awaitable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from language_models.arguments import (
    check_continuations,
    check_no_thinking,
    check_options,
    choice_schema,
    option_lines,
)
from language_models.grammar import compile_grammar
from language_models.json_answers import UnusableObject, read_object, write_object
from language_models.loop_thread import LoopThread
from language_models.protocol import (
    Attempt,
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    ModelError,
    Scores,
    Usage,
    total_usage,
)


class BaseModel:
    """Base class of language models; a subclass with a method `write` is a complete backend.

    `write` may be a coroutine, or a plain function, which then runs in a thread, one request at a time. Derived from it
    are `generate`, which checks the form of the text and retries, and `choose`. A backend that can do
    better overrides them; one that knows log-probabilities overrides `score`, too.

    The prompt describes the form; the request has it for servers and libraries that can constrain the text to
    it: with `request.schema`, one JSON object that obeys the schema; with `request.pattern`, a text of the grammar;
    otherwise plain text. A text of another form is retried with the next seed, `asks` times in all. Then
    `generate` raises ModelError: the resident who asked waits for that step, and its `act.failure` says why.

    Use a model in a ``with`` statement, or `close` it: it may hold weights, threads and connections.

    >>> def complete(prompt, json_schema, grammar, **sampling):  # stands for your server or library
    ...     return '{"choice": "tea"}' if json_schema else "Tea, please."
    >>> class Own(BaseModel):
    ...     def write(self, request: GenerateRequest) -> str:
    ...         return complete(
    ...             request.prompt,
    ...             json_schema=request.schema,
    ...             grammar=request.pattern,
    ...             max_tokens=request.max_tokens,
    ...             temperature=request.temperature,
    ...             seed=request.seed,
    ...         )
    >>> with Own() as model:
    ...     print(model.name, model.ask("What would you like?"))
    Own Tea, please.

    Attributes:
        name: Name in transcripts; the name of the class unless it says otherwise.
        asks: Attempts in total to get a text of the requested form; at least 1.
    """

    name: str = "BaseModel"
    asks: int = 3

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def write(self, request: GenerateRequest) -> str | Generation | Awaitable[str | Generation]:
        """Continue the prompt of a request with one text.

        Args:
            request: The request. The form of the text (pattern, schema), the stop strings and the number of
                samples are seen to by `generate`.

        Returns:
            The text, or a `Generation` where the number of tokens is known.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must have a method write(request), or its own generate(request)"
        )

    async def generate(self, request: GenerateRequest) -> Generation:
        """Continue a prompt; retry while the text does not have the requested form.

        Every sample and every retry has the next seed.

        Raises:
            ModelError: if no text has the form in `asks` tries.
            ValueError: for a vocabulary or tokens to think in, which this model does not take.
        """
        check_no_thinking(self.name, request.think)
        if request.vocabulary is not None:
            raise ValueError(f"{self.name} cannot keep to a vocabulary; leave it out, or use the embedded model")
        expression = None if request.pattern is None else compile_grammar(request.pattern)
        texts: list[str] = []
        usage = Usage()
        seeds = itertools.count(request.seed)
        for _ in range(request.samples):
            for asked in range(self.asks):
                text, spent = await self._written(replace(request, seed=next(seeds), samples=1))
                usage = total_usage([usage, spent], asked_again=int(asked > 0))
                if not (wrong := fault(text, request, expression)):
                    texts.append(text if request.schema is None else write_object(read_object(text, request.schema)))
                    break
                attempt = Attempt(kind="unusable", reason=wrong, text=text)
                usage = replace(usage, attempts=(*usage.attempts, attempt))
            else:
                asker = " of ".join(part for part in (request.caller.module, request.caller.resident) if part)
                last = f"the last was {text[:200]!r}, which {wrong}"
                if request.pattern is not None:
                    last += f"; the pattern is {request.pattern[:200]!r}"
                raise ModelError(
                    f"{self.name} gave no usable text in {self.asks} asks for {asker}; {last}", usage=usage
                )
        return Generation(text=texts[0], usage=usage, alternatives=tuple(texts[1:]))

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Ask for an answer that names one of the options, and return it with probability 1.

        Args:
            prompt: The situation.
            options: At least one, no two alike.
            caller: Module and resident that make the request.
            query: Ignored; the prompt contains it.
            descriptions: One sentence per option; empty, or as many as options.

        Raises:
            ModelError: if no answer names an option.
        """
        check_options(options, descriptions)
        listed = "\n".join(f"- {line}" for line in option_lines(options, descriptions))
        answer = await self.generate(
            GenerateRequest(
                prompt=f"{prompt}\n\nOptions:\n{listed}\n\n"
                'Answer with one of the options, word for word, as a JSON object: {"choice": "the option"}',
                caller=caller,
                max_tokens=16 + max(len(option.encode()) for option in options),  # A token has at least one byte.
                temperature=0.0,
                schema=choice_schema(options),
            )
        )
        chosen = str(json.loads(answer.text)["choice"])
        probabilities = tuple(float(option == chosen) for option in options)
        return Choice(option=chosen, probabilities=probabilities, usage=answer.usage)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Raise ModelError: a model that only writes text has no log-probabilities.

        Raises:
            ModelError: always.
        """
        check_continuations(continuations)
        raise ModelError(
            f"{self.name} gives no log-probabilities of continuations; override score, or ask another model for this"
        )

    def ask(self, prompt: str, *, caller: Caller | None = None, **settings: Any) -> str:
        """Continue a prompt synchronously; this also works while an event loop is running.

        Args:
            prompt: Text to continue.
            caller: Module and resident that make the request; the module "ask" by default.
            settings: Any other field of ``GenerateRequest``, such as max_tokens, temperature, seed and stop.

        Returns:
            The text.

        Raises:
            ModelError: if the model gave no valid answer.
            ModelUnavailable: if the model cannot be reached.
            ValueError: if a setting is out of its range.
        """
        request = GenerateRequest(prompt=prompt, caller=caller or Caller(module="ask"), **settings)
        return self._loop.submit(self.generate(request)).result().text

    def close(self) -> None:
        """Release the model's resources; closing it twice does no harm."""
        if "_loop" in vars(self):
            self._loop.close(self._close_connections)
        if "_worker" in vars(self):
            self._worker.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _loop(self) -> LoopThread:
        return LoopThread(self.name)

    @cached_property
    def _worker(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix=self.name)

    async def _close_connections(self) -> None:
        """Close connections; runs in the event loop of `ask` before the loop ends."""

    async def _written(self, request: GenerateRequest) -> tuple[str, Usage]:
        """Generate one text, cut it at the first stop string, and return it with its cost."""
        began = time.perf_counter()
        if inspect.iscoroutinefunction(self.write):
            written = await self.write(request)
        else:
            written = await asyncio.get_running_loop().run_in_executor(self._worker, self.write, request)
        usage = written.usage if isinstance(written, Generation) else Usage(seconds=time.perf_counter() - began)
        text = written.text if isinstance(written, Generation) else written
        if not isinstance(text, str):
            raise TypeError(f"{type(self).__name__}.write must return a text or a Generation, got {written!r}")
        return cut_at(text, request.stop), usage


def cut_at(text: str, stop: Sequence[str]) -> str:
    """Cut a text before the first of its stop strings.

    Args:
        text: What a model wrote.
        stop: The stop strings; an empty one stops nothing.
    """
    places = [place for mark in stop if mark and (place := text.find(mark)) >= 0]
    return text[: min(places)] if places else text


def fault(text: str, request: GenerateRequest, expression: re.Pattern[str] | None) -> str:
    """Return what is wrong with a text, worded to follow "which"; empty if nothing is.

    Args:
        text: What a model wrote.
        request: The request that it answers.
        expression: The compiled pattern of the request; None without one.
    """
    if not text.strip():
        return "is empty"
    if expression is not None and expression.fullmatch(text) is None:
        return "does not obey the pattern"
    if request.schema is not None:
        try:
            read_object(text, request.schema)
        except UnusableObject as error:
            return str(error)
    return ""
