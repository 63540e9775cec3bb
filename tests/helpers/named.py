"""The paper's valley with people whose names are of every kind."""

from irollan_env import ValleyMap

NAMES = ("Anna", "Dr. Li", "Jean-Luc", "O'Brien", "李雷", "AY")
NAMED = ValleyMap.default().with_names(NAMES)
