"""Thoughts and words: the text that the language model writes once an action is decided on.

Two styles. A small model continues a page of a story, in words that exist in the valley, a few times over, and the
sample that fits best is kept; asked by instructions it repeats them (docs/models.md). A large model is instructed.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from irollan_env.observation import Message, Observation
from irollan_env.primitives import Chat, parse
from itcma_s.familiarity import Familiarity
from itcma_s.wording import is_person, kind, lexicon, noun, owner, the, told, within
from language_models.protocol import Caller, Embedder, LanguageModel, Usage

Style = Literal["page", "instruct"]
SAMPLES_OF_WORDS, SAMPLES_OF_THOUGHTS = 2, 1
_MOST_HEARD = 2
_ECHO = 0.92
_ANSWERS = 0.3
# "the in", "my LL", "for to": a grammar that asks for a name may put it where the sentence has no place for it.
_BROKEN = re.compile(
    r"\b(?:(?:a|an|the|my|your|their|our) (?:[A-Z]{2}|at|for|in|of|on|to|with|by|from)"
    r"|(?:at|for|in|of|to|with|by) (?:at|for|in|of|on|to|with|by|from))\b"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """What a text is written about.

    Attributes:
        observation: What is perceived now.
        action: The action decided on; a chat without its words.
        goal: What the resident wants.
        memory: What comes to mind, in a few words; empty when nothing does.
        feeling: How the resident feels, in a few words.
        expected: The sentence of the action's protention.
        said: Lines the resident said or heard lately, which it should not repeat.
    """

    observation: Observation
    action: str
    goal: str
    memory: str = ""
    feeling: str = ""
    expected: str = ""
    said: tuple[str, ...] = ()

    @property
    def partner(self) -> str | None:
        """Whom the action talks with, None when it is no chat."""
        parsed = parse(self.action)
        return parsed.person if isinstance(parsed, Chat) else None

    @property
    def heard(self) -> tuple[Message, ...]:
        """What was said here last: to oneself first, then what others overheard, at most two lines."""
        me, messages = self.observation.resident, self.observation.messages
        here = [m for m in messages if m.sender in self.observation.company]
        own = [m for m in here if m.addressee == me and m.sender == self.partner]
        rest = [m for m in here if m not in own]
        return tuple([*rest, *own][-_MOST_HEARD:])


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A thought and, where the action is a chat, words; and what each call for them cost."""

    thought: str
    words: str
    usages: tuple[Usage, ...]


async def write(
    situation: Situation,
    *,
    style: Style,
    model: LanguageModel,
    embedder: Embedder,
    vocabulary: frozenset[str] | None,
    seed: int,
    caller: Caller,
) -> Text:
    """Have the model write the thought and the words.

    Raises:
        ModelError: if the model gives no text of the form asked for.
    """
    if style == "instruct":
        answer = await model.generate(
            _head("instruct") + instruction(situation),
            caller=caller,
            max_tokens=160,
            seed=seed,
            pattern=_INSTRUCT_CHAT if situation.partner else _INSTRUCT_OTHER,
        )
        thought, _, words = answer.text.strip().partition("\nWords:")
        return Text(
            thought=thought.removeprefix("Thought:").strip(),
            words=words.strip().strip('"“”'),
            usages=(answer.usage,),
        )
    samples: list[tuple[str, str]] = []
    usages: list[Usage] = []
    for round_, naming in enumerate((False, True)):
        answer = await model.generate(
            _head("page") + page(situation),
            caller=caller,
            max_tokens=96,
            temperature=0.7,
            seed=seed + round_,
            pattern=page_grammar(situation, naming=naming),
            samples=SAMPLES_OF_WORDS if situation.partner else SAMPLES_OF_THOUGHTS,
            vocabulary=vocabulary,
        )
        usages.append(answer.usage)
        drawn = [read_page(text, situation) for text in (answer.text, *answer.alternatives)]
        samples += drawn
        fitting = [
            (thought, words)
            for thought, words in drawn
            if not _copies(thought.removeprefix(_beginning(situation)))
            and (situation.partner is None or fits(words, situation, embedder, vocabulary))
        ]
        if fitting:
            break
    thought, words = best(fitting or samples, situation, embedder)
    return Text(thought=thought, words=words, usages=tuple(usages))


def page(situation: Situation) -> str:
    """A page up to the thought: where, with whom, what is there, what was said or is done, and what is wanted."""
    seen, me = situation.observation, situation.observation.resident
    if situation.partner is None:
        return f"{me} is {within(seen.place)} and {told(situation.action)}.\n{me} thought: {_beginning(situation)}"
    people = [me, situation.partner, *(name for name in seen.company if name != situation.partner)][:4]
    lines = [f"{', '.join(people[:-1])} and {people[-1]} are {within(seen.place)}.{_things(situation)}"]
    if situation.memory:
        lines.append(situation.memory)
    lines += [f'{message.sender}: "{plain(message.text)}"' for message in situation.heard]
    return "\n".join(lines) + f"\n{me} thought: {_beginning(situation)}"


