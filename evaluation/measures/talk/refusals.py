"""Detection of requests, offers and invitations, and of whether they are refused in words or by a deed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.questions import chances_after, item_put, replies_to
from evaluation.measures.talk.sentences import any_of, request_pattern, sentences
from evaluation.measures.turns import WINDOW
from irollan_env.naming import kind
from itcma_s.memory.mentions import mentioned

_BIDS = any_of(
    r"\b(?:will|would|could|can|won't|can't|wouldn't) you\b(?! (?:see|hear|remember)\b)",
    r"\b(?:shall|can|could|may|might|should) (?:we|I)\b|\blet(?:'s| us| me)\b|\bplease\b",
    r"\bdo you (?:want|need)\b|\b(?:how|what) about\b|\bwhy (?:don't you|not)\b|\bwant to (?:come|go|join|see|have)\b",
    r"\byou (?:may|can|could|should|must)\b|\bwelcome to\b",
    r"\bhelp yourself\b|\b(?:it's|it is|this is) (?:yours|for you)",
    r"\bI(?:'ll| will| can| could|'d| would)(?: \w+){0,2} (?:give|bring|lend|show|help|cook|share|fetch"
    r"|carry|read|swap)\b",
    r"\bI(?:'d| would) like (?:you|to have|to borrow|my|it to go)\b|\bI (?:want|need|demand)\b.*\b(?:back|you|yours)\b",
    r"(?:^|, )(?:go|leave|put|say|promise|admit|hand|play|read|open|move|lay|stop|keep|swap|cook|let)\b",
)
"""Sentences that ask for a deed, offer something or invite."""

_ASKS = any_of(r"\?", r"(?:^|, )(?:tell|say)\b")

_CONSENTS = re.compile(
    r"^(?:(?:oh|well|ah),? |\w+, )?(?:yes|of course|gladly|sure|certainly|with pleasure|all right|agreed|done\b|here\b"
    r"|take (?:it|mine|this)|you may|please do|do come|come (?:in|along|with)|I(?:'d| would) (?:love|like|be glad)"
    r"|I(?:'ll| will) (?:come|be|go|fetch|bring|give|hand|get|lend)|I will\b|why not|fine\b|count me in)",
    re.IGNORECASE,
)

_HANDS = any_of(
    r"\b(?:give|hand|bring|lend|pass|spare) (?:me|us|it|that|back|over)\b",
    r"\b(?:may|can|could) (?:I|we) (?:have|borrow|take)\b",
    r"\b(?:want|need|have)\b.*\bback\b|\b(?:give|hand|lend|bring)\b.*\bto me\b",
)
"""Sentences that ask for a thing."""

_DECLINES = any_of(
    # No, not now, never.
    r"^(?:(?:oh|well|sorry|ah),? |\w+, )*(?:no|nope|never)(?:[,.!;:]|$| thank)",
    r"^(?:(?:oh|well|sorry|ah),? |\w+, )*not (?:now|today|tonight|with|in this|a chance|for|until|before"
    r"|while|if|on|at)\b",
    r"\banswer is no\b|\bno, thank",
    r"\bno need\b(?! to be)|[.;,] no\.?$",
    # What one will not, cannot, need not do.
    r"\bI(?:'m| am)? ?(?:won't|will not|shall not|can't|cannot|could not|couldn't|not going to|refuse|must decline)\b"
    r"(?! (?:wait|believe|tell (?:any|a soul|(?-i:[A-Z]))|say (?:a word|anything)|forget|thank|complain"
    r"|imagine|promise that))",
    r"\bI (?:don't|do not) (?:want|need|wish|feel like|lend|share|give|care|think so|swap)\b|\bI did(?: not|n't) ask\b",
    r"\b(?:I'd|I would|I) (?:much )?(?:rather|sooner|prefer)\b",
    r"\bI(?:'m| am) (?:more for|not (?:hungry|coming|going|interested"
    r"|giving|in the mood|selling))\b|\bI promise nothing\b|\bnothing to be sorry\b",
    # What one has or keeps.
    r"\bI have (?:all|enough|plenty|everything|no (?:time|use|wish|need|intention))\b|\bI(?:'m| am) (?:fine|keeping)\b",
    r"\bkeep (?:your|it\b|that|food|my|the|\w+ \d)|\bstays? (?:on my|with me|here|shut|where|in my|mine)\b",
    r"(?<!not )(?<!isn't )\b(?:it|that|this)(?:'s| is) mine\b",
    r"\b(?:need|want) (?:it|them) myself\b|\bI was (?:here )?first\b",
    # Whom one sends away.
    r"\b(?:hold|do|get|find|fetch|take|carry|open|tell|cook|ask)\b.{0,14}\b(?:yourself|your own"
    r"|somebody else|someone else)\b",
    r"\b(?:leave me|forget it|hands off|out of the question|go away|get out|mind your own|none of your|as I please"
    r"|where I please|not your)\b",
    # When one puts off, and why.
    r"\b(?:another time|some other time|another day|later, perhaps|perhaps later|maybe later|not before|not until)\b",
    r"\bI(?:'m| am) (?:busy|afraid|due|in the middle|too tired)\b|\bI(?:'ve| have) promised\b.*\bso\b",
    r"^(?:thank(?:s| you)|kind|that(?:'s| is) kind|sorry)\b.*\bbut\b|\bwhat would I do with\b",
)
_WITHHOLDS = any_of(
    r"\b(?:that|it|this)(?:'s| is) between\b|\bstays with me\b|\bnone of your\b|\bmind your own\b|\bgave my word\b",
    r"\bI (?:may|must|can|will|shall) not (?:say|tell you)\b",
    r"\bI (?:won't|can't|cannot|may not|will not|must not) (?:say|tell)\b|\bpromised (?:not to|to keep|silence)\b",
)
"""Sentences that withhold what was asked for."""


@dataclass(frozen=True, slots=True)
class Request:
    """A line that asks for a deed, offers something or invites, and whether it was refused.

    Attributes:
        line: The line, which was said.
        asks: Its sentences that do so.
        refused: Whether the person asked declined it or held back what was asked for; None where there was no chance.
    """

    line: Line
    asks: tuple[str, ...]
    refused: bool | None


def requests(life: Life, window: int = WINDOW) -> list[Request]:
    """Find the requests, offers and invitations that were said, in order of time, and whether each was refused.

    Args:
        life: The run.
        window: Time steps within which a reply counts.

    Returns:
        One per line that asks, offers or invites, or asks a question whose answer was withheld.
    """
    found = []
    for line in life.lines:
        if not line.said:
            continue
        answers = [row.words for row in replies_to(life, line, window) if row.target == line.speaker][:1]
        asks = bids(line.text, life.residents)
        refused = any(declines(line.text, words, life.residents) for words in answers)
        if asks or refused:
            found.append(Request(line, asks, refused or _by_deed(life, line, asks, answers, window)))
    return found


@lru_cache(maxsize=2**13)
def bids(text: str, people: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sentences of a line that ask for a deed, offer something or invite.

    Args:
        text: The line.
        people: Names of the residents.
    """
    request = request_pattern(people)
    said = (one for one in sentences(text, people) if "yes or no" not in one)
    return tuple(one for one in said if _BIDS.search(one) or request.search(one))


