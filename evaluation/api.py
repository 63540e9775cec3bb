"""Start, read, replay, branch, resume and compare runs from Python."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import cached_property, partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.effects import EffectResult
from evaluation.effects import effect as find_effect
from evaluation.interviews.survey import survey
from evaluation.interviews.survey_tables import SurveyTables
from evaluation.measures.table import measure as measure_with
from evaluation.models.closing import close_connections, closing_embedder
from evaluation.models.errors import RunError
from evaluation.models.file_hashes import file_hashes
from evaluation.models.run_embedder import cached_embedder, embedder_of_run
from evaluation.records.interactions import Record
from evaluation.records.metrics import OWN, Metric
from evaluation.records.recorded_run import read_run
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs import branching, event_loop, resume
from evaluation.runs.build_society import check_population, find_backends, map_of
from evaluation.runs.checkpoints import rewind
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.costs import describe_failed, failed_in
from evaluation.runs.execution import Result, RunExecution
from evaluation.runs.manifest import known_prices, new_manifest
from evaluation.runs.progress import NoProgress, Progress, progress_on
from evaluation.runs.replay import Replay, replay
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from evaluation.runs.start import start
from evaluation.sweeps.declaration import declare, read_declaration
from evaluation.sweeps.sweep import SweepResult
from evaluation.sweeps.sweep import sweep as run_sweep
from evaluation.sweeps.sweep_progress import LineDisplay, SweepProgress, sweep_progress_on
from evaluation.viewer.run_pages import write_pages
from irollan_env.world.mechanic import Change
from itcma_s.factory import style_of
from language_models.model_names import ModelKind
from language_models.protocol import Embedder, LanguageModel, ModelUnavailable
from language_models.registry import describe_model, find_embedder

if TYPE_CHECKING:
    import pandas as pd

_CALLS = ("prompt_tokens", "cached_tokens", "generated_tokens", "seconds")


class Run:
    """Read a run and act on it: its records, numbers and model calls; replay, branch, resume, report.

    Attributes:
        path: Its directory; None for a society that was run by ``run_society``.
        manifest: What it says about itself.
        records: One per resident and time step, in order; dictionaries as events.jsonl has them.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        manifest: Mapping[str, Any],
        records: Sequence[Record],
        metrics: Sequence[Metric] = (),
        keep: object = None,
    ) -> None:
        """Make a run from its data; ``run``, ``run_society`` and ``load_run`` call this.

        Args:
            path: Its directory, if it has one.
            manifest: What it says about itself.
            records: Its records.
            metrics: Its numbers, where it has no directory.
            keep: What has to be kept as long as the run is.
        """
        self.path = path
        self.manifest = manifest
        self.records = records
        self._metrics = metrics
        self._keep = keep

    def __repr__(self) -> str:
        steps = len({record["time"] for record in self.records})
        return f"<Run {self.path or 'in memory'}: {self.manifest.get('status')}, {steps} time steps>"

    @property
    def config(self) -> RunConfig:
        """Return the configuration of the run.

        Raises:
            ValueError: for a society that was run by ``run_society``, which has none.
        """
        self._directory("has no configuration")
        return RunConfig.from_json(self.manifest["configuration"]["effective"])

    @cached_property
    def events(self) -> pd.DataFrame:
        """Return a frame with one row per resident and time step; its columns are the keys of events.jsonl."""
        import pandas as pd

        return pd.DataFrame(list(self.records))

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """Return a frame with one row per time step, subject and quantity: time, subject, quantity, value."""
        import pandas as pd

        rows = [asdict(one) for one in self._metrics] if self.path is None else RunDirectory(self.path).metrics()
        return pd.DataFrame(rows, columns=["time", "subject", "quantity", "value"])

    @cached_property
    def variables(self) -> pd.DataFrame:
        """Return a frame of the needs and variables of the world's mechanics: time, subject, quantity, value.

        The subject is a resident or "world"; each value is that at the end of its time step.
        """
        return self.metrics[~self.metrics["quantity"].isin(OWN)].reset_index(drop=True)

    @cached_property
    def changes(self) -> pd.DataFrame:
        """Return a frame with one row per change that mechanics made: time, what, thing, origin, target, cause.

        The time is the first step at which residents can perceive it.
        """
        import pandas as pd

        rows = [change for record in self.records for change in record.get("world", {}).get("changes", ())]
        return pd.DataFrame(rows, columns=list(Change._fields), dtype=object).astype({"time": "int64"})

    @cached_property
    def calls(self) -> pd.DataFrame:
        """Return a frame with one row per model call: who asked, prompt, response, error and cost.

        Raises:
            ValueError: for a society that was run by ``run_society``, whose calls are not recorded.
        """
        import pandas as pd

        with self._directory("has no recorded calls").transcript() as transcript:
            rows = [
                {
                    "call": call.usage.call,
                    "time": call.caller.time,
                    "resident": call.caller.resident,
                    "module": call.caller.module,
                    "model": call.request.model,
                    "method": call.request.method,
                    "prompt": call.request.prompt,
                    "response": call.response,
                    "error": call.error,
                    **{key: getattr(call.usage, key) for key in _CALLS},
                }
                for call in transcript.calls()
            ]
        columns = ["call", "time", "resident", "module", "model", "method", "prompt", "response", "error", *_CALLS]
        return pd.DataFrame(rows, columns=columns)

    def replay(self, *, progress: bool = False) -> Replay:
        """Repeat the run with the recorded answers in place of the models, and compare its records.

        Bytes are compared first; where they differ, as on another processor, texts must be equal and floating-point
        values within 1e-6 of their size (or of 1). ``Replay.rounded`` counts the records with such differences.

        Raises:
            ReplayError: if a record differs.
            ValueError: for a society that was run by ``run_society``.
        """
        return replay(self._directory("cannot be replayed"), _shown(progress))

    def branch(
        self,
        at: int,
        changes: Mapping[str, Any] | None = None,
        *,
        models: Sequence[str] = (),
        out: str | Path | None = None,
        force: bool = False,
        progress: bool = False,
    ) -> Run:
        """Start a new run from one of the time steps of this one, with something changed from there on.

        Args:
            at: How many of its time steps come before.
            changes: Values of the configuration by path, such as ``{"seed": 5, "ltrha.rank_by": "company"}``.
            models: Other models from there on: names, ROLE=NAME, or TOML files.
            out: Where to leave the new run; beside this one when None.
            force: Whether to replace a run that is there.
            progress: Whether to show on standard error how far it has come.

        Raises:
            ValueError: if this run has fewer steps, a change cannot be, or the directory is not free.
            RunError: if a model cannot be had, or the new run failed.
        """
        path = self._directory("cannot be branched").path
        result = branching.branch(
            path,
            _shown(progress),
            at=at,
            changes=dict(changes or {}),
            models=models,
            out=None if out is None else Path(out),
            force=force,
            given=changes,
            write_report=None,
        )
        return _ended(result, self._keep)

    def resume(self, steps: int | None = None, *, limits: LimitsConfig | None = None, progress: bool = False) -> Run:
        """Resume the run from its last checkpoint, with the same result as if it had never stopped.

        Args:
            steps: The time step to stop at; as many as it started with when None.
            limits: Other limits than it has.
            progress: Whether to show on standard error how far it has come.

        Raises:
            ValueError: if nothing is left to do.
            RunError: if a model cannot be had, or the run failed.
        """
        path = self._directory("cannot be resumed").path
        changes = {} if steps is None else {"steps": steps}
        result = resume.resume(path, _shown(progress), changes=changes, limits=limits, write_report=None)
        return _ended(result, self._keep)

    def report(self, *, progress: bool = False) -> Path | None:
        """Write report.html, view.html and the figures beside the records, and return the path of the report.

        Raises:
            ValueError: for a society that was run by ``run_society``.
        """
        return write_pages(self._directory("has no directory for a report"), _shown(progress))

    def _directory(self, lacks: str) -> RunDirectory:
        if self.path is None:
            raise ValueError(f"a run of run_society {lacks}; use run(config) for a run with a directory")
        return RunDirectory(self.path)


