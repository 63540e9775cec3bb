"""Ablation of protention (Eq. 7): predictions can be switched off, or permuted among the actions.

The destination of an action is never ablated: that "go to the canteen" ends in the canteen follows from the words and
is not a forecast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irollan_env.world.observation import Observation
from itcma_s.ablation.decision_inputs import NO_CHANGE
from itcma_s.memory.channel import Moment
from itcma_s.protention.protention import Protention, being_in
from itcma_s.protention.protention_model import ProtentionModel


class Expecting(ProtentionModel):
    """A ``ProtentionModel`` whose predictions can be replaced for an ablation.

    Attributes:
        instead: How to replace the predictions, with the values of ``DecisionInputs.expects``: None for no replacement,
            ``NO_CHANGE`` to predict no change, or the seed of a permutation among the actions.
    """

    instead: int | None = None

    async def protend(self, observation: Observation, *asked: Any, moment: Moment, **more: Any) -> list[Protention]:
        """Predict as ``ProtentionModel.protend`` does, then replace the predictions as ``instead`` says."""
        found = await super().protend(observation, *asked, moment=moment, **more)
        if self.instead is None:
            return found
        if self.instead == NO_CHANGE:
            here, company = observation.place, observation.company
            return [
                one._replace(
                    sentence=f"{being_in(one.place)}.",
                    foresee=lambda: moment.present,
                    imagine=lambda: moment.imagination,
                    company=company if one.place == here else (),
                )
                for one in found
            ]
        order = np.random.default_rng(self.instead).permutation(len(found)).tolist()
        return [found[n]._replace(action=one.action, place=one.place) for one, n in zip(found, order, strict=True)]
