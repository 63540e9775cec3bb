"""Measure the effect of mechanisms by replaying a run twice: to record every decision, and to repeat it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from evaluation.mechanisms.counterfactual import DecidingAgain, Occasion, Outcome
from evaluation.mechanisms.noting import Noting
from evaluation.mechanisms.terms import terms
from evaluation.mechanisms.watching import Watch, watched_by
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.ancestry import stages
from evaluation.runs.build_society import weights_of
from evaluation.runs.config_parts import Deliberation
from evaluation.runs.progress import Progress
from evaluation.runs.replay import replay
from evaluation.runs.run_config import RunConfig
from irollan_env.hints import did_you_mean
from irollan_env.random_streams import stream
from itcma_s.ablation.decision_inputs import DecisionInputs
from itcma_s.ablation.mechanisms import AS_ITCMA_FELT, DRAWN_ANEW, MECHANISMS, Mechanism
from itcma_s.fields.name_table import NameTable
from language_models.protocol import LanguageModel
from minds.mind_specs import DEFAULT

How = Literal["removed", "replaced"]


class NotTheSameError(RuntimeError):
    """Raised when a decision repeated from identical inputs has another result, which indicates a bug."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """A decision with all mechanisms, and the same decision with one removed or replaced.

    Attributes:
        mechanism: Name of the mechanism.
        how: Whether it was removed, or replaced by that of another moment.
        resident: Name of the resident that decides.
        time: Time step of the decision.
        formed: Whether the original decision changed the goal.
        was: Original result.
        became: Result with the mechanism removed or replaced.
    """

    mechanism: str
    how: How
    resident: str
    time: int
    formed: bool
    was: Outcome
    became: Outcome

    @property
    def other_action(self) -> bool:
        """Whether the chosen action differs."""
        return self.was.action != self.became.action

    @property
    def other_goal(self) -> bool:
        """Whether the goal after the decision differs."""
        return self.was.goal != self.became.goal


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """Repeated decisions of one run.

    Attributes:
        configuration: Configuration of the run, at its end.
        mechanisms: All removed mechanisms, in order.
        decisions: Number of repeated decisions.
        comparisons: Comparisons where the mechanism contributed something; elsewhere nothing can change.
    """

    configuration: RunConfig
    mechanisms: Sequence[Mechanism]
    decisions: int
    comparisons: Sequence[Comparison]


class Reading:
    """Records the inputs and results of decisions, by resident and time step."""

    def __init__(self) -> None:
        self.requests: dict[str, str] = {}
        self.names: Mapping[str, Any] | None = None
        self.table: NameTable | None = None
        self.given: dict[str, dict[int, DecisionInputs]] = {}
        self.outcomes: dict[tuple[str, int], Outcome] = {}
        self.scored: dict[tuple[str, int], Mapping[str, Any] | None] = {}
        self.imagined: dict[str, str] = {}

    async def before(self, occasion: Occasion, again: DecidingAgain) -> None:
        """Do nothing before a decision."""

    def after(self, occasion: Occasion, outcome: Outcome, scored: Mapping[str, Any] | None) -> None:
        """See ``Watch.after``."""
        seen = occasion.given.observation
        self.given.setdefault(seen.resident, {})[seen.time] = occasion.given
        self.outcomes[seen.resident, seen.time] = outcome
        self.scored[seen.resident, seen.time] = scored
        self.imagined |= occasion.mind.imagined


class MakingAgain:
    """Repeats each decision unchanged, and with each mechanism removed or replaced."""

    def __init__(self, read: Reading, mechanisms: Sequence[Mechanism], seed: int, every: int) -> None:
        """Create an observer that repeats recorded decisions.

        Args:
            read: Inputs and results recorded in the first replay.
            mechanisms: Mechanisms to remove and replace.
            seed: Seed for drawing the moments that replace mechanisms.
            every: Interval in time steps of the decisions to repeat.
        """
        self.requests: dict[str, str] = {}
        self.names: Mapping[str, Any] | None = None if read.table is None else read.table.get_state()
        self.table: NameTable | None = None
        self.comparisons: list[Comparison] = []
        self.decisions = 0
        self._read, self._mechanisms, self._seed, self._every = read, mechanisms, seed, every

    async def before(self, occasion: Occasion, again: DecidingAgain) -> None:
        """See ``Watch.before``; failed decisions are not repeated."""
        given, seen = occasion.given, occasion.given.observation
        recorded = self._read.outcomes.get((seen.resident, seen.time))
        if recorded is None or seen.time % self._every:
            return
        scored = self._read.scored[seen.resident, seen.time]
        was = await again.decide_again(occasion, given, scored)
        _check_same(seen.resident, seen.time, recorded, was)
        self.decisions += 1
        for mechanism, how, changed in self._changes(replace(given, eliminated=recorded.eliminated)):
            became = await again.decide_again(occasion, changed, scored)
            self.comparisons.append(
                Comparison(
                    mechanism=mechanism.name,
                    how=how,
                    resident=seen.resident,
                    time=seen.time,
                    formed=was.goal != occasion.had,
                    was=was,
                    became=became,
                )
            )

    def after(self, occasion: Occasion, outcome: Outcome, scored: Mapping[str, Any] | None) -> None:
        """Do nothing after a decision."""

    def _changes(self, given: DecisionInputs) -> list[tuple[Mechanism, How, DecisionInputs]]:
        """Return the changed inputs of a decision: each mechanism removed, and replaced if possible."""
        seen, found = given.observation, list[tuple[Mechanism, How, DecisionInputs]]()
        for mechanism in self._mechanisms:
            if not mechanism.there(given):
                continue
            found.append((mechanism, "removed", mechanism.removed(given)))
            others = [
                other
                for time, other in self._read.given[seen.resident].items()
                if time != seen.time and mechanism.there(other)
            ]
            if mechanism.replaced is None or not others:
                continue
            generator = stream(self._seed, f"{mechanism.name} {seen.resident} {seen.time}")
            other = others[int(generator.integers(len(others)))]
            found.append((mechanism, "replaced", mechanism.replaced(given, other, generator)))
        return found


def measure(
    directory: RunDirectory,
    progress: Progress,
    *,
    at_hand: LanguageModel | None = None,
    only: Sequence[str] = (),
    with_terms: bool = False,
    seed: int = 0,
    every: int = 1,
) -> Measured:
    """Repeat the decisions of a run with one mechanism removed or replaced at a time.

    Args:
        directory: Directory of the run, not modified.
        progress: Where to show progress.
        at_hand: Model for repeated decisions of runs in which a model decides; without it only their requests are
            compared.
        only: Names of the mechanisms to measure; all when empty.
        with_terms: Whether to include the weights and rules of the similarity policy.
        seed: Seed for drawing the moments that replace mechanisms.
        every: Interval in time steps of the decisions to repeat, at least 1.

    Raises:
        ValueError: if there is no run, one of its files is damaged, or an argument is invalid.
        RunError: if embeddings are missing from the run and their embedder is unavailable.
        ReplayError: if the run cannot be replayed.
        NotTheSameError: if a decision repeated from identical inputs has another result.
    """
    if every < 1:
        raise ValueError(f"every must be at least 1 time step, got {every}")
    configurations = [stage.configuration for stage in stages(directory.read_manifest())]
    configuration = configurations[-1]
    mechanisms = _chosen(configuration, only, with_terms)
    if {configuration.mind.name, *configuration.mind.by_resident.values()} != {DEFAULT}:
        raise ValueError(f"{directory.path} has residents with other minds than {DEFAULT}, whose mechanisms these are")
    if lacking := next((one.mind.ablate for one in configurations if one.mind.ablate), ()):
        raise ValueError(
            f"{directory.path} ran without {', '.join(lacking)}, so that its decisions do not show what "
            "mechanisms give; take a run that leaves none out"
        )
    read = Reading()
    with TemporaryDirectory() as folder:
        vectors = Path(folder) / "embeddings.sqlite"
        if directory.embeddings_path.is_file():
            shutil.copyfile(directory.embeddings_path, vectors)
        progress.say(f"reading what the decisions of {directory.path} were made from ...")
        _live(directory, progress, vectors, read, None, {})
        progress.say(f"making them again, with {len(mechanisms)} mechanisms removed one at a time ...")
        again = MakingAgain(read, mechanisms, seed, every)
        _live(directory, progress, vectors, again, at_hand, read.imagined)
    return Measured(
        configuration=configuration,
        mechanisms=mechanisms,
        decisions=again.decisions,
        comparisons=again.comparisons,
    )


def _live(
    directory: RunDirectory,
    progress: Progress,
    vectors: Path,
    watch: Watch,
    at_hand: LanguageModel | None,
    imagined: Mapping[str, str],
) -> None:
    build = watched_by(watch, at_hand, imagined)
    replay(
        directory,
        progress,
        build=build,
        wrap=lambda model: Noting(model, watch.requests),
        vectors=vectors,
        keys=("action", "goal", "outcome"),
    )


def _chosen(configuration: RunConfig, only: Sequence[str], with_terms: bool) -> list[Mechanism]:
    known = [*MECHANISMS, AS_ITCMA_FELT, DRAWN_ANEW]
    if with_terms and configuration.mind.deliberation != Deliberation.SIMILARITY:
        raise ValueError("--terms has no effect: weights and rules are those of similarity, and a model decides here")
    if with_terms:
        known += terms(weights_of(configuration))
    names = [mechanism.name for mechanism in known]
    if unknown := [name for name in only if name not in names]:
        hint = did_you_mean(unknown[0], names)
        raise ValueError(f"unknown mechanism {unknown[0]!r}: it must be one of {', '.join(names)}{hint}")
    return [mechanism for mechanism in known if not only or mechanism.name in only]


def _check_same(resident: str, time: int, recorded: Outcome, again: Outcome) -> None:
    """Check that a decision repeated from identical inputs is equal; a model may answer its request differently."""
    same = replace(again, action=recorded.action, goal=recorded.goal, answered=True) if again.request else again
    same = replace(same, eliminated=recorded.eliminated)
    if same != recorded:
        raise NotTheSameError(
            f"the decision of {resident} at time step {time} is {again} when it is made again from all that it was "
            f"made from, and was {recorded}; the decision hangs on something that is not looked at"
        )
