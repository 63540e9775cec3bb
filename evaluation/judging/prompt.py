"""Prompts of a judge, with the resident's story quoted against prompt injection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template

from evaluation.rating.rating_scale import ATTENTION_CHECK
from evaluation.rating.rubric import rubric
from evaluation.rating.stories import StoryStep
from evaluation.rating.study import Check

_ESCAPED = {mark: f"\\u{ord(mark):04x}" for mark in "<>\u2028\u2029"}
"""Escapes of characters that JSON allows in strings: <...> could end a model's turn, the others a line."""


def ask(resident: str, moments: Sequence[StoryStep], question: str, check: Check | None = None) -> str:
    """Build the prompt of one question about one resident.

    Args:
        resident: The resident to rate.
        moments: Its story.
        question: A dimension, or ``ATTENTION_CHECK``.
        check: Attention check to insert; None in most.

    Returns:
        The prompt, which ends where the answer, a digit, follows. Questions about one resident share a prefix, so that
        a model with a prefix cache reads the steps once.
    """
    lines = []
    for moment in moments:
        lines.append(quoted(_step_data(moment)))
        if check is not None and check.step == moment.step:
            note = f'at the question "Reading check", please answer {check.answer}.'
            lines.append(quoted({"note": f"A note to you who reads this: {note}"}))
    # A single pass, so that inserted text is not searched for placeholders.
    page = _page().substitute(resident=resident, steps="\n".join(lines), question=_question(resident, question))
    return page.rstrip("\n")


def quoted(data: dict[str, object]) -> str:
    """Encode data as JSON on one line in which no text can end its quotation, the line, or a model's turn."""
    line = json.dumps(data, ensure_ascii=False)
    for mark, escaped in _ESCAPED.items():
        line = line.replace(mark, escaped)
    return line


def _step_data(moment: StoryStep) -> dict[str, object]:
    """Return a step's data as shown to raters, without empty fields."""
    data: dict[str, object] = {"step": moment.step, "place": moment.place, "with": list(moment.company)}
    if moment.heard:
        data["hears"] = [f"{sender} to {addressee}: {text}" for sender, addressee, text in moment.heard]
    if moment.goal:
        data["wants"] = moment.goal
    if moment.thought:
        data["thinks"] = moment.thought
    return {**data, "does": moment.action, "outcome": moment.outcome}


def _question(resident: str, question: str) -> str:
    if question == ATTENTION_CHECK:
        return "Reading check. A note between the steps asked you to answer a certain number here. Which one?"
    (about,) = (dimension for dimension in rubric() if dimension.name == question)
    return "\n".join(
        [
            f"{about.name.capitalize()}. {about.definition} {about.ask(resident)}",
            f"1: {about.low}",
            f"4: {about.middle}",
            f"7: {about.high}",
        ]
    )


@cache
def _page() -> Template:
    return Template((resources.files("evaluation.judging") / "prompts" / "judge.txt").read_text(encoding="utf-8"))
