"""Sampling of texts that a GBNF grammar allows, without a model, in plain words where letters are free."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from language_models.grammar import Token, character_set, compile_grammar, read_characters, read_rules

PASSAGE = """
the book is on a table and we can look at it here then I will go there to see who has it now for it was in my room so
you may take some food with us if they ask for more and you let me know what you think of this place
"""
"""Text that words are copied from where the grammar leaves the letters open."""

_MORE = 3  # Most repetitions written beyond the minimum.
_CHARACTERS = 24  # Length of an open run of characters, if the grammar allows it.
_CANDIDATES = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,?!'\"-:;()\n_/*#\u00e9\u4e2d"


def sample_grammar(grammar: str, *parts: str | int) -> str:
    """Return a text that a grammar allows, the same in every process for the same grammar and parts.

    Args:
        grammar: GBNF with a rule named root, without recursion.
        parts: What the choices depend on, such as a prompt and a seed.

    Raises:
        ValueError: if the grammar does not parse or refers to itself, or a character set leaves nothing to write.
    """
    compile_grammar(grammar)  # Rejects invalid grammars: missing rules, recursion, unmatched parentheses.
    return _Sampler(read_rules(grammar), parts).text()


@dataclass(frozen=True, slots=True)
class _Run:
    """A token or group, and how often it may be repeated."""

    tokens: Sequence[Token]
    fewest: int
    most: float


class _Sampler:
    def __init__(self, rules: dict[str, list[Token]], parts: Sequence[str | int]) -> None:
        self._rules = rules
        self._key = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
        self._drawn = 0
        self._passage = PASSAGE.split()
        self._place = self._draw(len(self._passage))
        self._written = ""

    def text(self) -> str:
        self._write(self._rules["root"])
        return self._written

    def _draw(self, count: int) -> int:
        """Draw a number below count from a stable hash."""
        self._drawn += 1
        return int.from_bytes(hashlib.sha256(self._key + b"\x1f%d" % self._drawn).digest()[:8], "big") % count

    def _write(self, tokens: Sequence[Token]) -> None:
        alternatives = _alternatives(tokens)
        for run in _runs(alternatives[self._draw(len(alternatives))]):
            kind, text = run.tokens[0]
            if kind == "set" or text == ".":
                self._characters("[\\s\\S]" if text == "." else character_set(text[1:-1]), run)
                continue
            for _ in range(run.fewest + self._draw(int(min(run.most - run.fewest, _MORE)) + 1)):
                if kind == "literal":
                    self._written += "".join(read_characters(text[1:-1]))
                elif kind == "name":
                    self._write(self._rules[text])
                else:
                    self._write(run.tokens[1:-1])

    def _characters(self, allowed: str, run: _Run) -> None:
        """Write words if the set has the letters and the room for them; else single characters of it."""
        fits = re.compile(f"{allowed}*").fullmatch
        single = [character for character in _CANDIDATES if fits(character)]
        if not single:
            raise ValueError(f"the character set {allowed} holds none of the characters that are written here")
        spaced = fits(" ") is not None
        length = int(min(run.most, max(run.fewest, _CHARACTERS if spaced else 1)))
        if run.most < 3 or not any(fits(word) for word in self._passage):
            self._written += "".join(self._single(single) for _ in range(length))
            return
        text = " " if spaced and self._written[-1:].isalnum() else ""
        text += self._word(allowed)
        while spaced and len(text) < length:
            text += f" {self._word(allowed)}"
        if len(text) > run.most:
            text = text[: int(run.most)].rstrip(" ") or text[: int(run.most)]
        letters = [character for character in single if character.islower()] or single
        self._written += text + "".join(letters[self._draw(len(letters))] for _ in range(run.fewest - len(text)))

    def _word(self, allowed: str) -> str:
        """Return the next word of the passage that consists of allowed characters only."""
        while True:
            self._place = (self._place + 1) % len(self._passage)
            if re.fullmatch(f"{allowed}+", word := self._passage[self._place]):
                return word

    def _single(self, single: Sequence[str]) -> str:
        # A capital that stands alone reads as a word when it is an I.
        return "I" if "I" in single and "a" not in single else single[self._draw(len(single))]


def _alternatives(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split a form at the bars outside parentheses."""
    found: list[list[Token]] = [[]]
    depth = 0
    for kind, text in tokens:
        if kind == "mark":
            depth += {"(": 1, ")": -1}.get(text, 0)
        if depth == 0 and (kind, text) == ("mark", "|"):
            found.append([])
        else:
            found[-1].append((kind, text))
    return found


def _runs(tokens: Sequence[Token]) -> list[_Run]:
    """Split a form without bars into tokens and groups, each with its repetition."""
    found: list[_Run] = []
    place = 0
    while place < len(tokens):
        end = place + 1
        depth = int(tokens[place] == ("mark", "("))
        while depth:
            depth += {("mark", "("): 1, ("mark", ")"): -1}.get(tokens[end], 0)
            end += 1
        fewest, most = 1, 1.0
        if end < len(tokens) and tokens[end][0] == "repeat":
            fewest, most = _bounds(tokens[end][1])
            found.append(_Run(tokens[place:end], fewest, most))
            place = end + 1
        else:
            found.append(_Run(tokens[place:end], fewest, most))
            place = end
    return found


def _bounds(repeat: str) -> tuple[int, float]:
    if repeat in ("?", "*", "+"):
        return int(repeat == "+"), 1.0 if repeat == "?" else math.inf
    fewest, comma, most = repeat[1:-1].partition(",")
    return int(fewest), float(most) if most else math.inf if comma else float(fewest)
