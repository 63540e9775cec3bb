"""A mind whose decisions and expectations are given, to see what its mechanisms make of a step."""

from functools import partial

import numpy as np
from led import Scores

from irollan_env.actions import Action
from itcma_s.deliberation.protocol import Intention, Progress
from itcma_s.protention.protention import Protention
from itcma_s.resident import ItcmaResident


class Decided:
    """Takes the actions it was given, one after the other, and keeps what it was told before each."""

    def __init__(self, actions, goal="rest"):
        self._actions, self._goal = list(actions), goal
        self.contexts = []

    def notice(self, observation, last_action):
        """Takes no notice."""

    def progress(self, *_):
        return Progress()

    async def aim(self, *_):
        return self._goal

    def goal(self):
        return self._goal

    def required_actions(self, *_):
        return ()

    async def decide(self, context):
        self.contexts.append(context)
        action = self._actions.pop(0)
        return Intention(
            action=None if action is None else Action(action),
            goal=f"{self._goal} well",
            words="Good day.",
            thought=f"I think of {action}.",
            plan=(f"{action} first", "then sleep"),
        )

    def get_state(self):
        return {}

    def restored(self, state):
        return self


class Expects:
    """Expects of each action the field that it was given for it."""

    def __init__(self, fields):
        self._fields = fields

    async def protend(self, observation, actions, *_, **__):
        return [
            Protention(action, f"After {action}.", self._fields[action], observation.place, (), "rule")
            for action in actions
        ]

    def know(self, imagined):
        """Nothing is imagined."""


def decided_mind(taken, expected, table, *, scores=None, seed=0, **more):
    """A mind that takes these actions, expects these fields, and scores every action 5 unless told otherwise."""
    deliberation = Decided(taken)
    parts = {
        "deliberation": deliberation,
        "protention_model": Expects(
            {action: partial(lambda field: field, field) for action, field in expected.items()}
        ),
        "scorer": Scores(scores if scores is not None else dict.fromkeys(expected, 5.0)),
        "generator": np.random.default_rng(seed),
    }
    mind = ItcmaResident("MD", table=table, **{**parts, **more})
    return mind, deliberation
