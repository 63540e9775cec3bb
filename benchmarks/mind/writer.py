"""How a small model with an adapter goes on with scenes that it was not trained on, beside the weights as they come.

Each held-out turn of words is written by both: a thought and a line, where the goal and whom to talk with are given.
The plain weights get the page with examples that they need. What a program can tell is counted; for what only readers
can tell, pairs are written to a sheet, in a drawn order, and the key to a file of its own.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from benchmarks.reporting import AsJson, as_table_or_json, progress, table
from itcma_s.deliberation.page.page import Page
from itcma_s.deliberation.page.scene_writing import write_scene
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import Caller, GenerateRequest, Generation, LanguageModel

CALLER = Caller(module="bench")
RUN = 8
"""Words in a row that count as repeated from a scene of the training set."""

_SAID = re.compile(r'(\w+) said to (\w+): "(.*)"')
_TURN = re.compile(
    r'(?P<me>\w+) (?P<wish>.+)\n\w+ thinks: (?P<thought>.+)\n\w+ says to (?P<you>\w+): "(?P<words>.+)"\n'
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """A held-out turn of words: the page up to it, who talks with whom, and what was written."""

    split: str
    scene: str
    me: str
    you: str
    goal: str
    thought: str
    words: str

    def page(self) -> str:
        """What the model with the adapter goes on with."""
        return f"{self.scene}{self.me} wants to {self.goal}.\n{self.me} is about to talk with {self.you}.\n"

    def page_with_examples(self) -> str:
        """What the plain weights go on with."""
        examples = (
            files("itcma_s.deliberation.similarity_policy").joinpath("prompts/page.txt").read_text(encoding="utf-8")
        )
        lines = self.scene.partition("\n\n")[2].splitlines()
        told = [_SAID.sub(r'\1: "\3"', line) for line in lines]
        return "\n".join([f"{examples.rstrip()}\n", *told, f"{self.me} thought: I want to {self.goal}"])


def turns(pages: Path) -> Iterator[Turn]:
    """The held-out turns of words of a file of pages."""
    for line in pages.read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        match = _TURN.fullmatch(page["answer"])
        if page["split"] == "train" or match is None:
            continue
        scene, me = page["prompt"], match["me"]
        before = re.search(rf"^{me} wants to (.+)\.\n\Z", scene, re.MULTILINE)
        wished = re.search(r"wants to (.+)\.$", match["wish"])
        if wished is None and before is None:
            continue
        goal = wished[1] if wished is not None else before[1] if before is not None else ""
        yield Turn(
            split=page["split"],
            scene=scene[: before.start()] if before is not None else scene,
            me=me,
            you=match["you"],
            goal=goal,
            thought=match["thought"],
            words=match["words"],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Told(Page):
    """A page that stands already.

    Attributes:
        told: Its text.
    """

    told: str

    def text(self) -> str:
        """The page, up to the turn."""
        return self.told


class Counting:
    """A model that counts its tokens."""

    def __init__(self, model: LanguageModel) -> None:
        self.name = model.name
        self.tokens = 0
        self._model = model

    async def generate(self, request: GenerateRequest) -> Generation:
        """See ``LanguageModel.generate``."""
        answer = await self._model.generate(request)
        self.tokens += answer.usage.prompt_tokens + answer.usage.generated_tokens
        return answer


async def tuned(model: EmbeddedModel, turn: Turn, seed: int) -> tuple[str, str, int]:
    """Thought and words by the model with the adapter as a mind has it write, and the tokens that it took."""
    counting = Counting(model)
    thought, words = await write_scene(
        Told(me=turn.me, where="", held={}, told=turn.page()),
        turn.you,
        model=cast(LanguageModel, counting),
        seed=seed,
        caller=CALLER,
        calls=[],
    )
    return thought, words, counting.tokens


async def plain(model: EmbeddedModel, turn: Turn, seed: int) -> tuple[str, str, int]:
    """The same by the plain weights, in the form that they are asked in."""
    pattern = (
        'root ::= (", so" | ", because" | ", and") " " [^\\n".?!]{10,70} ".\\n" '
        f'"{turn.me}: \\"" [A-Z] [^\\n".?!]{{8,90}} [.?!] "\\"\\n"'
    )
    answer = await model.generate(
        GenerateRequest(prompt=turn.page_with_examples(), caller=CALLER, max_tokens=120, seed=seed, pattern=pattern)
    )
    rest, _, words = answer.text.partition("\n")
    usage = answer.usage
    return (
        f"I want to {turn.goal}{rest}",
        words.partition(': "')[2].strip().removesuffix('"'),
        usage.prompt_tokens + usage.generated_tokens,
    )


async def write(model: EmbeddedModel, by: Any, some: Sequence[Turn], seed: int) -> list[tuple[str, str, int]]:
    """Thought, words and tokens of every turn."""
    return list(await asyncio.gather(*(by(model, turn, seed + place) for place, turn in enumerate(some))))


def runs(text: str) -> set[tuple[str, ...]]:
    """Every eight words in a row."""
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}


def counted(
    some: Sequence[Turn], written: Sequence[tuple[str, str, int]], learned: set[tuple[str, ...]]
) -> dict[str, Any]:
    """What a program can tell of what was written, as shares of turns; tokens as a mean."""
    stranger = own = echo = known = 0
    for turn, (thought, words, _) in zip(some, written, strict=True):
        named = set(re.findall(r"\b[A-Z]{2,3}\b", f"{thought} {words}"))
        there = set(re.findall(r"\b[A-Z]{2,3}\b", f"{turn.scene} {turn.goal} {turn.you}"))
        stranger += bool(named - there - {"OK"})
        own += re.search(rf"\b{turn.me}\b", f"{thought} {words}") is not None
        echo += any(words.lower() in line.lower() for line in turn.scene.splitlines())
        known += not learned.isdisjoint(runs(f"{thought} {words}"))
    count = max(len(some), 1)
    return {
        "turns": len(some),
        "name somebody who is nowhere on the page": round(stranger / count, 3),
        "call themselves by name": round(own / count, 3),
        "repeat a line that was said": round(echo / count, 3),
        f"have {RUN} words in a row from training": round(known / count, 3),
        "tokens": round(sum(tokens for *_, tokens in written) / count, 1),
    }


def sheet(
    some: Sequence[Turn], writers: Mapping[str, Sequence[tuple[str, str, int]]], seed: int
) -> tuple[str, list[Any]]:
    """Pairs as a reader is given them, and which is which."""
    r, lines, key = random.Random(seed), [], []
    for number, turn in enumerate(some, 1):
        order = r.sample(list(writers), 2)
        key.append({"pair": number, "split": turn.split, "A": order[0], "B": order[1]})
        lines += [f"## Pair {number}", turn.scene.partition("\n\n")[2].rstrip(), f"{turn.me} wants to {turn.goal}."]
        for letter, name in zip("AB", order, strict=True):
            thought, words, _ = writers[name][number - 1]
            lines += [f"{letter}: {turn.me} thinks: {thought}", f'   {turn.me} says to {turn.you}: "{words}"']
        lines.append("")
    return "\n".join(lines), key


def command(
    pages: Annotated[Path, typer.Argument(metavar="PAGES", help="What valley_scenes/make_pages.py wrote.")],
    adapter: Annotated[Path, typer.Option(metavar="FILE", help="What examples/train_writer.py wrote.")],
    count: Annotated[int, typer.Option("--turns", min=2, help="Held-out turns, half of each split.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the choice of turns, and of both models.")] = 0,
    sheet_to: Annotated[
        Path | None, typer.Option("--sheet", metavar="DIR", help="Where to leave pairs.txt and key.json.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How the small model of the valley goes on with held-out scenes, beside the plain weights."""
    say = progress("writer")
    r = random.Random(seed)
    held: dict[str, list[Turn]] = {}
    for turn in turns(pages):
        held.setdefault(turn.split, []).append(turn)
    some = [turn for split in sorted(held) for turn in r.sample(held[split], min(count // 2, len(held[split])))]
    if not some:
        raise ValueError(f"{pages} has no held-out turns of words; write it with valley_scenes/make_pages.py")
    learned = {
        run
        for line in pages.read_text(encoding="utf-8").splitlines()
        if (page := json.loads(line))["split"] == "train"
        for run in runs(page["answer"])
    }
    results: dict[str, Any] = {}
    writers: dict[str, list[tuple[str, str, int]]] = {}
    for name, by, options in (("with the adapter", tuned, {"adapter": adapter}), ("plain weights", plain, {})):
        say(f"{len(some)} turns {name}")
        model = EmbeddedModel.smollm2(context=1024, slots=6, **options)
        try:
            started = time.perf_counter()
            writers[name] = asyncio.run(write(model, by, some, seed))
            took = time.perf_counter() - started
        finally:
            model.close()
        for split in sorted(held):
            places = [place for place, turn in enumerate(some) if turn.split == split]
            results[f"{name}, {split}"] = counted(
                [some[place] for place in places], [writers[name][place] for place in places], learned
            )
        say(f"{took:.0f} seconds")
    if sheet_to is not None:
        sheet_to.mkdir(parents=True, exist_ok=True)
        text, key = sheet(some, writers, seed)
        (sheet_to / "pairs.txt").write_text(text, encoding="utf-8")
        (sheet_to / "key.json").write_text(json.dumps(key, indent=1), encoding="utf-8")
    rows = [[what, *(one[what] for one in results.values())] for what in next(iter(results.values()))]
    as_table_or_json(results, table(["what", *results], rows), as_json=as_json)
