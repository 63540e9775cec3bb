"""What a run begins with is left alone by the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def settled() -> Iterator[None]:
    """Leave out of the garbage collector's passes whatever exists now, as long as this lasts.

    Its full passes go through every object there is, a dozen of them a minute in a society whose thousand memories each
    are a million objects, none of which is ever garbage.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
