"""Any server that speaks the OpenAI API: vLLM, llama.cpp's server, Ollama, a hosted one.

Every answer is checked: a text against the pattern, a choice against the options. One that does not pass is asked for
again, `asks` times at most, every time counted in the usage; then the call fails. Tokens are those that the server
reports; a server that reports none is counted as 0, and an answer with a report that makes no sense is asked for again.
"""

from __future__ import annotations

import asyncio
import copy
import json
import math
import re
import string
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, TypeVar

from language_models.address import check_address, find_key
from language_models.arguments import check_continuations, check_generate, check_options
from language_models.grammar import compile_grammar
from language_models.openai_answers import Unusable, choice_in, first_token, text_of, tokens_of, total_usage, usage_of
from language_models.patient_client import OPTIONS, PatientClient
from language_models.protocol import (
    Caller,
    Choice,
    Generation,
    ModelError,
    ModelUnavailable,
    Scores,
    Usage,
)

CHARACTERS_PER_TOKEN = 64
ASKS = 3
"""How often an unusable answer is asked for, in all."""
LABELS = string.ascii_uppercase[:20]  # The API reports at most 20 alternatives of a token.

Choosing = Literal["structured", "logprobs", "plain"]
CHOOSING = ("structured", "logprobs", "plain")
AnswerT = TypeVar("AnswerT", Generation, Choice)


