"""Checks of a generated text: not empty, not too long, and of the requested form."""

from __future__ import annotations

from typing import Any

from language_models.base_model import cut_at
from language_models.grammar import compile_grammar
from language_models.json_answers import UnusableObject, read_object, write_object
from language_models.protocol import GenerateRequest, Usage
from language_models.remote.responses import CutOff, UnusableAnswer, cut_off, said_in

CHARACTERS_PER_TOKEN = 64


class ExpectedTexts:
    """Checks the texts that answer one request."""

    def __init__(self, request: GenerateRequest, remedy: str, *, thinking: int = 0) -> None:
        """Set the checks for a request.

        Args:
            request: The request.
            remedy: What to do if no text has the form, for errors.
            thinking: Tokens that each text may take beyond those requested.

        Raises:
            ValueError: if the pattern is no grammar that can be checked.
        """
        self._request = request
        self._expression = None if request.pattern is None else compile_grammar(request.pattern)
        self._remedy = remedy
        self._most = request.max_tokens + thinking

    def read(self, answer: dict[str, Any], usage: Usage) -> list[tuple[str, str]]:
        """Return the checked texts of an answer, at least one, each with what the model thought before it.

        JSON objects are rewritten by ``json_answers.write_object``. Some servers give one text only, whatever is asked.

        Raises:
            UnusableAnswer: if one is not as expected.
            Refused: if the model refused to answer.
            ModelError: if there is no text.
        """
        as_object = self._request.schema is not None
        found = []
        for place in range(max(1, min(len(answer["choices"]), self._request.samples))):
            text, thought = said_in(answer, usage, place, as_object=as_object)
            found.append((self._read(text, usage, cut_off(answer, self._most, place)), thought))
        return found

    def _read(self, text: str, usage: Usage, cut: CutOff | None) -> str:
        text = cut_at(text, self._request.stop)  # The server may not take stop strings.
        if not text.strip():
            raise _unusable(text, "is empty", usage, "", cut)
        if len(text) > CHARACTERS_PER_TOKEN * self._request.max_tokens:
            long = f"has {len(text)} characters where {self._request.max_tokens} tokens were asked for"
            raise UnusableAnswer(text, long, usage)
        wrong = ""
        if self._request.schema is not None:
            try:
                return write_object(read_object(text, self._request.schema))
            except UnusableObject as error:
                wrong = str(error)
        elif self._expression is not None and self._expression.fullmatch(text) is None:
            # Servers leave empty lines where they removed a model's thinking.
            text = text.strip()
            wrong = "" if self._expression.fullmatch(text) is not None else "does not obey the pattern"
        if wrong:
            raise _unusable(text, wrong, usage, self._remedy, cut)
        return text


def _unusable(text: str, wrong: str, usage: Usage, remedy: str, cut: CutOff | None) -> UnusableAnswer:
    """Return the error for a text; if it was cut off, reason and remedy say so, too."""
    if cut is None:
        return UnusableAnswer(text, wrong, usage, remedy)
    return UnusableAnswer(text, f"{cut.reason} and {wrong}", usage, f"{cut.remedy}{remedy}")
