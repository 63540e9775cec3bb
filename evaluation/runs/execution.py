"""Take the steps of a run and finish its directory, alone in the process or beside other runs with the same models."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evaluation.models import server_findings
from evaluation.models.closing import close_connections, release_models
from evaluation.models.model_roles import routed
from evaluation.models.run_embedder import storing_vectors
from evaluation.records.directories import DirectoryError
from evaluation.records.files import write_atomically
from evaluation.records.run_directory import RunDirectory, RunWriter
from evaluation.runs import event_loop
from evaluation.runs.ancestry import answering_from_parent
from evaluation.runs.budget import Budget
from evaluation.runs.build_society import build_society, places_of, starting_world
from evaluation.runs.call_seconds import note_seconds
from evaluation.runs.checkpoints import Checkpoint, restore
from evaluation.runs.config_parts import OnFailure
from evaluation.runs.costs import embeddings_of, prices_of
from evaluation.runs.full_disk import describe_write_failure
from evaluation.runs.human_override import TakeoverInterface, live_override
from evaluation.runs.process import Interrupts, peak_memory_mb
from evaluation.runs.progress import Progress
from evaluation.runs.run_config import RunConfig
from evaluation.runs.run_loop import run_loop
from evaluation.runs.society import FailedCallError, NoAnswerError, Society, Step
from evaluation.scenarios.outcomes import OutcomeError, meaning
from evaluation.scenarios.scenario import find_scenario
from evaluation.scenarios.scoring import score_of
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import MechanicError
from language_models.embedders.embedding_costs import EmbeddingCosts, counted_in
from language_models.protocol import Embedder, LanguageModel, ModelUnavailable, Usage
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript
from minds.decision import UnusableMind
from minds.mind_specs import ME

Status = Literal["finished", "stopped", "failed"]
ReportWriter: TypeAlias = Callable[[RunDirectory, Progress, Embedder, EmbeddingCosts], Path | None]
"""What writes the report of a run from its directory, with its embedder, which is loaded, and what embeddings have cost
so far; it gives the report, or None when there is no step to report on. ``evaluation.report.run_report`` has one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """Describe how a run ended.

    Attributes:
        directory: Where it is.
        status: Whether all steps are done, it was asked to stop, or something broke.
        steps: How many time steps are done.
        report: The report; None when there is no step to report on.
        error: What broke.
        spent: Which limit stopped it.
    """

    directory: RunDirectory
    status: Status
    steps: int
    report: Path | None
    error: str = ""
    spent: str = ""