class OpenAICompatible:
    """A model behind an OpenAI-compatible address.

    Attributes:
        name: The address and the model, as in `--model openai:ADDRESS#MODEL`.
        base_url: Address up to and including the version, such as http://127.0.0.1:8000/v1.
        model: Name that the server knows the model by; empty for the only one it serves.
        answered_as: The models that answers say they are of, each once; where one says nothing, the one asked for.
    """

    def __init__(
        self,
        base_url: str,
        model: str = "",
        *,
        api_key: str | None = None,
        key_variable: str | None = None,
        endpoint: Literal["chat", "completions"] = "chat",
        choosing: Choosing = "structured",
        grammar_field: str | None = None,
        max_tokens_field: str = "max_tokens",
        extra_body: Mapping[str, Any] | None = None,
        concurrency: int = 8,
        rate: float | None = None,
        timeout: float = 60.0,
        deadline: float = 600.0,
        retries: int = 4,
        backoff: float = 0.5,
        asks: int = ASKS,
    ) -> None:
        """Describe the server; nothing is sent yet.

        Args:
            base_url: Address up to and including the version.
            model: Name of the model; empty to take the only one that the server lists.
            api_key: Key sent as bearer token, empty for none; by default it is read from the environment.
            key_variable: The environment variable that the key is read from; by default IROLLAN_API_KEY,
                if set, and for https://api.openai.com before it OPENAI_API_KEY.
            endpoint: Whether `generate` and `choose` use /chat/completions or /completions.
            choosing: How to choose. "structured": the answer is held to the options by a JSON schema, and the option
                chosen has probability 1, which is all that such an answer tells. "logprobs": options get letters, and
                the log-probabilities of the first token are those of the options, averaged over both orders of listing
                them, since models favour some places and letters; of more than 20, the best of each 20 are chosen
                among in a second round. With /completions most servers heed no schema: take "logprobs" there.
                "plain": as "structured", but with words alone, for servers that take no schema; more answers are of no
                use, and are asked for again.
            grammar_field: Field of the request in which this server takes a GBNF grammar ("grammar" for llama.cpp);
                None where it takes none. The text is checked in either case.
            max_tokens_field: Field of the request that limits the tokens of an answer; "max_completion_tokens" for
                hosted models that refuse the other one.
            extra_body: More fields of every request, such as those that keep a model from thinking aloud; they win
                over those that are there.
            concurrency: Requests under way at once, at least 1.
            rate: Requests that begin within a second, evenly spaced; None for any number.
            timeout: Seconds that one request may take.
            deadline: Seconds that a request may take with all waiting and retries.
            retries: How often a request is sent again after a time-out, a broken connection or a passing status.
            backoff: Seconds before the first of them; doubled each time, unless the server says Retry-After. A random
                part of up to this much is added.
            asks: How often an unusable answer is asked for, in all.

        Raises:
            ValueError: if an argument is out of its range, or the variable that `key_variable` names is not set.
        """
        check_address(base_url)
        if asks < 1:
            raise ValueError(f"asks must be at least 1, got {asks}")
        self._endpoint = _one_of("endpoint", endpoint, ("chat", "completions"))
        self._choosing = _one_of("choosing", choosing, CHOOSING)
        self.base_url = base_url.rstrip("/")
        self.model = model
        self.name = f"openai:{self.base_url}" + (f"#{model}" if model else "")
        self.answered_as: list[str] = []
        self._grammar_field = grammar_field
        self._max_tokens_field = max_tokens_field
        self._extra_body = dict(extra_body or {})
        self._asks = asks
        self._client = PatientClient(
            self.base_url,
            key=find_key(self.base_url, key_variable, api_key),
            concurrency=concurrency,
            rate=rate,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            backoff=backoff,
        )

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
        """Continue a prompt; the seed goes up by one each time a text is asked for again."""
        check_generate(max_tokens, temperature, samples)
        if vocabulary is not None:
            raise ValueError(f"{self.name} cannot keep to a vocabulary; leave it out, or use the embedded model")
        expression = None if pattern is None else compile_grammar(pattern)

        async def ask(attempt: int) -> tuple[Generation, Usage]:
            body: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed + attempt}
            if stop:
                body["stop"] = list(stop)
            if samples > 1:
                body["n"] = samples
            if pattern is not None and self._grammar_field is not None:
                body[self._grammar_field] = pattern
            answer, usage = await self._complete(prompt, body)
            texts = [text_of(answer, usage, place) for place in range(samples)]
            for place, text in enumerate(texts):
                if not text.strip():
                    raise Unusable("an empty text", usage)
                if len(text) > CHARACTERS_PER_TOKEN * max_tokens:
                    raise Unusable(f"{len(text)} characters where {max_tokens} tokens were asked for", usage)
                if expression is not None and expression.fullmatch(text) is None:
                    # Servers leave empty lines where they took a model's thinking out.
                    texts[place] = text.strip()
                    if expression.fullmatch(texts[place]) is not None:
                        continue
                    raise Unusable(f"{text[:200]!r}, which does not obey the pattern{self._remedy}", usage)
            return Generation(text=texts[0], usage=usage, alternatives=tuple(texts[1:])), usage

        return await self._until_usable(ask)

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose one of the options; see `choosing` for where the probabilities come from."""
        check_options(options, descriptions)
        if self._choosing == "logprobs":
            return await self._choose_in_rounds(prompt, options, descriptions or [""] * len(options))
        return await self._until_usable(
            lambda attempt: self._choose_in_json(prompt, options, descriptions, attempt),
            f'; where the server gives log-probabilities, choosing = "logprobs" {OPTIONS} needs no form',
        )

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Log-probabilities by /completions with echo, which vLLM has and most hosted servers have not."""
        check_continuations(continuations)
        started = time.perf_counter()
        tasks = [asyncio.ensure_future(self._score_one(prompt, text)) for text in continuations]
        try:
            scored = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        usage = replace(total_usage([usage for _, usage in scored]), seconds=time.perf_counter() - started)
        return Scores(values=tuple(value for value, _ in scored), usage=usage)

    async def served(self) -> list[str]:
        """The names of the models that the server lists.

        Raises:
            ModelError: if it lists none.
            ModelUnavailable: if it cannot be asked.
        """
        answer = (await self._client.send("GET", "/models")).answer
        try:
            return [str(entry["id"]) for entry in answer["data"]]
        except (KeyError, TypeError):
            raise ModelError(f"{self.base_url}/models lists no models: {json.dumps(answer)[:300]}") from None

    def with_choosing(self, choosing: Choosing) -> OpenAICompatible:
        """The same server over the same connections, asked to choose in another way."""
        other = copy.copy(self)
        other._choosing = _one_of("choosing", choosing, CHOOSING)
        return other

    async def under_schema(self, prompt: str, options: Sequence[str]) -> str:
        """The answer to a prompt that says nothing of a form, with a schema that holds it to a choice of the options.

        A server that gives anything else takes no notice of schemas.
        """
        body = {"max_tokens": 48, "temperature": 0.0, "seed": 0, "response_format": _choice_form(options)}
        return text_of(*await self._complete(prompt, body))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def __aenter__(self) -> OpenAICompatible:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _choose_in_json(
        self, prompt: str, options: Sequence[str], descriptions: Sequence[str], attempt: int
    ) -> tuple[Choice, Usage]:
        body: dict[str, Any] = {
            "max_tokens": most_tokens_of_choice(options),
            "temperature": 0.0 if attempt == 0 else 0.7,
            "seed": attempt,
        }
        if self._choosing == "structured":
            body["response_format"] = _choice_form(options)
        listed = "\n".join(f"- {line}" for line in _described(options, descriptions))
        asked = f'{prompt}\n\nOptions:\n{listed}\n\nAnswer in JSON, {{"choice": OPTION}}, with one of the options.'
        try:
            answer, usage = await self._complete(asked, body)
        except ModelError as error:
            if self._choosing == "structured" and re.search("response_format|json_schema", str(error)):
                # No choice of the whole run would be had.
                raise ModelUnavailable(f'{error}; set choosing = "plain" {OPTIONS}', usage=error.usage) from error
            raise
        text = text_of(answer, usage)
        chosen = choice_in(text, usage)
        if chosen not in options:
            raise Unusable(f"{chosen!r}, which is none of the options {list(options)!r}", usage)
        return Choice(option=chosen, probabilities=tuple(float(o == chosen) for o in options), usage=usage), usage

    async def _choose_in_rounds(self, prompt: str, options: Sequence[str], descriptions: Sequence[str]) -> Choice:
        """Choose by letters: among groups of options first, where there are more than letters, then among their best.

        An option's probability is its share of its group times that of the group's best among the best.
        """
        size = len(LABELS)
        described = list(zip(options, descriptions, strict=True))
        groups = [described[start : start + size] for start in range(0, len(described), size)]
        rounds = await _all_of(self._choose_of(prompt, group) for group in groups)
        if len(groups) == 1:
            return rounds[0]
        told = dict(described)
        best = [choice.option for choice in rounds]
        final = await self._choose_in_rounds(prompt, best, [told[option] for option in best])
        shares = zip(rounds, final.probabilities, strict=True)
        probabilities = tuple(share * one for choice, share in shares for one in choice.probabilities)
        usage = total_usage([*(choice.usage for choice in rounds), final.usage])
        return Choice(option=final.option, probabilities=probabilities, usage=usage)

    async def _choose_of(self, prompt: str, group: Sequence[tuple[str, str]]) -> Choice:
        """By the mean log-probabilities of both orders; an option is as probable as the geometric mean of its two."""
        options, descriptions = [option for option, _ in group], [text for _, text in group if text]

        def ask(step: int) -> Awaitable[Choice]:
            listed = options[::step], descriptions[::step]
            return self._until_usable(lambda attempt: self._choose_by_letter(prompt, *listed))

        forwards, backwards = await _all_of([ask(1), ask(-1)])
        both = zip(forwards.probabilities, backwards.probabilities[::-1], strict=True)
        means = [math.sqrt(one * other) for one, other in both]
        probabilities = tuple(mean / math.fsum(means) for mean in means)
        best = max(range(len(options)), key=lambda place: means[place])
        usage = total_usage([forwards.usage, backwards.usage])
        return Choice(option=options[best], probabilities=probabilities, usage=usage)

    async def _choose_by_letter(
        self, prompt: str, options: Sequence[str], descriptions: Sequence[str]
    ) -> tuple[Choice, Usage]:
        labels = LABELS[: len(options)]
        listed = "\n".join(f"{a}. {o}" for a, o in zip(labels, _described(options, descriptions), strict=True))
        asked = f"{prompt}\n\nOptions:\n{listed}\n\nAnswer with the letter of one option only.\nAnswer:"
        chat = self._endpoint == "chat"
        body = {
            "max_tokens": 1,
            "temperature": 0.0,
            **({"logprobs": True, "top_logprobs": 20} if chat else {"logprobs": 20}),
        }
        answer, usage = await self._complete(asked, body)
        tokens = first_token(answer, usage)
        found: dict[str, float] = {}
        for token, logarithm in tokens:
            label = token.strip()
            if label in labels and label:
                found[label] = found.get(label, 0.0) + math.exp(logarithm)
        if not math.fsum(found.values()) > 0:
            raise Unusable(f"{text_of(answer, usage)!r}, with no letter of an option among the likely tokens", usage)
        # What is not among the tokens reported is at most as likely as the last of these.
        least = max(min(math.exp(logarithm) for _, logarithm in tokens), 1e-12)
        shares = [max(found.get(label, 0.0), least) for label in labels]
        probabilities = tuple(share / math.fsum(shares) for share in shares)
        best = max(range(len(options)), key=lambda place: probabilities[place])
        return Choice(option=options[best], probabilities=probabilities, usage=usage), usage

    async def _score_one(self, prompt: str, continuation: str) -> tuple[float, Usage]:
        body = {"prompt": prompt + continuation, "max_tokens": 0, "temperature": 0.0, "echo": True, "logprobs": 1}
        answer, usage = await self._send("/completions", body)
        try:
            logprobs = answer["choices"][0]["logprobs"]
            tokens = list(zip(logprobs["tokens"], logprobs["token_logprobs"], logprobs["text_offset"], strict=True))
            # A token that lies across the border belongs to the continuation.
            values = [value for token, value, start in tokens if start + len(token) > len(prompt)]
            if not values:
                raise ValueError("no token of the continuation")
            total = math.fsum(float(value) for value in values)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self.base_url} does not score: its answer to /completions with echo has no log-probabilities of the "
                f"prompt ({error}); use a server that has them, such as vLLM, or the embedded model",
                usage=usage,
            ) from None
        return total, replace(usage, generated_tokens=len(values))

    @property
    def _remedy(self) -> str:
        if self._grammar_field is not None:
            return ""
        return f'; where the server takes GBNF grammars, as llama.cpp\'s does, set grammar_field = "grammar" {OPTIONS}'

    async def _until_usable(self, ask: Callable[[int], Awaitable[tuple[AnswerT, Usage]]], remedy: str = "") -> AnswerT:
        """Ask until the answer is usable, at most `asks` times, adding up what all of them cost."""
        spent: list[Usage] = []
        reason = ""
        for attempt in range(self._asks):
            try:
                answer, usage = await ask(attempt)
            except Unusable as error:
                reason = str(error)
                spent.append(error.usage)
            except (ModelError, ModelUnavailable) as error:
                error.usage = total_usage([*spent, error.usage], attempt)
                raise
            else:
                return replace(answer, usage=total_usage([*spent, usage], attempt))
        raise ModelError(
            f"{self.name} gave no usable answer in {self._asks} asks; the last was {reason}{remedy}",
            usage=total_usage(spent, self._asks - 1),
        )

    async def _complete(self, prompt: str, body: dict[str, Any]) -> tuple[dict[str, Any], Usage]:
        if self._endpoint == "chat":
            return await self._send("/chat/completions", {"messages": [{"role": "user", "content": prompt}], **body})
        return await self._send("/completions", {"prompt": prompt, **body})

    async def _send(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], Usage]:
        limit = {self._max_tokens_field: body.pop("max_tokens")}
        body = {"model": await self._served_model(), **body, **limit, **self._extra_body}
        reply = await self._client.send("POST", path, body, check=tokens_of)
        answered = reply.answer.get("model")
        known = answered if isinstance(answered, str) and answered else body["model"]
        if known not in self.answered_as:
            self.answered_as.append(known)
        return reply.answer, usage_of(reply)

    async def _served_model(self) -> str:
        """The model's name, asked of the server where none was given."""
        if not self.model:
            served = await self.served()
            if len(served) != 1:
                raise ModelUnavailable(f"{self.base_url} serves {served}; name one of them, as in {self.name}#MODEL")
            self.model = served[0]
        return self.model


