"""Places never seen, as the language model imagines them (the last source of Eq. 7)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.resources import files

from itcma_s.wording import Style, the, what_it_is_like
from language_models.protocol import Caller, LanguageModel, ModelError

_PAGE = r'root ::= " " [a-zA-Z] [^\n".!?:]{8,90} "."'
_INSTRUCT = r'root ::= " "? [a-zA-Z] [^\n]{3,400} "\n"?'


class PlaceImagination:
    """Asks a model what there may be in a place.

    Args:
        model: Who is asked.
        vocabulary: Words that the answer is made of, in style "page"; None for any.
        style: How it is asked: "page" for small models, "instruct" for large ones.
    """

    def __init__(self, model: LanguageModel, vocabulary: frozenset[str] | None, style: Style = "page") -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._style = style
        prompt = "place.txt" if style == "page" else "place_instruct.txt"
        self._head = files("itcma_s.protention").joinpath("prompts", prompt).read_text(encoding="utf-8")

    async def imagine_all(
        self, places: Sequence[str], imagined: dict[str, str], caller: Caller, calls: list[int]
    ) -> None:
        """Ask about places, all at once.

        Args:
            places: Their names.
            imagined: Place -> what is said to be there; grows.
            caller: Who asks.
            calls: Identifiers of the model calls made; grows.

        Raises:
            ModelError: if a call failed; answers about other places are kept, and `calls` has every other call.
        """
        answers = await asyncio.gather(*(self._imagine(place, caller) for place in places), return_exceptions=True)
        failures: list[BaseException] = []
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, BaseException):
                failures.append(answer)
            else:
                imagined[place], call = answer
                calls.append(call)
        if failures:
            # One that no resident lives on from comes first.
            error = next((one for one in failures if not isinstance(one, ModelError)), failures[0])
            calls += [one.call for one in failures if isinstance(one, ModelError) and one is not error]
            raise error

    async def _imagine(self, place: str, caller: Caller) -> tuple[str, int]:
        """What the model says is in a place, and the identifier of the call."""
        like = what_it_is_like(place)
        about = f"{the(place)[:1].upper()}{the(place)[1:]}{f', {like}' if like else ''}"
        page = self._style == "page"
        answer = await self._model.generate(
            f"{self._head}{about}:" if page else f"{self._head}{about}.\nThere may be",
            caller=caller,
            max_tokens=24 if page else 80,
            temperature=0.3,
            pattern=_PAGE if page else _INSTRUCT,
            vocabulary=self._vocabulary,
        )
        text = answer.text.strip()
        if not page:
            text = text.removeprefix("There may be").strip().split(". ")[0].rstrip(".") + "."
        return text, answer.usage.call
