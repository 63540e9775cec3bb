"""Minds for the valley by name, from other papers and simple ones, and custom minds.

A mind decides for one resident. ``find_mind`` finds one by name, ``make_resident`` creates a resident with it, and
any class with a method ``act`` can be a mind:

>>> import gymnasium, irollan_env, language_models
>>> class Homebody:
...     def __init__(self, context):
...         self.context = context
...     async def act(self, observation):
...         stay = [action for action in observation.admissible if not action.startswith("go to")]
...         return await self.context.model.choose("action", observation.sentence, stay) if stay else None
>>> models = {"model": language_models.load_model("scripted"), "embedder": language_models.load_embedder("hash")}
>>> agent = make_resident("LL", Homebody, **models)
>>> env = gymnasium.make("irollan_env:IrollanValley-v0", resident="LL", others="scripted")
>>> _, info = env.reset(seed=0)
>>> for _ in range(3):
...     act = agent.act(irollan_env.observation_of(env))
...     _, reward, terminated, truncated, info = env.step(act.action)
>>> irollan_env.observation_of(env).place
"LL's Home"

Runs take it as ``--mind module:Homebody``. A package that declares an entry point of the group ``irollan.minds``
gives it a name, which ``list_minds`` and ``irollan minds`` then show. An ``act`` that awaits no model may be a plain
function.
"""

from minds.history import History
from minds.hosted import HostedMind, make_resident
from minds.mind import Answer, Mind, MindContext, Stateful
from minds.mind_specs import MindSpec, find_mind, list_minds
from minds.model_client import ModelClient, StepClosed

__all__ = [
    "Answer",
    "History",
    "HostedMind",
    "Mind",
    "MindContext",
    "MindSpec",
    "ModelClient",
    "Stateful",
    "StepClosed",
    "find_mind",
    "list_minds",
    "make_resident",
]
