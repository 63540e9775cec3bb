"""Tasks of eating things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from irollan_env.actions import Primitive
from irollan_env.naming import some
from irollan_env.tasks.neighbourhood import Neighbourhood, neighbourhood_of
from irollan_env.tasks.planning import Leg, do, obtain
from irollan_env.tasks.task import LOST, SOLVED, Drawing, Moment, Own, Progress, check_named
from irollan_env.tasks.views import View


@dataclass(frozen=True, kw_only=True)
class Eat(Own):
    """Task of eating an item of a kind while it is clean and hot; eaten otherwise it is wasted, and there are two.

    Attributes:
        kind: The kind of the item: ``"fish"``.
    """

    family: ClassVar[str] = "eat"
    kind: str

    @property
    def own_words(self) -> str:
        """The goal, such as ``"Wash and heat a fish, and eat it hot; what is eaten otherwise is wasted."``."""
        return f"Wash and heat {some(self.kind)}, and eat it hot; what is eaten otherwise is wasted."

    def check(self, near: Neighbourhood, resident: str) -> None:
        """Implement ``Task.check``."""
        check_named(self.family, "kind of item", self.kind, near.kinds)
        if "eaten" not in near.becomes(self.kind):
            raise ValueError(f"an 'eat' task needs a kind that can be eaten, got {self.kind!r}")

    def advance(self, progress: Progress, moment: Moment) -> Progress:
        """Implement ``Task.advance``: solved when one is eaten clean and hot, lost when all are eaten."""
        near, world, action = neighbourhood_of(moment.world.map.tables, moment.resident), moment.world, moment.action
        items = near.items[self.kind]
        used = action.target if action is not None and action.primitive is Primitive.USE else None
        if used in items and {"clean", "hot"} <= set(world.status_of(used)):
            return {**progress, SOLVED: moment.time}
        wasted = all("eaten" in world.status_of(item) for item in items)
        return {**progress, LOST: moment.time} if wasted else progress

    def leg(self, progress: Progress, view: View, start: Leg) -> Leg:
        """Implement ``Task.leg``."""
        leg, item = obtain(view, start, view.near.items[self.kind], ("clean", "hot"))
        return do(leg, f"use {item}")

    @classmethod
    def draw(cls, drawing: Drawing) -> Self:
        """Draw a task for a resident."""
        near = drawing.near
        return cls(kind=drawing.any([kind for kind in drawing.kinds() if "eaten" in near.becomes(kind)]))
