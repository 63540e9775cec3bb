"""Puts a questionnaire to the residents of a run at several time steps, without changing their lives."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.interviews.interview import Interviewed, answering_model, chosen, everybody, in_one_go, model_asked
from evaluation.interviews.past_society import PastSociety, RecordedLife, recorded_life
from evaluation.interviews.questionnaire import WHO, Free, Item, Questionnaire
from evaluation.models.errors import RunError
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.progress import Progress
from irollan_env.hints import check_integer
from language_models.protocol import (
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    LanguageModel,
    ModelError,
    ModelUnavailable,
    Refused,
    Scores,
    total_usage,
)
from language_models.registry import ModelSpec
from language_models.transcript.recording import RecordedModel
from language_models.transcript.replaying import ReplayedModel
from language_models.transcript.transcript import Transcript
from minds.mind_specs import ME, asks_no_model

MODULE = "ask"
_NEUTRAL = "Answer:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A resident's answer to an item.

    Attributes:
        time: Number of completed time steps.
        resident: The resident.
        item: The item.
        text: The answer; untrusted text of a model where the item is free, empty if the call failed.
        value: Its value, as ``Item.values`` has it; None without one.
        failure: Why there is no answer; empty if there is one.
        refused: Whether the model refused to answer.
        left_out: Oldest lines of the resident's knowledge that did not fit into the prompt.
    """

    time: int
    resident: str
    item: Item
    text: str = ""
    value: float | None = None
    failure: str = ""
    refused: bool = False
    left_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Survey:
    """What came of a questionnaire.

    Attributes:
        model: Name of the model that answered.
        residents: Who was asked.
        skipped: Who was not, as their minds cannot be asked.
        answers: The answers, by time, resident and item.
    """

    model: str
    residents: list[str]
    skipped: list[str]
    answers: list[Answered]

    @property
    def failures(self) -> Counter[str]:
        """How many answers are missing, by reason."""
        return Counter(one.failure for one in self.answers if one.failure)


