"""Texts as they are asked of llama.cpp: what holds them to a form, and whether they have it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from language_models.json_answers import UnusableObject, read_object, write_object
from language_models.json_grammar import grammar_of, shortened
from language_models.protocol import Attempt

MIN_P = 0.05
"""Tokens are left out that are less likely than this share of the likeliest one."""


class UnusableTexts(Exception):
    """Texts that are not as they were asked for.

    Attributes:
        attempt: The same as part of what a call cost.
    """

    def __init__(self, message: str, reason: str, text: str) -> None:
        super().__init__(message)
        self.attempt = Attempt(kind="unusable", reason=reason, text=text)


@dataclass(frozen=True, kw_only=True, slots=True)
class TextRequest:
    """Texts that are asked for; see ``protocol.LanguageModel.generate``."""

    max_tokens: int
    temperature: float
    stop: Sequence[str]
    pattern: str | None
    samples: int
    schema: Mapping[str, Any] | None

    def body(self, prompt: str, attempt: int) -> dict[str, Any]:
        """The fields of a request to /v1/completions, all but the seed.

        Objects of a schema break off where the model comes to no end. When they are asked for again, their strings may
        have a character a token together, which leaves the rest of the object its room.

        Args:
            prompt: As llama.cpp reads it.
            attempt: How often it was asked before.
        """
        schema = self.schema
        if schema is not None and attempt:
            schema = shortened(schema, self.max_tokens)
        grammar = self.pattern if schema is None else grammar_of(schema)
        return {
            "prompt": prompt,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "min_p": MIN_P,
            "stop": list(self.stop),
            **({"grammar": grammar} if grammar is not None else {}),
        }

    def read(self, texts: Sequence[str]) -> list[str]:
        """The texts, objects as ``json_answers.write_object`` writes them.

        Raises:
            UnusableTexts: if one is empty, or no object of the schema.
        """
        if len(texts) != self.samples or any(not text.strip() for text in texts):
            message = f"wrote {list(texts)!r} where {self.samples} texts were asked for"
            raise UnusableTexts(message, "has an empty text", json.dumps(texts))
        if self.schema is None:
            return list(texts)
        found = []
        for text in texts:
            try:
                found.append(write_object(read_object(text, self.schema)))
            except UnusableObject as error:
                raise UnusableTexts(f"wrote {text[:200]!r}, which {error}", str(error), text) from None
        return found
