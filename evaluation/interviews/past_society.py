"""Restores a run's society at any time steps, from checkpoints or by replaying the transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.models.closing import closing_embedder
from evaluation.models.run_embedder import embedder_of_run, reading_vectors, without_server
from evaluation.records.checksums import EVENTS
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints, event_loop
from evaluation.runs.ancestry import Stage, run_stages, stages
from evaluation.runs.build_society import build_society
from evaluation.runs.progress import Progress
from evaluation.runs.replay import RecordedSteps, TranscriptModels
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from irollan_env.hints import did_you_mean
from irollan_env.resident import Interviewable
from irollan_env.world.observation import Observation
from language_models.protocol import Embedder
from language_models.transcript.transcript import Transcript


@dataclass(frozen=True, kw_only=True, slots=True)
class PastSociety:
    """A run's society at a time step.

    Attributes:
        society: The society.
        step: Number of completed time steps.
        configuration: Its configuration at that step.
        embedder: Embedder of the run.
    """

    society: Society
    step: int
    configuration: RunConfig
    embedder: Embedder

    def knows(self, name: str) -> list[str]:
        """Return a resident's knowledge, one line per item.

        Raises:
            ValueError: if there is no such resident, its mind cannot be interviewed, or raises.
        """
        residents = self.society.residents
        if name not in residents:
            hint = did_you_mean(name, residents)
            raise ValueError(f"unknown resident {name!r}: it must be one of {', '.join(residents)}{hint}")
        resident = residents[name]
        if not isinstance(resident, Interviewable):
            raise ValueError(f"{name} has no method answer, by which it says what it knows")
        return list(resident.answer())

    def observation(self, name: str) -> Observation:
        """Return a resident's observation, with the result of its last action."""
        return self.society.observe(name)


class RecordedLife:
    """A run whose society can be restored at any of its time steps; the run is not changed.

    Attributes:
        steps: How many whole time steps it has.
        embedder: Embedder of the run.
    """

    def __init__(
        self, directory: RunDirectory, recorded: RecordedSteps, embedder: Embedder, transcript: Transcript
    ) -> None:
        """Use what ``recorded_life`` has opened."""
        self.steps = recorded.steps
        self.embedder = embedder
        self._directory, self._recorded = directory, recorded
        self._stages, self._map = stages(directory.read_manifest()), directory.read_map()
        self._models = TranscriptModels(transcript)

    def stages_until(self, at: int) -> list[Stage]:
        """Return the stages of the first time steps, oldest first."""
        return [stage for number, stage in enumerate(self._stages) if number == 0 or stage.begin < at]

    def restore(self, step: int | None, progress: Progress) -> PastSociety:
        """Restore the society after a time step, from its checkpoint if there is one, otherwise by a replay.

        Args:
            step: Number of completed time steps; all whole steps if None.
            progress: Reports progress.

        Raises:
            ValueError: if there is no such step, or the checkpoint is damaged or of another version.
            RunError: if the run did not keep the vectors that it needs, and their embedder is not installed.
            ReplayError: if the steps cannot be replayed, such as those of another version.
        """
        at = self.steps if step is None else step
        self._recorded.check_step(at)
        if (saved := checkpoints.path_of(self._directory.checkpoints_path, at)).is_file():
            return self._past(self._load(at, saved), at)
        return self._past(self._replay(at, progress), at)

    def visit(self, steps: Sequence[int], visitor: Callable[[PastSociety], None], progress: Progress) -> None:
        """Restore the society after each of some time steps; those without a checkpoint in one replay.

        Args:
            steps: Numbers of completed time steps, ascending.
            visitor: Called with each society, which it must leave as it is; those with a checkpoint come last.
            progress: Reports progress.

        Raises:
            ValueError, RunError, ReplayError: as ``restore``.
        """
        folder = self._directory.checkpoints_path
        replayed = [step for step in steps if not checkpoints.path_of(folder, step).is_file()]
        if replayed:
            *passing, last = replayed
            with closing(self._replay(last, progress, passing, visitor)) as society:
                visitor(self._past(society, last))
        for step in steps:
            if step not in replayed:
                with closing(self.restore(step, progress).society) as society:
                    visitor(self._past(society, step))

    def _replay(
        self,
        at: int,
        progress: Progress,
        passing: Sequence[int] = (),
        visitor: Callable[[PastSociety], None] = lambda past: None,
    ) -> Society:
        async def live(society: Society) -> None:
            await self._recorded.step(society)
            if society.world.time in passing:
                visitor(self._past(society, society.world.time))

        progress.say(f"living the first {at} time steps of {self._directory.path} again ...")
        passed, models = self.stages_until(at), self._models
        return event_loop.run(
            run_stages(passed, models, self.embedder, at, live, valley_map=self._map, override=models.override)
        )

    def _load(self, step: int, path: Path) -> Society:
        checkpoint = checkpoints.load(path)
        checkpoints.check_versions(checkpoint)
        configuration = self.stages_until(step)[-1].configuration
        society = build_society(configuration, self._models(configuration), self.embedder, self._map)
        checkpoints.restore(society, checkpoint, path)
        return society

    def _past(self, society: Society, step: int) -> PastSociety:
        configuration = self.stages_until(step)[-1].configuration
        return PastSociety(society=society, step=step, configuration=configuration, embedder=self.embedder)


@contextmanager
def recorded_life(directory: RunDirectory) -> Iterator[RecordedLife]:
    """Open a run within a block, to restore its society; the run is not changed.

    Args:
        directory: The run.

    Raises:
        ValueError: if there is no run, its map is damaged, or its last steps are lost.
    """
    manifest = directory.read_manifest()
    recorded = RecordedSteps(directory, directory.whole(EVENTS))
    directory.check_vectors()
    embedder = embedder_of_run(manifest)
    with (
        without_server(),
        closing_embedder(embedder),
        reading_vectors(embedder, directory.embeddings_path),
        directory.transcript() as transcript,
    ):
        yield RecordedLife(directory, recorded, embedder, transcript)


@contextmanager
def past_society(directory: RunDirectory, step: int | None, progress: Progress) -> Iterator[PastSociety]:
    """Restore the society of a run after a time step within a block; the run is not changed.

    Args:
        directory: The run.
        step: As for ``RecordedLife.restore``.
        progress: Reports progress.

    Raises:
        ValueError, RunError, ReplayError: as ``recorded_life`` and ``RecordedLife.restore``.
    """
    with recorded_life(directory) as life:
        past = life.restore(step, progress)
        with closing(past.society):
            yield past
