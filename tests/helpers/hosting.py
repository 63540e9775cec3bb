"""Societies and residents with named minds, put together in one call."""

import asyncio
import json
from dataclasses import replace

from configs import run_config

from evaluation.runs.build_society import build_society
from irollan_env.random_streams import stream
from irollan_env.world.world import World
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel
from language_models.transcript.recording import RecordedModel
from language_models.transcript.transcript import Transcript
from minds.hosted import HostedMind
from minds.mind_specs import find_mind


def hosted(
    mind, name="LL", *, model=None, seed=0, patience=None, in_process=False, history=None, setting="a small valley"
):
    """A resident with a mind of this name."""
    return HostedMind(
        name,
        spec=find_mind(mind, in_process=in_process),
        model=ScriptedModel() if model is None else model,
        embedder=HashEmbedder(),
        generator=stream(seed, f"resident {name}"),
        history=history,
        setting=setting,
        patience=patience,
    )


def society_of(mind="itcma-s", *, model=None, **settings):
    """A society with minds of this name."""
    configuration = run_config(model="scripted", mind=mind, **settings)
    return build_society(configuration, ScriptedModel() if model is None else model, HashEmbedder())


def take_steps(society, steps):
    """The records of so many steps."""

    async def go_on():
        return [record for _ in range(steps) for record in (await society.step()).records]

    return asyncio.run(go_on())


def first_observation(name="LL", seed=0, time=0):
    """What a resident perceives when a world begins."""
    return replace(World(seed=seed).observe(name), time=time)


def decide(resident, observation):
    """What a resident decides on an observation."""
    return asyncio.run(resident.act(observation))


def modules_of(mind, steps=12, **settings):
    """The calls that each module of a society with this mind made, and its records."""
    with Transcript(":memory:") as transcript:
        society = society_of(mind, model=RecordedModel(ScriptedModel(), transcript), **settings)
        # As a run does: who decides in a thread may make its first call in any order.
        transcript.ids.enlist(society.residents)
        records = take_steps(society, steps)
        return {row.module: row.calls for row in transcript.costs.by_module()}, records


def lived_on(mind, steps=8, at=4, **settings):
    """The last records of a life, and those of one that was saved, read back and gone on with in another society."""
    whole = take_steps(society_of(mind, **settings), steps)[at * 6 :]
    first = society_of(mind, **settings)
    take_steps(first, at)
    second = society_of(mind, **settings)
    second.set_state(json.loads(json.dumps(first.get_state())))
    return whole, take_steps(second, steps - at)
