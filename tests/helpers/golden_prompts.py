"""Every request of small lives, and how actions were ranked, by digest.

`python tests/helpers/golden_prompts.py` writes what the test compares. To see what changed, write the requests
themselves before and after: `python tests/helpers/golden_prompts.py FOLDER`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from leading import LeadingModel
from project import DATA
from scenes import EMBEDDER, run

from irollan_env import ValleyMap, World
from irollan_env.world.observation import Observation
from itcma_s import make_mind
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.protocol import Context, Intention
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.memory import formative_memories
from itcma_s.parameters import Mechanisms
from language_models.protocol import Choice, GenerateRequest, Generation
from language_models.scripted import ScriptedModel

FILE = DATA / "minds" / "prompts.txt"
PEOPLE = ("MD", "AY", "WL", "LL")
STEPS = 14
ITCMA = Mechanisms(compressed_memory=False, driver=False, elimination=False)
WHOLE = Mechanisms(elimination=False)
BEFORE = ("My mother baked bread in LL's Home.", "I read book 4 in Public Reading Room.")
ASKED = {
    "MD": "Heat some food and put it in/on a table in AY's Home.",
    "AY": "See where the toy 2 is, tell SG within 10 steps, and have SG acknowledge it.",
    "WL": "Bring SG's clothes to SG.",
    "LL": "Fetch a book and put it in/on a table in LL's Home.",
}
"""The goals that are set from outside for three steps."""
MISHAPS = {
    4: ("failed", ""),
    7: ("inadmissible", "Nothing happens. AY took the food 5 first."),
}


def _llm(**options: Any) -> Callable[[Any], Any]:
    return lambda model: LLMPolicy(model=model, **options)


class _Ranking(SimilarityPolicy):
    """Keeps how it ranked the actions with what its model was asked."""

    async def decide(self, context: Context) -> Intention:
        intention = await super().decide(context)
        values = [round(value, 4) for value in intention.values]
        self._model.asked.append(str(sorted(range(len(values)), key=values.__getitem__)))  # type: ignore[attr-defined]
        return intention


def _similarity(**options: Any) -> Callable[[Any], Any]:
    return lambda model: _Ranking(model=model, embedder=EMBEDDER, **options)


CASES: dict[str, tuple[Callable[[Any], Any], Mechanisms]] = {
    "llm": (_llm(), Mechanisms()),
    "llm, in lines, of an ITCMA mind": (_llm(form="plain", detail="names"), ITCMA),
    "llm, every object": (_llm(detail="positions", others={"AY": "an old friend"}, myself="You are Lena."), WHOLE),
    "page": (_similarity(style="page"), Mechanisms()),
    "scene": (_similarity(style="scene"), Mechanisms()),
    "instruct": (_similarity(style="instruct"), Mechanisms()),
    "instruct, every object": (_similarity(style="instruct", detail="positions"), ITCMA),
}


def _recording(base: type[ScriptedModel]) -> ScriptedModel:
    """A model that keeps what it was asked, as text."""

    class Recording(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.asked: list[str] = []

        async def generate(self, request: GenerateRequest) -> Generation:
            schema = json.dumps(request.schema, sort_keys=True)
            self.asked.append(f"{request.caller}\n{request.prompt}\n{request.pattern}\n{schema}")
            return await super().generate(request)

        async def choose(self, prompt: str, options: Sequence[str], **more: Any) -> Choice:
            self.asked.append(f"{prompt}\n{list(options)}")
            return await super().choose(prompt, options, **more)

    return Recording()


def _seen(world: World, name: str) -> Observation:
    """What a resident perceives, with what LTRHA would tell it, a goal for two steps, and a few mishaps."""
    seen, time = world.observe(name), world.time
    habitus = {action: 0.8 if action.startswith("chat") else 0.01 for action in seen.admissible}
    seen = replace(
        seen,
        topic=(time % 5 - 1) / 4,
        resources=6.0 - 2.0 * time,
        habitus=habitus,
        goal=ASKED[name] if 8 <= time < 11 else None,
    )
    if name == "MD" and time in MISHAPS:
        outcome, result = MISHAPS[time]
        seen = replace(seen, outcome=outcome, result=result)
    return seen


def requests(case: str) -> list[str]:
    """What was asked of the model in each step of a life of four, who go outside first, so that they meet."""
    policy, mechanisms = CASES[case]
    model: Any = _recording(LeadingModel if case.startswith("llm") else ScriptedModel)
    world, table = World(seed=3), NameTable(EMBEDDER)
    minds = [
        make_mind(
            name,
            model=model,
            table=table,
            embedder=EMBEDDER,
            generator=np.random.default_rng(number),
            deliberation=policy(model),
            mechanisms=mechanisms,
            memories=formative_memories(BEFORE, ValleyMap.default().names, table, PEOPLE),
        )
        for number, name in enumerate(PEOPLE)
    ]
    steps = []
    for time in range(STEPS):
        acts = {mind.name: run(mind.act(_seen(world, mind.name))) for mind in minds}
        failed = {name for name, act in acts.items() if act.failure is not None}
        wanted = {name: act.action if time else "go to outside" for name, act in acts.items() if name not in failed}
        filtered = frozenset(PEOPLE[(time % 7) - 1 : time % 7]) - failed if time else frozenset()
        world.step(wanted, filtered=filtered, failed=failed)
        steps.append("\n\n".join(model.asked))
        model.asked.clear()
    return steps


def digests(case: str) -> str:
    """One line a step."""
    hashes = (hashlib.sha256(text.encode()).hexdigest()[:16] for text in requests(case))
    lines = [f"{case}, step {step}: {digest}" for step, digest in enumerate(hashes)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for case in CASES:
            Path(sys.argv[1], f"{case}.txt").write_text("\n\n".join(requests(case)), encoding="utf-8")
    else:
        FILE.write_text("".join(map(digests, CASES)), encoding="utf-8")
