"""Filtering of a small model's output: fitting thoughts and lines, and the best of several samples."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache

from irollan_env.naming import is_thing, kind, whole_name
from irollan_env.world.observation import Observation
from itcma_s.deliberation.similarity_policy.story_page import Situation, beginning, head
from itcma_s.memory.mentions import mentioned
from itcma_s.wording import meant, portable
from language_models.protocol import Embedder

_ECHO = 0.92
_ANSWERS = 0.3
# Of two thoughts the one is kept that neither takes back what is wanted nor speaks of what is not there.
_DENIAL = _DIGRESSION = 0.15
_DENIES = re.compile(r"^, (?:so|and) (?:I|we)\b.*(?:\bnot\b|\bnever\b|n't\b)")
_DETERMINER = "a|an|the|my|your|their|our"


def compared(words: Sequence[str], situation: Situation) -> Iterator[str]:
    """Yield all texts whose embeddings ``fits`` and ``best`` compare."""
    if situation.partner is not None:
        yield from map(situation.meant, words)
        yield from map(meant, situation.observation.messages)
        yield from (_heard(situation), situation.goal, *_said(situation))


def best(samples: Sequence[tuple[str, str]], situation: Situation, embedder: Embedder) -> tuple[str, str]:
    """Return the sample that fits best: close to what was said and wanted, about something in sight, and new.

    Args:
        samples: (thought, words) of each; at least one.
        situation: What they are about.
        embedder: Measures closeness.
    """
    if len(samples) == 1:
        return samples[0]
    if situation.partner is None:
        return max(samples, key=lambda sample: _fluency(sample[0], situation) + _steadiness(sample[0], situation))
    lines = [situation.meant(words) for _, words in samples]
    texts = [_heard(situation), situation.goal, *lines, *_said(situation)]
    vectors = embedder.embed(texts)
    closeness = vectors @ vectors.T
    values = []
    for index, (thought, words) in enumerate(samples, 2):
        echoes = max(
            (float(closeness[index, other]) for other in (0, *range(2 + len(samples), len(texts)))), default=0.0
        )
        value = float(closeness[index, 0]) + 0.5 * float(closeness[index, 1]) + _fluency(words, situation)
        value += 0.3 * bool(grounds(lines[index - 2], situation.observation)) + _steadiness(thought, situation)
        values.append(value - (5.0 if echoes > _ECHO else 0.0))
    return samples[max(range(len(samples)), key=lambda index: values[index])]


def _heard(situation: Situation) -> str:
    """Return the text that a line may answer: what was said, or else the goal."""
    return " ".join(map(meant, situation.heard)) or situation.goal


def _said(situation: Situation) -> tuple[str, ...]:
    return tuple(line for _, line in situation.said)


def fits(words: str, situation: Situation, embedder: Embedder, vocabulary: frozenset[str] | None = None) -> bool:
    """Return whether words answer what was just said, or name something in sight or in the goal.

    Garbled words and broken sentences do not fit, nor words copied from the examples, those that echo what was said
    lately, and those that speak of the speaker as of somebody else. To address somebody by name is not yet to name
    something.

    Args:
        words: A line of speech.
        situation: What it is about.
        embedder: Measures closeness to what was said.
        vocabulary: The words there are, pieces of which may have run together; None when any word may be said.
    """
    if not _reads_well(words, situation, vocabulary):
        return False
    line = situation.meant(words)
    heard = [meant(message) for message in situation.observation.messages]
    vectors = embedder.embed([line, *heard, *_said(situation)])
    closeness = vectors[1:] @ vectors[0]
    if closeness.max(initial=-1.0) > _ECHO:
        return False
    people = [name for name in situation.about if not is_thing(name)]
    named = {*grounds(line, situation.observation), *mentioned(line, situation.about, people)}
    return bool(named - {situation.partner}) or bool(closeness[: len(heard)].max(initial=-1.0) >= _ANSWERS)


def sound(thought: str, situation: Situation, vocabulary: frozenset[str] | None = None) -> bool:
    """Return whether what a thought adds to its beginning, the goal, is neither garbled, nor broken, nor copied.

    Args:
        thought: A thought.
        situation: What it is about.
        vocabulary: The words there are; None when any word may be thought.
    """
    return _reads_well(thought.removeprefix(beginning(situation)), situation, vocabulary)


def grounds(line: str, observation: Observation) -> tuple[str, ...]:
    """Return the people, things and places around a resident, including held things, that a line mentions."""
    names = [observation.place, *(percept.name.removeprefix("door to ") for percept in observation.percepts)]
    return mentioned(line, names, observation.company)


@cache
def _broken(people: frozenset[str]) -> re.Pattern[str]:
    """Compile the pattern of "the in", "my LL" and "for to", where a grammar put a name that does not fit."""
    named = "".join(f"|{whole_name(name)}" for name in sorted(people, key=len, reverse=True))
    return re.compile(
        rf"\b(?:(?:{_DETERMINER}) (?:(?:at|for|in|of|on|to|with|by|from)\b{named})"
        r"|(?:at|for|in|of|to|with|by) (?:at|for|in|of|on|to|with|by|from)\b)"
    )


def _reads_well(text: str, situation: Situation, vocabulary: frozenset[str] | None) -> bool:
    if vocabulary is not None and not set(re.findall(r"[A-Za-z']+", text)) <= _forms(vocabulary):
        return False
    # Who speaks of itself or of what is its own by its name has lost the thread.
    own_name = _spoken(situation.observation.resident)
    return not (_copies(text) or _broken(situation.people).search(text) or own_name.search(text))


@cache
def _spoken(name: str) -> re.Pattern[str]:
    return re.compile(whole_name(name))


@cache
def _forms(vocabulary: frozenset[str]) -> frozenset[str]:
    """Return the words as they are and capitalised."""
    return vocabulary | {word[:1].upper() + word[1:] for word in vocabulary}


def _copies(text: str) -> bool:
    """Return whether four consecutive words also occur in the examples."""
    return not _examples().isdisjoint(_runs(text))


@cache
def _examples() -> frozenset[tuple[str, ...]]:
    return frozenset(_runs(head()))


def _runs(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return [tuple(words[start : start + 4]) for start in range(len(words) - 3)]


def _steadiness(thought: str, situation: Situation) -> float:
    """0 for a thought that stays with what is wanted and there; less for a denial, and for other things."""
    rest = thought.removeprefix(beginning(situation))
    around = {kind(percept.name) for percept in situation.observation.percepts if percept.kind == "item"}
    told = " ".join((situation.goal, *map(meant, situation.heard)))
    strange = {*mentioned(rest, portable())} - {*around, *mentioned(told, portable())}
    return -_DENIAL * (_DENIES.search(rest) is not None) - _DIGRESSION * bool(strange)


def _fluency(text: str, situation: Situation) -> float:
    """0 for a text that reads well; less for repetitions, run-on names, copies of the examples, and too few words."""
    words = re.findall(r"[a-z']+", text.lower())
    pairs = list(itertools.pairwise(words))
    repeated = len(pairs) - len(set(pairs))
    capitals = [word for word in re.findall(r"\b[A-Z]{3,}\b", text) if word not in situation.people]
    garbled = len(capitals) + len(_broken(situation.people).findall(text))
    copied = sum(run in _examples() for run in _runs(text))
    return -0.1 * repeated - 0.5 * garbled - 0.2 * copied - (0.2 if len(words) < 4 else 0.0)
