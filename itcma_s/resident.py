"""One ITCMA-S resident: the time step that combines the mechanisms of section 3."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from irollan_env.actions import Action
from irollan_env.resident import Act
from irollan_env.world.mechanics.needs import CommonKnowledge
from irollan_env.world.mechanics.trade import KnownTrade
from irollan_env.world.observation import Observation
from itcma_s.deliberation.easing import keeps
from itcma_s.deliberation.protocol import Context, Decision, Deliberation
from itcma_s.elimination.action_space import reduce_action_space
from itcma_s.elimination.elimination import Scorer
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import difference, differences
from itcma_s.memory.channel import Moment
from itcma_s.memory.familiarity import ACQUAINTED, Familiarity
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past
from itcma_s.mind_state import MindState, check_compatible, compatibility, describe_mind
from itcma_s.model_calls import ModelCalls
from itcma_s.parameters import DEFAULTS, Mechanisms, MindParameters
from itcma_s.protention.protention import Protention, names_of
from itcma_s.protention.protention_model import ProtentionModel
from itcma_s.wording import last_heard
from language_models.protocol import ModelError


class ItcmaResident:
    """An ITCMA-S mind; it starts without a goal, without knowledge of the valley, and by default without memories.

    Attributes:
        name: The resident's designation.
        mechanisms: The paper's improvements that are in use.
        parameters: The parameters of sections 3.2 to 3.4.
    """

    def __init__(
        self,
        name: str,
        *,
        deliberation: Deliberation,
        protention_model: ProtentionModel,
        scorer: Scorer,
        table: NameTable,
        generator: np.random.Generator,
        mechanisms: Mechanisms | None = None,
        parameters: MindParameters = DEFAULTS,
        in_turn: bool = False,
        memories: Sequence[Memory] = (),
        acquainted: Collection[str] = (),
        needs: CommonKnowledge | None = None,
        residents: Iterable[str] = (),
    ) -> None:
        """Create the resident.

        Args:
            name: The resident's designation.
            deliberation: Forms goals, decides and speaks.
            protention_model: Predicts what follows each action.
            scorer: Elim of Eq. 16.
            table: The embeddings of names; may be shared by a society.
            generator: Source of all its random draws; part of its state.
            mechanisms: The paper's improvements to use; all of them by default.
            parameters: The parameters of sections 3.2 to 3.4.
            in_turn: Whether residents in a place act one after the other within a step.
            memories: Memories from before the run (``itcma_s.memory.memory.formative_memories``).
            acquainted: People that it knows from before the run, and does not meet for the first time.
            needs: What all who live on the map know of their needs; None for nothing.
            residents: Names of all who live here, by which it tells people from places.

        Raises:
            ValueError: for an empty name.
        """
        if not name.strip():
            raise ValueError(f"a resident needs a name, got {name!r}")
        self.name = name
        self.mechanisms = mechanisms if mechanisms is not None else Mechanisms()
        self.parameters = parameters
        self._protention_model = protention_model
        self._scorer = scorer
        self._table = table
        self._generator = generator
        self._in_turn = in_turn
        past = Past(table, generator, parameters=self.parameters, compressed=self.mechanisms.compressed_memory)
        for memory in memories:
            past.memory.append(memory)
        trade = KnownTrade() if needs is None else needs.trade.get(name, KnownTrade())
        known = Familiarity(
            people=dict.fromkeys(acquainted, ACQUAINTED),
            residents=frozenset(residents),
            eases={} if needs is None else {need: dict(known) for need, known in needs.eases.items()},
            grows={} if needs is None else dict(needs.grows),
            prices={what: dict(places) for what, places in trade.prices.items()},
            money=trade.money,
            chests=trade.chests,
            work=trade.work,
        )
        self._mind = MindState(deliberation=deliberation, past=past, familiarity=known)
        self._predicted: tuple[Moment, Protention] | None = None

    async def act(self, observation: Observation) -> Act:
        """Run one time step (figure 1): perceive, remember, feel, form a goal, eliminate, predict, decide.

        If a model call fails, the resident waits and the act reports the failure. If the resident is filtered before it
        decides, so that no action is admissible, it perceives, remembers and feels, calls no model, and returns None as
        its action.

        Raises:
            ValueError: for a step that is not later than the last one.
        """
        mind = self._mind
        last = mind.past.channel.primal_impression
        if last is not None and observation.time <= last.time:
            raise ValueError(
                f"{self.name} has already decided step {last.time}, got an observation of step {observation.time}; "
                "make a new resident for each episode, or set_state to what get_state gave before the first step"
            )
        # Before the first await, so that the ids of names do not depend on response times.
        self._table.ids(names_of(observation))
        field = Field.from_percepts(observation.percepts, self._table)  # Eq. 1, 2
        mind.finish_last_step(observation)
        new = self.learn(observation)
        emotion = self._feel(observation, field, new)  # Eq. 10-15
        mind.past.remember(observation, field, emotion)  # Eq. 8, 9
        activated, imagination = mind.past.imagine(field)  # M of section 3.2; Eq. 5
        calls = ModelCalls(self.name, observation.time)
        state: dict[str, Any] = {
            "pleasure": emotion[0],
            "arousal": emotion[1],
            "dominance": emotion[2],
            "driver": mind.feelings.driver,
            "memories": tuple(memory.id for memory in activated),
            "imagination": None if imagination is field else imagination.named_rows(self._table),
            "explanation": mind.feelings.explanation,
        }
        if not observation.admissible:
            mind.do_nothing()
            self._predicted = None
            return Act(action=None, goal=mind.deliberation.goal(), **state)
        try:
            goal = await self.want(observation, calls)
            decision = await self.decide(observation, imagination, goal, calls, activated)
        except ModelError as error:
            mind.do_nothing()
            calls.add(error.call)
            goal = mind.deliberation.goal()
            return Act(action=None, goal=goal, failure=str(error), calls=calls.made, **state)
        intention = decision.intention
        # For staying, the prediction is the present itself.
        mind.begin(intention.text, decision.expected.field if decision.expected is not None else field)
        moment = mind.past.moment(imagination, mind.feelings.driver)
        self._predicted = (moment, decision.expected) if decision.expected is not None else None
        return Act(
            action=None if intention.text is None else Action.parse(intention.text),
            thought=intention.thought,
            goal=intention.goal,
            plan=intention.plan,
            relevance=None if decision.relevance is None else dict(decision.relevance.items()),
            protention={p.action: p.sentence for p in decision.protended},
            calls=calls.made,
            **state,
        )

    def set_action(self, action: str | None) -> None:
        """Accept an action that a person chose for this resident, without a prediction of its outcome."""
        self._mind.deliberation.set_action(action)
        self._mind.begin(action, None)

    def learn(self, observation: Observation) -> Mapping[str, tuple[str, ...]]:
        """Learn which places, people and things there are; return the new names by sort."""
        return self._mind.familiarity.learn(observation)

    def _feel(
        self, observation: Observation, field: Field, new: Mapping[str, tuple[str, ...]]
    ) -> tuple[float, float, float]:
        """Compute pleasure, arousal and dominance (Eq. 10-12) and update the driver (Eq. 13-15)."""
        progress = self._mind.deliberation.progress(observation, self._mind.familiarity)
        last_action = self._mind.last_action
        done = Action(last_action) if last_action is not None else None
        self._mind.events.appraise(
            observation,
            new,
            self._mind.familiarity.people,
            nearer=progress.nearer,
            last_action=last_action,
            reached=progress.reached,
            weights=self.parameters.appraisal,
            in_turn=self._in_turn,
            needs=self._mind.familiarity.feel(observation, done),
        )
        weights, expected = self.parameters.field_weights, self._mind.expected
        return self._mind.feelings.feel(
            self._mind.events.terms,
            differences(field, self._mind.past.retained(), self._table, weights),
            difference(field, expected, self._table, weights) if expected is not None else None,
            weights=self.parameters.appraisal,
            driver_weights=self.parameters.driver_weights,
            as_itcma=not self.mechanisms.driver,
        )

    async def want(self, observation: Observation, calls: ModelCalls) -> str:
        """Return the goal of this step, from ``Deliberation.aim``."""
        mind = self._mind
        return await mind.deliberation.aim(observation, mind.familiarity, mind.feelings.driver, self._generator, calls)

    async def decide(
        self,
        observation: Observation,
        imagination: Field,
        goal: str,
        calls: ModelCalls,
        activated: Sequence[Memory] = (),
    ) -> Decision:
        """Eliminate actions, predict the outcomes of the rest, and deliberate (sections 3.1 and 3.4).

        Args:
            observation: The current observation.
            imagination: The present, or its blend with the activated memory (Eq. 5).
            goal: The goal of this step.
            calls: The model calls of this step.
            activated: The activated memories.

        Raises:
            ModelError: if a model call fails.
        """
        actions: Sequence[Action] = observation.admissible
        relevance: Mapping[Action, float] | None = None
        if self.mechanisms.elimination and goal:
            actions, relevance = await self._eliminate(observation, goal, calls)  # Eq. 16
        moment = self._mind.past.moment(imagination, self._mind.feelings.driver)  # Eq. 6
        protended = await self._protention_model.protend(  # Eq. 7
            observation,
            actions,
            self._mind.past.last_fields(),
            self._mind.past.memory,
            self._mind.past.views,
            self._mind.familiarity,
            self._mind.imagined,
            moment=moment,
            calls=calls,
        )
        context = Context(
            observation=observation,
            channel=self._mind.past.channel,
            present=moment.present,
            imagination=imagination,
            activated=activated,
            emotion=self._mind.feelings.emotion,
            driver=self._mind.feelings.driver,
            parameters=self.parameters,
            causes=self._mind.feelings.explanation,
            goal=goal,
            protended=protended,
            recent_actions=self._mind.recent_actions,
            waiting=self._mind.events.awaited(observation),
            silent=self._mind.events.silent(observation) if self._in_turn else frozenset(),
            familiarity=self._mind.familiarity,
            memory=self._mind.past.memory,
            table=self._table,
            mechanisms=self.mechanisms,
            generator=self._generator,
            while_waiting=self._compress_soon,
            calls=calls,
        )
        intention = await self._mind.deliberation.decide(self._decision_context(context))  # figure 1: to the model
        return Decision.of(intention, protended, relevance)

    def _decision_context(self, context: Context) -> Context:
        """Return the context that deliberation decides from; subclasses may ablate parts of it."""
        return context

    async def _eliminate(
        self, observation: Observation, goal: str, calls: ModelCalls
    ) -> tuple[Sequence[Action], Mapping[Action, float] | None]:
        """Return the actions that remain (Eq. 16), and every action's score for the goal or for what was just said.

        Without an answer of the model that scores, all remain, and there are no scores.
        """
        actions = observation.admissible
        scores = await self._scorer.score(goal, actions, calls)
        if scores is None:
            return actions, None
        relevance: Mapping[Action, float] = scores
        heard = last_heard(observation)
        answering = None if heard is None else await self._scorer.score(heard, actions, calls)
        if answering is not None:
            relevance = {action: max(score, answering[action]) for action, score in relevance.items()}
        left = reduce_action_space(
            relevance,
            self.parameters.elimination_threshold,
            goal=goal,
            observation=observation,
            familiarity=self._mind.familiarity,
            recent_actions=self._mind.recent_actions,
            needed=self._mind.deliberation.required_actions(goal, list(relevance), observation, self._mind.familiarity),
            eases=keeps(relevance, observation, self._mind.familiarity),
        )
        return left, relevance

    def _compress_soon(self) -> None:
        """Schedule the compression of memory, if it is due, for the next await."""
        asyncio.get_running_loop().call_soon(self._mind.past.compress)

    @property
    def predicted(self) -> tuple[Moment, Protention] | None:
        """Moment and protention of the last decision; not part of the saved state."""
        return self._predicted

    def answer(self) -> list[str]:
        """Describe the resident's memories, knowledge, feeling and goal in words."""
        return describe_mind(self.name, self._mind, self._table)

    def remember(self, memory: Memory) -> None:
        """Add a memory from before the run."""
        self._mind.past.memory.append(memory)

    def forget(self, text: str) -> int:
        """Lose all memories whose words, actions, place or objects mention a text; return how many."""
        return self._mind.past.forget(text)

    def get_state(self) -> dict[str, Any]:
        """Return everything needed to resume exactly, as JSON-ready data, without the shared name table."""
        return {
            **compatibility(self.name, self.mechanisms, self._table),
            **self._mind.get_state(),
            "scorer": self._scorer.get_state(),
            "generator": self._generator.bit_generator.state,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``; an invalid state changes nothing.

        Restore the name table first; it may have more names than when the mind was saved.

        Raises:
            ValueError: if version, name, mechanisms, retention, deliberation or name table differ from the saved
                ones, or parts are missing or damaged.
        """
        try:
            check_compatible(state, self.name, self.mechanisms, self._table)
            restored = self._mind.restored(state)
            deepcopy(self._generator).bit_generator.state = state["generator"]  # whether it fits
            self._scorer.set_state(state["scorer"])
        except KeyError as error:
            raise ValueError(f"the saved mind of {self.name!r} has no {error.args[0]!r}") from None
        except (TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"the saved mind of {self.name!r} is damaged: {error}") from error
        self._mind = restored
        self._protention_model.know(restored.imagined)
        self._generator.bit_generator.state = state["generator"]
