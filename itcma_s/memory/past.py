"""A resident's past: channel, segment and long-term memory, and the recall of memories (section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from itcma_s.fields.blending import blend
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Channel, Frame, Moment
from itcma_s.memory.compression import compress, segment_boundary
from itcma_s.memory.levenshtein import best_window
from itcma_s.memory.long_term_memory import LongTermMemory
from itcma_s.memory.memory import Memory
from itcma_s.parameters import DEFAULTS, MindParameters

_A_WHILE = 2
"""Number of retained steps in one place that count as waiting."""


class Past:
    """Moves frames from the channel into a segment, and from there, compressed, into long-term memory.

    Args:
        table: The embeddings of names.
        generator: Source of the draws of every blend.
        parameters: Of retention, blending, compression and activation.
        compressed: Whether memories are compressed, and blended into the present; ITCMA keeps them as they are.

    Attributes:
        channel: Retention and primal impression.
        segment: Frames that fell out of retention and are not in long-term memory yet.
        memory: Long-term memory.
        views: Place -> object walked to there, or the place one came from -> field of the doors and furniture, as last
            seen from that spot. They do not move, so that a view stays valid.

    Departs from the paper: it has no views. They serve only the geometric rule of protention; they are not compressed
    and M does not activate them.
    """

    def __init__(
        self,
        table: NameTable,
        generator: np.random.Generator,
        *,
        parameters: MindParameters = DEFAULTS,
        compressed: bool = True,
    ) -> None:
        self._table = table
        self._generator = generator
        self.parameters = parameters
        self._compressed = compressed
        self.channel = Channel(self.parameters.retention)
        self.segment: list[Frame] = []
        self.memory = self.empty_memory()
        self.views: dict[str, dict[str, Field]] = {}

    def empty_memory(self) -> LongTermMemory:
        """Create an empty long-term memory with this mind's parameters."""
        return LongTermMemory(
            self._table,
            weights=self.parameters.field_weights,
            emotion_weight=self.parameters.emotion_weight,
            shortlist=self.parameters.activation_shortlist,
        )

    def finish(self, action: str, result: str, said: Sequence[str]) -> None:
        """Record an action, its result and the words said in the frame of the present."""
        if (present := self.channel.primal_impression) is not None:
            self.channel.amend(replace(present, action=action, result=result, said=(*present.said, *said)))

    def retained(self) -> list[Field]:
        """Return the fields that will be in retention at the next primal impression, oldest first."""
        frames = self.channel.frames
        return [frame.field for frame in frames[max(0, len(frames) - self.channel.k) :]]

    def remember(self, observation: Observation, field: Field, emotion: tuple[float, float, float]) -> None:
        """Push the present into the channel; the frame that leaves retention moves on to long-term memory."""
        self._keep_view(observation, field)
        frame = Frame(
            time=observation.time,
            place=observation.place,
            field=field,
            said=tuple(f"{m.sender} to {m.addressee}: {m.text}" for m in observation.messages),
            witnessed=tuple(event.describe(observation.resident, observation.places) for event in observation.events),
            pleasure=emotion[0],
            arousal=emotion[1],
            dominance=emotion[2],
        )
        self.compress()
        fallen = self.channel.push(frame)
        if fallen is None:
            return
        if self._compressed:
            self.segment.append(fallen)
        else:
            self.memory.append(Memory.from_frame(fallen))

    def forget(self, text: str) -> int:
        """Lose all memories, and frames on their way there, that mention a text; what is retained stays.

        Args:
            text: Any part of words, actions, a place or an object, in either case.

        Returns:
            How many there were.
        """
        sought, before = text.casefold(), len(self.memory) + len(self.segment)

        def mentions(one: Memory | Frame) -> bool:
            done = one.actions if isinstance(one, Memory) else (one.action,)
            words = (one.place, *one.field.names(self._table), *one.said, *one.witnessed, *done)
            return any(sought in word.casefold() for word in words)

        left = [memory for memory in self.memory if not mentions(memory)]
        self.memory = self.empty_memory()
        for memory in left:
            self.memory.append(memory)
        self.segment = [frame for frame in self.segment if not mentions(frame)]
        return before - len(self.memory) - len(self.segment)

    def compress(self) -> None:
        """Compress the segment into long-term memory if the next frame to leave retention would end it.

        This needs nothing of the present, so that it can run while a model call is in flight.
        """
        leaving, parameters = self.channel.leaving, self.parameters
        if leaving is not None and segment_boundary(self.segment, leaving, length=parameters.segment_length):
            memory = compress(
                self.segment,
                self._table,
                self._generator,
                threshold=parameters.blend_threshold,
                probability=parameters.keep_probability,
                weights=parameters.field_weights,
                said_limit=parameters.said_limit,
                witnessed_limit=parameters.witnessed_limit,
            )
            self.memory.append(memory)
            self.segment = []

    def _keep_view(self, observation: Observation, field: Field) -> None:
        """Store the view of the place from where the last action led: a door, or a piece of furniture."""
        before = self.channel.primal_impression
        if before is None or observation.outcome != "executed":
            return
        if before.place != observation.place:
            spot = before.place
        else:
            done = Action.parse(before.action)
            if not isinstance(done, Action) or done.primitive not in (Primitive.USE, Primitive.TAKE, Primitive.PUT):
                return
            spot = done.target
        fixed = [row for row, p in enumerate(observation.percepts) if p.kind in ("door", "furniture")]
        if before.place != observation.place or any(observation.percepts[row].name == spot for row in fixed):
            view = Field(field.ids[fixed], field.positions[fixed])
            self.views.setdefault(observation.place, {})[spot] = view

    def imagine(self, field: Field) -> tuple[list[Memory], Field]:
        """Return M(PI, Re) and the imagination (Eq. 5); without compression, the present itself is the imagination."""
        if not len(self.memory):
            return [], field
        retention = [frame.field for frame in self.channel.retention]
        if self._compressed:
            activated = [memory for memory, _ in self.memory.activate(field, retention)]
            return activated, blend(
                field,
                activated[0].field,
                self._table,
                self._generator,
                threshold=self.parameters.blend_threshold,
                probability=self.parameters.keep_probability,
                weights=self.parameters.field_weights,
            )
        window = best_window([*retention, field], self.memory.fields(), self._table, self.parameters.field_weights)
        return (self.memory.between(window.start, window.stop) if window is not None else []), field

    def moment(self, imagination: Field, driver: float) -> Moment:
        """Return the input of protention for this step."""
        present = self.channel.primal_impression
        return Moment(
            retention=tuple(frame.field for frame in self.channel.retention),
            present=present.field if present is not None else imagination,
            imagination=imagination,
            driver=driver,
        )

    def last_fields(self) -> dict[str, Field]:
        """Return the last field seen in each place, of frames that are not in long-term memory yet."""
        return {frame.place: frame.field for frame in (*self.segment, *self.channel.frames)}

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {
            "channel": self.channel.get_state(),
            "segment": [frame.get_state() for frame in self.segment],
            "memory": self.memory.get_state(),
            "views": {
                place: {spot: view.get_state() for spot, view in views.items()} for place, views in self.views.items()
            },
        }

    def restored(self, state: Mapping[str, Any]) -> Past:
        """Return a new object with a state from ``get_state``.

        Raises:
            ValueError: if the state retains another number of frames, or is damaged.
        """
        past = Past(self._table, self._generator, parameters=self.parameters, compressed=self._compressed)
        past.channel.set_state(state["channel"])
        if past.channel.k != self.channel.k:
            raise ValueError(
                f"the saved channel retains {past.channel.k} frames, this one {self.channel.k}; "
                f"make the resident with MindParameters(retention={past.channel.k})"
            )
        past.segment = [Frame.from_state(frame) for frame in state["segment"]]
        past.memory.set_state(state["memory"])
        past.views = {
            place: {spot: Field.from_state(view) for spot, view in views.items()}
            for place, views in state["views"].items()
        }
        return past


def recollection(activated: Sequence[Memory], observation: Observation) -> str:
    """Return the part of an activated memory that matters now: the last words of a person who is present.

    Of a memory from before the run it is the whole sentence; an empty string if nothing is of use.
    """
    for memory in activated:
        if memory.formative:
            return f"Long before: {memory.witnessed[-1]}"
        for line in reversed(memory.said):
            speaker, _, words = line.partition(": ")
            sender = speaker.split(" to ")[0]
            fresh = all(message.text != words for message in observation.messages)
            if sender in observation.company and fresh and words:
                return f'Before, {sender} said to {speaker.partition(" to ")[2] or "me"}: "{words}"'
    return ""


def waited_for(person: str, channel: Channel, table: NameTable) -> bool:
    """Return whether the resident has been waiting here for a person who has not come."""
    before, now = channel.retention[-_A_WHILE:], channel.primal_impression
    return len(before) == _A_WHILE and all(
        now is not None and frame.place == now.place and person not in frame.field.names(table) for frame in before
    )
