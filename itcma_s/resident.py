"""One ITCMA-S resident: the mechanisms of section 3, put together into one time step."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from irollan_env.world.primitives import Chat, chat_with, parse
from itcma_s.deliberation.by_likeness.answers import answers
from itcma_s.deliberation.by_likeness.decision import choose_by_protention, decide, key, urges
from itcma_s.deliberation.by_likeness.decision_weights import LARGE_MODEL, DecisionWeights
from itcma_s.deliberation.by_likeness.goals import Goal, fixed, form
from itcma_s.deliberation.by_likeness.pursuit import called_for, compared, last_heard, nearness, pursuit
from itcma_s.deliberation.by_likeness.story_page import Situation
from itcma_s.deliberation.by_likeness.writing import Style, write
from itcma_s.deliberation.channel_in_words import blended, juxtaposed, protentions_in_words
from itcma_s.elimination.action_space import reduced
from itcma_s.elimination.elimination import THRESHOLD, EmbeddingScorer, Scorer
from itcma_s.emotion.appraisal import Worth
from itcma_s.emotion.driver import DriverWeights
from itcma_s.emotion.events import Events
from itcma_s.emotion.feelings import Feelings, in_words
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field, difference, differences
from itcma_s.mechanisms import Mechanisms
from itcma_s.memory.familiarity import Familiarity, speaks_of
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past, recollection
from itcma_s.protention.forecasting import Forecaster, Moment
from itcma_s.protention.protention import Protender, Protention, names_of
from itcma_s.wording import meant, of_its_own, within
from language_models.prefetching import prefetch
from language_models.protocol import Caller, Embedder, LanguageModel, ModelError

VERSION = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """An action, and what led to it.

    Attributes:
        action: The action; a chat still without its words.
        expected: Its protention.
        protended: The protentions of all actions that were left.
        values: How well each of these was valued; none where the model chose among all of them by protention.
        relevance: Elimination's score of every admissible action; None without elimination.
    """

    action: str
    expected: Protention
    protended: tuple[Protention, ...]
    values: tuple[float, ...]
    relevance: Mapping[str, float] | None


LATELY = 6
"""How many of its own last actions and lines a resident keeps in view."""


class ItcmaResident:
    """A mind that begins empty: no identity, no goal, no knowledge of the valley.

    Attributes:
        name: Its designation.
        mechanisms: Which of the paper's improvements it has.
    """

    def __init__(
        self,
        name: str,
        *,
        model: LanguageModel,
        table: NameTable,
        embedder: Embedder,
        generator: np.random.Generator,
        mechanisms: Mechanisms | None = None,
        style: Style = "page",
        vocabulary: frozenset[str] | None = None,
        place_style: Style | None = None,
        place_vocabulary: frozenset[str] | None = None,
        scorer: Scorer | None = None,
        threshold: float = THRESHOLD,
        worth: Worth | None = None,
        decision_weights: DecisionWeights | None = None,
        driver_weights: DriverWeights | None = None,
        retention: int = 4,
        writes: bool = True,
        forecaster: Forecaster | None = None,
    ) -> None:
        """Be born.

        Args:
            name: Its designation.
            model: Writes, chooses, and imagines places never seen.
            table: The embeddings of names; may be shared by a society.
            embedder: Embeds sentences.
            generator: Source of all its draws; part of its state.
            mechanisms: All of them by default.
            style: How the model is asked to write: "page" for small models, "instruct" for large ones.
            vocabulary: Words that pages are made of; None for any.
            place_style: How it is asked to imagine places never seen; None for the style of writing.
            place_vocabulary: Words that places never seen are imagined in; None for any.
            scorer: Elim of Eq. 16; sentence embeddings by default.
            threshold: Of elimination, in [1, 5].
            worth: What events add to desire and pain.
            decision_weights: What counts how much in a decision; the model is asked in style "instruct" only.
            driver_weights: omega_P, omega_A, omega_D of Eq. 13.
            retention: Length k of retention in frames.
            writes: False leaves out thoughts and words, which come after the decision: a chat is then a silence.
            forecaster: Says what there is in places never seen, in place of the model; None for the model.

        Raises:
            ValueError: for an empty name or a threshold outside [1, 5].
        """
        if not name.strip():
            raise ValueError(f"a resident needs a name, got {name!r}")
        if not 1.0 <= threshold <= 5.0:
            raise ValueError(f"threshold must lie in [1, 5], got {threshold!r}")
        self.name = name
        self.mechanisms = mechanisms if mechanisms is not None else Mechanisms()
        self._model = model
        self._table = table
        self._embedder = embedder
        self._generator = generator
        self._style: Style = style
        self._vocabulary = vocabulary
        self._scorer: Scorer = scorer if scorer is not None else EmbeddingScorer(embedder)
        self._threshold = threshold
        self._worth = worth if worth is not None else Worth()
        default = DecisionWeights() if style == "page" else LARGE_MODEL
        self._weights = decision_weights if decision_weights is not None else default
        self._driver_weights = driver_weights if driver_weights is not None else DriverWeights()
        self._protender = Protender(
            table, model, place_vocabulary, style if place_style is None else place_style, forecaster
        )
        self._foreseen: tuple[Moment, Protention] | None = None
        self._writes = writes
        self._past = Past(table, generator, retention=retention, compressed=self.mechanisms.compressed_memory)
        self._feelings = Feelings()
        self._familiarity = Familiarity()
        self._events = Events()
        self._goal: Goal | None = None
        self._past_goals: list[str] = []
        self._imagined: dict[str, str] = {}
        self._lately: list[str] = []
        self._said: list[tuple[str, str]] = []
        self._expected: Field | None = None
        self._last_action: str | None = None
        self._near = 0.0

    async def act(self, observation: Observation) -> Act:
        """One time step (figure 1): perceive, remember, feel, want, eliminate, expect, decide, write.

        A model call that fails makes the step a failed one: the resident waits, and says why.
        """
        # Before anything is waited for, so that the ids of names do not depend on who waits how long.
        self._table.ids(names_of(observation))
        field = Field.from_percepts(observation.percepts, self._table)
        self._finish_last_step(observation)
        new = self.learn(observation)
        emotion = self._feel(observation, field, new)
        self._past.remember(observation, field, emotion)
        activated, imagination = self._past.imagine(field)
        calls: list[int] = []
        state: dict[str, Any] = {
            "pleasure": emotion[0],
            "arousal": emotion[1],
            "dominance": emotion[2],
            "driver": self._feelings.driver,
            "memories": tuple(memory.id for memory in activated),
            "explanation": self._feelings.explanation,
        }
        try:
            goal = await self._want(observation)
            self._near = nearness(goal.text, observation, self._familiarity)
            decision = await self.consider(observation, imagination, goal.text, calls, activated)
            action, thought = await self._write(observation, imagination, goal, decision, activated, calls)
        except ModelError as error:
            self._expected, self._last_action = None, None
            calls.append(error.call)
            wanted = self._goal.text if self._goal is not None else ""
            return Act(action=None, goal=wanted, failure=str(error), calls=_recorded(calls), **state)
        self._expected, self._last_action = decision.expected.field, action
        self._foreseen = self._past.moment(imagination, self._feelings.driver), decision.expected
        self._lately = [*self._lately, key(action)][-LATELY:]
        return Act(
            action=action,
            thought=thought,
            goal=goal.text,
            relevance=decision.relevance,
            protention={p.action: p.sentence for p in decision.protended},
            calls=_recorded(calls),
            **state,
        )

    def _finish_last_step(self, observation: Observation) -> None:
        """Write what came of the last action into the frame it was taken in, and into the goal it served."""
        if self._last_action is not None:
            took_place = observation.outcome == "executed"
            line = _own_line(self.name, self._last_action) if took_place else ()
            self._past.finish(self._last_action, observation.result, line)
            if took_place:
                if isinstance(chat := parse(self._last_action), Chat):
                    self._said.append((chat.person, self._meant(self._last_action)))
                if self._goal is not None:
                    self._goal.note(self._last_action, observation.place)
            else:
                # What was expected was expected of an action that was not taken.
                self._expected = None
                if observation.outcome == "filtered":
                    # It may be tried again as if for the first time.
                    self._lately = self._lately[:-1]
        heard = ((message.sender, meant(message)) for message in observation.messages)
        self._said = [*self._said, *heard][-LATELY:]

    def _feel(
        self, observation: Observation, field: Field, new: Mapping[str, tuple[str, ...]]
    ) -> tuple[float, float, float]:
        """Pleasure, arousal and dominance (Eq. 10-12), and the driver (Eq. 13-15)."""
        reached = self._goal is not None and self._goal.reached(observation)
        near = nearness(self._goal.text, observation, self._familiarity) if self._goal is not None else 0.0
        self._events.appraise(
            observation,
            new,
            self._familiarity,
            nearer=near - self._near if self._goal is not None else 0.0,
            last_action=self._last_action,
            reached=self._goal.text if self._goal is not None and reached else None,
            worth=self._worth,
        )
        return self._feelings.feel(
            self._events.terms,
            differences(field, self._past.retained(), self._table),
            difference(field, self._expected, self._table) if self._expected is not None else None,
            worth=self._worth,
            weights=self._driver_weights,
            as_itcma=not self.mechanisms.driver,
        )

    async def _want(self, observation: Observation) -> Goal:
        """The goal of this step: the old one while it holds, one set from outside, or one newly formed."""
        if observation.goal is not None:
            if self._goal is None or self._goal.text != observation.goal:
                self._goal = fixed(observation.goal, observation.time)
            return self._goal
        known, now = self._familiarity.seen, observation.time
        if self._goal is not None and not (self._goal.reached(observation) or self._goal.dropped(now, known)):
            return self._goal
        if self._goal is not None:
            self._past_goals = [*self._past_goals, self._goal.text][-12:]
            self._goal = None
        self._goal = await form(
            observation,
            self._familiarity,
            self._past_goals,
            self._feelings.driver,
            self._on_my_mind(observation),
            self._embedder,
            self._generator,
            said=self._meant(self._last_action) if observation.outcome == "executed" else "",
        )
        return self._goal

    async def consider(
        self,
        observation: Observation,
        imagination: Field,
        goal: str,
        calls: list[int],
        activated: Sequence[Memory] = (),
    ) -> Decision:
        """Eliminate, expect what is left, and decide (sections 3.1 and 3.4), without writing anything.

        Args:
            observation: What is perceived now.
            imagination: The present, or what it was blended with (Eq. 5).
            goal: What the resident wants.
            calls: Identifiers of the model calls made; grows.
            activated: The memories that are called up.

        Raises:
            ModelError: if a model call fails.
        """
        actions: Sequence[str] = observation.admissible
        relevance: Mapping[str, float] | None = None
        if self.mechanisms.elimination:
            actions, relevance = await self._eliminate(observation, goal, calls)
        moment = self._past.moment(imagination, self._feelings.driver)
        protended = await self._protender.protend(
            observation,
            actions,
            self._past.lately(),
            self._past.memory,
            self._past.views,
            self._familiarity,
            self._imagined,
            moment=moment,
            caller=self._caller("protention", observation),
            calls=calls,
        )
        asks = self._weights.margin > 0
        situation = f"{self._told(observation, imagination, activated)}\nI want to {goal}." if asks else ""
        if asks and not self.mechanisms.elimination:
            choice = await choose_by_protention(
                protended,
                situation=f"{situation}\n{protentions_in_words(protended, moment.present, self._table)}",
                goal=goal,
                lately=self._lately,
                model=self._model,
                caller=self._caller("action", observation),
            )
            calls.append(choice.usage.call)
            return _decision(choice.option, protended, (), relevance)
        await prefetch(self._embedder, compared(goal, protended, observation, self._familiarity))
        values = pursuit(goal, protended, observation, self._familiarity, self._embedder, self._weights)
        called = called_for(protended, observation, self._embedder)
        values = values + self._weights.asked * called
        values = values + urges(
            protended,
            observation,
            self._familiarity,
            self._lately,
            self._weights,
            called=float(called.max(initial=0.0)),
            awaited=self._events.waiting,
        )
        action, near = await decide(
            protended,
            values.tolist(),
            goal=goal,
            situation=situation,
            lately=self._lately,
            model=self._model,
            weights=self._weights,
            caller=self._caller("action", observation),
        )
        if near is not None:
            calls.append(near.usage.call)
        return _decision(action, protended, tuple(values.tolist()), relevance)

    async def _eliminate(
        self, observation: Observation, goal: str, calls: list[int]
    ) -> tuple[Sequence[str], Mapping[str, float]]:
        """The actions that are left (Eq. 16), and every action's score: for the goal, or for what was just said."""
        actions, caller = observation.admissible, self._caller("elimination", observation)
        relevance = await self._scorer.score(goal, actions, caller=caller, calls=calls)
        if (heard := last_heard(observation)) is not None:
            answering = await self._scorer.score(heard, actions, caller=caller, calls=calls)
            relevance = {action: max(score, answering[action]) for action, score in relevance.items()}
        left = reduced(
            relevance,
            self._threshold,
            goal=goal,
            observation=observation,
            familiarity=self._familiarity,
            lately=self._lately,
        )
        return left, relevance

    def _wanted(self, goal: str) -> tuple[str, ...]:
        """The people and things that a goal speaks of."""
        names = self._familiarity.spoken_of(goal)
        return tuple(name for name in names if name not in self._familiarity.places)

    def _answers(self, observation: Observation, action: str) -> tuple[str, ...]:
        """How one may answer, from what one knows, the one whom the action speaks to."""
        parsed, me = parse(action), observation.resident
        whom = parsed.person if isinstance(parsed, Chat) else None
        heard = [meant(m) for m in observation.messages if m.addressee == me and m.sender == whom]
        return answers(heard[-1], observation, self._familiarity, whom) if heard and whom else ()

    def _told(self, observation: Observation, imagination: Field, activated: Sequence[Memory]) -> str:
        """The content of the ITCM in words, for a large model: blended into one field, or frame by frame."""
        emotion, driver = self._feelings.emotion, self._feelings.driver
        if self.mechanisms.compressed_memory:
            recalled = recollection(activated, observation)
            return blended(observation, imagination, recalled, in_words(emotion), driver, self._table)
        retention = self._past.channel.retention
        return juxtaposed(observation, imagination, retention, activated, emotion, driver, self._table)

    @property
    def foreseen(self) -> tuple[Moment, Protention] | None:
        """The moment in which the last step was decided, and what its action was expected to bring; no state."""
        return self._foreseen

    def learn(self, observation: Observation) -> Mapping[str, tuple[str, ...]]:
        """Take in which places, people and things there are; what of it is new, by sort."""
        return self._familiarity.learn(observation)

    async def _write(
        self,
        observation: Observation,
        imagination: Field,
        goal: Goal,
        decision: Decision,
        activated: list[Memory],
        calls: list[int],
    ) -> tuple[str, str]:
        """The action, with the words of a chat put in, and the thought."""
        action = decision.action
        if not self._writes:
            return action, ""
        whole = self._style == "instruct" and not self.mechanisms.compressed_memory
        asyncio.get_running_loop().call_soon(self._past.compress)  # while the model writes
        text = await write(
            Situation(
                observation=observation,
                action=action,
                goal=goal.text,
                memory=recollection(activated, observation),
                feeling=in_words(self._feelings.emotion),
                expected=decision.expected.sentence,
                said=tuple(self._said),
                about=self._wanted(goal.text),
                answers=self._answers(observation, action),
                waited=isinstance(chat := parse(action), Chat)
                and speaks_of(goal.text, [chat.person])
                and self._past.waited_for(chat.person),
                channel=self._told(observation, imagination, activated) if whole else "",
            ),
            style=self._style,
            model=self._model,
            embedder=self._embedder,
            vocabulary=self._vocabulary,
            seed=int(self._generator.integers(2**31)),
            caller=self._caller("writing", observation),
        )
        calls += [usage.call for usage in text.usages]
        parsed = parse(action)
        if isinstance(parsed, Chat):
            if not text.words:
                raise ModelError(f"{self._model.name} gave no words to say to {parsed.person}", usage=text.usages[-1])
            return chat_with(parsed.person, text.words), text.thought
        return action, text.thought

    def _meant(self, action: str | None) -> str:
        """The words of an action as others understand them, empty where it has none."""
        parsed = parse(action) if action is not None else None
        return of_its_own(parsed.text, self.name, parsed.person) if isinstance(parsed, Chat) else ""

    def _on_my_mind(self, observation: Observation) -> str:
        """What a goal is measured against: what was just said, or where and with whom one is."""
        heard = [meant(message) for message in observation.messages]
        if heard:
            return heard[-1][:120]
        return f"I am {within(observation.place)} with {', '.join(observation.company) or 'nobody'}."

    def _caller(self, module: str, observation: Observation) -> Caller:
        return Caller(module=module, resident=self.name, time=observation.time)

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, as JSON-ready data; the shared name table is saved by who shares it.

        Of the table it has the number of names and their fingerprint, since fields are saved as ids of names.
        """
        return {
            "version": VERSION,
            "name": self.name,
            "mechanisms": asdict(self.mechanisms),
            "names": {"count": len(self._table), "fingerprint": self._table.fingerprint(len(self._table))},
            **self._past.get_state(),
            "familiarity": self._familiarity.get_state(),
            "events": self._events.get_state(),
            "goal": self._goal.get_state() if self._goal is not None else None,
            "past_goals": list(self._past_goals),
            "imagined": dict(self._imagined),
            "lately": list(self._lately),
            "said": [list(line) for line in self._said],
            "expected": self._expected.get_state() if self._expected is not None else None,
            "last_action": self._last_action,
            "levels": [*self._feelings.get_state(), self._near],
            "scorer": self._scorer.get_state(),
            "generator": self._generator.bit_generator.state,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``get_state`` gave; a state that is refused changes nothing.

        The name table is to be restored first; it may have more names by now than when the mind was saved.

        Raises:
            ValueError: for a mind of another version, of another name, with other mechanisms or another retention, or
                beside another name table, or one with missing or damaged parts.
        """
        if state.get("version") != VERSION:
            raise ValueError(f"a saved mind must be of version {VERSION}, got {state.get('version')!r}")
        if state.get("name") != self.name:
            raise ValueError(f"this is the mind of {state.get('name')!r}, and the resident is {self.name!r}")
        restored = copy(self)
        try:
            restored._restore(state)
            self._scorer.set_state(state["scorer"])
        except KeyError as error:
            raise ValueError(f"the saved mind of {self.name!r} has no {error.args[0]!r}") from None
        except (TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"the saved mind of {self.name!r} is damaged: {error}") from error
        self.__dict__.update(restored.__dict__)
        self._generator.bit_generator.state = state["generator"]

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Put what was saved into parts of its own, so that those of the mind it was copied from stay as they are."""
        self._check_kin(state["mechanisms"], state["names"])
        self._past = self._past.restored(state)
        self._familiarity = Familiarity.from_state(state["familiarity"])
        self._events = Events.from_state(state["events"])
        self._goal = Goal.from_state(state["goal"]) if state["goal"] is not None else None
        self._past_goals = list(state["past_goals"])
        self._imagined = dict(state["imagined"])
        self._lately = list(state["lately"])
        self._said = [(str(other), str(line)) for other, line in state["said"]]
        self._expected = Field.from_state(state["expected"]) if state["expected"] is not None else None
        self._last_action = state["last_action"]
        levels = [float(level) for level in state["levels"]]
        if len(levels) != 6 or not all(map(math.isfinite, levels)):
            raise ValueError(f"the levels of the mind of {self.name!r} must be 6 finite numbers, got {levels}")
        self._feelings, self._near = Feelings.from_state(levels[:-1]), levels[-1]
        deepcopy(self._generator).bit_generator.state = state["generator"]  # whether it fits

    def _check_kin(self, mechanisms: Mapping[str, bool], names: Mapping[str, Any]) -> None:
        """Whether a saved mind works as this one does, and its ids mean the same names."""
        if mechanisms != asdict(self.mechanisms):
            raise ValueError(
                f"the saved mind of {self.name!r} has the mechanisms {dict(mechanisms)}, this resident "
                f"{asdict(self.mechanisms)}; make the resident with the saved ones"
            )
        count = names["count"]
        if count > len(self._table) or self._table.fingerprint(count) != names["fingerprint"]:
            raise ValueError(
                f"the saved mind of {self.name!r} belongs to another name table: it knows {count} names, and the "
                f"{len(self._table)} names of this table do not begin with them; restore its table first, or hand in "
                "the one it was saved beside"
            )


def _decision(
    action: str,
    protended: Sequence[Protention],
    values: tuple[float, ...],
    relevance: Mapping[str, float] | None,
) -> Decision:
    expected = next(p for p in protended if p.action == action)
    return Decision(action=action, expected=expected, protended=tuple(protended), values=values, relevance=relevance)


def _own_line(name: str, action: str) -> tuple[str, ...]:
    parsed = parse(action)
    return (f"{name} to {parsed.person}: {parsed.text}",) if isinstance(parsed, Chat) else ()


def _recorded(calls: list[int]) -> tuple[int, ...]:
    return tuple(call for call in calls if call >= 0)
