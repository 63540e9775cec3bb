"""The LLM policy: a large language model decides from the results of the mechanisms (figure 1).

It makes one request per step. The answer has a thought, the goal, the next steps, one action, and words. No goal is
preset: the goal that the model states is the G of Eq. 16 in the next step.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.hints import check_choice
from irollan_env.naming import owner
from irollan_env.world.observation import Observation
from itcma_s.actions import handled
from itcma_s.deliberation.channel_in_words import PromptDetail
from itcma_s.deliberation.conversation import Conversation, OwnDeed
from itcma_s.deliberation.goal_targets import nearness
from itcma_s.deliberation.llm_policy.acquaintance import Acquaintance, Dealings
from itcma_s.deliberation.llm_policy.answer_format import Form, read, schema
from itcma_s.deliberation.llm_policy.budget import Budget
from itcma_s.deliberation.llm_policy.describing import MYSELF, Description, Segment
from itcma_s.deliberation.llm_policy.options import Option, laid_elsewhere, options
from itcma_s.deliberation.llm_policy.outcome import Done, outcome
from itcma_s.deliberation.llm_policy.own_goal import OwnGoal
from itcma_s.deliberation.llm_policy.recent_history import RecentHistory
from itcma_s.deliberation.llm_policy.request import Known, compose
from itcma_s.deliberation.model_answer import TRIES, Answer, Unusable
from itcma_s.deliberation.named_times import clock_of
from itcma_s.deliberation.protocol import Context, Intention, Progress
from itcma_s.memory.familiarity import Familiarity
from itcma_s.model_calls import ModelCalls
from language_models.arguments import OPTIONS
from language_models.protocol import GenerateRequest, LanguageModel, ModelError, Usage
from language_models.resting import rests

KIND = "by model"


_TEMPERATURE = 0.7
_BEFORE = -1
_LATEST_WANTS = 12
_LATEST_DEEDS = 12
_ANSWER_TOKENS = 400
"""Maximum tokens of an answer; reasoning before it has tokens of its own, by the endpoint's option `thinking`."""


