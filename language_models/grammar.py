"""Translation of GBNF grammars to regular expressions, for backends that check a finished text.

Supports literals, character classes, groups, alternatives, repetition and rules that refer to other
rules. A rule that refers to itself has no regular expression and is refused.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

Token: TypeAlias = tuple[str, str]
"""Kind and text of one piece of a grammar: literal, set, name, repeat or mark."""

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
    |(?P<literal>"(?:\\.|[^"\\\n])*")
    |(?P<set>\[(?:\\.|[^\]\\\n])*\])
    |(?P<define>::=)
    |(?P<name>[A-Za-z][A-Za-z0-9_-]*)
    |(?P<repeat>[?*+]|\{\d+(?:,\d*)?\})
    |(?P<mark>[|().])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))|(.)", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}


@lru_cache(maxsize=64)
def compile_grammar(grammar: str) -> re.Pattern[str]:
    """Translate a GBNF grammar to the regular expression whose full matches are the texts it allows.

    Args:
        grammar: GBNF with a rule named root.

    Raises:
        ValueError: if the grammar does not parse, lacks a rule, or refers to itself.
    """
    rules = read_rules(grammar)
    if "root" not in rules:
        raise ValueError(f"a grammar needs a rule named root, got rules {sorted(rules)}; write root ::= ...")
    return re.compile(_expand("root", rules, ()))


def read_rules(grammar: str) -> dict[str, list[Token]]:
    """Return the tokens of each rule's right-hand side."""
    tokens: list[Token] = []
    position = 0
    while position < len(grammar):
        match = _TOKEN.match(grammar, position)
        if match is None:
            raise ValueError(f"not GBNF at {grammar[position : position + 20]!r}, character {position} of the grammar")
        if match.lastgroup != "space":
            tokens.append((str(match.lastgroup), match.group()))
        position = match.end()
    starts = [place - 1 for place, (kind, _) in enumerate(tokens) if kind == "define"]
    if not starts or starts[0] != 0 or any(tokens[start][0] != "name" for start in starts):
        raise ValueError(f"a grammar is a list of rules, name ::= form; got {grammar[:60]!r}")
    ends = [*starts[1:], len(tokens)]
    return {tokens[start][1]: tokens[start + 2 : end] for start, end in zip(starts, ends, strict=True)}


def _expand(name: str, rules: dict[str, list[Token]], parents: tuple[str, ...]) -> str:
    """Translate one rule to a regular expression, expanding the rules that it names."""
    if name not in rules:
        raise ValueError(f"the grammar names rule {name!r}, which it does not define; it defines {sorted(rules)}")
    if name in parents:
        raise ValueError(f"rule {name!r} refers to itself; only grammars without recursion can be checked")
    parts: list[str] = []
    depth = 0
    for kind, text in rules[name]:
        if kind == "literal":
            parts.append(f"(?:{re.escape(''.join(read_characters(text[1:-1])))})")
        elif kind == "set":
            parts.append(character_set(text[1:-1]))
        elif kind == "name":
            parts.append(_expand(text, rules, (*parents, name)))
        elif text == ".":
            parts.append("[\\s\\S]")
        else:
            depth += {"(": 1, ")": -1}.get(text, 0)
            parts.append("(?:" if text == "(" else text)
        if depth < 0:
            break
    if depth != 0:
        raise ValueError(f"parentheses do not match in rule {name!r} of the grammar")
    return f"(?:{''.join(parts)})"


def read_characters(text: str) -> list[str]:
    """Return the characters of a literal or set, with escapes resolved."""
    found = []
    for two, four, eight, escaped, plain in _ESCAPE.findall(text):
        code = two or four or eight
        found.append(chr(int(code, 16)) if code else _NAMED.get(escaped, escaped) or plain)
    return found


def character_set(text: str) -> str:
    """Translate a character class; a dash between two characters is a range, as in GBNF."""
    negated, text = text.startswith("^"), text.removeprefix("^")
    escaped = [match.group().startswith("\\") for match in _ESCAPE.finditer(text)]
    characters = read_characters(text)
    last = len(characters) - 1
    inside = "".join(
        "-" if c == "-" and not escaped[i] and 0 < i < last else re.escape(c) for i, c in enumerate(characters)
    )
    if not inside:
        raise ValueError("an empty character set [] matches nothing; list at least one character")
    return f"[{'^' if negated else ''}{inside}]"
