"""A judge model's verdicts on beliefs, and its error by the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.interviews.beliefs import Belief
from evaluation.interviews.interview import LONGEST_KNOWN, fitting, latest
from evaluation.interviews.questionnaire import KINDS
from evaluation.records.numbers import wilson_interval
from evaluation.records.records import Record
from language_models.protocol import Caller, LanguageModel, ModelError

MODULE = "judge"
_YES, _NO = "yes", "no"


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
        judged_right: Beliefs that the judge takes for right.
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
        return {
            "which": self.label,
            "wrong": self.wrong,
            "of": self.of,
            "unanswered": self.unanswered,
            "judged_right": self.judged_right,
            "right": self.right,
            **{name: round(share, 4) for name, share in shares.items()},
        }


async def judge_all(
    judge: LanguageModel, beliefs: Sequence[Belief], records: Sequence[Record], step: int
) -> list[Verdict]:
    """Have a model judge each belief that has an answer, in order.

    Args:
        judge: The model. It reads the log of all residents' actions, as many of the latest as fit.
        beliefs: The beliefs.
        records: The records of the run so far.
        step: Number of time steps lived.

    Raises:
        ModelUnavailable: if the model cannot be asked.
    """
    log = [_line(record) for record in records]

    def prompt(ending: str, longest: int = LONGEST_KNOWN) -> tuple[str, int]:
        kept = latest(log, longest)
        lines = "\n".join(kept) or "- nothing yet"
        text = f"These people live in a small valley. What they did, the latest last:\n{lines}\n\n{ending}"
        return text, len(log) - len(kept)

    async def verdict(belief: Belief) -> Verdict:
        asked = belief.question.text
        ending = (
            f"It is step {step}. {belief.resident} was asked: {asked}\n{belief.resident} answered: {belief.answer}\n"
            f"Is this answer right? Say {_YES} or {_NO}.\nAnswer:"
        )

        async def choose(whole: str) -> str:
            caller = Caller(module=MODULE, resident=belief.resident, time=step)
            query = f"{asked} {belief.answer}"
            return (await judge.choose(whole, (_YES, _NO), caller=caller, query=query)).option

        try:
            said, _, _ = await fitting(prompt, ending, choose)
        except ModelError:
            return Verdict(belief=belief, right=None)
        return Verdict(belief=belief, right=said == _YES)

    return list(await asyncio.gather(*(verdict(one) for one in beliefs if one.answer is not None)))


def errors(verdicts: Sequence[Verdict]) -> list[JudgeError]:
    """The judge's error by kind of question and overall, without empty groups."""
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
    """A line of the log; may contain untrusted text."""
    action = " ".join((record["action"] or "wait").split())
    became = "" if record["outcome"] == "executed" else " (it came to nothing)"
    return f"- step {record['time']}, {record['resident']} in {record['place']}: {action}{became}"
