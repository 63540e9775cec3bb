"""Ways to put a decision, compared on situations.

Without a model, ways of valuing actions: with and without protention, with more and fewer candidates. With one, ways of
asking it: in which order the actions are listed, how many, with and without what each would bring, a thought before the
choice. The situations were used while tuning, each has one plainly sensible action, and 95 % intervals are Wilson's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import typer

from benchmarks.intervals import wilson
from benchmarks.mind.situations import SETS, SituationCase, consider, load_for_tuning
from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, table
from itcma_s.actions import without_words
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.mechanisms import Mechanisms
from itcma_s.protention.protention import Protention
from language_models.embedders.minilm import MiniLM
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import Caller, Embedder, GenerateRequest, LanguageModel, ModelError
from language_models.registry import resolve_model
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.scripted import ScriptedModel

CALLER = Caller(module="bench")
VALUED: dict[str, dict[str, Any]] = {
    "as it is": {},
    "without the sentence of protention": {"weights": DecisionWeights(brings=0.0)},
    "protention twice as much": {"weights": DecisionWeights(brings=1.0)},
    "without nearness to what the goal names": {"weights": DecisionWeights(nearer=0.0)},
    "answering weighs 0.5 instead of 1.3": {"weights": DecisionWeights(answer=0.5)},
    "all actions are candidates (no elimination)": {"mechanisms": Mechanisms(elimination=False)},
    "more candidates (threshold 2)": {"threshold": 2.0},
    "fewer candidates (threshold 4)": {"threshold": 4.0},
}
"""Ways to value actions without a model: keyword arguments of the resident."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """A way to ask a model.

    Attributes:
        order: Best-valued action first, last, or as the world lists them.
        shown: How many of the best-valued actions.
        protention: Whether each is told with what it would bring.
        thought: Whether the model writes a thought before it chooses.
    """

    order: Literal["best first", "best last", "as listed"] = "best first"
    shown: int = 8
    protention: bool = True
    thought: bool = False


ASKED: dict[str, Way] = {
    "best first, up to 8, with protention": Way(),
    "best last": Way(order="best last"),
    "as the world lists them": Way(order="as listed"),
    "up to 4": Way(shown=4),
    "without protention": Way(protention=False),
    "a thought before the choice": Way(thought=True),
}


def command(
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare ways to ask it: as irollan run takes it, an address; smollm2 is served on loopback for the "
            "time being. Without one, ways to value actions are compared.",
        ),
    ] = None,
    way: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=f"This way only: {'; '.join(ASKED)}. Again for more.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="N", help=f"Situations of this set only: {', '.join(SETS)}. Again for more."),
    ] = None,
    situations: Annotated[int, typer.Option(metavar="N", help="How many of them, drawn with seed 0.")] = 246,
    as_json: AsJson = False,
) -> None:
    """Count the situations in which each way to put a decision leads to the sensible action."""
    check_known("way", way or (), ASKED)
    cases = load_for_tuning(sets or ())
    drawn = np.random.default_rng(0).permutation(len(cases))[:situations].tolist()
    cases = [cases[n] for n in sorted(drawn)]
    rows = asyncio.run(compare_valuing(cases) if model is None else compare_asking(cases, model, way or list(ASKED)))
    extra = [name for name in rows[0] if name not in ("way", "right", "of", "share", "low", "high")]
    cells = [
        [
            row["way"],
            f"{row['right']} of {row['of']} ({row['share']:.0%})",
            f"{row['low']:.0%} to {row['high']:.0%}",
            *(row[name] for name in extra),
        ]
        for row in rows
    ]
    as_table_or_json(rows, table(["way", "right", "95 % interval", *extra], cells), as_json=as_json)


async def compare_valuing(cases: Sequence[SituationCase]) -> list[dict[str, Any]]:
    """A row for each way to value actions."""
    embedder, tell, rows = MiniLM(), progress("decisions"), []
    for name, mind in VALUED.items():
        rows.append({"way": name, **await valued(cases, embedder, mind)})
        tell(str(rows[-1]))
    return rows


def _worth(row: tuple[float, Protention]) -> float:
    return -row[0]


async def compare_asking(cases: Sequence[SituationCase], name: str, ways: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each way to ask the model of a name, in the order of ``ASKED``."""
    embedder, tell, rows = MiniLM(), progress("decisions"), []
    decisions = [await consider(case, case.actions, ScriptedModel(), embedder) for case in cases]
    ranked = [
        [expected for _, expected in sorted(zip(found.intention.values, found.protended, strict=True), key=_worth)]
        for found in decisions
    ]
    model, local = served(name)
    for way, put in ASKED.items():
        if way in ways:
            rows.append({"way": way, **await asked(cases, ranked, model, put)})
            tell(str(rows[-1]))
    if isinstance(model, OpenAICompatible):
        await model.aclose()
    if local is not None:
        local.close()
    return rows


