"""The valley as a PettingZoo AEC environment: residents are asked one after the other, and then all act."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import parallel_to_aec

from irollan_env.parallel import parallel_env


def env(**arguments: Any) -> AECEnv:
    """The valley with one resident asked at a time; the world moves when all have answered.

    Spaces, rewards and info are those of ``parallel_env``, and so are the arguments.
    """
    return parallel_to_aec(parallel_env(**arguments))
