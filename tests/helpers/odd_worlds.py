"""World classes with faults."""

import sys
import time

from irollan_env import Mechanic


class Raises(Mechanic):
    def after_step(self, world):
        if world.time == 3:
            raise KeyError("no till")


class Exits(Mechanic):
    def observe(self, world, resident):
        if world.time == 2:
            sys.exit(3)
        return []


class Hangs(Mechanic):
    def before_step(self, world):
        while world.time == 2:
            try:
                time.sleep(0.01)
            except Exception:
                continue


class Forgets(Mechanic):
    def __init__(self):
        self.steps = 0

    def after_step(self, world):
        self.steps += 1

    def variables(self, world, resident):
        return {} if resident else {"steps": self.steps}


class ForgetsToRestore(Forgets):
    def variables(self, world, resident):
        return {}

    def get_state(self):
        return {"steps": self.steps}


class CountsQuestions(Forgets):
    def after_step(self, world):
        pass

    def observe(self, world, resident):
        self.steps += 1
        return [f"Asked {self.steps} times."]


class KeepsNumbers(Forgets):
    def get_state(self):
        return {self.steps: "steps"}

    def set_state(self, state):
        [self.steps] = map(int, state)


class KeepsSets(Forgets):
    def get_state(self):
        return {1}


class NeedsArguments(Mechanic):
    def __init__(self, tax):
        self.tax = tax


class Misspelt(Mechanic):
    def after_steps(self, world):
        pass


class Measures(Mechanic):
    def measures(self, world):
        return {}


class LacksWorld(Mechanic):
    def after_step(self):
        pass


class Awaits(Mechanic):
    async def after_step(self, world):
        pass


class CannotBeMade(Mechanic):
    def __init__(self):
        raise OSError("no table of taxes")


class NoMechanic:
    pass
