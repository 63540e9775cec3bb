"""Table of a sweep, with one row per run: configuration, status, costs and measures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any

import pandas as pd

from evaluation.measures import MEASURES, RecordedRun, actions, measure, read_run
from evaluation.models.closing import closing_embedder
from evaluation.models.errors import RunError
from evaluation.models.run_embedder import embedder_of_run, storing_vectors
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.costs import cost_in_all, failed_decisions, prices_of, uncounted
from evaluation.runs.identities import name_of_identities
from evaluation.runs.run_config import KEYS
from evaluation.sweeps.cells import NOTHING, Cell, describe_events, name_of, short_key
from evaluation.sweeps.directory import SweepDirectory
from language_models.embedders.embedding_cache import shared_cache_path
from language_models.protocol import Embedder, ModelUnavailable

GROUP = "group"
OUTCOME = ("status", "reason", "steps_done", "started", "seconds", "peak_memory_mb")
COSTS = (
    "decisions",
    "unanswered",
    "calls",
    "prompt_tokens",
    "cached_tokens",
    "generated_tokens",
    "calls_per_resident_step",
    "tokens_per_resident_step",
    "seconds_per_step",
    "dollars",
    "uncounted",
)


def runs_table(
    directory: SweepDirectory,
    cells: Sequence[Cell],
    varied: Sequence[str],
    reasons: Mapping[str, str],
    say: Callable[[str], None],
    *,
    measured: bool = True,
) -> pd.DataFrame:
    """Build the table of a sweep, with one row per run.

    Args:
        directory: Directory of the sweep.
        cells: Its runs, in order.
        varied: The configuration keys in which they differ.
        reasons: Why runs are not finished, by name, if known.
        say: Shows a message if a run's embedder is unavailable and measures are left out.
        measured: False leaves out the measures.

    Returns:
        Columns run (its name), group (its varied settings except the seed), every configuration key by path,
        ``OUTCOME`` (status is missing, running, stopped, failed or finished), ``COSTS`` and each measure of the
        society. Dollars include calls discarded by a resume; calls and tokens do not. Uncounted names the models
        whose server did not report all tokens. Only finished runs have measures, since these depend on the length
        of a run.
    """
    with Embedders(say) as embedders:
        used = embedders if measured else None
        rows = [_row(directory.run_of(cell), cell, varied, reasons.get(cell.name, ""), used) for cell in cells]
    named = [name for name in MEASURES if any(name in row for row in rows)]
    return pd.DataFrame(rows, columns=["run", GROUP, *KEYS, *OUTCOME, *COSTS, *named])


def group_of(cell: Cell, varied: Sequence[str]) -> str:
    """Return the group of a run: its varied settings except the seed, or its architecture if nothing else varies."""
    one = cell.configuration
    keys = [path for path in varied if path not in ("seed", "architecture", "model.name")]
    parts = [one.architecture] if "architecture" in varied or varied in ([], ["seed"]) else []
    parts += [one.model.name] if "model.name" in varied else []
    return ", ".join([*parts, *(f"{short_key(path)}={_shown(path, one.get(path))}" for path in keys)])


def _row(
    directory: RunDirectory, cell: Cell, varied: Sequence[str], reason: str, embedders: Embedders | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "run": cell.name,
        GROUP: group_of(cell, varied),
        **{path: _text(value) for path, value in cell.configuration.keys().items()},
        "world.scenario": name_of(cell.configuration.world.scenario),
        "status": "failed" if reason else "missing",
        "reason": reason,
        "steps_done": 0,
    }
    if not directory.manifest_path.is_file():
        return row
    manifest = directory.read_manifest()
    row |= {key: manifest.get(key) for key in ("status", "steps_done", "started", "seconds", "peak_memory_mb")}
    if outcome := manifest.get("outcome"):
        row["outcome"] = outcome["score"]
    row["reason"] = reason or manifest.get("error", "")
    if reason and row["status"] in ("finished", "running"):
        row["status"] = "failed"
    row |= _costs(directory, manifest)
    if row["status"] == "finished" and embedders is not None:
        society = embedders.measured(read_run(directory.path))
        society = society[society["level"] == "society"]
        row |= dict(zip(society["measure"], society["value"], strict=True))
    return row


def _costs(directory: RunDirectory, manifest: Mapping[str, Any]) -> dict[str, Any]:
    failed, decisions, _ = failed_decisions(directory)
    if not decisions or not directory.transcript_path.is_file():
        return {"decisions": decisions, "unanswered": failed}
    with directory.transcript() as transcript:
        usage = transcript.costs.by_module()
        dollars = cost_in_all(transcript, prices_of(manifest))
        silent = ", ".join(uncounted(transcript))
    total = {
        key: sum(getattr(module, key) for module in usage)
        for key in ("calls", "prompt_tokens", "cached_tokens", "generated_tokens")
    }
    return {
        "decisions": decisions,
        "unanswered": failed,
        **total,
        "calls_per_resident_step": total["calls"] / decisions,
        "tokens_per_resident_step": (total["prompt_tokens"] + total["generated_tokens"]) / decisions,
        "seconds_per_step": manifest["seconds"] / max(manifest["steps_done"], 1),
        "dollars": dollars,
        "uncounted": silent,
    }


class Embedders(ExitStack):
    """Lazily loaded embedders of runs, with the vector cache that all runs share."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self._say = say
        self._known: dict[str, Embedder] = {}

    def measured(self, run: RecordedRun, since: int = 0) -> pd.DataFrame:
        """Compute every measure of a run, without embedding measures if its embedder is unavailable.

        Args:
            run: The run.
            since: The first time step that counts.
        """
        frame, name = (
            actions([one for one in run.records if one["time"] >= since]),
            str(run.manifest["models"]["embedder"]),
        )
        if name not in self._known:
            self._known[name] = embedder_of_run(run.manifest)
            self.enter_context(closing_embedder(self._known[name]))
            with suppress(OSError):
                shared_cache_path().parent.mkdir(parents=True, exist_ok=True)
                self.enter_context(storing_vectors(self._known[name], shared_cache_path()))
        try:
            return measure(frame, self._known[name])
        except (RunError, ModelUnavailable) as error:
            self._say(f"{run.path}: the measures that need the embedder are left out: {error}")
            return measure(frame, None)


def _shown(path: str, value: Any) -> Any:
    if path == "world.scenario":
        return name_of(value)
    if path == "world.identities":
        return name_of_identities(value) or _text(value)
    return describe_events(value) if path == "world.events" else _text(value)


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return " + ".join(value) or NOTHING
    return json.dumps(value, sort_keys=True) if isinstance(value, Mapping) else value
