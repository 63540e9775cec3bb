"""Model wrapper that records its calls in a transcript."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from language_models.protocol import (
    Attempt,
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    LanguageModel,
    ModelError,
    ModelUnavailable,
    Refused,
    Scores,
    Usage,
)
from language_models.transcript.calls import Call, Request, canonical, choose_request, generate_request, score_request
from language_models.transcript.transcript import Transcript

AnswerT = TypeVar("AnswerT", Generation, Choice, Scores)


class RecordedModel:
    """Forwards calls to a model and records them; `usage.call` of an answer is its identifier.

    A call that fails is recorded as failed and its error raised on, with the identifier in `ModelError.usage`; so is
    one that is cancelled.

    Attributes:
        name: The wrapped model's name.
        model: The wrapped model.
        transcript: Where the calls are recorded.
    """

    def __init__(
        self, model: LanguageModel, transcript: Transcript, check: Callable[[Usage], None] = lambda usage: None
    ) -> None:
        """Set the model and the transcript.

        Args:
            model: The model to call.
            transcript: Where the calls are recorded.
            check: Takes the usage of an answer; if it raises, the call is recorded as failed.
        """
        self._check = check
        self.name = model.name
        self.model = model
        self.transcript = transcript

    async def generate(self, request: GenerateRequest) -> Generation:
        """Forward the request and record it."""
        recorded = generate_request(self.name, request)
        return await self._record(request.caller, recorded, lambda: self.model.generate(request))

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Forward the request and record it."""
        return await self._record(
            caller,
            choose_request(self.name, prompt, options, query, descriptions),
            lambda: self.model.choose(prompt, options, caller=caller, query=query, descriptions=descriptions),
        )

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Forward the request and record it."""
        return await self._record(
            caller,
            score_request(self.name, prompt, continuations),
            lambda: self.model.score(prompt, continuations, caller=caller),
        )

    async def _record(self, caller: Caller, request: Request, ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        # The identifier is taken before the first await: see call_ids.py.
        identifier = self.transcript.ids.next(caller)
        answer: AnswerT | None = None
        try:
            answer = await ask()
            self._check(answer.usage)
        except BaseException as error:
            usage, message = Usage(call=identifier), f"{type(error).__name__}: {error}"
            if isinstance(error, ModelError | ModelUnavailable):
                attempts = error.usage.attempts
                if answer is not None:
                    attempts += (Attempt(kind="unusable", reason="is not taken", text=canonical(_response(answer))),)
                usage, message = replace(error.usage, call=identifier, attempts=attempts), str(error)
                error.usage = usage
            failed = Call(
                caller=caller,
                request=request,
                response=None,
                usage=usage,
                error=message or "no reason",
                refused=isinstance(error, Refused),
            )
            self.transcript.record(failed)
            raise
        usage = replace(answer.usage, call=identifier)
        self.transcript.record(Call(caller=caller, request=request, response=_response(answer), usage=usage))
        return replace(answer, usage=usage)


def _response(answer: Generation | Choice | Scores) -> dict[str, Any]:
    """Return the recorded form of an answer, without its usage, and without reasoning where there is none."""
    found = {one.name: getattr(answer, one.name) for one in fields(answer) if one.name != "usage"}
    if not found.get("reasoning", True):
        del found["reasoning"]
    return found
