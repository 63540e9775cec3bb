"""Value of each action for the goal: by similarity, nearness to what the goal names, and the steps of an errand.

It costs no tokens. What is compared is what an action means (itcma_s/meanings.toml) and what it is expected
to bring.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind, owner
from irollan_env.world.observation import Observation
from itcma_s.actions import handled, meanings
from itcma_s.deliberation.goal_targets import is_meeting, targets
from itcma_s.deliberation.similarity_policy.decision_weights import DecisionWeights
from itcma_s.deliberation.similarity_policy.errands import steps_on
from itcma_s.elimination.action_space import irrelevant_to_goal
from itcma_s.elimination.goal_similarity import likeness, sentences
from itcma_s.memory.familiarity import Familiarity, says_where_it_goes
from itcma_s.protention.protention import Protention
from itcma_s.wording import last_heard, lying_there
from language_models.protocol import Embedder

SOCIABLE = re.compile(r"\b(?:somebody|someone|anybody|others|people|neighbours)\b")
"""Words of a goal that needs company, whoever it is."""

SPEECH = re.compile(
    r"\b(?:ask|tell|talk|speak|say|greet|thank|invite|answer|reply|apologi[sz]e|agree|discuss|chat|find out|hear|learn"
    r"|explain|promise|suggest|warn|cheer|comfort|congratulate|welcome|words?|know)\b"
)
"""Words of a goal that is reached by talking."""

_OF_TALK = re.compile(r"(?:ask|tell|talk|speak|chat|discuss)\b")
"""How a goal begins that is reached by talking: what it is about is not handled meanwhile."""

RETURN = re.compile(r"\b(?:owners?|belongs?|back|return)\b")
"""Words of a goal to bring things to those whose they are."""


_LEAVING = re.compile(r"\b(?:leave|leaving|out of|away|from)\b")


def compared(
    goal: str, protended: Sequence[Protention], observation: Observation, familiarity: Familiarity
) -> Iterator[str]:
    """Yield all texts whose embeddings ``pursuit`` and ``called_for`` compare."""
    lying, mentioned = lying_there(observation), familiarity.spoken_of(goal)
    topics = _topics(mentioned, familiarity)
    yield goal
    yield from sentences(goal)
    if (heard := last_heard(observation)) is not None:
        yield from sentences(heard)
    for one in protended:
        yield one.sentence
        yield from meanings(one.action, lying, topics, observation.company)


def pursuit(
    goal: str,
    protended: Sequence[Protention],
    observation: Observation,
    familiarity: Familiarity,
    embedder: Embedder,
    weights: DecisionWeights,
) -> NDArray[np.float64]:
    """Return the value of each action for the goal, by its prediction; shape (len(protended),)."""
    wanted = _Wanted(goal, protended, observation, familiarity, weights)
    values = np.where(wanted.misleading(), 0.0, wanted.likeness(embedder))
    if wanted.steps is not None:
        # Likeness tells which of the steps is meant; what is like an errand and does not bring it on is none.
        values = np.where(wanted.steps > 0, values, 0.0)
    values = values + np.array(wanted.fitting(), dtype=np.float64)
    return values + weights.nearer * np.array(wanted.gain(), dtype=np.float64)


class _Wanted:
    """Compares a goal with the actions of one step.

    Attributes:
        mentioned: The places, people and things that it speaks of.
        steps: How far each action brings an errand on; None where the goal is none, or errands are as other goals.
    """

    def __init__(
        self,
        goal: str,
        protended: Sequence[Protention],
        observation: Observation,
        familiarity: Familiarity,
        weights: DecisionWeights,
    ) -> None:
        self._goal, self._protended, self._weights = goal, protended, weights
        self._observation, self._familiarity = observation, familiarity
        self._lying = lying_there(observation)
        self._company = observation.company
        self.mentioned = familiarity.spoken_of(goal)
        self._actions = [p.action for p in protended]
        self.steps = steps_on(goal, self._actions, observation, familiarity) if weights.errands else None
        # A thing that is to be talked of keeps nobody from those whom that takes.
        self._talked_of = bool(SPEECH.search(goal) or SOCIABLE.search(goal))
        self._of_talk = self.steps is None and _OF_TALK.match(goal) is not None and not RETURN.search(goal)
        # "book 3" means this one; "the book" any.
        self._numbered = [name for name in self.mentioned if name[-1:].isdigit() and _is_named(name, goal)]

    def likeness(self, embedder: Embedder) -> NDArray[np.float64]:
        """Return the similarity of each action to the goal, by its meaning and by its predicted outcome."""
        weights, topics = self._weights, _topics(self.mentioned, self._familiarity)
        brings = likeness(self._goal, [(p.sentence,) for p in self._protended], embedder)
        said = [meanings(action, self._lying, topics, self._company) for action in self._actions]
        says = likeness(self._goal, said, embedder)
        # What nothing here is like may be found elsewhere, but for what is here.
        seen = self._observation.percepts
        leading = np.array([p.place != self._observation.place for p in self._protended])
        found = not self._talked_of and any(one.kind == "item" and one.name in self.mentioned for one in seen)
        if leading.any() and not leading.all() and not found:
            says = np.where(leading, np.maximum(says, weights.elsewhere), says)
        return weights.brings * brings + weights.says * says

    def misleading(self) -> NDArray[np.bool_]:
        """Return whether each action's similarity misleads: it is about another thing, or leaves the goal behind."""
        if not self._weights.misleads:
            return np.zeros(len(self._protended), dtype=np.bool_)
        somebodys = any(self._familiarity.is_person(owner(name) or name) for name in self.mentioned)
        about_another = [
            _is_of_another(action, self._numbered, self._lying)
            or (somebodys and irrelevant_to_goal(action, self.mentioned, self._observation))
            or (self._of_talk and handled(action) in self.mentioned)
            for action in self._actions
        ]
        found = np.array(about_another, dtype=np.bool_)
        if self.steps is None:
            found |= _against(self._goal, self._protended, self.mentioned, self._observation, self._familiarity)
        return found

    def fitting(self) -> list[float]:
        """Return the bonus of each action for turning to people in the goal, and for talking."""
        goal, weights = self._goal, self._weights
        people = [name for name in self.mentioned if self._familiarity.is_person(name)]
        absent = bool(people) and not set(people) & set(self._company)
        met = not set(people).isdisjoint(self._company) and is_meeting(goal, self.mentioned, self._familiarity)
        talk = weights.talk * bool(SPEECH.search(goal) or met)
        turns = [_turns_to(action.partner, people, absent, weights) for action in self._actions]
        return [
            # A thing that is given to whom one wants to talk with is no talk.
            min(turn, 0.0 if self._of_talk and handled(action) else turn) + talk * (action.primitive is Primitive.CHAT)
            for action, turn in zip(self._actions, turns, strict=True)
        ]

    def gain(self) -> list[float]:
        """Return each action's gain in nearness to what the goal names, or its progress of an errand."""
        if self.steps is not None:
            steps: list[float] = self.steps.tolist()
            return steps
        observation, familiarity, company = self._observation, self._familiarity, self._company
        named = self._named()
        sought = [name for name in named if familiarity.is_person(name) and name not in company]
        # First whom the goal wants and is not here, then where.
        named = sought or named
        now = sum(familiarity.nearness(name, observation.place, company) for name in named)
        ends = [(p.place, p.company if p.source == "rule" else ()) for p in self._protended]
        near = {
            end: sum(familiarity.nearness(name, end[0], _beside(*end, name, familiarity)) for name in named)
            for end in set(ends)
        }
        gain = [near[end] - now for end in ends]
        if SOCIABLE.search(self._goal):
            now = _company(observation.place, company, familiarity)
            gain = [extra + _company(*end, familiarity) - now for extra, end in zip(gain, ends, strict=True)]
        return gain

    def _named(self) -> list[str]:
        """Return the people and places that the goal names, and the recipients of carried things."""
        observation = self._observation
        named = targets(self._goal, self.mentioned, observation, self._familiarity)
        # What belongs to somebody who is not here is brought to its owner.
        owed = [name for name in observation.holding if owner(name)] if RETURN.search(self._goal) else []
        carried = list(dict.fromkeys([*(name for name in self.mentioned if name in observation.holding), *owed]))
        named += [whose for whose in map(owner, carried) if whose and whose not in (*named, observation.resident)]
        return named


