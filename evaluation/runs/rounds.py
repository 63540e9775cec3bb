"""Who acts when in a time step in which residents take turns (section 4.2.1)."""

from __future__ import annotations

from collections import Counter

from irollan_env.world.world import World


def rounds(world: World) -> list[list[str]]:
    """The residents by round: in the first, one of each place decides, in the second another one of each, and so on.

    Places thus go on side by side, and there are as many rounds as there are people where most are. The order within
    each place is drawn by the world; who is where is taken from the beginning of the step.
    """
    found: list[list[str]] = []
    decided = Counter[str]()
    for name in world.turn_order():
        place = world.place_of(name)
        if decided[place] == len(found):
            found.append([])
        found[decided[place]].append(name)
        decided[place] += 1
    return found
