"""Requests for texts of a given form from llama.cpp, and checks of the answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from language_models.arguments import option_lines
from language_models.json_answers import UnusableObject, read_object, write_object
from language_models.json_grammar import grammar_of, quoted, shortened
from language_models.local.llama_usage import UsageMeter
from language_models.protocol import Attempt, Caller, Choice, GenerateRequest, ModelError

MIN_P = 0.05
"""Tokens less likely than this share of the likeliest one are not sampled."""
PUNCTUATION = '. ? ! , " : ." ?" !" ."\n ?"\n !"\n .\n ?\n !\n "\n \n'


class UnusableTexts(Exception):
    """Texts that are empty or not of the requested form.

    Attributes:
        attempt: The failure as part of the call's usage.
    """

    def __init__(self, message: str, reason: str, text: str) -> None:
        super().__init__(message)
        self.attempt = Attempt(kind="unusable", reason=reason, text=text)


def body_of(request: GenerateRequest, prompt: str, attempt: int) -> dict[str, Any]:
    """Return the fields of a request to /v1/completions, except the seed.

    JSON objects are cut off when the model does not stop. In a retry, their strings together
    may have one character per token, then half of that, which leaves room for the rest of the object.

    Args:
        request: The request.
        prompt: Its prompt as llama.cpp reads it.
        attempt: Number of earlier attempts.
    """
    schema = request.schema
    if schema is not None and attempt:
        schema = shortened(schema, request.max_tokens // attempt)
    grammar = request.pattern if schema is None else grammar_of(schema)
    return {
        "prompt": prompt,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "min_p": MIN_P,
        "stop": list(request.stop),
        **({"grammar": grammar} if grammar is not None else {}),
    }


def read_texts(texts: Sequence[str], request: GenerateRequest) -> list[str]:
    """Return the checked texts; JSON objects are rewritten by ``json_answers.write_object``.

    Raises:
        UnusableTexts: if one is empty, or no object of the schema.
    """
    if len(texts) != request.samples or any(not text.strip() for text in texts):
        message = f"wrote {list(texts)!r} where {request.samples} texts were asked for"
        raise UnusableTexts(message, "has an empty text", json.dumps(texts))
    if request.schema is None:
        return list(texts)
    found = []
    for text in texts:
        try:
            found.append(write_object(read_object(text, request.schema)))
        except UnusableObject as error:
            raise UnusableTexts(f"wrote {text[:200]!r}, which {error}", str(error), text) from None
    return found


class Get(Protocol):
    """Sends a request to a path of llama.cpp's server, and returns the JSON object of its answer."""

    def __call__(self, path: str, body: dict[str, Any]) -> Awaitable[dict[str, Any]]:
        """Send a request."""
        ...


class Complete(Protocol):
    """Requests a completion from llama.cpp."""

    def __call__(self, body: dict[str, Any]) -> Awaitable[dict[str, Any]]:
        """Send a request."""
        ...


async def draw(
    body: dict[str, Any], samples: int, seed: int, slots: int, complete: Complete, get: Get, meter: UsageMeter
) -> list[str]:
    """Request texts, as many at once as there are slots.

    Args:
        body: The fields of a request, all but the seed.
        samples: How many texts, at least 1.
        seed: Seed of the first text; each further text has the next seed.
        slots: How many are written at once.
        complete: Requests completions.
        get: Sends all other requests.
        meter: Counts tokens and time.
    """
    texts: list[str] = []
    counted = 0
    for drawn in range(0, samples, slots):
        # llama.cpp gives the samples of one request consecutive seeds, beginning with this one.
        part = {"seed": (seed + drawn) % 2**31, "n": min(slots, samples - drawn)}
        answer = await complete({**body, **part})
        counted += meter.add(answer).generated_tokens
        texts += [str(choice["text"]) for choice in answer["choices"]]
    if samples > 1:
        # llama.cpp counts the tokens of one sample only.
        written = [len((await get("/tokenize", {"content": text}))["tokens"]) for text in texts]
        meter.add_tokens(sum(written) - counted)
    return texts


async def in_template(prompt: str, get: Get) -> str:
    """Format a prompt as a user message in the model's chat template, up to where the answer begins.

    An answer constrained from its first token on leaves no room for thinking, so that thinking is turned off if the
    template has an option for it.
    """
    messages = [{"role": "user", "content": prompt}]
    answer = await get("/apply-template", {"messages": messages, "chat_template_kwargs": {"enable_thinking": False}})
    return str(answer["prompt"])


async def choose_in_words(
    prompt: str, options: Sequence[str], descriptions: Sequence[str], caller: Caller, complete: Complete, get: Get
) -> Choice:
    """Choose by an answer constrained to the options; the others have probability 0.

    Args:
        prompt: The situation.
        options: At least one.
        descriptions: Meaning or effect of each option; empty, or as many as options.
        caller: Module and resident that make the request.
        complete: Requests completions.
        get: Sends all other requests.

    Raises:
        ModelError: if the answer is cut off.
    """
    listed = "\n".join(f"- {line}" for line in option_lines(options, descriptions))
    asked = f"{prompt}\n\nOptions:\n{listed}\n\nAnswer with one of the options, word for word."
    request = GenerateRequest(
        prompt=asked,
        caller=caller,
        max_tokens=8 + max(len(option.encode()) for option in options),  # A token has at least one byte.
        temperature=0.0,
        pattern=f"root ::= {' | '.join(quoted(option) for option in options)}",
    )
    meter = UsageMeter()
    (chosen,) = await draw(body_of(request, await in_template(asked, get), 0), 1, 0, 1, complete, get, meter)
    usage = meter.total()
    if chosen not in options:
        attempt = Attempt(kind="unusable", reason="is none of the options", text=chosen)
        message = f"{chosen[:200]!r} was written, which is none of the options {list(options)!r}"
        raise ModelError(message, usage=replace(usage, attempts=(attempt,)))
    return Choice(option=chosen, probabilities=tuple(float(option == chosen) for option in options), usage=usage)


async def vocabulary_bias(
    vocabulary: frozenset[str],
    get: Callable[[str], Awaitable[dict[str, Any]]],
    tokenise: Callable[[str], Awaitable[tuple[int, ...]]],
) -> str:
    """Return as JSON a bias that rules out every token that no word of a vocabulary needs.

    These are most of all tokens: to write them as JSON takes as long as to write several tokens of text.

    Args:
        vocabulary: Words that may be written, beside punctuation.
        get: Sends requests to llama.cpp.
        tokenise: Returns the tokens of a text.
    """
    words = sorted(vocabulary)
    capital = [word[:1].upper() + word[1:] for word in words]
    # A word has one tokenisation after a space and may have another at the start of a line.
    texts = [mark.join(["", *forms]) for mark in (" ", "\n", '"') for forms in (words, capital)]
    end = (await get("/props"))["eos_token"]
    size = (await get("/v1/models"))["data"][0]["meta"]["n_vocab"]
    allowed = {token for text in (PUNCTUATION, end, *texts) for token in await tokenise(text)}
    ruled_out = [[token, -100] for token in range(size) if token not in allowed]
    return json.dumps(ruled_out, separators=(",", ":"))
