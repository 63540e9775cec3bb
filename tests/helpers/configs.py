"""Configurations from the short names of keys: ``run_config(model="scripted", rank_by="company")``."""

from evaluation.runs.run_config import KEYS, RunConfig
from evaluation.sweeps.cells import short_key

_PATHS = {short_key(path): path for path in KEYS}


def run_config(**keys):
    return RunConfig.from_keys({_PATHS[name]: value for name, value in keys.items()})
