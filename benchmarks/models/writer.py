"""Texts that the small model writes in lives: how often again, how often twice the same, and what they cost."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Annotated

import typer

import evaluation
from benchmarks.reporting import AsJson, Measurement, machine, progress, show
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.run_config import RunConfig
from irollan_env.actions import Action, Primitive
from language_models import load_model
from language_models.protocol import Caller, GenerateRequest, LanguageModel

_FREE = 'text ::= [A-Z] [^\\n"]{10,220} [.?!]'


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A thought and, in a chat, a line, with how they came about.

    Attributes:
        time: The time step.
        resident: Who thought and spoke.
        partner: To whom; empty for other actions.
        thought: The thought.
        words: The line; empty for other actions.
        goal: What it wanted.
        prompt: The prompt.
        pattern: The grammar that the model wrote it under.
        asked: How often the model was asked.
        replaced: Whether a plain text took the place of what the model wrote.
    """

    time: int
    resident: str
    partner: str
    thought: str
    words: str
    goal: str
    prompt: str
    pattern: str
    asked: int
    replaced: bool


def command(
    seed: Annotated[list[int] | None, typer.Option(help="Seed of a life; again for more.", show_default="1, 2")] = None,
    steps: Annotated[int, typer.Option(min=1, help="Time steps of each life.")] = 10,
    model: Annotated[str, typer.Option(metavar="NAME", help="A model that was trained on scenes.")] = "smollm2",
    compared: Annotated[int, typer.Option(min=1, help="How many texts are also written freely.")] = 24,
    texts: Annotated[bool, typer.Option("--texts", help="Print what was written, too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Lead lives, and measure the texts in them; some are written again without the facts, to compare the time."""
    tell = progress("writer")
    found: list[Written] = []
    with tempfile.TemporaryDirectory() as folder:
        for one in seed or [1, 2]:
            tell(f"a life of {steps} steps from seed {one}")
            config = RunConfig.from_keys({"steps": steps, "seed": one, "model.name": model})
            evaluation.run(config, out=Path(folder) / str(one))
            found += written(RunDirectory(Path(folder) / str(one)))
    some = found[:: -(-len(found) // compared)]
    measured = [*measurements(found), asyncio.run(time_ratio(load_model(model), some, tell))]
    if texts and not as_json:
        print("\n".join(f"{t.time} {t.resident} wants to {t.goal}: {t.thought} {t.partner}: {t.words}" for t in found))
    show(measured, machine(), as_json=as_json)
    return 0


def written(run: RunDirectory) -> Iterator[Written]:
    """Yield what a model wrote in a run, by the run's records and transcript."""
    with run.transcript() as transcript:
        calls = {call.usage.call: call for call in transcript.calls(module="writing")}
    for record in run.records():
        asked = [calls[call] for call in record["calls"] if call in calls]
        action = Action.parse(record["action"])
        if not asked or not isinstance(action, Action):
            continue
        chats = action.primitive is Primitive.CHAT
        last = asked[-1]
        yield Written(
            time=record["time"],
            resident=record["resident"],
            partner=action.target if chats else "",
            thought=record["thought"],
            words=action.words if chats else "",
            goal=record["goal"],
            prompt=last.request.prompt,
            pattern=str(last.request.parameters["pattern"]),
            asked=len(asked),
            replaced=record["thought"] not in (last.response or {}).get("text", ""),
        )


def measurements(texts: Collection[Written]) -> list[Measurement]:
    """Count texts that were written again, were replaced, or came before in the same life."""
    count = max(1, len(texts))
    thoughts = {(one.resident, one.thought) for one in texts}
    lines = [(one.resident, one.partner, one.words) for one in texts if one.words]
    shares = {
        "written again": sum(one.asked > 1 for one in texts) / count,
        "replaced": sum(one.replaced for one in texts) / count,
        "thoughts that were had before": 1 - len(thoughts) / count,
        "lines said to the same person before": 1 - len(set(lines)) / max(1, len(lines)),
    }
    return [
        Measurement(name="thoughts", value=len(texts), unit=""),
        Measurement(name="lines", value=len(lines), unit=""),
        *(Measurement(name=name, value=share, unit="of them") for name, share in shares.items()),
    ]


async def time_ratio(model: LanguageModel, texts: Sequence[Written], tell: Callable[[str], None]) -> Measurement:
    """Write texts freely and from the facts, one after the other, and compare the processor time."""
    spent = {"Freely": 0.0, "Held": 0.0}
    for number, one in enumerate(texts):
        tell(f"text {number + 1} of {len(texts)}, freely and from the facts")
        patterns = {"Freely": free_grammar(one.resident, one.partner), "Held": one.pattern}
        for way in sorted(patterns, reverse=number % 2 == 0):
            request = GenerateRequest(
                prompt=f"{way}. {one.prompt}",  # prompts that begin alike would share what was read
                caller=Caller(module="writing", resident=one.resident, time=one.time),
                max_tokens=160,
                temperature=0.5,
                seed=number,
                pattern=patterns[way],
            )
            began = process_time()
            await model.generate(request)
            spent[way] += process_time() - began
    name = "processor time of a text, to that of one written freely"
    return Measurement(name=name, value=spent["Held"] / spent["Freely"], unit="times", goal=1.3, at_least=False)


def free_grammar(me: str, partner: str) -> str:
    """Return the grammar of the form alone: any thought and, to a partner, any line."""
    said = f' "{me} says to {partner}: \\"" text "\\"\\n"' if partner else ""
    return f'root ::= "{me} thinks: " text "\\n"{said}\n{_FREE}'
