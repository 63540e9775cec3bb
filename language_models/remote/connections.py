"""Connections to other machines as the environment asks for them: proxies, and certificates of one's own."""

from __future__ import annotations

import ipaddress
import os
import ssl
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from language_models.masking import register_secret
from language_models.protocol import ModelUnavailable

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Environment variables from which OpenSSL takes the certificates to trust."""


def open_session(url: str, *, headers: dict[str, str], seconds: float, connections: int = 0) -> aiohttp.ClientSession:
    """Open a session for the requests to one address.

    Args:
        url: The address.
        headers: Headers of every request.
        seconds: What one request may take.
        connections: Most connections at once; 0 for any number.

    Raises:
        ModelUnavailable: if the environment names a proxy that cannot be used, or certificates that are not there.
    """
    # The context is made here, since OpenSSL reads the environment then.
    secure = _context() if url.startswith("https:") else True
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections, ssl=secure),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=seconds),
        proxy=proxy_of(url),
    )


def proxy_of(url: str) -> str | None:
    """Return the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name for an address; none stands before loopback.

    Args:
        url: The address.

    Raises:
        ModelUnavailable: if it is no proxy of HTTP.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return None
    found = getproxies()
    named = found.get(parts.scheme) or found.get("all")
    if not named:
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.password:
        register_secret(proxy.password)
    if proxy.scheme not in ("http", "https") or not proxy.hostname:
        shown = urlunsplit((proxy.scheme, proxy.netloc.rpartition("@")[2], proxy.path, "", ""))
        variable = f"{parts.scheme.upper()}_PROXY" if found.get(parts.scheme) else "ALL_PROXY"
        raise ModelUnavailable(
            f"the environment names the proxy {shown!r} for {host}; it must look like http://proxy:3128: correct "
            f"{variable}, or name the host in NO_PROXY"
        )
    return urlunsplit(proxy)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine's own loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _context() -> ssl.SSLContext:
    """Return the certificates to trust, those of the environment first.

    Raises:
        ModelUnavailable: if the environment names some that are not there, or cannot be read.
    """
    for variable in CERTIFICATES:
        path = os.environ.get(variable)
        if path and not Path(path).exists():
            raise ModelUnavailable(f"{variable} names {path!r}, which does not exist; correct it, or unset it")
    return ssl.create_default_context()
