"""Classification of servers' errors: passing, final for this request, final for the run, or about one field of it.

A server may send its error with status 200, as gateways do when the server behind them fails; the error's own code
counts then.
"""

from __future__ import annotations

import email.utils
import json
import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from language_models.arguments import RESUMABLE
from language_models.protocol import Attempt, ModelError, ModelUnavailable, PromptTooLong, Refused, Usage
from language_models.remote.prompt_length import LONGER_CONTEXT, says_too_long

TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})  # and all from 500 on
TOO_MANY_REQUESTS = 429
PAYMENT_REQUIRED = 402
WRONG_ADDRESS = "the address is probably wrong: it may lack /v1 at its end, or lead to a page to log in"

OPTIONAL_FIELDS = (
    "seed",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_logprobs",
    "stop",
    "n",
    "stream",
)
"""Fields of a request that can be left out where a server refuses them."""
_NEEDLESS = ("seed", "stop", "n")
"""Those that can be left out for any reason: without them the answers mean the same."""

_REMEDIES = {
    401: "the key is missing or wrong; put it into the environment variable {variable}",
    PAYMENT_REQUIRED: "nothing is left to pay with; add to the account that the key in {variable} belongs to",
    403: "the key may not do this; put another one into the environment variable {variable}",
    407: "the proxy wants a name and a password; put them into HTTP_PROXY, as http://NAME:PASSWORD@HOST:PORT",
    404: "there is no such model or address; irollan models test shows what the server has",
}
_NOTHING_LEFT = re.compile(
    r"insufficient.(quota|balance|credit|fund)|current.quota|billing|credit.balance|out.of.credits", re.IGNORECASE
)
_SOON = re.compile(r"per.?minute|per.?second|retry.?delay|retry.?after|(retry|try.again).in", re.IGNORECASE)
_FILTERED = re.compile(r"content.?filter|content.management.policy|(was|been).flagged|moderation", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"""
    un(supported|recogni[sz]ed|known|expected) | (not|n't|no.longer).{0,20}(support|permit|allow|accept|available)
    | extra(neous)?.(input|key|field|param|forbidden) | extra_forbidden | cannot.find.field | deprecated
    | only.the.default | invalid.(param|argument|field)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OUT_OF_RANGE = r"""
    \brange\b | \bbetween\b | \bat.(most|least)\b | \b(less|greater|more|larger|smaller|higher|lower).than\b
    | \bexceed | too.(large|small|big|high|low|long)
    | (max|min)imum.(value|of|is|\d) | (above|below|over).(the.)?(max|min|limit|\d)
    | [<>≤≥]=?\s*-?\d | [\[(]\s*-?[\d.]+\s*,\s*-?[\d.]+\s*[\])]
"""
_BAD_SEED = re.compile(r"\bseed\b\W.{0,40}(range|must|valid|integer|between|negative)", re.IGNORECASE)


class TransientFailure(Exception):
    """A transient failure: the same request may succeed later.

    Attributes:
        wait: Seconds that the server asks to wait; None if it does not ask.
        status: HTTP status of the answer; None without an answer.
        text: The body of the answer, if any.
        is_page: Whether the body is an HTML page.
    """

    def __init__(
        self,
        reason: str,
        wait: float | None = None,
        status: int | None = None,
        text: str = "",
        *,
        is_page: bool = False,
    ) -> None:
        super().__init__(reason)
        self.is_page = is_page
        self.wait = wait
        self.status = status
        self.text = text

    @property
    def remedy(self) -> str:
        """What to do if the failure persists."""
        if self.status == TOO_MANY_REQUESTS:
            return f"the server wants fewer requests: set a lower rate or concurrency, or more retries, {RESUMABLE}"
        return WRONG_ADDRESS if self.is_page else "check that the server runs"


class RefusedField(ModelError):
    """A request that a server rejects for one of its optional fields.

    Attributes:
        field: Name of the field.
        instead: Name of the field that the server takes in its place; empty for none.
    """

    def __init__(self, message: str, field: str, instead: str, *, usage: Usage) -> None:
        super().__init__(message, usage=usage)
        self.field = field
        self.instead = instead


def failure_of(
    url: str, status: int, headers: Mapping[str, str], text: str, key_variable: str, sent: Collection[str] = ()
) -> TransientFailure | ModelError | ModelUnavailable:
    """Return the error for a status that is not a success.

    Args:
        url: The address that was asked.
        status: HTTP status, or the code in the body's error.
        headers: Headers of the answer.
        text: Body of the answer.
        key_variable: The environment variable that the key is read from, for errors.
        sent: Names of the fields of the request.
    """
    described = f"status {status}: {text[:300]}"
    usage = only_attempt(described, text)
    if 300 <= status < 400:
        return ModelUnavailable(f"{url} answered {described}, a redirect; {WRONG_ADDRESS}", usage=usage)
    if status == TOO_MANY_REQUESTS and _NOTHING_LEFT.search(text) and not _asks_to_wait(headers, text):
        status = PAYMENT_REQUIRED
    if (refused := _refused_field(status, text, sent)) is not None:
        return RefusedField(f"{url} refused the request, {described}", *refused, usage=usage)
    if status in TRANSIENT_STATUSES or status >= 500:
        return TransientFailure(described, _retry_after(headers), status, text)
    if status in (400, 403, 422) and _FILTERED.search(text):
        return Refused(f"{url} refused to have this answered, {described}", usage=usage)
    if (remedy := _REMEDIES.get(status)) is not None:
        return ModelUnavailable(f"{url} answered {described}; {remedy.format(variable=key_variable)}", usage=usage)
    if says_too_long(status, text):
        message = f"{url} answered {described}; the prompt is longer than the model's context: {LONGER_CONTEXT}"
        return PromptTooLong(message, usage=usage)
    return ModelError(f"{url} refused the request, {described}", usage=usage)


def failure_in(
    url: str, answer: Mapping[str, Any], key_variable: str, sent: Collection[str]
) -> TransientFailure | ModelError | ModelUnavailable | None:
    """Return the error that a body of status 200 stands for; None for an answer.

    Args:
        url: The address that was asked; its end says what an answer holds.
        answer: The body.
        key_variable: The environment variable that the key is read from, for errors.
        sent: Names of the fields of the request.
    """
    error = answer.get("error")
    if url.endswith("/completions"):
        choices = answer.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict) and first.get("finish_reason") == "error":
            error = first.get("error") or error
        elif isinstance(first, dict) and (isinstance(first.get("message") or 0, dict) or "text" in first):
            return None
    elif not error or isinstance(answer.get("data"), list):
        return None
    text = json.dumps(answer, ensure_ascii=False)
    if not error:
        return TransientFailure(f"an answer without choices: {text[:300]}", text=text)
    if (status := _status_in(error)) is not None:
        return failure_of(url, status, {}, text, key_variable, sent)
    return TransientFailure(f"status 200 with an error: {text[:300]}", text=text)


def only_attempt(reason: str, text: str) -> Usage:
    """Return the usage of a request that is not retried, with the request as its only attempt.

    Args:
        reason: What went wrong.
        text: Body of the answer.
    """
    return Usage(attempts=(Attempt(kind="network", reason=reason, text=text),))


def _status_in(error: Any) -> int | None:
    """Return the HTTP status that an error in a body names; None if it names none."""
    codes = [error.get(key) for key in ("code", "status", "status_code")] if isinstance(error, dict) else [error]
    if isinstance(error, dict) and _NOTHING_LEFT.search(f"{error.get('code')} {error.get('type')}"):
        return TOO_MANY_REQUESTS
    for code in codes:
        if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)):
            return int(code)
    return None


def _refused_field(status: int, text: str, sent: Collection[str]) -> tuple[str, str] | None:
    """Return the optional field that an error rejects, and the name to send it by; None if it rejects none."""
    if status not in (400, 422) and "unexpected keyword argument" not in text:
        return None
    named = [field for field in OPTIONAL_FIELDS if field in sent and re.search(rf"\b{field}\b", text)]
    if "n" in named and not re.search(r"""['"`]n['"`]""", text):
        named.remove("n")  # The letter alone is a word of other sentences, too.
    if "seed" in named and _BAD_SEED.search(text):
        return "seed", ""
    if not named or not _NOT_TAKEN.search(text):
        return None
    field = min(named, key=lambda one: re.search(rf"\b{one}\b", text).start())  # type: ignore[union-attr]
    if field not in _NEEDLESS and _says_out_of_range(field, text):
        return None
    limits = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
    return field, limits.get(field, "")


def _says_out_of_range(field: str, text: str) -> bool:
    """Return whether an error says of a field, just before or after its name, which values the server takes."""
    near = rf"({_OUT_OF_RANGE})[^{{}}]{{0,60}}\b{field}\b | \b{field}\b[^{{}}]{{0,60}}({_OUT_OF_RANGE})"
    return re.search(near, text, re.IGNORECASE | re.VERBOSE) is not None


def _asks_to_wait(headers: Mapping[str, str], text: str) -> bool:
    """Return whether an error says when to come back, which no empty account does."""
    return _retry_after(headers) is not None or _SOON.search(text) is not None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait, from a number or a date by the server's own clock."""
    asked = headers.get("Retry-After", "").strip()
    try:
        seconds = float(asked)
    except ValueError:
        try:
            then = email.utils.parsedate_to_datetime(asked).timestamp()
            now = email.utils.parsedate_to_datetime(headers.get("Date", "")).timestamp()
        except (ValueError, TypeError):
            return None
        seconds = then - now
    return max(seconds, 0.0) if math.isfinite(seconds) else None
