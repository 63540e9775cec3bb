"""What a run comes to: its figures, its report and what it cost, from what its directory holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from evaluation import checkpoints
from evaluation.budget import cost_of, prices_of
from evaluation.checkpoints import CheckpointError
from evaluation.progress import Progress
from evaluation.run_directory import DirectoryError, RunDirectory
from language_models.transcript import ModuleUsage, Transcript
from ltrha import Habitus


def write_outcome(directory: RunDirectory, progress: Progress) -> Path | None:
    """Draw the figures and write the report of a run from what its directory holds.

    Returns:
        The report; None when no time step is recorded.

    Raises:
        ValueError: if there is no run, or a file of it is damaged.
    """
    # Matplotlib takes its time to import; what comes before should not wait for it.
    from evaluation.figures import save_all
    from evaluation.report import Run, write_report

    manifest, records, rows = directory.read_manifest(), directory.records(), directory.metrics()
    if not records:
        return None
    progress.say("drawing the figures and writing the report ...")
    usage = [asdict(module) for module in _usage(directory)]
    save_all(records, rows, directory.figures_path)
    run = Run(manifest=manifest, records=records, metrics=rows, usage=usage, habitus=_habitus(directory, progress))
    # A report that is there is whole: a run that was killed while it was written has none.
    beside = write_report(run, directory.report_path.with_name(".report.html.new"))
    return beside.replace(directory.report_path)


def costs(directory: RunDirectory) -> dict[str, float]:
    """Model calls and tokens, prompt and generated, per resident and step; dollars in all, where prices are known."""
    moments = len(directory.records())
    with Transcript(directory.transcript_path) as transcript:
        usage = transcript.usage_by_module()
        spent = cost_of(transcript, prices_of(directory.read_manifest()))
    return {
        "calls_per_resident_step": sum(module.calls for module in usage) / moments,
        "tokens_per_resident_step": sum(module.tokens for module in usage) / moments,
        **({} if spent is None else {"dollars": spent}),
    }


def _usage(directory: RunDirectory) -> list[ModuleUsage]:
    if not directory.transcript_path.is_file():
        raise DirectoryError(f"{directory.path} lacks {directory.transcript_path.name}; it is no complete run")
    # Not opened read-only: SQLite would then leave two files of its own behind.
    with Transcript(directory.transcript_path) as transcript:
        return transcript.usage_by_module()


def _habitus(directory: RunDirectory, progress: Progress) -> dict[str, str]:
    """What each resident has become disposed to, from the last checkpoint."""
    try:
        checkpoint, _ = checkpoints.latest(directory.checkpoints_path)
    except CheckpointError as error:
        progress.say(f"the report goes without the residents' habitus: {error}")
        return {}
    framework = None if checkpoint is None else checkpoint.society["framework"]
    if framework is None:
        return {}
    texts = {}
    for name, state in framework["habitus"].items():
        habitus = Habitus()
        habitus.set_state(state)
        texts[name] = habitus.to_text()
    return texts
