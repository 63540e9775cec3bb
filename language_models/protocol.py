"""Protocol of language models and embedders: requests, answers, usage and errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from language_models.json_answers import check_schema

FloatArray: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Origin of a call: the module (elimination, protention, action, goal, matrix ...), resident and time step.

    A call made for all residents has no resident, or the name of its subject.
    """

    module: str
    resident: str = ""
    time: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class GenerateRequest:
    """A prompt to continue, with sampling settings and constraints on the text.

    Attributes:
        prompt: Text to continue; parts that stay the same from call to call come first.
        caller: Module, resident and time step that make the request.
        max_tokens: Upper limit of generated tokens, at least 1.
        temperature: Sampling temperature, at least 0; 0 is greedy.
        seed: Sampling seed.
        stop: Strings that end the text; they are not part of it.
        pattern: A GBNF grammar that the text obeys; backends without grammars check it after the fact.
        samples: How many texts to draw of the same prompt, at least 1; the prompt is read once.
        vocabulary: Words that the text may contain, beside punctuation; None for any. It keeps a small model to
            things that exist. Only the embedded and the scripted model take it.
        schema: A JSON schema, of the kind that ``json_answers`` knows: the text is then one JSON object that obeys
            it, as ``json_answers.write_object`` writes it. Backends that cannot constrain a model check what it
            wrote, and retry; the prompt must describe the form in any case. Not with pattern or vocabulary.
        think: Tokens that the model may think in, beside max_tokens, before it answers; its thoughts are no part
            of the text. 0 leaves that to the backend's own setting. Only a remote and the scripted model take it.

    Raises:
        ValueError: if a number is out of its range, stop is one string, the schema is not supported, or
            is combined with a pattern or a vocabulary.
    """

    prompt: str
    caller: Caller
    max_tokens: int = 64
    temperature: float = 0.7
    seed: int = 0
    stop: Sequence[str] = ()
    pattern: str | None = None
    samples: int = 1
    vocabulary: frozenset[str] | None = None
    schema: Mapping[str, Any] | None = None
    think: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, got {self.max_tokens}")
        if self.samples < 1:
            raise ValueError(f"samples must be at least 1, got {self.samples}")
        if not self.temperature >= 0:
            raise ValueError(f"temperature must be at least 0 (0 is greedy), got {self.temperature}")
        if self.think < 0:
            raise ValueError(f"think must be at least 0 tokens, got {self.think}")
        if isinstance(self.stop, str):
            raise ValueError(
                f"stop must be a sequence of strings, got the one string {self.stop!r}; put it into a list"
            )
        if self.schema is not None:
            if self.pattern is not None or self.vocabulary is not None:
                other = "pattern" if self.pattern is not None else "vocabulary"
                raise ValueError(f"a text obeys a schema or a {other}, not both; leave one of them out")
            check_schema(self.schema)


