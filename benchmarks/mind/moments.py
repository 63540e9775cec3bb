"""Moments of lives, for readers who do not know which run each is of: a sheet, and a key that is kept from them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.reporting import AsJson, as_table_or_json
from irollan_env.actions import Action

BEFORE = 4
"""Time steps of which words are told."""

LINES = 6
QUESTIONS = """For each moment, by its text alone:
sensible: does the act (the words, if it speaks; else the deed) make sense there and then (1 or 0)?
contradicts: does the thought contradict what is there or was said, or is it nonsense (1 or 0)?
answers: if the last words to it were a question and it now speaks to the asker, is it to the point (1 or 0, else -)?
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision in words, and whether it is talk."""

    run: str
    text: str
    talk: bool


def command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    sheet: Annotated[Path, typer.Option(metavar="DIR", help="Where moments.txt and key.json go.")],
    talks: Annotated[
        int, typer.Option(metavar="N", help="How many moments of each run in which somebody speaks.")
    ] = 16,
    deeds: Annotated[int, typer.Option(metavar="N", help="How many others.")] = 9,
    seed: Annotated[int, typer.Option(metavar="N", help="Which are drawn, and in which order.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw moments of runs, and write a sheet on which readers judge them without knowing which run each is of."""
    r = random.Random(seed)
    found: list[Moment] = []
    for run in runs:
        of_run = moments(
            str(run), [json.loads(line) for line in (run / "events.jsonl").read_text("utf-8").splitlines()]
        )
        for talk, count in ((True, talks), (False, deeds)):
            some = [one for one in of_run if one.talk == talk]
            found += r.sample(some, min(count, len(some)))
    r.shuffle(found)
    sheet.mkdir(parents=True, exist_ok=True)
    told = [QUESTIONS, *(f"## {number}\n{one.text}\n" for number, one in enumerate(found))]
    (sheet / "moments.txt").write_text("\n".join(told), encoding="utf-8")
    key = [{"run": one.run, "talk": one.talk} for one in found]
    (sheet / "key.json").write_text(json.dumps(key, indent=1), encoding="utf-8")
    answer = {"moments": len(found), "sheet": str(sheet / "moments.txt")}
    as_table_or_json(answer, f"{answer['moments']} moments: {answer['sheet']}", as_json=as_json)


def moments(run: str, records: Sequence[Mapping[str, Any]]) -> list[Moment]:
    """Every decision of a run from its third step on that has a thought."""
    return [
        Moment(run, told(record, records), bool(_spoken(record)))
        for record in records
        if record["thought"] and record["time"] >= 2
    ]


def told(record: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """What somebody found, what it heard and said lately, and what it thought and did."""
    me, percepts = record["resident"], record["percepts"]
    company = ", ".join(one["name"] for one in percepts if one["kind"] == "person")
    things = ", ".join(f"{one['name']} on {one['on']}" for one in percepts if one["kind"] == "item" and not one["held"])
    held = ", ".join(one["name"] for one in percepts if one["held"])
    lately = [line for other in records if (line := said(other, record)) is not None]
    lately += [f'{one["sender"]} said to {one["addressee"]}: "{one["text"]}"' for one in record["messages"]]
    where = f"{me} is in {record['place']} with {company or 'nobody'}."
    lines = [
        f"{where} Things: {things or 'none'}. It holds: {held or 'nothing'}.",
        *list(dict.fromkeys(lately))[-LINES:],
        f"{me} wants to: {record['goal']}",
        f"=> {me} thinks: {record['thought']}",
        f"=> {me} does: {record['action'] or 'nothing'}",
    ]
    return "\n".join(lines)


def said(other: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """What was said in the place of a record, or by its resident, within the steps before; None where nothing was."""
    if not record["time"] - BEFORE <= other["time"] < record["time"] or other["outcome"] != "executed":
        return None
    here = other["place"] == record["place"] or other["resident"] == record["resident"]
    chat = _spoken(other)
    return f'{other["resident"]} said to {chat.target}: "{chat.words}"' if chat is not None and here else None


def _spoken(record: Mapping[str, Any]) -> Action | None:
    """The chat that a record has; None for another action."""
    action = Action.parse(record["action"] or "")
    return action if isinstance(action, Action) and action.words else None
