"""Tasks: goals that a resident is given, with a check, a reward and an expert's plan.

ALFWorld's families carried to the valley (fetch, clean and place, heat and place, find), and social ones (deliver to a
person, tell a person something and have it acknowledged, bring people together).
"""

from irollan_env.tasks.assigned_task import REWARDS, AssignedTask
from irollan_env.tasks.deliver import Deliver
from irollan_env.tasks.episode import AssignedTasks, assign_tasks
from irollan_env.tasks.families import FAMILIES, SPLITS, make_task, task_from_json
from irollan_env.tasks.fetch import CleanAndPlace, Fetch, HeatAndPlace
from irollan_env.tasks.find import Find
from irollan_env.tasks.gather import Gather
from irollan_env.tasks.task import Task
from irollan_env.tasks.tell import Tell

__all__ = [
    "FAMILIES",
    "REWARDS",
    "SPLITS",
    "AssignedTask",
    "AssignedTasks",
    "CleanAndPlace",
    "Deliver",
    "Fetch",
    "Find",
    "Gather",
    "HeatAndPlace",
    "Task",
    "Tell",
    "assign_tasks",
    "make_task",
    "task_from_json",
]