def run(
    config: RunConfig | None = None,
    out: str | Path | None = None,
    *,
    model: LanguageModel | None = None,
    embedder: Embedder | None = None,
    force: bool = False,
    progress: bool = False,
) -> Run:
    """Run a society and return its records; the same configuration gives the same records as ``irollan run``.

    A RuntimeWarning says at the end how many decisions failed; ``run.calls.error`` has the reasons.

    Args:
        config: What to run; the defaults when None.
        out: Where to leave the run directory; a temporary one when None, which goes with the returned object.
        model: A loaded model for all modules, which stays loaded; the models of the configuration when None. Everything
            else, such as ``mind.deliberation``, is as the configuration says.
        embedder: A loaded embedder, which stays loaded; that of the configuration when None.
        force: Whether to replace a run that is in ``out``.
        progress: Whether to show on standard error how far it has come.

    Raises:
        TypeError: for a name instead of a ``RunConfig``, or instead of a loaded model or embedder.
        ValueError: if the configuration names something that does not exist, ``out`` is not free, or the configuration
            names models for roles beside ``model``.
        RunError: if a model cannot be had, or the run failed; what it recorded is then in ``out``.

    Examples:
        >>> import evaluation
        >>> config = evaluation.RunConfig(steps=2, model=evaluation.ModelConfig(name="scripted"))
        >>> finished = evaluation.run(config)
        >>> len(finished.events), sorted(finished.metrics["quantity"].unique())[:3]
        (12, ['arousal', 'cached_tokens', 'calls'])
    """
    config = RunConfig() if config is None else config
    if not isinstance(config, RunConfig):
        remedy = "evaluation.RunConfig(model=evaluation.ModelConfig(name='scripted'))"
        raise TypeError(f"config must be a RunConfig, such as {remedy}, got {config!r}")
    for label, part in (("model", model), ("embedder", embedder)):
        if isinstance(part, str):
            raise TypeError(f"{label} must be a loaded one, got {part!r}; give language_models.load_{label}({part!r})")
    keep = None
    if out is None:
        keep = tempfile.TemporaryDirectory(prefix="irollan-")
        out = Path(keep.name) / "run"
    if model is None and embedder is None:
        result = start(config, _shown(progress), out=Path(out), force=force, write_report=None)
    else:
        result = _run_loaded(config, Path(out), model, embedder, force, _shown(progress))
    return _ended(result, keep)


