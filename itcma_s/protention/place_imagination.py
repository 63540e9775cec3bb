"""Descriptions of places never seen, imagined by the language model (the last source of Eq. 7).

The request about a place does not depend on the resident, so residents that share a `PlaceImagination` share the
answers: a society asks about each place once. A decision can do without: a place of which the model says nothing usable
has no description, and is not asked about again. Which resident asks first may depend on response times. Therefore a
call is made in the name of the place, and every resident that asked in the same time step records its identifier.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from irollan_env.english import the
from itcma_s.model_calls import ModelCalls
from itcma_s.wording import Style, what_it_is_like
from language_models.protocol import Caller, GenerateRequest, LanguageModel, ModelError

_PAGE = r'root ::= " " [a-zA-Z] [^\n".!?:]{8,90} "."'
_BEGINNING = "There may be"
_INSTRUCT = r'root ::= " "? [a-zA-Z] [^\n]{3,400} "\n"?'


@dataclass(slots=True)
class _Question:
    """A model call about a place, with its time step and the number of waiting residents."""

    time: int
    asking: asyncio.Task[tuple[str, int]]
    waiting: int = 0

    def serves(self, time: int) -> bool:
        """Return whether this call answers a question of a time step; one that broke off is repeated in the next."""
        if not self.asking.done():
            return self.time <= time and self.asking.get_loop() is asyncio.get_running_loop()
        if self.asking.cancelled():
            return False
        return self.time <= time if self.asking.exception() is None else self.time == time

    async def answer(self) -> tuple[str, int]:
        """Wait for the text and the identifier of the call; cancel the call when nobody waits for it any more."""
        self.waiting += 1
        try:
            return await asyncio.shield(self.asking)
        finally:
            self.waiting -= 1
            if not self.waiting:
                self.asking.cancel()


class PlaceImagination:
    """Asks a model what there may be in a place, once for all residents that share it.

    Args:
        model: The language model.
        vocabulary: The words that an answer in style "page" may use; None for any.
        style: The prompt style: "page", with examples, for small models, "scene" for models trained on scenes,
            "instruct" for large ones.
    """

    def __init__(self, model: LanguageModel, vocabulary: frozenset[str] | None, style: Style = "page") -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._style = style
        head = {"page": "place.txt", "instruct": "place_instruct.txt"}.get(style)
        prompts = files("itcma_s.protention").joinpath("prompts")
        self._head = prompts.joinpath(head).read_text(encoding="utf-8") if head is not None else ""
        self._questions: dict[str, _Question] = {}
        self._known: dict[str, str] = {}

    def know(self, imagined: Mapping[str, str]) -> None:
        """Add earlier answers, for a resident that resumes from a saved state."""
        self._known.update(imagined)

    async def imagine_all(self, places: Sequence[str], imagined: dict[str, str], calls: ModelCalls) -> None:
        """Ask the model about places concurrently, except those with a known answer.

        Args:
            places: The names of the places.
            imagined: Place -> the model's description, empty where it gave none; extended.
            calls: The model calls of the resident in this time step.

        Raises:
            ModelUnavailable: if the model cannot be reached; likewise any error other than a ModelError.
        """
        caller = calls.caller("protention")
        answers = await asyncio.gather(*(self._imagine(place, caller) for place in places), return_exceptions=True)
        failures: list[BaseException] = []
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, BaseException):
                failures.append(answer)
            else:
                imagined[place], made = answer
                calls.add(*made)
        if failures:
            raise failures[0]

    async def _imagine(self, place: str, caller: Caller) -> tuple[str, list[int]]:
        """Return the description of a place, and the identifier of the call if it was made in this time step."""
        if place in self._known:
            return self._known[place], []
        question = self._questions.get(place)
        if question is None or not question.serves(caller.time):
            asking = asyncio.ensure_future(self._ask(place, replace(caller, resident=place)))
            question = self._questions[place] = _Question(caller.time, asking)
        text, call = await question.answer()
        return text, [call] if question.time == caller.time else []

    async def _ask(self, place: str, caller: Caller) -> tuple[str, int]:
        examples = self._style == "page"
        request = GenerateRequest(
            prompt=self._prompt(place),
            caller=caller,
            max_tokens=24 if examples else 80,
            temperature=0.3,
            pattern=_INSTRUCT if self._style == "instruct" else _PAGE,
            vocabulary=self._vocabulary,
        )
        try:
            answer = await self._model.generate(request)
        except ModelError as error:
            return "", error.call
        text = answer.text.strip()
        if not examples:
            text = text.removeprefix(_BEGINNING).strip().split(". ")[0].rstrip(".") + "."
        return text, answer.usage.call

    def _prompt(self, place: str) -> str:
        if self._style == "scene":
            return f"{page_about(the(place))}{_BEGINNING}"
        like = what_it_is_like(place)
        about = f"{the(place)[:1].upper()}{the(place)[1:]}{f', {like}' if like else ''}"
        return f"{self._head}{about}:" if self._style == "page" else f"{self._head}{about}.\n{_BEGINNING}"


def page_about(place: str) -> str:
    """Return the prompt for a place; a model continues it like "There may be a table, a book and a chair.".

    The training data has pages of this form (valley_scenes/make_pages.py).

    Args:
        place: The place with its article: "the canteen".
    """
    return f"Neighbours in a small valley.\n\nNobody here has been in {place} yet. What may there be in {place}?\n"
