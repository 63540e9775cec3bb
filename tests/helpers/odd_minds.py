"""Minds with a fault, and one that is well; tests/helpers/zoo.py has many more."""

import time

from irollan_env.resident import Act


class Well:
    """Says what it did before, and asks the model now and then."""

    def __init__(self, context):
        self.context = context
        self.done = 0

    async def act(self, observation):
        if not observation.admissible:
            return None
        self.done += 1
        words = await self.context.model.generate("words", f"step {self.done} of {self.context.name}", max_tokens=20)
        actions = observation.admissible
        action = actions[int(self.context.generator.integers(len(actions)))]
        return Act(action=action, thought=words)

    def get_state(self):
        return {"done": self.done}

    def set_state(self, state):
        self.done = state["done"]


class Plain(Well):
    """The same as a plain function."""

    def act(self, observation):
        return self.context.model.wait(super().act(observation))


class Raises(Well):
    async def act(self, observation):
        await super().act(observation)
        raise KeyError("no\nsuch thing")


class Exits(Well):
    def act(self, observation):
        raise SystemExit(3)


class Hangs(Well):
    def act(self, observation):
        if observation.time == 1:
            time.sleep(1.2)
            return self.context.model.wait(self.context.model.generate("late", "too late"))
        return None


class Inadmissible(Well):
    def act(self, observation):
        return "go to the moon"


class NoText(Well):
    def act(self, observation):
        return 7


class SaysTooMuch(Well):
    def act(self, observation):
        return Act(action=None, thought="x" * 9000, pleasure=0.5, relevance="much", memories=("a",), calls=(7,))


class KeepsWhatItIsGiven(Well):
    async def act(self, observation):
        self.seen = observation
        return await super().act(observation)


class SwallowsErrors(Well):
    async def act(self, observation):
        try:
            await self.context.model.generate("words", "anything")
        except Exception:
            return None


class CannotBeMade(Well):
    def __init__(self, context):
        raise RuntimeError("not today")


class NoMind:
    """Has no method act."""
