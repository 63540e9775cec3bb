"""Compression of memory: a segment of frames folded onto its key frame (section 3.2.2, Eq. 8-9)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from itcma_s.fields.blending import PROBABILITY, THRESHOLD, blend
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.fields.similarity import DEFAULT_WEIGHTS, FieldWeights
from itcma_s.memory.channel import Frame
from itcma_s.memory.memory import Memory
from itcma_s.parameters import DEFAULTS

LINE_LIMIT = 120
"""Upper bound, in characters, of one action or result in a memory."""

_HEAD_LIMIT = 60  # longer text before ": " is not a name


def segment_boundary(segment: Sequence[Frame], frame: Frame, *, length: int = DEFAULTS.segment_length) -> bool:
    """Return whether a segment of memory ends before a frame: the place changes, or the segment is full.

    The paper does not say what a segment is. A change of place is where people divide their days, and the length bounds
    how much one memory has to stand for.

    Args:
        segment: The frames so far, oldest first.
        frame: The frame that follows.
        length: Number of frames a segment has at most, at least 1.

    Returns:
        True when the segment is to be compressed and the frame begins the next; False for an empty segment.

    Raises:
        ValueError: if the length is below 1.

    Departs from the paper: it bounds no segment; the change of place and the length are this project's.
    """
    if length < 1:
        raise ValueError(f"length must be at least 1, got {length}; a segment holds at least one frame")
    return bool(segment) and (len(segment) >= length or segment[-1].place != frame.place)


def key_frame(arousals: Sequence[float]) -> int:
    """Return the index of the key frame f^key: the strongest arousal of the segment, the first on ties.

    Raises:
        ValueError: if the segment is empty.
    """
    if not len(arousals):
        raise ValueError("a segment of memory needs at least one frame, got none; check it before compressing")
    return max(range(len(arousals)), key=lambda n: arousals[n])


def mblend(
    key: Field,
    segment: Sequence[Field],
    table: NameTable,
    generator: np.random.Generator,
    *,
    threshold: float = THRESHOLD,
    probability: float = PROBABILITY,
    weights: FieldWeights = DEFAULT_WEIGHTS,
) -> Field:
    """Fold a segment of memory onto its key frame (Eq. 9).

    MBlend_0 = f^key, MBlend_n = Blend(MBlend_(n-1), f_n) over f_1 … f_n (Eq. 8), the key frame itself among them.

    Args:
        key: f^key.
        segment: f_1 … f_n, oldest first.
        table: The table all were made with.
        generator: Source of the draws of each blend.
        threshold: T of Algorithm 1.
        probability: r of Algorithm 1.
        weights: Weights of names and coordinates.

    Returns:
        MBlend_n; it has no more rows than the key frame and the segment's frames together.
    """
    result = key
    for field in segment:
        result = blend(result, field, table, generator, threshold=threshold, probability=probability, weights=weights)
    return result


def _split(line: str) -> tuple[str, str]:
    """Split a line into its head, who speaks to whom with the ``": "``, and its text."""
    head, separator, text = line.partition(": ")
    return (head + separator, text) if separator and len(head) <= _HEAD_LIMIT else ("", line)


def _cut(line: str, length: int) -> str:
    """Cut the text of a line to a length; the head stays whole."""
    head, text = _split(line)
    return line if len(text) <= length else head + text[: length - 1] + "…"


def shorten(lines: Sequence[str], limit: int = DEFAULTS.said_limit) -> tuple[str, ...]:
    """Shorten lines of conversation: each line once, and all of them together within a bound.

    Long texts are cut to a common length that fits. When not even one character each fits, only who spoke (and to
    whom) is left of each line, once each. A name before ``": "`` is never lost: when the names alone exceed the bound,
    it gives way to them.

    Args:
        lines: Lines as ``Frame.said`` has them, in their order.
        limit: Upper bound of all lines together, in characters, at least 0.

    Returns:
        Distinct lines, in the order in which they were first said.

    Raises:
        ValueError: if the limit is negative.
    """
    if limit < 0:
        raise ValueError(f"the limit must be at least 0 characters, got {limit}; 0 keeps names only")
    distinct = tuple(dict.fromkeys(lines))
    if sum(map(len, distinct)) <= limit:
        return distinct
    low, high = 0, limit  # the greatest length of text that fits lies in [low, high]
    while low < high:
        middle = (low + high + 1) // 2
        if sum(len(_cut(line, middle)) for line in distinct) <= limit:
            low = middle
        else:
            high = middle - 1
    if low > 0:
        return tuple(dict.fromkeys(_cut(line, low) for line in distinct))
    return tuple(dict.fromkeys(head.removesuffix(": ") for line in distinct if (head := _split(line)[0])))


def latest(lines: Sequence[str], limit: int = DEFAULTS.witnessed_limit) -> tuple[str, ...]:
    """Return the latest distinct lines of what was witnessed that fit into a bound.

    Args:
        lines: Lines as ``Frame.witnessed`` has them, in their order.
        limit: Upper bound of all lines together, in characters, at least 0.

    Returns:
        Distinct lines, in the order in which they were last witnessed.

    Raises:
        ValueError: if the limit is negative.
    """
    if limit < 0:
        raise ValueError(f"the limit must be at least 0 characters, got {limit}; 0 keeps nothing")
    distinct = list(dict.fromkeys(reversed(lines)))
    lengths = itertools.accumulate(map(len, distinct))
    return tuple(reversed([line for line, length in zip(distinct, lengths, strict=True) if length <= limit]))


def compress(
    segment: Sequence[Frame | Memory],
    table: NameTable,
    generator: np.random.Generator,
    *,
    threshold: float = THRESHOLD,
    probability: float = PROBABILITY,
    weights: FieldWeights = DEFAULT_WEIGHTS,
    said_limit: int = DEFAULTS.said_limit,
    witnessed_limit: int = DEFAULTS.witnessed_limit,
) -> Memory:
    """Compress a segment into one memory that replaces it (Eq. 8 and 9).

    Args:
        segment: Frames, or memories to be compressed further, oldest first.
        table: The table all were made with.
        generator: Source of the draws of each blend.
        threshold: T of Algorithm 1.
        probability: r of Algorithm 1.
        weights: Weights of names and coordinates.
        said_limit: Upper bound, in characters, of what was said; see ``shorten``.
        witnessed_limit: Upper bound, in characters, of what was witnessed; see ``latest``.

    Returns:
        One memory: the field MBlend_n, the segment's time span, place, and P, A and D of the key frame, what
        was done, said and witnessed in short. Its id is -1 until it is put into long-term memory.

    Raises:
        ValueError: if the segment is empty or its times are not in order.
    """
    parts = [Memory.from_frame(part) if isinstance(part, Frame) else part for part in segment]
    key = parts[key_frame([part.arousal for part in parts])]
    for before, after in itertools.pairwise(parts):
        if after.first_time <= before.last_time:
            raise ValueError(
                f"a segment must be in the order of time, got time {after.first_time} after {before.last_time}; sort it"
            )
    # A repeated action is remembered once, with its latest result.
    results = {action: result for part in parts for action, result in zip(part.actions, part.results, strict=True)}
    field = mblend(
        key.field,
        [part.field for part in parts],
        table,
        generator,
        threshold=threshold,
        probability=probability,
        weights=weights,
    )
    return Memory(
        first_time=parts[0].first_time,
        last_time=parts[-1].last_time,
        place=key.place,
        field=field,
        actions=tuple(_cut(action, LINE_LIMIT) for action in results),
        results=tuple(_cut(result, LINE_LIMIT) for result in results.values()),
        said=shorten([line for part in parts for line in part.said], said_limit),
        witnessed=latest([line for part in parts for line in part.witnessed], witnessed_limit),
        pleasure=key.pleasure,
        arousal=key.arousal,
        dominance=key.dominance,
        frames=sum(part.frames for part in parts),
    )
