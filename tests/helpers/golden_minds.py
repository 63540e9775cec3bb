"""Lives of minds with the scripted model, as text: written by `python tests/helpers/golden_minds.py` and compared.

A file has what each resident wanted, did and felt in each step, and which memories came to its mind. An equation, a
fast form or an order of draws that changes shows in it.
"""

from __future__ import annotations

import asyncio

import numpy as np
from project import DATA

from irollan_env import World
from itcma_s import make_mind
from itcma_s.fields.name_table import NameTable
from itcma_s.parameters import Mechanisms
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel

FOLDER = DATA / "minds"
LIVES = {
    "itcma.txt": Mechanisms(compressed_memory=False, driver=False, elimination=False),
    "itcma_s.txt": Mechanisms(),
}
STEPS = 24


def live(mechanisms: Mechanisms) -> str:
    """The text of a life of the six."""
    return asyncio.run(_live(mechanisms))


async def _live(mechanisms: Mechanisms) -> str:
    world, embedder, model = World(seed=5), HashEmbedder(), ScriptedModel()
    table = NameTable(embedder)
    minds = [
        make_mind(
            name,
            model=model,
            table=table,
            embedder=embedder,
            generator=np.random.default_rng(number),
            mechanisms=mechanisms,
        )
        for number, name in enumerate(world.residents)
    ]
    lines = []
    for step in range(STEPS):
        acts = {mind.name: await mind.act(world.observe(mind.name)) for mind in minds}
        outcomes = world.step({name: act.action for name, act in acts.items()})
        for name, act in acts.items():
            felt = f"P {act.pleasure:.5f} A {act.arousal:.5f} D {act.dominance:.5f} d {act.driver:.5f}"
            terms = ", ".join(f"{value:+.4f} {term}" for term, value in act.explanation.items())
            lines += [
                f"[{step}] {name} wants to {act.goal}: {act.action} => {outcomes[name].kind}",
                f"  {felt}; remembers {list(act.memories)}; {terms}",
            ]
            if act.relevance is not None:
                lines.append(f"  relevance {sum(act.relevance.values()):.4f} of {len(act.relevance)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, mechanisms in LIVES.items():
        (FOLDER / file).write_text(live(mechanisms), encoding="utf-8")
