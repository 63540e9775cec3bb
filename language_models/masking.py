"""Masking of this process's own secrets in whatever comes from outside, before it is kept or shown.

Keys and tokens are registered where they are read from the environment or from options. A server that repeats the key
in an error, a text or a model's name would otherwise have it written into records that people share.
"""

from __future__ import annotations

import json
from urllib.parse import quote

SHORTEST_SECRET = 8
"""Characters below which a key is no secret: local servers take words such as "EMPTY", which texts may hold, too."""

MASK = "[secret]"

_secrets: list[str] = []


def register_secret(value: str) -> None:
    """Mask this value from now on, also as it is written in JSON and in an address.

    Args:
        value: A key or token; nothing happens if it has less than ``SHORTEST_SECRET`` characters.
    """
    in_json = json.dumps(value)[1:-1]
    for form in (value, in_json, in_json.replace("/", "\\/"), quote(value, safe="")):
        if len(value) >= SHORTEST_SECRET and form not in _secrets:
            _secrets.append(form)
            _secrets.sort(key=len, reverse=True)


def masked(text: str) -> str:
    """Replace each registered secret in a text."""
    for secret in _secrets:
        if secret in text:
            text = text.replace(secret, MASK)
    return text
