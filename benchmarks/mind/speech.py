"""What chat lines of a run are worth, and how much residents move and meet.

A line counts as grounded when it names something or somebody that is there, the person spoken to left out, and as an
answer when its cosine with a line just heard is at least 0.3. A copy shares six words in a row with the examples that
the model is shown, an echo has a cosine of more than 0.92 with a line just heard, and an odd one speaks of its speaker
by name. Thoughts are looked at for copies too, their beginning left out, which is the goal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.reporting import AsJson, as_table_or_json, table
from evaluation.measures import read_run
from evaluation.records.interactions import Record
from irollan_env.actions import Action
from itcma_s.actions import without_words
from itcma_s.memory.mentions import mentioned
from itcma_s.wording import of_its_own, of_my_own, plain
from language_models.embedders.minilm import MiniLM

ANSWERS, ECHO, RUN_OF_WORDS = 0.3, 0.92, 6


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory, such as runs/mine.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Count what the chat lines of a run are worth, and the places and people of each resident."""
    records = read_run(run).records
    said, moved = lines(records), movement(records)
    shown = [
        table(["what", "how many"], list(said.items())),
        table(["resident", "places", "people", "longest"], [[name, *row.values()] for name, row in moved.items()]),
    ]
    as_table_or_json({"lines": said, "movement": moved}, "\n\n".join(shown), as_json=as_json)


def lines(records: Sequence[Record]) -> dict[str, int]:
    """How many chat lines there are, and how many are grounded, answers, either, copies."""
    embedder = MiniLM()
    examples = " ".join(
        _words(files("itcma_s.deliberation.similarity_policy").joinpath("prompts/page.txt").read_text(encoding="utf-8"))
    )
    counts = dict.fromkeys(
        ("lines", "grounded", "answers", "either", "copies", "echoes", "odd", "thoughts", "copied_thoughts"), 0
    )
    for record in records:
        thought = (record["thought"] or "").removeprefix(
            f"I want to {of_my_own(plain(record['goal'] or ''), record['resident'])}"
        )
        counts["thoughts"] += bool(thought)
        counts["copied_thoughts"] += _copies(thought, examples)
        said = Action.parse(record["action"] or "")
        if not (isinstance(said, Action) and said.words):
            continue
        names = [record["place"], *(percept["name"].removeprefix("door to ") for percept in record["percepts"])]
        meant = of_its_own(said.words, record["resident"], said.target)
        grounded = bool(set(mentioned(meant, names)) - {said.target})
        heard = [message["text"] for message in record["messages"]]
        vectors = embedder.embed([said.words, *heard])
        closest = float((vectors[1:] @ vectors[0]).max(initial=-1.0))
        echo, odd = closest > ECHO, bool(re.search(rf"\b{record['resident']}\b", said.words))
        answers = ANSWERS <= closest <= ECHO
        for name, holds in (
            ("lines", True),
            ("grounded", grounded),
            ("answers", answers),
            ("either", (grounded or answers) and not (echo or odd)),
            ("copies", _copies(said.words, examples)),
            ("echoes", echo),
            ("odd", odd),
        ):
            counts[name] += holds
    return counts


def movement(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    """Per resident: places visited, people spoken to, and the longest run of one action (chats by partner)."""
    result = {}
    for resident in dict.fromkeys(record["resident"] for record in records):
        own = [record for record in records if record["resident"] == resident]
        spoken = [Action.parse(r["action"]) for r in own if r["action"] and r["outcome"] == "executed"]
        actions = [without_words(record["action"]) for record in own if record["action"]]
        result[resident] = {
            "places": len({record["place"] for record in own}),
            "people": len({said.target for said in spoken if isinstance(said, Action) and said.words}),
            "longest": max((len(list(group)) for _, group in groupby(actions)), default=0),
        }
    return result


def _copies(text: str, examples: str) -> bool:
    words = _words(text)
    runs = (" ".join(words[at : at + RUN_OF_WORDS]) for at in range(len(words) - RUN_OF_WORDS + 1))
    return any(run in examples for run in runs)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())
