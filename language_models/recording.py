"""A model that writes every call down, and one that answers from what was written down."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal, TypeVar

from language_models.protocol import Caller, Choice, Generation, LanguageModel, ModelError, Scores, Usage
from language_models.transcript import Call, ModuleUsage, Request, Transcript

AnswerT = TypeVar("AnswerT", Generation, Choice, Scores)


class Recorded:
    """Any model, every call of it recorded. Answers carry the call's identifier in `usage.call`.

    A call that fails is recorded as failed and its error raised on, with the identifier in `ModelError.usage`; so is
    one that is cancelled.

    Attributes:
        name: The wrapped model's name.
        model: The wrapped model.
        transcript: Where the calls go.
    """

    def __init__(self, model: LanguageModel, transcript: Transcript) -> None:
        self.name = model.name
        self.model = model
        self.transcript = transcript
        self._usage: dict[str, ModuleUsage] = {}

    async def generate(
        self,
        prompt: str,
        *,
        caller: Caller,
        max_tokens: int = 64,
        temperature: float = 0.7,
        seed: int = 0,
        stop: Sequence[str] = (),
        pattern: str | None = None,
        samples: int = 1,
        vocabulary: frozenset[str] | None = None,
    ) -> Generation:
        """Pass the request on and record it."""
        parameters = _generating(max_tokens, temperature, seed, stop, pattern, samples, vocabulary)
        return await self._record(
            caller,
            Request(model=self.name, method="generate", prompt=prompt, parameters=parameters),
            lambda: self.model.generate(
                prompt,
                caller=caller,
                max_tokens=max_tokens,
                temperature=temperature,
                seed=seed,
                stop=stop,
                pattern=pattern,
                samples=samples,
                vocabulary=vocabulary,
            ),
        )

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Pass the request on and record it."""
        parameters = _choosing(options, query, descriptions)
        return await self._record(
            caller,
            Request(model=self.name, method="choose", prompt=prompt, parameters=parameters),
            lambda: self.model.choose(prompt, options, caller=caller, query=query, descriptions=descriptions),
        )

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Pass the request on and record it."""
        return await self._record(
            caller,
            Request(model=self.name, method="score", prompt=prompt, parameters=_scoring(continuations)),
            lambda: self.model.score(prompt, continuations, caller=caller),
        )

    def usage_by_module(self) -> list[ModuleUsage]:
        """What each module has cost since this object was made, sorted by name."""
        return [self._usage[module] for module in sorted(self._usage)]

    async def _record(self, caller: Caller, request: Request, ask: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
        # The identifier is taken before the first await: see transcript.py.
        identifier = self.transcript.next_id(caller)
        try:
            answer = await ask()
        except BaseException as error:
            usage = replace(error.usage if isinstance(error, ModelError) else Usage(), call=identifier)
            if isinstance(error, ModelError):
                error.usage = usage
            message = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
            self._write(Call(caller=caller, request=request, response=None, usage=usage, error=message or "no reason"))
            raise
        answer = replace(answer, usage=replace(answer.usage, call=identifier))
        response = {field: value for field, value in asdict(answer).items() if field != "usage"}
        self._write(Call(caller=caller, request=request, response=response, usage=answer.usage))
        return answer

    def _write(self, call: Call) -> None:
        self.transcript.record(call)
        module, usage = call.caller.module, call.usage
        before = self._usage.get(module) or ModuleUsage(module=module)
        self._usage[module] = replace(
            before,
            calls=before.calls + 1,
            prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
            cached_tokens=before.cached_tokens + usage.cached_tokens,
            generated_tokens=before.generated_tokens + usage.generated_tokens,
            seconds=before.seconds + usage.seconds,
            failures=before.failures + (call.outcome == "failed"),
        )


class Replayed:
    """Answers from a transcript only, with the usage and the identifiers that were recorded.

    Each resident gets the recorded answers to its own requests, in order and each once; a call that failed fails again.

    Attributes:
        name: The name of the model that was recorded.
        transcript: Where the answers come from.
    """

    def __init__(self, transcript: Transcript, *, name: str | None = None) -> None:
        """Read what was recorded.

        Args:
            transcript: A finished transcript.
            name: Which model to stand for; needed only where several were recorded.

        Raises:
            ValueError: if the transcript holds no call of this model, or of several models and none is named.
        """
        models = transcript.models()
        if name is None and len(models) > 1:
            raise ValueError(f"{transcript.path} records several models, {models}; name one of them")
        if not models or (name is not None and name not in models):
            raise ValueError(f"{transcript.path} records no call of {name or 'any model'}; it records {models}")
        self.name = name if name is not None else models[0]
        self.transcript = transcript
        self._left: defaultdict[tuple[str, str], deque[Call]] = defaultdict(deque)
        for call in transcript.calls():
            if call.request.model == self.name:
                self._left[call.request.key, call.caller.resident].append(call)

    async def generate(
        self,
        prompt: str,
        *,
        caller: Caller,
        max_tokens: int = 64,
        temperature: float = 0.7,
        seed: int = 0,
        stop: Sequence[str] = (),
        pattern: str | None = None,
        samples: int = 1,
        vocabulary: frozenset[str] | None = None,
    ) -> Generation:
        """The recorded text."""
        response, usage = self._answer(
            "generate", prompt, _generating(max_tokens, temperature, seed, stop, pattern, samples, vocabulary), caller
        )
        return Generation(text=response["text"], usage=usage, alternatives=tuple(response["alternatives"]))

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """The recorded choice."""
        response, usage = self._answer("choose", prompt, _choosing(options, query, descriptions), caller)
        return Choice(option=response["option"], probabilities=tuple(response["probabilities"]), usage=usage)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """The recorded scores."""
        response, usage = self._answer("score", prompt, _scoring(continuations), caller)
        return Scores(values=tuple(response["values"]), usage=usage)

    def _answer(
        self, method: Literal["generate", "choose", "score"], prompt: str, parameters: dict[str, Any], caller: Caller
    ) -> tuple[Mapping[str, Any], Usage]:
        request = Request(model=self.name, method=method, prompt=prompt, parameters=parameters)
        key = (request.key, caller.resident)
        if key not in self._left:
            raise ModelError(self._missing(request, caller))
        if not self._left[key]:
            raise ModelError(
                f"replay: {_who(caller)} made this {method} call once more than was recorded in "
                f"{self.transcript.path}; the code or the configuration differs from the recorded run's"
            )
        call = self._left[key].popleft()
        if call.response is None:
            raise ModelError(call.error, usage=call.usage)
        return call.response, call.usage

    def _missing(self, request: Request, caller: Caller) -> str:
        """What the call that is not there differs in from the nearest one that is."""
        head = f"replay: {self.transcript.path} holds no such {request.method} call of {_who(caller)}"
        asked = _lines(request)
        nearest = max(
            (call for call in self.transcript.calls() if call.request.method == request.method),
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


def _generating(
    max_tokens: int,
    temperature: float,
    seed: int,
    stop: Sequence[str],
    pattern: str | None,
    samples: int,
    vocabulary: frozenset[str] | None,
) -> dict[str, Any]:
    return {
        "max_tokens": max_tokens,
        "temperature": float(temperature),
        "seed": seed,
        "stop": list(stop),
        "pattern": pattern,
        "samples": samples,
        "vocabulary": None if vocabulary is None else _digest(vocabulary),
    }


def _digest(vocabulary: frozenset[str]) -> str:
    """A vocabulary by its sha256: thousands of calls share one."""
    return hashlib.sha256("\n".join(sorted(vocabulary)).encode()).hexdigest()


def _choosing(options: Sequence[str], query: str, descriptions: Sequence[str]) -> dict[str, Any]:
    return {"options": list(options), "query": query, "descriptions": list(descriptions)}


def _scoring(continuations: Sequence[str]) -> dict[str, Any]:
    return {"continuations": list(continuations)}


def _who(caller: Caller) -> str:
    return f"module {caller.module!r}, resident {caller.resident!r}, time {caller.time}"


def _lines(request: Request) -> list[str]:
    """A request as lines that can be compared."""
    parameters = json.dumps(request.parameters, indent=1, sort_keys=True, ensure_ascii=False)
    return [f"model: {request.model}", *request.prompt.splitlines(), *parameters.splitlines()]


def _likeness(call: Call, caller: Caller, asked: list[str]) -> tuple[int, int, int, int]:
    """How near a recorded call is: the lines it shares, then module, resident and time."""
    shared = len(set(asked).intersection(_lines(call.request)))
    then = call.caller
    return shared, then.module == caller.module, then.resident == caller.resident, then.time == caller.time
