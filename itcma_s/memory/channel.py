"""The consciousness channel: primal impression and retention (section 3.1, Eq. 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from itcma_s.checks import check_emotion, check_finite
from itcma_s.fields.phenomenal_field import Field


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """One time frame: what was perceived, done and said in it, and the emotion.

    Attributes:
        time: Time step, from 0.
        place: Where the resident was.
        field: Its phenomenal field.
        action: Its action in this step; empty for none, or as long as it has not decided.
        result: The world's answer to that action; empty until it is known.
        said: Words that reached the resident or that it said, one line each, best as ``"LL: ..."``: what stands before
            the first ``": "`` names who spoke (and to whom) and is never cut when memories are compressed.
        witnessed: Observed actions of others, one sentence each: ``"LL hands you food 6."``. They are not objects of
            the field, which shows the effects of actions only by where people and things are; an action can neither be
            found at a place nor be blended with a thing.
        pleasure: P^t in (-1, 1).
        arousal: A^t in (-1, 1).
        dominance: D^t in (-1, 1).

    Raises:
        ValueError: for a negative time, an empty place, or an emotion outside (-1, 1).
    """

    time: int
    place: str
    field: Field
    action: str = ""
    result: str = ""
    said: tuple[str, ...] = ()
    witnessed: tuple[str, ...] = ()
    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0

    def __post_init__(self) -> None:
        if self.time < 0:
            raise ValueError(f"time must be at least 0, got {self.time}; count time steps from 0")
        if not self.place:
            raise ValueError("a frame needs a place, got an empty string; outside is a place too")
        for label in ("pleasure", "arousal", "dominance"):
            check_emotion(f"{label} at time {self.time}", getattr(self, label))

    def get_state(self) -> dict[str, Any]:
        """Return the frame as JSON-ready data; ids of names refer to the table that the field was made with."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**state, "field": self.field.get_state(), "said": list(self.said), "witnessed": list(self.witnessed)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Frame:
        """Return the frame with a state from ``get_state``, also after a JSON round trip."""
        seen = Field.from_state(state["field"])
        return cls(**{**state, "field": seen, **{name: tuple(state[name]) for name in ("said", "witnessed")}})


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """The input of protention: the channel, the imagination and the driver (Eq. 7).

    Departs from the paper: of the channel C^t (Eq. 6) it has PI^t and Re^t. The activated memory M(PI^t, Re^t) enters
    only through the imagination, which is blended with it; without blending it does not enter.

    Attributes:
        retention: Re^t, oldest first.
        present: PI^t.
        imagination: The present blended with the activated memory (Eq. 5); the present itself without one.
        driver: d^t, finite.
    """

    retention: tuple[Field, ...]
    present: Field
    imagination: Field
    driver: float

    def __post_init__(self) -> None:
        check_finite("driver", self.driver)


class Channel:
    """Holds retention Re^t and primal impression PI^t: C^t of Eq. 6 without the activated memory M.

    Args:
        k: How many frames are retained, at least 0; the ITCMA code retains 4.
    """

    def __init__(self, k: int = 4) -> None:
        if k < 0:
            raise ValueError(f"k must be at least 0, got {k}; it is the number of retained frames")
        self._k = k
        self._frames: list[Frame] = []

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def k(self) -> int:
        """Number of retained frames."""
        return self._k

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Retention and primal impression, oldest first."""
        return tuple(self._frames)

    @property
    def retention(self) -> tuple[Frame, ...]:
        """Re^t = [re^1 … re^(t-1)], oldest first; at most k frames."""
        return tuple(self._frames[:-1])

    @property
    def primal_impression(self) -> Frame | None:
        """PI^t, the frame of the present; None before the first."""
        return self._frames[-1] if self._frames else None

    @property
    def leaving(self) -> Frame | None:
        """The frame that the next push will drop from retention; None while there is room."""
        return self._frames[0] if len(self._frames) > self._k else None

    def push(self, frame: Frame) -> Frame | None:
        """Make a frame the primal impression; the previous one becomes the latest of retention.

        Args:
            frame: The present.

        Returns:
            The frame that fell out of retention, to go to long-term memory; None while there is room.

        Raises:
            ValueError: if the frame is not later than the primal impression.
        """
        if self._frames and frame.time <= self._frames[-1].time:
            raise ValueError(
                f"a frame must be later than the present one of time {self._frames[-1].time}, got time {frame.time}; "
                "push each time step once, or amend the primal impression"
            )
        fallen = self.leaving
        self._frames = [*self._frames[fallen is not None :], frame]
        return fallen

    def amend(self, frame: Frame) -> None:
        """Replace the primal impression by an updated version, for example with the action and its result.

        Raises:
            ValueError: if the channel is empty or the frame has another time.
        """
        if not self._frames or self._frames[-1].time != frame.time:
            present = self._frames[-1].time if self._frames else None
            raise ValueError(
                f"only the frame of time {present} can be amended, got time {frame.time}; push a new frame"
            )
        self._frames[-1] = frame

    def get_state(self) -> dict[str, Any]:
        """Return the channel as JSON-ready data."""
        return {"k": self._k, "frames": [frame.get_state() for frame in self._frames]}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``, also after a JSON round trip."""
        restored = Channel(state["k"])
        for frame in state["frames"]:
            if restored.push(Frame.from_state(frame)) is not None:
                raise ValueError(
                    f"{len(state['frames'])} frames do not fit a channel of k = {state['k']}; damaged state"
                )
        self._k, self._frames = restored._k, restored._frames
