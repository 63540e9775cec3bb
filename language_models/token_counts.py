"""Token counts without a tokenizer: each word and each punctuation mark is one token."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\w+|[^\w\s]")
"""One word or mark."""


def count_tokens(text: str) -> int:
    """Count the words and punctuation marks of a text."""
    return len(TOKEN.findall(text))
