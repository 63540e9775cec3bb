"""A talk with one resident of one time step, from what it knows then."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from evaluation.interviews.past_society import PastSociety
from evaluation.models.closing import close_connections, release_models
from evaluation.models.errors import RunError
from evaluation.models.model_roles import Models, read_models
from evaluation.runs import event_loop
from evaluation.runs.progress import Progress
from language_models.model_names import ModelKind
from language_models.protocol import Caller, GenerateRequest, LanguageModel, PromptTooLong
from language_models.registry import ModelSpec, find_model
from minds.wording import perceived_lines

T = TypeVar("T")

MODULE = "interview"
LONGEST_KNOWN = 12_000
"""Characters of what a resident knows that stand in a prompt; the oldest lines are left out beyond."""

_LONGEST_ANSWER = 160  # tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One question, and its answer.

    Attributes:
        question: As it was asked; untrusted text.
        answer: Untrusted text of a model.
        prompt: All that the model was told.
        left_out: How many of the oldest lines of what the resident knows found no place in it.
    """

    question: str
    answer: str
    prompt: str
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return asdict(self)


class Interviewed:
    """One resident of a past society, and what a model is told of it.

    Attributes:
        name: Who.
        step: After how many time steps.
        known: What it knows, as it tells it, a line each.
        present: What it perceives now, a line each.
    """

    def __init__(self, past: PastSociety, name: str) -> None:
        """Listen to what a resident tells.

        Raises:
            ValueError: as ``PastSociety.knows``.
        """
        self.name, self.step = name, past.step
        self.known = past.knows(name)
        self.present = perceived_lines(past.observation(name))

    def prompt(self, ending: str, longest: int = LONGEST_KNOWN) -> tuple[str, int]:
        """The resident before a question.

        Args:
            ending: The question, and what went before it.
            longest: Characters of what it knows that are told at most.

        Returns:
            The prompt, and how many of the oldest lines are left out.
        """
        kept = latest(self.known, longest)
        known = "\n".join(f"- {' '.join(line.split())}" for line in kept) or "- nothing yet"
        return (
            f"You are {self.name}. You live in a small valley.\n\nWhat you know, the latest last:\n{known}\n\n"
            f"Now, in step {self.step}, you perceive:\n{chr(10).join(self.present)}\n\n{ending}",
            len(self.known) - len(kept),
        )

    async def answer(self, model: LanguageModel, question: str, before: Sequence[Turn] = ()) -> Turn:
        """What the resident says to a question.

        Args:
            model: Speaks for it.
            question: What it is asked.
            before: What was asked and answered before, which it remembers.

        Raises:
            ValueError: for a question that asks nothing.
            ModelError: if the model has no answer.
            ModelUnavailable: if it cannot be asked.
        """
        asked = " ".join(question.split())
        if not asked:
            raise ValueError("a question must not be empty")
        talk = "".join(f"Question: {turn.question}\n{self.name}: {turn.answer}\n" for turn in before)
        ending = (
            "Somebody asks you questions. Answer by what you know, in one to three sentences.\n\n"
            f"{talk}Question: {asked}\n{self.name}:"
        )

        async def ask(prompt: str) -> str:
            answer = await model.generate(
                GenerateRequest(
                    prompt=prompt,
                    caller=Caller(module=MODULE, resident=self.name, time=self.step),
                    max_tokens=_LONGEST_ANSWER,
                    temperature=0.0,
                    seed=zlib.crc32(asked.encode()),
                    stop=["\nQuestion:"],
                )
            )
            return " ".join(answer.text.split())

        text, prompt, left_out = await fitting(self.prompt, ending, ask)
        return Turn(question=asked, answer=text, prompt=prompt, left_out=left_out)


async def fitting(
    prompt_of: Callable[[str, int], tuple[str, int]], ending: str, ask: Callable[[str], Awaitable[T]]
) -> tuple[T, str, int]:
    """What is answered to the longest prompt, of those that tell half as much each, that the model's context holds.

    Args:
        prompt_of: Makes a prompt of its ending and of how many characters are known, as ``Interviewed.prompt``.
        ending: The question.
        ask: Asks it.

    Returns:
        The answer, the prompt, and how many lines of what is known are left out of it.

    Raises:
        PromptTooLong: if it does not even hold the question.
    """
    longest = LONGEST_KNOWN
    while True:
        prompt, left_out = prompt_of(ending, longest)
        try:
            return await ask(prompt), prompt, left_out
        except PromptTooLong:
            # A bound above what is known leaves nothing out, and would have the same read once more.
            while longest and prompt_of(ending, longest)[0] == prompt:
                longest = longest // 2 if longest > 200 else 0
            if prompt_of(ending, longest)[0] == prompt:
                raise


def model_asked(past: PastSociety, asked: str | None) -> tuple[str, ModelSpec, dict[str, Any]]:
    """A model's name, what it stands for, and its options, by what ``--model`` says; it is not loaded.

    Raises:
        ValueError: for a name that stands for nothing.
        OSError: if its weights are not on this machine.
    """
    configuration = past.configuration
    own = Models(model=configuration.model.of("action"), options=configuration.model.options)
    chosen = own if asked is None else read_models([asked], own)
    name = str(chosen.model)
    options = dict(chosen.options.get(name, {}))
    return name, find_model(name, options), options


@contextmanager
def answering_model(past: PastSociety, asked: str | None, progress: Progress) -> Iterator[tuple[str, LanguageModel]]:
    """The model that speaks for residents, with its name: that which decides for them in their run, or another.

    Args:
        past: Whose run.
        asked: As ``--model`` takes it: a name, or a TOML file; the run's own when None.
        progress: Where to say that it is loaded.

    Raises:
        ValueError: for a name that stands for nothing.
        OSError: if its weights are not on this machine.
        RunError: if it cannot be loaded.
    """
    name, found, options = model_asked(past, asked)
    if found.kind is ModelKind.EMBEDDED:
        options["embedder"] = past.embedder
    progress.say(f"loading the model {name} ...")
    try:
        model = found.build(**options)
    except (ImportError, RuntimeError) as error:
        raise RunError(f"cannot load {name}: {error}") from error
    try:
        yield name, model
    finally:
        release_models([model])


def in_one_go(model: LanguageModel, asked: Awaitable[T]) -> T:
    """Run what asks a model to its end, and close its connections where they were used."""

    async def ask() -> T:
        try:
            return await asked
        finally:
            await close_connections([model])

    return event_loop.run(ask())


def latest(lines: Sequence[str], longest: int) -> list[str]:
    """As many of the last lines as have so many characters together."""
    kept, room = list[str](), longest
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]
