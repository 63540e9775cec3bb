"""Precision and recall of the measures of talk on lines labelled by hand.

The lines are from recorded runs, listed in the README of tests/data/talk. Every third was held out: no rule and no
threshold was chosen on it. By default texts are compared by MiniLM.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.reporting import AsJson, as_table_or_json, table
from evaluation.measures import actions
from evaluation.measures.data_frames import KEYS
from evaluation.measures.talk.confidences import confides
from evaluation.measures.talk.goals_from_talk import goals_from_talk
from evaluation.measures.talk.life import Life, read_life
from evaluation.measures.talk.lost_lines import lost_lines
from evaluation.measures.talk.names import names_of
from evaluation.measures.talk.promises import announcements, promises
from evaluation.measures.talk.quarrels import is_hostile
from evaluation.measures.talk.questions import questions, same_question
from evaluation.measures.talk.refusals import declines
from evaluation.measures.talk.sentences import asking
from evaluation.measures.talk.statements import statements
from evaluation.measures.talk.thoughts import thoughts
from evaluation.measures.text_similarity import TextSimilarity
from evaluation.records.records import parse_jsonl
from language_models.protocol import Embedder
from language_models.registry import find_embedder

ROOT = Path(__file__).parents[2]
PAPER = ("AY", "SG", "MD", "WL", "LL", "WM")
LABELS = ROOT / "tests" / "data" / "talk"
ABSENT: dict[str, Any] = {
    "percepts": (), "messages": (), "goal": "", "admissible": (), "thought": "", "pleasure": 0.0, "arousal": 0.0,
    "dominance": 0.0, "driver": 0.0, "resources": None, "topic": None,
}  # fmt: skip
"""Defaults of record keys that no measure of talk reads and stored runs omit."""

Found = Callable[[Life, Embedder], Mapping[Any, str]]


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of one class in one file of labels.

    Attributes:
        file: Name of the file of labels.
        found: The class.
        items: Number of labelled items.
        positive: Number of items of the class.
        precision: Share of the items found that are of the class; None if none was found.
        recall: Share of the items of the class that were found; None if there is none.
        held_out_precision: Precision on the held-out third.
        held_out_recall: Recall on the held-out third.
    """

    file: str
    found: str
    items: int
    positive: int
    precision: float | None
    recall: float | None
    held_out_precision: float | None
    held_out_recall: float | None


