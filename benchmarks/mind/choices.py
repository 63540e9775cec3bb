"""How sensibly a model chooses, by its ways of choosing.

The situations were used while tuning. One counts when the action is the sensible one whether the actions are listed
forwards or backwards; a call that fails is none. The interval is Wilson's.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

import typer

from benchmarks.intervals import wilson
from benchmarks.mind.situations import SETS, SituationCase, consider, load_for_tuning
from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, table
from evaluation.models.model_roles import read_models
from evaluation.runs.config_parts import ModelConfig
from itcma_s.actions import without_words
from itcma_s.wording import Style
from language_models.embedders.minilm import MiniLM
from language_models.protocol import Caller, Embedder, LanguageModel, ModelError
from language_models.registry import resolve_model
from language_models.transcript.recording import Recorded
from language_models.transcript.transcript import Transcript

CALLER = Caller(module="bench")
NEUTRAL = "I want to live well. So I"

Way = Callable[[SituationCase, tuple[str, ...], LanguageModel, Embedder], Awaitable[str]]


def command(
    model: Annotated[
        str, typer.Option(metavar="NAME", help="As irollan run takes it, a TOML file with options among it.")
    ] = "smollm2",
    way: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="This way only: choose, grammar, log-probabilities, similarity, resident or led. Again for more.",
        ),
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="N", help=f"This set only: {', '.join(SETS)}. Again for more.")
    ] = None,
    situations: Annotated[
        int | None, typer.Option(metavar="N", help="Only the first N of them.", show_default="all")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the situations in which each way of choosing takes the sensible action."""
    check_known("way", way or (), WAYS)
    rows = asyncio.run(
        measure(
            model,
            way or [name for name in WAYS if name != "led"],
            load_for_tuning(sets or ())[:situations],
        )
    )
    headings = ["model", "way", "sensible", "95 %", "calls", "asked again", "failed", "s a choice"]
    cells = [
        [
            row["model"],
            row["way"],
            f"{row['sensible']} of {row['situations']} ({row['sensible'] / row['situations']:.0%})",
            "{:.0%} to {:.0%}".format(*row["interval"]),
            *(row[key] for key in ("calls", "asked_again", "failed", "seconds_a_choice")),
        ]
        for row in rows
    ]
    as_table_or_json(rows, table(headings, cells), as_json=as_json)


async def measure(model: str, ways: Sequence[str], cases: list[SituationCase]) -> list[dict[str, Any]]:
    """One row per way.

    Args:
        model: As ``irollan run --model`` takes it.
        ways: Some of ``WAYS``.
        cases: What is chosen in.
    """
    models, embedder, tell = read_models([model]), MiniLM(), progress("choices")
    name = models.model or "smollm2"
    found = resolve_model(name)
    embedded = found.path is not None and not name.startswith("transformers:")
    asked = found.build(**({"embedder": embedder} if embedded else dict(models.options.get(name, {}))))
    rows = []
    for way in ways:
        rows.append({"model": name, "way": way, **await chosen(WAYS[way], cases, asked, embedder)})
        tell(str(rows[-1]))
    if (aclose := getattr(asked, "aclose", None)) is not None:
        await aclose()
    return rows


def told(case: SituationCase) -> str:
    """What a resident sees, and what it wants."""
    return f"{case.observation}\nI want to {case.goal}."


async def own_way(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """`choose` of the model, by the best way that it has."""
    return (await model.choose(f"{told(case)} What do I do?", actions, caller=CALLER, query=case.goal)).option


async def written(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """The model writes one of the actions, greedily, under a grammar that leaves it nothing else.

    Without grammars, what it writes is checked, and asked for again.
    """
    listed = "\n".join(f"- {action}" for action in actions)
    prompt = f"{told(case)}\nI can do one of these:\n{listed}\nThe best next step is:"
    pattern = "root ::= " + " | ".join(json.dumps(f" {action}", ensure_ascii=False) for action in actions)
    answer = await model.generate(prompt, caller=CALLER, max_tokens=32, temperature=0.0, pattern=pattern)
    return answer.text.strip()


async def likelihood(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """By log P(action given the goal) - log P(action given a neutral goal)."""
    said = [f" {action}" for action in actions]
    given = await model.score(f"I want to {case.goal}. So I", said, caller=CALLER)
    neutral = await model.score(NEUTRAL, said, caller=CALLER)
    return max(zip(actions, given.values, neutral.values, strict=True), key=lambda row: (row[1] - row[2], row[0]))[0]


async def similarity(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """No model: the action whose sentence embedding is closest to that of the goal."""
    vectors = embedder.embed([case.goal, *actions])
    return max(zip(actions, (vectors[1:] @ vectors[0]).tolist(), strict=True), key=lambda row: (row[1], row[0]))[0]


async def resident(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """The whole decision of a resident with this model, which asks a large one only."""
    style: Style = "instruct" if ModelConfig(name=model.name).instructed("action") else "page"
    return (await consider(case, actions, model, embedder, style=style)).intention.action or ""


async def led(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """The whole decision of a resident whom this model leads, asked by a page."""
    return (await consider(case, actions, model, embedder, led=True)).intention.action or ""


WAYS: dict[str, Way] = {
    "choose": own_way,
    "grammar": written,
    "log-probabilities": likelihood,
    "similarity": similarity,
    "resident": resident,
    "led": led,
}


async def chosen(way: Way, cases: list[SituationCase], model: LanguageModel, embedder: Embedder) -> dict[str, Any]:
    """How many of the choices are sensible; all of them are under way together."""

    async def pick(case: SituationCase, order: tuple[str, ...]) -> bool:
        try:
            return without_words(await way(case, order, recorded, embedder)) == without_words(case.sensible)
        except ModelError:
            return False

    with Transcript(":memory:") as transcript:
        recorded = Recorded(model, transcript)
        began = time.perf_counter()
        picks = [pick(case, order) for case in cases for order in (case.actions, case.actions[::-1])]
        found = await asyncio.gather(*picks)
        seconds = time.perf_counter() - began
        usage = transcript.costs.total()
    good = sum(one and other for one, other in zip(found[::2], found[1::2], strict=True))
    return {
        "situations": len(cases),
        "sensible": good,
        "interval": list(wilson(good, len(cases))),
        "calls": usage.calls,
        "asked_again": usage.retries,
        "failed": usage.failures + usage.refusals,
        "seconds_a_choice": round(seconds / len(found), 3),
    }
