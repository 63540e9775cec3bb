"""Reflection: questions raised by recent memories, and insights that answer them."""

from __future__ import annotations

import re

from minds.generative_agents.memory_stream import Memory, MemoryStream
from minds.model_client import ModelClient

THRESHOLD = 150
"""Total importance of observations since the last reflection at which the next is due."""

LOOKED_AT = 100
QUESTIONS = 3
INSIGHTS = 5
_CALLED_UP = 10
_SENTENCE = 160
_BECAUSE = re.compile(r"\(?because of ([\d, and]+)\)?\.?$", re.IGNORECASE)


async def reflect(name: str, stream: MemoryStream, time: int, model: ModelClient) -> None:
    """Ask what the latest memories raise, retrieve memories on it, and store insights with their evidence.

    Args:
        name: The agent's name.
        stream: Its memories, to which the insights are added.
        time: The time step.
        model: Client that makes the calls.
    """
    latest = "\n".join(memory.text for memory in stream.memories[-LOOKED_AT:])
    prompt = (
        f"{latest}\n\nGiven only the information above, what are {QUESTIONS} most salient high-level questions we can "
        "answer about the subjects in the statements?\n"
        f'Answer with one JSON object whose key "questions" is a list of {QUESTIONS} questions.'
    )
    questions = (await model.generate_json("reflection", prompt, {"questions": _texts(QUESTIONS)}))["questions"]
    for question in questions:
        places = await stream.retrieve(question, time, _CALLED_UP)
        statements = "\n".join(f"{number}. {text}" for number, text in enumerate(stream.texts(places), 1))
        prompt = (
            f"Statements about {name}:\n{statements}\n\nWhat {INSIGHTS} high-level insights can you infer from the "
            "above statements? (example format: insight (because of 1, 5, 3))\n"
            f'Answer with one JSON object whose key "insights" is a list of {INSIGHTS} texts.'
        )
        answer = await model.generate_json("reflection", prompt, {"insights": _texts(INSIGHTS)}, max_tokens=400)
        for insight in answer["insights"]:
            text, evidence = _read(insight, places)
            stream.add(
                Memory(text=text, sort="reflection", created=time, called_up=time, importance=8, evidence=evidence)
            )


def _texts(count: int) -> dict[str, object]:
    return {"type": "array", "items": {"type": "string", "maxLength": _SENTENCE}, "minItems": 1, "maxItems": count}


def _read(insight: str, places: list[int]) -> tuple[str, list[int]]:
    """Read an insight and the indices of the memories that it cites."""
    found = _BECAUSE.search(insight)
    if found is None:
        return insight, []
    numbers = [int(number) for number in re.findall(r"\d{1,3}", found[1])]
    return insight[: found.start()].rstrip(), [places[number - 1] for number in numbers if 0 < number <= len(places)]