class LikeliestOption:
    """Lets a model choose the option that its prompt makes likelier than a neutral one does.

    A model too small to follow instructions can still be asked how likely a text is. An option that is likely
    anywhere is not preferred for it (Holtzman et al. 2021, domain conditional pointwise mutual information).
    """

    def __init__(self, model: LanguageModel) -> None:
        """Use a model that can ``score``."""
        self.name = model.name
        self._model = model
        self._neutral: dict[tuple[str, ...], asyncio.Future[Scores]] = {}

    async def generate(self, request: GenerateRequest) -> Generation:
        """Pass the request on."""
        return await self._model.generate(request)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Pass the request on."""
        return await self._model.score(prompt, continuations, caller=caller)

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose by two calls of ``score``; that for the neutral prompt is made once for the same options."""
        texts = tuple(f" {option}" for option in options)
        if texts not in self._neutral:
            scoring = self._model.score(_NEUTRAL, texts, caller=Caller(module=caller.module))
            self._neutral[texts] = asyncio.ensure_future(scoring)
        given = await self._model.score(prompt, texts, caller=caller)
        neutral = await self._neutral[texts]
        gains = np.array(given.values) - np.array(neutral.values)
        weights = np.exp(gains - gains.max())
        probabilities = tuple(float(weight) for weight in weights / weights.sum())
        best = max(range(len(options)), key=lambda place: (gains[place], -place))
        return Choice(option=options[best], probabilities=probabilities, usage=total_usage([given.usage]))


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A run that is ready to be asked.

    Attributes:
        life: The run.
        times: When its residents are asked: numbers of completed time steps, ascending.
        model: Name of the model that answers.
        residents: Who is asked.
        skipped: Who is not.
    """

    life: RecordedLife
    times: list[int]
    model: str
    residents: list[str]
    skipped: list[str]


@contextmanager
def opened(directory: RunDirectory, *, every: int | None, skip: bool, model: str | None) -> Iterator[Opened]:
    """Open a run within a block, and check that it can be asked, before anything is done.

    Args:
        directory: The run, which is not changed.
        every: Time steps from one questionnaire to the next, at least 1; after the last step alone when None. After
            the last step they are asked in any case.
        skip: Whether residents whose minds cannot be asked are left out.
        model: As for ``model_asked``.

    Raises:
        ValueError: if every is below 1, the run has no whole time step, the model is unknown, or there are minds that
            cannot be asked and skip is False, or nobody else.
        OSError: if the model is not on this machine.
    """
    if every is not None:
        check_integer("every", every, 1)
    with recorded_life(directory) as life:
        if not life.steps:
            raise ValueError(f"{directory.path} has no whole time step yet, after which somebody could be asked")
        times = sorted({*range(every or life.steps, life.steps + 1, every or life.steps), life.steps})
        names = list(dict.fromkeys(str(record["resident"]) for record in directory.records()))
        minds = {name: {stage.configuration.mind.of(name) for stage in life.stages_until(life.steps)} for name in names}
        mute = {name: ", ".join(sorted(filter(_cannot_be_asked, minds[name]))) for name in names}
        skipped = [name for name in names if mute[name]]
        if skipped and (not skip or len(skipped) == len(names)):
            said = ", ".join(f"{name} ({mute[name]})" for name in skipped)
            remedy = "nobody is left" if len(skipped) == len(names) else "--skip goes on without them"
            raise ValueError(f"no model speaks for {said}, who cannot be asked; {remedy}")
        name, _, _ = model_asked(life.stages_until(life.steps)[-1].configuration, model)
        residents = [name for name in names if name not in skipped]
        yield Opened(life=life, times=times, model=name, residents=residents, skipped=skipped)


def _cannot_be_asked(mind: str) -> bool:
    return mind == ME or asks_no_model(mind)


def ask_all(
    run: Opened, questionnaire: Questionnaire, transcript: Transcript, progress: Progress, *, model: str | None
) -> Survey:
    """Ask all residents of a run all items, each by itself.

    A resident is told what it is told in an interview: what its mind knows, and what it perceives. Nobody learns of
    being asked, or of other items.

    Args:
        run: The run.
        questionnaire: The items.
        transcript: Records all calls.
        progress: Reports progress.
        model: As for ``model_asked``.

    Raises:
        ValueError: if a mind raises, or nobody is there.
        RunError: if the model cannot be loaded or is unavailable, or the run cannot be restored.
        ReplayError: as ``RecordedLife.visit``.
    """
    present: list[Interviewed] = []

    def visitor(past: PastSociety) -> None:
        there = past.society.world.is_present
        present.extend(Interviewed(past, name) for name in run.residents if there(name))

    run.life.visit(run.times, visitor, progress)
    if not present:
        raise ValueError(f"nobody is there after step {', '.join(map(str, run.times))}; ask at other times by --every")
    present.sort(key=lambda who: who.step)
    configuration = run.life.stages_until(run.life.steps)[-1].configuration
    with answering_model(configuration, run.life.embedder, model, progress) as (spec, loaded):
        count = len(present) * len(questionnaire.items)
        progress.say(f"{len(run.residents)} residents are asked {len(questionnaire.items)} items: {count:,} questions")
        transcript.ids.enlist(["", *run.residents])
        recorded = RecordedModel(loaded, transcript)
        # What was answered before is not asked again; what failed is.
        again = ReplayedModel(transcript, name=loaded.name, failures_until=0, otherwise=recorded)
        speaking, instructions = speaker(spec, again), questionnaire.instructions

        async def answers_of(who: Interviewed) -> list[Answered]:
            return [await _answer(who, item, instructions, speaking) for item in questionnaire.items]

        try:
            answers = in_one_go(loaded, everybody(present, answers_of, loaded, progress))
        except ModelUnavailable as error:
            raise RunError(f"{error}; what was answered is kept, and the same command with --out goes on") from error
    return Survey(model=spec.name, residents=run.residents, skipped=run.skipped, answers=answers)


def speaker(spec: ModelSpec, model: LanguageModel) -> LanguageModel:
    """Return a model that chooses by likelihood where it is too small to be asked in words."""
    return LikeliestOption(model) if spec.log_probabilities and not spec.instructed else model


async def _answer(who: Interviewed, item: Item, instructions: str, model: LanguageModel) -> Answered:
    text = item.text.replace(WHO, who.name)
    asked: dict[str, Any] = {"time": who.step, "resident": who.name, "item": item}
    try:
        if isinstance(item, Free):
            turn = await who.answer(model, text)
            if not turn.answer:
                raise ModelError("the answer is empty")
            return Answered(**asked, text=turn.answer, left_out=turn.left_out)
        texts = [answer.replace(WHO, who.name) for answer in item.answers]
        options = list(dict.fromkeys(texts))
        before = f"{instructions.replace(WHO, who.name)}\n\n" if instructions else ""
        ending = f"{before}{text}\nOne of these is your answer: {', '.join(options)}.\nAnswer:"
        caller = Caller(module=MODULE, resident=who.name, time=who.step)
        option, left_out = await chosen(model, who.prompt, ending, options, caller=caller, query=text)
    except ModelError as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        return Answered(**asked, failure=reason, refused=isinstance(error, Refused))
    place = texts.index(option)
    value = item.values[place] if item.values else None
    return Answered(**asked, text=option, value=value, left_out=left_out)
