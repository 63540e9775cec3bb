"""The loop that lets a society live: step by step, each written down, a checkpoint now and then."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evaluation import checkpoints, metrics
from evaluation.checkpoints import Checkpoint
from evaluation.heap import settled
from evaluation.run_directory import RunWriter
from evaluation.society import Society, Step
from language_models.prices import Price
from language_models.transcript import Transcript


async def rollout(
    society: Society,
    writer: RunWriter,
    transcript: Transcript,
    *,
    steps: int,
    checkpoint_every: int,
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
        checkpoint_every: Checkpoints are made at multiples of this many steps, at the first step and at the end.
        prices: What tokens cost, by model.
        on_act: Called with each resident's name when it has decided.
        on_step: Called after each step, once it is written down.
        stop: Asked after each step.

    Returns:
        How many time steps are done.
    """

    def save() -> None:
        checkpoint = Checkpoint(
            step=society.world.time,
            society=society.get_state(),
            transcript=transcript.position(),
            sizes=writer.sizes(),
        )
        checkpoints.save(writer.directory.checkpoints_path, checkpoint)

    saved = society.world.time
    if not checkpoints.paths(writer.directory.checkpoints_path):
        save()
    with settled():
        while society.world.time < steps and not stop():
            step = await society.step(on_act)
            # A record never names a call that the transcript could lose.
            transcript.commit()
            writer.append(step.records, [*step.metrics, *metrics.of_usage(step.time, transcript.take_usage(), prices)])
            on_step(step)
            if society.world.time % checkpoint_every == 0:
                save()
                saved = society.world.time
    if saved != society.world.time:
        save()
    return society.world.time
