"""Interviews with a resident at a time step, based on its knowledge then."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from evaluation.interviews.past_society import PastSociety
from evaluation.models.closing import close_connections, release_models
from evaluation.models.errors import RunError
from evaluation.models.model_roles import Models, read_models
from evaluation.runs import event_loop
from evaluation.runs.progress import Progress
from evaluation.runs.run_config import RunConfig
from language_models.model_names import ModelKind
from language_models.protocol import Caller, Embedder, GenerateRequest, LanguageModel, PromptTooLong
from language_models.registry import ModelSpec, find_model
from minds.wording import perceived_lines

T = TypeVar("T")

MODULE = "interview"
LONGEST_KNOWN = 12_000
"""Maximum number of characters of a resident's knowledge in a prompt; older lines are left out."""

AT_ONCE = 8
"""Residents who are asked at once if the model does not state its number of slots."""

_LONGEST_ANSWER = 160  # tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """A question with its answer.

    Attributes:
        question: The question; untrusted text.
        answer: The answer; untrusted text of a model.
        prompt: The whole prompt.
        left_out: Oldest lines of the resident's knowledge that did not fit into it.
    """

    question: str
    answer: str
    prompt: str
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        return asdict(self)


class Interviewed:
    """A resident of a past society in an interview.

    Attributes:
        name: Its name.
        step: Number of completed time steps.
        setting: What it lives in, in words.
        known: Its knowledge, one line per item.
        present: Its current percepts, one line per item.
    """

    def __init__(self, past: PastSociety, name: str) -> None:
        """Read a resident's knowledge and percepts.

        Args:
            past: The society.
            name: The resident.

        Raises:
            ValueError: as ``PastSociety.knows``.
        """
        self.name, self.step = name, past.step
        self.setting = past.society.world.map.setting
        self.known = past.knows(name)
        self.present = perceived_lines(past.observation(name))

    def prompt(self, ending: str, longest: int = LONGEST_KNOWN) -> tuple[str, int]:
        """Build the prompt of a question.

        Args:
            ending: The question and the conversation before it.
            longest: Maximum number of characters of the resident's knowledge.

        Returns:
            The prompt, and the number of oldest lines left out.
        """
        kept = latest(self.known, longest)
        known = "\n".join(f"- {' '.join(line.split())}" for line in kept) or "- nothing yet"
        return (
            f"You are {self.name}. You live in {self.setting}.\n\nWhat you know, the latest last:\n{known}\n\n"
            f"Now, in step {self.step}, you perceive:\n{chr(10).join(self.present)}\n\n{ending}",
            len(self.known) - len(kept),
        )

    async def answer(self, model: LanguageModel, question: str, before: Sequence[Turn] = ()) -> Turn:
        """Answer a question.

        Args:
            model: Model that generates the answer.
            question: The question.
            before: The earlier turns of the conversation.

        Returns:
            The question with its answer.

        Raises:
            ValueError: if the question is empty.
            ModelError: if the model call fails.
            ModelUnavailable: if the model is unavailable.
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


async def chosen(
    model: LanguageModel,
    prompt_of: Callable[[str, int], tuple[str, int]],
    ending: str,
    options: Sequence[str],
    *,
    caller: Caller,
    query: str,
) -> tuple[str, int]:
    """Have a model choose an option by the longest prompt that fits its context.

    Args:
        model: The model.
        prompt_of: As for ``fitting``.
        ending: The question.
        options: As for ``LanguageModel.choose``.
        caller: Who asks.
        query: The question in a few words.

    Returns:
        The option, and the number of lines of knowledge left out.

    Raises:
        ModelError: if the model call fails.
        ModelUnavailable: if the model is unavailable.
    """

    async def choose(prompt: str) -> str:
        return (await model.choose(prompt, options, caller=caller, query=query)).option

    option, _, left_out = await fitting(prompt_of, ending, choose)
    return option, left_out


async def fitting(
    prompt_of: Callable[[str, int], tuple[str, int]], ending: str, ask: Callable[[str], Awaitable[T]]
) -> tuple[T, str, int]:
    """Call a model with the longest prompt that fits its context, halving the knowledge until it does.

    Args:
        prompt_of: Builds a prompt from an ending and a number of characters, as ``Interviewed.prompt``.
        ending: The question.
        ask: Calls the model with the prompt.

    Returns:
        The answer, the prompt, and the number of lines left out.

    Raises:
        PromptTooLong: if the question alone does not fit.
    """
    longest = LONGEST_KNOWN
    while True:
        prompt, left_out = prompt_of(ending, longest)
        try:
            return await ask(prompt), prompt, left_out
        except PromptTooLong:
            # Bounds above the length of the knowledge give the same prompt, which is not tried again.
            while longest and prompt_of(ending, longest)[0] == prompt:
                longest = longest // 2 if longest > 200 else 0
            if prompt_of(ending, longest)[0] == prompt:
                raise


