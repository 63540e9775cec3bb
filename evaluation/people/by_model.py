"""Have a language model write backstories, and from them formative memories, as Concordia does.

Vezhnevets et al. 2023, appendix A.6: a backstory follows from biographical facts, traits and the setting, and memories
at several ages follow from the backstory. The prompts are this project's. The facts are those of the rule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import listed
from irollan_env.random_streams import stream
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.protocol import LanguageModel, ModelError
from minds.history import History
from minds.model_client import LocalModelClient

AT_ONCE = 8
"""Most residents whose calls are under way at the same time."""
CONTEXT = 2048
"""Tokens of a request with its answer."""
MEMORIES = 4
LONGEST_MEMORY = 240
_LONGEST_STORY = 2000
_PLACES_NAMED = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Pasts:
    """What a model wrote.

    Attributes:
        identities: All identities; those without an answer keep the memories of the rule.
        backstories: Backstory by resident, in one line.
        calls: How many calls were made.
        failures: Why a resident's calls gave nothing, by resident.
    """

    identities: Mapping[str, Mapping[str, Any]]
    backstories: Mapping[str, str]
    calls: int
    failures: Mapping[str, str]


async def write_pasts(
    identities: Mapping[str, Mapping[str, Any]],
    valley_map: ValleyMap,
    model: LanguageModel,
    seed: int,
    shown: Callable[[int], None] = lambda done: None,
) -> Pasts:
    """Have a model write a backstory and formative memories for everybody.

    Args:
        identities: By resident, from ``write_people``.
        valley_map: The map.
        model: The language model; record its calls by wrapping it.
        seed: Seed of all draws.
        shown: Called with how many residents are done.

    Raises:
        ModelUnavailable: if the model cannot be reached.
    """
    setting = _setting(valley_map)
    turns = asyncio.Semaphore(AT_ONCE)
    done = calls = 0
    stories: dict[str, str] = {}
    written: dict[str, list[dict[str, Any]]] = {}
    failures: dict[str, str] = {}

    async def live(resident: str) -> None:
        nonlocal done, calls
        async with turns:
            generator = stream(seed, f"people {resident}")
            client = LocalModelClient(resident, model, HashEmbedder(), int(generator.integers(2**31)))
            client.begin_step(0)
            try:
                stories[resident], written[resident] = await _live_through(
                    resident, identities[resident], setting, client, generator
                )
            except ModelError as error:
                failures[resident] = " ".join(str(error).split())
            finally:
                calls += len(client.calls)
                client.close_step()
            done += 1
            shown(done)

    await asyncio.gather(*map(live, identities))
    return Pasts(
        identities={
            resident: {**one, "memories": [*written[resident], one["memories"][-1]]} if resident in written else one
            for resident, one in identities.items()
        },
        backstories={resident: stories[resident] for resident in identities if resident in stories},
        calls=calls,
        failures={resident: failures[resident] for resident in identities if resident in failures},
    )


async def _live_through(
    resident: str,
    identity: Mapping[str, Any],
    setting: str,
    client: LocalModelClient,
    generator: np.random.Generator,
) -> tuple[str, list[dict[str, Any]]]:
    """Write one backstory, and from it memories at drawn ages.

    Raises:
        ModelError: if a call fails, or its answer has no words.
    """
    name, age = identity.get("name", resident), int(identity["age"])
    known = "\n".join(f"- {line}" for line in History.from_json({**identity, "memories": []}).lines())
    facts = f"{setting}\n\n{name} is one of the people who live there, and says:\n{known}\n"
    story = _one_line(
        await client.generate(
            "backstory",
            f"{facts}\nTell the life of {name} until today in five to eight sentences: where it began, what left a "
            f"mark, what {name} is proud of and sorry for, and what led here. Write in the third person, without "
            f"dialogue, and contradict nothing above.\n\nThe life of {name}:",
            max_tokens=320,
        ),
        _LONGEST_STORY,
    )
    ages = _ages(age, generator)
    fields = {f"at {one}": {"type": "string", "minLength": 10, "maxLength": LONGEST_MEMORY} for one in ages}
    keys = listed([f"'{key}'" for key in fields]).replace("'", '"')
    answer = await client.generate_json(
        "memories",
        f"{facts}\nThe life of {name}: {story}\n\nWhich moments made {name} who this is? Write one memory of each of "
        f"the ages {listed([str(one) for one in ages])}: a single moment, in one sentence, in the first person. Answer "
        f"with one JSON object that has {keys}.",
        fields,
        max_tokens=90 * len(fields),
    )
    texts = {one: _one_line(str(answer[f"at {one}"]), LONGEST_MEMORY) for one in ages}
    if not story or not all(texts.values()):
        raise ModelError(f"there were no words in what was written for {resident}")
    return story, [{"at": f"{age - one} years ago", "text": text} for one, text in texts.items()]


def _ages(age: int, generator: np.random.Generator) -> list[int]:
    """Draw the ages of memories, in order: the first in childhood, the others spread over life since."""
    bounds = np.linspace(5, age - 1, MEMORIES + 1).round().astype(int).tolist()
    return sorted({int(generator.integers(low, max(low + 1, high))) for low, high in pairwise(bounds)})


def _setting(valley_map: ValleyMap) -> str:
    """Describe a map in two sentences: its places, and who lives there."""
    places = [area.name for area in valley_map.areas if area.name not in {one.home for one in valley_map.residents}]
    residents = [one.name for one in valley_map.residents]
    lives = f"{len(residents)} people live there"
    return " ".join(
        [
            f"There is a place called {valley_map.name.replace('_', ' ')}.",
            *([f"It has {_some(places)}."] if places else []),
            f"{lives}, each with a home: {_some(residents)}.",
        ]
    )


def _some(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= _PLACES_NAMED else f"{', '.join(names[:_PLACES_NAMED])} and others"


def _one_line(text: str, longest: int) -> str:
    """Return a model's text in one printable line, cut at the end of a word."""
    line = " ".join(text.split()).strip('"')
    return line if len(line) <= longest else line[: longest - 1].rpartition(" ")[0] + "…"
