"""A ranking by a model that follows instructions: the whole order in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from language_models.protocol import Attempt, Caller, GenerateRequest, LanguageModel, ModelError, Usage
from language_models.remote.responses import total_usage
from ltrha import order
from ltrha.ranking import Criterion, Ranking, check_criterion
from ltrha.standing import Standing

ASKS = 2
"""How often an order is asked for: again, with what was wrong, where an answer is none."""


class OrderRanker:
    """Asks for the whole order, ties allowed, by the deeds of the last steps.

    Args:
        model: A model that follows instructions.
        criterion: By what agents are ranked; see ``ranking.Criterion``.

    Raises:
        ValueError: for an unknown criterion.
    """

    draws_order = True

    def __init__(self, model: LanguageModel, *, criterion: Criterion = "goals") -> None:
        self.model = model
        self.criterion = check_criterion(criterion)

    async def rank(self, standings: Sequence[Standing], *, time: int = 0) -> Ranking:
        """Ask for an order, and once more, with what was wrong, where the answer is none.

        Args:
            standings: At least one agent, no two of the same name.
            time: The time step, for the transcript.

        Raises:
            ModelError: if that is none either.
        """
        names = [standing.name for standing in standings]
        prompt = asked = order.prompt(standings, self.criterion)
        caller = Caller(module="matrix", time=time)
        spent, reason = Usage(), ""
        for attempt in range(ASKS):
            answer = await self.model.generate(
                GenerateRequest(
                    prompt=asked,
                    caller=caller,
                    max_tokens=order.most_tokens(names),
                    temperature=0.0,
                    seed=attempt,
                    schema=order.schema(names),
                )
            )
            try:
                groups = order.read(answer.text, names)
            except ValueError as error:
                reason = str(error)
                useless = Attempt(kind="unusable", reason=f"is no order: {reason}", text=answer.text)
                used = replace(answer.usage, attempts=(*answer.usage.attempts, useless))
                spent = replace(total_usage([spent, used]), call=answer.usage.call)
                asked = order.ask_again(prompt, reason)
            else:
                return Ranking(groups=groups, usage=total_usage([spent, answer.usage], asked_again=attempt))
        raise ModelError(f"the model {self.model.name!r} gave no order of everybody: {reason}", usage=spent)
