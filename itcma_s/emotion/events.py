"""Events since a resident's last step, and the value of each for its emotion (section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

from irollan_env.actions import Action, Primitive
from irollan_env.naming import whole_name
from irollan_env.world.observation import Observation
from itcma_s.emotion.appraisal import AppraisalWeights


@dataclass(slots=True)
class Events:
    """Extracts emotional events by comparing each observation with the previous one.

    Attributes:
        terms: Event of the last step -> its value; negative values are pain.
        waiting: Person spoken to -> time step, until it answers or too much time has passed.
        resources: Resources at the last step; None without LTRHA.
    """

    terms: dict[str, float] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    resources: float | None = None

    def appraise(
        self,
        observation: Observation,
        new: Mapping[str, tuple[str, ...]],
        people: dict[str, int],
        *,
        last_action: str | None,
        reached: str | None,
        weights: AppraisalWeights,
        nearer: float = 0.0,
        in_turn: bool = False,
        needs: Mapping[str, float] | None = None,
    ) -> None:
        """Fill `terms` with the events of this step, and count exchanges of words in `people`.

        Args:
            observation: The current observation.
            new: Names met for the first time, by sort: place, person, thing.
            people: Known people -> number of exchanges of words; updated.
            last_action: The resident's last action; None in the first step and after a failed one.
            reached: The goal that this step fulfils, None when it does not.
            weights: The value of each event.
            nearer: By how much the people and places of the goal have come nearer; below 0 they are farther away.
            in_turn: Whether residents in a place act one after the other, so that heard words came after `last_action`
                and not at the same time.
            needs: Need -> by how much it has risen since the last step, below 0 if it fell.
        """
        first = observation.outcome is None
        terms: dict[str, float] = {}
        for place in new["place"] if not first else ():
            terms[f"came to {place} for the first time"] = weights.new_place
        for person in new["person"]:
            terms[f"met {person}"] = weights.new_person
        if new["thing"] and not first:
            terms["saw new things"] = min(weights.new_things, weights.new_thing * len(new["thing"]))
        self._speech(observation, people, last_action, terms, weights, in_turn)
        for event in observation.events:
            if event.deed == "handed" and event.other == observation.resident:
                terms[f"was given {event.thing} by {event.actor}"] = weights.given
        if nearer > 0:
            terms["came nearer to the goal"] = weights.nearer * nearer
        if reached is not None:
            terms[f"reached the goal to {reached}"] = weights.reached
        if observation.outcome == "filtered":
            terms["filtered"] = -weights.filtered
        elif observation.outcome == "inadmissible":
            terms["refused"] = -weights.refused
        if observation.resources is not None:
            change = observation.resources - (self.resources if self.resources is not None else observation.resources)
            if change:
                terms["gained resources" if change > 0 else "lost resources"] = weights.resource * change
        self.resources = observation.resources
        for need, change in (needs or {}).items():
            if change > 0:
                terms[f"more {need}"] = -weights.need * observation.needs[need]
            else:
                terms[f"less {need}"] = -weights.eased * change
        self.terms = {term: value for term, value in terms.items() if value}

    def _speech(
        self,
        observation: Observation,
        people: dict[str, int],
        last_action: str | None,
        terms: dict[str, float],
        weights: AppraisalWeights,
        in_turn: bool,
    ) -> None:
        """Add the events of speech: who spoke to the resident, who answered, and who is here and did not answer."""
        speakers = observation.speakers
        spoken_to = None
        if last_action is not None and observation.outcome == "executed":
            done = Action(last_action)
            spoken_to = done.partner if done.primitive is Primitive.CHAT else None
        answered = {*speakers, *named_by(observation), *givers(observation)}
        if in_turn and spoken_to in answered:
            # What it did came after my words, and is an answer.
            self.waiting.setdefault(spoken_to, observation.time)
        elif spoken_to in speakers and spoken_to not in self.waiting:
            # Both spoke at once: words were exchanged, and neither waits for the other.
            people[spoken_to] = people.get(spoken_to, 0) + 1
        for person in sorted({*speakers, *(self.waiting.keys() & named_by(observation))}):
            if person in self.waiting:
                terms[f"{person} answered"] = weights.spoken_to + weights.answered
                people[person] = people.get(person, 0) + 1
                del self.waiting[person]
            else:
                terms[f"{person} spoke to me"] = weights.spoken_to
        for person in held_back(observation):
            if person in self.waiting:
                self.waiting[person] = observation.time
        for person in givers(observation):
            self.waiting.pop(person, None)  # A thing that is handed over answers, too.
        for person, since in list(self.waiting.items()):
            if observation.time - since >= 2:
                if person in observation.company:
                    terms[f"{person} ignored me"] = -weights.ignored
                del self.waiting[person]
        if spoken_to is not None and spoken_to not in (answered if in_turn else speakers):
            self.waiting[spoken_to] = observation.time

    def awaited(self, observation: Observation) -> frozenset[str]:
        """Return people who may still speak to the resident: their answer is pending, or their words were filtered."""
        return frozenset({*self.waiting, *held_back(observation)})

    def silent(self, observation: Observation) -> frozenset[str]:
        """Return people who were seen to act since the resident spoke to them, and did not answer.

        This needs sequential scheduling: with simultaneous actions, others acted while the resident spoke.
        """
        tried = held_back(observation)
        acted = {event.actor for event in observation.events} | {message.sender for message in observation.messages}
        return frozenset(person for person in self.waiting if person in acted and person not in tried)

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Events:
        """Return the object with a state from ``get_state``."""
        return cls(**deepcopy(dict(state)))


def givers(observation: Observation) -> frozenset[str]:
    """Return people who handed the resident something."""
    me = observation.resident
    return frozenset(event.actor for event in observation.events if event.deed == "handed" and event.other == me)


def named_by(observation: Observation) -> frozenset[str]:
    """Return people who said the resident's name within its hearing; this counts as an answer."""
    named = re.compile(rf"{whole_name(observation.resident)}(?!['’]s)")
    return frozenset(message.sender for message in observation.messages if named.search(message.text))


def held_back(observation: Observation) -> tuple[str, ...]:
    """Return people whose words to the resident were filtered since its last step."""
    me = observation.resident
    return tuple(event.actor for event in observation.events if event.deed == "held back" and event.other == me)
