"""Restores a run's society at any time step, from a checkpoint or by replaying the transcript."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evaluation.models.closing import closing_embedder
from evaluation.models.run_embedder import embedder_of_run, reading_vectors, without_server
from evaluation.records.checksums import EVENTS
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints, event_loop
from evaluation.runs.ancestry import run_stages, stages
from evaluation.runs.build_society import build_society
from evaluation.runs.progress import Progress
from evaluation.runs.replay import RecordedSteps, TranscriptModels
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from irollan_env.hints import did_you_mean
from irollan_env.resident import Interviewable
from irollan_env.world.observation import Observation
from language_models.protocol import Embedder


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


@contextmanager
def past_society(directory: RunDirectory, step: int | None, progress: Progress) -> Iterator[PastSociety]:
    """Restore the society of a run after a time step; the run is not changed.

    It is loaded from the checkpoint of the step if there is one, and replayed from the transcript otherwise.

    Args:
        directory: The run.
        step: Number of completed time steps; all whole steps if None.
        progress: Reports progress.

    Yields:
        The society.

    Raises:
        ValueError: if there is no run or no such step, the last steps are lost, or the checkpoint is damaged or of
            another version.
        RunError: if the run did not keep the vectors that it needs, and their embedder is not installed.
        ReplayError: if the steps cannot be replayed, such as those of another version.
    """
    manifest = directory.read_manifest()
    recorded = RecordedSteps(directory, directory.whole(EVENTS))
    directory.check_vectors()
    at = recorded.steps if step is None else step
    recorded.check_step(at)
    passed = [stage for number, stage in enumerate(stages(manifest)) if number == 0 or stage.begin < at]
    embedder, valley_map = embedder_of_run(manifest), directory.read_map()

    async def live(society: Society) -> None:
        await recorded.step(society)

    with (
        without_server(),
        closing_embedder(embedder),
        reading_vectors(embedder, directory.embeddings_path),
        directory.transcript() as transcript,
    ):
        models = TranscriptModels(transcript)
        saved = checkpoints.path_of(directory.checkpoints_path, at)
        if saved.is_file():
            configuration = passed[-1].configuration
            checkpoint = checkpoints.load(saved)
            checkpoints.check_versions(checkpoint)
            society = build_society(configuration, models(configuration), embedder, valley_map)
            checkpoints.restore(society, checkpoint, saved)
        else:
            progress.say(f"living the first {at} time steps of {directory.path} again ...")
            society = event_loop.run(
                run_stages(passed, models, embedder, at, live, valley_map=valley_map, override=models.override)
            )
        yield PastSociety(society=society, step=at, configuration=passed[-1].configuration, embedder=embedder)