def called_for(protended: Sequence[Protention], observation: Observation, embedder: Embedder) -> NDArray[np.float64]:
    """Return the similarity of each action to what was just said to the resident, in [0, 1]; shape (len(protended),).

    Talking is an answer whatever was said, and has 0. Who says where it is going asks for nothing.
    """
    heard = last_heard(observation)
    if heard is None or says_where_it_goes(heard):
        return np.zeros(len(protended))
    lying = lying_there(observation)
    closest = likeness(heard, [meanings(p.action, lying, people=observation.company) for p in protended], embedder)
    talks = [p.action.primitive is Primitive.CHAT for p in protended]
    return np.where(talks, 0.0, np.minimum(np.maximum(closest, 0.0), 1.0))


def _topics(mentioned: Sequence[str], familiarity: Familiarity) -> list[str]:
    """Return at most two things mentioned by a goal, as topics of a chat."""
    return [name for name in mentioned if name not in familiarity.places and not familiarity.is_person(name)][:2]


def _turns_to(whom: str | None, people: Sequence[str], absent: bool, weights: DecisionWeights) -> float:
    """Return the bonus or penalty of turning to a person, given the people in the goal."""
    if whom is None or not people:
        return 0.0
    if whom in people:
        return weights.with_them
    return -weights.with_them * (2.0 if absent else 1.0)


