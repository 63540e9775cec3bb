"""A world class for tests: people come and go, someone calls out, food is eaten, and a tax is counted."""

from irollan_env.world.mechanic import Mechanic


class TownRules(Mechanic):
    """WL arrives in step 2, SG leaves after step 3, and everybody grows hungry."""

    name = "town"
    version = "2"

    def __init__(self):
        self.tax = 0

    def begin(self, world):
        world.move_resident("WL", None, cause="not yet here")

    def before_step(self, world):
        if world.time == 2:
            world.move_resident("WL", "AY's Home", cause="arrived")

    def after_step(self, world):
        self.tax += 1 + int(world.random.integers(3))
        if world.time == 4:
            world.move_resident("SG", None, cause="left")
        if world.time % 2:
            world.announce("town crier", f"The tax is {self.tax} coins.")

    def needs(self, world, resident):
        return {"hunger": min(1.0, world.time / 10)}

    def variables(self, world, resident):
        return {"tax": self.tax} if resident is None else {"paid": self.tax / 2}

    def get_state(self):
        return self.tax

    def set_state(self, state):
        self.tax = state


class Crier(Mechanic):
    """Calls out to everybody in each step, and to LL alone."""

    def after_step(self, world):
        world.announce("town crier", f"The mill burned down at {world.time}.")
        world.announce("town hall", "LL owes a coin.", resident="LL")