def most_tokens_of_choice(options: Sequence[str]) -> int:
    """The most tokens that a choice in JSON may be written with."""
    return 32 + 2 * max(len(option) for option in options)


def requests_of_choice(options: int) -> int:
    """How many requests a choice among so many options by letters takes: each group of them, in both orders."""
    groups = -(-options // len(LABELS))
    return 2 * groups + (requests_of_choice(groups) if groups > 1 else 0)


async def _all_of(asked: Iterable[Awaitable[Choice]]) -> list[Choice]:
    """All choices; where some fail, the first failure with what all of them cost."""
    found = await asyncio.gather(*asked, return_exceptions=True)
    choices = [one for one in found if isinstance(one, Choice)]
    failures = [one for one in found if isinstance(one, BaseException)]
    if not failures:
        return choices
    first = failures[0]
    if isinstance(first, ModelError | ModelUnavailable):
        known = [one for one in failures if isinstance(one, ModelError | ModelUnavailable)]
        first.usage = total_usage([one.usage for one in (*choices, *known)])
    raise first


def _choice_form(options: Sequence[str]) -> dict[str, Any]:
    """The field `response_format` that holds an answer to a choice of the options."""
    schema = {
        "type": "object",
        "properties": {"choice": {"type": "string", "enum": list(options)}},
        "required": ["choice"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "choice", "strict": True, "schema": schema}}


def _described(options: Sequence[str], descriptions: Sequence[str]) -> list[str]:
    if not descriptions:
        return list(options)
    return [f"{option} ({description})" for option, description in zip(options, descriptions, strict=True)]


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(allowed)}, got {value!r}")
    return value
