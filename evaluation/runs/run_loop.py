"""The loop over time steps: take one, write it, save a checkpoint now and then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from evaluation.records import metrics
from evaluation.records.checksums import Calls
from evaluation.records.run_directory import RunWriter
from evaluation.runs import checkpoints
from evaluation.runs.checkpoints import Checkpoint
from evaluation.runs.costs import cost_by_module
from evaluation.runs.process import less_garbage_collection
from evaluation.runs.society import Society, Step
from irollan_env.world.mechanic_check import check_state
from language_models.prices import Price
from language_models.transcript.transcript import Transcript

CHECKED_EVERY = 10
"""World classes are checked after the first step and at each so many checkpoints."""


async def run_loop(
    society: Society,
    writer: RunWriter,
    transcript: Transcript,
    *,
    steps: int,
    checkpoint_every: int,
    stop_on_failure: bool = False,
    prices: Mapping[str, Price],
    on_act: Callable[[str], None] = lambda name: None,
    on_step: Callable[[Step], None] = lambda step: None,
    stop: Callable[[], bool] = lambda: False,
) -> int:
    """Take time steps until the last one, until the world ends, or until asked to stop.

    Args:
        society: At any time step.
        writer: Takes the records, the metrics and the checkpoints.
        transcript: Where the society's model calls are recorded.
        steps: The time step at which to end.
        checkpoint_every: Checkpoints are made at multiples of this many steps, at the first step and at the end, also
            where a step fails: then of the last one that was finished.
        stop_on_failure: Whether a failed model call ends it; otherwise its resident waits for one step.
        prices: What tokens cost, by model.
        on_act: Called with each resident's name when it has decided.
        on_step: Called after each step, once it is written down.
        stop: Asked after each step.

    Returns:
        How many time steps are done.

    Raises:
        FailedCallError: as ``Society.step``, which may raise others, too.
        MechanicError: if a world class fails, or keeps something outside of its state.
    """
    saver = _CheckpointSaver(society, writer, transcript)
    with less_garbage_collection():
        while society.world.time < steps and not society.world.ended and not stop():
            # A step that fails leaves the society between two steps.
            before = None if saver.is_up_to_date else saver.take()
            try:
                step = await society.step(on_act, stop_on_failure=stop_on_failure)
            except Exception:
                if before is not None:
                    saver.save(before)
                raise
            write_step(writer, transcript, step, prices)
            on_step(step)
            due = society.world.time % checkpoint_every == 0
            if society.world.time == 1 or (due and society.world.time % (CHECKED_EVERY * checkpoint_every) == 0):
                check_state(society.world)
            if due:
                saver.save(saver.take())
    if not saver.is_up_to_date:
        saver.save(saver.take())
    return society.world.time


def write_step(writer: RunWriter, transcript: Transcript, step: Step, prices: Mapping[str, Price]) -> None:
    """Write a time step, calls first, so that no record names a call missing from the transcript.

    Args:
        writer: Of the run's directory.
        transcript: Of the run.
        step: To write.
        prices: By model.
    """
    transcript.commit()
    usage = transcript.take_usage()
    costs = metrics.of_usage(step.time, usage, cost_by_module(usage, prices))
    writer.append(step.records, [*step.metrics, *costs], calls_of(transcript))


def calls_of(transcript: Transcript) -> Calls:
    """Return what identifies the calls of a transcript so far."""
    made = transcript.ids.position()
    return Calls(made={resident: made[resident] for resident in transcript.ids.residents()}, digest=transcript.digest())


class _CheckpointSaver:
    """Save checkpoints of one run; the first one at once."""

    def __init__(self, society: Society, writer: RunWriter, transcript: Transcript) -> None:
        self._society = society
        self._writer = writer
        self._transcript = transcript
        self._saved = society.world.time
        if not checkpoints.paths(writer.directory.checkpoints_path):
            self.save(self.take())

    @property
    def is_up_to_date(self) -> bool:
        return self._saved == self._society.world.time

    def take(self) -> Checkpoint:
        """Return the current state, without what verifies the records."""
        return Checkpoint(
            step=self._society.world.time,
            society=self._society.get_state(),
            transcript=self._transcript.ids.position(),
            checksum="",
        )

    def save(self, checkpoint: Checkpoint) -> None:
        # Nor does a checkpoint count a call that a loss of power could take.
        self._transcript.sync()
        folder = self._writer.directory.checkpoints_path
        checkpoints.save(folder, replace(checkpoint, checksum=self._writer.sync()))
        self._saved = checkpoint.step
