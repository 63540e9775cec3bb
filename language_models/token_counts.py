"""Tokens where no tokenizer is at hand: each word and each mark is one."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\w+|[^\w\s]")
"""One word or mark."""


def count_tokens(text: str) -> int:
    """Words and marks of a text."""
    return len(TOKEN.findall(text))
