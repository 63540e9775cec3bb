"""Text of models and people as it is written to a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text without characters that a terminal would act on."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
