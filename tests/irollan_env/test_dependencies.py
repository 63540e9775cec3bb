"""``import irollan_env`` needs numpy, Gymnasium and PettingZoo, and nothing else of this project or of others."""

import re
import subprocess
import sys
from functools import cache
from importlib import metadata

NEEDED = ("numpy", "gymnasium", "pettingzoo")

SCRIPT = """
import sys


class OnlyThese:
    '''Finds nothing of other packages, as if they were not installed.'''

    def find_spec(self, name, path=None, target=None):
        room = name.partition(".")[0]
        if room not in allowed and room not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {name!r}: it is not among what irollan_env needs", name=name)


allowed = {"irollan_env", *sys.argv[1].split()}
sys.meta_path.insert(0, OnlyThese())
import gymnasium
import irollan_env

env = gymnasium.make("IrollanValleyFetch-v1")
observation, info = env.reset(seed=0)
assert "You are in" in env.step(info["admissible_actions"][0])[0]
society = irollan_env.parallel_env(task="random")
observations, infos = society.reset(seed=0)
society.step({name: info["admissible_actions"][0] for name, info in infos.items()})
turns = irollan_env.env()
turns.reset(seed=0)
turns.step("wait")
print("stepped")
"""


def modules_of(distribution):
    """The modules of a distribution and of what it cannot do without; nothing of one that is not installed."""
    found = set(modules_by_distribution().get(normal(distribution), ()))
    for requirement in (metadata.requires(distribution) or ()) if found else ():
        name, _, marker = requirement.partition(";")
        if "extra" not in marker:
            found |= modules_of(re.split(r"[^\w.-]", name.strip(), maxsplit=1)[0])
    return found


def normal(distribution):
    """A distribution's name in the one form that the index of packages knows."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@cache
def modules_by_distribution():
    modules = {}
    for module, owners in metadata.packages_distributions().items():
        for owner in owners:
            modules.setdefault(normal(owner), set()).add(module)
    return modules


def test_the_environments_step_with_three_packages_alone():
    allowed = " ".join(sorted(set().union(*(modules_of(name) for name in NEEDED))))
    assert "torch" not in allowed.split()
    assert "pydantic" not in allowed.split()
    done = subprocess.run([sys.executable, "-c", SCRIPT, allowed], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("stepped\n", 0), done.stderr
