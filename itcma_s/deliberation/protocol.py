"""The deliberation protocol: what a mind knows before it decides, and its decision (section 3.1, figure 1)."""

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
        observation: What is perceived now.
        channel: Retention Re^t and primal impression PI^t (Eq. 6).
        present: The field that protention started from: PI^t.
        imagination: The present blended with what it called up (Eq. 5), or the present itself.
        activated: M(PI^t, Re^t): the memories that were called up.
        emotion: P^t, A^t, D^t, each in (-1, 1).
        driver: d^t.
        parameters: The numbers of sections 3.2 to 3.4.
        lacks: Which of "pleasure", "arousal", "dominance" and "driver" the decision is made without: as if they did not
            exist, which is another thing than that they are 0.
        causes: Each event that made up P^t -> what it was worth, signed, as ``Feelings.explanation``.
        goal: The G of Eq. 16 in this step; empty where there is none.
        protended: The actions that elimination left, at least one, each with what is expected of it (Eq. 7).
        recent_actions: The resident's own last actions without words, latest last.
        waiting: Those whom the resident has spoken to, and who have not answered yet, and those who wanted to speak to
            it in this step and were held back.
        silent: Those of them who were seen to do something since, and did not answer.
        familiarity: What is known of places, people and things.
        memory: Long-term memory.
        table: The names of all fields.
        mechanisms: Which of the paper's improvements the mind has.
        generator: Source of all draws.
        calls: The model calls of this step; whoever asks a model adds its call.
        while_waiting: Schedules what can be done while a model is waited for. It draws from the same generator, so
            that it is called once every draw of the decision is made.
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
        action: One of the actions that were left, a chat without its words; None to stay as one is for a step.
        words: What is said, where the action is a chat.
        thought: What the resident thinks.
        goal: What it wants, from now on.
        plan: Its next steps in its own words, where it says any.
        values: How well each action was valued, in the order of ``Context.protended``; empty where they were not.
    """

    action: Action | None
    goal: str
    words: str = ""
    thought: str = ""
    plan: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def text(self) -> str | None:
        """The action with its words, which are untrusted; a chat that has none is a silence."""
        if self.action is not None and self.action.primitive is Primitive.CHAT and self.words:
            return f'chat with {self.action.target}: "{self.words}"'
        return self.action


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """An intention, with the protentions and relevance scores behind it.

    Attributes:
        intention: What the resident is going to do, think and say.
        expected: The protention of its action; None where it stays as it is.
        protended: The protentions of all actions that were left.
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
        """The decision that an intention is.

        Raises:
            ValueError: if its action is none of those that were left.
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
        reached: The goal, where this step fulfils it; None otherwise.
        nearer: By how much what the goal names has come nearer; below 0 it is farther away.
    """

    reached: str | None = None
    nearer: float = 0.0


class Deliberation(Protocol):
    """Forms goals, decides and speaks for a mind.

    A time step calls ``notice``, ``progress``, ``aim`` and ``decide``, in this order. ``required_actions`` is called
    before elimination, and ``goal`` where a model call failed. Where the resident is filtered before it decides,
    ``goal`` follows ``progress``, and the step ends there, or with ``set_action`` where a person decides in its place.
    """

    def notice(self, observation: Observation, last_action: str | None) -> None:
        """Take in what came of the last action, and what was said since.

        Args:
            observation: What is perceived now.
            last_action: What the resident did; None in the first step and after a failed one.
        """
        ...

    def progress(self, observation: Observation, familiarity: Familiarity) -> Progress:
        """How the goal fares since this was asked last, which pleasure and pain are felt about (section 3.3).

        A goal that is reached is told once, also where no ``aim`` follows.
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
        """The goal of this step, the G of Eq. 16; empty where there is none, and then nothing is eliminated.

        Args:
            observation: What is perceived now.
            familiarity: What is known of places, people and things.
            driver: d^t.
            generator: Source of all draws.
            calls: The model calls of this step; whoever asks a model adds its call.

        Raises:
            ModelError: if a model call fails.
        """
        ...

    def goal(self) -> str:
        """The goal that the resident has now; empty where it has none."""
        ...

    def required_actions(
        self, goal: str, actions: Sequence[Action], observation: Observation, familiarity: Familiarity
    ) -> Container[str] | None:
        """Those of the actions that bring the goal on; None where it is not known step by step."""
        ...

    def set_action(self, action: str | None) -> None:
        """Take what somebody else decided in this step for its own act; None for staying."""
        ...

    async def decide(self, context: Context) -> Intention:
        """What to do, think and say.

        Args:
            context: What the mind has before it decides; the calls of models are added to its ``calls``.

        Raises:
            ModelError: if a model call fails.
        """
        ...

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, as JSON-ready data."""
        ...

    def restored(self, state: Mapping[str, Any]) -> Self:
        """Another one that goes on from what ``get_state`` gave.

        Raises:
            ValueError: if the state is of another kind of deliberation.
            KeyError: if a part is missing.
        """
        ...
