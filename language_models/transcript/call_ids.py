"""Identifiers of calls that do not depend on timing.

Residents think concurrently, so the order of their calls, after the first, depends on how fast the answers
come. Therefore each resident has a lane of its own, and a call's identifier is

    LANES * (how many calls this resident made before) + (the resident's lane)

which is the same in every run in which each resident asks the same things in the same order. With 10,000 lanes,
30002 is the fourth call of the resident in lane 2. Lanes are given out by `enlist`, or at a resident's first call, in
the order of those calls. Calls without a resident share the lane of the empty name, and calls for all residents
about a place use the place's lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import RLock

from language_models.protocol import Caller
from language_models.transcript.transcript_file import TranscriptError

LANES = 10_000


class CallIds:
    """Counts the calls of each resident and numbers the next one."""

    def __init__(
        self,
        path: str,
        lanes: Mapping[str, int],
        last: Mapping[str, int],
        keep: Callable[[int, str], None],
        lock: RLock,
    ) -> None:
        """Continue from the calls of a transcript.

        Args:
            path: The transcript's file, for errors.
            lanes: Lanes by resident.
            last: The last identifier of each resident who made a call.
            keep: Stores a new lane and its resident.
            lock: The transcript's lock.
        """
        self._path = path
        self._lanes = dict(lanes)
        self._made = {**dict.fromkeys(lanes, 0), **{resident: call // LANES + 1 for resident, call in last.items()}}
        self._keep = keep
        self._lock = lock

    def enlist(self, residents: Iterable[str]) -> None:
        """Assign lanes to these residents, in this order; existing lanes stay.

        Call it before the first call where a resident's first call may have to wait for something.
        """
        with self._lock:
            for resident in residents:
                self._lane(resident)

    def residents(self) -> list[str]:
        """Return the residents with a lane, in the order of their lanes."""
        with self._lock:
            return sorted(self._lanes, key=self._lanes.__getitem__)

    def next(self, caller: Caller) -> int:
        """Allocate a caller's next identifier; call this when the request is made, before any await."""
        resident = caller.resident
        with self._lock:
            lane = self._lanes[resident] if resident in self._lanes else self._lane(resident)
            made = self._made[resident]
            self._made[resident] = made + 1
            return LANES * made + lane

    def position(self) -> dict[str, int]:
        """Return how many calls each resident has made, which a checkpoint stores for `Transcript.rewind`."""
        with self._lock:
            return dict(self._made)

    def check_position(self, position: Mapping[str, int]) -> None:
        """Check that the transcript has all calls before a position.

        Raises:
            TranscriptError: if the position lies ahead of this transcript.
        """
        for resident, made in position.items():
            if made > self._made.get(resident, 0):
                raise TranscriptError(
                    f"{self._path}: cannot rewind to {made} calls of {resident!r}, who made "
                    f"{self._made.get(resident, 0)} here; take the checkpoint and the transcript from one run"
                )

    def rewind(self, position: Mapping[str, int]) -> None:
        """Continue from a position; residents that it does not name had made no call."""
        with self._lock:
            self._made = {resident: position.get(resident, 0) for resident in self._made}

    def _lane(self, resident: str) -> int:
        if resident not in self._lanes:
            lane = max(self._lanes.values(), default=-1) + 1
            if lane >= LANES:
                raise TranscriptError(f"{self._path}: {resident!r} is one resident too many; at most {LANES} fit")
            self._keep(lane, resident)
            self._lanes[resident] = lane
            self._made[resident] = 0
        return self._lanes[resident]
