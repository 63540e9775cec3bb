"""Addresses of servers, and the API keys for them."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

KEY_VARIABLE = "IROLLAN_API_KEY"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"


class Key(NamedTuple):
    """An API key and the environment variable that it comes from.

    Attributes:
        variable: The environment variable that it is read from.
        value: The key; empty for none.
    """

    variable: str
    value: str


def find_key(url: str, variable: str | None = None, given: str | None = None) -> Key:
    """Find the key for an address in the environment; one provider's key is never sent to another.

    White space around the key, as from a file, is removed.

    Args:
        url: The address.
        variable: The environment variable with the key; must be set. By default OPENAI_API_KEY, where it is set
            and the address is OpenAI's own over https, or else IROLLAN_API_KEY, if set.
        given: The key itself, which wins over the environment; empty for none.

    Raises:
        ValueError: if the variable is not set, holds nothing but blanks or what cannot be a key, or if the key itself
            is given in its place.
    """
    if given is not None:
        return Key(variable or KEY_VARIABLE, _written("the key that is given", given) if given else "")
    if variable is not None:
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable) is None:
            # The value is not shown in the error: it may be the key.
            raise ValueError(
                f"key_variable of {url} must be the name of an environment variable, such as OTHER_API_KEY; the key "
                "itself belongs into that variable"
            )
        if not os.environ.get(variable):
            raise ValueError(
                f"the environment variable {variable}, which key_variable names for {url}, is not set; put the key of "
                "that address into it"
            )
        return _key_in(variable)
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname == OPENAI_HOST and os.environ.get(OPENAI_KEY_VARIABLE):
        return _key_in(OPENAI_KEY_VARIABLE)
    return _key_in(KEY_VARIABLE) if os.environ.get(KEY_VARIABLE) else Key(KEY_VARIABLE, "")


def check_address(url: str) -> None:
    """Check an address up to and including the version, such as http://127.0.0.1:8000/v1.

    Raises:
        ValueError: if it is no such address, or has parts that do not belong there.
    """
    form = "the address must look like http://127.0.0.1:8000/v1"
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise ValueError(f"the address must hold no password; put the key into {KEY_VARIABLE}")
    if any(character.isspace() or not character.isprintable() for character in url):
        raise ValueError(f"{form}, without blanks and ends of lines, got {url!r}")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{form}, got {url!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{form}, got {url!r}")
    if port == 0:
        raise ValueError(f"{form}, with a port from 1 to 65535, got {url!r}")
    try:
        parts.hostname.encode("idna")
    except UnicodeError:
        raise ValueError(
            f"{form}, got {url!r}: what is between the dots of a host must have 1 to 63 characters"
        ) from None
    if parts.query or parts.fragment:
        raise ValueError(f"the address must end before any ? or #, got {url!r}")


def _key_in(variable: str) -> Key:
    return Key(variable, _written(f"the environment variable {variable}", os.environ[variable]))


def _written(where: str, text: str) -> str:
    """Validate a key and return it as it is sent; errors do not show the key.

    Raises:
        ValueError: if it cannot be a key.
    """
    key = text.strip()
    if not key:
        raise ValueError(f"{where} holds nothing but blanks; put the key there, or leave it empty for none")
    if not (key.isascii() and key.isprintable()):
        place = next(place for place, one in enumerate(key, 1) if not (one.isascii() and one.isprintable()))
        raise ValueError(
            f"{where} cannot hold a key: character {place} of {len(key)} is none that is printed, or beyond ASCII; put "
            "the key alone there"
        )
    return key


def remote_name(base_url: str, model: str) -> str:
    """Return the name of a remote model, as `--model` takes it.

    Args:
        base_url: The address.
        model: Its name at the server; empty for the server's only model.
    """
    return f"openai:{base_url.rstrip('/')}" + (f"#{model}" if model else "")
