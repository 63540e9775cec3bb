"""The mutable state of a mind, and checks for saving and loading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from irollan_env.actions import Action
from irollan_env.world.observation import Observation
from itcma_s.actions import without_words
from itcma_s.deliberation.channel_in_words import PromptDetail, moments
from itcma_s.deliberation.plain_words import joined
from itcma_s.deliberation.protocol import Deliberation
from itcma_s.emotion.events import Events
from itcma_s.emotion.feelings import Feelings, in_words
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.familiarity import Familiarity
from itcma_s.memory.memory import Memory
from itcma_s.memory.past import Past
from itcma_s.parameters import Mechanisms
from itcma_s.protention.protention import is_fixture

VERSION = 11
_LATEST_ACTIONS = 6


@dataclass(slots=True, kw_only=True)
class MindState:
    """The mutable state of a mind; empty at first, except for the deliberation.

    Attributes:
        deliberation: Forms goals, decides and speaks; holds the goal.
        past: Channel and long-term memory.
        feelings: Pleasure, arousal, dominance, and the driver.
        familiarity: Known places, people and things.
        events: Events of the last step, and people whose answer is pending.
        imagined: Place never seen -> the model's description of it.
        recent_actions: The last actions without words, latest last, at most six.
        expected: The predicted field of the last action; None without a prediction.
        last_action: The last action; None at first, after staying, and after a step that failed or was filtered before
            the decision.
    """

    deliberation: Deliberation
    past: Past
    feelings: Feelings = field(default_factory=Feelings)
    familiarity: Familiarity = field(default_factory=Familiarity)
    events: Events = field(default_factory=Events)
    imagined: dict[str, str] = field(default_factory=dict)
    recent_actions: list[str] = field(default_factory=list)
    expected: Field | None = None
    last_action: str | None = None

    def finish_last_step(self, observation: Observation) -> None:
        """Record the result of the last action in the frame in which it was taken."""
        self.deliberation.notice(observation, self.last_action)
        if self.last_action is None:
            if observation.outcome != "executed":
                self.expected = None
            return
        took_place = observation.outcome == "executed"
        done = Action.parse(self.last_action)
        said = []
        if took_place and isinstance(done, Action) and done.words:
            said.append(f"{observation.resident} to {done.target}: {done.words}")
        self.past.finish(self.last_action, observation.result, said)
        if not took_place:
            # The prediction was for an action that was not carried out.
            self.expected = None
            if observation.outcome == "filtered":
                # Retrying it does not count as a repetition.
                self.recent_actions = self.recent_actions[:-1]

    def begin(self, action: str | None, expected: Field | None) -> None:
        """Record the chosen action, None for staying, and its predicted field."""
        self.expected, self.last_action = expected, action
        if action is None:
            return
        self.recent_actions = [*self.recent_actions, without_words(action)][-_LATEST_ACTIONS:]

    def do_nothing(self) -> None:
        """Record a step without an action: a model call failed, or the resident was filtered before it decided."""
        self.expected, self.last_action = None, None

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {
            **self.past.get_state(),
            "familiarity": self.familiarity.get_state(),
            "events": self.events.get_state(),
            "deliberation": self.deliberation.get_state(),
            "imagined": dict(self.imagined),
            "recent_actions": list(self.recent_actions),
            "expected": self.expected.get_state() if self.expected is not None else None,
            "last_action": self.last_action,
            "levels": self.feelings.get_state(),
        }

    def restored(self, state: Mapping[str, Any]) -> MindState:
        """Return a new mind state with a state from ``get_state``; this one is not changed.

        Raises:
            ValueError: if the saved past retains another number of frames, or the deliberation is of another kind.
            KeyError, TypeError, AttributeError, IndexError: if parts are missing or damaged.
        """
        return MindState(
            past=self.past.restored(state),
            familiarity=Familiarity.from_state(state["familiarity"], self.familiarity),
            events=Events.from_state(state["events"]),
            deliberation=self.deliberation.restored(state["deliberation"]),
            imagined=dict(state["imagined"]),
            recent_actions=list(state["recent_actions"]),
            expected=Field.from_state(state["expected"]) if state["expected"] is not None else None,
            last_action=state["last_action"],
            feelings=Feelings.from_state(state["levels"]),
        )


def compatibility(name: str, mechanisms: Mechanisms, table: NameTable) -> dict[str, Any]:
    """Return the data in which a saved mind and the mind that loads it must agree.

    It includes the number of names in the name table and their fingerprint, since fields are saved as ids of names.
    """
    names = {"count": len(table), "fingerprint": table.fingerprint(len(table))}
    return {"version": VERSION, "name": name, "mechanisms": asdict(mechanisms), "names": names}


def check_mind_version(state: Mapping[str, Any]) -> None:
    """Check that this code can load a saved mind.

    Raises:
        ValueError: for another version.
    """
    if state.get("version") != VERSION:
        raise ValueError(
            f"a saved mind must be of version {VERSION}, got {state.get('version')!r}; go on with the code that it was "
            "saved by (the manifest of a run names the revision)"
        )


def check_compatible(state: Mapping[str, Any], name: str, mechanisms: Mechanisms, table: NameTable) -> None:
    """Check that a saved mind has the same name, mechanisms and name table as this one.

    Raises:
        ValueError: for another version, another name, other mechanisms, or another name table.
        KeyError, TypeError: if a part is missing or damaged.
    """
    check_mind_version(state)
    if state.get("name") != name:
        raise ValueError(f"this is the mind of {state.get('name')!r}, and the resident is {name!r}")
    saved, names = state["mechanisms"], state["names"]
    if saved != asdict(mechanisms):
        raise ValueError(
            f"the saved mind of {name!r} has the mechanisms {dict(saved)}, this resident {asdict(mechanisms)}; make "
            "the resident with the saved ones"
        )
    count = names["count"]
    if count > len(table) or table.fingerprint(count) != names["fingerprint"]:
        raise ValueError(
            f"the saved mind of {name!r} belongs to another name table: it knows {count} names, and the {len(table)} "
            "names of this table do not begin with them; restore its table first, or hand in the one it was saved "
            "beside"
        )


def describe_mind(me: str, mind: MindState, table: NameTable) -> list[str]:
    """Describe a mind in words: its memories, where it last saw people and things, its feeling and its goal.

    Args:
        me: The resident, addressed as "you".
        mind: The state to describe; it is not changed.
        table: The name table of its fields.

    Returns:
        A line each, the oldest moment first, the goal last.
    """
    past = mind.past
    frames = [Memory.from_frame(frame) for frame in (*past.segment, *past.channel.frames)]
    where: dict[str, list[str]] = {}
    for name, place in mind.familiarity.seen.items():
        if name != me and not is_fixture(name):
            where.setdefault(place, []).append(name)
    now, goal = past.channel.primal_impression, mind.deliberation.goal()
    return [
        *moments([*past.memory, *frames], me, table, PromptDetail.DEEDS),
        *(f"you last knew of {joined(names)} in {place}" for place, names in where.items()),
        *([f"you feel {in_words((now.pleasure, now.arousal, now.dominance))}"] if now is not None else []),
        *([f"you want to {goal}"] if goal else []),
    ]
