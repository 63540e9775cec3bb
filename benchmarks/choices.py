"""How sensibly a model chooses, by its ways of choosing: `python benchmarks/choices.py --model NAME [--json]`.

NAME is what `irollan run --model` takes, a TOML file with options among it. The situations were used while tuning. One
counts when the action is the sensible one whether the actions are listed forwards or backwards; a call that fails is
none. The interval is Wilson's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from statsmodels.stats.proportion import proportion_confint

from benchmarks.situations import SituationCase, consider, load
from evaluation.models.model_roles import read_models
from evaluation.runs.configuration import Configuration
from itcma_s.actions import without_words
from itcma_s.wording import Style
from language_models.embedders.minilm import MiniLM
from language_models.protocol import Caller, Embedder, LanguageModel, ModelError
from language_models.registry import resolve_model
from language_models.transcript.recording import Recorded
from language_models.transcript.transcript import Transcript

SETS = {
    "1": "situations_for_tuning.json",
    "2": "situations_more.json",
    "3": "situations_third.json",
    "4": "situations_fourth.json",
}
CALLER = Caller(module="bench")
NEUTRAL = "I want to live well. So I"

Way = Callable[[SituationCase, tuple[str, ...], LanguageModel, Embedder], Awaitable[str]]


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
    style: Style = "instruct" if Configuration(model=model.name).instructed("action") else "page"
    return (await consider(case, actions, model, embedder, style=style)).intention.action


WAYS: dict[str, Way] = {
    "choose": own_way,
    "grammar": written,
    "log-probabilities": likelihood,
    "similarity": similarity,
    "resident": resident,
}


async def measure(way: Way, cases: list[SituationCase], model: LanguageModel, embedder: Embedder) -> dict[str, Any]:
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
    least, most = proportion_confint(good, len(cases), method="wilson")
    return {
        "situations": len(cases),
        "sensible": good,
        "interval": [round(float(least), 3), round(float(most), 3)],
        "calls": usage.calls,
        "asked_again": usage.retries,
        "failed": usage.failures + usage.refusals,
        "seconds_a_choice": round(seconds / len(found), 3),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--model", default="smollm2", metavar="NAME", help="as irollan run takes it")
    parser.add_argument("--way", action="append", choices=list(WAYS), help="this way only; again for more")
    parser.add_argument("--set", action="append", choices=list(SETS), help="this set only; again for more")
    parser.add_argument("--situations", type=int, metavar="N", help="only the first N of them; all by default")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    arguments = parser.parse_args()
    models, embedder = read_models([arguments.model]), MiniLM()
    name = models.model or "smollm2"
    found = resolve_model(name)
    embedded = found.path is not None and not name.startswith("transformers:")
    model = found.build(**({"embedder": embedder} if embedded else dict(models.options.get(name, {}))))
    sets = [load(Path(__file__).parent / SETS[one]) for one in arguments.set or SETS]
    cases = [case for one in sets for case in one][: arguments.situations]

    async def live() -> list[dict[str, Any]]:
        rows = []
        for way in arguments.way or WAYS:
            rows.append({"model": name, "way": way, **await measure(WAYS[way], cases, model, embedder)})
            print(rows[-1], file=sys.stderr)
        if (aclose := getattr(model, "aclose", None)) is not None:
            await aclose()
        return rows

    rows = asyncio.run(live())
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    print("| model | way | sensible | 95 % | calls | asked again | failed | s a choice |\n" + "|---" * 8 + "|")
    for row in rows:
        least, most = row["interval"]
        share = f"{row['sensible']} of {row['situations']} ({row['sensible'] / row['situations']:.0%})"
        share += f" | {least:.0%} to {most:.0%}"
        counts = f"{row['calls']} | {row['asked_again']} | {row['failed']} | {row['seconds_a_choice']}"
        print(f"| {name} | {row['way']} | {share} | {counts} |")


if __name__ == "__main__":
    main()
