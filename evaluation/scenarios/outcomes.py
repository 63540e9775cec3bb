"""Outcomes of scenarios: scores computed from the world's ledger, without a judge.

Each takes the ledger of a run and the parameters of the scenario, and returns a score in [0, 1]. What parameters an
outcome has is in ``PARAMETERS``. A scenario may name one of its author's own, as ``module:function``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Real
from typing import Any

from evaluation.scenarios.ledger import Ledger
from irollan_env.hints import did_you_mean
from irollan_env.map.tables import Tables
from irollan_env.naming import kind, owner
from language_models.packages import import_object

Outcome = Callable[[Ledger, Mapping[str, Any]], float]


class OutcomeError(ValueError):
    """Raised when an outcome cannot be found or called, raises, or returns no number in [0, 1]."""


def returned(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Share of misplaced items that are with their owners at the end.

    Args:
        ledger: Ledger of the run.
        parameters: None.
    """
    tables = ledger.valley_map.tables
    owned = [(item, str(owner(item))) for item in tables.items if owner(item) in tables.resident_number]
    lost = [(item, who) for item, who in owned if not ledger.is_with(ledger.before, item, who)]
    return _share(ledger.is_with(ledger.after, item, who) for item, who in lost)


def hot_meal(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Largest share of residents in one place at the same time with hot food in their hands.

    Args:
        ledger: Ledger of the run.
        parameters: "place", where.
    """
    together: dict[int, int] = {}
    for record in ledger.records:
        hot = any(one["held"] and "hot" in one["status"] and kind(one["name"]) == "food" for one in record["percepts"])
        if hot and record["place"] == parameters["place"]:
            together[record["time"]] = together.get(record["time"], 0) + 1
    return max(together.values(), default=0) / len(ledger.residents)


def news(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Share of residents who heard the truth, minus the share who heard something false.

    Args:
        ledger: Ledger of the run.
        parameters: "source", the resident who knows the news; "true" and "false", regular expressions.
    """
    true, false = (re.compile(parameters[key], re.IGNORECASE) for key in ("true", "false"))
    others = [name for name in ledger.residents if name != parameters["source"]]
    heard = {name: [m["text"] for record in ledger.of(name) for m in record["messages"]] for name in others}
    reached = _share(any(true.search(text) for text in heard[name]) for name in others)
    misled = _share(any(false.search(text) and not true.search(text) for text in heard[name]) for name in others)
    return max(0.0, reached - misled)


def commons(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Consumption from a regrowing store, as a share of what is enough, times its evenness; 0 if the store is empty.

    Args:
        ledger: Ledger of the run.
        parameters: "store", the furniture; "enough", the number of pieces of food that suffice per resident.
    """
    food = [item for name, item in ledger.after["items"].items() if kind(name) == "food"]
    if not any(item["on"] in parameters["store"] and "eaten" not in item["status"] for item in food):
        return 0.0
    eaten, enough = [ledger.eaten(name) for name in ledger.residents], int(parameters["enough"])
    return sum(min(one, enough) for one in eaten) / (enough * len(eaten)) * (1 - _gini(eaten))


def trade(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Share of pairs in which both have an item that they want and the other had.

    Args:
        ledger: Ledger of the run.
        parameters: "pairs", lists of two residents; "wants", the kind of item wanted by each resident.
    """

    def has_its_wish(who: str, other: str) -> bool:
        wanted = [
            item for item in ledger.before["residents"][other]["holding"] if kind(item) == parameters["wants"][who]
        ]
        return any(ledger.is_with(ledger.after, item, who) for item in wanted)

    return _share(has_its_wish(one, other) and has_its_wish(other, one) for one, other in parameters["pairs"])


def promise(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Share of the evaluated residents who were at the promised place in time.

    Args:
        ledger: Ledger of the run.
        parameters: "place"; "at", the time step, counted from 0.
    """
    at = parameters["at"]
    there = {one["resident"] for one in ledger.records if one["time"] == at and one["place"] == parameters["place"]}
    return _share(name in there for name in ledger.focal)


def taken_in(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Integration of a newcomer: the share of being spoken to, being given an item, and ending in company.

    Args:
        ledger: Ledger of the run.
        parameters: "newcomer".
    """
    who = parameters["newcomer"]
    own = ledger.of(who)
    spoken_to = any(m["addressee"] == who and m["text"] != "..." for record in own for m in record["messages"])
    in_company = any(len(people) > 1 for people in ledger.after["people"].values() if who in people)
    return _share([spoken_to, bool(ledger.handed_to(who)), in_company])


def kept(ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Share of the items of a kind that are in their place at the end, held by nobody.

    Args:
        ledger: Ledger of the run.
        parameters: "place"; "sort", the kind of item.
    """
    things = [
        item
        for item in ledger.valley_map.tables.items
        if kind(item) == parameters["sort"] and ledger.place_of_item(ledger.before, item) == parameters["place"]
    ]
    return _share(
        ledger.holder(ledger.after, item) is None and ledger.place_of_item(ledger.after, item) == parameters["place"]
        for item in things
    )


OUTCOMES: Mapping[str, Outcome] = {
    "returned": returned,
    "hot meal": hot_meal,
    "news": news,
    "commons": commons,
    "trade": trade,
    "promise": promise,
    "taken in": taken_in,
    "kept": kept,
}
"""Outcomes by name."""

PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "returned": {},
    "hot meal": {"place": "place"},
    "news": {"source": "resident", "true": "pattern", "false": "pattern"},
    "commons": {"store": "furniture", "enough": "count"},
    "trade": {"pairs": "pairs", "wants": "kinds by resident"},
    "promise": {"place": "place", "at": "time step"},
    "taken in": {"newcomer": "resident"},
    "kept": {"place": "place", "sort": "kind"},
}
"""Parameters of each outcome with what they are; all of them are needed."""

_IN_WORDS = {
    "furniture": "a list of furniture",
    "pairs": "a list of pairs of residents",
    "kinds by resident": "a kind of item for each resident of the pairs",
}


def find_outcome(name: str) -> Outcome:
    """Find an outcome by name, or import ``module:function``; the module may be a file in the working directory.

    Raises:
        OutcomeError: for an unknown name, or what cannot be imported or called with a ledger and parameters.
    """
    if name in OUTCOMES:
        return OUTCOMES[name]
    if not all(name.partition(":")):
        hint = did_you_mean(name, OUTCOMES) or f"; it must be one of {', '.join(OUTCOMES)}, or module:function"
        raise OutcomeError(f"unknown outcome {name!r}{hint}")
    try:
        found: Outcome = import_object(f"the outcome {name!r}", name)
    except ValueError as error:
        raise OutcomeError(str(error)) from error
    try:
        inspect.signature(found).bind(None, {})
    except (TypeError, ValueError) as error:
        raise OutcomeError(
            f"the outcome {name!r} must be a function of a ledger and the parameters, such as def mine(ledger, "
            f"parameters), and is not: {error}"
        ) from error
    return found


def compute(name: str, ledger: Ledger, parameters: Mapping[str, Any]) -> float:
    """Compute an outcome.

    Args:
        name: As of ``find_outcome``.
        ledger: Ledger of the run.
        parameters: As in the file of the scenario.

    Raises:
        OutcomeError: as ``find_outcome``, or if a function of one's own raises, or returns no number in [0, 1].
    """
    outcome = find_outcome(name)
    try:
        value = outcome(ledger, parameters)
    except (Exception, SystemExit) as error:
        if name in OUTCOMES:
            raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise OutcomeError(f"the outcome {name!r} raised {reason}") from error
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= value <= 1:
        raise OutcomeError(f"the outcome {name!r} must return a number from 0 to 1, got {repr(value)[:100]}")
    return float(value)


def meaning(name: str) -> str:
    """Describe in one sentence what an outcome counts: the first line of its docstring."""
    return (find_outcome(name).__doc__ or f"As {name} counts it.").strip().partition("\n")[0]


def check_parameters(outcome: str, parameters: Mapping[str, Any], tables: Tables) -> None:
    """Check that an outcome can be computed from its parameters; one of its author's own takes any.

    Args:
        outcome: Its name.
        parameters: As in the file of a scenario.
        tables: Of the map.

    Raises:
        ValueError: for a parameter that is missing, unknown, or no value of its kind.
    """
    if outcome not in OUTCOMES:
        return
    asked = PARAMETERS[outcome]
    for name in parameters:
        if name not in asked:
            known = ", ".join(asked) or "none"
            raise ValueError(f"unknown parameter {name!r} of the outcome {outcome!r}: it takes {known}")
    people, kinds = tables.resident_number, {kind(item) for item in tables.items}

    def is_one(value: Any, known: Collection[str]) -> bool:
        return isinstance(value, str) and value in known

    for name, what in asked.items():
        told = _IN_WORDS.get(what, f"a {what}")
        if name not in parameters:
            raise ValueError(f"the outcome {outcome!r} needs the parameter {name!r}, {told}")
        value = parameters[name]
        match what:
            case "place":
                fits = is_one(value, tables.places)
            case "resident":
                fits = is_one(value, tables.residents)
            case "kind":
                fits = is_one(value, kinds)
            case "furniture":
                fits = isinstance(value, list) and bool(value) and all(is_one(one, tables.furniture) for one in value)
            case "count" | "time step":
                fits = isinstance(value, int) and not isinstance(value, bool) and value >= (what == "count")
            case "pattern":
                fits = isinstance(value, str) and _is_pattern(value)
            case "pairs":
                fits = bool(value) and _are_pairs(value, people)
            case _:
                pairs = parameters["pairs"]
                fits = isinstance(value, Mapping) and all(
                    is_one(value.get(who), kinds) for pair in pairs for who in pair
                )
        if not fits:
            raise ValueError(f"the parameter {name!r} of the outcome {outcome!r} must be {told}, got {value!r}")


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _are_pairs(value: Any, people: Mapping[str, int]) -> bool:
    lists = isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
    return lists and all(isinstance(who, str) and who in people for pair in value for who in pair)


def _gini(values: Sequence[float]) -> float:
    """Compute the Gini coefficient, from 0 (all equal) to 1; 0 if all values are 0."""
    total, ordered = sum(values), sorted(values)
    if total == 0:
        return 0.0
    ranked = sum((2 * rank - len(ordered) - 1) * value for rank, value in enumerate(ordered, 1))
    return float(ranked / (len(ordered) * total))


def _share(found: Any) -> float:
    listed = list(found)
    return sum(listed) / len(listed) if listed else 0.0
