"""The similarity policy: forms goals, decides and speaks without a large model.

A goal is drawn from what is perceived and known (goal_formation.py), an action is valued by the similarity of itself
and its predicted outcome to the goal (pursuit.py) and by the urges of the moment (decision.py), and the language model
writes a thought and words for the decision (writing.py). A large model may choose among the best actions.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.english import within
from irollan_env.hints import check_choice
from irollan_env.world.observation import Observation
from itcma_s.deliberation.channel_in_words import PromptDetail, content, protentions_in_words
from itcma_s.deliberation.conversation import Conversation
from itcma_s.deliberation.easing import PRESSING, WANTED, staying, strongest, what_eases
from itcma_s.deliberation.feeling_in_words import felt_in_words
from itcma_s.deliberation.goal_targets import nearness
from itcma_s.deliberation.protocol import Context, Intention, Progress
from itcma_s.deliberation.similarity_policy.action_value import action_values
from itcma_s.deliberation.similarity_policy.decision import choose_by_protention, decide
from itcma_s.deliberation.similarity_policy.decision_weights import LARGE_MODEL, DecisionWeights
from itcma_s.deliberation.similarity_policy.errands import steps_on
from itcma_s.deliberation.similarity_policy.goal_formation import form
from itcma_s.deliberation.similarity_policy.goals import Goal, fixed, own_wish, to_ease
from itcma_s.deliberation.similarity_policy.reply_openings import answers
from itcma_s.deliberation.similarity_policy.story_page import Situation
from itcma_s.deliberation.similarity_policy.writing import write
from itcma_s.deliberation.story.facts import facts_of
from itcma_s.deliberation.story.prompt_of_step import prompt_of
from itcma_s.deliberation.story.story_writing import write_story
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.mentions import speaks_of
from itcma_s.memory.past import recollection, waited_for
from itcma_s.model_calls import ModelCalls
from itcma_s.wording import Style, meant, of_its_own, plain
from language_models.protocol import Embedder, LanguageModel, ModelError

KIND = "by likeness"
_LATEST_LINES = 6
_LATEST_GOALS = 12


class SimilarityPolicy:
    """A ``Deliberation`` that decides by embedding similarity and rules."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        embedder: Embedder,
        style: Style = "page",
        vocabulary: frozenset[str] | None = None,
        weights: DecisionWeights | None = None,
        writes: bool = True,
        detail: str = PromptDetail.DEEDS,
        wishes: Sequence[str] = (),
        feelings: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Create the policy, with the first of its wishes as its goal, or without one.

        Args:
            model: Writes; chooses, where the weights let it.
            embedder: Embeds sentences.
            style: How the model is asked to write: "page", with examples, for small models, "scene" for those that were
                trained on scenes, "instruct" for large ones.
            vocabulary: Words that pages are made of; None for any.
            weights: The decision weights and rules; by default the model is asked in style "instruct" only.
            writes: False leaves out thoughts and words, which come after the decision: a chat is then a silence.
            detail: How much of the present and the past a prompt contains, a ``PromptDetail``.
            wishes: What the resident wants from before the run; it sets out with the first, and the others may come up.
            feelings: What it feels about people from before the run, from -1 to 1.
        """
        self._model = model
        self._embedder = embedder
        self._style: Style = style
        self._vocabulary = vocabulary
        default = LARGE_MODEL if style == "instruct" else DecisionWeights()
        self._weights = weights if weights is not None else default
        self._writes = writes
        self._detail = check_choice("detail", detail, PromptDetail)
        self._wishes = tuple(wishes)
        self._feelings = dict(feelings)
        self._goal: Goal | None = own_wish(wishes[0], 0) if wishes else None
        self._past_goals: list[str] = []
        self._near = 0.0
        self._said: list[tuple[str, str]] = []
        self._own_words = ""
        self._conversation = Conversation()
        self._place = ""
        self._company: tuple[str, ...] = ()
        self._last: str | None = None

    def notice(self, observation: Observation, last_action: str | None) -> None:
        """Process the result of the last action and what was said since; see ``Deliberation.notice``."""
        self._last, self._own_words = last_action, ""
        spoken = None
        if last_action is not None and observation.outcome == "executed":
            done = Action(last_action)
            if done.primitive is Primitive.CHAT:
                spoken = (done.target, done.words)
                self._own_words = of_its_own(done.words, observation.resident, done.target)
                self._said.append((done.target, self._own_words))
            if self._goal is not None:
                self._goal.note(done, observation.place)
        heard = ((message.sender, meant(message)) for message in observation.messages)
        self._said = [*self._said, *heard][-_LATEST_LINES:]
        self._conversation = self._conversation.with_step(observation, spoken, self._place, self._company)
        self._place, self._company = observation.place, observation.company

    def progress(self, observation: Observation, familiarity: Familiarity) -> Progress:
        """Return the progress toward the goal; see ``Deliberation.progress``."""
        if self._goal is None:
            return Progress()
        near = nearness(self._goal.text, observation, familiarity)
        nearer, self._near = near - self._near, near
        goal = self._goal.text
        if not self._goal.reached(observation):
            return Progress(None, nearer)
        if observation.goal is None:
            self._give_up()
        return Progress(goal, nearer)

    async def aim(
        self,
        observation: Observation,
        familiarity: Familiarity,
        driver: float,
        generator: np.random.Generator,
        calls: ModelCalls,
    ) -> str:
        """Return the goal of this step: the old one while it holds, one set from outside, or a new one."""
        goal = await self._want(observation, familiarity, driver, generator)
        self._near = nearness(goal.text, observation, familiarity)
        return goal.text

    def goal(self) -> str:
        """Return the current goal; empty without one."""
        return self._goal.text if self._goal is not None else ""

    def required_actions(
        self, goal: str, actions: Sequence[Action], observation: Observation, familiarity: Familiarity
    ) -> Container[str] | None:
        """Return the actions that advance an errand; None for other goals."""
        steps = steps_on(goal, actions, observation, familiarity) if self._weights.errands else None
        return None if steps is None else {action for action, step in zip(actions, steps, strict=True) if step > 0}

    def set_action(self, action: str | None) -> None:
        """Do nothing: ``notice`` receives the action in the next step."""

    async def decide(self, context: Context) -> Intention:
        """Decide on an action, thought and words; see ``Deliberation.decide``."""
        action, values = await self._choose(context)
        rest = self._weights.eases * staying(context.observation, context.familiarity)
        if rest > 0 and rest > max(values, default=math.inf):
            return Intention(action=None, goal=context.goal, values=values)
        thought, words = await self._write(context, action) if self._writes else ("", "")
        options = context.observation.answers.get(action.target, ()) if action.primitive is Primitive.CHAT else ()
        if options and self._writes:
            words = await self._answer(context, options)
        return Intention(action=action, goal=context.goal, thought=thought, words=words, values=values)

    async def _answer(self, context: Context, options: Sequence[str]) -> str:
        """Choose among the only words that what it speaks to takes, such as those of a ballot."""
        asked = " ".join(chain.from_iterable(context.observation.notices.values()))
        choice = await self._model.choose(
            f"{asked}\nI want to {context.goal}. My answer:",
            list(options),
            caller=context.calls.caller("action"),
            query=f"I want to {context.goal}.",
        )
        context.calls.add(choice.usage.call)
        return choice.option

    async def _want(
        self, observation: Observation, familiarity: Familiarity, driver: float, generator: np.random.Generator
    ) -> Goal:
        if observation.goal is not None:
            if self._goal is None or self._goal.text != observation.goal:
                self._goal = fixed(observation.goal, observation.time)
            return self._goal
        known, now = familiarity.seen, observation.time
        need = strongest(observation)
        level = observation.needs[need] if need is not None else 0.0
        if self._goal is not None and not (self._goal.reached(observation) or self._goal.dropped(now, known)):
            gives_way = level >= PRESSING and not self._goal.done.startswith("eased ")
            if not gives_way:
                return self._goal
        self._give_up()
        if need is not None and level >= WANTED:
            self._goal = to_ease(need, level, what_eases(need, familiarity), now)
            return self._goal
        self._goal = await form(
            observation,
            familiarity,
            self._past_goals,
            driver,
            _on_ones_mind(observation),
            self._embedder,
            generator,
            said=self._own_words,
            out_of_place=self._weights.out_of_place,
            wishes=self._wishes,
            feelings=self._feelings,
        )
        return self._goal

    def _give_up(self) -> None:
        if self._goal is not None:
            self._past_goals = [*self._past_goals, self._goal.text][-_LATEST_GOALS:]
            self._goal = None

    async def _choose(self, context: Context) -> tuple[Action, tuple[float, ...]]:
        """Choose an action; return it with the value of each, or no values if the model chose by protention."""
        goal, protended, caller = context.goal, context.protended, context.calls.caller("action")
        asks = self._weights.margin > 0
        situation = f"{content(context, self._detail)}\nI want to {goal}." if asks else ""
        if asks and not context.mechanisms.elimination:
            expected = protentions_in_words(protended, context.present, context.table, self._detail)
            choice = await choose_by_protention(
                protended,
                situation=f"{situation}\n{expected}",
                goal=goal,
                recent_actions=context.recent_actions,
                model=self._model,
                weights=self._weights,
                caller=caller,
            )
            context.calls.add(choice.usage.call)
            return Action(choice.option), ()
        values = (await action_values(context, self._embedder, self._weights)).tolist()
        action, near = await decide(
            protended,
            values,
            goal=goal,
            situation=situation,
            recent_actions=context.recent_actions,
            model=self._model,
            weights=self._weights,
            caller=caller,
        )
        if near is not None:
            context.calls.add(near.usage.call)
        return action, tuple(values)

    async def _write(self, context: Context, action: Action) -> tuple[str, str]:
        """Have the model write a thought, and the words of a chat."""
        observation, partner = context.observation, action.target if action.primitive is Primitive.CHAT else None
        seed = int(context.generator.integers(2**31))
        context.while_waiting()
        if self._style == "scene":
            page = prompt_of(context, self._conversation, self._last, decided=action)
            page = replace(page, goal=plain(page.goal))
            facts = facts_of(context, self._conversation, self._last, action, self._past_goals)
            return await write_story(page, facts, model=self._model, seed=seed, calls=context.calls)
        spoken_of = context.familiarity.spoken_of(context.goal)
        text = await write(
            Situation(
                observation=observation,
                action=action,
                goal=context.goal,
                memory=recollection(context.activated, observation),
                feeling=felt_in_words(context.emotion, context.lacks),
                expected=next(p.sentence for p in context.protended if p.action == action),
                said=tuple(self._said),
                about=tuple(name for name in spoken_of if name not in context.familiarity.places),
                people=context.familiarity.residents,
                answers=_answers(partner, observation, context.familiarity),
                waited=partner is not None
                and speaks_of(context.goal, [partner], [partner])
                and waited_for(partner, context.channel, context.table),
                channel=content(context, self._detail) if self._style == "instruct" else "",
            ),
            style=self._style,
            model=self._model,
            embedder=self._embedder,
            vocabulary=self._vocabulary,
            seed=seed,
            caller=context.calls.caller("writing"),
        )
        context.calls.add(*(usage.call for usage in text.usages))
        if partner is not None and not text.words:
            raise ModelError(f"{self._model.name} gave no words to say to {partner}", usage=text.usages[-1])
        return text.thought, text.words

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {
            "kind": KIND,
            "goal": self._goal.get_state() if self._goal is not None else None,
            "past_goals": list(self._past_goals),
            "near": self._near,
            "said": [list(line) for line in self._said],
            "exchange": self._conversation.get_state(),
            "place": self._place,
            "company": list(self._company),
        }

    def restored(self, state: Mapping[str, Any]) -> Self:
        """Return a copy with a state from ``get_state``; see ``Deliberation.restored``."""
        if state["kind"] != KIND:
            raise ValueError(f"the saved mind deliberates {state['kind']!r}, this one {KIND!r}")
        near = float(state["near"])
        if not math.isfinite(near):
            raise ValueError(f"nearness to the goal must be a finite number, got {near!r}")
        other = copy(self)
        other._goal = Goal.from_state(state["goal"]) if state["goal"] is not None else None
        other._past_goals = list(state["past_goals"])
        other._near = near
        other._said = [(str(person), str(line)) for person, line in state["said"]]
        other._conversation = Conversation.from_state(state["exchange"])
        other._place = str(state["place"])
        other._company = tuple(state["company"])
        return other


def _answers(whom: str | None, observation: Observation, familiarity: Familiarity) -> tuple[str, ...]:
    """Return possible beginnings of an answer to `whom`, from what the resident knows."""
    me = observation.resident
    heard = [meant(m) for m in observation.messages if m.addressee == me and m.sender == whom]
    return answers(heard[-1], observation, familiarity, whom) if heard and whom else ()


def _on_ones_mind(observation: Observation) -> str:
    """Return the sentence that goals are compared with: what was just said, or the place and company."""
    heard = [meant(message) for message in observation.messages]
    if heard:
        return heard[-1][:120]
    return f"I am {within(observation.place)} with {', '.join(observation.company) or 'nobody'}."