def _is_of_another(action: Action, numbered: Sequence[str], lying: Mapping[str, str]) -> bool:
    """Return whether an action concerns another thing of the same kind as a numbered one in the goal."""
    thing = handled(action)
    if not numbered or thing is None:
        return False
    about = f"{thing} {lying.get(thing, '')}" if action.primitive is Primitive.USE else thing
    if any(_is_named(name, about) for name in numbered):
        return False
    return any(re.search(rf"\b{re.escape(kind(name))} \d", about) for name in numbered)


def _is_named(name: str, text: str) -> bool:
    """Return whether a text contains exactly this name: "book 1" is not in "book 15"."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _against(
    goal: str,
    protended: Sequence[Protention],
    mentioned: Sequence[str],
    observation: Observation,
    familiarity: Familiarity,
) -> NDArray[np.bool_]:
    """Return whether each action leaves a person or the only place in the goal, unless the goal is to leave."""
    if _LEAVING.search(goal):
        return np.zeros(len(protended), dtype=np.bool_)
    here = observation.place
    absent = any(familiarity.is_person(name) and name not in observation.company for name in mentioned)
    stays = here != "outside" and [name for name in mentioned if name in familiarity.places] == [here]
    # Who is to be brought here is looked for elsewhere; whom one is to meet here is waited for.
    stays = stays and (not absent or is_meeting(goal, mentioned, familiarity))
    leaving = {f"leave {owner(name) or name}" for name in mentioned}
    return np.array([(stays and p.place != here) or p.action in leaving for p in protended], dtype=np.bool_)


def _beside(place: str, expected: Sequence[str], name: str, familiarity: Familiarity) -> tuple[str, ...]:
    """Return the person as a tuple if predicted at the destination; else an empty one."""
    return (name,) if name in expected or familiarity.whereabouts(name) == place else ()


def _company(place: str, company: Sequence[str], familiarity: Familiarity) -> float:
    """Return the chance of company in a place, in [0, 1]: it is where all doors meet that most are met."""
    if company or place in (familiarity.seen.get(person) for person in familiarity.people):
        return 1.0
    return 0.8 if place == "outside" else 0.2
