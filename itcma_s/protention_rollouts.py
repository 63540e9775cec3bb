"""Rollouts of the valley as training data for protention: observation, action, prediction and next observation.

They run whole residents, so this module is above ``resident``. Training a forecaster needs only this library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irollan_env.random_streams import stream
from irollan_env.sync_resident import run_sync
from irollan_env.world.observation import Observation
from irollan_env.world.world import World
from itcma_s.factory import make_mind
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.protention.protention import Protention
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel


@dataclass(frozen=True, kw_only=True, slots=True)
class Transition:
    """One executed action of one resident.

    Attributes:
        observation: The observation before the action.
        moment: The channel, the imagination and the driver at the decision.
        expected: The prediction of the geometric rule or of memory; where neither knew, the place and its people.
        following: The observation after the action.
        field: The field of `following`.
    """

    observation: Observation
    moment: Moment
    expected: Protention
    following: Observation
    field: Field

    @property
    def action(self) -> str:
        """The executed action; a chat without its words."""
        return self.expected.action

    @property
    def unknown(self) -> bool:
        """Whether neither rule nor memory had a prediction, as for a place never seen: the forecaster's case."""
        return self.expected.source == "model"

    @property
    def stays(self) -> bool:
        """Whether the action was predicted to stay in the place."""
        return self.expected.place == self.observation.place


def spelling_table() -> NameTable:
    """Return a name table for rollouts that compares names by their letters and needs no model weights."""
    return NameTable(HashEmbedder())


def rollout(seed: int, steps: int, names: NameTable) -> Iterator[Transition]:
    """Run the valley's residents without LTRHA, which would filter actions, and without words; yield transitions.

    Args:
        seed: Seed of the world and of all residents.
        steps: Number of time steps.
        names: From ``spelling_table``; the same one for all rollouts that are used together.
    """
    world = World(seed=stream(seed, "world"))
    model, embedder = ScriptedModel(), HashEmbedder()
    residents = {
        name: make_mind(
            name,
            model=model,
            embedder=embedder,
            table=names,
            generator=stream(seed, f"resident {name}"),
            writes=False,
        )
        for name in world.residents
    }
    observations = {name: world.observe(name) for name in residents}
    for _ in range(steps):
        acts = {name: run_sync(mind.act(observations[name])) for name, mind in residents.items()}
        world.step({name: act.action for name, act in acts.items()})
        following = {name: world.observe(name) for name in residents}
        for name, mind in residents.items():
            if mind.predicted is not None and following[name].outcome == "executed":
                moment, expected = mind.predicted
                yield Transition(
                    observation=observations[name],
                    moment=moment,
                    expected=expected,
                    following=following[name],
                    field=Field.from_percepts(following[name].percepts, names),
                )
        observations = following
