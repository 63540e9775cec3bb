"""Whether the next step of a plan is among the options of a resident, over recorded lives.

A life is led again along its record: the mechanisms are those of today, every decision, ranking and description is the
recorded one, whatever is asked. What each step of a plan names was read by hand (``next_steps.toml``).
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import tomllib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from shutil import copy
from typing import Annotated, Any
from unittest.mock import patch

import typer

from benchmarks.reporting import AsJson, as_table_or_json, table
from evaluation.models.run_embedder import embedder_of_run, storing_vectors
from evaluation.records.interactions import Record
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.build_society import build_society
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind
from itcma_s.actions import handled
from itcma_s.deliberation.llm_policy import llm_policy
from itcma_s.wording import lexicon
from language_models.base_model import BaseModel
from language_models.protocol import GenerateRequest, Generation

ROOT = Path(__file__).parents[2]
LIVES = ("recorded_life", "recorded_life_itcma")
NAMED = ROOT / "benchmarks" / "data" / "next_steps.toml"

_Place = tuple[str, int]
"""A resident and a time step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """A step of a plan that was admissible, and not among the options.

    Attributes:
        time: The time step.
        resident: Whose plan it is.
        step: The step, in the resident's words.
    """

    time: int
    resident: str
    step: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What was listed in one life.

    Attributes:
        life: Name of the folder.
        decisions: How many decisions there were.
        options: How many options they had in all.
        planned: How many decisions followed a plan whose next step was admissible.
        missing: Those in which it was not among the options.
    """

    life: str
    decisions: int
    options: int
    planned: int
    missing: tuple[Missing, ...]


class LedAlong(BaseModel):
    """A model that answers as recorded, by who asks and when, whatever the request says.

    Args:
        records: The records of the life.
        answers: The recorded text of each call, by module, name and time step.
        listed: The options of the present decisions.
    """

    name = "recorded"

    def __init__(
        self,
        records: Mapping[_Place, Record],
        answers: Mapping[tuple[str, str, int], str],
        listed: Mapping[_Place, Sequence[Any]],
    ) -> None:
        self._records, self._answers, self._listed = records, answers, listed

    async def generate(self, request: GenerateRequest) -> Generation:
        """Return the recorded answer, with the number that the action has now."""
        caller = request.caller
        if caller.module == "protention":
            told = (self._answers.get(("protention", caller.resident, time)) for time in range(caller.time + 1))
            return Generation(text=next(filter(None, told), " nothing that is known."))
        text = self._answers[caller.module, caller.resident, caller.time]
        if caller.module != "action":
            return Generation(text=text)
        place = caller.resident, caller.time
        properties = (request.schema or {})["properties"]
        answer = {"about": [], **json.loads(text), "action": self._number(place)}
        return Generation(text=json.dumps({key: answer[key] for key in properties}))

    def _number(self, place: _Place) -> int:
        action = self._records[place]["action"]
        done = None if action is None else action.partition(":")[0]
        for number, option in enumerate(self._listed[place], 1):
            if done in [one.partition(":")[0] for one in option.actions] or (done is None and not option.actions):
                return number
        raise LookupError(f"{place[0]} did {action!r} in step {place[1]}, which is none of its options now")


def command(
    lives: Annotated[list[Path] | None, typer.Argument(metavar="RUN", help="Runs; the recorded ones if none.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print how often the next step of a plan is missing from the options of a recorded life."""
    found = [options_of(path) for path in lives or [ROOT / "examples" / life for life in LIVES]]
    rows = [
        [one.life, one.decisions, f"{one.options / one.decisions:.1f}", one.planned, len(one.missing)] for one in found
    ]
    for one in found:
        for each in one.missing:
            typer.echo(f"{one.life}, step {each.time}, {each.resident}: {each.step}", err=True)
    headings = ["life", "decisions", "options each", "next step admissible", "of these not listed"]
    as_table_or_json([asdict(one) for one in found], table(headings, rows), as_json=as_json)


def options_of(path: Path, steps: int | None = None) -> Found:
    """Lead a life along its record, and look for the next step of each plan among the options.

    Args:
        path: A run whose residents the model leads.
        steps: How many time steps; all by default.

    Raises:
        LookupError: if an action of the record is no option any more.
    """
    directory = RunDirectory(path)
    manifest = directory.read_manifest()
    records = {(one["resident"], one["time"]): one for one in directory.records()}
    with directory.transcript() as transcript:
        answers = {
            (call.caller.module, call.caller.resident, call.caller.time): str(call.response["text"])
            for call in transcript.calls()
            if call.response is not None
        }
    listed: dict[_Place, Sequence[Any]] = {}
    embedder = embedder_of_run(manifest)
    with tempfile.TemporaryDirectory() as folder:
        vectors = Path(folder, "embeddings.sqlite")
        copy(directory.embeddings_path, vectors)
        with storing_vectors(embedder, vectors), patch.object(llm_policy, "options", _noting(listed)):
            configuration = RunConfig.from_json(manifest["configuration"]["effective"])
            society = build_society(configuration, LedAlong(records, answers, listed), embedder, directory.read_map())
            asyncio.run(_lead(society, records, manifest["steps_done"] if steps is None else steps))
    return _look(path.name, records, listed)


def _noting(listed: dict[_Place, Sequence[Any]]) -> Callable[..., list[Any]]:
    real: Callable[..., list[Any]] = vars(llm_policy)["options"]

    def noting(context: Any, *more: Any) -> list[Any]:
        found = real(context, *more)
        listed[context.observation.resident, context.observation.time] = found
        return found

    return noting


async def _lead(society: Society, records: Mapping[_Place, Record], steps: int) -> None:
    """Take the steps; who was filtered is read from the record, too."""

    def filtered(names: Any) -> frozenset[str]:
        now = society.world.time
        return frozenset(name for name in names if records[name, now]["outcome"] == "filtered")

    with patch.object(society, "_filter", filtered):
        for _ in range(steps):
            await society.step()


def _look(life: str, records: Mapping[_Place, Record], listed: Mapping[_Place, Sequence[Any]]) -> Found:
    named = tomllib.loads(NAMED.read_text(encoding="utf-8"))
    planned, missing = 0, []
    for (name, time), options in listed.items():
        plan = records[name, time - 1]["plan"] if time else []
        patterns = named.get(plan[0], ()) if plan else ()
        gone = {one["name"] for one in records[name, time]["percepts"] if _is_gone(one)}
        admissible = [
            one
            for one in map(Action, records[name, time]["admissible"])
            if _fits(one, patterns) and not _wastes(one, gone)
        ]
        if admissible:
            planned += 1
            if not any(_fits(one, patterns) for option in options for one in option.actions):
                missing.append(Missing(time=time, resident=name, step=plan[0]))
    return Found(
        life=life,
        decisions=len(listed),
        options=sum(map(len, listed.values())),
        planned=planned,
        missing=tuple(missing),
    )


def _is_gone(percept: Mapping[str, Any]) -> bool:
    return lexicon()["gone"].get(kind(percept["name"])) in percept["status"]


def _wastes(action: Action, gone: Container[str]) -> bool:
    """Return whether an action takes, uses or hands over what is eaten or drunk, which is no option."""
    return handled(action) in gone and (action.primitive is not Primitive.PUT or action.partner is not None)


def _fits(action: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in patterns)
