"""IrollanValley: a text sandbox of eight areas and six residents (section 5.1 of the ITCMA-S paper).

Importing the package registers the Gymnasium environments: ``IrollanValley-v0``, and one for each family of tasks, such
as ``IrollanValleyFetch-v1``. ``parallel_env`` and ``env`` make the PettingZoo environments; ``World`` is the valley
itself; ``irollan_env.tasks`` has the tasks. ``docs/environment.md`` shows each by example.
"""

import gymnasium
import pettingzoo

from irollan_env.actions import Action, Primitive, Refusal, chat_with
from irollan_env.environments.aec import IrollanValleyAECEnv, env
from irollan_env.environments.gymnasium_env import IrollanValleyEnv
from irollan_env.environments.parallel import IrollanValleyParallelEnv, parallel_env
from irollan_env.map.catalogue import Catalogue
from irollan_env.map.generate import generate_towns, generate_valley
from irollan_env.map.valley_map import ValleyMap
from irollan_env.policies.policy_resident import PolicyResident, ScriptedResident
from irollan_env.policies.simple import POLICIES, Policy, get_policy
from irollan_env.resident import Act, Resident
from irollan_env.tasks import ALONE
from irollan_env.world.acting import Outcome
from irollan_env.world.events import Event
from irollan_env.world.observation import Message, Observation, OutcomeKind, Percept, PerceptKind
from irollan_env.world.world import World

__all__ = [
    "POLICIES",
    "Act",
    "Action",
    "Catalogue",
    "Event",
    "IrollanValleyAECEnv",
    "IrollanValleyEnv",
    "IrollanValleyParallelEnv",
    "Message",
    "Observation",
    "Outcome",
    "OutcomeKind",
    "Percept",
    "PerceptKind",
    "Policy",
    "PolicyResident",
    "Primitive",
    "Refusal",
    "Resident",
    "ScriptedResident",
    "ValleyMap",
    "World",
    "chat_with",
    "env",
    "generate_towns",
    "generate_valley",
    "get_policy",
    "parallel_env",
]

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
