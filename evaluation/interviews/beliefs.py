"""Beliefs of residents: answers to a questionnaire, scored against the world's ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.interviews.interview import Interviewed, fitting
from evaluation.interviews.past_society import PastSociety
from evaluation.interviews.questionnaire import KINDS, Question
from evaluation.records.numbers import wilson_interval
from language_models.protocol import Caller, LanguageModel, ModelError

MODULE = "beliefs"


@dataclass(frozen=True, kw_only=True, slots=True)
class Belief:
    """One resident's answer to one question.

    Attributes:
        resident: The resident.
        question: The question.
        answer: One of its options; None if the model call failed, which counts as wrong.
        left_out: Oldest lines of the resident's knowledge that did not fit into the prompt.
    """

    resident: str
    question: Question
    answer: str | None
    left_out: int = 0

    @property
    def right(self) -> bool:
        """Whether the answer is true by the ledger."""
        return self.answer == self.question.truth

    @property
    def witnessed(self) -> bool:
        """Whether the resident witnessed it."""
        return self.resident in self.question.witnesses

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        asked = self.question
        return {
            "resident": self.resident,
            "kind": asked.kind,
            "question": asked.text,
            "options": list(asked.options),
            "truth": asked.truth,
            "answer": self.answer,
            "right": self.right,
            "witnessed": self.witnessed,
            "left_out": self.left_out,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Accuracy of a group of beliefs.

    Attributes:
        label: Name of the group.
        right: Correct beliefs.
        of: All beliefs, at least 1, unanswered ones included.
        unanswered: Beliefs without an answer.
        chance: Expected accuracy of a uniform guess, in (0, 0.5].
    """

    label: str
    right: int
    of: int
    unanswered: int
    chance: float

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval of the accuracy, in [0, 1]; it assumes independent answers."""
        return wilson_interval(self.right, self.of)

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data, shares rounded to four places."""
        low, high = self.interval
        return {
            "which": self.label,
            "right": self.right,
            "of": self.of,
            "unanswered": self.unanswered,
            "share": round(self.right / self.of, 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "chance": round(self.chance, 4),
        }


async def ask_all(past: PastSociety, model: LanguageModel, questions: Sequence[Question]) -> list[Belief]:
    """Ask every resident the questions that are not about it; answers are in the order of residents.

    Raises:
        ValueError: if a resident cannot tell what it knows.
        ModelUnavailable: if the model cannot be asked.
    """
    asked = [
        _ask(who, model, question)
        for who in (Interviewed(past, name) for name in past.society.residents)
        for question in questions
        if who.name not in question.about
    ]
    return list(await asyncio.gather(*asked))


async def _ask(who: Interviewed, model: LanguageModel, question: Question) -> Belief:
    ending = (
        f"Question: {question.text}\nOne of these is the answer: {', '.join(question.options)}. Choose by what you "
        "know; where you do not know, choose what you take for likeliest.\nAnswer:"
    )

    async def choose(prompt: str) -> str:
        caller = Caller(module=MODULE, resident=who.name, time=who.step)
        return (await model.choose(prompt, question.options, caller=caller, query=question.text)).option

    try:
        answer, _, left_out = await fitting(who.prompt, ending, choose)
    except ModelError:
        return Belief(resident=who.name, question=question, answer=None)
    return Belief(resident=who.name, question=question, answer=answer, left_out=left_out)


def scores(beliefs: Sequence[Belief]) -> list[Score]:
    """Accuracy by kind of question and witnessing, by resident, and overall, without empty groups."""
    groups: dict[str, list[Belief]] = {}
    for kind in KINDS:
        of_kind = [one for one in beliefs if one.question.kind == kind]
        groups[f"{kind}, before their eyes"] = [one for one in of_kind if one.witnessed]
        groups[f"{kind}, elsewhere"] = [one for one in of_kind if not one.witnessed]
    for name in dict.fromkeys(one.resident for one in beliefs):
        groups[name] = [one for one in beliefs if one.resident == name]
    groups["all"] = list(beliefs)
    return [
        Score(
            label=label,
            right=sum(one.right for one in group),
            of=len(group),
            unanswered=sum(one.answer is None for one in group),
            chance=sum(1 / len(one.question.options) for one in group) / len(group),
        )
        for label, group in groups.items()
        if group
    ]
