"""Token bias that restricts llama.cpp to a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

PUNCTUATION = '. ? ! , " : ." ?" !" ."\n ?"\n !"\n .\n ?\n !\n "\n \n'


async def vocabulary_bias(
    vocabulary: frozenset[str],
    get: Callable[[str], Awaitable[dict[str, Any]]],
    tokenise: Callable[[str], Awaitable[tuple[int, ...]]],
) -> str:
    """The tokens that no word of a vocabulary needs, each with a bias that rules it out, as JSON.

    They are most of all tokens: to write them as JSON takes as long as to write several tokens of text.

    Args:
        vocabulary: Words that may be written, beside punctuation.
        get: Gives the answer of llama.cpp at a path.
        tokenise: Gives the tokens of a text.
    """
    words = sorted(vocabulary)
    capital = [word[:1].upper() + word[1:] for word in words]
    # A word has one tokenisation after a space and may have another at the start of a line.
    texts = [mark.join(["", *forms]) for mark in (" ", "\n", '"') for forms in (words, capital)]
    end = (await get("/props"))["eos_token"]
    size = (await get("/v1/models"))["data"][0]["meta"]["n_vocab"]
    allowed = {token for text in (PUNCTUATION, end, *texts) for token in await tokenise(text)}
    ruled_out = [[token, -100] for token in range(size) if token not in allowed]
    return json.dumps(ruled_out, separators=(",", ":"))
