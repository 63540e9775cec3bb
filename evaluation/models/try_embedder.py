"""Try one embedder: does it embed, does it distinguish meanings, how fast is it."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from evaluation.models.closing import closing_embedder
from evaluation.models.try_model import Trial
from language_models.protocol import Embedder, ModelUnavailable

LIKE = ("eat some food", "have a meal")
UNLIKE = ("eat some food", "sleep in bed")
BATCH = 64


def try_embedder(embedder: Embedder) -> list[Trial]:
    """Try an embedder with a few short texts.

    Args:
        embedder: A loaded one, without caches; it is closed afterwards.
    """

    def embeds() -> tuple[bool, str]:
        return True, f"{embedder.embed([LIKE[0]]).shape[1]} numbers a text"

    def meanings() -> tuple[bool, str]:
        near, far = (float(np.dot(*embedder.embed(pair))) for pair in (LIKE, UNLIKE))
        near_and_far = f"'{LIKE[0]}' and '{LIKE[1]}' {near:.2f}, and '{UNLIKE[1]}' {far:.2f}"
        return near > far, near_and_far if near > far else f"{near_and_far}; goals mean nothing to a run with it"

    def at_once() -> tuple[bool, str]:
        texts = [f"go to the kitchen and take food {number}" for number in range(BATCH)]
        began = time.perf_counter()
        embedder.embed(texts)
        return True, f"{BATCH / (time.perf_counter() - began):.0f} texts a second"

    trials = []
    with closing_embedder(embedder):
        for what, attempt, needed in (
            ("embeds", embeds, True),
            ("tells meanings apart", meanings, False),
            (f"embeds {BATCH} at once", at_once, True),
        ):
            trials.append(_try(what, attempt, needed))
            if not trials[0].works:
                break
    return trials


def _try(what: str, attempt: Callable[[], tuple[bool, str]], needed: bool) -> Trial:
    began = time.perf_counter()
    try:
        works, result = attempt()
    except ModelUnavailable as error:
        works, result = False, str(error)
    return Trial(what=what, works=works, result=result, seconds=time.perf_counter() - began, needed=needed)
