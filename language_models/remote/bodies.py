"""Reading of answers' bodies: from bytes to one JSON object, whatever their encoding, and if they came as a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import aiohttp

from language_models.masking import masked

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
REPLACEMENT = "\ufffd"


class Body(NamedTuple):
    """A body as a JSON object.

    Attributes:
        answer: The object, with secrets masked.
        replaced: Number of characters that were no valid text, each now U+FFFD.
    """

    answer: dict[str, Any]
    replaced: int


async def read_limited(stream: aiohttp.StreamReader, most: int) -> tuple[bytes, bool]:
    """Read a body, and stop soon after a number of bytes.

    Args:
        stream: The body.
        most: Bytes to read at most, and one chunk.

    Returns:
        What was read, and whether it is longer than ``most``.
    """
    content = bytearray()
    async for chunk in stream.iter_any():
        content += chunk
        if len(content) > most:
            return bytes(content), True
    return bytes(content), False


class NoAnswer(ValueError):
    """A body that is no JSON object.

    Attributes:
        is_page: Whether it is an HTML page.
    """

    def __init__(self, reason: str, *, is_page: bool = False) -> None:
        super().__init__(reason)
        self.is_page = is_page


def read_body(content: bytes, content_type: str) -> Body:
    """Read a body as one JSON object; a stream of parts of an answer is put together.

    Args:
        content: The body.
        content_type: The header of that name; empty for none.

    Raises:
        NoAnswer: if it is none.
    """
    text, replaced = _decoded(content, content_type)
    try:
        answer = _joined(text) if _is_stream(text, content_type) else json.loads(text)
        # Secrets and lone surrogates may also be written as escapes.
        answer, more = _cleaned(answer) if "\\" in text else (answer, 0)
    except (ValueError, TypeError, AttributeError, RecursionError):
        answer, more = None, 0
    if isinstance(answer, dict):
        return Body(answer, replaced + more)
    is_page = "html" in content_type.lower() or text.lstrip().startswith("<")
    what = "a stream that breaks off" if _is_stream(text, content_type) else "no JSON object"
    raise NoAnswer(f"{'HTML, and ' if is_page else ''}{what}: {text[:300]!r}", is_page=is_page)


def text_of_body(content: bytes, content_type: str = "") -> str:
    """Return a body as text, with secrets masked.

    Args:
        content: The body.
        content_type: The header of that name; empty for none.
    """
    return _decoded(content, content_type)[0]


def _decoded(content: bytes, content_type: str) -> tuple[str, int]:
    """Decode a body by its own charset; what is not valid in it becomes U+FFFD, which is counted."""
    named = _CHARSET.search(content_type)
    for charset in ("utf-8-sig", named[1] if named is not None else "utf-8"):
        try:
            return masked(content.decode(charset)), 0
        except (UnicodeDecodeError, LookupError):
            continue
    text = content.decode("utf-8", "replace")
    return masked(text), text.count(REPLACEMENT)


def _is_stream(text: str, content_type: str) -> bool:
    return "event-stream" in content_type.lower() or text.lstrip().startswith(("data:", "event:", ": "))


def _joined(text: str) -> Any:
    """Put the parts of a stream together to the answer that would have come without one.

    Raises:
        ValueError: if a part is no JSON object, or the end is missing.
    """
    parts = [json.loads(data) for data in _events(text) if data != "[DONE]"]
    if not parts or not all(isinstance(part, dict) for part in parts):
        raise ValueError("no objects")
    answer: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for part in parts:
        answer |= {key: value for key, value in part.items() if key != "choices" and value is not None}
        for one in part.get("choices") or ():
            choice = choices.setdefault(int(one.get("index", 0)), {"message": {}})
            _extend(choice["message"], one.get("delta") or one.get("message") or {})
            if "text" in one:
                choice["text"] = choice.get("text", "") + (one["text"] or "")
            if (logprobs := one.get("logprobs")) is not None:
                choice.setdefault("logprobs", logprobs)  # Only those of the first token are used.
            if one.get("finish_reason") is not None:
                choice["finish_reason"] = one["finish_reason"]
    if "error" in answer:
        return answer
    if not all("finish_reason" in choice for choice in choices.values()):
        raise ValueError("no end")
    for choice in choices.values():
        if "text" in choice:
            del choice["message"]
    return {**answer, "choices": [choices[index] for index in sorted(choices)]}


def _events(text: str) -> Iterable[str]:
    """Return the data of each event of a stream."""
    for event in re.split(r"\r?\n\r?\n", text):
        lines = [line[5:].removeprefix(" ") for line in event.splitlines() if line.startswith("data:")]
        if lines:
            yield "\n".join(lines).strip()


def _extend(message: dict[str, Any], delta: dict[str, Any]) -> None:
    """Append a part of a message: texts and lists grow, tool calls by their index."""
    for key, value in delta.items():
        if key == "tool_calls":
            calls = message.setdefault(key, [])
            for one in value or ():
                index = int(one.get("index", len(calls)))
                calls.extend({"function": {}} for _ in range(index + 1 - len(calls)))
                _extend(calls[index]["function"], one.get("function") or {})
        elif isinstance(value, str | list) and isinstance(message.get(key), type(value)) and key != "role":
            message[key] = message[key] + value
        elif value is not None:
            message[key] = value


def _cleaned(value: Any) -> tuple[Any, int]:
    """Mask secrets and replace lone surrogates in all strings and keys; also return how many were replaced."""
    replaced = 0

    def clean(one: Any) -> Any:
        nonlocal replaced
        match one:
            case str():
                text, count = _LONE_SURROGATE.subn(REPLACEMENT, one)
                replaced += count
                return masked(text)
            case list():
                return [clean(item) for item in one]
            case dict():
                return {clean(key): clean(item) for key, item in one.items()}
        return one

    return clean(value), replaced
