"""Rollouts of the valley to learn protention from: what residents had before them, did, expected and then saw.

They belong to no floor below ``resident``: whole residents live in them. Who trains a forecaster needs them, with the
library alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irollan_env.actions import Action, Primitive
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
        observation: What was perceived before it.
        moment: The channel, the imagination and the driver in which it was decided.
        expected: What the geometric rule and memory expected of it; where neither knew, the place and its people.
        following: What was perceived after it.
        field: The field of that.
    """

    observation: Observation
    moment: Moment
    expected: Protention
    following: Observation
    field: Field

    @property
    def action(self) -> str:
        """What was done; a chat without its words."""
        return self.expected.action

    @property
    def unknown(self) -> bool:
        """Whether neither the rule nor memory knew: the third source's case, a place never seen."""
        return self.expected.source == "model"

    @property
    def still(self) -> bool:
        """Whether a forecaster is asked about this action within the place, since the rule moves nothing."""
        chats = Action(self.action).primitive is Primitive.CHAT
        return self.stays and (chats or self.expected.field is self.moment.present)

    @property
    def stays(self) -> bool:
        """Whether it was meant to stay in the place."""
        return self.expected.place == self.observation.place


def spelling_table() -> NameTable:
    """A table for rollouts, whose names are compared by their letters: no weights are needed."""
    return NameTable(HashEmbedder())


def rollout(seed: int, steps: int, names: NameTable) -> Iterator[Transition]:
    """Let the valley's residents live without LTRHA, which would hold actions back, and without words.

    Args:
        seed: Of the world and of everybody in it.
        steps: Time steps.
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
