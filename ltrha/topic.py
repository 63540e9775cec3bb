"""Locale and topic (section 4.1): the atmosphere of a place, from the emotions of those present."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray


def topic(pleasure: ArrayLike, arousal: ArrayLike) -> float:
    """Return the atmosphere of a locale: pleasure weighted by arousal, averaged over those present (Eq. 17).

    Args:
        pleasure: P of those present, shape (n,), each in [-1, 1].
        arousal: A of those present, shape (n,), each in [-1, 1].

    Returns:
        A value in [-1, 1]; below 0 is a negative atmosphere.

    Raises:
        ValueError: if the shapes differ or are not (n,), or a value lies outside [-1, 1].

    Departs from the paper: an empty locale, which Eq. 17 leaves undefined, has topic 0. The range is closed, because
    tanh rounds to 1 for a strong emotion.
    """
    p, a = _emotion("pleasure", pleasure), _emotion("arousal", arousal)
    if p.shape != a.shape:
        raise ValueError(
            f"pleasure and arousal must belong to the same agents, got {p.size} and {a.size} values; give one of each "
            "per agent in the locale"
        )
    return float(np.mean(p * (a + 1.0) / 2.0)) if p.size else 0.0


def topics(
    locales: Iterable[str], places: Mapping[str, str], emotions: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return the topic of every locale (Eq. 17), including empty ones.

    Args:
        locales: All places, in the order of the result.
        places: The place each agent is in.
        emotions: (pleasure, arousal) of each of these agents, each in [-1, 1].

    Returns:
        The topic of each locale, in [-1, 1]; 0 for an empty one.

    Raises:
        ValueError: for an agent in a place that is not among the locales, one without emotions, or an emotion
            outside its range.
    """
    present: dict[str, list[tuple[float, float]]] = {locale: [] for locale in locales}
    for name, place in places.items():
        if place not in present:
            raise ValueError(
                f"{name!r} is in {place!r}, which is none of the locales {sorted(present)}; add it to them"
            )
        if name not in emotions:
            raise ValueError(f"no emotion was given for {name!r}, who is in {place!r}; give (pleasure, arousal)")
        present[place].append(emotions[name])
    return {locale: topic([p for p, _ in felt], [a for _, a in felt]) for locale, felt in present.items()}


def _emotion(label: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{label} must have shape (n,), one value per agent, got shape {array.shape}")
    wrong = ~((array >= -1.0) & (array <= 1.0))
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{label} must lie in [-1, 1], got {float(array[index])!r} for agent {index}; pass it through tanh"
        )
    return array
