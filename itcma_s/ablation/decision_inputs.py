"""The inputs of a decision, collected in one object so that an ablation can remove or replace them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from irollan_env.world.observation import Observation
from itcma_s.deliberation.protocol import Context
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past
from itcma_s.mind_state import MindState


def observed_habitus(observation: Observation) -> Mapping[str, float] | None:
    """Return the observation's habitus: the default of ``DecisionInputs.habitus_of``, for runs without LTRHA."""
    return observation.habitus


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionInputs:
    """All inputs of one decision that an ablation can remove or replace.

    Attributes:
        observation: The current observation; under LTRHA with topic, resources and habitus.
        present: PI^t.
        retention: Re^t, oldest first.
        memories: All of long-term memory.
        activated: The activated memories, M(PI^t, Re^t).
        imagination: The present blended with the activated memory (Eq. 5), or the present itself.
        emotion: P^t, A^t, D^t.
        driver: d^t.
        causes: Each event or residue that contributes to P^t -> its value.
        lacks: Names of the terms that the decision ignores, as ``Context.lacks``.
        eliminates: Whether actions are eliminated (Eq. 16).
        eliminated: Whether elimination removed any action; True as long as the decision has not been made.
        eliminated_for: The goal to eliminate actions for; None for the goal of the step.
        expects: How predictions are replaced; the predicted place of an action stays. None for no replacement,
            ``NO_CHANGE`` to predict no change, or the seed of a permutation of the predictions among the actions.
        draws: Seed of the generator that replaces the resident's own; None to keep its own.
        without: Name of the weight of the similarity policy that is set to zero, or of its rule that is switched off;
            empty for none.
        goal: The goal of the step.
        habitus_of: Computes the habitus for an observation with another topic or other resources, which the habitus
            tree branches on (section 4.3); without LTRHA, ``observed_habitus``.
    """

    observation: Observation
    present: Field
    retention: tuple[Frame, ...]
    memories: tuple[Memory, ...]
    activated: tuple[Memory, ...]
    imagination: Field
    emotion: tuple[float, float, float]
    driver: float
    causes: Mapping[str, float]
    eliminates: bool
    lacks: frozenset[str] = frozenset()
    eliminated: bool = True
    eliminated_for: str | None = None
    expects: int | None = None
    draws: int | None = None
    without: str = ""
    goal: str = ""
    habitus_of: Callable[[Observation], Mapping[str, float] | None] = observed_habitus


def decision_inputs_of(
    mind: MindState,
    observation: Observation,
    imagination: Field,
    activated: Sequence[Memory],
    *,
    goal: str,
    eliminates: bool,
    habitus_of: Callable[[Observation], Mapping[str, float] | None] = observed_habitus,
) -> DecisionInputs:
    """Collect the decision inputs of a mind that has perceived, remembered and felt; see ``DecisionInputs``."""
    past, feelings = mind.past, mind.feelings
    return DecisionInputs(
        observation=observation,
        present=past.moment(imagination, feelings.driver).present,
        retention=past.channel.retention,
        memories=tuple(past.memory),
        activated=tuple(activated),
        imagination=imagination,
        emotion=feelings.emotion,
        driver=feelings.driver,
        causes=dict(feelings.explanation),
        eliminates=eliminates,
        goal=goal,
        habitus_of=habitus_of,
    )


def ablated_context(context: Context, given: DecisionInputs) -> Context:
    """Return the context of a decision without the ablated terms and mechanisms."""
    mechanisms = replace(context.mechanisms, elimination=context.mechanisms.elimination and given.eliminates)
    return replace(context, lacks=given.lacks, mechanisms=mechanisms)


NO_CHANGE = -1
"""Value of ``DecisionInputs.expects`` for which every action is predicted to change nothing."""


def restored(mind: MindState, given: DecisionInputs, table: NameTable) -> MindState:
    """Return a copy of `mind` with the memory, retention and emotion of `given`; `mind` is not changed.

    The copy shares the deliberation object of `mind`; give it another one before it decides on its own.
    """
    feelings = replace(mind.feelings, emotion=given.emotion, driver=given.driver, explanation=dict(given.causes))
    return replace(mind, past=_past(mind.past, given, table), feelings=feelings, imagined=dict(mind.imagined))


def _past(past: Past, given: DecisionInputs, table: NameTable) -> Past:
    changed = copy(past)
    now = past.channel.primal_impression
    if now is not None and given.retention != past.channel.retention:
        changed.channel = Channel(past.channel.k)
        for frame in (*given.retention, now):
            changed.channel.push(frame)
    if len(given.memories) != len(past.memory):
        changed.memory = past.empty_memory()
        for memory in given.memories:
            changed.memory.append(memory)
    return changed
