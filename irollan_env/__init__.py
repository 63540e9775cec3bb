"""IrollanValley: a text sandbox of eight areas and six residents (section 5.1 of the ITCMA-S paper).

Importing the package registers the Gymnasium environments: ``IrollanValley-v0``, and one for each family of tasks, such
as ``IrollanValleyFetch-v1``. ``parallel_env`` and ``env`` make the PettingZoo environments, ``World`` is the valley
itself.

>>> import gymnasium, irollan_env
>>> env = gymnasium.make("irollan_env:IrollanValley-v0", resident="LL")
>>> observation, info = env.reset(seed=0)
>>> observation, reward, terminated, truncated, info = env.step("go to outside")
>>> info["result"]
'You go to outside.'
>>> irollan_env.observation_of(env).place
'outside'

``load_map`` takes the name of a map, ``towns:N``, ``drawn:SEED`` or a map file, as ``map`` of an environment does. The
modules ``tasks`` and ``wrappers`` have the tasks and the wrappers for learners. The HTTP client and server,
``RemoteParallelEnv`` and ``create_app``, need the extra ``irollan-valley[server]``, and are imported when they are
first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from irollan_env import tasks
from irollan_env.actions import SILENCE, Action, Primitive, Refusal, chat_with
from irollan_env.environments import wrappers
from irollan_env.environments.aec import IrollanValleyAECEnv, env
from irollan_env.environments.gymnasium_env import IrollanValleyEnv
from irollan_env.environments.info import observation_of
from irollan_env.environments.parallel import IrollanValleyParallelEnv, parallel_env
from irollan_env.map.catalogue import Catalogue
from irollan_env.map.generate import generate_towns, generate_valley
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.policies.neighbour import Neighbour
from irollan_env.policies.policy_resident import PolicyResident, ScriptedResident
from irollan_env.policies.simple import POLICIES, Policy, get_policy
from irollan_env.resident import Act, Interviewable, Overridable, Resident
from irollan_env.sync_resident import SyncResident
from irollan_env.tasks import ALONE
from irollan_env.world.acting import Outcome
from irollan_env.world.events import Event
from irollan_env.world.mechanic import Change, Mechanic, MechanicError
from irollan_env.world.observation import Message, Observation, OutcomeKind, Percept, PerceptKind
from irollan_env.world.world import World

if TYPE_CHECKING:
    from irollan_env.client import RemoteParallelEnv, SessionClosed
    from irollan_env.server.app import create_app

__version__ = "0.1.0"
"""Version of the distribution irollan-valley; pyproject.toml reads it from here."""

__all__ = [
    "POLICIES",
    "SILENCE",
    "Act",
    "Action",
    "Catalogue",
    "Change",
    "Event",
    "Interviewable",
    "IrollanValleyAECEnv",
    "IrollanValleyEnv",
    "IrollanValleyParallelEnv",
    "Mechanic",
    "MechanicError",
    "Message",
    "Neighbour",
    "Observation",
    "Outcome",
    "OutcomeKind",
    "Overridable",
    "Percept",
    "PerceptKind",
    "Policy",
    "PolicyResident",
    "Primitive",
    "Refusal",
    "RemoteParallelEnv",
    "Resident",
    "ScriptedResident",
    "SessionClosed",
    "SyncResident",
    "ValleyMap",
    "World",
    "chat_with",
    "create_app",
    "env",
    "generate_towns",
    "generate_valley",
    "get_policy",
    "load_map",
    "observation_of",
    "parallel_env",
    "tasks",
    "wrappers",
]

_LAZY = {
    "RemoteParallelEnv": "irollan_env.client",
    "SessionClosed": "irollan_env.client",
    "create_app": "irollan_env.server.app",
}


def __getattr__(name: str) -> Any:
    """Import what needs an extra on first use."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


gymnasium.register(id="IrollanValley-v0", entry_point="irollan_env.environments.gymnasium_env:IrollanValleyEnv")
pettingzoo.register("parallel", "IrollanValley-v0", entry_point="irollan_env.environments.parallel:parallel_env")
pettingzoo.register("aec", "IrollanValley-v0", entry_point="irollan_env.environments.aec:env")
TASK_STEPS = 150

for _family, _task in ALONE.items():
    gymnasium.register(
        id=f"IrollanValley{_task.__name__}-v1",
        entry_point="irollan_env.environments.gymnasium_env:IrollanValleyEnv",
        kwargs={"task": _family, "others": "neighbour", "max_steps": TASK_STEPS},
    )
