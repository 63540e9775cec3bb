"""Generative agent, which perceives, retrieves, reflects, plans, reacts, and acts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irollan_env.actions import Action
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.generative_agents import planning
from minds.generative_agents.memory_stream import Memory, MemoryStream
from minds.generative_agents.planning import HORIZON, Plan
from minds.generative_agents.reflection import THRESHOLD, reflect
from minds.mind import MindContext
from minds.wording import option, perceived_lines, with_words

_CALLED_UP = 6
_SUMMARY_EVERY = 10
_MOST_RATED = 12
_FORMATIVE = 8
_STEPS_A_DAY = 24
"""Recency decays by the time step as in the paper by the hour, so that a memory of a day before is 24 steps old."""


class GenerativeAgent:
    """Generative agent (Park et al. 2023) that decides from a memory stream, reflections and plans.

    Attributes:
        stream: Its observations, reflections and plans.
        plan: Its current plan.
        summary: Its description of itself, from its memories.
        summed_up: The time step of the last summary; -1 for never.
        raised: Total importance of its observations since the last reflection.
    """

    def __init__(self, context: MindContext) -> None:
        self._context = context
        self._client = context.model
        self.stream = MemoryStream(context.model)
        self.plan = Plan()
        self.summary = f"Name: {context.name}."
        self.summed_up = -1
        self.raised = 0
        for line, days in context.history.dated_lines().items():
            self._remember(line, -round(_STEPS_A_DAY * (days or 0)), "observation", _FORMATIVE)

    async def act(self, observation: Observation) -> Act:
        """Run one step of the paper's architecture (its figure 5)."""
        time = observation.time
        perceived = await self._perceive(observation)
        if not observation.admissible:
            return Act(action=None, goal=self.plan.part(time))
        if self.raised >= THRESHOLD:
            self.raised = 0
            await reflect(self._context.name, self.stream, time, self._client)
        if self.summed_up < 0 or time - self.summed_up >= _SUMMARY_EVERY:
            await self._sum_up(time)
        await self._keep_planned(observation, perceived)
        action = await self._do(observation)
        self._remember(f"I {action}." if action else "I wait.", time, "observation", 3)
        plan = tuple(self.plan.ahead(time))
        return Act(action=action, thought=self.plan.step(time), goal=self.plan.part(time), plan=plan)

    async def _perceive(self, observation: Observation) -> list[str]:
        """Add new observations to the stream, each with an importance, and return them."""
        known = {memory.text for memory in self.stream.memories[-2 * _MOST_RATED :]}
        new = [line for line in dict.fromkeys(perceived_lines(observation)) if line not in known][:_MOST_RATED]
        if not new or not observation.admissible:
            ratings = [1] * len(new)
        else:
            listed = "\n".join(f"{number}. {line}" for number, line in enumerate(new, 1))
            prompt = (
                "On the scale of 1 to 10, where 1 is purely mundane (e.g., brushing teeth, making bed) and 10 is "
                "extremely poignant (e.g., a break up, college acceptance), rate the likely poignancy of the following "
                f"pieces of memory.\n{listed}\nAnswer with one JSON object: the rating of each by its number."
            )
            form = {str(number): {"type": "integer", "minimum": 1, "maximum": 10} for number in range(1, len(new) + 1)}
            answer = await self._client.generate_json("importance", prompt, form)
            ratings = [int(answer[number]) for number in form]
        for line, rating in zip(new, ratings, strict=True):
            self._remember(line, observation.time, "observation", rating)
            self.raised += rating
        return new

    def _remember(self, text: str, time: int, sort: Any, importance: int) -> None:
        self.stream.add(Memory(text=text, sort=sort, created=time, called_up=time, importance=importance))

    async def _sum_up(self, time: int) -> None:
        """Update the agent's summary description (the paper's appendix A) from memories about itself."""
        name = self._context.name
        places = await self.stream.retrieve(f"{name}'s core characteristics and what {name} does", time, 2 * _CALLED_UP)
        statements = "\n".join(f"- {text}" for text in self.stream.texts(places))
        prompt = f"How would one describe {name} given the following statements?\n{statements}\n\nIn two sentences:"
        described = await self._client.generate("summary", prompt, max_tokens=80)
        self.summary, self.summed_up = f"Name: {name}. {' '.join(described.split())}", time

    async def _keep_planned(self, observation: Observation, perceived: list[str]) -> None:
        """Make a plan if there is none, refine it where a part begins, and revise it for a reaction."""
        time = observation.time
        told = f"{self.summary}\nIt was set you: {observation.goal}" if observation.goal else self.summary
        if self.plan.begun < 0 or time - self.plan.begun >= HORIZON or not self.plan.part(time):
            self.plan = Plan(begun=time, parts=await planning.make_plan(told, time, self._client))
            self._remember(f"My plan: {'; '.join(self.plan.parts)}.", time, "plan", 5)
        reaction = await self._react(observation, perceived) if self.plan.step(time) else ""
        if reaction or not self.plan.step(time):
            self.plan.steps = await planning.plan_steps(told, self.plan.part(time), reaction, self._client)
            self.plan.refined = time
            self._remember(f"Next I will: {'; '.join(self.plan.steps)}.", time, "plan", 4)

    async def _react(self, observation: Observation, perceived: list[str]) -> str:
        """Return a reaction to new observations; empty to keep to the plan, or if nothing is new."""
        news = [line for line in perceived if line != observation.sentence]
        if not news:
            return ""
        time = observation.time
        places = await self.stream.retrieve(" ".join(news), time, _CALLED_UP)
        context = "\n".join(f"- {text}" for text in self.stream.texts(places))
        prompt = (
            f"{self.summary}\nIt is step {time}. {observation.sentence}\nYour plan for now: {self.plan.step(time)}\n"
            f"Observation: {' '.join(news)}\nSummary of relevant context from your memory:\n{context}\n\n"
            "Should you react to the observation, and if so, what would be an appropriate reaction? Answer with one "
            'JSON object: {"react": "yes" or "no", "reaction": "what you do, in a sentence"}.'
        )
        form: dict[str, Mapping[str, Any]] = {
            "react": {"type": "string", "enum": ["yes", "no"]},
            "reaction": {"type": "string", "maxLength": 120},
        }
        answer = await self._client.generate_json("reaction", prompt, form)
        return str(answer["reaction"]) if answer["react"] == "yes" else ""

    async def _do(self, observation: Observation) -> Action:
        """Choose the admissible action for the planned step, with words if it is a chat."""
        meant = self.plan.step(observation.time)
        named = {option(action): action for action in observation.admissible}
        prompt = f"{self.summary}\n{observation.sentence}\n\nYou want to: {meant}\nThe action that does it:"
        action = named[await self._client.choose("action", prompt, list(named), query=meant)]
        return await self._speak(observation, action) if action.words else action

    async def _speak(self, observation: Observation, action: Action) -> Action:
        """Write a chat to somebody, from memories of that person."""
        person = action.target
        places = await self.stream.retrieve(f"What is the relationship between me and {person}?", observation.time, 6)
        context = "\n".join(f"- {text}" for text in self.stream.texts(places))
        heard = [message for message in observation.messages if message.sender == person]
        last = f'\n{person} just said: "{heard[-1].text}"' if heard else ""
        prompt = (
            f"{self.summary}\n{observation.sentence}\nWhat you remember of {person}:\n{context}\n"
            f"You mean to: {self.plan.step(observation.time)}{last}\n\nWhat do you say to {person}?\n"
            f'{self._context.name}: "'
        )
        return with_words(action, await self._client.generate("dialogue", prompt, max_tokens=60, stop=['"', "\n"]))

    def answer(self) -> list[str]:
        """Return its stream, with reflections and plans, and its summary description."""
        return [*(memory.text for memory in self.stream.memories), self.summary]

    def get_state(self) -> dict[str, Any]:
        """Return the full state as JSON-ready data."""
        return {
            "stream": self.stream.get_state(),
            "plan": self.plan.to_json(),
            "summary": self.summary,
            "summed_up": self.summed_up,
            "raised": self.raised,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        self.stream.set_state(state["stream"])
        self.plan = Plan.from_json(state["plan"])
        self.summary, self.summed_up, self.raised = str(state["summary"]), int(state["summed_up"]), int(state["raised"])