class LLMPolicy:
    """A ``Deliberation`` in which the language model decides."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        form: Form = "json",
        budget: Budget | None = None,
        describes: bool = True,
        detail: str = PromptDetail.DEEDS,
        myself: str = "",
        others: Mapping[str, str] | None = None,
        wish: str = "",
        memories: Sequence[str] = (),
        told: Collection[str] = (),
        setting: str = "a small valley",
        outside: str = "outside",
    ) -> None:
        """Create the policy, with a goal only if it is given a wish.

        Args:
            model: The language model.
            form: The answer format: "json", or "plain" lines for a model that cannot be held to a schema.
            budget: The tokens of a request for knowledge and memories.
            describes: Whether descriptions of the resident and of others are updated as memory is compressed.
            detail: The level of detail about objects.
            myself: Who the resident was before the run, which what it learns of itself is added to; empty for nobody.
            others: Descriptions of others from before the run, who then count as acquainted; none by default.
            wish: The goal that it sets out with, in its own words; none when empty.
            memories: What it remembers from before the run, told in every request.
            told: Its memories whose content the other arguments have, which are not recalled as well.
            setting: What the resident is told that it lives in.
            outside: How one leaves a room, in words; empty where that depends on the room.
        """
        self._model = model
        self._form: Form = form
        self._budget = budget if budget is not None else Budget()
        self._describes = describes
        self._detail = check_choice("detail", detail, PromptDetail)
        self._want: OwnGoal | None = OwnGoal(text=wish, since=0) if wish else None
        self._myself, self._memories, self._told_before = myself, tuple(memories), frozenset(told)
        self._past_wants: list[OwnGoal] = []
        self._just_reached: str | None = None
        self._near = 0.0
        self._setting, self._outside = setting, outside
        self._plan: tuple[str, ...] = ()
        self._conversation = Conversation()
        self._recent = RecentHistory()
        others = others if others is not None else {}
        self._acquaintance = Acquaintance(people={who: Dealings(met=_BEFORE, talked=1) for who in others})
        described = {**({MYSELF: myself} if myself else {}), **others}
        self._descriptions = {who: Description(text=text, memories=(), time=_BEFORE) for who, text in described.items()}
        self._described_until = 0
        self._undescribed: tuple[int, ...] = ()
        self._done: Done | None = None
        self._company: tuple[str, ...] = ()
        self._place = ""
        self._filtered_steps = 0
        self._deeds: list[OwnDeed] = []
        self._felt = (0.0, 0.0, 0.0)

    def notice(self, observation: Observation, last_action: str | None) -> None:
        """Process the result of the last action and what was said since; see ``Deliberation.notice``."""
        self._filtered_steps = self._filtered_steps + 1 if observation.outcome == "filtered" else 0
        if last_action is None and observation.outcome != "executed":
            self._done = None
        done = Action(last_action) if last_action is not None and observation.outcome == "executed" else None
        spoken = (done.target, done.words) if done is not None and done.words else None
        put = done.item if done is not None and done.primitive is Primitive.PUT else None
        gave = (put, done.target) if put is not None and done is not None and done.partner is not None else None
        self._conversation = self._conversation.with_step(observation, spoken, self._place, self._company)
        before, clock = observation.time - 1, clock_of(observation.variables)
        deed = OwnDeed.of(done, before) if done is not None else None
        went = OwnDeed(time=before) if self._place not in ("", observation.place) else None
        deeds = [replace(one, at=clock[0] if clock else None) for one in (deed, went) if one is not None]
        self._deeds = [*self._deeds, *deeds][-_LATEST_DEEDS:]
        self._place = observation.place
        self._acquaintance.notice(observation, gave, spoken[0] if spoken else None, put if gave is None else None)
        self._recent = self._recent.noticed(observation)
        self._company = observation.company

    def progress(self, observation: Observation, familiarity: Familiarity) -> Progress:
        """Return the progress toward the goal; the model says whether it is reached.

        A reached goal is reported once, also in a step in which the resident is filtered before it decides.
        """
        reached, self._just_reached = self._just_reached, None
        goal = observation.goal if observation.goal is not None else self.goal()
        before, self._near = self._near, nearness(goal, observation, familiarity) if goal else 0.0
        return Progress(reached, self._near - before if goal else 0.0)

    async def aim(
        self,
        observation: Observation,
        familiarity: Familiarity,
        driver: float,
        generator: np.random.Generator,
        calls: ModelCalls,
    ) -> str:
        """Return the goal of this step: the last one that the model stated, or the one set from outside."""
        goal = observation.goal if observation.goal is not None else self.goal()
        self._near = nearness(goal, observation, familiarity) if goal else 0.0
        return goal

    def goal(self) -> str:
        """Return the current goal; empty without one."""
        return self._want.text if self._want is not None else ""

    def required_actions(
        self, goal: str, actions: Sequence[Action], observation: Observation, familiarity: Familiarity
    ) -> Container[str]:
        """Return the chats, uses of held things, and actions that goal, plan or heard words mention.

        A model knows of a world's own primitives by its list of options alone, so that these are kept, too, but for
        those of things that lie here.
        """
        heard = (one.text for one in observation.messages if one.addressee == observation.resident)
        spoken_of = set(familiarity.spoken_of(" ".join((goal, *self._plan, *heard))))
        aside = _puts_aside(actions)
        elsewhere = [name for name in spoken_of if familiarity.is_person(name) and name not in observation.company]
        places = {familiarity.whereabouts(name) for name in elsewhere} | spoken_of
        lying = {one.name for one in observation.percepts if one.kind == "item" and not one.held}

        def serves(action: Action) -> bool:
            target = action.target
            match action.primitive:
                case Primitive.CHAT:
                    return True
                case Primitive.USE if target in observation.holding:
                    return True
                case Primitive.PUT:
                    return action.partner is not None or target in spoken_of or action in aside
                case Primitive.GO_TO:
                    return target in places or owner(target) in (None, observation.resident)
                case _:
                    own = not isinstance(action.primitive, Primitive) and (action.item or target) not in lying
                    return own or handled(action) in spoken_of

        return {action for action in actions if serves(action)}

    def set_action(self, action: str | None) -> None:
        """Accept an action that a person chose for this resident."""
        self._done = Done(action=action, place=self._place)

    async def decide(self, context: Context) -> Intention:
        """Decide on an action, thought and words; see ``Deliberation.decide``."""
        observation = context.observation
        self._acquaintance.refresh(observation, context.familiarity)
        self._recent = self._recent.with_frames(
            context.channel.frames, observation.resident, context.table, self._detail, self._budget.share("recent")
        )
        found = options(context, self._detail, self._acquaintance)
        segment, described_until = self._segment(context), len(context.memory)
        seeds = context.generator.integers(2**31, size=TRIES).tolist()
        context.while_waiting()
        answer = await self._answer(context, found, segment, seeds)
        option = found[answer.action - 1]
        # Memories compressed during the model call are included in the next step.
        self._described_until = described_until
        goal = self._decided(context, answer)
        self._near = nearness(goal, observation, context.familiarity) if goal else 0.0
        action = option.actions[0] if option.actions else None
        intention = Intention(action=action, goal=goal, words=answer.words, thought=answer.thought, plan=answer.plan)
        expected = next((one for one in context.protended if one.action == action), None)
        leaves = expected is not None and expected.place != observation.place
        self._done = Done(
            action=intention.text,
            place=expected.place if expected is not None else observation.place,
            company=expected.company if expected is not None and leaves else (),
        )
        self._felt = context.emotion
        return intention

    async def _answer(
        self, context: Context, found: Sequence[Option], segment: Segment | None, seeds: Sequence[int]
    ) -> Answer:
        """Ask for the decision, with descriptions if there is a segment; without, where no such answer is usable."""
        time = context.observation.time
        if segment is None or rests(self._undescribed, time):
            return await self._ask(context, found, None, seeds)
        try:
            answer = await self._ask(context, found, segment, seeds)
        except ModelError as error:
            context.calls.add(error.call)
            answer = await self._ask(context, found, None, seeds)
            self._undescribed = (*self._undescribed, time)
        else:
            self._descriptions |= segment.read(answer.about, time)
            self._undescribed = ()
        return answer

    async def _ask(
        self, context: Context, found: Sequence[Option], segment: Segment | None, seeds: Sequence[int]
    ) -> Answer:
        """Ask until an answer is usable; each retry says what was wrong with the last answer."""
        form, describes = self._form, segment is not None
        prompt = compose(context, self._known(context), found, form, self._budget, self._detail)
        if segment is not None:
            prompt = f"{prompt}\n{segment.text(form)}"
        talks = frozenset(number for number, option in enumerate(found, 1) if option.talks)
        texts = [option.text for option in found]
        complaint, why, text, usage = "", "", "", None
        for seed in seeds:
            generation = await self._model.generate(
                GenerateRequest(
                    prompt=prompt + complaint,
                    caller=context.calls.caller("action"),
                    max_tokens=_ANSWER_TOKENS,
                    temperature=_TEMPERATURE,
                    seed=seed,
                    schema=schema(len(found), describes=describes) if form == "json" else None,
                )
            )
            usage, text = generation.usage, generation.text
            context.calls.add(usage.call)
            try:
                return read(text, form, options=len(found), talks=talks, describes=describes, texts=texts)
            except Unusable as reason:
                why = str(reason)
                complaint = f"\n\nYour last answer {reason}. Answer again, in the form that was asked for."
        raise ModelError(
            f"{self._model.name} gave no answer that can be used in {TRIES} tries: the last one, {text[:200]!r}, {why}"
            f"{self._remedy(usage)}",
            usage=usage,
        )

    def _remedy(self, usage: Usage | None) -> str:
        """Return a hint for the error of unusable plain answers; empty for JSON."""
        if self._form != "plain":
            return ""
        remedy = "; a model that is held to a JSON schema or a grammar keeps to the form (docs/models.md)"
        if usage is not None and usage.generated_tokens >= _ANSWER_TOKENS:
            more = f"its {_ANSWER_TOKENS} tokens are spent: where it thinks before it answers, set thinking to more"
            remedy = f"; {more} {OPTIONS}{remedy}"
        return remedy

    def _known(self, context: Context) -> Known:
        described = {name: one.text for name, one in self._descriptions.items() if name != MYSELF}
        learned = self._descriptions.get(MYSELF)
        of_itself = [self._myself] + ([learned.text] if learned is not None and learned.time != _BEFORE else [])
        return Known(
            myself=" ".join(f"{part[:1].upper()}{part[1:]}" for part in of_itself if part),
            memories=self._memories,
            told_before=self._told_before,
            described=described,
            acquaintance=self._acquaintance,
            recent=self._recent,
            conversation=self._conversation,
            deeds=self._deeds,
            plan=self._plan,
            goal_since=self._want.since if self._want is not None else None,
            outcome=outcome(self._done, context.observation, context.silent, self._filtered_steps),
            felt=self._felt,
            given=context.observation.goal is not None,
            setting=self._setting,
            outside=self._outside,
        )

    def _segment(self, context: Context) -> Segment | None:
        """Return the memories compressed since the last update of descriptions; None if there is nothing new."""
        if not (self._describes and context.mechanisms.compressed_memory):
            return None
        new = context.memory.between(self._described_until, len(context.memory))
        return Segment.of(new, context.observation.resident, self._acquaintance.people, self._conversation)

    def _decided(self, context: Context, answer: Answer) -> str:
        """Update plan and goal from an answer; return the goal from now on."""
        observation, now, before = context.observation, context.observation.time, self._want
        self._plan = answer.plan
        if observation.goal is not None:
            return observation.goal
        reached = answer.goal_is == "reached"
        if before is not None and not reached and (answer.goal_is == "kept" or answer.goal in ("", before.text)):
            return before.text
        if before is not None:
            ended = replace(before, ended="reached" if reached else "changed", until=now)
            self._past_wants = [*self._past_wants, ended][-_LATEST_WANTS:]
            self._just_reached = before.text if reached else None
        heard = tuple(f"{message.sender}: {message.text}" for message in observation.messages)
        self._want = OwnGoal(text=answer.goal, since=now, thought=answer.thought, heard=heard) if answer.goal else None
        return self.goal()

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {
            "kind": KIND,
            "want": self._want.get_state() if self._want is not None else None,
            "past_wants": [want.get_state() for want in self._past_wants],
            "just_reached": self._just_reached,
            "near": self._near,
            "plan": list(self._plan),
            "exchange": self._conversation.get_state(),
            "lately": self._recent.get_state(),
            "acquaintance": self._acquaintance.get_state(),
            "descriptions": {who: one.get_state() for who, one in self._descriptions.items()},
            "described_until": self._described_until,
            "done": self._done.get_state() if self._done is not None else None,
            "company": list(self._company),
            "place": self._place,
            "held_back": self._filtered_steps,
            "deeds": [deed.get_state() for deed in self._deeds],
            "felt": list(self._felt),
            **({"undescribed": list(self._undescribed)} if self._undescribed else {}),
        }

    def restored(self, state: Mapping[str, Any]) -> Self:
        """Return a copy with a state from ``get_state``; see ``Deliberation.restored``."""
        if state["kind"] != KIND:
            raise ValueError(f"the saved mind deliberates {state['kind']!r}, this one {KIND!r}")
        state = deepcopy(dict(state))
        other = copy(self)
        other._want = OwnGoal.from_state(state["want"]) if state["want"] is not None else None
        other._past_wants = [OwnGoal.from_state(want) for want in state["past_wants"]]
        other._just_reached = state["just_reached"]
        other._near = float(state["near"])
        other._plan = tuple(state["plan"])
        other._conversation = Conversation.from_state(state["exchange"])
        other._recent = RecentHistory.from_state(state["lately"])
        other._acquaintance = Acquaintance.from_state(state["acquaintance"])
        other._descriptions = {who: Description.from_state(one) for who, one in state["descriptions"].items()}
        other._described_until = int(state["described_until"])
        other._undescribed = tuple(state.get("undescribed", ()))
        other._done = Done.from_state(state["done"]) if state["done"] is not None else None
        other._company = tuple(state["company"])
        other._place = state["place"]
        other._filtered_steps = int(state["held_back"])
        other._deeds = [OwnDeed.from_state(deed) for deed in state["deeds"]]
        pleasure, arousal, dominance = map(float, state["felt"])
        other._felt = (pleasure, arousal, dominance)
        return other


def _puts_aside(actions: Sequence[Action]) -> frozenset[str]:
    """Return one action for each held thing to put it down, preferably on a table or counter."""
    found: dict[str, list[tuple[bool, str]]] = {}
    for action in actions:
        if action.primitive is Primitive.PUT and action.partner is None:
            found.setdefault(str(action.item), []).append((laid_elsewhere(action), action))
    return frozenset(min(ways, key=lambda way: way[0])[1] for ways in found.values())