@dataclass(kw_only=True)
class RunExecution:
    """Take the steps of one run, and finish its directory.

    The models and the embedder may be shared with other runs in the same event loop.

    Attributes:
        configuration: What to run.
        models: By name.
        embedder: Compares texts.
        writer: Of the run directory.
        manifest: Of the run; it is updated.
        valley_map: The map; a new run keeps a copy of it.
        progress: Where to show how far the run is.
        checkpoint: Where to resume; the beginning when None.
        write_report: Writes the report; none is written when None.
        human: Where a person may take over residents; nobody when None.
    """

    configuration: RunConfig
    models: Mapping[str, LanguageModel]
    embedder: Embedder
    writer: RunWriter
    manifest: dict[str, Any]
    valley_map: ValleyMap
    progress: Progress
    checkpoint: Checkpoint | None = None
    write_report: ReportWriter | None = None
    human: TakeoverInterface | None = None

    def __post_init__(self) -> None:
        self._done = 0 if self.checkpoint is None else self.checkpoint.step
        self._began, self._before = time.monotonic(), float(self.manifest["seconds"])
        self._error = self._spent = self._disk = self._ended = ""
        self._alone = False
        self._moved: RunDirectory | None = None
        self._embeddings = EmbeddingCosts(embeddings_of(self.manifest))

    def run_alone(self) -> Result:
        """Take all remaining steps in a process of their own, release the models, and finish the directory."""
        self._alone = self.checkpoint is None

        async def alone() -> None:
            try:
                await self.take_steps(lambda: interrupts.requested)
            finally:
                await close_connections(self.models.values())

        with Interrupts(self.progress.say, f"irollan resume {self.writer.directory.path}") as interrupts:
            try:
                event_loop.run(alone())
            finally:
                release_models(self.models.values())
        return self.finish()

    async def take_steps(self, stop: Callable[[], bool]) -> None:
        """Take all remaining steps; a failed write ends the run, and ``finish`` reports it.

        Args:
            stop: Asked after each step.
        """
        try:
            await self._take_steps(stop)
        except Exception as error:
            self._disk = self._describe_move() or describe_write_failure(error, self.writer.directory.path)
            if not self._disk:
                raise
            self._error = self._disk

    def _describe_move(self) -> str:
        """Describe where the run's directory is, if somebody moved or removed it; empty if it is in its place."""
        try:
            self._moved = self.writer.moved()
        except DirectoryError as error:
            return str(error)
        if self._moved is None:
            return ""
        return f"{self.writer.directory.path} was moved to {self._moved.path} while the run wrote to it"

    async def _take_steps(self, stop: Callable[[], bool]) -> None:
        directory, progress = self.writer.directory, self.progress
        directory.error_path.unlink(missing_ok=True)
        server_findings.restore(self.models, self.manifest)
        if self.checkpoint is None and "map" in self.manifest:
            directory.write_map(self.valley_map)
        self._write_manifest("running")
        with (
            counted_in(self._embeddings),
            storing_vectors(self.embedder, directory.embeddings_path),
            Transcript(directory.transcript_path) as transcript,
            answering_from_parent(self.manifest, self._done, progress) as answering,
        ):
            model = routed(
                self.configuration.model.name,
                self.configuration.model.roles,
                lambda name: RecordedModel(answering(self.models[name]), transcript, partial(self._check_served, name)),
            )
            try:
                society = build_society(self.configuration, model, self.embedder, self.valley_map)
            except (UnusableMind, MechanicError) as error:
                self._error = str(error)
                return
            society.override = live_override(
                self.manifest, self._done, lambda person: RecordedModel(answering(person), transcript), self.human
            )
            if self.human is not None:
                self.human.open_to([name for name in society.residents if self.configuration.mind.of(name) != ME])
            # The matrix asks for the society, in the lane of the empty name; about a place all ask, in the place's.
            transcript.ids.enlist([*society.residents, "", *places_of(society.world.map)])
            transcript.rewind({} if self.checkpoint is None else self.checkpoint.transcript)
            try:
                if self.checkpoint is not None:
                    restore(society, self.checkpoint, directory.path)
            except (ModelUnavailable, UnusableMind, MechanicError) as error:
                self._error = str(error)
                return
            progress.begin(self._done, self.configuration.steps)
            try:
                await self._run_loop(society, transcript, stop)
                if self._alone and self._is_whole:
                    note_seconds(transcript.costs.by_model(), time.monotonic() - self._began)
                self._score(society)
            except FailedCallError as failed:
                self._error = failed.describe(transcript)
            except OutcomeError as unusable:
                self._error = f"{unusable}; mend it, and then irollan resume {directory.path} computes it"
            except (ModelUnavailable, NoAnswerError) as silent:
                self._error = str(silent)
            except MechanicError as broken:
                self._error = f"{broken}; mend it"
            except Exception as broken:
                if self._describe_move() or describe_write_failure(broken, directory.path):
                    raise
                self._error = f"{type(broken).__name__}: {broken}"
                try:
                    trace = "".join(traceback.format_exception(broken))
                    write_atomically(directory.error_path, trace.encode("utf-8", "backslashreplace"))
                except OSError as error:
                    progress.say(f"where in the program is not written down: {error}")
                    directory.error_path.unlink(missing_ok=True)
            finally:
                progress.end()
                society.close()
                if unanswered := {one.module: one.failures for one in transcript.costs.by_module() if one.failures}:
                    self.manifest["failed_calls"] = unanswered

    async def _run_loop(self, society: Society, transcript: Transcript, stop: Callable[[], bool]) -> None:
        prices = prices_of(self.manifest)
        budget = Budget(self.configuration.limits, transcript, prices)

        def on_step(step: Step) -> None:
            self._done = step.time + 1
            found, costs = server_findings.known(self.models), self._embeddings.total
            new = any(found.get(key) != self.manifest.get(key) for key in server_findings.KEYS)
            if new or costs != embeddings_of(self.manifest):
                self._write_manifest("running")
            if step.unranked is not None:
                self.progress.say(f"the matrix had no answer at step {self._done}: {step.unranked}")
            budget.count_step()
            self.progress.step(step)

        await run_loop(
            society,
            self.writer,
            transcript,
            steps=self.configuration.steps,
            checkpoint_every=self.configuration.recording.checkpoint_every,
            stop_on_failure=self.configuration.model.on_failure == OnFailure.STOP,
            prices=prices,
            on_act=self.progress.act,
            on_step=on_step,
            stop=lambda: stop() or bool(budget.exhausted),
        )
        self._ended = society.world.ended
        if self._ended and self._done < self.configuration.steps:
            self.progress.say(f"the run ends after {self._done} steps: {self._ended}")
        self._spent = "" if self._is_whole else budget.exhausted

    @property
    def _is_whole(self) -> bool:
        return bool(self._ended) or self._done >= self.configuration.steps

    def _score(self, society: Society) -> None:
        """Note the outcome of a scenario in the manifest, once all steps are done."""
        self.manifest.pop("outcome", None)
        if not self._is_whole or not self.configuration.world.scenario:
            return
        scenario = find_scenario(self.configuration.world.scenario)
        if not scenario.outcome:
            return
        records, world = self.writer.directory.records(), society.world
        start = starting_world(self.configuration, scenario, world.map)
        score = score_of(scenario, start, records, world.get_state())
        self.manifest["outcome"] = {"scenario": scenario.name, "score": score, "meaning": meaning(scenario.outcome)}

    def _check_served(self, name: str, usage: Usage) -> None:
        """Check that an address still serves the model that answered first, by the manifest.

        Raises:
            ModelUnavailable: if another one answered.
        """
        answered: Sequence[str] = getattr(self.models[name], "answered_as", ())
        if not answered:
            return
        served = self.manifest.setdefault("served", {})
        if name not in served:
            served[name] = answered[0]
            # Now, or it would not be known after a kill.
            self._write_manifest("running")
        if other := [one for one in answered if one != served[name]]:
            raise ModelUnavailable(
                f"{name} answers as {other[0][:200]!r}, and answered as {served[name]!r} when "
                f"{self.writer.directory.path} started, so that the run cannot be resumed exactly; have it serve "
                "that one again, or name the other one behind # in irollan branch --model",
                usage=usage,
            )

    def finish(self) -> Result:
        """Write the final manifest and the report; writes no more where the disk is full."""
        directory, whole = self.writer.directory, self._is_whole
        status: Status = "failed" if self._error else "finished" if whole else "stopped"
        report = None
        try:
            self._write_manifest(status)
            if not self._disk and self.write_report is not None:
                with counted_in(self._embeddings):
                    report = self.write_report(directory, self.progress, self.embedder, self._embeddings)
                # The report's measures may have needed some more.
                if self._embeddings.total != embeddings_of(self.manifest):
                    self._write_manifest(status)
        except Exception as error:
            self._disk = self._disk or describe_write_failure(error, directory.path)
            if not self._disk:
                raise
            status, self._error = "failed", self._disk
        return Result(
            directory=self._moved or directory,
            status=status,
            steps=self._done,
            report=report,
            error=self._error,
            spent=self._spent,
        )

    def _write_manifest(self, status: Status | Literal["running"]) -> None:
        self.manifest.update(
            status=status,
            steps_done=self._done,
            seconds=round(self._before + time.monotonic() - self._began, 3),
            peak_memory_mb=peak_memory_mb(),
        )
        if self._ended:
            self.manifest["ended"] = self._ended
        found = server_findings.known(self.models)
        for line in server_findings.describe_new(self.manifest, found):
            self.progress.say(line)
        self.manifest.update(found)
        if self._embeddings.total.calls:
            self.manifest["embeddings"] = asdict(self._embeddings.total)
        self.manifest.pop("error", None)
        if self._error:
            self.manifest["error"] = self._error
        self.writer.directory.write_manifest(self.manifest)