LONGEST_TEXT = 4000
"""Characters kept of the answer of a failed attempt; a server may send 16 MB."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One failed request within a call, whether or not it was retried.

    Attributes:
        kind: "unusable": the answer does not have the requested form, or is a refusal;
            "network": the network or the server failed (a time-out, a connection that breaks off, a status other than
            200, an answer that is not JSON or too long).
        reason: What was wrong, in words; for an unusable answer, worded to follow "which".
        text: The answer, if any: its first 4,000 characters, those that are not valid Unicode as
            escapes.
    """

    kind: Literal["unusable", "network"]
    reason: str
    text: str = ""

    def __post_init__(self) -> None:
        for name in ("reason", "text"):
            kept = getattr(self, name)[:LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()
            object.__setattr__(self, name, kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Cost of one call: tokens, time and retries.

    Attributes:
        prompt_tokens: All tokens of the prompt(s), those served from a cache included.
        cached_tokens: Prompt tokens that a prefix cache served.
        generated_tokens: Tokens written or scored.
        seconds: Wall-clock time from asking to answer.
        waiting: The seconds without computation: for a free slot, for a limit, between retries. 0 where the
            backend does not know.
        retries: Number of repeated requests, after a transient failure or an unusable answer.
        attempts: The failed requests, in order; for a call that failed, including the last.
        call: Identifier in the transcript; -1 when the call was not recorded.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    waiting: float = 0.0
    retries: int = 0
    attempts: tuple[Attempt, ...] = ()
    call: int = -1


def total_usage(usages: Sequence[Usage], asked_again: int = 0) -> Usage:
    """Add up the usage of several requests.

    Args:
        usages: Usage of each request.
        asked_again: Retries to add to theirs.
    """
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        cached_tokens=sum(usage.cached_tokens for usage in usages),
        generated_tokens=sum(usage.generated_tokens for usage in usages),
        seconds=math.fsum(usage.seconds for usage in usages),
        waiting=math.fsum(usage.waiting for usage in usages),
        retries=sum(usage.retries for usage in usages) + asked_again,
        attempts=tuple(attempt for usage in usages for attempt in usage.attempts),
    )


class ModelError(RuntimeError):
    """A model call that failed: no answer, an empty one, or one that does not fit the request.

    Attributes:
        usage: Cost of the failed call; `usage.call` is its identifier in the transcript.
    """

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage if usage is not None else Usage()

    @property
    def call(self) -> int:
        """Identifier in the transcript; -1 when the call was not recorded."""
        return self.usage.call


class Refused(ModelError):
    """A call that the model or its server refused by policy."""


class ModelUnavailable(RuntimeError):
    """A model that cannot be called at all: no connection, no permission, or no answer despite all retries.

    It is not a ModelError: the run stops, and can be resumed when the model is available again.

    Attributes:
        usage: Cost of the attempts.
    """

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage if usage is not None else Usage()


class PromptTooLong(ModelUnavailable):
    """A prompt that, with its answer, does not fit into the model's context."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Generation:
    """Generated text.

    Attributes:
        text: The first sample.
        usage: Cost of all samples together.
        alternatives: The other samples, if more than one was requested.
        reasoning: What the model thought before the first sample, up to 4,000 characters; empty where that is not told.
    """

    text: str
    usage: Usage = Usage()
    alternatives: tuple[str, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The chosen option, with a probability for each of the options in the order they were given."""

    option: str
    probabilities: tuple[float, ...]
    usage: Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """Log-probability of each continuation given the prompt, in nats, summed over its tokens."""

    values: tuple[float, ...]
    usage: Usage


class LanguageModel(Protocol):
    """Interface of language models: generate, choose and score, each callable concurrently.

    Raises:
        ModelError: from any method, when there is no valid answer; no default takes its place.
        ModelUnavailable: from any method, when the model cannot be reached.
    """

    name: str

    async def generate(self, request: GenerateRequest) -> Generation:
        """Continue a prompt."""
        ...

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose one of the given strings, never anything else.

        Args:
            prompt: The situation, ending where the choice would be written.
            options: At least one string, no two alike.
            caller: Module, resident and time step that make the request.
            query: What is wanted, in a few words (a goal, say), for backends that choose by similarity.
            descriptions: One sentence per option on its meaning or effect; empty, or as many as options.
        """
        ...

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Return the log-probability of each continuation of a prompt."""
        ...


class Embedder(Protocol):
    """Interface of embedders, which turn names and sentences into vectors of unit length."""

    name: str

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return embeddings of shape (len(texts), dimension), float32, each row of Euclidean length 1."""
        ...


def check_parts(model: object, embedder: object) -> None:
    """Check that a model and an embedder are loaded objects, and not, say, their names.

    Raises:
        TypeError: if the model cannot generate, choose and score, or the embedder cannot embed.
    """
    for label, part, methods in (("model", model, ("generate", "choose", "score")), ("embedder", embedder, ("embed",))):
        if missing := [name for name in methods if not callable(getattr(part, name, None))]:
            remedy = f"language_models.load_{label}({part!r})" if isinstance(part, str) else f"load_{label}(name)"
            raise TypeError(f"{label} must be an object with {', '.join(missing)}, got {part!r}; give {remedy}")
