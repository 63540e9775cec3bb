"""Replay a run without its models: every answer comes from the transcript, and every record is compared."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.models.closing import closing_embedder
from evaluation.models.model_roles import PERSON, routed
from evaluation.models.run_embedder import embedder_of_run, reading_vectors, storing_vectors, without_server
from evaluation.records import records
from evaluation.records.checksums import EVENTS, Prefix
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import event_loop, provenance
from evaluation.runs.ancestry import BuildSociety, run_stages, stages
from evaluation.runs.build_society import build_society
from evaluation.runs.human_override import HumanOverride, taken_over
from evaluation.runs.progress import Progress
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import ResidentError, Society, Step
from irollan_env.world.mechanic import MechanicError
from language_models.protocol import LanguageModel
from language_models.registry import describe_model
from language_models.transcript.replaying import NotRecorded, ReplayedModel
from language_models.transcript.transcript import Transcript

_LONGEST = 200


LAST_DIGITS = 1e-6
"""The largest allowed difference of a floating-point value, relative to its size or to 1, whichever is larger."""


class ReplayError(RuntimeError):
    """Raised when a replay differs from what was recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """Describe a replay that gave the recorded records.

    Attributes:
        steps: How many time steps.
        records: How many records were compared.
        rounded: How many of them differ in the last digits of numbers, which processors add up in another order.
        calls: How many model calls the transcript answered.
        seconds: What it took.
    """

    steps: int
    records: int
    rounded: int
    calls: int
    seconds: float


def replay(
    directory: RunDirectory,
    progress: Progress,
    *,
    build: BuildSociety = build_society,
    wrap: Callable[[LanguageModel], LanguageModel] = lambda model: model,
    vectors: Path | None = None,
    keys: Sequence[str] = (),
) -> Replay:
    """Repeat a run from its manifest with the recorded answers, and compare each record with events.jsonl.

    The bytes of each record are compared first. Where they differ, as they may on another processor, all texts, keys
    and whole numbers must be equal and each floating-point value within 1e-6 of its size, or of 1 where it is smaller
    (``LAST_DIGITS``). ``Replay.rounded`` counts such records; it is 0 for a replay of equal bytes.

    Args:
        directory: A run; of one that was killed, the time steps that are whole.
        progress: Where to show how far it has come.
        build: Makes the society of a configuration.
        wrap: Put around each model.
        vectors: Where vectors are kept; those of the run are only read when None.
        keys: What of each record is compared; all of it when empty.

    Raises:
        ValueError: if there is no run, or a file of it is damaged.
        RunError: if vectors are needed that the run did not keep, and their embedder is not here.
        ReplayError: if a record differs, or a call was made that the transcript does not have; the message shows how.
            Also where there is no time step.
    """
    began = time.monotonic()
    manifest = directory.read_manifest()
    passed = stages(manifest)
    for note in provenance.differences(manifest):
        progress.say(f"note: {note}")
    events = directory.whole(EVENTS)
    directory.check_vectors()
    valley_map = directory.read_map()
    recorded = RecordedSteps(directory, events, keys)
    if not recorded.steps:
        raise ReplayError(f"{directory.events_path} has no whole time step to compare yet")
    embedder = embedder_of_run(manifest)

    async def step(society: Society) -> None:
        progress.step(await recorded.step(society))

    with (
        without_server(),
        closing_embedder(embedder),
        reading_vectors(embedder, directory.embeddings_path) if vectors is None else storing_vectors(embedder, vectors),
        directory.transcript() as transcript,
    ):
        models = TranscriptModels(transcript, wrap)
        progress.begin(0, recorded.steps, meanwhile="replaying from the transcript ...")
        try:
            event_loop.run(
                run_stages(
                    passed,
                    models,
                    embedder,
                    recorded.steps,
                    step,
                    build,
                    valley_map=valley_map,
                    override=models.override,
                )
            )
        finally:
            progress.end()
    if events.left:
        progress.say(f"note: {events.describe_left(EVENTS)}")
    return Replay(
        steps=recorded.steps,
        records=recorded.compared,
        rounded=recorded.rounded,
        calls=models.answered,
        seconds=time.monotonic() - began,
    )


