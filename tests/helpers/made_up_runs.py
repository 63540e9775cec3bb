"""Runs that somebody put together by hand, as whole as those that were lived."""

import json
from pathlib import Path

from configs import run_config

from evaluation.records import metrics
from evaluation.records.accepting import accept
from evaluation.records.records import to_jsonl
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript


def made_up_manifest(*, configuration=None, **values):
    """Everything that a manifest must have; `values` replace its own."""
    return {
        "status": "finished",
        "steps_done": 0,
        "started": "2026-11-21T21:04:00+00:00",
        "seconds": 1.0,
        "configuration": {"given": {}, **(configuration or {"effective": run_config().to_json()})},
        "mechanisms": {},
        "seeds": {},
        "models": {},
        "versions": {},
        "git_revision": None,
        "prices": {},
        **values,
    }


def made_up_run(path, records, rows=(), **values):
    """A run of these records and metrics, without a call; `values` are its manifest's."""
    directory = RunDirectory(path)
    Path(path).mkdir(parents=True, exist_ok=True)
    directory.events_path.write_bytes(to_jsonl(records))
    directory.metrics_path.write_text(metrics.HEADER + metrics.to_csv(metrics.Metric(**row) for row in rows))
    if not directory.transcript_path.exists():
        Transcript(directory.transcript_path).close()
    steps = len({record["time"] for record in records})
    return signed(directory, made_up_manifest(**{"steps_done": steps, **values}))


def signed(directory, manifest=None):
    """Give a run that was changed by hand checksums of what it is now."""
    manifest = directory.read_manifest() if manifest is None else manifest
    directory.manifest_path.write_text(json.dumps({key: one for key, one in manifest.items() if key != "files"}))
    directory.checksums_path.unlink(missing_ok=True)
    accept(directory)
    return directory
