"""Key facts of a run for its report: models, minds, length, and git revision."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evaluation.models.file_hashes import describe_models, describe_serving
from evaluation.report.number_format import duration, moment
from itcma_s.parameters import DEFAULTS
from minds.mind_specs import DEFAULT


def look_up(manifest: Mapping[str, Any], key: str) -> Any:
    """Look up a value of a manifest or its configuration by dotted path; None if absent."""
    found: Any = manifest if key in manifest else manifest.get("configuration", {}).get("effective", {})
    for name in key.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def other_minds(manifest: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """Return the mind of each resident whose mind is not the default."""
    mind, others = look_up(manifest, "mind.name") or DEFAULT, look_up(manifest, "mind.by_resident") or {}
    return {name: others.get(name, mind) for name in names if others.get(name, mind) != DEFAULT}


def elimination_threshold(manifest: Mapping[str, Any]) -> float:
    """Return the relevance of Eq. 16, in [1, 5], from which actions stayed in the action space of a run."""
    found = look_up(manifest, "mind.parameters.elimination_threshold")
    return DEFAULTS.elimination_threshold if found is None else float(found)


def facts_of(manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the known facts of a run as labels and values."""
    minds = other_minds(manifest, sorted({str(record["resident"]) for record in records}))
    facts = [
        ("Architecture", look_up(manifest, "architecture")),
        ("Decisions lack", ", ".join(look_up(manifest, "mind.ablate") or ()) or None),
        *({"Model": look_up(manifest, "model.name")} | describe_models(manifest)).items(),
        ("Minds", ", ".join(f"{name} {mind}" for name, mind in minds.items()) or None),
        ("Embedder", look_up(manifest, "model.embedder")),
        ("Model files asked", describe_serving(manifest)),
        ("Seed", look_up(manifest, "seed")),
        ("Outcome", _outcome(look_up(manifest, "outcome"))),
        ("Time steps", len({record["time"] for record in records})),
        ("Residents", len({record["resident"] for record in records})),
        ("Started", moment(look_up(manifest, "started"))),
        ("Took", duration(seconds) if (seconds := look_up(manifest, "seconds")) is not None else None),
        ("Revision", look_up(manifest, "git_revision")),
    ]
    return [(label, str(value)) for label, value in facts if value is not None]


def _outcome(outcome: Mapping[str, Any] | None) -> str | None:
    """Describe the outcome of a scenario; None for a run that has none."""
    if not outcome:
        return None
    return f"{outcome['score']:.2f} in the scenario {outcome['scenario']}. {outcome['meaning']}"


def steps_by_people(decided: Collection[tuple[str, int]]) -> str:
    """Describe which steps a person decided, such as "LL in steps 3 to 5 and 9"; empty if none.

    Args:
        decided: Pairs of a resident and a time step that a person decided.
    """
    names = dict.fromkeys(name for name, _ in sorted(decided))
    return "; ".join(f"{name} in {_steps([time for who, time in decided if who == name])}" for name in names)


def _steps(times: Sequence[int]) -> str:
    """Format time steps as text, with consecutive steps as a range."""
    parts: list[tuple[int, int]] = []
    for time in sorted(times):
        if parts and parts[-1][1] == time - 1:
            parts[-1] = (parts[-1][0], time)
        else:
            parts.append((time, time))
    told = [str(first) if first == last else f"{first} to {last}" for first, last in parts]
    joined = " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))
    return f"{'step' if len(times) == 1 else 'steps'} {joined}"
