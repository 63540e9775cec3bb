"""A record of the model calls that a resident makes in one time step."""

from __future__ import annotations

from language_models.protocol import Caller


class ModelCalls:
    """Collects the model calls of a resident in one time step, in their order.

    Every part of a step that calls a model uses ``caller`` for its request and adds the identifier of the call.

    >>> calls = ModelCalls("LL", 3)
    >>> calls.caller("action")
    Caller(module='action', resident='LL', time=3)
    >>> calls.add(7, -1, 8)
    >>> calls.add(7)
    >>> calls.made
    (7, 8)

    Args:
        resident: The resident that makes the calls.
        time: The time step; also an attribute.
    """

    def __init__(self, resident: str, time: int) -> None:
        self._resident, self.time = resident, time
        self._made: dict[int, None] = {}

    def caller(self, module: str) -> Caller:
        """Return the caller for a request of one module: "elimination", "protention", "action" or "writing"."""
        return Caller(module=module, resident=self._resident, time=self.time)

    def add(self, *calls: int) -> None:
        """Record calls, each once; negative identifiers, of calls in no transcript, are ignored."""
        self._made.update(dict.fromkeys(call for call in calls if call >= 0))

    @property
    def made(self) -> tuple[int, ...]:
        """Identifiers of the recorded calls, in their order."""
        return tuple(self._made)
