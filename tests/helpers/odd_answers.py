"""What servers with the OpenAI API may answer: honest answers, and each oddity by name.

An oddity takes an honest answer, the request and how many requests came before it, and returns what is sent instead:
a body, or (status, headers, body).
"""

import gzip
import json
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

WORDS = "I will look around and speak with somebody here today"
EMOJI = "\U0001f600 \u202eabc \u0000 caf\u00e9 \u4f60\u597d"
THOUGHT = 'Hm, {"choice": 1}? no.'

Oddity = Callable[[dict[str, Any], dict[str, Any], int], Any]


def from_schema(schema: dict[str, Any]) -> Any:
    """The first value that a schema allows."""
    if "properties" in schema:
        return {key: from_schema(one) for key, one in schema["properties"].items()}
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "integer":
        return schema["minimum"]
    if schema["type"] == "array":
        return [from_schema(schema["items"]) for _ in range(schema.get("minItems", 1))]
    return WORDS[: schema.get("maxLength", 60)]


def honest(body: dict[str, Any]) -> dict[str, Any]:
    """An answer as it should be: by the schema, by letters, or in words."""
    text = WORDS
    if body.get("response_format"):
        text = json.dumps(from_schema(body["response_format"]["json_schema"]["schema"]))
    elif body.get("logprobs"):
        text = "A"
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    if body.get("logprobs"):
        top = [{"token": token, "logprob": value} for token, value in (("A", -0.2), ("B", -2.0), ("C", -3.0))]
        choice["logprobs"] = {"content": [{"token": "A", "logprob": -0.2, "top_logprobs": top}]}
    usage = {"prompt_tokens": 40, "completion_tokens": 20}
    return {"id": "c", "object": "chat.completion", "model": body.get("model"), "choices": [choice], "usage": usage}


