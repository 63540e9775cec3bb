"""PIANO's modules: stateless functions that read state and observation, and return state changes.

Each makes at most one request, as its first await, so that concurrent calls start in the same order in
every run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from minds.model_client import ModelClient
from minds.piano.agent_state import LONG_TERM, SHORT_TERM, AgentState
from minds.wording import option, perceived_lines, short_scene

RECALLED = 3
MOST_PEOPLE = 4
GOALS_EVERY = 5
DECISIONS_EVERY = 3
_SENTENCE = 160

Changes: TypeAlias = Mapping[str, Any]
"""New values of the state's attributes."""

Module: TypeAlias = Callable[[AgentState, Observation, ModelClient], Awaitable[Changes]]


@dataclass(frozen=True, slots=True)
class _Timed:
    """A module and the condition under which it runs."""

    run: Module
    due: Callable[[AgentState, Observation], bool]


async def perceive(state: AgentState, observation: Observation, model: ModelClient, *, remembers: bool) -> Changes:
    """Update working memory; with the memory module, also short-term memory and recalled long-term memories.

    Args:
        state: The agent's state.
        observation: The current observation.
        model: Calls the language model and the embedder.
        remembers: Whether the agent has the module memory.

    Returns:
        The module's changes of the state.
    """
    working, around = perceived_lines(observation), short_scene(observation)
    present = {"working": working, "around": around}
    if not remembers:
        return present
    recalled: list[str] = []
    if state.long_term:
        vectors = (await model.embed([" ".join(working), *state.long_term])).astype(np.float64)
        likeness = np.round(vectors[1:] @ vectors[0], 4)
        best = np.argsort(-likeness, kind="stable")[:RECALLED]
        recalled = [state.long_term[place] for place in sorted(best.tolist())]
    # The scene is the last line; its short version is remembered, and only if it has changed.
    new = [*working[:-1], *([around] if around != state.around else [])]
    return {**present, "short_term": [*state.short_term, *new], "new": len(new), "recalled": recalled}


async def _consolidate(state: AgentState, observation: Observation, model: ModelClient) -> Changes:
    """Memory: summarise the older half of short-term memory in one sentence of long-term memory."""
    half = len(state.short_term) // 2
    older = "\n".join(state.short_term[:half])
    prompt = f"{older}\n\nWhat of this is worth remembering for long, in one sentence?\nI remember that"
    kept = " ".join((await model.generate("memory", prompt, max_tokens=60, stop=["\n"])).split())
    return {"short_term": state.short_term[half:], "long_term": [*state.long_term, f"{kept}"][-LONG_TERM:]}


async def _compare(state: AgentState, observation: Observation, model: ModelClient) -> Changes:
    """Action awareness: compare the expected and the actual result of the last action."""
    prompt = (
        f"You decided: {state.decision}\nYou did: {state.acted}\nYou expected: {state.expected}\n"
        f"What came: {observation.result} {observation.sentence}\n\n"
        "Did it come as expected, and if not, what should be done otherwise? In one sentence:"
    )
    found = await model.generate("awareness", prompt, max_tokens=50, stop=["\n"])
    return {"awareness": found}


async def _generate_goal(state: AgentState, observation: Observation, model: ModelClient) -> Changes:
    """Goal generation: update the goal from memories and feelings about others, with the paper's question."""
    told = f"\nIt was set you: {observation.goal}" if observation.goal else ""
    prompt = (
        f"Suppose you are {observation.resident}.\n{state.through_bottleneck()}{told}\n"
        f"Your current subgoal is: {state.goal or 'none yet'}\n\n"
        "Do you want to change your subgoal? Keep the same subgoal unless you don't have one or it's already been "
        "accomplished. Output only the subgoal, in one sentence:"
    )
    return {"goal": await model.generate("goals", prompt, max_tokens=40, stop=["\n"]), "wanted": observation.time}


