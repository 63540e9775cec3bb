"""Simulated records of societies with known preferences, for testing the social structure tests.

As in the valley, all residents decide at the beginning of a step and act in random order; a turn to a resident that has
just left is not executed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NAMES = ("AY", "SG", "MD", "WL", "LL", "WM")
STEPS = 75
LEADER = NAMES.index("LL")
CLIQUE = tuple(NAMES.index(name) for name in ("AY", "SG", "LL"))
OTHER_CLIQUE = tuple(NAMES.index(name) for name in ("AY", "MD", "WL"))
CAMPS = (CLIQUE, tuple(NAMES.index(name) for name in ("MD", "WL", "WM")))
LEFT_OUT = NAMES.index("MD")

DESIGNS = ("all in one room", "walking about", "two groups by place")
"""Patterns of residents' places."""

TALKS = 0.5
"""Probability that a resident that stays and has company turns to somebody."""

PLACES = 3
MOVES = tuple(np.linspace(0.05, 0.25, len(NAMES)))
"""Probabilities of going elsewhere for residents that walk about."""

HOMES = (0, 0, 0, 1, 0, 1)
VISITS = 0.1

EFFECTS = (
    "none",
    "a leader, x4",
    "a star",
    "somebody left out, /8",
    "a clique, x8",
    "a clique with a leader, x8 and x2",
    "two camps, x4",
    "answers, one in two",
    "a clique that gives way to another, x8",
    "a clique that becomes firmer, x1 to x16",
    "followers, one chance in two",
    "the sociable grow rich",
)
"""Planted effects; a factor multiplies the probability of being turned to among those present."""


@dataclass
class _Society:
    design: str
    effect: str
    rng: np.random.Generator
    where: NDArray[np.int64]
    moves: Floats
    turned: dict[int, int]
    to_follow: dict[int, int]
    resources: Floats


def society(design: str, effect: str, seed: int, steps: int = STEPS) -> list[dict[str, Any]]:
    """Simulate the records of one run.

    Args:
        design: One of ``DESIGNS``.
        effect: One of ``EFFECTS``.
        seed: Seed of all draws.
        steps: Time steps.
    """
    rng = np.random.default_rng([seed, DESIGNS.index(design), EFFECTS.index(effect)])
    where = np.array(HOMES) if design == "two groups by place" else np.zeros(len(NAMES), dtype=np.int64)
    if design == "walking about":
        where = rng.integers(PLACES, size=len(NAMES))
    moves = rng.permutation(MOVES)
    made = _Society(design, effect, rng, where, moves, {}, {}, rng.normal(size=len(NAMES)))
    return [record for time in range(steps) for record in _step(made, time, steps)]


def _step(made: _Society, time: int, steps: int) -> list[dict[str, Any]]:
    """Simulate one time step, and return the record of each resident."""
    began, rng = made.where.copy(), made.rng
    goes = {who: _destination(made, who) for who in range(len(NAMES))}
    weights = preferences(made.effect, time / steps)
    turns: dict[int, int] = {}
    for who in range(len(NAMES)):
        company = [int(other) for other in np.flatnonzero(began == began[who]) if other != who]
        if goes[who] == began[who] and company and rng.random() < TALKS:
            turns[who] = _receiver(made, who, company, weights[who])
    done = []
    for who in rng.permutation(len(NAMES)):
        if who in turns:
            if made.where[turns[who]] == made.where[who]:
                done.append(who)
        else:
            made.where[who] = goes[who]
    made.turned = {who: turns[who] for who in done}
    made.to_follow = _followed(began, made.where)
    for who, other in made.turned.items():
        if made.effect == "the sociable grow rich":
            made.resources[[who, other]] += 0.2
    return [_record(made, time, who, began, turns.get(who), who in done) for who in range(len(NAMES))]


def preferences(effect: str, part: float) -> Floats:
    """Return the relative probability that each resident (row) turns to each other one (column) if present.

    Args:
        effect: One of ``EFFECTS``.
        part: Elapsed share of the run, in [0, 1).

    Returns:
        Shape (residents, residents).
    """
    weights = np.ones((len(NAMES), len(NAMES)))
    if effect.startswith("a clique"):
        members = OTHER_CLIQUE if "gives way" in effect and part >= 0.5 else CLIQUE
        weights[np.ix_(members, members)] = 16**part if "firmer" in effect else 8
    if "a leader" in effect:
        # With a larger factor beside a clique, the other members would hardly turn to each other.
        weights[:, LEADER] *= 2 if "a clique" in effect else 4
    if effect == "a star":
        weights[:, LEADER] = 16
    if effect.startswith("somebody left out"):
        weights[:, LEFT_OUT] = 1 / 8
    if effect.startswith("two camps"):
        for camp in CAMPS:
            weights[np.ix_(camp, camp)] = 4
    return weights


def _destination(made: _Society, who: int) -> int:
    """Draw a resident's next place."""
    here, rng = int(made.where[who]), made.rng
    if made.effect.startswith("followers") and who in made.to_follow and rng.random() < 0.5:
        return made.to_follow[who]
    if made.design == "walking about":
        return int(here + rng.integers(1, PLACES)) % PLACES if rng.random() < made.moves[who] else here
    if made.design == "two groups by place":
        return 1 - HOMES[who] if here == HOMES[who] and rng.random() < VISITS else HOMES[who]
    return here


def _followed(began: NDArray[np.int64], now: NDArray[np.int64]) -> dict[int, int]:
    """Return the leader's new place for each resident that the leader left behind in this step."""
    if began[LEADER] == now[LEADER]:
        return {}
    stayed = np.flatnonzero((began == began[LEADER]) & (now == began))
    return {int(who): int(now[LEADER]) for who in stayed}


def _receiver(made: _Society, who: int, company: list[int], weights: Floats) -> int:
    """Draw the receiver of a resident's turn among those present."""
    callers = [other for other in company if made.turned.get(other) == who]
    if made.effect.startswith("answers") and callers and made.rng.random() < 0.5:
        return int(made.rng.choice(callers))
    own = weights[company]
    return int(made.rng.choice(company, p=own / own.sum()))


def _record(
    made: _Society, time: int, who: int, began: NDArray[np.int64], receiver: int | None, turned: bool
) -> dict[str, Any]:
    action = "use chair 1"
    if receiver is not None:
        action = f'chat with {NAMES[receiver]}: "hello"'
    elif made.where[who] != began[who]:
        action = f"go to place {made.where[who]}"
    company = [NAMES[other] for other in np.flatnonzero(began == began[who]) if other != who]
    return {
        "time": time,
        "resident": NAMES[who],
        "place": f"place {began[who]}",
        "action": action,
        "outcome": "executed" if receiver is None or turned else "inadmissible",
        "admissible": [f"chat with {name}: ..." for name in company],
        "resources": float(made.resources[who]),
        **dict.fromkeys(("pleasure", "arousal", "dominance", "driver", "topic"), 0.0),
        **dict.fromkeys(("goal", "thought"), ""),
        "percepts": [],
        "messages": [],
    }