def model_asked(configuration: RunConfig, asked: str | None) -> tuple[str, ModelSpec, dict[str, Any]]:
    """Resolve ``--model``.

    Args:
        configuration: Of the run.
        asked: Value of ``--model``, a name or a TOML file; the model of the run if None.

    Returns:
        The name, the model, which is not loaded yet, and its options.

    Raises:
        ValueError: if the name is unknown.
        OSError: if its weights are not on this machine.
    """
    own = Models(model=configuration.model.of("action"), options=configuration.model.options)
    read = own if asked is None else read_models([asked], own)
    name = str(read.model)
    options = dict(read.options.get(name, {}))
    return name, find_model(name, options), options


@contextmanager
def answering_model(
    configuration: RunConfig, embedder: Embedder, asked: str | None, progress: Progress
) -> Iterator[tuple[ModelSpec, LanguageModel]]:
    """Load the model that answers for residents within a block.

    Args:
        configuration: As for ``model_asked``.
        embedder: Embedder of the run, with which a small model compares texts.
        asked: As for ``model_asked``.
        progress: Reports progress.

    Yields:
        What it is, and the loaded model.

    Raises:
        ValueError: if the name is unknown.
        OSError: if its weights are not on this machine.
        RunError: if it cannot be loaded.
    """
    name, found, options = model_asked(configuration, asked)
    if found.kind is ModelKind.EMBEDDED:
        options["embedder"] = embedder
    with loaded_model(name, found, options, progress) as model:
        yield found, model


@contextmanager
def loaded_model(
    name: str, found: ModelSpec, options: Mapping[str, Any], progress: Progress
) -> Iterator[LanguageModel]:
    """Load a model within a block.

    Args:
        name: Its name, as it was asked for.
        found: The model.
        options: Its options.
        progress: Reports progress.

    Yields:
        The loaded model.

    Raises:
        RunError: if it cannot be loaded.
    """
    progress.say(f"loading the model {name} ...")
    try:
        model = found.build(**options)
    except (ImportError, RuntimeError) as error:
        raise RunError(f"cannot load {name}: {error}") from error
    try:
        yield model
    finally:
        release_models([model])


async def everybody(
    people: Sequence[Interviewed],
    answers_of: Callable[[Interviewed], Awaitable[list[T]]],
    model: LanguageModel,
    progress: Progress,
) -> list[T]:
    """Ask residents side by side, as many as the model has slots.

    Args:
        people: The residents.
        answers_of: Asks one of them all questions, one after the other, so that a model with a prefix cache reads what
            the resident knows once.
        model: The model that answers.
        progress: Reports progress.

    Returns:
        All answers, in the order of people.

    Raises:
        Exception: whatever ``answers_of`` raises; nobody else is asked then.
    """
    places, done = asyncio.Semaphore(getattr(model, "slots", AT_ONCE)), 0

    async def ask(who: Interviewed) -> list[T]:
        nonlocal done
        async with places:
            answers = await answers_of(who)
        done += 1
        if done * 10 // len(people) > (done - 1) * 10 // len(people):
            progress.say(f"{done} of {len(people)} have answered")
        return answers

    tasks = [asyncio.ensure_future(ask(who)) for who in people]
    try:
        return [one for own in await asyncio.gather(*tasks) for one in own]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def in_one_go(model: LanguageModel, asked: Awaitable[T]) -> T:
    """Run a coroutine that calls a model, and close the model's connections in the same event loop.

    Args:
        model: The model.
        asked: The coroutine.

    Returns:
        What the coroutine returns.
    """

    async def ask() -> T:
        try:
            return await asked
        finally:
            await close_connections([model])

    return event_loop.run(ask())


def latest(lines: Sequence[str], longest: int) -> list[str]:
    """Return the last lines within a number of characters.

    Args:
        lines: Lines, the oldest first.
        longest: Maximum number of characters in total.

    Returns:
        The lines kept, in order.
    """
    kept, room = list[str](), longest
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]
