"""How long model calls take on this machine: measured in its earlier runs, or assumed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

from evaluation.records.files import write_atomically
from language_models.embedders.embedding_cache import shared_cache_path
from language_models.model_names import ModelKind, kind_of
from language_models.transcript.calls import ModuleUsage

ASSUMED = {
    ModelKind.SCRIPTED: 0.0,
    ModelKind.EMBEDDED: 0.5,
    ModelKind.TRANSFORMERS: 2.0,
    ModelKind.REMOTE: 0.5,
}
"""Assumed seconds a call by kind of model, with as many calls under way as it takes."""

_OTHERS = 1.0
_FILE = "call_seconds.json"


def note_seconds(usage: Iterable[ModuleUsage], seconds: float) -> None:
    """Keep how long the calls of a whole run took, for estimates of later ones.

    Args:
        usage: By model.
        seconds: Of the run's steps; shared out by the time that the calls of each model took.
    """
    rows = [row for row in usage if row.calls and kind_of(row.model) is not ModelKind.SCRIPTED]
    total = sum(row.seconds for row in rows)
    if not total:
        return
    found = _read() | {row.model: seconds * row.seconds / total / row.calls for row in rows}
    with suppress(OSError):
        shared_cache_path().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(shared_cache_path().with_name(_FILE), json.dumps(found).encode())


def seconds_a_call(model: str) -> tuple[float, bool]:
    """Return how long a call of a model takes, and whether that was measured in a run on this machine.

    Args:
        model: Its recorded name.
    """
    if (measured := _read().get(model)) is not None:
        return measured, True
    return ASSUMED.get(kind_of(model), _OTHERS), False


def _read() -> dict[str, float]:
    with suppress(OSError, ValueError, AttributeError):
        found = json.loads((shared_cache_path().with_name(_FILE)).read_bytes())
        return {name: one for name, one in found.items() if isinstance(one, float) and one >= 0}
    return {}
