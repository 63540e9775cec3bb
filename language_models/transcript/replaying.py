"""Model that answers from a transcript."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from language_models.protocol import (
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    LanguageModel,
    ModelError,
    Refused,
    Scores,
    Usage,
)
from language_models.transcript.calls import Call, Request, choose_request, generate_request, score_request
from language_models.transcript.transcript import Transcript


class NotRecorded(LookupError):
    """A call that the transcript does not hold; no ModelError, because a replay cannot continue without it."""


class ReplayedModel:
    """Answers from a transcript, with the usage and the identifiers that were recorded.

    Each resident gets the recorded answers to its own requests, in order and each once; a call that failed fails again.

    Attributes:
        name: The name of the model that was recorded.
        transcript: Source of the answers.
        otherwise: Model for calls that the transcript does not have; if None, these are an error.
        answered: How many calls the transcript answered.
    """

    def __init__(
        self,
        transcript: Transcript,
        *,
        name: str | None = None,
        since: int = 0,
        until: int | None = None,
        failures_until: int | None = None,
        otherwise: LanguageModel | None = None,
    ) -> None:
        """Read the recorded calls.

        Args:
            transcript: A finished transcript.
            name: The recorded model to replay; needed only if several were recorded.
            since: Ignore calls before this time step.
            until: Ignore calls at this time step or later, which are not even read; None ignores none.
            failures_until: Ignore calls that failed at this time step or later; None ignores no failure.
            otherwise: Model for calls that the transcript does not have.

        Raises:
            ValueError: if no model is named and the transcript records none, or several.
        """
        models = transcript.models()
        if name is None:
            if len(models) > 1:
                raise ValueError(f"{transcript.path} records several models, {models}; name one of them")
            if not models:
                raise ValueError(f"{transcript.path} records no call of any model")
        self.name = name if name is not None else models[0]
        self.transcript = transcript
        self._until = until
        self.otherwise = otherwise
        self.answered = 0
        self._left: defaultdict[tuple[str, str], deque[Call]] = defaultdict(deque)
        for call in transcript.calls(until=until):
            left_out = call.response is None and failures_until is not None and call.caller.time >= failures_until
            if call.request.model == self.name and call.caller.time >= since and not left_out:
                self._left[call.request.key, call.caller.resident].append(call)

    async def generate(self, request: GenerateRequest) -> Generation:
        """Return the recorded text."""
        recorded_as = generate_request(self.name, request)
        if (recorded := self._take(recorded_as, request.caller)) is not None:
            response, usage = recorded
            return Generation(
                text=response["text"],
                usage=usage,
                alternatives=tuple(response["alternatives"]),
                reasoning=response.get("reasoning", ""),
            )
        return await self._live(recorded_as, request.caller).generate(request)

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Return the recorded choice."""
        request = choose_request(self.name, prompt, options, query, descriptions)
        if (recorded := self._take(request, caller)) is not None:
            response, usage = recorded
            return Choice(option=response["option"], probabilities=tuple(response["probabilities"]), usage=usage)
        live = self._live(request, caller)
        return await live.choose(prompt, options, caller=caller, query=query, descriptions=descriptions)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Return the recorded scores."""
        request = score_request(self.name, prompt, continuations)
        if (recorded := self._take(request, caller)) is not None:
            response, usage = recorded
            return Scores(values=tuple(response["values"]), usage=usage)
        return await self._live(request, caller).score(prompt, continuations, caller=caller)

    def _take(self, request: Request, caller: Caller) -> tuple[Mapping[str, Any], Usage] | None:
        """Return the next recorded answer to this request; None when there is none left."""
        left = self._left.get((request.key, caller.resident))
        if not left:
            return None
        call = left.popleft()
        self.answered += 1
        if call.response is None:
            raise (Refused if call.refused else ModelError)(call.error, usage=call.usage)
        return call.response, call.usage

    def _live(self, request: Request, caller: Caller) -> LanguageModel:
        if self.otherwise is not None:
            return self.otherwise
        if (request.key, caller.resident) in self._left:
            raise NotRecorded(
                f"replay: {_who(caller)} made this {request.method} call once more than was recorded in "
                f"{self.transcript.path}; the code or the configuration differs from the recorded run's"
            )
        raise NotRecorded(self._missing(request, caller))

    def _missing(self, request: Request, caller: Caller) -> str:
        """Describe how a call that is not recorded differs from the most similar recorded one."""
        head = f"replay: {self.transcript.path} holds no such {request.method} call of {_who(caller)}"
        asked = _lines(request)
        nearest = max(
            (call for call in self.transcript.calls(until=self._until) if call.request.method == request.method),
            key=lambda call: (_likeness(call, caller, asked), -call.usage.call),
            default=None,
        )
        if nearest is None:
            return f"{head}, nor any other {request.method} call"
        recorded = _lines(nearest.request)
        if recorded == asked:
            return f"{head}; {_who(nearest.caller)} made it (call {nearest.usage.call})"
        difference = list(difflib.unified_diff(recorded, asked, "recorded", "asked now", n=1, lineterm=""))
        shown = [line if len(line) <= 160 else f"{line[:157]}..." for line in difference[:16]]
        if len(difference) > len(shown):
            shown.append(f"... and {len(difference) - len(shown)} lines more")
        return f"{head}. The nearest is call {nearest.usage.call}:\n" + "\n".join(shown)


def _who(caller: Caller) -> str:
    return f"module {caller.module!r}, resident {caller.resident!r}, time {caller.time}"


def _lines(request: Request) -> list[str]:
    """Split a request into lines for a comparison."""
    parameters = json.dumps(request.parameters, indent=1, sort_keys=True, ensure_ascii=False)
    return [f"model: {request.model}", *request.prompt.splitlines(), *parameters.splitlines()]


def _likeness(call: Call, caller: Caller, asked: list[str]) -> tuple[bool, int, bool, bool, bool]:
    """Return a sort key of a recorded call's similarity: same caller, then shared lines, then parts of the caller."""
    shared = len(set(asked).intersection(_lines(call.request)))
    then = call.caller
    return (
        then == caller,
        shared,
        then.module == caller.module,
        then.resident == caller.resident,
        then.time == caller.time,
    )