def run_society(society: Society, steps: int) -> Run:
    """Run a society of your own for some time steps; nothing is written, and model calls are not recorded.

    A RuntimeWarning says at the end how many decisions failed; ``run.events.failure`` has the reasons.

    Args:
        society: At any time step; it continues from there.
        steps: How many time steps.

    Raises:
        ModelUnavailable: if a model could not be asked.
        NoAnswerError: if every decision of a step failed.

    Examples:
        >>> import evaluation, irollan_env, numpy
        >>> world, random = irollan_env.World(seed=0), numpy.random.default_rng(0)
        >>> residents = [irollan_env.ScriptedResident(name, random) for name in world.residents]
        >>> finished = evaluation.run_society(evaluation.Society(world, residents), steps=3)
        >>> len(finished.events)
        18
    """
    records: list[Record] = []
    metrics: list[Metric] = []

    async def take_steps() -> None:
        for _ in range(steps):
            step = await society.step()
            records.extend(step.records)
            metrics.extend(step.metrics)

    event_loop.run(take_steps())
    manifest = {"status": "finished", "steps_done": steps}
    _warn_of_failures(records, stacklevel=3)
    return Run(None, manifest=manifest, records=records, metrics=metrics)


def load_run(path: str | Path) -> Run:
    """Read a run directory; a run that was stopped is read up to its last complete time step.

    Raises:
        ValueError: if there is no run, a file of it is damaged, or no time step is whole.
    """
    found = read_run(path)
    return Run(found.path, manifest=found.manifest, records=found.records)