def page_grammar(situation: Situation, *, naming: bool = False) -> str:
    """The form of what follows: the rest of the thought and, for a chat, a line of one sentence.

    Args:
        situation: What is written about.
        naming: Whether the line has to name a thing or a place that is in sight.
    """
    thought = 'root ::= (", so" | ", because" | ", and" | ", but") rest ".\\n"'
    rules = 'rest ::= " " [^\\n".?!]{10,70}'
    if situation.partner is None:
        return f"{thought}\n{rules}"
    me = situation.observation.resident
    line = f'"{me}: \\"" sentence "\\"\\n"'
    names = " | ".join(json.dumps(name) for name in _things_to_name(situation))
    if not (naming and names):
        return f'{thought} {line}\n{rules}\nsentence ::= [A-Z] [^\\n".?!]{{8,90}} [.?!]'
    return (
        f'{thought} {line}\n{rules}\nsentence ::= [A-Z] [a-z\']* word{{1,10}} " " ({names}) word{{0,6}} [.?!]\n'
        'word ::= " " ("I" | [a-z] [a-z\']*)'
    )


def read_page(text: str, situation: Situation) -> tuple[str, str]:
    """Thought and words of a text that ``page_grammar`` allows, also of one that was cut at its end."""
    rest, _, words = text.partition("\n")
    words = words.removeprefix(f'{situation.observation.resident}: "')
    return tidy(f"{_beginning(situation)}{rest}"), tidy(words)


def best(samples: Sequence[tuple[str, str]], situation: Situation, embedder: Embedder) -> tuple[str, str]:
    """The sample that fits best: close to what was said and wanted, about something that is there, not said before.

    Args:
        samples: (thought, words) of each; at least one.
        situation: What they are about.
        embedder: Measures closeness.
    """
    if situation.partner is None:
        return max(samples, key=lambda sample: _fluency(sample[0]))
    heard = " ".join(message.text for message in situation.heard) or situation.goal
    texts = [heard, situation.goal, *(words for _, words in samples), *situation.said]
    vectors = embedder.embed(texts)
    closeness = vectors @ vectors.T
    values = []
    for index, (_, words) in enumerate(samples, 2):
        echoes = max(
            (float(closeness[index, other]) for other in (0, *range(2 + len(samples), len(texts)))), default=0.0
        )
        value = float(closeness[index, 0]) + 0.5 * float(closeness[index, 1]) + _fluency(words)
        value += 0.3 * bool(grounds(words, situation.observation))
        values.append(value - (5.0 if echoes > _ECHO else 0.0))
    return samples[max(range(len(samples)), key=lambda index: values[index])]


def fits(words: str, situation: Situation, embedder: Embedder, vocabulary: frozenset[str] | None = None) -> bool:
    """Whether words answer what was just said or name something that is there.

    Garbled words and broken sentences do not fit, nor words copied from the examples, those that echo what was said
    lately, and those that speak of the speaker as of somebody else. To address somebody by name is not yet to name
    something.

    Args:
        words: A line of speech.
        situation: What it is about.
        embedder: Measures closeness to what was said.
        vocabulary: The words there are, pieces of which may have run together; None when any word may be said.
    """
    if vocabulary is not None and not set(re.findall(r"[A-Za-z']+", words)) <= _forms(vocabulary):
        return False
    # Who speaks of itself by its name has lost the thread.
    if (
        _copies(words)
        or _BROKEN.search(words)
        or re.search(rf"\b{re.escape(situation.observation.resident)}\b(?!'s)", words)
    ):
        return False
    heard = [message.text for message in situation.observation.messages]
    vectors = embedder.embed([words, *heard, *situation.said])
    closeness = vectors[1:] @ vectors[0]
    if closeness.max(initial=-1.0) > _ECHO:
        return False
    named = set(grounds(words, situation.observation)) - {situation.partner}
    return bool(named) or bool(closeness[: len(heard)].max(initial=-1.0) >= _ANSWERS)


