"""Livelihood: who goes hungry or is out, what people have, and what occupies them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from evaluation.measures.data_frames import by_resident, everyone, rows
from evaluation.measures.indices import gini
from evaluation.measures.social_roles import DEEDS
from irollan_env.naming import kind

HUNGER, FOOD, COIN = "hunger", "food", "coin"
HUNGRY = 0.8
"""Level from which a resident counts as hungry."""

LEAST_DEEDS, LEAST_SHARE = 3, 0.25
"""Deeds of one class, and their share of a resident's deeds with things, that make it an occupation."""

_EASES = f"It eases your {HUNGER}."
_SEATS = frozenset({"bed", "bench", "chair"})


def hardship(frame: pd.DataFrame) -> pd.DataFrame:
    """Hunger and being out, one row per resident; missing where the world has no such need."""
    felt = frame["needs"].map(lambda needs: needs.get(HUNGER, np.nan)).astype("float64")
    out = frame["variables"].map(lambda variables: variables.get("out", 0.0)).astype("float64")
    needs = frame["needs"].map(bool).any()
    measures = {}
    for resident in everyone(frame):
        own = frame["resident"] == resident
        levels = felt[own].dropna()
        measures[resident] = {
            "went_hungry": float((levels >= HUNGRY).any()) if len(levels) else np.nan,
            "hungry_steps": float((levels >= HUNGRY).mean()) if len(levels) else np.nan,
            "went_out": float((out[own] > 0).any()) if needs else np.nan,
        }
    return pd.DataFrame.from_dict(measures, orient="index")


def property_inequality(frame: pd.DataFrame) -> dict[str, float]:
    """Gini coefficient of the food and of the coins that residents have in the last step; missing where none is seen.

    A resident has what it holds, and an equal share of what lies in the home that it began in, as it was seen there
    last. Food is what is named so, and each kind of thing whose use eased hunger in the run.
    """
    eaten = {kind(str(row.target)) for row in rows(frame) if row.primitive == "use" and _EASES in row.result}
    return {"gini_food": _gini(frame, {FOOD, *eaten}), "gini_coins": _gini(frame, {COIN})}


def _gini(frame: pd.DataFrame, kinds: set[str]) -> float:
    held: dict[str, int] = {}
    lying: dict[str, int] = {}
    homes: dict[str, str] = {}
    for row in rows(frame):
        things = [one for one in row.percepts if one["kind"] == "item" and kind(one["name"]) in kinds]
        homes.setdefault(str(row.resident), row.place)
        held[str(row.resident)] = sum(one.get("count", 1) for one in things if one["held"])
        lying[row.place] = sum(one.get("count", 1) for one in things if not one["held"])
    shared = Counter(homes.values())
    has = [held[resident] + lying[home] / shared[home] for resident, home in homes.items()]
    return gini(has) if sum(has) > 0 else np.nan


def occupation(own: pd.DataFrame) -> tuple[str, str] | None:
    """Return the occupation of a resident: the place, and the kind of thing or furniture, of most of its deeds.

    Deeds are executed actions that take, put or use something, but for sitting and lying, and those of the world's own
    primitives that are not done with a person. An occupation takes
    ``LEAST_DEEDS`` of one class and ``LEAST_SHARE`` of all; None where no class has them.

    Args:
        own: The resident's rows of ``actions``.
    """
    at_things = own["primitive"].isin(["take", "put", "use"]) | (~own["primitive"].isin(DEEDS) & own["partner"].isna())
    done = own[(own["outcome"] == "executed") & at_things]
    classes = Counter((row.place, kind(str(row.target))) for row in rows(done))
    deeds = Counter({one: count for one, count in classes.items() if one[1] not in _SEATS})
    most = max(deeds.values(), default=0)
    if most < LEAST_DEEDS or most < LEAST_SHARE * deeds.total():
        return None
    return min(one for one, count in deeds.items() if count == most)


def occupations(frame: pd.DataFrame) -> dict[str, float]:
    """Return how many distinct occupations the residents have."""
    found = {occupation(own) for own in by_resident(frame).values()} - {None}
    return {"occupations": float(len(found))}
