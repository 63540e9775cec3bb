"""Detection of hostile lines, and of quarrels: hostile lines both ways between two residents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.sentences import any_of, sentences

QUARREL_WITHIN = 5
"""Time steps between two hostile lines of a quarrel."""


_NAMES = (
    r"liar|thief|fool|idiot|coward|miser|cheat|hypocrite|traitor|brute|bully|beggar|gossip|nuisance|disgrace|parasite"
)
_TRAITS = (
    r"selfish|greedy|stingy|cruel|stupid|ridiculous|pathetic|shameless|ungrateful|rude|useless|lazy|dishonest"
    r"|heartless|hopeless|insolent|spiteful|two-faced|worthless|unbearable|impossible|miserable|petty"
)
_HOSTILE = any_of(
    # What one calls somebody.
    rf"\byou(?:'re| are)(?! not)(?: \w+){{0,3}} (?:mean|{_NAMES}|{_TRAITS})\b",
    rf"\byou(?: (?:{_TRAITS}|little|old|miserable))* (?:{_NAMES})\b",
    rf"\byou (?:{_TRAITS}) \w+|\bonly an? (?:{_NAMES})\b.*\byou\b|\banother (?:{_NAMES})\b|(?:^|, )(?:{_NAMES})[!.]",
    # What one accuses somebody of.
    r"\byou(?:'ve| have)?(?: just| always| only)? (?:lied|stole|stolen|cheated|betrayed|robbed|ruined"
    r"|broke your word|spoiled)\b",
    r"\byou(?:'re| are)(?: \w+)? (?:lying|cheating|stealing|a disgrace)\b",
    r"\bthat(?:'s| is) an? (?:lie|shameless|insult)\b",
    r"\b(?:this|it|that)(?:'s| is| was)(?: all)? your fault\b|\badmit it, you\b",
    r"\byour word is (?:worth )?nothing\b|\bword is worth nothing\b",
    r"\byou (?:have )?never (?:give|gave|given|share|shared|keep|kept|listen|listened|help|helped|were my)\b",
    r"\byou (?:only|always) (?:think of|take|want|complain|spoil)\b",
    r"\bhow dare you\b|\bshame on you\b|\bashamed of yourself\b",
    r"\byou owe me an? (?:\w+ and an )?(?:chair|apology|explanation)\b",
    r"\byou (?:have|had) no (?:right|business|shame|heart)\b",
    r"\byou call that a\b",
    # What one wants of somebody: to go, to be silent, to be warned.
    r"(?:^|, |; )(?:get (?:out|lost)|go away|leave me (?:alone|be)|shut up|be quiet|stay away|hands off"
    r"|clear off)\b(?! and\b)",
    r"\bkeep your (?:hands off|nose out|distance|pity|mouth shut)",
    r"\bspare me\b|\bmind your own (?:business|affairs|house)",
    r"(?:^|, )(?:don't|do not)(?: you)? (?:ever|dare)\b",
    r"\bnone of your (?:business|affair)|\bI(?:'m| am)? warn(?:ing)? you\b",
    r"\byou(?:'ll| will| shall) (?:regret|pay|be sorry)\b|\bor else\b",
    r"\bsay that again\b|\bnobody asked (?:you|for your)\b",
    # What one feels about somebody.
    r"\b(?:sick|tired) of (?:you|your)\b|\benough of (?:you|your|this|that)\b",
    r"\bI (?:hate|despise|detest|loathe) (?:you|the way you)\b",
    r"\bI (?:don't|do not|never|cannot|can't) (?:trust you|believe (?:you|a word)|stand you|bear you"
    r"|want you|want to see you)\b",
    r"\b(?:nobody|no one)(?: here)? (?:trusts|likes|believes|wants) you\b",
    r"\byou disgust me\b|\bI(?:'m| am) (?:angry|furious|done) with you\b",
    r"\bnothing (?:more )?to do with you\b",
)


@lru_cache(maxsize=2**13)
def is_hostile(text: str, people: tuple[str, ...]) -> bool:
    """Check whether a line attacks the person spoken to: by an insult, accusation, threat, or by sending it away.

    Args:
        text: The line.
        people: Names of the residents.
    """
    return any(_HOSTILE.search(one) for one in sentences(text, people))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two residents who talked with each other both ways.

    Attributes:
        first: The one whose hostile line began the quarrel, or else who spoke first.
        other: The other one.
        quarrelled: Whether each said something hostile to the other within ``QUARREL_WITHIN`` steps.
    """

    first: str
    other: str
    quarrelled: bool


def quarrels(life: Life, within: int = QUARREL_WITHIN) -> list[Pair]:
    """Find the pairs of residents who talked both ways, and whether they quarrelled.

    Args:
        life: The run; lines that were lost do not count.
        within: Most time steps between a hostile line and one in return.

    Returns:
        One per pair, in the order in which they first spoke.
    """
    between: dict[frozenset[str], list[Line]] = {}
    for line in sorted(life.lines, key=lambda one: one.time):
        if line.said and line.speaker != line.addressee:
            between.setdefault(frozenset((line.speaker, line.addressee)), []).append(line)
    found = []
    for lines in between.values():
        if len({line.speaker for line in lines}) < 2:
            continue
        hostile = [line for line in lines if is_hostile(line.text, life.residents)]
        began = next(
            (
                one
                for one in hostile
                if any(two.speaker == one.addressee and 0 <= two.time - one.time <= within for two in hostile)
            ),
            None,
        )
        first = began or lines[0]
        found.append(Pair(first.speaker, first.addressee, began is not None))
    return found
