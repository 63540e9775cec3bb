"""The address of a server and the key for it."""

from __future__ import annotations

from urllib.parse import urlsplit

KEY_VARIABLES = ("IROLLAN_API_KEY", "OPENAI_API_KEY")


def check_address(url: str) -> None:
    """Check an address up to and including the version, such as http://127.0.0.1:8000/v1.

    Raises:
        ValueError: if it is none, or holds what does not belong there.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the address must look like http://127.0.0.1:8000/v1, got {url!r}")
    if parts.username or parts.password:
        raise ValueError(f"the address must hold no password; put the key into {KEY_VARIABLES[0]}")
    if parts.query or parts.fragment:
        raise ValueError(f"the address must end before any ? or #, got {url!r}")
