"""Whether somebody thinks and speaks as itself: of itself as "I", and of whom it speaks to as "you"."""

from __future__ import annotations

import re
from functools import lru_cache

from irollan_env.naming import is_person

_I_AM = re.compile(r"\b(?:I am|I'm|[Mm]y name is) ([A-Z]\w*)")
_CALLED = (
    r"(?:^|[,.!?:;-]|\b(?:[Hh]ello|[Hh]i|[Hh]ey|[Yy]es|[Nn]o|[Oo]h|[Ww]ell|[Dd]ear|[Ww]elcome|[Tt]hanks?(?: you)?))\s*"
)


def thinks_as_itself(thought: str, thinker: str) -> bool:
    """Whether a thought is the thinker's own: it has not the thinker's name in it.

    Args:
        thought: What is thought.
        thinker: By whom.
    """
    return not _named(thought, _own(thinker))


def speaks_as_itself(words: str, speaker: str, partner: str) -> bool:
    """Whether words are the speaker's own: not by the name of somebody else, and not of those two as of others.

    A small model takes one name for another: SG tells AY "I am WL", or asks LL "Do you know where LL is?".

    Args:
        words: What is said.
        speaker: Who says it; its name stands in it as "I am SG" alone.
        partner: To whom; that name calls it, as in "Hello, LL.", "Come in, LL!" or "LL, is this yours?".
    """
    if any(is_person(name) and name != speaker for name in _I_AM.findall(words)):
        return False
    own, called = _own(speaker), _called(partner)
    return not _named(_I_AM.sub("I", words), own) and not _named(called.sub(" ", words), _own(partner))


def _named(words: str, name: re.Pattern[str]) -> bool:
    return name.search(words) is not None


@lru_cache(maxsize=4096)
def _own(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b")


@lru_cache(maxsize=4096)
def _called(name: str) -> re.Pattern[str]:
    """Where somebody is called by a name: set off from the rest of the sentence."""
    return re.compile(rf"{_CALLED}{re.escape(name)}(?=\s*(?:[,.!?:;]|$))|,?\s*\b{re.escape(name)}(?=\s*[.!?](?:\s|$))")
