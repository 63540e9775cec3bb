"""Adapter of a run's models to Concordia's language model interface, for the thread of an entity."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from concordia.document import interactive_document
from concordia.language_model import language_model

from minds.model_client import ModelClient

LONGEST_ANSWER = 256
"""Most tokens of an answer; Concordia asks for up to 2200, most of which would end up in the next step's prompt."""

_OPTION = re.compile(r"^  \(([a-z]+)\) (.*)$", re.MULTILINE)
_ANSWER = re.compile(r"^Answer: (.+)$", re.MULTILINE)


class ConcordiaModel(language_model.LanguageModel):  # type: ignore[misc]
    """Concordia language model whose calls are made for one component of an entity.

    Attributes:
        module: Name under which its calls are recorded.
    """

    def __init__(self, model: ModelClient, module: str) -> None:
        """Create a model for one component.

        Args:
            model: Client that makes the calls.
            module: Name under which they are recorded.
        """
        self._client = model
        self.module = module

    def sample_text(
        self,
        prompt: str,
        *,
        max_tokens: int = LONGEST_ANSWER,
        terminators: Collection[str] = (),
        temperature: float = language_model.DEFAULT_TEMPERATURE,
        **_: Any,
    ) -> str:
        """Continue a prompt.

        Args:
            prompt: The text to continue; the seed is the run's.
            max_tokens: Token limit of the text, capped at ``LONGEST_ANSWER``.
            terminators: Stop strings; the answer ends at the first of them.
            temperature: Sampling temperature, at least 0.
        """
        most = min(max_tokens, LONGEST_ANSWER)
        asked = self._client.generate(
            self.module, prompt, max_tokens=most, temperature=temperature, stop=tuple(terminators)
        )
        return self._client.wait(asked)

    def sample_choice(
        self, prompt: str, responses: Sequence[str], *, seed: int | None = None
    ) -> tuple[int, str, Mapping[str, Any]]:
        """Choose one of the lettered options of a prompt.

        Args:
            prompt: The question; the meaning of the letters is read from it, since a model that chooses by similarity
                cannot compare letters with a query.
            responses: The letters.
            seed: Ignored; the seed is the run's.

        Returns:
            The place of the response, the response, and no further data.
        """
        listed = dict(_OPTION.findall(prompt))
        options = [listed.get(response, response) for response in responses]
        answered = _ANSWER.findall(prompt)
        query = answered[-1] if answered else ""
        place = options.index(self._client.wait(self._client.choose(self.module, prompt, options, query=query)))
        return place, responses[place], {}


def letters() -> Iterator[str]:
    """Yield option labels without end: ``a`` to ``z``, then ``aa``, ``ab`` ..."""
    for length in itertools.count(1):
        yield from map("".join, itertools.product(string.ascii_lowercase, repeat=length))


def make_repeatable() -> None:
    """Patch Concordia's documents to letter any number of options, and to draw the same in every run.

    Concordia has 26 letters, and silently drops further options; and a document that is given no
    generator draws from one without a seed, as for the order of "yes" and "no". The patch is applied once,
    for the whole process.

    Raises:
        ValueError: if this version of Concordia letters options in another way.
    """
    document = interactive_document.InteractiveDocument
    if not hasattr(interactive_document, "_letters"):
        raise ValueError("this version of gdm-concordia letters choices in another way; install gdm-concordia==2.4.0")
    if interactive_document._letters is letters:
        return
    interactive_document._letters = letters
    begin = document.__init__

    def begin_with_seed(self: Any, model: Any, contents: Any = (), rng: Any = None) -> None:
        begin(self, model, contents, np.random.default_rng(0) if rng is None else rng)

    document.__init__ = begin_with_seed
