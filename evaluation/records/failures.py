"""Failure rates of a run, by module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irollan_env.actions import Action


def failure_rates(
    records: Sequence[Mapping[str, Any]],
    usage: Sequence[Mapping[str, Any]],
    minds: Mapping[str, str] | None = None,
    *,
    threshold: float,
) -> list[tuple[str, str, int, int]]:
    """Count what failed: module, kind of failure, how often, out of how many.

    Args:
        records: Of one run.
        usage: What each module's calls cost, as the report takes it.
        minds: By resident, the names of minds other than the default.
        threshold: The relevance of Eq. 16 that the run required, in [1, 5].
    """
    rows: list[tuple[str, str, int, int]] = []
    for module in sorted(usage, key=lambda row: str(row["module"])):
        for key, what in (
            ("retries", "asked again"),
            ("unusable", "answers that were of no use"),
            ("network_failures", "requests that the network or the server failed"),
            ("failures", "calls without a usable answer"),
            ("refusals", "calls that the model refused"),
        ):
            rows.append((str(module["module"]), what, int(module.get(key, 0)), int(module["calls"])))
        # As in transcripts from before each such answer and request was recorded.
        known = int(module.get("unusable", 0)) + int(module.get("network_failures", 0))
        if (unknown := int(module.get("retries", 0)) - known) > 0:
            rows.append((str(module["module"]), "asked again, why is not recorded", unknown, int(module["calls"])))
    eliminated = [record["relevance"] for record in records if record["relevance"]]
    if eliminated:
        none_left = sum(max(relevance.values()) < threshold for relevance in eliminated)
        rows.append(("elimination", "nothing reached the threshold, the best was kept", none_left, len(eliminated)))
    for mind in sorted(set((minds or {}).values())):
        own = [record for record in records if (minds or {}).get(record["resident"]) == mind]
        failed = sum(record["failure"] is not None for record in own)
        rows.append((f"mind {mind}", "steps in which it failed, and its resident waited", failed, len(own)))
        answers = [record for record in own if record["action"] is not None]
        outside = sum(not is_listed(record["action"], record["admissible"]) for record in answers)
        rows.append((f"mind {mind}", "answers that were not admissible", outside, len(answers)))
    acted = sum(record["action"] is not None for record in records)
    if any(record["resources"] is not None for record in records):
        filtered = sum(record["outcome"] == "filtered" for record in records)
        rows.append(("LTRHA", "actions filtered", filtered, acted))
    in_vain = sum(record["outcome"] == "inadmissible" for record in records)
    rows.append(("world", "actions not admissible when their turn came", in_vain, acted))
    return rows


def is_listed(action: str, admissible: Sequence[str]) -> bool:
    """Return whether an action was among the admissible ones, ignoring what is said in it.

    Args:
        action: Text of an action.
        admissible: Texts of the admissible actions.
    """
    parsed = Action.parse(action)
    return (parsed.listed if isinstance(parsed, Action) else action) in admissible
