"""Residents' beliefs: questionnaire answers scored against the world's ledger, and a judge's error on them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.interviews.interview import LONGEST_KNOWN, Interviewed, chosen, everybody, latest
from evaluation.interviews.ledger_questions import KINDS, Question
from evaluation.interviews.past_society import PastSociety
from evaluation.records.numbers import wilson_interval
from evaluation.records.records import Record
from evaluation.runs.progress import Progress
from language_models.protocol import Caller, LanguageModel, ModelError

_YES, _NO = "yes", "no"


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
        """Whether the resident witnessed the fact asked about."""
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
        shares = {"share": self.right / self.of, "low": low, "high": high, "chance": self.chance}
        return _row(self) | {name: round(share, 4) for name, share in shares.items()}


def _row(group: Score | JudgeError) -> dict[str, Any]:
    """Count the beliefs of a group."""
    row = asdict(group)
    return {"which": row.pop("label"), **row}


async def ask_all(
    past: PastSociety, model: LanguageModel, questions: Sequence[Question], progress: Progress
) -> list[Belief]:
    """Ask every resident the questions that are not about it.

    Args:
        past: The society.
        model: Model that answers for the residents.
        questions: The questions.
        progress: Reports progress.

    Returns:
        The answers, in the order of residents.

    Raises:
        ValueError: if a resident cannot be interviewed.
        ModelUnavailable: if the model cannot be asked.
    """

    async def ask(who: Interviewed, question: Question) -> Belief:
        ending = (
            f"Question: {question.text}\nOne of these is the answer: {', '.join(question.options)}. Choose by what you "
            "know; where you do not know, choose what you take for likeliest.\nAnswer:"
        )
        caller = Caller(module="beliefs", resident=who.name, time=who.step)
        options, query = question.options, question.text
        choosing = chosen(model, who.prompt, ending, options, caller=caller, query=query)
        answer, left_out = await _or_none(choosing)
        return Belief(resident=who.name, question=question, answer=answer, left_out=left_out)

    interviewed = [Interviewed(past, name) for name in past.society.residents if past.society.world.is_present(name)]

    async def answers_of(who: Interviewed) -> list[Belief]:
        return [await ask(who, question) for question in questions if who.name not in question.about]

    return await everybody(interviewed, answers_of, model, progress)


async def _or_none(choosing: Awaitable[tuple[str, int]]) -> tuple[str | None, int]:
    """Return what was chosen, and the lines left out; None if the model call failed."""
    try:
        return await choosing
    except ModelError:
        return None, 0


def scores(beliefs: Sequence[Belief]) -> list[Score]:
    """Score beliefs by kind of question and witnessing, by resident, and overall, without empty groups."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The judge's verdict on a belief.

    Attributes:
        belief: A belief with an answer.
        right: The verdict; None if the model call failed, which counts as an error.
    """

    belief: Belief
    right: bool | None

    @property
    def wrong(self) -> bool:
        """Whether the verdict contradicts the ledger."""
        return self.right is not self.belief.right

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return {**self.belief.to_json(), "judged_right": self.right}


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeError:
    """Error of a judge on a group of beliefs.

    Attributes:
        label: Name of the group.
        wrong: Verdicts that contradict the ledger.
        of: All beliefs, at least 1, those without a verdict included.
        unanswered: Beliefs without a verdict, all wrong.
        judged_right: Beliefs that are right by the judge's verdict.
        right: Beliefs that are right by the ledger.
    """

    label: str
    wrong: int
    of: int
    unanswered: int
    judged_right: int
    right: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval of the error, in [0, 1]; it assumes independent verdicts."""
        return wilson_interval(self.wrong, self.of)

    @property
    def blind(self) -> float:
        """Error of the majority-class baseline, in [0, 0.5]."""
        return min(self.right, self.of - self.right) / self.of

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data, shares rounded to four places."""
        low, high = self.interval
        shares = {"error": self.wrong / self.of, "low": low, "high": high, "blind": self.blind}
        return _row(self) | {name: round(share, 4) for name, share in shares.items()}


async def judge_all(
    judge: LanguageModel, beliefs: Sequence[Belief], records: Sequence[Record], step: int, setting: str
) -> list[Verdict]:
    """Have a model judge each belief that has an answer, in order.

    Args:
        judge: The model, which reads the log of all residents' latest actions, as many as fit.
        beliefs: The beliefs.
        records: The records of the run so far.
        step: Number of completed time steps.
        setting: What the residents live in, as the map says.

    Returns:
        One verdict per belief with an answer.

    Raises:
        ModelUnavailable: if the model cannot be asked.
    """
    log = [_line(record) for record in records]

    def prompt(ending: str, longest: int = LONGEST_KNOWN) -> tuple[str, int]:
        kept = latest(log, longest)
        lines = "\n".join(kept) or "- nothing yet"
        text = f"These people live in {setting}. What they did, the latest last:\n{lines}\n\n{ending}"
        return text, len(log) - len(kept)

    async def verdict(belief: Belief) -> Verdict:
        asked = belief.question.text
        ending = (
            f"It is step {step}. {belief.resident} was asked: {asked}\n{belief.resident} answered: {belief.answer}\n"
            f"Is this answer right? Say {_YES} or {_NO}.\nAnswer:"
        )

        caller = Caller(module="judge", resident=belief.resident, time=step)
        query = f"{asked} {belief.answer}"
        said, _ = await _or_none(chosen(judge, prompt, ending, (_YES, _NO), caller=caller, query=query))
        return Verdict(belief=belief, right=None if said is None else said == _YES)

    return list(await asyncio.gather(*(verdict(one) for one in beliefs if one.answer is not None)))


def errors(verdicts: Sequence[Verdict]) -> list[JudgeError]:
    """Compute the judge's error by kind of question and overall, without empty groups."""
    groups = {kind: [one for one in verdicts if one.belief.question.kind == kind] for kind in KINDS}
    groups["all"] = list(verdicts)
    return [
        JudgeError(
            label=label,
            wrong=sum(one.wrong for one in group),
            of=len(group),
            unanswered=sum(one.right is None for one in group),
            judged_right=sum(one.right is True for one in group),
            right=sum(one.belief.right for one in group),
        )
        for label, group in groups.items()
        if group
    ]


def _line(record: Record) -> str:
    """Format a line of the log, which may contain untrusted text."""
    action = " ".join((record["action"] or "wait").split())
    became = "" if record["outcome"] == "executed" else " (it came to nothing)"
    return f"- step {record['time']}, {record['resident']} in {record['place']}: {action}{became}"
