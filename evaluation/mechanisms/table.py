"""What was counted of decisions made again, as rows and as a page of Markdown."""

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
"""Of an option, which says nothing, as does its order."""
_AND = re.compile(r"(?:,| or) $")


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How many of some decisions.

    Attributes:
        count: How many.
        of: Of how many.
    """

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval, each end in [0, 1]; all of it where nothing was counted."""
        return wilson_interval(self.count, self.of)

    def to_json(self) -> dict[str, Any]:
        """JSON-ready."""
        low, high = self.interval
        return {"count": self.count, "of": self.of, "low": round(low, 4), "high": round(high, 4)}

    def __str__(self) -> str:
        if not self.of:
            return "none made"
        low, high = self.interval
        return f"{self.count} ({self.count / self.of:.1%}) [{low:.1%}, {high:.1%}]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """What came of decisions with a mechanism removed, or replaced by another moment's.

    Attributes:
        actions: In how many another action was decided on, of all that were made; where the mechanism gave nothing,
            none.
        goals: In how many another goal was wanted from then on.
        requests: In how many a model was told something else, of those in which one was asked.
        words: Words of such a request that are not there without the mechanism, on average over all of them.
        share: Those words as a share of all words of requests, in [0, 1].
        instead: Words that are there in their place, on average.
        examples: A few of those in which another action was decided on.
    """

    actions: Share
    goals: Share
    requests: Share
    words: float
    share: float
    instead: float
    examples: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON-ready."""
        shares = {name: getattr(self, name).to_json() for name in ("actions", "goals", "requests")}
        words = {"words": round(self.words, 2), "share": round(self.share, 4), "instead": round(self.instead, 2)}
        return {**shares, **words, "examples": list(self.examples)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One mechanism.

    Attributes:
        name: The mechanism.
        section: Of the paper; empty for what is this project's.
        gives: In how many decisions it gave something.
        formed: In how many of these another goal was had from then on, as it was.
        removed: What its removal changed.
        replaced: What another moment's changed; None where that was not tried.
    """

    name: str
    section: str
    gives: int
    formed: int
    removed: Changed
    replaced: Changed | None

    def to_json(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "mechanism": self.name,
            "section": self.section,
            "gives": self.gives,
            "formed": self.formed,
            "removed": self.removed.to_json(),
            "replaced": None if self.replaced is None else self.replaced.to_json(),
        }


def rows(measured: Sequence[Measured]) -> list[Row]:
    """A row for each mechanism, over runs of one architecture and one way to decide."""
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
    """What came of decisions; where there was nothing to remove, nothing changed."""
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
    """Words of a request that another one lacks, and those that it has in their place, whatever the order of lines."""
    if was == became:
        return 0, 0
    before, after = (Counter(map(_in_order, text.splitlines())) for text in (was, became))
    gone = " ".join((before - after).elements()).split()
    come = " ".join((after - before).elements()).split()
    shared = sum(block.size for block in SequenceMatcher(None, gone, come, autojunk=False).get_matching_blocks())
    return len(gone) - shared, len(come) - shared


def _in_order(line: str) -> str:
    """A line of options in alphabetical order, without their numbers; any other line as it is."""
    head, *options = _NUMBER.split(line)
    return f"{head}{' '.join(sorted(_AND.sub('', option) for option in options))}"


def _example(one: Comparison) -> str:
    return (
        f"{one.resident} in step {one.time + 1}, wanting to {one.was.goal or 'do nothing yet'}: "
        f"{one.was.action or 'stays'} -> {one.became.action or 'stays'}"
    )


def page(measured: Sequence[Measured], examples: bool = False) -> str:
    """A table of Markdown for each architecture and way to decide, and what changes nothing in it.

    Args:
        measured: The runs, in any order.
        examples: Whether decisions that changed are listed below each table.
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
    """Runs by their architecture and by who decides in them."""
    found: dict[tuple[str, str], list[Measured]] = {}
    for one in measured:
        found.setdefault((one.configuration.architecture, str(one.configuration.mind.deliberation)), []).append(one)
    return found


def changes_nothing(row: Row) -> bool:
    """Whether no decision, and no request for one, is another without a mechanism that gave something."""
    removed = row.removed
    return (
        row.name != DRAWN_ANEW.name
        and row.gives > 0
        and not (removed.actions.count or removed.goals.count or removed.requests.count)
    )


def _table(found: Sequence[Row]) -> Iterator[str]:
    """Lines of Markdown. What was never made, or never asked, has no column."""
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
