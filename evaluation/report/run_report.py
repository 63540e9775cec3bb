"""Write the figures and the report of a run from the files in its directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from evaluation.models.closing import closing_embedder
from evaluation.models.errors import RunError
from evaluation.models.run_embedder import embedder_of_run
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.checkpoints import CheckpointError
from evaluation.runs.costs import (
    cost_by_module,
    cost_of,
    describe_uncounted,
    embeddings_of,
    prices_of,
)
from evaluation.runs.human_override import decided_by_people
from evaluation.runs.progress import Progress
from language_models.embedders.embedding_costs import EmbeddingCosts
from language_models.prices import Price
from language_models.protocol import Embedder, ModelUnavailable
from language_models.transcript.transcript import Transcript
from ltrha import Habitus

if TYPE_CHECKING:
    from evaluation.report.society_section import SocietySection

ViewWriter: TypeAlias = Callable[[RunDirectory, int, "list[tuple[str, str]]", Progress], bool]
"""Writes the viewer's page beside a run's report, given how many decisions the run has and what was found in it.

Returns whether the page was written.
"""


def write_report(
    directory: RunDirectory,
    progress: Progress,
    embedder: Embedder | None = None,
    embeddings: EmbeddingCosts | None = None,
    write_view: ViewWriter | None = None,
) -> Path | None:
    """Draw the figures and write the report of a run from the files in its directory.

    Args:
        directory: Directory of the run.
        progress: Where to show progress.
        embedder: Embedder of the run; the one named in the manifest when None.
        embeddings: Cost of the run's embeddings; read from the manifest when None.
        write_view: Writes the page that the report's links open; without it the report has no such links.

    Returns:
        Path of the report; None if no time step is recorded.

    Raises:
        ValueError: if there is no run, or one of its files is damaged.
    """
    # Imported late, since Matplotlib is slow to import.
    from evaluation.report.figures import all_figures, save, save_all
    from evaluation.report.html_page import ReportData, write_page

    run = directory.verified()
    manifest, records, rows = run.manifest, run.records(), run.metrics()
    if not records:
        return None
    directory.pages.mkdir(exist_ok=True)
    directory.check_links()
    progress.say("measuring, drawing the figures and writing the report ...")
    figures = all_figures(records, rows)
    save_all(figures, directory.figures_path)
    compares = embedder_of_run(manifest) if embedder is None else embedder
    with closing_embedder(compares) if embedder is None else nullcontext():
        society = _society(records, compares, progress)
    if society is not None:
        save(society.network, directory.figures_path / "network.png")
    framework = _framework(directory, progress)
    embedded = embeddings_of(manifest) if embeddings is None else embeddings.total
    with run.transcript() as transcript:
        data = ReportData(
            manifest=manifest,
            records=records,
            metrics=rows,
            usage=costs_by_module(transcript, prices_of(manifest)),
            attempts=_attempts(transcript),
            rewound=_rewound(transcript, prices_of(manifest)),
            embeddings=asdict(embedded) if embedded.calls else None,
            habitus={name: _habitus(state) for name, state in framework.get("habitus", {}).items()},
            unranked=framework.get("failures", ()),
            society=society,
            step_tokens=step_tokens(transcript),
            uncounted=describe_uncounted(transcript, embedded),
            people=decided_by_people(transcript),
            figures=figures,
        )
    if write_view is not None and write_view(directory, len(records), data.findings(), progress):
        data = replace(data, view=directory.view_path.name)
    return write_page(data, directory.report_path)


def costs_by_module(transcript: Transcript, prices: Mapping[str, Price]) -> list[dict[str, Any]]:
    """Return the total usage of each module, with US dollars if prices are known."""
    dollars = cost_by_module(transcript.costs.by_model(), prices)
    return [{**asdict(one), "dollars": dollars.get(one.module)} for one in transcript.costs.by_module()]


def step_tokens(transcript: Transcript) -> list[int]:
    """Return the prompt and answer tokens of each time step with a call, in order."""
    totals: Counter[int] = Counter()
    for time, _, prompts, _, generated in transcript.costs.tokens_by_step():
        totals[time] += prompts + generated
    return [totals[time] for time in sorted(totals)]


def _attempts(transcript: Transcript) -> list[dict[str, Any]]:
    """Return the failed requests, in the order of their calls."""
    return [
        {**asdict(call.caller), **asdict(attempt), "outcome": call.outcome}
        for call in transcript.with_failed_attempts()
        for attempt in call.usage.attempts
    ]


def _rewound(transcript: Transcript, prices: Mapping[str, Price]) -> dict[str, Any] | None:
    """Return the total usage of calls discarded by a resume; None if there are none."""
    rows = transcript.costs.rewound()
    if not rows:
        return None
    kinds = ("calls", "prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting")
    return {**{kind: sum(getattr(row, kind) for row in rows) for kind in kinds}, "dollars": cost_of(rows, prices)}


def _society(records: list[dict[str, Any]], embedder: Embedder, progress: Progress) -> SocietySection | None:
    """Build the society section, leaving out embedding measures if the embedder is unavailable."""
    from evaluation.report.society_section import society_section

    try:
        return society_section(records, embedder)
    except (RunError, ModelUnavailable) as error:
        progress.say(f"the report goes without the measures that need the embedder: {error}")
        return society_section(records, None)


def _framework(directory: RunDirectory, progress: Progress) -> dict[str, Any]:
    """Return the state of LTRHA in the last checkpoint; empty without LTRHA."""
    try:
        checkpoint = checkpoints.newest(directory.checkpoints_path)
    except CheckpointError as error:
        progress.say(f"the report goes without the residents' habitus and the matrix's failures: {error}")
        return {}
    state: dict[str, Any] | None = None if checkpoint is None else checkpoint.society["framework"]
    return state or {}


def _habitus(state: Mapping[str, Any]) -> str:
    """Render the state of a resident's habitus as text."""
    habitus = Habitus()
    habitus.set_state(state)
    return habitus.to_text()
