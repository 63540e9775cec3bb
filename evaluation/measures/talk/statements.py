"""What is said against what is so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evaluation.measures.talk.claims import Claim, claims
from evaluation.measures.talk.evidence import Evidence
from evaluation.measures.talk.life import Life, Line
from evaluation.measures.talk.names import Names
from evaluation.measures.talk.sentences import sentences
from irollan_env.naming import kind, owner

Truth = Literal["true", "false", "cannot be told"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that claims something, and whether it is so.

    Attributes:
        line: Where it was said.
        sentence: The sentence.
        truth: False if one of its claims is, otherwise true if one is.
    """

    line: Line
    sentence: str
    truth: Truth


def statements(life: Life, names: Names) -> list[Statement]:
    """Every sentence that says where somebody or something is, what somebody has or did; lost lines too."""
    evidence = Evidence(life)
    found = []
    for line in life.lines:
        before = ""
        for sentence in sentences(line.text):
            made = claims(sentence, before, line.speaker, line.addressee, names)
            if made:
                truths = [truth(claim, line, evidence) for claim in made]
                whole: Truth = "false" if "false" in truths else "true" if "true" in truths else "cannot be told"
                found.append(Statement(line, sentence, whole))
            before += sentence
    return found


def truth(claim: Claim, line: Line, evidence: Evidence) -> Truth:
    """Whether a claim is so when it is said, by the records up to then."""
    holds = _HOLDS[claim.kind](claim, line, evidence)
    if holds is None:
        return "cannot be told"
    return "true" if holds is not claim.negated else "false"


def _person_is(claim: Claim, line: Line, evidence: Evidence) -> bool | None:
    place, here = evidence.place_of(line.time, claim.subject), evidence.place_of(line.time, line.speaker)
    if place is None:
        return None
    if claim.place == "home":
        home = evidence.home_of(claim.subject)
        return None if home is None else place == home
    if claim.place == "away":
        return place != here
    return place == (here if claim.place == "here" else claim.place)


def _thing_is(claim: Claim, line: Line, evidence: Evidence) -> bool | None:
    here = evidence.place_of(line.time, line.speaker)
    where = here if claim.place == "here" else claim.place
    lying = None if where is None else evidence.lying_in(line.time, where)
    if lying is None:
        return None
    return any(kind(item) == claim.sort and (not claim.on or kind(on or "") in claim.on) for item, on in lying.items())


def _has(claim: Claim, line: Line, evidence: Evidence) -> bool | None:
    if claim.at_hand or claim.of:
        had: set[str] | None = evidence.ever_held(line.time, claim.subject)
    else:
        had = evidence.owned(line.time, claim.subject, claim.sort)
    if had is None:
        return None
    meant = [one for one in had if kind(one) == claim.sort and (not claim.of or owner(one) == claim.of)]
    return len(meant) >= claim.count


def _did(claim: Claim, line: Line, evidence: Evidence) -> bool | None:
    cooked: set[str] = set()
    for row in reversed(list(evidence.deeds(line.time, claim.subject))):
        if row.primitive == "put" and "stoveburner" in row.action:
            cooked.add(kind(row.target))
        done = {
            "cook": row.primitive == "use" and kind(row.target) == "stoveburner" and claim.sort in cooked,
            "give": row.primitive == "put" and row.partner is not None and (not claim.to or row.partner == claim.to),
            "put": row.primitive == "put",
            "take": row.primitive == "take",
            "wash": row.primitive == "use" and kind(row.target) == "sinkbasin",
        }.get(claim.verb, row.primitive == "use" and kind(row.target) == claim.sort)
        about = claim.verb in ("cook", "wash") or kind(row.target) == claim.sort
        if done and about:
            return True
    return False


_HOLDS = {"person is": _person_is, "thing is": _thing_is, "has": _has, "did": _did}