def sweep(
    axes: Mapping[str, Any] | str | Path,
    out: str | Path,
    *,
    at_once: int = 2,
    limits: LimitsConfig | None = None,
    progress: bool = False,
) -> SweepResult:
    """Run every combination of some values that is missing, and compare all runs.

    Args:
        axes: Values by path of a key, such as ``{"architecture": ["itcma", "itcma-s"], "seed": "0-9"}``, or a TOML
            file of them. Ablations are lists, and no ablation is an empty one: ``{"mind.ablate": [[], ["emotion"]]}``.
        out: The directory of the sweep.
        at_once: How many runs are active at once in a process.
        limits: The most that each run may cost.
        progress: Whether to show on standard error how far it has come.

    Returns:
        Its ``table`` has one row a run, with its configuration, cost and measures.

    Raises:
        ValueError: for a declaration that no sweep can have, or a directory that is not free.
    """
    declaration = declare(axes) if isinstance(axes, Mapping) else read_declaration(Path(axes))
    shown = sweep_progress_on() if progress else SweepProgress(LineDisplay(StringIO()))
    return run_sweep(declaration, Path(out), shown, at_once=at_once, limits=limits)


def effect(
    run: str | Path,
    events: str | Path,
    out: str | Path,
    *,
    at: int = 0,
    seeds: int = 30,
    measures: Sequence[str] = (),
    outcome: str = "",
    at_once: int = 2,
    limits: LimitsConfig | None = None,
    progress: bool = False,
) -> EffectResult:
    """Live pairs of runs that differ in whether events happen, and compare them.

    Args:
        run: The directory of the run in which all of them begin, and whose configuration they have.
        events: The events file.
        out: The directory of the experiment; the same call continues it.
        at: How many time steps of the run come before.
        seeds: How many pairs, with the seeds from 0 on; at least 3.
        measures: Which measures; all when empty.
        outcome: The primary outcome, a measure or a variable: it is tested alone, and the others are exploratory.
        at_once: How many runs are active at once in a process.
        limits: The most that each run may cost.
        progress: Whether to show on standard error how far it has come.

    Returns:
        Its frame ``effects`` has one row a measure or variable: means of both arms, the mean difference of pairs with
        its 95 % interval, p and q.

    Raises:
        ValueError: for fewer seeds, unknown measures, events that cannot happen, or a directory that is not free.
    """
    shown = sweep_progress_on() if progress else SweepProgress(LineDisplay(StringIO()))
    return find_effect(
        Path(run),
        Path(events),
        Path(out),
        shown,
        at=at,
        seeds=seeds,
        measures=measures,
        outcome=outcome,
        at_once=at_once,
        limits=limits,
    )


def measure(finished: Run | str | Path) -> pd.DataFrame:
    """Compute every measure of a run: columns dimension, measure, level, subject and value.

    Measures that compare texts are left out where the run's embedder is not on this machine.

    Args:
        finished: A run, or its directory.
    """
    found = finished if isinstance(finished, Run) else load_run(finished)
    if "models" not in found.manifest:
        return measure_with(found)
    embedder = embedder_of_run(found.manifest)
    with closing_embedder(embedder):
        try:
            return measure_with(found, embedder)
        except (RunError, ModelUnavailable):
            return measure_with(found)


def ask(
    finished: Run | str | Path,
    questionnaire: str | Path,
    *,
    every: int | None = None,
    model: str | None = None,
    skip: bool = False,
    out: str | Path | None = None,
    progress: bool = False,
) -> SurveyTables:
    """Put a questionnaire to the residents of a run at several time steps, without changing the run.

    Args:
        finished: A run, or its directory.
        questionnaire: A TOML file, a shipped one ("mini-ipip", "ipip-trust"), or "module:Class" of Concordia's.
        every: Time steps from one time to the next, at least 1; after the last step alone when None.
        model: Answers for the residents; the model that decides for them when None.
        skip: Whether residents whose minds cannot be asked are left out.
        out: Folder of the tables, the page and the transcript of all calls; nothing is written when None.
        progress: Whether to show on standard error how far it has come.

    Returns:
        Frames: ``answers``, ``scores`` (by resident, time and scale), ``means``, ``reliability`` and ``missing``.

    Raises:
        ValueError: for a questionnaire, a run or a folder that cannot be, or minds that cannot be asked.
        RunError: if the model cannot be had, or no question was answered.

    Examples:
        >>> import evaluation
        >>> config = evaluation.RunConfig(steps=2, model=evaluation.ModelConfig(name="scripted"))
        >>> found = evaluation.ask(evaluation.run(config), "ipip-trust", every=1)
        >>> len(found.answers), list(found.means["residents"])
        (120, [6, 6])
    """
    path = finished._directory("cannot be asked").path if isinstance(finished, Run) else Path(finished)
    folder = None if out is None else Path(out)
    return survey(path, str(questionnaire), _shown(progress), every=every, model=model, skip=skip, out=folder)


