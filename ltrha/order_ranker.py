"""Ranking by an instruction-following model, which gives the whole order in one answer, with one retry."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources as package_data
from string import Template
from typing import Any

from irollan_env.hints import check_choice
from language_models.protocol import Attempt, Caller, GenerateRequest, LanguageModel, ModelError, Usage, total_usage
from ltrha.plain_text import quoted
from ltrha.ranking import RankBy, Ranking, Standing

Groups = tuple[tuple[str, ...], ...]

SETTING = "a small valley"
"""What the agents live in where nothing else is said."""

WORDS_PER_PERSON = 38
"""Average words per agent above which goals and chats are cut shorter."""

_PROMPTS = {
    rank_by: Template(
        (package_data.files("ltrha") / "prompts" / f"order_by_{rank_by}.txt").read_text(encoding="utf-8").rstrip("\n")
    )
    for rank_by in RankBy
}
# Most words of the goal, of the last step's chats and of earlier chats, from the fullest form to the shortest.
_FORMS = ((20, 20, 20), (20, 20, 12), (15, 20, 8), (12, 20, 0), (10, 14, 0), (8, 10, 0), (7, 7, 0))


def prompt(standings: Sequence[Standing], rank_by: RankBy = RankBy.GOALS, setting: str = SETTING) -> str:
    """Return the prompt for an order: fixed text first, then one line per agent.

    By goals, resources S are put in words, since a number is an anchor. Lines have the fullest form
    that keeps to ``WORDS_PER_PERSON``, or the shortest.
    """
    people = ""
    for goal, newest, older in _FORMS:
        people = "\n".join(
            standing.describe(
                goal_words=goal,
                newest_words=newest,
                older_words=older,
                wealth=_wealth(standing.share, len(standings)) if rank_by is RankBy.GOALS else "",
            )
            for standing in standings
        )
        if len(people.split()) <= WORDS_PER_PERSON * len(standings):
            break
    return _PROMPTS[rank_by].substitute(people=people, setting=setting)


def _wealth(share: float, count: int) -> str:
    """Describe an agent's share of resources among so many agents in words."""
    if share < 0.0:
        return "in debt to the others"
    for most, word in ((0.5, "low"), (1.5, "middle")):
        if share * count <= most:
            return f"{word} standing"
    return "high standing"


def ask_again(asked: str, reason: str) -> str:
    """Return the prompt of a retry, which says what was wrong with the answer."""
    return f"{asked}\n\nYour last answer was of no use: {reason}. Give the whole order again."


def schema(names: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of an order of these names; it cannot require each name exactly once."""
    return {
        "type": "object",
        "properties": {
            "order": {
                "type": "array",
                "items": {"type": "array", "items": {"type": "string", "enum": sorted(names)}, "minItems": 1},
                "minItems": 1,
            }
        },
        "required": ["order"],
        "additionalProperties": False,
    }


def most_tokens(names: Sequence[str]) -> int:
    """Return the most tokens that an order of these names may be written with, white space included."""
    return 64 + sum(8 + 2 * len(name) for name in names)


def tie_all(prompt: str, seed: int = 0) -> str:
    """Write the answer that ties all agents of a prompt, for estimates without a model.

    Args:
        prompt: Result of ``prompt``.
        seed: Ignored; writers of the scripted model take one.
    """
    return json.dumps({"order": [re.findall(r"^- (.+?) \(", prompt, re.MULTILINE)]}, ensure_ascii=False)


def read(text: str, names: Sequence[str]) -> Groups:
    """Read the order from an answer.

    Args:
        text: One JSON object, ``{"order": [["WM", "LL"], ["AY"]]}``: groups from first to last, equals in one group.
        names: Names that the order must have, each exactly once.

    Returns:
        The groups, best first; the equals in the order of ``names``.

    Raises:
        ValueError: if it is anything else; the message says what is wrong, and can be sent to the model.
    """
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not one JSON object") from None
    if not isinstance(answer, dict) or set(answer) != {"order"}:
        raise ValueError('it must be a JSON object with the key "order" alone')
    groups = answer["order"]
    if not isinstance(groups, list) or not all(isinstance(group, list) and group for group in groups):
        raise ValueError('"order" must be a list of lists of names, none of them empty')
    known, seen = set(names), set[str]()
    for name in (name for group in groups for name in group):
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{quoted(str(name), 6)} is none of {', '.join(names)}")
        if name in seen:
            raise ValueError(f"{name} stands in it twice")
        seen.add(name)
    if missing := [name for name in names if name not in seen]:
        raise ValueError(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return tuple(tuple(name for name in names if name in group) for group in groups)


ASKS = 2
"""Attempts in total to get an order; a retry says what was wrong with the answer."""


class OrderRanker:
    """Ranks agents by asking a model for the whole order, ties allowed, from the deeds of the last steps.

    Args:
        model: A model that follows instructions.
        rank_by: What agents are ranked by, a ``RankBy``.
        setting: What they live in.

    Raises:
        ValueError: for an unknown criterion.
    """

    draws_order = True

    def __init__(self, model: LanguageModel, *, rank_by: str = RankBy.GOALS, setting: str = SETTING) -> None:
        self.model, self.setting = model, setting
        self.rank_by = check_choice("rank_by", rank_by, RankBy)

    async def rank(self, standings: Sequence[Standing], *, time: int = 0) -> Ranking:
        """Ask for an order; if the answer is invalid, ask once more and say what was wrong.

        Args:
            standings: At least one agent, no two of the same name.
            time: The time step, for the transcript.

        Raises:
            ModelError: if the second answer is invalid, too.
        """
        names = [standing.name for standing in standings]
        whole = asked = prompt(standings, self.rank_by, self.setting)
        caller = Caller(module="matrix", time=time)
        spent, reason = Usage(), ""
        for attempt in range(ASKS):
            answer = await self.model.generate(
                GenerateRequest(
                    prompt=asked,
                    caller=caller,
                    max_tokens=most_tokens(names),
                    temperature=0.0,
                    seed=attempt,
                    schema=schema(names),
                )
            )
            try:
                groups = read(answer.text, names)
            except ValueError as error:
                reason = str(error)
                useless = Attempt(kind="unusable", reason=f"is no order: {reason}", text=answer.text)
                used = replace(answer.usage, attempts=(*answer.usage.attempts, useless))
                spent = replace(total_usage([spent, used]), call=answer.usage.call)
                asked = ask_again(whole, reason)
            else:
                return Ranking(groups=groups, usage=total_usage([spent, answer.usage], asked_again=attempt))
        raise ModelError(f"the model {self.model.name!r} gave no order of everybody: {reason}", usage=spent)
