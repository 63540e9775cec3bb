"""Text of others within a prompt: in one line, cut short, in quotes that it cannot close."""

from __future__ import annotations

CHARACTERS_PER_WORD = 8
"""How long a text that is cut to some words may be, for each of these words."""

_SINGLE = {ord(mark): "'" for mark in '"“”„‟«»＂'}


def one_line(text: str) -> str:
    """The text without line breaks and characters that do not print, runs of spaces as one."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def first_words(text: str, most_words: int, most_characters: int) -> str:
    """The beginning of a text in one line, with an ellipsis where it goes on.

    Args:
        text: Any text.
        most_words: At least 1.
        most_characters: At least 1; the ellipsis counts.
    """
    # What lies behind is cut off anyway, whatever its length.
    line = one_line(text[: 4 * most_characters])
    kept = " ".join(line.split(" ")[:most_words])
    if len(kept) > most_characters:
        kept = kept[:most_characters]
    if kept == line and len(text) <= 4 * most_characters:
        return kept
    return f"{kept[: most_characters - 1].rstrip(' .,;:')}…"


def single_quotes(text: str) -> str:
    """The text with single quotes for double ones of any kind."""
    return text.translate(_SINGLE)


def quoted(text: str, most_words: int) -> str:
    """The beginning of a text in double quotes; those in it become single ones."""
    return f'"{first_words(single_quotes(text), most_words, CHARACTERS_PER_WORD * most_words)}"'
