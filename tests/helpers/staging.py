"""Setting up worlds for tests: who is where, doing and holding what, and what lies where."""

from irollan_env import ValleyMap, World

MAP = ValleyMap.default()
CENTRES = {
    MAP.outside: [25.0, 17.0],
    **{
        area.name: [(area.rectangle.west + area.rectangle.east) / 2, (area.rectangle.south + area.rectangle.north) / 2]
        for area in MAP.areas
    },
}


def stage(*, valley_map=MAP, people=None, doing=None, holding=None, lying=None, status=None, seed=0):
    """A world in which ``people`` (in order of arrival) stand in the middle of places; the rest is as at the start."""
    world = World(valley_map, seed=seed)
    state = world.get_state()
    for name, place in (people or {}).items():
        for names in state["people"].values():
            if name in names:
                names.remove(name)
        state["people"][place].append(name)
        state["residents"][name]["position"] = CENTRES[place]
    for name, what in (doing or {}).items():
        state["residents"][name]["doing"] = what
    for name, items in (holding or {}).items():
        state["residents"][name]["holding"] = list(items)
        for item in items:
            state["items"][item]["on"] = None
    for item, furniture in (lying or {}).items():
        state["items"][item]["on"] = furniture
    for item, statuses in (status or {}).items():
        state["items"][item]["status"] = list(statuses)
    world.set_state(state)
    return world


def do(world, name, action):
    """Let one resident act while the others wait; the action must succeed."""
    outcome = world.step({name: action})[name]
    assert outcome.kind == "executed", (action, outcome)
    return outcome.result


def refused(world, name, action):
    """The reason for which the world refuses an action; nothing but the record of it may change."""
    before = without_record(world)
    outcome = world.step({name: action})[name]
    assert outcome.kind == "inadmissible", (action, outcome)
    assert without_record(world) == before
    prefix = "Nothing happens. "
    assert outcome.result.startswith(prefix)
    return outcome.result.removeprefix(prefix)


def without_record(world):
    """The state but for what every step changes: time, generator, outcomes, messages and events."""
    state = world.get_state()
    for resident in state["residents"].values():
        for key in ("outcome", "result", "messages", "events"):
            del resident[key]
    del state["time"], state["generator"]
    return state
