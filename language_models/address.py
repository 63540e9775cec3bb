"""The address of a server and the key for it."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

KEY_VARIABLE = "IROLLAN_API_KEY"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"


class Key(NamedTuple):
    """A key and where it is from.

    Attributes:
        variable: The environment variable that it is read from.
        value: The key; empty for none.
    """

    variable: str
    value: str


def find_key(url: str, variable: str | None = None, given: str | None = None) -> Key:
    """The key for an address, from the environment: that of one provider is never sent to another.

    Args:
        url: The address.
        variable: The environment variable that holds it, which must be set. By default OPENAI_API_KEY, where it is set
            and the address is OpenAI's own over https, or else IROLLAN_API_KEY, if set.
        given: The key itself, which wins over the environment; empty for none.

    Raises:
        ValueError: if the variable is not set, or if the key itself is given in its place.
    """
    if given is not None:
        return Key(variable or KEY_VARIABLE, given)
    if variable is not None:
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable) is None:
            # What was given is not repeated: it may be the key.
            raise ValueError(
                f"key_variable of {url} must be the name of an environment variable, such as OTHER_API_KEY; the key "
                "itself belongs into that variable"
            )
        if not os.environ.get(variable):
            raise ValueError(
                f"the environment variable {variable}, which key_variable names for {url}, is not set; put the key of "
                "that address into it"
            )
        return Key(variable, os.environ[variable])
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname == OPENAI_HOST and os.environ.get(OPENAI_KEY_VARIABLE):
        return Key(OPENAI_KEY_VARIABLE, os.environ[OPENAI_KEY_VARIABLE])
    return Key(KEY_VARIABLE, os.environ.get(KEY_VARIABLE, ""))


def check_address(url: str) -> None:
    """Check an address up to and including the version, such as http://127.0.0.1:8000/v1.

    Raises:
        ValueError: if it is none, or holds what does not belong there.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the address must look like http://127.0.0.1:8000/v1, got {url!r}")
    if parts.username or parts.password:
        raise ValueError(f"the address must hold no password; put the key into {KEY_VARIABLE}")
    if parts.query or parts.fragment:
        raise ValueError(f"the address must end before any ? or #, got {url!r}")
