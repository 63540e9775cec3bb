"""The result of the last action in words, compared with its prediction."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from irollan_env.actions import Action, Primitive
from irollan_env.world.observation import Observation
from itcma_s.deliberation.plain_words import deed, joined, past, plainly, quoted, without_echo

_TIMES = {2: "second", 3: "third"}
_NOTHING = "Nothing happens. "


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """The last action and its prediction.

    Attributes:
        action: With its words; None for staying.
        place: The expected place.
        company: The people expected at the destination; empty for an action that stays in the place.
    """

    action: str | None
    place: str
    company: tuple[str, ...] = ()

    def get_state(self) -> dict[str, Any]:
        """Return the state as JSON-ready data."""
        return {**asdict(self), "company": list(self.company)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the object with a state from ``get_state``."""
        return cls(**{**state, "company": tuple(state["company"])})


def outcome(done: Done | None, observation: Observation, silent: Container[str], filtered_steps: int = 0) -> str:
    """Describe the result of the last action in the second person; empty in the first step.

    Args:
        done: The act; None where there was none.
        observation: The current observation.
        silent: People who were spoken to, have acted since, and have not answered.
        filtered_steps: Number of consecutive steps in which the resident was filtered.
    """
    if observation.outcome == "failed":
        return "Your last act: none, you did not come to a decision."
    again = (
        f" again, the {_TIMES.get(filtered_steps, f'{filtered_steps}th')} time in a row" if filtered_steps > 1 else ""
    )
    if done is None:
        return f"You were held back{again} before you could do anything." if observation.outcome == "filtered" else ""
    me, action = observation.resident, Action(done.action) if done.action else None
    meant = deed(action, me) if action else "stay"
    talked = action is not None and action.primitive is Primitive.CHAT
    words, partner = (action.words, action.partner) if action is not None and talked else ("", None)
    if observation.outcome == "filtered":
        lost = f": {quoted(words)} Nobody heard it." if words else ", and it did not happen."
        return f"Your last act: you wanted to {meant}, but were held back{again}{lost}"
    if observation.outcome == "inadmissible":
        reason = plainly(observation.result.removeprefix(_NOTHING), me)
        return f"Your last act: you wanted to {meant}, but could not. {reason}"
    if action is None:
        return "Your last act: you stayed and watched."
    seen = {event.actor for event in observation.events} | {message.sender for message in observation.messages}
    if partner:
        here = partner in observation.company
        after = "" if here else f"; {partner} is not here any more"
        if here and partner in silent:
            after = f"; {partner} has not answered"
        return f"Your last act: you spoke to {partner}{after}."
    missed = [name for name in done.company if name not in observation.company and name not in seen]
    hoped = f" You had expected {joined(missed)} here." if missed and done.place == observation.place else ""
    return f"Your last act: {_lower(past(plainly(without_echo(observation.result), me)))}{hoped}"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
