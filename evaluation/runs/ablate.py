"""Mechanisms that a run leaves out of every decision, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evaluation.runs.architectures import get_architecture
from itcma_s.ablation.mechanisms import Mechanism, find_mechanisms

NOTHING = "nothing"
_AND = "+"
_UNDER_LTRHA = frozenset({"topic", "resources", "habitus"})


def joined(names: Iterable[str]) -> str:
    """Names as a configuration has them."""
    return f" {_AND} ".join(names)


def left_out(without: str) -> tuple[Mechanism, ...]:
    """The mechanisms that a configuration leaves out; none for an empty string, or "nothing".

    Raises:
        ValueError: for a name that is none of them, or "nothing" beside one.
    """
    names = [name for part in re.split(r"[+,]", without) if (name := part.strip())]
    if names == [NOTHING]:
        return ()
    if NOTHING in names:
        raise ValueError(f"nothing stands alone, got {without!r}; leave out mechanisms or nothing")
    return find_mechanisms(names)


def checked_without(without: str, architecture: str) -> str:
    """What is left out, each once and always in the same order.

    Raises:
        ValueError: for a name that is no mechanism, or one that the architecture lacks.
    """
    names = [mechanism.name for mechanism in left_out(without)]
    whole = get_architecture(architecture)
    for name in names:
        lacks = (
            (name in _UNDER_LTRHA and not whole.ltrha)
            or (name == "elimination" and not whole.mechanisms.elimination)
            or (name == "imagination" and not whole.mechanisms.compressed_memory)
        )
        if lacks:
            raise ValueError(
                f"the architecture {architecture} has no {name} to leave out; without={NOTHING} leaves out none"
            )
    return joined(names)