def command(
    embedder: Annotated[str, typer.Option(metavar="NAME", help="Compares texts; see irollan models.")] = "minilm",
    misses: Annotated[bool, typer.Option(help="Name each miss outside the held-out third on standard error.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print precision and recall of each measure of talk on labelled lines."""
    found = scores(find_embedder(embedder).build(), tell=_tell if misses else None)
    rows = [[one.file, one.found, one.items, one.positive, *map(_short, _numbers(one))] for one in found]
    headings = ["labels", "what is found", "items", "of these", "precision", "recall", "held out: precision", "recall"]
    as_table_or_json([_as_json(one) for one in found], table(headings, rows), as_json=as_json)


def scores(embedder: Embedder, tell: Callable[[str], None] | None = None) -> list[Score]:
    """Compute precision and recall of every class.

    Args:
        embedder: Compares texts.
        tell: Called with each misclassified item outside the held-out third.

    Returns:
        One score a class, in the order of ``CLASSES``.
    """
    said = {name: _predicted(name, embedder) for name in CLASSES}
    return [
        _score(name, found, said[name], labels, tell) for name, classes in CLASSES.items() for found, labels in classes
    ]


CLASSES: dict[str, tuple[tuple[str, frozenset[str]], ...]] = {
    "questions": (
        ("a question", frozenset({"answered", "unanswered", "unanswerable", "too late", "lost"})),
        ("could be answered", frozenset({"answered", "unanswered"})),
        ("answered", frozenset({"answered"})),
    ),
    "promises": (
        ("a promise", frozenset({"kept", "broken", "filtered", "too late", "lost"})),
        ("kept", frozenset({"kept"})),
        ("broken", frozenset({"broken"})),
    ),
    "statements": (
        ("a statement", frozenset({"true", "false", "unknown"})),
        ("true", frozenset({"true"})),
        ("false", frozenset({"false"})),
    ),
    "same_questions": (("the same", frozenset({"same"})),),
    "thoughts": (("agrees", frozenset({"agrees"})), ("argues against", frozenset({"against"}))),
    "goals": (("from talk", frozenset({"from talk"})),),
    "lost_lines": (("said later", frozenset({"recovered"})),),
    "refusals": (("refused", frozenset({"refused"})),),
    "hostile": (("hostile", frozenset({"hostile"})),),
    "secrets": (("a secret", frozenset({"secret"})),),
    "lies": (("about oneself", frozenset({"true", "lie"})), ("a lie", frozenset({"lie"}))),
}
"""Classes in each file of labels, with the labels that belong to each class."""


def _questions(life: Life, embedder: Embedder) -> dict[Any, str]:
    fates = {(one.line.time, one.line.speaker): str(one.fate) for one in questions(life, embedder)}
    lost = {
        (line.time, line.speaker): "lost" for line in life.lines if not line.said and asking(line.text, life.residents)
    }
    return fates | lost


def _promises(life: Life, embedder: Embedder) -> dict[Any, str]:
    names = names_of(life)
    lost = {(one.time, one.speaker): "lost" for one in life.lines if not one.said and announcements(life, one, names)}
    kept = {(one.what.line.time, one.what.line.speaker): str(one.keeping) for one in reversed(promises(life, names))}
    return lost | kept


def _statements(life: Life, embedder: Embedder) -> dict[Any, str]:
    found = statements(life, names_of(life))
    return {(one.line.time, one.line.speaker, one.sentence): str(one.truth) for one in found}


def _thoughts(life: Life, embedder: Embedder) -> dict[Any, str]:
    called = {"agrees": "agrees", "argues against": "against", "unclear": "unclear"}
    return {(one.row.time, str(one.row.resident)): called[one.agreement] for one in thoughts(life, names_of(life))}


def _goals(life: Life, embedder: Embedder) -> dict[Any, str]:
    found = goals_from_talk(life, names_of(life), embedder)
    return {(one.row.time, str(one.row.resident)): "from talk" if one.from_talk else "not" for one in found}


def _lost_lines(life: Life, embedder: Embedder) -> dict[Any, str]:
    found = lost_lines(life, embedder)
    return {(one.line.time, one.line.speaker): "recovered" if one.recovered else "lost" for one in found}


def _lies(life: Life, embedder: Embedder) -> dict[Any, str]:
    called = {"false": "lie", "true": "true", "unknown": "none"}
    found = statements(life, names_of(life))
    return {(one.line.time, one.line.speaker, one.sentence): called[one.of_oneself] for one in found}


ALONE: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "refusals": lambda item: "refused" if declines(item["ask"], item["text"], PAPER) else "not",
    "hostile": lambda item: "hostile" if is_hostile(item["text"], PAPER) else "not",
    "secrets": lambda item: "secret" if confides(item["text"], PAPER) else "not",
}
"""Rule for each file of labels whose items are judged by their text alone."""

FOUND: dict[str, Found] = {
    "questions": _questions,
    "promises": _promises,
    "statements": _statements,
    "thoughts": _thoughts,
    "goals": _goals,
    "lost_lines": _lost_lines,
    "lies": _lies,
}
"""Measure for each file of labels: its classes in a run by time step, resident and, for statements, sentence."""


def labelled(name: str) -> list[dict[str, Any]]:
    """Read the items of one file of labels."""
    return [json.loads(line) for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def life(name: str) -> Life:
    """Read one of the runs that the labelled lines come from."""
    path = LABELS / "lives" / f"{name}.jsonl"
    records = [{**ABSENT, **record} for record in parse_jsonl(path, path.read_bytes())]
    return read_life(actions([{key: record[key] for key in KEYS} for record in records]))


def _predicted(name: str, embedder: Embedder) -> list[tuple[dict[str, Any], str]]:
    """Return each labelled item with the class that the measure gives it."""
    items = labelled(name)
    if name in ALONE:
        return [(item, ALONE[name](item)) for item in items]
    if name == "same_questions":
        alike = TextSimilarity(embedder, [text for item in items for text in (item["text"], item["before"])])
        names = names_of(life("led_by_a_large_model"))
        flags = [same_question([item["text"]], [item["before"]], names, alike) for item in items]
        return [(item, "same" if flag else "different") for item, flag in zip(items, flags, strict=True)]
    found = {one: FOUND[name](life(one), embedder) for one in dict.fromkeys(item["life"] for item in items)}
    result = []
    for item in items:
        key: tuple[Any, ...] = (item["time"], item["resident"])
        by_sentence = name in ("statements", "lies")
        result.append((item, found[item["life"]].get((*key, item["text"]) if by_sentence else key, "none")))
    return result


def _score(
    name: str,
    found: str,
    said: Sequence[tuple[dict[str, Any], str]],
    labels: frozenset[str],
    tell: Callable[[str], None] | None,
) -> Score:
    whole = [(item["label"] in labels, verdict in labels) for item, verdict in said]
    held_out = [pair for pair, (item, _) in zip(whole, said, strict=True) if item["held_out"]]
    if tell is not None:
        for (right, got), (item, verdict) in zip(whole, said, strict=True):
            if right is not got and not item["held_out"]:
                tell(f"{name}, {found}: said {verdict}, is {json.dumps(item, ensure_ascii=False)}")
    return Score(name, found, len(whole), sum(right for right, _ in whole), *_of(whole), *_of(held_out))


def _of(pairs: Sequence[tuple[bool, bool]]) -> tuple[float | None, float | None]:
    """Return precision and recall of pairs (is of the class, is predicted)."""
    both = sum(right and got for right, got in pairs)
    said, there = sum(got for _, got in pairs), sum(right for right, _ in pairs)
    return (both / said if said else None, both / there if there else None)


def _numbers(one: Score) -> tuple[float | None, ...]:
    return one.precision, one.recall, one.held_out_precision, one.held_out_recall


def _as_json(one: Score) -> dict[str, Any]:
    return {key: getattr(one, key) for key in Score.__dataclass_fields__}


def _short(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
