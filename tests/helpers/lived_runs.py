"""Short runs of the scripted model, without a report."""

from configs import run_config

from evaluation.runs.start import start

LEAST_ACTIONS = {
    "imagination": 1,
    "activated memory": 3,
    "all of long-term memory": 3,
    "retention": 1,
    "protention": 8,
    "emotion": 4,
    "pleasure": 2,
    "driver": 3,
    "elimination": 1,
    "topic": 2,
    "resources": 1,
    "habitus": 2,
    "weight answer": 5,
    "rule errands": 1,
    "rule worn_out": 1,
    "rule out_of_place": 1,
}
"""Mechanism -> how many actions its removal changes in 11 steps, at least: what decides is not cut off."""


class Silent:
    """A progress that shows nothing."""

    def say(self, text): ...

    def begin(self, done, steps, *, meanwhile=""): ...

    def act(self, name): ...

    def step(self, step): ...

    def end(self): ...


def lived(path, **chosen):
    """Live a run with one checkpoint, at its end."""
    configuration = run_config(model="scripted", checkpoint_every=1000, **chosen)
    return start(configuration, Silent(), out=path, write_report=None).directory
