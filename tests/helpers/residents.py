"""Residents without a mind."""

from irollan_env.policies.simple import scripted_policy
from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.resident import Act


class RandomResident:
    """Draws what it does, and can be made to break or to fail at a time step."""

    def __init__(self, name, generator, *, breaks=(), fails=(), waits=()):
        self.name = name
        self.generator = generator
        self.breaks, self.fails, self.waits = breaks, fails, waits
        self.seen = []

    async def act(self, observation):
        self.seen.append(observation)
        if observation.time in self.breaks:
            raise KeyError("a defect")
        if observation.time in self.fails:
            return Act(action=None, failure="no answer")
        if observation.time in self.waits:
            return Act(action=None)
        return Act(action=scripted_policy(observation, self.generator), pleasure=0.5, goal="live", calls=(3,))

    def get_state(self):
        return {"generator": generator_state(self.generator)}

    def set_state(self, state):
        self.generator = restored_generator(state["generator"])
