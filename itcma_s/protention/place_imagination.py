"""Places never seen, as the language model imagines them (the last source of Eq. 7).

The request about a place is the same whoever makes it, so that whoever shares a `PlaceImagination` shares the
answers: a society asks about a place once. Who is first to ask may hang on how fast other answers come. Therefore a
call is made in the name of the place, and everybody who asked in the time step in which it was made has its identifier.
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
    """A call about a place: the time step in which it was made, and how many wait for it."""

    time: int
    asking: asyncio.Task[tuple[str, int]]
    waiting: int = 0

    def serves(self, time: int) -> bool:
        """Whether this call answers a question asked in a time step; a failed call is repeated in the next step."""
        if not self.asking.done():
            return self.time <= time and self.asking.get_loop() is asyncio.get_running_loop()
        if self.asking.cancelled():
            return False
        return self.time <= time if self.asking.exception() is None else self.time == time

    async def answer(self) -> tuple[str, int]:
        """What the model said, and the identifier of the call, which ends when nobody waits for it any more."""
        self.waiting += 1
        try:
            return await asyncio.shield(self.asking)
        finally:
            self.waiting -= 1
            if not self.waiting:
                self.asking.cancel()


class PlaceImagination:
    """Asks a model what there may be in a place, once for all who share it.

    Args:
        model: Who is asked.
        vocabulary: Words that the answer is made of, in style "page"; None for any.
        style: How it is asked: "page", with examples, for small models, "scene" for those that were trained on scenes,
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
        """Take in what was imagined before, as a resident that goes on from a saved state does."""
        self._known.update(imagined)

    async def imagine_all(self, places: Sequence[str], imagined: dict[str, str], calls: ModelCalls) -> None:
        """Ask about places, all at once, but for those that somebody asked about before.

        Args:
            places: Their names.
            imagined: Place -> what is said to be there; grows.
            calls: The model calls of whoever asks, in its time step.

        Raises:
            ModelError: if a call failed; answers about other places are kept, and `calls` has every other call.
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
            # One that no resident lives on from comes first.
            error = next((one for one in failures if not isinstance(one, ModelError)), failures[0])
            calls.add(*(one.call for one in failures if isinstance(one, ModelError) and one is not error))
            raise error

    async def _imagine(self, place: str, caller: Caller) -> tuple[str, list[int]]:
        """What the model says is in a place, and the identifier of the call, where it was made in this time step."""
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
        answer = await self._model.generate(
            GenerateRequest(
                prompt=self._prompt(place),
                caller=caller,
                max_tokens=24 if examples else 80,
                temperature=0.3,
                pattern=_INSTRUCT if self._style == "instruct" else _PAGE,
                vocabulary=self._vocabulary,
            )
        )
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
    """The page on which a place is imagined; what follows is "There may be a table, a book and a chair.".

    Pages of this form are trained on (valley_scenes/make_pages.py).

    Args:
        place: With its article: "the canteen".
    """
    return f"Neighbours in a small valley.\n\nNobody here has been in {place} yet. What may there be in {place}?\n"
