"""Records of small societies, made to measure."""

import numpy as np

SIX = ("AY", "SG", "MD", "WL", "LL", "WM")


def record(time=0, resident="AY", action=None, outcome="executed", place="outside", **values):
    """One record with what measures need; ``values`` replaces any of it."""
    return {
        "time": time,
        "resident": resident,
        "place": place,
        "percepts": [],
        "messages": [],
        "goal": "",
        "admissible": [] if action is None else [action],
        "thought": "",
        "action": action,
        "outcome": outcome,
        "pleasure": 0.0,
        "arousal": 0.0,
        "dominance": 0.0,
        "driver": 0.0,
        "resources": None,
        "topic": None,
    } | values


def chat(other, words="hello there"):
    return f'chat with {other}: "{words}"'


def meeting(turns, *, steps, names=SIX):
    """Everyone outside for so many steps; ``turns`` maps (time, sender) to whom it turns."""
    return [
        record(time, name, chat(turns[time, name]) if (time, name) in turns else None)
        for time in range(steps)
        for name in names
    ]


def blind(seed, *, steps=20, names=SIX, talk=0.5):
    """A society in which everyone turns to anyone, by chance."""
    rng = np.random.default_rng(seed)
    turns = {
        (time, name): str(rng.choice([other for other in names if other != name]))
        for time in range(steps)
        for name in names
        if rng.random() < talk
    }
    return meeting(turns, steps=steps, names=names)


def clique_around(leader, members, *, seed=0, steps=75, names=SIX):
    """Members turn to the leader six times in ten and to each other else; the others turn to anyone, seldom."""
    rng = np.random.default_rng(seed)
    turns = {}
    for time in range(steps):
        for name in names:
            others = [other for other in members if other not in (name, leader)]
            if name == leader:
                turns[time, name] = str(rng.choice([other for other in members if other != leader]))
            elif name in members:
                turns[time, name] = leader if rng.random() < 0.6 else str(rng.choice(others))
            elif rng.random() < 0.1:
                turns[time, name] = str(rng.choice([other for other in names if other != name]))
    return meeting(turns, steps=steps, names=names)
