"""Quoting of untrusted text in a prompt: on one line, cut short, in quotes that it cannot close."""

from __future__ import annotations

CHARACTERS_PER_WORD = 8
"""Most characters per word of a text that is cut to a number of words."""

_SINGLE = {ord(mark): "'" for mark in '"“”„‟«»＂'}


def one_line(text: str) -> str:
    """Return the text without line breaks and unprintable characters, with runs of spaces as one."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def first_words(text: str, most_words: int, most_characters: int) -> str:
    """Return the beginning of a text in one line, with an ellipsis if it is cut.

    Args:
        text: Any text.
        most_words: At least 1.
        most_characters: At least 1; the ellipsis counts.
    """
    # The rest is cut off anyway, whatever its length.
    line = one_line(text[: 4 * most_characters])
    kept = " ".join(line.split(" ")[:most_words])
    if len(kept) > most_characters:
        kept = kept[:most_characters]
    if kept == line and len(text) <= 4 * most_characters:
        return kept
    return f"{kept[: most_characters - 1].rstrip(' .,;:')}…"


def single_quotes(text: str) -> str:
    """Replace double quotes of any kind by single quotes."""
    return text.translate(_SINGLE)


def quoted(text: str, most_words: int) -> str:
    """Return the beginning of a text in double quotes, with its own as single quotes."""
    return f'"{first_words(single_quotes(text), most_words, CHARACTERS_PER_WORD * most_words)}"'
