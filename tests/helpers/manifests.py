"""The manifest of a run that somebody put together by hand."""

from configs import run_config


def made_up_manifest(**values):
    """Everything that a manifest must have; `values` replace its own."""
    configuration = values.pop("configuration", None) or {"given": {}, "effective": run_config().to_json()}
    return {
        "status": "finished",
        "steps_done": 0,
        "started": "2026-11-21T21:04:00+00:00",
        "seconds": 1.0,
        "configuration": configuration,
        "mechanisms": {},
        "seeds": {},
        "models": {},
        "versions": {},
        "git_revision": None,
        "prices": {},
        **values,
    }
