"""Models on any server that speaks the OpenAI API: vLLM, llama.cpp's server, Ollama, a hosted one.

Every answer is checked: a text against the pattern, a choice against the options. One that does not pass is requested
again, `asks` times at most, every time counted in the usage; then the call fails. Tokens are those that the server
reports; what it does not report, or not as a count, is unknown and counted as 0. An optional field that the server
refuses, such as the seed, is left out from then on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from language_models.arguments import check_asks, check_continuations, check_options, one_of, shorten_list
from language_models.base_model import BaseModel
from language_models.json_grammar import grammar_of
from language_models.protocol import (
    LONGEST_TEXT,
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    ModelError,
    ModelUnavailable,
    Scores,
    Usage,
    total_usage,
)
from language_models.remote.address import check_address, find_key, remote_name
from language_models.remote.choosing import Chooser, Choosing
from language_models.remote.expected_texts import ExpectedTexts
from language_models.remote.failures import RefusedField
from language_models.remote.request_fields import RequestFields
from language_models.remote.responses import (
    UnusableAnswer,
    adding_usage_on_failure,
    as_unusable,
    gather_answers,
    read_echo,
    usage_of,
)
from language_models.remote.retrying_client import RetryingClient
from language_models.remote.schemas import (
    ChoiceMethod,
    remedy_of_form,
    response_format,
    stopping_where_refused,
    takes_schema,
)
from language_models.remote.truncated_prompts import TruncationCheck

SEEDS = 2**31
"""Seeds are sent modulo this number: many servers take those of 31 bits only."""
ASKS = 3
"""Attempts in total to get a usable answer."""

AnswerT = TypeVar("AnswerT", Generation, Choice)


class OpenAICompatible(BaseModel):
    """A model behind an OpenAI-compatible address.

    Attributes:
        name: The address and the model, as in `--model openai:ADDRESS#MODEL`.
        base_url: Address up to and including the version, such as http://127.0.0.1:8000/v1.
        model: Name that the server knows the model by; empty for the only one it serves.
        chooser: Makes its choices.
        answered_as: Model names reported in answers, each once; the requested name where an answer reports none.
        fields: Optional fields that requests lack, since the server refused them or `drop` names them.
        replaced: Characters of answers that were no valid text, so far; each was replaced by U+FFFD.
    """

    def __init__(
        self,
        base_url: str,
        model: str = "",
        *,
        api_key: str | None = None,
        key_variable: str | None = None,
        endpoint: Literal["chat", "completions"] = "chat",
        choosing: Choosing = "auto",
        grammar_field: str | None = None,
        max_tokens_field: str = "max_tokens",
        drop: Collection[str] = (),
        extra_body: Mapping[str, Any] | None = None,
        concurrency: int = 8,
        rate: float | None = None,
        timeout: float = 60.0,
        deadline: float = 600.0,
        retries: int = 4,
        backoff: float = 0.5,
        asks: int = ASKS,
        thinking: int = 0,
    ) -> None:
        """Configure the server; nothing is sent yet.

        Args:
            base_url: Address up to and including the version.
            model: Name of the model; empty to take the only one that the server lists.
            api_key: Key sent as bearer token, empty for none; by default it is read from the environment.
            key_variable: The environment variable that the key is read from; by default IROLLAN_API_KEY,
                if set, and for https://api.openai.com before it OPENAI_API_KEY.
            endpoint: Whether `generate` and `choose` use /chat/completions or /completions.
            choosing: How to choose, one of ``choosing.CHOOSING``; "auto" finds out what the
                server can do.
            grammar_field: Field of the request in which this server takes a GBNF grammar ("grammar" for llama.cpp);
                None where it takes none. The text is checked in either case.
            max_tokens_field: Field of the request that limits the tokens of an answer.
            drop: Optional fields that no request has, some of ``failures.OPTIONAL_FIELDS``; those that the server
                refuses are left out in any case.
            extra_body: More fields of every request, such as those that keep a model from thinking aloud; they win
                over those that are there.
            concurrency: Requests under way at once, at least 1.
            rate: Requests that begin within a second, evenly spaced; None for any number.
            timeout: Seconds that one request may take.
            deadline: Seconds that a call may take, with all its requests, their retries and all waiting.
            retries: How often a request is sent again after a time-out, a broken connection or a passing status.
            backoff: Seconds before the first of them; doubled each time, unless the server says Retry-After. A random
                part of up to this much is added.
            asks: Attempts in total to get a usable answer.
            thinking: Tokens that the model may think in before each answer, beyond those of the answer.

        Raises:
            ValueError: if an argument is out of its range, or the variable that `key_variable` names is not set.
        """
        check_address(base_url)
        if thinking < 0:
            raise ValueError(f"thinking must be at least 0 tokens, got {thinking}")
        self._endpoint = one_of("endpoint", endpoint, ("chat", "completions"))
        self.base_url = base_url.rstrip("/")
        self.model = model
        self.name = remote_name(base_url, model)
        self.answered_as: list[str] = []
        self.fields = RequestFields(drop)
        self.replaced = 0
        self._grammar_field = grammar_field
        self._max_tokens_field = max_tokens_field
        self._extra_body = dict(extra_body or {})
        self._asks = check_asks(asks)
        self._choosing = choosing
        self._thinking = thinking
        self._client = RetryingClient(
            self.base_url,
            key=find_key(self.base_url, key_variable, api_key),
            concurrency=concurrency,
            rate=rate,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            backoff=backoff,
        )
        self._complete = TruncationCheck(self._ask, self.base_url).complete
        self.chooser = Chooser(
            choosing, self._complete, self._until_usable, by_chat=endpoint == "chat", thinking=thinking
        )

    async def generate(self, request: GenerateRequest) -> Generation:
        """Continue a prompt; every sample and every retry has a seed of its own.

        A schema holds the answer where ``chooser`` chooses by one, or by the grammar of it where the server takes
        grammars. Elsewhere words alone have to do. The answer is checked in any case, and a second request
        for an object says what was wrong with the first.
        """
        if request.vocabulary is not None:
            raise ValueError(f"{self.name} cannot keep to a vocabulary; leave it out, or use the embedded model")
        thinking = request.think or self._thinking
        body: dict[str, Any] = {"max_tokens": request.max_tokens + thinking, "temperature": request.temperature}
        if request.stop:
            body["stop"] = list(request.stop)
        remedy = remedy_of_form(self._grammar_field, self._choosing, by_schema=request.schema is not None)
        expected = ExpectedTexts(request, remedy, thinking=thinking)
        complaint = ""
        seed = request.seed
        found: list[tuple[str, str]] = []
        parts: list[Usage] = []
        with self._client.call():
            method, spent = await self._hold(body, request)
            parts.append(spent)

            async def ask(_: int) -> tuple[Generation, Usage]:
                nonlocal complaint, seed
                left = request.samples - len(found)
                several = {"n": left} if left > 1 else {}
                asked = {**body, **several, "seed": seed % SEEDS}
                seed += 1
                with stopping_where_refused(method):
                    answer, usage = await self._complete(request.prompt + complaint, asked)
                # Servers give the texts of one request consecutive seeds.
                seed += max(0, min(len(answer["choices"]), left) - 1)
                try:
                    texts = expected.read(answer, usage)[:left]
                except UnusableAnswer as error:
                    if request.schema is not None:
                        complaint = error.complaint
                    raise
                complaint = ""
                found.extend(texts)
                return Generation(text=texts[0][0], usage=usage), usage

            while len(found) < request.samples:
                with adding_usage_on_failure(*parts):
                    parts.append((await self._until_usable(ask)).usage)
        if method is not None:
            self.chooser.settle(method)
        (text, thought), *others = found
        return Generation(
            text=text,
            usage=total_usage(parts),
            alternatives=tuple(text for text, _ in others),
            reasoning=thought[:LONGEST_TEXT],
        )

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose one of the options; see ``choosing`` for where the probabilities come from."""
        check_options(options, descriptions)
        with self._client.call():
            return await self.chooser.choose(prompt, options, descriptions)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Return log-probabilities by /completions with echo, which vLLM has and most hosted servers lack."""
        check_continuations(continuations)
        started = time.perf_counter()
        with self._client.call():
            scored = await gather_answers(self._score_one(prompt, text) for text in continuations)
        usage = replace(total_usage([one.usage for one in scored]), seconds=time.perf_counter() - started)
        return Scores(values=tuple(one.values[0] for one in scored), usage=usage)

    async def served(self) -> list[str]:
        """Return the names of the models that the server lists.

        Raises:
            ModelError: if the server lists none.
            ModelUnavailable: if the server cannot be reached.
        """
        return (await self._served())[0]

    async def aclose(self) -> None:
        """Close the connections of the running event loop; `close` closes those of `ask`."""
        await self._client.aclose()

    async def __aenter__(self) -> OpenAICompatible:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _close_connections(self) -> None:
        await self.aclose()

    async def _hold(self, body: dict[str, Any], request: GenerateRequest) -> tuple[ChoiceMethod | None, Usage]:
        """Add the fields that constrain an answer to its form, as far as this server supports them.

        Returns:
            The method of choosing that decided this, None if it made no difference; and the cost of finding it.
        """
        schema = request.schema
        grammar = request.pattern if schema is None else grammar_of(schema)
        if grammar is not None and self._grammar_field is not None:
            body[self._grammar_field] = grammar
            return None, Usage()
        if schema is None:
            return None, Usage()
        method, spent = await self.chooser.find_method()
        if takes_schema(method):
            body["response_format"] = response_format(schema, "answer")
        return method, spent

    async def _score_one(self, prompt: str, continuation: str) -> Scores:
        body = {"prompt": prompt + continuation, "max_tokens": 0, "temperature": 0.0, "echo": True, "logprobs": 1}
        answer, usage = await self._send("/completions", body)
        return read_echo(answer, usage, prompt, self.base_url)

    async def _until_usable(self, ask: Callable[[int], Awaitable[tuple[AnswerT, Usage]]], remedy: str = "") -> AnswerT:
        """Repeat a request until its answer is usable, at most `asks` times, and add up the cost."""
        spent: list[Usage] = []
        reason = ""
        for attempt in range(self._asks):
            try:
                with adding_usage_on_failure(*spent, asked_again=attempt):
                    answer, usage = await ask(attempt)
            except UnusableAnswer as error:
                reason = str(error)
                spent.append(error.usage)
            else:
                return replace(answer, usage=total_usage([*spent, usage], attempt))
        raise ModelError(
            f"{self.name} gave no usable answer in {self._asks} asks; the last was {reason}{remedy}",
            usage=total_usage(spent, self._asks - 1),
        )

    async def _ask(self, prompt: str, body: dict[str, Any]) -> tuple[dict[str, Any], Usage]:
        if self._endpoint == "chat":
            return await self._send("/chat/completions", {"messages": [{"role": "user", "content": prompt}], **body})
        return await self._send("/completions", {"prompt": prompt, **body})

    async def _send(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], Usage]:
        model, asked = await self._served_model()
        rest = {name: value for name, value in body.items() if name != "max_tokens"}
        plain = {"model": model, **rest, self._max_tokens_field: body["max_tokens"], "stream": False}
        spent = asked
        while True:
            body = {**self.fields.apply(plain), **self._extra_body}
            try:
                with adding_usage_on_failure(spent):
                    reply = await self._client.send("POST", path, body)
                break
            except RefusedField as error:
                if error.field in self._extra_body:
                    raise
                self.fields.refuse(error)
                spent = total_usage([error.usage], asked_again=1)
        self.replaced += reply.replaced
        answered = reply.answer.get("model")
        known = answered if isinstance(answered, str) and answered else body["model"]
        if known not in self.answered_as:
            self.answered_as.append(known)
        return reply.answer, total_usage([spent, usage_of(reply)])

    async def _served_model(self) -> tuple[str, Usage]:
        """Return the model's name, asking the server if none was given, and the cost of asking."""
        if self.model:
            return self.model, Usage()
        served, usage = await self._served()
        if len(served) != 1:
            remedy = f"name one of them, as in {self.name}#MODEL"
            usage = as_unusable(usage, "lists another number of models than one", served)
            raise ModelUnavailable(
                f"{self.base_url} serves {shorten_list(served) or 'no model'}; {remedy}", usage=usage
            )
        self.model = served[0]
        return self.model, usage

    async def _served(self) -> tuple[list[str], Usage]:
        reply = await self._client.send("GET", "/models")
        try:
            return [str(entry["id"]) for entry in reply.answer["data"]], reply.usage
        except (KeyError, TypeError):
            message = f"{self.base_url}/models lists no models: {json.dumps(reply.answer)[:300]}"
            raise ModelError(message, usage=as_unusable(reply.usage, "lists no models", reply.answer)) from None
