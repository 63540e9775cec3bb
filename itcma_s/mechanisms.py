"""Which of the paper's improvements a mind has (section 5.2, the ablation)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Mechanisms:
    """Switches of the individual mind; LTRHA is not among them, as it belongs to the society.

    Attributes:
        compressed_memory: Section 3.2: memories are blended into the present, compressed, and weighted by emotion.
            Without it, ITCMA's way: nothing is compressed, and a plain Levenshtein scan finds the memory that is set
            beside the present.
        driver: Section 3.3: the driver of equations 13-15. Without it, ITCMA's: the weighted sum of P, A and D is
            added to the driver before it.
        elimination: Section 3.4: irrelevant actions are removed before anything is expected of them.
    """

    compressed_memory: bool = True
    driver: bool = True
    elimination: bool = True
