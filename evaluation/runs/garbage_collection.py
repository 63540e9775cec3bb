"""What a run begins with is left alone by the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""New objects that the garbage collector waits for before it goes through them."""


_entered: list[tuple[int, int, int]] = []
"""The thresholds before each run that goes on; runs of a sweep overlap, and end in any order."""


@contextmanager
def less_garbage_collection() -> Iterator[None]:
    """Leave out of the garbage collector's passes whatever exists now, as long as this lasts, and let it pass seldom.

    Its full passes go through every object there is, a dozen of them a minute in a society whose thousand memories each
    are a million objects, none of which is ever garbage. What earlier runs left is collected once at the end, since
    nothing else would.
    """
    _entered.append(gc.get_threshold())
    gc.freeze()
    gc.set_threshold(YOUNG, *_entered[0][1:])
    try:
        yield
    finally:
        gc.unfreeze()
        gc.collect()
        before = _entered[0]
        _entered.pop()
        if _entered:
            gc.freeze()
        else:
            gc.set_threshold(*before)
