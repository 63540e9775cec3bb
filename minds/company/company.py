"""Rule-based residents, the company in which other minds are measured."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from irollan_env.actions import SILENCE, Action, Primitive, chat_with
from irollan_env.hints import did_you_mean
from irollan_env.naming import owner
from irollan_env.policies.simple import response
from irollan_env.world.observation import Observation
from irollan_env.world.requests import ACKNOWLEDGEMENT
from minds.mind import MindContext

LONGEST_NEWS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """Behaviour of a rule-based resident; each number is a probability per step, in [0, 1].

    Attributes:
        about: Description in one line.
        greets: Greets somebody present.
        answers: Answers messages, and gives requested items.
        repeats: Passes on the last message that it received.
        returns: Gives an item back to its owner, if present.
        takes: Takes an item.
        eats: Uses what it holds.
        roams: Goes through a door.
        held_out: Whether no page or example of the repository shows the profile.
    """

    about: str
    greets: float
    answers: float
    repeats: float
    returns: float
    takes: float
    eats: float
    roams: float
    held_out: bool = False

    @property
    def sha256(self) -> str:
        """Checksum of the whole profile, which scenarios state."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@cache
def profiles() -> dict[str, Profile]:
    """Read all profiles from ``profiles.toml``, by name."""
    data = tomllib.loads((files(__package__) / "profiles.toml").read_text(encoding="utf-8"))
    return {name: Profile(**values) for name, values in data.items()}


class Company:
    """Acts by a profile: draws each behaviour in a fixed order, and does the first one drawn that is possible."""

    def __init__(self, context: MindContext, argument: Profile) -> None:
        """Start without a message to pass on.

        Args:
            context: Name and generator of the resident.
            argument: Its behaviour.
        """
        self._context = context
        self._profile = argument
        self._news = ""

    @staticmethod
    def parse_argument(text: str) -> Profile:
        """Return the profile of a name.

        Raises:
            ValueError: for an unknown name.
        """
        if text not in profiles():
            known = ", ".join(profiles())
            raise ValueError(
                f"company has no profile {text!r}: it must be one of {known}{did_you_mean(text, profiles())}"
            )
        return profiles()[text]

    def act(self, observation: Observation) -> str | None:
        """Return one admissible action, or None to wait."""
        for message in observation.messages:
            mine = message.addressee == self._context.name
            if mine and ACKNOWLEDGEMENT not in message.text and message.text != SILENCE:
                self._news = message.text[:LONGEST_NEWS]
        one = self._profile
        ways: tuple[tuple[float, Callable[[Observation], str | None]], ...] = (
            (one.returns, _handing_back),
            (one.answers, response),
            (one.repeats, self._telling),
            (one.greets, self._greeting),
            (one.eats, lambda seen: self._any(_beginning(seen, "use ", held=True))),
            (one.takes, lambda seen: self._any(_beginning(seen, "take "))),
            (one.roams, lambda seen: self._any(_beginning(seen, "go to "))),
        )
        for probability, way in ways:
            # Drawn in any case, so that encounters do not shift the later draws.
            allowed = self._context.generator.random() < probability
            if allowed and (action := way(observation)) is not None:
                return action
        return None

    def _telling(self, observation: Observation) -> str | None:
        person = self._any(_people(observation))
        return chat_with(person, self._news) if person and self._news else None

    def _greeting(self, observation: Observation) -> str | None:
        person = self._any(_people(observation))
        return chat_with(person, f"Hello {person}, what are you doing?") if person else None

    def _any(self, options: Sequence[str]) -> str | None:
        return options[int(self._context.generator.integers(len(options)))] if options else None

    def get_state(self) -> dict[str, Any]:
        """Return the last message that it received."""
        return {"news": self._news}

    def set_state(self, state: Any) -> None:
        """Restore a state from `get_state`."""
        self._news = str(state["news"])


def _people(observation: Observation) -> list[str]:
    chats = (action for action in observation.admissible if action.primitive is Primitive.CHAT)
    return [action.partner for action in chats if action.partner is not None]


def _beginning(observation: Observation, verb: str, *, held: bool = False) -> list[Action]:
    found = [action for action in observation.admissible if action.startswith(verb)]
    return [action for action in found if action.removeprefix(verb) in observation.holding] if held else found


def _handing_back(observation: Observation) -> str | None:
    for action in observation.admissible:
        if action.primitive is Primitive.PUT and owner(str(action.item)) == action.target:
            return action
    return None
