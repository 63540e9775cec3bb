"""A model call that failed, where that is to end the run."""

from __future__ import annotations

from collections.abc import Sequence

from language_models.transcript.transcript import Transcript


class FailedCallError(RuntimeError):
    """A time step in which a model call failed, where that is to end the run.

    Attributes:
        resident: Whose call; the empty string for the matrix.
        time: The time step.
        reason: Why.
        calls: Identifiers, in the transcript, of the calls that this resident made in the step.
    """

    def __init__(self, *, resident: str, time: int, reason: str, calls: Sequence[int]) -> None:
        super().__init__(f"{resident or 'the society'} had no answer from the model in step {time + 1}: {reason}")
        self.resident = resident
        self.time = time
        self.reason = reason
        self.calls = tuple(calls)

    def told(self, transcript: Transcript) -> str:
        """Whose call failed, for which module, why, and what can be done."""
        calls = [transcript.get(call) for call in self.calls]
        modules = [call.caller.module for call in calls if call.response is None]
        asked = f" for {modules[0]}" if modules else ""
        # A mind can fail by itself, though all of its calls were answered.
        what = f"had no answer from the model{asked}" if modules or not self.resident else "did not decide"
        return (
            f"{self.resident or 'the society'} {what} in step {self.time + 1}: "
            f"{self.reason}; resume asks again, and with --on-failure wait goes on without"
        )
