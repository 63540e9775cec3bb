"""The quick comparison of ways to get a thing chooses what comparing whole plans would choose."""

import random
from collections.abc import Sequence

import pytest

import irollan_env
from irollan_env.tasks.planning import Leg, _lacking, _one, _steps, _treated, length, obtain
from irollan_env.tasks.views import Truth, View

STATUSES = ((), ("clean",), ("hot",), ("clean", "hot"))


def plainly(view: View, leg: Leg, items: Sequence[str], statuses: Sequence[str]) -> tuple[Leg, str] | None:
    """By the plans themselves, of all that can be had."""
    free = [i for i in items if i not in leg.used and view.where(i) is not None and "eaten" not in view.status(i)]
    plans = [(_treated(view, _one(view, leg, item), item, statuses), item) for item in free]
    if not plans:
        return None
    found, item = min(plans, key=lambda way: (way[0].ends, length(way[0])))
    return found._replace(used=found.used | {item}), item


def check(view: View) -> int:
    """For every kind of thing and all it can be made, from here and after another plan; how many were compared."""
    compared = 0
    for kind in view.near.kinds:
        items, start = view.near.items[kind], Leg((), view.place)
        for statuses in STATUSES:
            best = plainly(view, start, items, statuses)
            if best is None:
                continue
            assert obtain(view, start, items, statuses) == best
            if (after := plainly(view, best[0], items, statuses)) is not None:
                assert obtain(view, best[0], items, statuses) == after
            for item in items:
                where = view.where(item)
                if where is not None:
                    steps = _steps(
                        view, start, item, where, _lacking(view.status(item), statuses), view.ways(start.place)
                    )
                    plan = _treated(view, _one(view, start, item), item, statuses)
                    assert steps == (None if plan.ends else length(plan))
            compared += 1
    return compared


@pytest.mark.parametrize("seed", range(2))
def test_along_random_play(seed: int) -> None:
    env = irollan_env.parallel_env(task="cook", expert_plan=True, instance=seed)
    generator, (_, infos), compared = random.Random(seed), env.reset(seed=seed), 0
    for step in range(50):
        actions = {}
        for name, info in infos.items():
            planned = info["expert_plan"][:1] if generator.random() < 0.5 else ()
            actions[name] = generator.choice([*planned, *planned] or info["admissible_actions"])
        *_, infos = env.step(actions)
        if not env.agents:
            break
        if step % 6 == 0:
            compared += sum(check(Truth(env.world, name)) for name in env.agents)
            compared += sum(check(one.known) for one in env.episodes.tasks.by_resident.values())
    assert compared > 150
