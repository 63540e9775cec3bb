"""What standing decides, and the draws by which actions are held back (section 4.2.1)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from irollan_env.hints import check_choice


class ResourceMode(StrEnum):
    """Choose what stands for S_i in Eq. 18."""

    AMOUNT = "amount"
    """A resident's amount of resources, as the equation is printed; it may become negative."""
    SHARE = "share"
    """Its share of all resources, as the sentence below the equation says."""
    NO_DEBT = "no-debt"
    """Its amount, of which the matrix takes no more than there is: section 4.2.2 removes "existing resources"."""


class StandingDecides(StrEnum):
    """Choose what more resources are good for (section 4.2.1)."""

    EXECUTION = "execution"
    """The probability that an action is executed, as Eq. 18 says."""
    TURNS = "turns"
    """Who acts first in a step, and so is heard first and gets what only one can have; everybody may act."""
    BOTH = "both"
    """Both of them."""


class Draws(StrEnum):
    """Choose how the draws of Eq. 18 of one resident hang together."""

    INDEPENDENT = "independent"
    """Not at all."""
    AT_MOST_TWICE = "at-most-twice"
    """An action is executed after two that were not, whatever is drawn; fewer are held back than the rate says."""
    EVEN = "even"
    """They are spread evenly: at a rate of 3/4 every fourth action is held back, and two in a row never are."""


class Drawing:
    """Draws whose action is held back, step by step.

    Args:
        generator: Source of the draws.
        draws: How the draws of one agent hang together.

    Attributes:
        counts: What an agent's next draw depends on: how many of its actions were held back in a row, or what part of
            an action is due to be held back.

    Raises:
        ValueError: for an unknown choice.
    """

    def __init__(self, generator: np.random.Generator, draws: str = Draws.INDEPENDENT) -> None:
        self.draws = check_choice("draws", draws, Draws)
        self.counts: dict[str, float] = {}
        self.generator = generator

    def holds_back(self, name: str, rate: float) -> bool:
        """Draw whether an agent's action is held back.

        Args:
            name: The agent.
            rate: Probability that its action is executed, in [0, 1].
        """
        if self.draws is Draws.EVEN:
            # Systematic sampling: with a uniform start, each draw alone has the probability 1 - rate.
            due = self.counts.get(name)
            due = (float(self.generator.random()) if due is None else due) + 1.0 - rate
            self.counts[name] = due % 1.0
            return due >= 1.0
        held = bool(self.generator.random() >= rate)
        if self.draws is Draws.AT_MOST_TWICE:
            held = held and self.counts.get(name, 0.0) < 2
            self.counts[name] = self.counts.get(name, 0.0) + 1 if held else 0.0
        return held

    def take_over(self, draws: Draws) -> None:
        """Go on with other draws; what was counted for the old ones is forgotten."""
        if draws is not self.draws:
            self.draws, self.counts = draws, {}
