"""Tasks: goals for residents, with a success check, a reward and an expert's plan.

ALFWorld's families carried to the valley (fetch, find, clean, heat), longer ones, social ones, and such that nobody can
solve alone. ``families`` draws tasks in a valley, ``instances`` those of the benchmark, each in a valley of its own.
"""

from irollan_env.tasks.assigned_task import REWARDS, AssignedTask
from irollan_env.tasks.deliver import Await, Deliver, ReturnLost
from irollan_env.tasks.episode import CREDITS, AssignedTasks, assign_tasks
from irollan_env.tasks.errands import Errands, InOrder, InTime
from irollan_env.tasks.families import (
    ALONE,
    FAMILIES,
    HELD_OUT,
    SPLITS,
    TOGETHER,
    make_task,
    make_tasks,
    task_from_json,
)
from irollan_env.tasks.fetch import CleanAndPlace, CookAndPlace, Fetch, Find, HeatAndPlace
from irollan_env.tasks.gather import Gather
from irollan_env.tasks.instances import PER_SPLIT, instance_hash, instance_map, instance_name, instance_tasks, level_of
from irollan_env.tasks.meal import Eat
from irollan_env.tasks.shared_things import CarryTogether, ShareStore
from irollan_env.tasks.task import Task
from irollan_env.tasks.tell import Tell
from irollan_env.tasks.together import PassOn, SitTogether
from irollan_env.tasks.trade import Trade

__all__ = [
    "ALONE",
    "CREDITS",
    "FAMILIES",
    "HELD_OUT",
    "PER_SPLIT",
    "REWARDS",
    "SPLITS",
    "TOGETHER",
    "AssignedTask",
    "AssignedTasks",
    "Await",
    "CarryTogether",
    "CleanAndPlace",
    "CookAndPlace",
    "Deliver",
    "Eat",
    "Errands",
    "Fetch",
    "Find",
    "Gather",
    "HeatAndPlace",
    "InOrder",
    "InTime",
    "PassOn",
    "ReturnLost",
    "ShareStore",
    "SitTogether",
    "Task",
    "Tell",
    "Trade",
    "assign_tasks",
    "instance_hash",
    "instance_map",
    "instance_name",
    "instance_tasks",
    "level_of",
    "make_task",
    "make_tasks",
    "task_from_json",
]