def _run_loaded(
    config: RunConfig,
    out: Path,
    model: LanguageModel | None,
    embedder: Embedder | None,
    force: bool,
    progress: Progress,
) -> Result:
    """Run a society with a model or an embedder that is loaded already."""
    if model is not None:
        if config.model.roles:
            raise ValueError(f"the model {model.name} is for all modules, got roles {dict(config.model.roles)}")
        kind = describe_model(model.name).kind
        # Whoever replays the run has to ask as it was asked.
        options = {model.name: {"instructed": style_of(model) == "instruct"}} if kind is ModelKind.UNKNOWN else {}
        config = replace(
            config, model=replace(config.model, name=model.name, options={**config.model.options, **options})
        )
    if embedder is not None:
        config = replace(config, model=replace(config.model, embedder=embedder.name))
    valley_map = map_of(config)
    check_population(config, valley_map)
    directory = RunDirectory(out)
    directory.check_free(force=force)
    with ExitStack() as stack:
        weights: dict[str, Any] = {}
        compares: Embedder
        if embedder is None:
            found = find_embedder(config.model.embedder)
            compares = found.build()
            stack.enter_context(closing_embedder(compares))
            weights["embedder"] = {"name": found.name, "sha256": file_hashes(found.path)}
        else:
            compares = embedder
            weights["embedder"] = {"name": embedder.name, "sha256": {}}
        if model is None:
            backends = find_backends(replace(config, model=replace(config.model, embedder="hash")))
            models = stack.enter_context(backends.open_models(compares, progress.say))
            weights = {**backends.weights, **weights}
        else:
            models = {model.name: model}
            weights["model"] = {"name": model.name, "sha256": {}}
        manifest = {**new_manifest(config, weights, {}, valley_map), "prices": known_prices(config)}
        writer = stack.enter_context(RunWriter(directory, replace=force))
        rewind(writer)
        # The run keeps the vectors, so that it is replayed without its embedder.
        kept = compares if compares.name == "hash" else cached_embedder(weights["embedder"], partial(_given, compares))
        execution = RunExecution(
            configuration=config,
            models=models,
            embedder=kept,
            writer=writer,
            manifest=manifest,
            valley_map=valley_map,
            progress=progress,
        )

        async def take_steps() -> None:
            try:
                await execution.take_steps(lambda: False)
            finally:
                await close_connections(models.values())

        event_loop.run(take_steps())
        return execution.finish()


def _given(embedder: Embedder) -> Embedder:
    """Return an embedder that is loaded already where a function that loads one is expected."""
    return embedder


def _shown(progress: bool) -> Progress:
    return progress_on() if progress else NoProgress()


def _ended(result: Result, keep: object) -> Run:
    """Return the run that has ended.

    Raises:
        RunError: if it failed.
    """
    if result.status == "failed":
        raise RunError(f"{result.error} (step {result.steps + 1} of {result.directory.path})")
    found = load_run(result.directory.path)
    _warn_of_failures(found.records, stacklevel=4)
    return Run(found.path, manifest=found.manifest, records=found.records, keep=keep)


def _warn_of_failures(records: Sequence[Record], *, stacklevel: int) -> None:
    """Warn once of decisions that failed, if any did."""
    if (failed := failed_in(records))[0]:
        warnings.warn(describe_failed(*failed), RuntimeWarning, stacklevel=stacklevel)
