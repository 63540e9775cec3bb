"""Parsing of actions as language models write them into admissible actions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.utils import RecordConstructorArgs

from irollan_env.actions import Action, Primitive

_MARKS = " \t`\"'*>."
_ANSWER = re.compile(r"(?:^|\n)[ \t>*]*action[ \t*]*:[ \t*]*(.+)", re.IGNORECASE)
_VERBS: tuple[tuple[str, str], ...] = (
    (r"^(?:go|walk|move|head)(?: (?:in)?to)? ", "go to "),
    (r"^(?:pick up|grab|get) ", "take "),
    (r"^(?:place|lay|give|hand) ", "put "),
    (r"^(?:talk|speak|chat|say) (?:to|with) |^tell ", "chat with "),
)
_WHERE = re.compile(r" (?:in/on|into|onto|in|on|to) ")
_ARTICLES = re.compile(r"\b(?:the|an?) ")


def understood(text: str, admissible: Iterable[str]) -> str:
    """Return the admissible action that a text means, or the text unchanged if it means none or several.

    It may stand after ``Action:`` in a longer answer, in quotes or Markdown, with capitals, articles and a full stop,
    with ``in``, ``on``, ``into`` or ``onto`` for ``in/on``, and with another verb (``walk to``, ``pick up``, ``place``,
    ``give``, ``talk to``). Nothing else is guessed: names must be whole. The words of a chat stay as they are.

    Args:
        text: The written answer; untrusted, of any length.
        admissible: The admissible actions.
    """
    actions = tuple(map(Action, admissible))
    if text in actions:
        return text
    answers = _ANSWER.findall(text)
    line = answers[-1] if answers else text.strip().partition("\n")[0]
    head, colon, words = line.partition(":")
    plain = _plain(head)
    meant = [action for action in actions if _plain_action(action) == plain]
    if len(meant) != 1 or (meant[0].primitive is Primitive.CHAT) != bool(colon and words.strip()):
        return text
    said = words.strip(' \t`"*')
    return f'chat with {meant[0].target}: "{said}"' if meant[0].primitive is Primitive.CHAT else meant[0]


@lru_cache(maxsize=2**14)
def _plain_action(action: Action) -> str:
    return _plain(action.partition(":")[0] if action.primitive is Primitive.CHAT else action)


def _plain(text: str) -> str:
    plain = _ARTICLES.sub("", " ".join(text.strip(_MARKS).casefold().split()))
    for verb, primitive in _VERBS:
        plain = re.sub(verb, primitive, plain, count=1)
    return _WHERE.sub(" in/on ", plain) if plain.startswith("put ") else plain


class ForgivingActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Takes actions as language models write them (``understood``); for environments whose actions are text."""

    def __init__(self, env: gym.Env[Any, str]) -> None:
        """Wrap an environment whose ``info`` has ``admissible_actions``."""
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._admissible: tuple[str, ...] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset the environment and remember its admissible actions."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._admissible = info["admissible_actions"]
        return observation, info

    def step(self, action: str | None) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Perform the admissible action that the text means.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self._admissible is None:
            raise ResetNeeded("step was called before reset; call reset first")
        meant = action if action is None else understood(action, self._admissible)
        observation, reward, terminated, truncated, info = self.env.step(meant)
        self._admissible = info["admissible_actions"]
        return observation, reward, terminated, truncated, info