class RecordedSteps:
    """Compare the steps of a replayed society with the records of a run.

    Attributes:
        lines: Lines of events.jsonl.
        steps: How many time steps are there with all their records.
        compared: How many records have been compared.
        rounded: How many of them differ in the last digits of numbers alone.
    """

    def __init__(self, directory: RunDirectory, whole: Prefix, keys: Sequence[str] = ()) -> None:
        """Read the records.

        Args:
            directory: The run.
            whole: The whole part of its records.
            keys: What of each record is compared; all of it when empty.
        """
        self.lines, self.steps = whole.data.split(b"\n")[:-1], whole.steps
        self.compared = self.rounded = 0
        self._path, self._events = directory.path, directory.events_path
        self._keys = keys

    def check_step(self, at: int) -> None:
        """Check that a number of time steps was recorded.

        Raises:
            ValueError: if not.
        """
        if not 0 <= at <= self.steps:
            raise ValueError(f"at must be a time step of {self._path}, from 0 to {self.steps}, got {at}")

    async def step(self, society: Society) -> Step:
        """Take the next step of a society, and compare it.

        Raises:
            ReplayError: if a record differs or is missing, or a call was made that was not recorded.
            ValueError: if a record is damaged.
        """
        try:
            step = await society.step()
        except ResidentError as error:
            if isinstance(error.__cause__, NotRecorded):
                raise ReplayError(str(error.__cause__)) from error
            raise
        except (NotRecorded, MechanicError) as error:
            raise ReplayError(str(error)) from error
        if (left := len(self.lines) - self.compared) < len(step.records):
            raise ReplayError(f"{self._events} has {left} of the {len(step.records)} records of time step {step.time}")
        for record in step.records:
            line, recorded = records.to_jsonl([record]), self.lines[self.compared]
            if line != recorded + b"\n":
                before, now = records.read_line(self._events, self.compared + 1, recorded), json.loads(line)
                if not all(same(before.get(key), now.get(key)) for key in self._keys or {**before, **now}):
                    raise ReplayError(difference(before, now))
                self.rounded += 1
            self.compared += 1
        return step


class TranscriptModels:
    """Make models that answer from a transcript."""

    def __init__(
        self,
        transcript: Transcript,
        wrap: Callable[[LanguageModel], LanguageModel] = lambda model: model,
        until: int | None = None,
    ) -> None:
        """Prepare.

        Args:
            transcript: What was recorded.
            wrap: Put around each model.
            until: The time step whose calls, and all later ones, are ignored; None ignores none.
        """
        self._until = until
        self._transcript = transcript
        self._wrap = wrap
        self._models: dict[str, ReplayedModel] = {}

    def __call__(self, configuration: RunConfig) -> LanguageModel:
        """Make the model of a configuration; each recorded answer is used once."""
        return routed(configuration.model.name, configuration.model.roles, lambda name: self._wrap(self._model(name)))

    def _model(self, name: str) -> ReplayedModel:
        known = describe_model(name).recorded_name
        if known not in self._models:
            self._models[known] = ReplayedModel(self._transcript, name=known, until=self._until)
        return self._models[known]

    @property
    def override(self) -> HumanOverride | None:
        """Return the recorded decisions of people who took over residents; None where nobody did."""
        moments = taken_over(self._transcript, until=self._until)
        return HumanOverride(self._wrap(self._model(PERSON)), moments) if moments else None

    @property
    def answered(self) -> int:
        """Return how many calls were answered."""
        return sum(model.answered for model in self._models.values())


def same(recorded: Any, replayed: Any) -> bool:
    """Return whether two parts of records are equal, numbers within ``LAST_DIGITS``.

    Args:
        recorded: From events.jsonl.
        replayed: From the replay.
    """
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        return list(recorded) == list(replayed) and all(same(recorded[key], replayed[key]) for key in recorded)
    if isinstance(recorded, list) and isinstance(replayed, list):
        return len(recorded) == len(replayed) and all(map(same, recorded, replayed))
    if isinstance(recorded, float) and isinstance(replayed, float):
        return math.isclose(recorded, replayed, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return type(recorded) is type(replayed) and recorded == replayed


def difference(recorded: Mapping[str, Any], replayed: Mapping[str, Any]) -> str:
    """Describe how a record differs, a line for each key.

    Args:
        recorded: From events.jsonl.
        replayed: From the replay.
    """
    head = f"replay: the record of {recorded.get('resident')} at time step {recorded.get('time')} differs in"
    keys = [key for key in dict.fromkeys([*recorded, *replayed]) if not same(recorded.get(key), replayed.get(key))]
    shown = [f"  {key}: recorded {_short(recorded, key)}, replayed {_short(replayed, key)}" for key in keys]
    return "\n".join([f"{head} {', '.join(keys) or 'its form only'}:", *shown])


def _short(record: Mapping[str, Any], key: str) -> str:
    if key not in record:
        return "nothing"
    text = json.dumps(record[key], ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
