"""The vocabulary of a small model, for prompts in style "page" and for places never seen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from irollan_env.english import noun
from irollan_env.naming import owner


def vocabulary(names: Iterable[str]) -> frozenset[str]:
    """Return the words that a small model may use: some hundred plain English words, and the names of things here."""
    words = set(_plain_words())
    for name in names:
        for part in (*noun(name).split(), *re.findall(r"[A-Za-z']+", noun(name))):
            words.update({part, part.removesuffix("s") if part.endswith("s") else f"{part}s"})
        words.update(whose for whose in (owner(name),) if whose)
    return frozenset(words)


@cache
def _plain_words() -> tuple[str, ...]:
    return tuple(files("itcma_s").joinpath("vocabulary.txt").read_text(encoding="utf-8").split())
