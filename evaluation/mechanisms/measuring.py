"""A run lived again twice: once to read what every decision was made from, once to make each of them anew."""

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
from itcma_s.ablation.given import Given
from itcma_s.ablation.mechanisms import AS_ITCMA_FELT, DRAWN_ANEW, MECHANISMS, Mechanism
from itcma_s.fields.name_table import NameTable
from language_models.protocol import LanguageModel
from minds.mind_specs import DEFAULT

How = Literal["removed", "replaced"]


class NotTheSameError(RuntimeError):
    """A decision that is made again from all that it was made from, and comes out otherwise: a defect."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One decision made twice: as it was, and with one mechanism removed or replaced.

    Attributes:
        mechanism: Its name.
        how: Whether it was removed, or replaced by another moment's.
        resident: Whose decision.
        time: Its time step.
        formed: Whether another goal was had from this decision on, as it was.
        was: What came of it as it was.
        became: What came of it.
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
        """Whether another action was decided on."""
        return self.was.action != self.became.action

    @property
    def other_goal(self) -> bool:
        """Whether another goal was wanted from then on."""
        return self.was.goal != self.became.goal


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The decisions of a run, made again.

    Attributes:
        configuration: Of the run, at its end.
        mechanisms: All that were removed, in order.
        decisions: How many decisions were made again.
        comparisons: Where the mechanism gave something; where it did not, nothing can change.
    """

    configuration: RunConfig
    mechanisms: Sequence[Mechanism]
    decisions: int
    comparisons: Sequence[Comparison]


class Reading:
    """Reads what decisions were made from, and what came of them; by resident and time step."""

    def __init__(self) -> None:
        self.requests: dict[str, str] = {}
        self.names: Mapping[str, Any] | None = None
        self.table: NameTable | None = None
        self.given: dict[str, dict[int, Given]] = {}
        self.outcomes: dict[tuple[str, int], Outcome] = {}
        self.scored: dict[tuple[str, int], Mapping[str, Any] | None] = {}
        self.imagined: dict[str, str] = {}

    async def before(self, occasion: Occasion, again: DecidingAgain) -> None:
        """Nothing is done yet."""

    def after(self, occasion: Occasion, outcome: Outcome, scored: Mapping[str, Any] | None) -> None:
        """See ``Watch.after``."""
        seen = occasion.given.observation
        self.given.setdefault(seen.resident, {})[seen.time] = occasion.given
        self.outcomes[seen.resident, seen.time] = outcome
        self.scored[seen.resident, seen.time] = scored
        self.imagined |= occasion.mind.imagined


class MakingAgain:
    """Makes every decision again, as it was and otherwise."""

    def __init__(self, read: Reading, mechanisms: Sequence[Mechanism], seed: int, every: int) -> None:
        """Prepare.

        Args:
            read: What was read before.
            mechanisms: What is removed and replaced.
            seed: Of the moments that are drawn.
            every: Only decisions of every so many time steps are made again.
        """
        self.requests: dict[str, str] = {}
        self.names: Mapping[str, Any] | None = None if read.table is None else read.table.get_state()
        self.table: NameTable | None = None
        self.comparisons: list[Comparison] = []
        self.decisions = 0
        self._read, self._mechanisms, self._seed, self._every = read, mechanisms, seed, every

    async def before(self, occasion: Occasion, again: DecidingAgain) -> None:
        """See ``Watch.before``; a decision that failed is not made again."""
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
        """Nothing is left to do."""

    def _changes(self, given: Given) -> list[tuple[Mechanism, How, Given]]:
        """All that is put in the place of what a decision was made from."""
        seen, found = given.observation, list[tuple[Mechanism, How, Given]]()
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
    """Make the decisions of a run again, with one mechanism removed or replaced at a time.

    Args:
        directory: The run; nothing in it is changed.
        progress: Where to show how far it has come.
        at_hand: The model that decisions made again are asked of, where one decides; without it their requests are
            compared alone.
        only: Names of the mechanisms that are looked at; all when empty.
        with_terms: Whether the weights and rules of deliberation by likeness are mechanisms, too.
        seed: Of the moments that are drawn.
        every: Only decisions of every so many time steps are made again, at least 1.

    Raises:
        ValueError: if there is no run, a file of it is damaged, or a number or a name is wrong.
        RunError: if vectors are needed that the run did not keep, and their embedder is not here.
        ReplayError: if the run cannot be lived again.
        NotTheSameError: if a decision that is made again from the same comes out otherwise.
    """
    if every < 1:
        raise ValueError(f"every must be at least 1 time step, got {every}")
    lived = [stage.configuration for stage in stages(directory.read_manifest())]
    configuration = lived[-1]
    mechanisms = _chosen(configuration, only, with_terms)
    if {configuration.mind.name, *configuration.mind.by_resident.values()} != {DEFAULT}:
        raise ValueError(f"{directory.path} has residents with other minds than {DEFAULT}, whose mechanisms these are")
    if lacking := next((one.mind.ablate for one in lived if one.mind.ablate), ()):
        raise ValueError(
            f"{directory.path} was lived without {', '.join(lacking)}, so that its decisions do not show what "
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
    if with_terms and configuration.mind.deliberation == Deliberation.SIMILARITY:
        known += terms(weights_of(configuration))
    names = [mechanism.name for mechanism in known]
    if unknown := [name for name in only if name not in names]:
        hint = did_you_mean(unknown[0], names)
        raise ValueError(f"unknown mechanism {unknown[0]!r}: it must be one of {', '.join(names)}{hint}")
    return [mechanism for mechanism in known if not only or mechanism.name in only]


def _check_same(resident: str, time: int, recorded: Outcome, again: Outcome) -> None:
    """Check that a decision made from the same is the same; what a model is asked anew may be answered otherwise."""
    same = replace(again, action=recorded.action, goal=recorded.goal, answered=True) if again.request else again
    same = replace(same, eliminated=recorded.eliminated)
    if same != recorded:
        raise NotTheSameError(
            f"the decision of {resident} at time step {time} is {again} when it is made again from all that it was "
            f"made from, and was {recorded}; the decision hangs on something that is not looked at"
        )
