"""What a decision is made from, once a resident has perceived, remembered and felt."""

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


def as_it_is(observation: Observation) -> Mapping[str, float] | None:
    """What an observation says of the habitus, whatever its topic and resources: as ``Given.disposed``."""
    return observation.habitus


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """What a decision is made from; two moments of a resident differ in nothing else that is removed or replaced here.

    Attributes:
        observation: What is perceived, with topic, resources and habitus under LTRHA.
        present: PI^t.
        retention: Re^t, the oldest first.
        memories: All of long-term memory.
        activated: M(PI^t, Re^t).
        imagination: The present blended with what it called up (Eq. 5), or the present itself.
        emotion: P^t, A^t, D^t.
        driver: d^t.
        causes: What made up P^t.
        lacks: As ``Context.lacks``.
        eliminates: Whether actions are eliminated (Eq. 16).
        eliminated: Whether any action was; taken to be so before the decision has been made.
        eliminated_for: The goal that they are eliminated for; that of the step when None.
        expects: How what is expected of the actions is changed, but for the place to which they lead: not at all; each
            is expected to leave things as they are; or what is expected of one is expected of another, which a seed
            decides.
        draws: Seed of another generator than the resident's; None for its own.
        without: The weight of deliberation by likeness that counts nothing, or its rule that does not hold; none when
            empty.
        goal: What the decision came to want.
        disposed: What the habitus tends to under another topic or with other resources, of which its tree asks
            (section 4.3); what it tends to as it is, where there is no LTRHA.
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
    disposed: Callable[[Observation], Mapping[str, float] | None] = as_it_is


def given_to(
    mind: MindState,
    observation: Observation,
    imagination: Field,
    activated: Sequence[Memory],
    *,
    goal: str,
    eliminates: bool,
    disposed: Callable[[Observation], Mapping[str, float] | None] = as_it_is,
) -> Given:
    """What a mind that has perceived, remembered and felt has before it decides; see ``Given``."""
    past, feelings = mind.past, mind.feelings
    return Given(
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
        disposed=disposed,
    )


def ablated_context(context: Context, given: Given) -> Context:
    """The context of a decision, without the mechanisms that were taken away."""
    mechanisms = replace(context.mechanisms, elimination=context.mechanisms.elimination and given.eliminates)
    return replace(context, lacks=given.lacks, mechanisms=mechanisms)


AS_THEY_ARE = -1
"""As ``Given.expects``: every action is expected to leave things as they are."""


def restored(mind: MindState, given: Given, table: NameTable) -> MindState:
    """A copy of `mind` whose memory, retention and emotion are those of `given`; `mind` is not changed.

    The deliberation is that of the other one; whoever decides by it gives it another.
    """
    feelings = replace(mind.feelings, emotion=given.emotion, driver=given.driver, explanation=dict(given.causes))
    return replace(mind, past=_past(mind.past, given, table), feelings=feelings, imagined=dict(mind.imagined))


def _past(past: Past, given: Given, table: NameTable) -> Past:
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
