"""Scripts of pages that load nothing: their hash for the content security policy, and data for them to read."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from typing import Any

from markupsafe import Markup

from evaluation.html_theme.printable import readable_data


def policy_hash(text: str) -> str:
    """Return the source expression by which a content security policy allows an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def data_json(value: Any) -> Markup:
    """Encode JSON for a non-executable ``script`` element, escaping ``<`` so that it cannot end the element."""
    text = json.dumps(readable_data(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def packed_json(value: Any) -> Markup:
    """Encode JSON as ``data_json`` does, compressed (zlib) and in base 64: text of many steps shrinks to a tenth."""
    return Markup(base64.b64encode(zlib.compress(data_json(value).encode(), 9)).decode())
