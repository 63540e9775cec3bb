"""The entries of long-term memory (section 3.2.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from itcma_s.checks import check_emotion
from itcma_s.emotion.emotion import LARGEST, emotional_intensity
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Frame
from itcma_s.memory.mentions import NameIndex


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """One memory: a frame, or a segment of frames compressed into one.

    Attributes:
        id: Its number in long-term memory, never used twice; -1 outside of it.
        first_time: Time step of its first frame; negative for a memory from before the run.
        last_time: Time step of its last frame, at least first_time.
        place: Where it was.
        field: The resident's phenomenal field.
        actions: The resident's actions.
        results: The world's answer to each action.
        said: Lines of conversation, shortened.
        witnessed: Observed actions of others, shortened; for a memory from before the run, its whole text.
        pleasure: P at the (key) frame, in (-1, 1).
        arousal: A at the (key) frame, in (-1, 1).
        dominance: D at the (key) frame, in (-1, 1).
        frames: How many frames it stands for, at least 1.

    Raises:
        ValueError: if a value lies outside its range, or actions and results are not as many.
    """

    id: int = -1
    first_time: int
    last_time: int
    place: str
    field: Field
    actions: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    witnessed: tuple[str, ...] = ()
    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0
    frames: int = 1

    def __post_init__(self) -> None:
        if not (self.first_time <= self.last_time and self.formative == (self.last_time < 0)):
            raise ValueError(
                f"a memory's times must be in order, and all below 0 or none, got {self.first_time} to "
                f"{self.last_time}; compress frames oldest first"
            )
        if len(self.actions) != len(self.results):
            raise ValueError(
                f"each action needs one result, got {len(self.actions)} actions and {len(self.results)} results; "
                "use an empty string where the result is not known"
            )
        for label in ("pleasure", "arousal", "dominance"):
            check_emotion(label, getattr(self, label))
        if self.frames < 1:
            raise ValueError(f"a memory stands for at least 1 frame, got {self.frames}; do not store empty ones")

    @classmethod
    def from_frame(cls, frame: Frame) -> Memory:
        """Make the memory of a single frame, without compression."""
        return cls(
            first_time=frame.time,
            last_time=frame.time,
            place=frame.place,
            field=frame.field,
            actions=(frame.action,) if frame.action else (),
            results=(frame.result,) if frame.action else (),
            said=frame.said,
            witnessed=frame.witnessed,
            pleasure=frame.pleasure,
            arousal=frame.arousal,
            dominance=frame.dominance,
        )

    @property
    def formative(self) -> bool:
        """Whether the memory is from before the run, given as text and not experienced."""
        return self.first_time < 0

    @property
    def weight(self) -> float:
        """Emotional intensity |PAD| at the (key) frame, in [0, sqrt(3))."""
        return emotional_intensity(self.pleasure, self.arousal, self.dominance)

    def stored(self, id: int, field: Field) -> Memory:
        """Return a copy with another id and field, without validating it again.

        Args:
            id: Identifier in long-term memory.
            field: The field, as it is stored.
        """
        copy = object.__new__(Memory)
        for name in Memory.__slots__:
            object.__setattr__(copy, name, getattr(self, name))
        object.__setattr__(copy, "id", id)
        object.__setattr__(copy, "field", field)
        return copy


def formative_memories(
    sentences: Sequence[str],
    names: Collection[str] | NameIndex,
    table: NameTable,
    people: Collection[str] = (),
    feelings: Mapping[str, float] = MappingProxyType({}),
) -> list[Memory]:
    """Make one memory per sentence, at the time steps -n to -1.

    The field has the people, places and things that the sentence mentions, without positions (``Field.from_names``):
    by name, or by the common word where it fits several. If the sentence mentions none, the sentence itself is the
    only object. The present activates such memories by similarity, like all others.

    Args:
        sentences: The sentences, oldest first.
        names: The names of everything in the valley; an index of them where many residents share it.
        table: The name table; new names are added.
        people: The names of its residents; an index has them.
        feelings: Sentence -> the pleasure of its memory, in [-1, 1]; the emotion of the others is neutral.
    """
    index = names if isinstance(names, NameIndex) else NameIndex(names, people)
    return [
        Memory(
            first_time=time,
            last_time=time,
            place="",
            field=Field.from_names(index.objects(sentence) or (sentence,), table),
            witnessed=(sentence,),
            pleasure=min(max(feelings.get(sentence, 0.0), -LARGEST), LARGEST),
        )
        for time, sentence in enumerate(sentences, -len(sentences))
    ]
