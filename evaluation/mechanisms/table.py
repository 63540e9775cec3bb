"""Tables of how decisions change without each mechanism, as rows and as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import mean
from typing import Any

from evaluation.mechanisms.measuring import Comparison, Measured
from evaluation.records.numbers import wilson_interval
from itcma_s.ablation.mechanisms import DRAWN_ANEW

_EXAMPLES = 3
_NUMBER = re.compile(r"\[\d+\] ")
"""Number of an option; numbers and order are ignored when requests are compared."""
_AND = re.compile(r"(?:,| or) $")


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A count of decisions out of a total.

    Attributes:
        count: Number of matching decisions.
        of: Total number of decisions.
    """

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval within [0, 1]; all of [0, 1] for an empty total."""
        return wilson_interval(self.count, self.of)

    def to_json(self) -> dict[str, Any]:
        """Return the count, total and interval as JSON-ready data."""
        low, high = self.interval
        return {"count": self.count, "of": self.of, "low": round(low, 4), "high": round(high, 4)}

    def __str__(self) -> str:
        if not self.of:
            return "none made"
        low, high = self.interval
        return f"{self.count} ({self.count / self.of:.1%}) [{low:.1%}, {high:.1%}]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """Changes in decisions with a mechanism removed, or replaced by that of another moment.

    Attributes:
        actions: Decisions whose action changes, of all decisions made; decisions to which the mechanism contributes
            nothing count as unchanged.
        goals: Decisions after which the goal differs.
        requests: Changed model requests, of the decisions with a request.
        words: Mean number of words of a request that disappear without the mechanism, over all requests.
        share: Those words as a share of all words of requests, in [0, 1].
        instead: Mean number of words that appear in their place.
        examples: A few decisions whose action changes.
    """

    actions: Share
    goals: Share
    requests: Share
    words: float
    share: float
    instead: float
    examples: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON-ready data."""
        shares = {name: getattr(self, name).to_json() for name in ("actions", "goals", "requests")}
        words = {"words": round(self.words, 2), "share": round(self.share, 4), "instead": round(self.instead, 2)}
        return {**shares, **words, "examples": list(self.examples)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Effect of one mechanism.

    Attributes:
        name: Name of the mechanism.
        section: Section of the paper; empty for mechanisms of this project.
        gives: Number of decisions to which the mechanism contributed something.
        formed: Number of these decisions that originally changed the goal.
        removed: Changes when it is removed.
        replaced: Changes when it is replaced by that of another moment; None if this was not tried.
    """

    name: str
    section: str
    gives: int
    formed: int
    removed: Changed
    replaced: Changed | None

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON-ready data."""
        return {
            "mechanism": self.name,
            "section": self.section,
            "gives": self.gives,
            "formed": self.formed,
            "removed": self.removed.to_json(),
            "replaced": None if self.replaced is None else self.replaced.to_json(),
        }


def rows(measured: Sequence[Measured]) -> list[Row]:
    """Return one row per mechanism over runs of one architecture and deliberation."""
    found: list[Row] = []
    decisions = sum(one.decisions for one in measured)
    for mechanism in dict.fromkeys((one.name, one.section) for run in measured for one in run.mechanisms):
        name, section = mechanism
        comparisons = [one for run in measured for one in run.comparisons if one.mechanism == name]
        removed = [one for one in comparisons if one.how == "removed"]
        replaced = [one for one in comparisons if one.how == "replaced"]
        found.append(
            Row(
                name=name,
                section=section,
                gives=len(removed),
                formed=sum(one.formed for one in removed),
                removed=_changed(removed, decisions - len(removed)),
                replaced=_changed(replaced, decisions - len(removed)) if replaced else None,
            )
        )
    return found


def _changed(comparisons: Sequence[Comparison], nothing_there: int) -> Changed:
    """Count changes; the `nothing_there` decisions had nothing to remove and count as unchanged."""
    made = [one for one in comparisons if one.was.answered and one.became.answered]
    asked = [one for one in comparisons if one.was.request]
    others = [one for one in made if one.other_action]
    words = [_words(one.was.request, one.became.request) for one in asked]
    told = sum(len(one.was.request.split()) for one in asked)
    unmade = len(comparisons) > 0 and not made
    of = 0 if unmade else len(made) + nothing_there
    return Changed(
        actions=Share(count=len(others), of=of),
        goals=Share(count=sum(one.other_goal for one in made), of=of),
        requests=Share(count=sum(gone + come > 0 for gone, come in words), of=len(asked)),
        words=mean(gone for gone, _ in words) if words else 0.0,
        share=sum(gone for gone, _ in words) / told if told else 0.0,
        instead=mean(come for _, come in words) if words else 0.0,
        examples=tuple(map(_example, others[:: max(1, len(others) // _EXAMPLES)][:_EXAMPLES])),
    )


def _words(was: str, became: str) -> tuple[int, int]:
    """Count the words removed from and added to a request, ignoring the order of lines."""
    if was == became:
        return 0, 0
    before, after = (Counter(map(_in_order, text.splitlines())) for text in (was, became))
    gone = " ".join((before - after).elements()).split()
    come = " ".join((after - before).elements()).split()
    shared = sum(block.size for block in SequenceMatcher(None, gone, come, autojunk=False).get_matching_blocks())
    return len(gone) - shared, len(come) - shared


def _in_order(line: str) -> str:
    """Sort the options in a line alphabetically without their numbers; keep any other line."""
    head, *options = _NUMBER.split(line)
    return f"{head}{' '.join(sorted(_AND.sub('', option) for option in options))}"


def _example(one: Comparison) -> str:
    return (
        f"{one.resident} in step {one.time + 1}, wanting to {one.was.goal or 'do nothing yet'}: "
        f"{one.was.action or 'stays'} -> {one.became.action or 'stays'}"
    )


def page(measured: Sequence[Measured], examples: bool = False) -> str:
    """Format one Markdown table per architecture and deliberation, with a list of mechanisms without effect.

    Args:
        measured: The runs, in any order.
        examples: Whether to list changed decisions below each table.
    """
    parts: list[str] = []
    for (architecture, way), runs in grouped(measured).items():
        found = rows(runs)
        decisions = sum(run.decisions for run in runs)
        counted = f"{len(runs)} run{'s' * (len(runs) > 1)}, {decisions} decisions"
        parts.append(f"**`{architecture}`, decided by {way}** ({counted})")
        parts.append("\n".join(_table(found)))
        if idle := [row.name for row in found if changes_nothing(row)]:
            parts.append(f"Changes nothing: {', '.join(idle)}.")
        if absent := [row.name for row in found if not row.gives]:
            parts.append(f"Not in these decisions: {', '.join(absent)}.")
        if examples:
            listed = [f"- without {row.name}: {line}" for row in found for line in row.removed.examples]
            parts.append("\n".join(listed) or "No decision changed.")
    return "\n\n".join(parts)


def grouped(measured: Sequence[Measured]) -> dict[tuple[str, str], list[Measured]]:
    """Group runs by architecture and deliberation."""
    found: dict[tuple[str, str], list[Measured]] = {}
    for one in measured:
        found.setdefault((one.configuration.architecture, str(one.configuration.mind.deliberation)), []).append(one)
    return found


def changes_nothing(row: Row) -> bool:
    """Return whether removing a contributing mechanism changes no action, goal or request."""
    removed = row.removed
    return (
        row.name != DRAWN_ANEW.name
        and row.gives > 0
        and not (removed.actions.count or removed.goals.count or removed.requests.count)
    )


def _table(found: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a Markdown table; columns without decisions or requests are left out."""
    found = [row for row in found if row.gives]
    made = any(row.removed.actions.of for row in found)
    asked = any(row.removed.requests.of for row in found)
    heads = ["taken away", "paper", "gives something in"]
    heads += ["other action", "other goal", "another moment's: other action", "other goal"] * made
    heads += ["requests changed", "words of a request", "share of it", "words in their place"] * asked
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in found:
        yield f"| {' | '.join([row.name, row.section, str(row.gives), *_cells(row, made, asked)])} |"


def _cells(row: Row, made: bool, asked: bool) -> Iterator[str]:
    if made:
        for changed in (row.removed, row.replaced):
            yield str(changed.actions) if changed is not None else ""
            yield f"{changed.goals.count} of {row.formed} formed" if changed is not None else ""
    if asked:
        removed, requests = row.removed, row.removed.requests
        yield f"{requests.count} of {requests.of}"
        yield f"{removed.words:.1f}"
        yield f"{removed.share:.1%}"
        yield f"{removed.instead:.1f}"
