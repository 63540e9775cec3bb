"""Minds that a model leads, put together in one call, and what they have before they decide."""

from __future__ import annotations

import numpy as np
from scenes import EMBEDDER, run

from itcma_s import make_mind
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.protocol import Context, Intention


def led_mind(name, model, *, table=None, scorer=None, seed=0, form="json", describes=True, kind=LLMPolicy, **more):
    """A resident; `more` goes to its constructor."""
    return make_mind(
        name,
        model=model,
        embedder=EMBEDDER,
        style="instruct",
        deliberation=kind(model=model, form=form, describes=describes),
        scorer=scorer,
        table=table,
        generator=np.random.default_rng(seed),
        **more,
    )


class _Listening(LLMPolicy):
    """Keeps what it had before it decided."""

    heard: list[Context]

    async def decide(self, context):
        self.heard = [context]
        return Intention(action=None, goal="")


def context_of(observation, model, **more):
    """What a mind has that begins with this observation."""
    mind = led_mind(observation.resident, model, kind=_Listening, **more)
    run(mind.act(observation))
    listening = mind._mind.deliberation
    assert isinstance(listening, _Listening)
    return listening.heard[0]


class Scores:
    """Scores that are handed in, by action; 1 for all others."""

    def __init__(self, scores=None):
        self.scores = dict(scores or {})
        self.goals = []

    async def score(self, goal, actions, *_):
        self.goals.append(goal)
        return {action: self.scores.get(action, 1.0) for action in actions}

    def get_state(self):
        return None

    def set_state(self, state): ...


def live(world, minds, steps, filtered=frozenset()):
    """Take steps, all of them together; gives the acts of the first mind."""
    acts = []
    for _ in range(steps):
        now = {mind.name: run(mind.act(world.observe(mind.name))) for mind in minds}
        failed = {name for name, act in now.items() if act.failure is not None}
        wanted = {name: act.action for name, act in now.items() if name not in failed}
        world.step(wanted, filtered=filtered, failed=failed)
        acts.append(now[minds[0].name])
    return acts
