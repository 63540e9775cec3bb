"""A judge model's verdicts on what residents believe, and how often the ledger says otherwise."""

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
    """What the judge says of one belief.

    Attributes:
        belief: One that has an answer.
        right: Whether the judge takes it for right; None where it had no verdict, which is an error.
    """

    belief: Belief
    right: bool | None

    @property
    def wrong(self) -> bool:
        """Whether the ledger says otherwise."""
        return self.right is not self.belief.right

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return {**self.belief.to_json(), "judged_right": self.right}


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeError:
    """How often a judge is wrong about beliefs of some sort.

    Attributes:
        label: Which.
        wrong: How many of its verdicts the ledger contradicts.
        of: Of how many beliefs, at least 1; those without a verdict are among them.
        unanswered: How many have no verdict, all of which are wrong.
        judged_right: How many beliefs the judge takes for right.
        right: How many are right, by the ledger.
    """

    label: str
    wrong: int
    of: int
    unanswered: int
    judged_right: int
    right: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval of the error, each end in [0, 1]; it takes verdicts for independent."""
        return wilson_interval(self.wrong, self.of)

    @property
    def blind(self) -> float:
        """The error of a judge that reads nothing and always says what is more often so, in [0, 0.5]."""
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
    """Have a model say of each belief that has an answer whether it is right, in their order.

    Args:
        judge: The model. It reads what all residents did, the latest steps where it has no room for all of them, and
            not the world's state.
        beliefs: What was answered.
        records: All of the run up to then.
        step: After how many time steps.

    Raises:
        ModelUnavailable: if the model cannot be asked.
    """
    log = [_line(record) for record in records]

    def prompt(ending: str, longest: int = LONGEST_KNOWN) -> tuple[str, int]:
        kept = latest(log, longest)
        told = "\n".join(kept) or "- nothing yet"
        told = f"These people live in a small valley. What they did, the latest last:\n{told}\n\n{ending}"
        return told, len(log) - len(kept)

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
    """The judge's error by kind of question, and of all; none of a kind that was not asked."""
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
    """What one resident did in one step; may have words of residents, which are untrusted."""
    action = " ".join((record["action"] or "wait").split())
    became = "" if record["outcome"] == "executed" else " (it came to nothing)"
    return f"- step {record['time']}, {record['resident']} in {record['place']}: {action}{became}"
