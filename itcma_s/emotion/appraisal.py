"""Appraisal of a step: desire and pain, term by term (section 3.3; the paper leaves them open)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from itcma_s.checks import added
from itcma_s.emotion.emotion import leak


@dataclass(frozen=True, kw_only=True, slots=True)
class AppraisalWeights:
    """Contribution of each event to desire, or to pain where marked; finite numbers >= 0, in the units of Eq. 10.

    Attributes:
        new_place: A place entered for the first time.
        new_person: A person met for the first time.
        new_thing: A thing seen for the first time; per step at most `new_things`.
        new_things: Upper bound of the above in one step.
        spoken_to: Being spoken to.
        answered: An answer to one's own words, on top of the above.
        given: Being handed something.
        reached: A goal reached.
        nearer: Progress on the goal, for one unit of nearness.
        resource: One resource gained, or, as pain, lost.
        filtered: Pain: an action that LTRHA did not let pass.
        refused: Pain: an action that the world refused.
        ignored: Pain: words that were not answered by somebody who is still there.
        need: Pain: a need that rises, for its level of 1.
        eased: A need that falls by 1.
        desire_decay: What is left of desire after a step, in [0, 1].
        pain_decay: What is left of pain after a step, in [0, 1].
    """

    new_place: float = 0.4
    new_person: float = 0.5
    new_thing: float = 0.03
    new_things: float = 0.3
    spoken_to: float = 0.15
    answered: float = 0.25
    given: float = 0.4
    reached: float = 0.6
    nearer: float = 0.3
    resource: float = 0.1
    filtered: float = 0.4
    refused: float = 0.4
    ignored: float = 0.25
    need: float = 0.3
    eased: float = 1.0
    desire_decay: float = 0.8
    pain_decay: float = 0.7

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (0 <= value < math.inf and (value <= 1 or not name.endswith("_decay"))):
                raise ValueError(f"{name} must be finite and at least 0, and a decay at most 1, got {value!r}")


def feel(desire: float, pain: float, terms: Mapping[str, float], weights: AppraisalWeights) -> tuple[float, float]:
    """Return the levels of desire and pain after a step.

    Args:
        desire: Level before, >= 0.
        pain: Level before, >= 0.
        terms: Event -> its value: positive terms add to desire, negative ones to pain.
        weights: The decays.

    Returns:
        Desire and pain, each >= 0.

    Departs from the paper: both levels leak. Without that, pleasure stays at tanh of an ever growing sum: the paper's
    own logs show 0.9998 for nearly everybody.
    """
    gain = added(value for value in terms.values() if value > 0)
    loss = -added(value for value in terms.values() if value < 0)
    return leak(desire, gain, weights.desire_decay), leak(pain, loss, weights.pain_decay)


def explained(desire: float, pain: float, terms: Mapping[str, float], weights: AppraisalWeights) -> dict[str, float]:
    """Return all contributions to a step's desire and pain: events, and the residues of earlier steps.

    The positive values add up to desire and the negative ones to pain, so that the step's pleasure (Eq. 10) is tanh of
    the one sum less tanh of the other.

    Args:
        desire: Level before the step, >= 0.
        pain: Level before the step, >= 0.
        terms: Event -> its value.
        weights: The decays.

    Returns:
        Term -> value, without those that are 0.
    """
    left = {"earlier joys": weights.desire_decay * desire, "earlier pains": -weights.pain_decay * pain}
    return {**terms, **{term: value for term, value in left.items() if value}}
