"""How sensibly a resident chooses, by ways of choosing: `python benchmarks/choices.py [--set NAME] [--json]`.

Four sets were used while tuning; those in tests/data were not. A case counts when the action is the sensible one
whether the actions are listed forwards or backwards.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from evaluation.situations import SituationCase, choose, load
from itcma_s.decision import key
from language_models.embedded import EmbeddedModel
from language_models.embedder import MiniLM
from language_models.protocol import Caller, Embedder, LanguageModel

HERE = Path(__file__).parent
SETS = {
    "tuning 1": HERE / "situations_for_tuning.json",
    "tuning 2": HERE / "situations_more.json",
    "tuning 3": HERE / "situations_third.json",
    "tuning 4": HERE / "situations_fourth.json",
    "held out 1": HERE.parent / "tests" / "data" / "situations.json",
    "held out 2": HERE.parent / "tests" / "data" / "situations_second.json",
}


async def resident(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """The whole decision: elimination, protention, likeness, nearness, and the model among near ties."""
    return await choose(case, actions, model, embedder)


async def likelihood(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """The language model alone: log P(action given goal) - log P(action given a neutral goal)."""
    caller = Caller(module="bench")
    said = [f" {action}" for action in actions]
    given = await model.score(f"I want to {case.goal}. So I", said, caller=caller)
    neutral = await model.score("I want to live well. So I", said, caller=caller)
    return max(zip(actions, given.values, neutral.values, strict=True), key=lambda row: (row[1] - row[2], row[0]))[0]


async def similarity(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """Sentence embeddings alone: the action closest to the goal."""
    vectors = embedder.embed([case.goal, *actions])
    return max(zip(actions, (vectors[1:] @ vectors[0]).tolist(), strict=True), key=lambda row: (row[1], row[0]))[0]


async def grammar(case: SituationCase, actions: tuple[str, ...], model: LanguageModel, embedder: Embedder) -> str:
    """Constrained generation: the model writes one of the actions, greedily."""
    listed = "\n".join(f"- {action}" for action in actions)
    prompt = f"{case.observation}\nI want to {case.goal}.\nI can do one of these:\n{listed}\nThe best next step is:"
    pattern = "root ::= " + " | ".join(json.dumps(f" {action}", ensure_ascii=False) for action in actions)
    answer = await model.generate(
        prompt, caller=Caller(module="bench"), max_tokens=32, temperature=0.0, pattern=pattern
    )
    return answer.text.strip()


WAYS = {
    "constrained generation": grammar,
    "log-probabilities": likelihood,
    "similarity": similarity,
    "resident": resident,
}


async def measure(sets: dict[str, Path]) -> list[dict[str, object]]:
    """One row per set and way: the number of cases and the share of sensible choices."""
    embedder = MiniLM()
    model = EmbeddedModel.smollm2(embedder=embedder)
    rows: list[dict[str, object]] = []
    for name, path in sets.items():
        cases = load(path)
        for way, function in WAYS.items():
            good = 0
            for case in cases:
                picks = {
                    key(await function(case, order, model, embedder)) for order in (case.actions, case.actions[::-1])
                }
                good += picks == {key(case.sensible)}
            rows.append({"set": name, "way": way, "cases": len(cases), "sensible": round(good / len(cases), 3)})
            print(f"{name}: {way} {good}/{len(cases)}", file=sys.stderr)
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--set", choices=list(SETS), help="one set only")
    arguments = parser.parse_args()
    rows = asyncio.run(measure({arguments.set: SETS[arguments.set]} if arguments.set else SETS))
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    print("| set | way | cases | sensible |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row['set']} | {row['way']} | {row['cases']} | {float(str(row['sensible'])):.0%} |")


if __name__ == "__main__":
    main()
