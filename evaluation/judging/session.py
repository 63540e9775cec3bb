"""Resumable judging sessions in a directory with manifest, calls and ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.judging.judge import Judgement, judge
from evaluation.judging.trajectories import read_trajectories
from evaluation.models.closing import release_models
from evaluation.models.errors import RunError
from evaluation.models.file_hashes import file_hashes
from evaluation.rating.study import RatingError
from evaluation.records.csv_cells import table_to_csv
from evaluation.records.files import check_no_link, write_atomically
from evaluation.runs import provenance
from evaluation.runs.costs import cost_of
from evaluation.runs.progress import Progress
from language_models.model_names import ModelKind
from language_models.prices import Price
from language_models.protocol import LanguageModel, ModelUnavailable
from language_models.registry import ModelSpec, find_model
from language_models.transcript.transcript import Transcript

MANIFEST, TRANSCRIPT, RATINGS = "judge.json", "transcript.sqlite", "ratings.csv"

SLOTS, CONTEXT = 2, 8192
"""Concurrent requests to an embedded model, and tokens of each; 75 steps of a resident take about 6,000."""


@dataclass(frozen=True, kw_only=True)
class JudgingSession:
    """A session of a judge.

    Attributes:
        out: Its directory.
        model: Name of the model.
        draws: Draws of each rating.
        trajectories: Number of trajectories.
        judgement: The ratings.
        cost: Cost of all calls in US dollars; None if the price is unknown.
    """

    out: Path
    model: str
    draws: int
    trajectories: int
    judgement: Judgement
    cost: float | None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data; docs/judges.md lists the keys."""
        found = self.judgement
        return {
            "out": str(self.out),
            "ratings": str(self.out / RATINGS),
            "model": self.model,
            "draws": self.draws,
            "trajectories": self.trajectories,
            "asked": found.asked,
            "answered": len(found.table),
            "failures": [{"reason": reason, "count": count} for reason, count in found.failures.most_common()],
            "checks": found.checks,
            "passed": found.passed,
            "usage": asdict(found.usage),
            "cost": self.cost,
        }


def judge_runs(
    paths: Sequence[Path],
    model: str,
    out: Path,
    progress: Progress,
    *,
    draws: int,
    seed: int,
    prices: Mapping[str, Price],
) -> JudgingSession:
    """Have a language model rate runs, and write its ratings to a directory.

    With an existing directory, only missing calls are made: interrupted or failed ones, further draws, further runs.

    Args:
        paths: As for ``read_trajectories``.
        model: Name of a model, as for ``--model``.
        out: The directory; created if it does not exist.
        progress: Reports progress.
        draws: Draws of each rating, at least 1.
        seed: Seed of all draws, at least 0.
        prices: Prices by model, in US dollars per million tokens.

    Returns:
        The ratings and their cost.

    Raises:
        ValueError: if the runs, the model or the numbers are invalid, or ``out`` holds something else, such as ratings
            by another model or seed.
        RunError: if the model cannot be loaded or is unavailable.
    """
    trajectories = read_trajectories(paths)
    try:
        found = find_model(model)
    except FileNotFoundError as error:
        raise RunError(str(error)) from error
    manifest = {"model": model, "sha256": file_hashes(found.path), "seed": seed}
    _check_directory(out, manifest)
    progress.say(f"loading the model {model} ...")
    manifest |= {"draws": draws, "versions": provenance.versions(), "git_revision": provenance.git_revision()}
    manifest |= {"started": datetime.now(UTC).isoformat(timespec="seconds"), "status": "running"}

    def shown(done: int, of: int) -> None:
        progress.say(f"{done} of {of} residents are rated")

    with ExitStack() as stack:
        loaded = _load(found)
        stack.callback(release_models, [loaded])
        out.mkdir(parents=True, exist_ok=True)
        _write(out / MANIFEST, manifest)
        transcript = stack.enter_context(Transcript(out / TRANSCRIPT))
        try:
            judgement = judge(loaded, trajectories, transcript, draws=draws, seed=seed, shown=shown)
        except ModelUnavailable as error:
            raise RunError(f"{error}; run the same command again") from error
        cost = cost_of(transcript.costs.by_model(), prices)
    write_atomically(out / RATINGS, table_to_csv(judgement.table).encode())
    count = len(trajectories)
    session = JudgingSession(
        out=out, model=loaded.name, draws=draws, trajectories=count, judgement=judgement, cost=cost
    )
    _write(out / MANIFEST, {**manifest, "status": "finished", **session.to_json()})
    return session


def _load(found: ModelSpec) -> LanguageModel:
    embedded = found.kind is ModelKind.EMBEDDED
    try:
        return found.build(**({"slots": SLOTS, "context": CONTEXT} if embedded else {}))
    except (OSError, ImportError, RuntimeError) as error:
        raise RunError(f"cannot load {found.name}: {error}") from error


def _check_directory(out: Path, manifest: Mapping[str, Any]) -> None:
    """Check that a directory is empty or has ratings of this judge."""
    check_no_link(out / TRANSCRIPT)
    path = out / MANIFEST
    if not path.is_file():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RatingError(f"{out} is there already and is no judge's; give another --out")
        return
    try:
        before = json.loads(path.read_bytes())
        differing = [name for name, value in manifest.items() if before[name] != value]
    except (ValueError, KeyError, TypeError) as error:
        raise RatingError(f"{path} is damaged: {error!r}; give another --out") from error
    for name in differing:
        what = "other weights" if name == "sha256" else f"the {name} {before[name]!r}, not {manifest[name]!r}"
        raise RatingError(f"{out} has the ratings of a judge with {what}; give another --out")


def _write(path: Path, data: Mapping[str, Any]) -> None:
    write_atomically(path, json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n")