def chat_of(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def text_in(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


def content(change: Callable[[str], Any]) -> Oddity:
    """Another content, made of the honest one."""

    def odd(answer: dict[str, Any], body: dict[str, Any], before: int) -> Any:
        answer["choices"][0]["message"]["content"] = change(text_in(answer))
        return answer

    return odd


def message(change: Callable[[str], dict[str, Any]], finish: str = "stop") -> Oddity:
    """Other keys of the message, made of the honest content."""

    def odd(answer: dict[str, Any], body: dict[str, Any], before: int) -> Any:
        answer["choices"][0]["message"] |= change(text_in(answer))
        answer["choices"][0]["finish_reason"] = finish
        return answer

    return odd


def whole(**change: Any) -> Oddity:
    """Other keys of the whole answer."""
    return lambda answer, body, before: answer | change


def now_and_then(odd: Any, every: int = 3) -> Oddity:
    """The same in place of each answer of so many."""
    return lambda answer, body, before: odd if before % every == every - 1 else answer


def letters(change: Callable[[list[Any]], Any], after: int = 0) -> Oddity:
    """Other likely tokens; at first the honest ones, where so many requests are to be answered well."""

    def odd(answer: dict[str, Any], body: dict[str, Any], before: int) -> Any:
        if body.get("logprobs") and before >= after:
            first = answer["choices"][0]["logprobs"]["content"][0]
            first["top_logprobs"] = change(first["top_logprobs"])
        return answer

    return odd


def refusing(says: Any, *fields: str, status: int = 400) -> Oddity:
    """An error as long as the request has one of these fields."""

    def odd(answer: dict[str, Any], body: dict[str, Any], before: int) -> Any:
        error = says if isinstance(says, dict) else {"error": {"message": says}}
        return (status, {}, error) if any(field in body for field in fields) else answer

    return odd


def encoded(change: Callable[[str], bytes], **headers: str) -> Oddity:
    """The body in other bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda answer, body, before: (200, named, change(json.dumps(answer, ensure_ascii=False)))


def stream(*, reasoning: str = "", end: str = "data: [DONE]\n\n", line: str = "\n", before: str = "") -> Oddity:
    """The answer as a stream of its words."""

    def odd(answer: dict[str, Any], body: dict[str, Any], count: int) -> Any:
        choice = answer["choices"][0]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"reasoning_content": word} for word in reasoning.split(" ") if word]
        deltas += [{"content": piece} for piece in text_in(answer).partition(" ")]
        parts = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        parts[1]["choices"][0]["logprobs"] = choice.get("logprobs")
        parts.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        parts.append({"choices": [], "usage": answer["usage"], "model": answer["model"]})
        text = before + "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + end
        return 200, {"Content-Type": "text/event-stream"}, text.replace("\n", line).encode()

    return odd


def tool(*, name: str = "json", times: int = 1, raw: bool = False) -> Oddity:
    def call(text: str) -> dict[str, Any]:
        arguments = json.loads(text) if raw and text.startswith("{") else text
        one = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
        return {"content": None, "tool_calls": [one] * times} if text.startswith("{") else {}

    return message(call, finish="tool_calls")


def in_object(change: Callable[[str], str]) -> Oddity:
    """Another text where an object was asked for."""
    return content(lambda text: change(text) if text.startswith("{") else text)


UPSTREAM = {"id": "g", "error": {"message": "Upstream service temporarily overloaded", "code": 502}}
HARMONY = "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>"
PART = {"type": "text"}


def redirecting(answer: dict[str, Any], body: dict[str, Any], before: int) -> Any:
    return answer if before % 2 else (307, {"Location": "/v1/chat/completions"}, b"")


def numbers_with_dots(answer: dict[str, Any], body: dict[str, Any], before: int) -> Any:
    return in_object(lambda text: text.replace('"action": 1', '"action": "1. Go home"'))(answer, body, before)


READ: dict[str, Oddity] = {
    "as it should be": whole(),
    # The content.
    "parts": content(lambda text: [PART | {"text": text}]),
    "two parts": content(lambda text: [PART | {"text": text[:5]}, PART | {"text": text[5:]}]),
    "texts in a list": content(lambda text: [text[:1], text[1:]]),
    "one part": content(lambda text: PART | {"text": text}),
    "a part of output": content(lambda text: [{"type": "output_text", "text": {"value": text}}]),
    "a part with thinking": content(
        lambda text: [{"type": "thinking", "thinking": [PART | {"text": THOUGHT}]}, PART | {"text": text}]
    ),
    "a part of reasoning": content(lambda text: [{"type": "reasoning", "text": THOUGHT}, PART | {"text": text}]),
    "a blank before": content(lambda text: f"\n\n {text}\n"),
    "a fence": in_object(lambda text: f"Sure!\n```json\n{text}\n```\nHope that helps."),
    "a raw newline": in_object(lambda text: text.replace("look around", "look\n\taround")),
    "a comma behind the last": in_object(lambda text: text.replace("}", ",\n}").replace("]", ", ]")),
    "a key too many": in_object(lambda text: text.replace("{", '{"why": "so", ', 1)),
    "keys in capitals": in_object(lambda text: text.replace('"thought"', '"Thought"').replace('"choice"', '"CHOICE"')),
    "a number of a list": numbers_with_dots,
    "marks of an end": content(lambda text: f"{text}<|im_end|>\n</s>"),
    "emoji": in_object(lambda text: text.replace("around", EMOJI)),
    # Thinking.
    "reasoning_content": message(lambda text: {"reasoning_content": THOUGHT}),
    "reasoning": message(lambda text: {"reasoning": THOUGHT}),
    "thinking": message(lambda text: {"thinking": THOUGHT}),
    "reasoning_details": message(lambda text: {"reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}]}),
    "<think>": content(lambda text: f"<think>\n{THOUGHT}\n</think>\n\n{text}"),
    "</think>": content(lambda text: f"{THOUGHT}\n</think>\n\n{text}"),
    "<think> and a fence": in_object(lambda text: f"<think>\nok\n</think>\n\n```json\n{text}\n```"),
    "<thinking>": content(lambda text: f"<thinking>\n{THOUGHT}\n</thinking>\n\n{text}"),
    "<Thought>": content(lambda text: f"<Thought>{THOUGHT}</Thought>{text}"),
    "[THINK]": content(lambda text: f"[THINK]{THOUGHT}[/THINK]{text}"),
    "two blocks": content(lambda text: f"<think>{THOUGHT}</think><reasoning>Yes.</reasoning>{text}"),
    "START_THINKING": content(lambda text: f"<|START_THINKING|>{THOUGHT}<|END_THINKING|>{text}"),
    "think in squares": content(lambda text: f"◁think▷{THOUGHT}◁/think▷{text}"),
    "harmony": content(lambda text: HARMONY.format(THOUGHT, text)),
    "harmony with a constraint": content(
        lambda text: HARMONY.format(THOUGHT, text).replace("final<", "final <|constrain|>json<")
    ),
    "harmony in words": content(lambda text: f"analysis{THOUGHT}assistantfinal{text}"),
    "an object among the thoughts": message(
        lambda text: {"content": "", "reasoning_content": text} if text.startswith("{") else {}
    ),
    # Tools and streams.
    "a tool call": tool(),
    "a tool call with an object": tool(raw=True),
    "a function call": message(
        lambda text: {"content": None, "function_call": {"name": "f", "arguments": text}} if text[0] == "{" else {}
    ),
    "a stream": stream(),
    "a stream with thinking": stream(reasoning=THOUGHT),
    "a stream with other ends of lines": stream(line="\r\n"),
    "a stream with comments": stream(before=": PROCESSING\n\n"),
    "a stream without its last line": stream(end=""),
    # Counts, names and bytes.
    **{f"usage {usage!r}": whole(usage=usage) for usage in (None, {}, "none", [12], 3)},
    **{
        f"tokens {count!r}": whole(usage={"prompt_tokens": count, "completion_tokens": count})
        for count in (-1, "many", 12.5, True, 1e300, 10**30, None, [1])
    },
    "details of another form": whole(usage={"prompt_tokens": 5, "prompt_tokens_details": 3}),
    "no model": whole(model=None),
    "a number as model and id": whole(model=3, id=3),
    "BOM": encoded(lambda text: b"\xef\xbb\xbf" + text.encode()),
    "blanks around": encoded(lambda text: b"\n\n   \n" + text.encode() + b"\n"),
    "gzip": encoded(lambda text: gzip.compress(text.encode()), Content_Encoding="gzip"),
    "UTF-16": encoded(lambda text: text.encode("utf-16"), Content_Type="application/json; charset=utf-16"),
    "another type of content": encoded(str.encode, Content_Type="text/plain"),
    "status 201": lambda answer, body, before: (201, {}, answer),
    "a redirect to itself": redirecting,
    # Letters.
    "a token that cannot come": letters(lambda top: [*top, {"token": "<s>", "logprob": None}], after=2),
    "a token at minus infinity": letters(lambda top: [*top, {"token": "<s>", "logprob": float("-inf")}]),
    "a token at -9999": letters(lambda top: [*top, {"token": "<s>", "logprob": -9999.0}]),
    "log-probabilities as texts": letters(lambda top: [{**one, "logprob": str(one["logprob"])} for one in top]),
    "NaN": letters(lambda top: [*top, {"token": "B", "logprob": float("nan")}]),
    "no likely tokens": letters(lambda top: []),
    "null for likely tokens": letters(lambda top: None),
    "no letters": refusing("logprobs is not supported by this model", "logprobs"),
    "five likely tokens": refusing("top_logprobs must be <= 5", "top_logprobs"),
}
"""Read at the first request."""

AGAIN: dict[str, Oddity] = {
    "an error with status 200": now_and_then(UPSTREAM),
    "an error as a text": now_and_then({"error": "overloaded"}),
    "an error with a code as a text": now_and_then({"error": {"code": "503", "message": "busy"}}),
    "an error beside choices": now_and_then({**UPSTREAM, "choices": []}),
    "an error in a choice": now_and_then({"choices": [{"finish_reason": "error", "error": UPSTREAM["error"]}]}),
    "no choices": now_and_then({"id": "g", "choices": [], "usage": {"prompt_tokens": 3}}),
    "null choices": now_and_then({"id": "g", "choices": None}),
    "a null choice": now_and_then({"choices": [None]}),
    "an empty choice": now_and_then({"choices": [{"message": None, "finish_reason": "stop"}]}),
    "an empty body": now_and_then(b""),
    "status 204": now_and_then((204, {"Content-Length": "0"}, b"")),
    "a list": now_and_then(b"[1]"),
    "a deep list": now_and_then(b"[" * 100_000),
    "a deep object": now_and_then(b'{"a":' * 100_000),
    "a choice without end": now_and_then(chat_of('{"choice": ' + "[" * 100_000), 4),
    "a very long text": now_and_then(chat_of("long " * 200_000), 4),
    "a page": now_and_then((500, {"Content-Type": "text/html"}, b"<html>oops</html>")),
    "half an answer": now_and_then(b'{"choices": [{"message"'),
    "a stream that breaks off": now_and_then((200, {"Content-Type": "text/event-stream"}, b'data: {"choices": [{"')),
    "a stream with an error": now_and_then((200, {"Content-Type": "text/event-stream"}, b'data: {"error": "x"}\n\n')),
    "bytes that are no gzip": now_and_then((200, {"Content-Encoding": "gzip"}, b"{}")),
    "loading": now_and_then((503, {}, {"error": {"message": "Loading model", "code": 503}})),
    "too many, with a date that is past": now_and_then((429, {"Retry-After": formatdate(1e9, usegmt=True)}, {})),
    "too many, with a unit": now_and_then((429, {"Retry-After": "1s"}, {})),
    "too many a minute": now_and_then(
        (429, {}, {"error": {"message": "You exceeded your current quota of requests per minute", "code": 429}})
    ),
    "empty at times": now_and_then(chat_of(""), 4),
    "null at times": now_and_then({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}, 4),
}
"""Read after another request or more."""

UNSUPPORTED = "Unsupported parameter: '{}' is not supported with this model. Use '{}' instead."
EXTRA = {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
LEFT_OUT: dict[str, tuple[Oddity, dict[str, str]]] = {
    "seed": (refusing("Unsupported parameter: 'seed'", "seed"), {"seed": ""}),
    "seed, by a list": (refusing(EXTRA, "seed", status=422), {"seed": ""}),
    "seed, as an argument": (refusing("Unrecognized request argument supplied: seed", "seed"), {"seed": ""}),
    "seed, as a name": (refusing('Unknown name "seed": Cannot find field.', "seed"), {"seed": ""}),
    "seed, by a trace": (
        refusing("generate() got an unexpected keyword argument 'seed'", "seed", status=500),
        {"seed": ""},
    ),
    "seed, with status 200": (
        refusing({"error": {"message": "seed is not supported", "code": 400}}, "seed", status=200),
        {"seed": ""},
    ),
    "seed of another range": (refusing("seed out of range", "seed"), {"seed": ""}),
    "max_tokens": (
        refusing(UNSUPPORTED.format("max_tokens", "max_completion_tokens"), "max_tokens"),
        {"max_tokens": "max_completion_tokens"},
    ),
    "any limit": (
        refusing(
            "this argument is not supported: max_tokens, max_completion_tokens", "max_tokens", "max_completion_tokens"
        ),
        {"max_tokens": "max_completion_tokens", "max_completion_tokens": ""},
    ),
    "temperature": (
        refusing("Unsupported value: 'temperature' does not support 0.7. Only the default (1) value", "temperature"),
        {"temperature": ""},
    ),
    "stop": (refusing("Unsupported parameter: 'stop'", "stop"), {"stop": ""}),
    "stream": (refusing("'stream' is not allowed", "stream"), {"stream": ""}),
    "top_logprobs": (refusing("Extra inputs are not permitted: 'top_logprobs'", "top_logprobs"), {"top_logprobs": ""}),
    "n": (refusing("property 'n' is unsupported", "n"), {"n": ""}),
}
"""Fields that a server refuses, and what is recorded of it."""

OF_NO_USE: dict[str, tuple[Oddity, str]] = {
    "errors alone": (whole(choices=None, **UPSTREAM), "failed 2 times, .*Upstream service temporarily overloaded"),
    "null choices alone": (whole(choices=None), "failed 2 times, .* an answer without choices"),
    "thinking cut off": (
        message(lambda text: {"content": None, "reasoning_content": "I think " * 50}, finish="length"),
        "all its tokens went into thinking.*; set thinking to more tokens",
    ),
    "thinking, and blanks": (
        message(lambda text: {"content": "\n\n", "reasoning_content": "I think " * 50}),
        "all its tokens went into thinking",
    ),
    "thinking in words alone": (
        message(lambda text: {"content": "", "reasoning_content": "I think."}),
        "all its tokens went into thinking",
    ),
    "analysis alone": (content(lambda text: "<|channel|>analysis<|message|>Hm."), "all its tokens went into thinking"),
    "a tool call in place of words": (
        message(lambda text: {"content": None, "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}),
        "is a call of the tool 'look' and no text",
    ),
    "two tool calls": (tool(times=2), "is a call of 2 tools and no text"),
    "a picture": (content(lambda text: [{"type": "image_url", "image_url": "x"}]), "is no text"),
    "a number": (content(lambda text: 7), "is no text"),
    "nothing": (content(lambda text: ""), "which is empty"),
    "a refusal": (message(lambda text: {"content": None, "refusal": "I cannot."}), "refused to answer: I cannot"),
    "a filter": (
        lambda answer, body, before: (400, {}, {"error": {"code": "content_filter", "message": "filtered"}}),
        "refused to have this answered",
    ),
    "a moderator": (
        lambda answer, body, before: (403, {}, {"error": {"message": "Your input was flagged"}}),
        "refused to have this answered",
    ),
    **{
        f"nothing left to pay with, {status}": (
            lambda answer, body, before, status=status: (
                status,
                {},
                {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}},
            ),
            "nothing is left to pay with; add to the account that the key in IROLLAN_API_KEY belongs to",
        )
        for status in (200, 402, 429)
    },
}
"""Not read, and what is said of it."""

CLOTHES: dict[str, Callable[[str, str], str]] = {
    "a dot": lambda option, line: json.dumps({"choice": f"{option}."}),
    "a capital": lambda option, line: json.dumps({"choice": option.capitalize()}),
    "blanks": lambda option, line: json.dumps({"choice": f" {option.replace(' ', '  ')} "}),
    "a dash": lambda option, line: json.dumps({"choice": f"- {option}"}),
    "the line": lambda option, line: json.dumps({"choice": line}),
    "quotes": lambda option, line: json.dumps({"choice": f"'{option}'"}),
    "other quotes": lambda option, line: json.dumps({"choice": f"\u201c{option}\u201d"}, ensure_ascii=False),
    "a list": lambda option, line: json.dumps({"choice": [option]}),
    "another key": lambda option, line: json.dumps({"option": option}),
    "a hole before": lambda option, line: f'As {{you}} wish: {{"choice": "{option}"}}',
    "no object": lambda option, line: option,
    "a text": lambda option, line: f'"{option.upper()}."',
    "a block": lambda option, line: f"```\n{option}\n```",
}
"""A choice, by the option and its line in the list."""
