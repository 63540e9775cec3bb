"""What the tests of a run come to, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd


def draw_conclusions(
    tests: pd.DataFrame, cliques: pd.DataFrame, residents: pd.DataFrame, leader: str | None, alpha: float
) -> tuple[str, ...]:
    """Sentences about leader, clique, those left out, and who is followed.

    That a clique formed around a leader is said only if the leader, the clique around it, and its lead within the
    clique are all beyond chance at the level alpha; all must hold, so that the sentence as a whole has that level too
    (Berger 1982).

    Args:
        tests: Of ``SocialStructure``.
        cliques: Of ``SocialStructure``.
        residents: Of ``SocialStructure``.
        leader: Of ``SocialStructure``.
        alpha: The level.
    """
    if leader is None:
        return ("Nobody turned to anybody, so that there is no social structure to test.",)
    p = tests["p"]
    leads, gathers = p["leader"] <= alpha, p["clique around the leader"] <= alpha
    around = cliques[cliques["leader"]]
    said = []
    if leads and gathers:
        said.append(_led_clique(p, around["members"].iloc[0], leader, alpha))
    elif leads:
        said.append(
            f"{leader} is turned to more than who was there explains ({_p(p['leader'])}), but no clique around "
            f"{leader} was found ({_p(p['clique around the leader'])})."
        )
    else:
        said.append(
            f"No leader was found: whom others turn to may follow from who was there (most sought beyond that is "
            f"{leader}, {_p(p['leader'])})."
        )
    if p["clique"] <= alpha and not (leads and gathers):
        said.append(
            f"There is a clique{' elsewhere' if leads else ''}: {_listed(cliques['members'].iloc[0])} "
            f"({_p(p['clique'])})."
        )
    if p["clique"] <= alpha:
        beyond = p["clique beyond popularity"] <= alpha
        said.append(
            f"How active and how popular everyone is {'does not explain' if beyond else 'may explain'} such ties "
            f"({_p(p['clique beyond popularity'])})."
        )
    left_out = list(residents.index[residents["p_left_out"] <= alpha])
    if left_out:
        said.append(f"Left out though there: {_listed(left_out)} ({_p(p['left out'])}).")
    followed = list(residents.index[residents["p_followed"] <= alpha])
    if followed:
        said.append(f"Followed from place to place: {_listed(followed)} ({_p(p['followed leader'])}).")
    return tuple(said)


def _led_clique(p: pd.Series[float], members: tuple[str, ...], leader: str, alpha: float) -> str:
    """Whether a clique around who is turned to most has a leader in it, or only members that are much alike."""
    clique, within = _p(p["clique around the leader"]), _p(p["leader within the clique"])
    if p["leader within the clique"] <= alpha:
        return (
            f"A clique formed around a leader: {_listed(name for name in members if name != leader)} around {leader} "
            f"(leader {_p(p['leader'])}, clique {clique}, ahead of all others in it {within})."
        )
    return (
        f"There is a clique, in which no leader was found: {_listed(members)} ({clique}). {leader} is turned to "
        f"more than who was there explains ({_p(p['leader'])}), but was not found to be ahead of all in it ({within})."
    )


def _p(value: float) -> str:
    return f"p = {value:.3f}"


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