def declines(text: str, reply: str, people: tuple[str, ...]) -> bool:
    """Check whether a reply declines what a line asks for, offers or invites to, or withholds what it asks.

    Args:
        text: The line.
        reply: What the person asked said to the asker.
        people: Names of the residents.
    """
    said = sentences(reply, people)
    if (bids(text, people) or _ASKS.search(text)) and any(_WITHHOLDS.search(one) for one in said):
        return True
    if not bids(text, people) or not said:
        return False
    if _CONSENTS.search(said[0]):
        _, but, rest = " ".join(said[:2]).partition(" but ")
        return bool(but) and _DECLINES.search(rest) is not None
    return any(_DECLINES.search(one) for one in said[:3])


def _by_deed(life: Life, line: Line, asks: Sequence[str], answers: Sequence[str], window: int) -> bool | None:
    """Check whether somebody asked for a thing that it holds keeps it; None where it had no chance to answer."""
    near = [
        row for row in chances_after(life, line, window) if line.speaker in row.company and row.outcome != "filtered"
    ]
    if line.time > life.last - window or not near:
        return None if not answers else False
    wanted = " ".join(one for one in asks if _HANDS.search(one))
    if not wanted or any(_CONSENTS.search(one) for text in answers for one in sentences(text, life.residents)):
        return False
    held = [
        one["name"] for row in near[:1] for one in row.percepts if one.get("held") and _is_meant(wanted, one["name"])
    ]
    return bool(held) and len(near) == window and not any(_gives(row, line, held) for row in near)


def _gives(row: Any, line: Line, held: Sequence[str]) -> bool:
    return row.primitive == "put" and row.partner == line.speaker and item_put(row.action) in held


def _is_meant(asked: str, item: str) -> bool:
    by_number = re.search(rf"\b{re.escape(kind(item))} \d", asked)
    return bool(mentioned(asked, [item])) or (by_number is None and kind(item) in asked)