def grounds(words: str, observation: Observation) -> tuple[str, ...]:
    """The people, things and places around a resident, held ones included, that its words speak of."""
    names = [observation.place, *(percept.name.removeprefix("door to ") for percept in observation.percepts)]
    return Familiarity().mentioned(words, names)


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text in the words of a page: things and places as people call them, on one line, without quotation marks."""
    text = re.sub(r'[\s"“”]+', " ", text).strip()
    for name, called in lexicon()["noun"].items():
        if " " in name:
            text = re.sub(rf"\b(?:the |a )?{re.escape(name)}\b", f"the {called}", text)
    text = re.sub(r"\b([A-Z]{2})'s Home\b", r"\1's house", text)
    return re.sub(r"\b((?:the|a) |'s )?([a-z]+ \d+)\b", lambda match: f"{match[1] or 'the '}{noun(match[2])}", text)


def tidy(text: str) -> str:
    """One line that ends where its last whole sentence ends."""
    text = re.sub(r"\s+([.?!,])", r"\1", " ".join(text.split())).strip(' "')
    text = re.sub(r"[,;:]+([.?!])", r"\1", text)
    ends = [match.end() for match in re.finditer(r"[.?!]", text)]
    return text[: ends[-1]] if ends else text


def instruction(situation: Situation) -> str:
    """Everything a large model is told before it writes."""
    seen = situation.observation
    heard = " ".join(f'{m.sender} said to {m.addressee}: "{m.text}"' for m in seen.messages) or "nothing"
    partner = f"talk with {situation.partner}" if situation.partner else situation.action
    return (
        f"Your name is {seen.resident}. {seen.sentence}\nYou heard: {heard}\n"
        f"You remember: {situation.memory or 'nothing'}\n"
        f"You feel {situation.feeling}.\nYou want to {situation.goal}.\nYou are about to: {partner}\n"
        f"You expect: {situation.expected}\n"
    )


def vocabulary(names: Iterable[str]) -> frozenset[str]:
    """The words that a page may be made of: some hundred plain English ones, and what things here are called."""
    words = set(_plain_words())
    for name in names:
        for part in noun(name).split():
            words.update({part, part.removesuffix("s") if part.endswith("s") else f"{part}s"})
        words.update(whose for whose in (owner(name),) if whose)
        words.update(kind(name).split() if is_person(name) else ())
    return frozenset(words)


_INSTRUCT_OTHER = r'root ::= "Thought: " [^\n]+ "\n"?'
_INSTRUCT_CHAT = r'root ::= "Thought: " [^\n]+ "\n" "\n"? "Words: " [^\n]+ "\n"?'


@cache
def _head(style: Style) -> str:
    return files("itcma_s").joinpath(f"prompts/{style}.txt").read_text(encoding="utf-8")


@cache
def _plain_words() -> tuple[str, ...]:
    return tuple(files("itcma_s").joinpath("prompts/vocabulary.txt").read_text(encoding="utf-8").split())


def _beginning(situation: Situation) -> str:
    """The words that a thought begins with."""
    return f"I want to {plain(situation.goal)}"


def _things(situation: Situation) -> str:
    """One thing in the hand and one or two in sight, those that the goal names first."""
    seen, me = situation.observation, situation.observation.resident
    items = [percept for percept in seen.percepts if percept.kind == "item"]
    named = set(Familiarity().mentioned(situation.goal, [percept.name for percept in items]))
    items.sort(key=lambda percept: (percept.name not in named, not percept.held))
    sentences: list[str] = []
    kinds: set[str] = set()
    for percept in items:
        called = noun(percept.name)
        if called in kinds or len(sentences) == 2:
            continue
        kinds.add(called)
        one = the(percept.name) if owner(percept.name) else f"a {called}"
        sentences.append(f" {me} holds {one}." if percept.held else f" There is {one} on {the(percept.on or 'table')}.")
    return "".join(sentences)


def _things_to_name(situation: Situation) -> tuple[str, ...]:
    """What lies there or is held, as one calls it, and where nothing does, the furniture and the places in sight."""
    percepts = situation.observation.percepts
    things = [percept.name for percept in percepts if percept.kind == "item"]
    if things:
        return tuple(dict.fromkeys(the(name) for name in things))
    fixtures = [f"{at} {the(p.name)}" for p in percepts if p.kind == "furniture" for at in ("at", "on")]
    places = [p.name.removeprefix("door to ") for p in percepts if p.kind == "door"]
    ways = [way for place in places for way in ([place] if place == "outside" else [f"to {the(place)}", within(place)])]
    return tuple(dict.fromkeys([*fixtures, *ways]))


@cache
def _forms(vocabulary: frozenset[str]) -> frozenset[str]:
    """Words as they may stand in a sentence: as they are, and at its beginning."""
    return vocabulary | {word[:1].upper() + word[1:] for word in vocabulary}


def _copies(text: str) -> bool:
    """Whether five words in a row stand in the examples."""
    return any(run in _examples() for run in _runs(text, 5))


@cache
def _examples() -> frozenset[tuple[str, ...]]:
    """Runs of four and of five words of the examples, which are not to be copied."""
    return frozenset(_runs(_head("page")) + _runs(_head("page"), 5))


def _runs(text: str, length: int = 4) -> list[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]


def _fluency(text: str) -> float:
    """0 for a text that reads well; less for repetitions, run-on names, copies of the examples, and too few words."""
    words = re.findall(r"[a-z']+", text.lower())
    pairs = list(itertools.pairwise(words))
    repeated = len(pairs) - len(set(pairs))
    garbled = len(re.findall(r"\b[A-Z]{3,}\b", text)) + len(_BROKEN.findall(text))
    copied = sum(run in _examples() for run in _runs(text))
    return -0.1 * repeated - 0.5 * garbled - 0.2 * copied - (0.2 if len(words) < 4 else 0.0)