async def valued(cases: Sequence[SituationCase], embedder: Embedder, mind: dict[str, Any]) -> dict[str, Any]:
    """How many of the best-valued actions are the sensible ones, and how many actions were valued."""
    model = ScriptedModel()
    decisions = [await consider(case, case.actions, model, embedder, **mind) for case in cases]
    right = [
        without_words(found.intention.action or "") == without_words(case.sensible)
        for found, case in zip(decisions, cases, strict=True)
    ]
    return {**share(right), "candidates": round(float(np.mean([len(found.protended) for found in decisions])), 2)}


async def asked(
    cases: Sequence[SituationCase], ranked: Sequence[Sequence[Protention]], model: LanguageModel, way: Way
) -> dict[str, Any]:
    """How many of a model's choices are the sensible ones; a call that fails is a wrong one."""
    failed = 0

    async def one(case: SituationCase, best: Sequence[Protention]) -> bool:
        nonlocal failed
        shown = list(best[: way.shown])
        if way.order == "best last":
            shown.reverse()
        elif way.order == "as listed":
            shown.sort(key=lambda expected: case.actions.index(expected.action))
        heard = f'\nI hear: "{case.heard}"' if case.heard else ""
        prompt = f"{case.observation}{heard}\nI want to {case.goal}."
        try:
            if way.thought:
                listed = "\n".join(f"- {expected.action}" for expected in shown)
                asked = f"{prompt}\nI can do one of these:\n{listed}\nWhat is best, and why? Answer in one sentence."
                answer = await model.generate(
                    GenerateRequest(prompt=asked, caller=CALLER, max_tokens=40, temperature=0.0)
                )
                prompt += f"\nI think: {answer.text.strip()}"
            choice = await model.choose(
                prompt,
                [expected.action for expected in shown],
                caller=CALLER,
                query=f"I want to {case.goal}.",
                descriptions=[expected.sentence for expected in shown] if way.protention else (),
            )
        except ModelError:
            failed += 1
            return False
        return without_words(choice.option) == without_words(case.sensible)

    right = await asyncio.gather(*(one(case, best) for case, best in zip(cases, ranked, strict=True)))
    chance = np.mean([1 / min(len(best), way.shown) for best in ranked])
    return {**share(right), "failed": failed, "at_random": round(float(chance), 3)}


def share(right: Sequence[bool]) -> dict[str, Any]:
    """A count with its 95 % interval."""
    low, high = wilson(sum(right), len(right))
    return {
        "right": sum(right),
        "of": len(right),
        "share": round(sum(right) / len(right), 3),
        "low": low,
        "high": high,
    }


def served(name: str) -> tuple[LanguageModel, EmbeddedModel | None]:
    """The model of a name; an embedded one is asked at its own address, as any server is, and has to be closed."""
    found = resolve_model(name)
    if found.path is None or name.startswith("transformers:"):
        return found.build(), None
    local = EmbeddedModel(found.path, slots=2, context=2048)
    address = f"{local.server.listening_address}/v1"
    return OpenAICompatible(address, name, concurrency=2, timeout=300.0, grammar_field="grammar"), local
