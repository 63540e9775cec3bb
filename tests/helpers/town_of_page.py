"""The world class of docs/worlds.md, run as it stands there, and one that offers an action."""

import re

from project import DOCS

from irollan_env import Action, Mechanic

SOURCE, _ = re.findall(
    r"^```python\n(.*?)^```", (DOCS / "worlds.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
exec(SOURCE)


class Bell(Mechanic):
    """A bell outside, which ends the world at its third stroke."""

    def __init__(self):
        self.strokes = 0

    def offers(self, world, resident):
        return [Action("use bell 1")] if world.place_of(resident) == "outside" else []

    def perform(self, world, resident, action):
        if action != "use bell 1":
            return None
        self.strokes += 1
        self.ended = "The bell has rung three times." if self.strokes == 3 else ""
        return "The bell rings."

    def needs(self, world, resident):
        return {"noise": self.strokes / 3}

    def every_action(self, valley_map):
        return [Action("use bell 1")]

    def get_state(self):
        return [self.strokes, self.ended]

    def set_state(self, state):
        self.strokes, self.ended = state
