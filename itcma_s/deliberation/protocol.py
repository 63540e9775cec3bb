"""The deliberation protocol: the context of a decision, and its result (section 3.1, figure 1)."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from itcma_s.model_calls import ModelCalls
from itcma_s.parameters import DEFAULTS, Mechanisms, MindParameters
from itcma_s.protention.protention import Protention


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """Everything that the mechanisms of section 3 computed in this time step, as input of a decision.

    Attributes:
        observation: The current observation.
        channel: Retention Re^t and primal impression PI^t (Eq. 6).
        present: The field that protention started from: PI^t.
        imagination: The present blended with the activated memory (Eq. 5), or the present itself.
        activated: The activated memories, M(PI^t, Re^t).
        emotion: P^t, A^t, D^t, each in (-1, 1).
        driver: d^t.
        parameters: The numbers of sections 3.2 to 3.4.
        lacks: Which of "pleasure", "arousal", "dominance" and "driver" the decision ignores, as if they did not
            exist, which differs from being 0.
        causes: Each contribution to P^t -> its signed value, as ``Feelings.explanation``.
        goal: The G of Eq. 16 in this step; empty where there is none.
        protended: The actions that elimination left, at least one, each with its prediction (Eq. 7).
        recent_actions: The resident's own last actions without words, latest last.
        waiting: People whose answer to the resident is pending, and people whose words to it were filtered in this
            step.
        silent: People in `waiting` who were seen to act since, and did not answer.
        familiarity: Known places, people and things.
        memory: Long-term memory.
        table: The names of all fields.
        mechanisms: Which of the paper's improvements the mind has.
        generator: Source of all draws.
        calls: The model calls of this step; every model call is added.
        while_waiting: Schedules background work for the time of a model call. It draws from the same generator, so call
            it only after every draw of the decision.
    """

    observation: Observation
    channel: Channel
    present: Field
    imagination: Field
    activated: Sequence[Memory]
    emotion: tuple[float, float, float]
    driver: float
    causes: Mapping[str, float]
    goal: str
    protended: Sequence[Protention]
    recent_actions: Sequence[str]
    waiting: Container[str]
    familiarity: Familiarity
    memory: LongTermMemory
    table: NameTable
    mechanisms: Mechanisms
    generator: np.random.Generator
    while_waiting: Callable[[], None]
    calls: ModelCalls
    parameters: MindParameters = DEFAULTS
    lacks: frozenset[str] = frozenset()
    silent: Container[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Intention:
    """The result of deliberation: action, thought, words, goal and plan.

    Attributes:
        action: One of the actions that remain, a chat without its words; None to stay for a step.
        words: The words of a chat; else empty.
        thought: The resident's thought.
        goal: Its goal from now on.
        plan: Its next steps in its own words, if any.
        values: The value of each action, in the order of ``Context.protended``; empty without values.
    """

    action: Action | None
    goal: str
    words: str = ""
    thought: str = ""
    plan: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def text(self) -> str | None:
        """The action with its words, which are untrusted; a chat without words is silent."""
        if self.action is not None and self.action.primitive is Primitive.CHAT and self.words:
            return f'chat with {self.action.target}: "{self.words}"'
        return self.action


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """An intention, with the protentions and relevance scores behind it.

    Attributes:
        intention: The chosen action, with thought, words, goal and plan.
        expected: The protention of the action; None for staying.
        protended: The protentions of all actions that remained.
        relevance: Elimination's score of every admissible action; None where nothing was eliminated.
    """

    intention: Intention
    expected: Protention | None
    protended: tuple[Protention, ...]
    relevance: Mapping[Action, float] | None

    @classmethod
    def of(
        cls, intention: Intention, protended: Sequence[Protention], relevance: Mapping[Action, float] | None
    ) -> Decision:
        """Make the decision for an intention.

        Args:
            intention: What the deliberation decided.
            protended: The actions that elimination left, with their predictions.
            relevance: The score of each action (Eq. 16), in [1, 5]; None without elimination.

        Raises:
            ValueError: if its action is not among `protended`.
        """
        if intention.action is None:
            return cls(intention=intention, expected=None, protended=tuple(protended), relevance=relevance)
        for expected in protended:
            if expected.action == intention.action:
                return cls(intention=intention, expected=expected, protended=tuple(protended), relevance=relevance)
        left = [one.action for one in protended]
        raise ValueError(
            f"a deliberation must decide on one of the actions that were left, got {intention.action!r}; left were "
            f"{left}"
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress toward the goal since the last step.

    Attributes:
        reached: The goal, if this step fulfils it; else None.
        nearer: Gain in nearness to what the goal names; negative if it is farther away.
    """

    reached: str | None = None
    nearer: float = 0.0


class Deliberation(Protocol):
    """Forms goals, decides and speaks for a mind: a protocol, which ``make_resident`` takes as ``deliberation``.

    ``evaluation.Deliberation`` is the setting of a run that names the two policies of this package.

    A time step calls ``notice``, ``progress``, ``aim`` and ``decide``, in this order. ``required_actions`` is called
    before elimination, and ``goal`` where a model call failed. Where the resident is filtered before it decides,
    ``goal`` follows ``progress``, and the step ends there, or with ``set_action`` where a person decides in its place.
    """

    def notice(self, observation: Observation, last_action: str | None) -> None:
        """Process the result of the last action, and what was said since.

        Args:
            observation: The current observation.
            last_action: The resident's last action; None in the first step and after a failed one.
        """
        ...

    def progress(self, observation: Observation, familiarity: Familiarity) -> Progress:
        """Return the progress toward the goal since the last call, an input of pleasure and pain (section 3.3).

        A reached goal is reported once, even if no ``aim`` follows.

        Args:
            observation: The current observation.
            familiarity: What is known of places, people and things.
        """
        ...

    async def aim(
        self,
        observation: Observation,
        familiarity: Familiarity,
        driver: float,
        generator: np.random.Generator,
        calls: ModelCalls,
    ) -> str:
        """Return the goal of this step, the G of Eq. 16; empty for none, and then nothing is eliminated.

        Args:
            observation: The current observation.
            familiarity: What is known of places, people and things.
            driver: d^t.
            generator: Source of all draws.
            calls: The model calls of this step; every model call is added.

        Raises:
            ModelError: if a model call fails.
        """
        ...

    def goal(self) -> str:
        """Return the current goal; empty without one."""
        ...

    def required_actions(
        self, goal: str, actions: Sequence[Action], observation: Observation, familiarity: Familiarity
    ) -> Container[str] | None:
        """Return the actions that advance the goal; None if its steps are not known.

        Args:
            goal: The goal of this step.
            actions: The admissible actions.
            observation: The current observation.
            familiarity: What is known of places, people and things.
        """
        ...

    def set_action(self, action: str | None) -> None:
        """Accept an action that a person chose for this resident; None for staying."""
        ...

    async def decide(self, context: Context) -> Intention:
        """Decide what to do, think and say.

        Args:
            context: The inputs of the decision; model calls are added to its ``calls``.

        Raises:
            ModelError: if a model call fails.
        """
        ...

    def get_state(self) -> dict[str, Any]:
        """Return everything needed to resume exactly, as JSON-ready data."""
        ...

    def restored(self, state: Mapping[str, Any]) -> Self:
        """Return a new deliberation with a state from ``get_state``.

        Raises:
            ValueError: if the state is of another kind of deliberation.
            KeyError: if a part is missing.
        """
        ...