async def _read_others(state: AgentState, observation: Observation, model: ModelClient) -> Changes:
    """Social awareness: rate feelings about those present, and infer what they want."""
    people = observation.company[:MOST_PEOPLE]
    form = {key: value for name in people for key, value in _about(name).items()}
    before = "; ".join(f"{name}: {state.social[name][0]} of 10" for name in people if name in state.social)
    prompt = (
        f"You are {observation.resident}.\n{' '.join(state.working)}\n"
        f"How you felt about them: {before or 'you do not know them yet'}.\n\n"
        "Answer with one JSON object that has, for each of them, how you feel about them from 0 (dislike) to 10 (like) "
        f"and what they want: {', '.join(form)}."
    )
    answer = await model.generate_json("social", prompt, form)
    new = {name: (int(answer[f"{name} feeling"]), str(answer[f"{name} wants"])) for name in people}
    return {"social": {**state.social, **new}}


def _about(name: str) -> dict[str, Mapping[str, Any]]:
    return {
        f"{name} feeling": {"type": "integer", "minimum": 0, "maximum": 10},
        f"{name} wants": {"type": "string", "maxLength": 80},
    }


async def decide(state: AgentState, observation: Observation, model: ModelClient) -> Changes:
    """Cognitive controller: make one decision, from what passes the bottleneck alone.

    Args:
        state: The agent's state.
        observation: The current observation.
        model: Calls the language model and the embedder.

    Returns:
        The module's changes of the state.
    """
    prompt = (
        f"You are {observation.resident}.\n{state.through_bottleneck()}\n\n"
        'Decide. Answer with one JSON object: {"decision": "what you will do next, and why, in one sentence", '
        '"expected": "what you expect it to bring"}.'
    )
    form = {key: {"type": "string", "maxLength": _SENTENCE} for key in ("decision", "expected")}
    return {**await model.generate_json("controller", prompt, form), "decided": observation.time}


async def execute(state: AgentState, observation: Observation, model: ModelClient, *, talks: bool) -> Action | None:
    """Skill execution: choose the admissible action that carries out the decision.

    Args:
        state: The agent's state.
        observation: The current observation.
        model: Calls the language model and the embedder.
        talks: Whether the agent has the talking module; without it no chat is chosen.

    Returns:
        The action; None if none is left.
    """
    actions = [action for action in observation.admissible if talks or action.primitive is not Primitive.CHAT]
    if not actions:
        return None
    named = {option(action): action for action in actions}
    intent = state.decision or state.through_bottleneck()
    prompt = f"{' '.join(state.working)}\n\nYou decided: {intent}\nThe action that does it:"
    return named[await model.choose("skills", prompt, list(named), query=intent)]


async def talk(state: AgentState, observation: Observation, model: ModelClient, person: str) -> str:
    """Talking: write a chat to somebody, conditioned on the decision.

    Args:
        state: The agent's state.
        observation: The current observation.
        model: Calls the language model and the embedder.
        person: The person spoken to.
    """
    feeling = state.social.get(person)
    felt = f" You feel {feeling[0]} of 10 about {person}." if feeling else ""
    prompt = (
        f"You are {observation.resident}.\n{' '.join(state.short_term[-8:] or state.working)}\n"
        f"You decided: {(state.decision or 'to talk').rstrip('.')}.{felt}\n\nSay to {person} what serves this decision,"
        f' in one or two sentences.\n{observation.resident}: "'
    )
    return await model.generate("talking", prompt, max_tokens=60, stop=['"', "\n"])


AT_ONCE: Mapping[str, _Timed] = {
    "memory": _Timed(_consolidate, lambda state, now: len(state.short_term) >= SHORT_TERM),
    "awareness": _Timed(_compare, lambda state, now: state.acted is not None),
    "goals": _Timed(_generate_goal, lambda state, now: state.wanted < 0 or now.time - state.wanted >= GOALS_EVERY),
    "social": _Timed(_read_others, lambda state, now: bool(now.company)),
}
"""Modules that run concurrently before the controller, on the same state, by name."""


def decision_is_due(state: AgentState, observation: Observation) -> bool:
    """Return whether to decide anew: the decision is old or failed, or somebody speaks to the agent.

    Args:
        state: The agent's state.
        observation: The current observation.
    """
    if state.decided < 0 or observation.time - state.decided >= DECISIONS_EVERY:
        return True
    return bool(observation.speakers) or observation.outcome in ("inadmissible", "failed", "filtered")
