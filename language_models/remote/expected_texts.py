"""What a text that was asked for must be like: not empty, not longer than asked for, of the form asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language_models.grammar import compile_grammar
from language_models.json_answers import read_object, write_object
from language_models.one_object import UnusableObject
from language_models.protocol import Usage
from language_models.remote.cut_off import CutOff, cut_off
from language_models.remote.responses import UnusableAnswer, text_of

CHARACTERS_PER_TOKEN = 64


class ExpectedTexts:
    """The texts of one request as they are expected."""

    def __init__(
        self,
        samples: int,
        max_tokens: int,
        pattern: str | None,
        schema: Mapping[str, Any] | None,
        remedy: str,
        *,
        thinking: int = 0,
    ) -> None:
        """Say what is expected.

        Args:
            samples: How many texts.
            max_tokens: Tokens of each.
            pattern: A GBNF grammar that they obey, if any.
            schema: A JSON schema that they are objects of, if any.
            remedy: What to do where none has the form.
            thinking: Tokens that each may take beside these.

        Raises:
            ValueError: if the pattern is no grammar that can be checked.
        """
        self._samples = samples
        self._max_tokens = max_tokens
        self._expression = None if pattern is None else compile_grammar(pattern)
        self._schema = schema
        self._remedy = remedy
        self._most = max_tokens + thinking

    def read(self, answer: dict[str, Any], usage: Usage) -> list[str]:
        """The texts of an answer; an object is written as ``json_answers.write_object`` does.

        Raises:
            UnusableAnswer: if one is not as expected.
            Refused: if the model would not answer.
            ModelError: if there is none.
        """
        return [
            self._read(text_of(answer, usage, place), usage, cut_off(answer, self._most, place))
            for place in range(self._samples)
        ]

    def _read(self, text: str, usage: Usage, cut: CutOff | None) -> str:
        if not text.strip():
            raise _unusable(text, "is empty", usage, "", cut)
        if len(text) > CHARACTERS_PER_TOKEN * self._max_tokens:
            long = f"has {len(text)} characters where {self._max_tokens} tokens were asked for"
            raise UnusableAnswer(text, long, usage)
        wrong = ""
        if self._schema is not None:
            try:
                return write_object(read_object(text, self._schema))
            except UnusableObject as error:
                wrong = str(error)
        elif self._expression is not None and self._expression.fullmatch(text) is None:
            # Servers leave empty lines where they took a model's thinking out.
            text = text.strip()
            wrong = "" if self._expression.fullmatch(text) is not None else "does not obey the pattern"
        if wrong:
            raise _unusable(text, wrong, usage, self._remedy, cut)
        return text


def _unusable(text: str, wrong: str, usage: Usage, remedy: str, cut: CutOff | None) -> UnusableAnswer:
    """What is wrong with a text, and what to do: one that was cut off had no room for its form, or came to no end."""
    if cut is None:
        return UnusableAnswer(text, wrong, usage, remedy)
    return UnusableAnswer(text, f"{cut.reason} and {wrong}", usage, f"{cut.remedy}{remedy}")
