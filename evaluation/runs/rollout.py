"""The loop that lets a society live: step by step, each written down, a checkpoint now and then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from evaluation.records import metrics
from evaluation.records.run_directory import RunWriter
from evaluation.runs import checkpoints
from evaluation.runs.checkpoints import Checkpoint
from evaluation.runs.garbage_collection import settled
from evaluation.runs.society import Society, Step
from language_models.prices import Price
from language_models.transcript.transcript import Transcript


async def rollout(
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
    """Go on until so many time steps are done, or until asked to stop.

    Args:
        society: At any time step.
        writer: Takes the records, the metrics and the checkpoints.
        transcript: Where the society's model calls are recorded.
        steps: The time step at which to end.
        checkpoint_every: Checkpoints are made at multiples of this many steps, at the first step and at the end, also
            where a step fails: then of the last one that was finished.
        stop_on_failure: Whether a failed model call ends it; otherwise whoever made it waits for one step.
        prices: What tokens cost, by model.
        on_act: Called with each resident's name when it has decided.
        on_step: Called after each step, once it is written down.
        stop: Asked after each step.

    Returns:
        How many time steps are done.

    Raises:
        FailedCallError: as ``Society.step``, which may raise others, too.
    """

    def stand() -> Checkpoint:
        return Checkpoint(
            step=society.world.time, society=society.get_state(), transcript=transcript.ids.position(), sizes={}
        )

    def save(checkpoint: Checkpoint) -> None:
        # Nor does a checkpoint count a call that a loss of power could take.
        transcript.sync()
        checkpoints.save(writer.directory.checkpoints_path, replace(checkpoint, sizes=writer.sizes()))

    async def take_step() -> Step:
        if saved == society.world.time:
            return await society.step(on_act, stop_on_failure=stop_on_failure)
        # A step that fails leaves the society between two steps.
        before = stand()
        try:
            return await society.step(on_act, stop_on_failure=stop_on_failure)
        except Exception:
            save(before)
            raise

    saved = society.world.time
    if not checkpoints.paths(writer.directory.checkpoints_path):
        save(stand())
    with settled():
        while society.world.time < steps and not stop():
            step = await take_step()
            # A record never names a call that the transcript could lose.
            transcript.commit()
            writer.append(step.records, [*step.metrics, *metrics.of_usage(step.time, transcript.take_usage(), prices)])
            on_step(step)
            if society.world.time % checkpoint_every == 0:
                save(stand())
                saved = society.world.time
    if saved != society.world.time:
        save(stand())
    return society.world.time
