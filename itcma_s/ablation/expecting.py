"""Protention (Eq. 7) that can be taken away, or dealt out among the actions anew.

To which place an action leads is no forecast: that going to the canteen ends in the canteen is what the words mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irollan_env.world.observation import Observation
from itcma_s.ablation.given import AS_THEY_ARE
from itcma_s.memory.channel import Moment
from itcma_s.protention.protention import Protention, being_in
from itcma_s.protention.protention_model import ProtentionModel


class Expecting(ProtentionModel):
    """Expects what follows each action, or what it is told to expect in its place.

    Attributes:
        instead: As ``Given.expects``.
    """

    instead: int | None = None

    async def protend(self, observation: Observation, *asked: Any, moment: Moment, **more: Any) -> list[Protention]:
        """See ``ProtentionModel.protend``."""
        found = await super().protend(observation, *asked, moment=moment, **more)
        if self.instead is None:
            return found
        if self.instead == AS_THEY_ARE:
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
