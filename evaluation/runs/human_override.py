"""A person takes over a resident for some steps of a run, and hands it back to its own mind.

What the person is asked and answers are calls in the transcript under a module of their own. They say in which steps a
person decided: a replay asks in the same ones, and so does a branch, as long as its parent's answers hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from evaluation.models.model_roles import PERSON
from evaluation.models.person import HumanInterface, Left, Person, Question
from evaluation.records.checksums import TRANSCRIPT
from evaluation.records.run_directory import RunDirectory
from irollan_env.actions import Action
from irollan_env.resident import Act, Overridable, Resident
from irollan_env.world.observation import Observation
from itcma_s.fields.name_table import NameTable
from itcma_s.protention.protention import names_of
from language_models.protocol import Caller, LanguageModel
from language_models.transcript.calls import Call
from language_models.transcript.recorded_calls import RecordedCalls
from language_models.transcript.transcript import Transcript
from minds.simple.me import HAND, WAIT, ask_person, decision_prompt

MODULE = "takeover"

Moments = Collection[tuple[str, int]]
"""Residents with time steps."""


class TakeoverInterface(HumanInterface, Protocol):
    """Let a person take over residents during a run."""

    def open_to(self, residents: Sequence[str]) -> None:
        """Receive, once, the names of the residents that can be taken over."""
        ...

    def holds(self, resident: str) -> bool:
        """Return whether the person decides for this resident now."""
        ...

    def let_go(self, resident: str) -> None:
        """Receive that the person has handed this resident back."""
        ...


class HumanOverride:
    """Let a person decide for the residents that they have taken over."""

    def __init__(self, person: LanguageModel, recorded: Moments = (), human: TakeoverInterface | None = None) -> None:
        """Prepare.

        Args:
            person: Answers as the person does.
            recorded: When a person was asked in the run that is replayed or branched.
            human: Who takes over residents now; nobody when None.
        """
        self._person = person
        self._recorded = frozenset(recorded)
        self._human = human

    async def act(self, resident: Resident, observation: Observation, table: NameTable | None) -> Act:
        """Return a resident's action: the person's decision where there is one, else the mind's.

        Its own mind perceives a step in which the person decides as one in which its action is filtered, and takes what
        the person decides for its own act where it can (``Overridable``).

        Args:
            resident: The resident.
            observation: What it perceives.
            table: The names that the minds of the society share.
        """
        if not observation.admissible or not self._is_held(resident.name, observation.time):
            return await resident.act(observation)
        if table is not None:
            # Before the person is waited for, so that the ids of names do not depend on how long that takes.
            table.ids(names_of(observation))
        action, calls = await self._ask(observation)
        if action is not None and action.startswith(HAND):
            if self._human is not None:
                self._human.let_go(resident.name)
            own = await resident.act(observation)
            return replace(own, calls=(*calls, *own.calls))
        felt = await resident.act(replace(observation, admissible=(), habitus={}))
        if felt.failure is not None:
            return replace(felt, calls=(*calls, *felt.calls))
        if isinstance(resident, Overridable):
            resident.set_action(action)
        return replace(felt, action=None if action is None else Action.parse(action), calls=(*calls, *felt.calls))

    def _is_held(self, resident: str, time: int) -> bool:
        return (resident, time) in self._recorded or (self._human is not None and self._human.holds(resident))

    async def _ask(self, observation: Observation) -> tuple[str | None, tuple[int, ...]]:
        """Ask the person for an action; None for waiting, or the option that hands the resident back."""
        caller = Caller(module=MODULE, resident=observation.resident, time=observation.time)
        prompt, options = decision_prompt(observation, f"{HAND} {observation.resident} back to its own mind")
        picked, calls = await ask_person(self._person, prompt, options, caller)
        return None if picked == WAIT else picked, calls


class _NobodyThere:
    """Stand in as the interface of a run that nobody watches."""

    async def ask(self, question: Question) -> str:
        """As ``HumanInterface.ask``.

        Raises:
            Left: always.
        """
        raise Left(
            f"a person decided for {question.resident} in step {question.time + 1} of the other run, and would be "
            "asked something else here; with --view they can be asked"
        )


def live_override(
    manifest: Mapping[str, Any],
    done: int,
    record: Callable[[LanguageModel], LanguageModel],
    human: TakeoverInterface | None,
) -> HumanOverride | None:
    """Make the override of a running run; None where no person can take part.

    Args:
        manifest: Of the run; in a branch a person is asked where one was in its parent.
        done: How many time steps are done.
        record: Puts around the person what writes down their answers, and what answers from the parent's transcript.
        human: Who takes over residents; nobody when None.
    """
    parent = manifest.get("parent")
    recorded: Moments = ()
    if parent is not None and (directory := RunDirectory(parent["run"])).manifest_path.is_file():
        calls = directory.prefixes()[TRANSCRIPT]
        if calls.steps > done:
            with Transcript(directory.transcript_path, read_only=True) as transcript:
                until = calls.steps if calls.fault else None
                recorded = [one for one in taken_over(transcript, until=until) if one[1] >= done]
    if human is None and not recorded:
        return None
    return HumanOverride(record(Person(_NobodyThere() if human is None else human)), recorded, human)


def taken_over(transcript: RecordedCalls, until: int | None = None) -> frozenset[tuple[str, int]]:
    """Return when a person who had taken over a resident was asked and answered."""
    return frozenset(
        (call.caller.resident, call.caller.time)
        for call in transcript.calls(module=MODULE, until=until)
        if call.response is not None
    )


def decided_by_people(transcript: RecordedCalls) -> frozenset[tuple[str, int]]:
    """Return when a person decided for a resident, taken over or with the mind "me"."""
    calls = [call for module in (MODULE, PERSON) for call in transcript.calls(module=module)]
    return frozenset((call.caller.resident, call.caller.time) for call in calls if decides(call))


def decides(call: Call) -> bool:
    """Return whether a call holds a person's decision, rather than words or handing the resident back."""
    picked = None if call.response is None else call.response.get("option")
    return call.request.model == PERSON and picked is not None and not picked.startswith(HAND)
