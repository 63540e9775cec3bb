"""Mind in another process or language, which gets observations and returns actions over HTTP.

Each request is ``POST URL`` with the JSON ``{"resident": NAME, "observation": {...}, "state": ...}`` and the header
``Authorization: Bearer TOKEN``; each answer is ``{"action": TEXT or null, "state": ..., "thought": ..., "goal": ...}``,
of which only "action" is required. A resident with an identity has "history", a list of sentences, in each request. The
"state" of an answer is sent with the next request: the run keeps it, so that the other process need not remember
anything, and a run can be resumed exactly.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from irollan_env.hints import did_you_mean, quote
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from language_models.masking import masked, register_secret
from language_models.remote.bodies import NoAnswer, read_body, read_limited
from language_models.remote.connections import open_session
from minds.in_thread import PATIENCE
from minds.mind import MindContext

TOKEN = "IROLLAN_MIND_TOKEN"
LARGEST_ANSWER = 16_000_000
_KEYS = ("action", "thought", "goal", "plan", "state")


class RemoteError(RuntimeError):
    """Raised if a remote mind gives no usable answer."""


class Remote:
    """Forwards observations to a mind at an address.

    Attributes:
        state: What the remote mind sent last, which goes with the next observation.
    """

    def __init__(self, context: MindContext, argument: str) -> None:
        """Set the address.

        Args:
            context: Name of the resident.
            argument: The address.
        """
        self._context = context
        self._url = argument
        register_secret(os.environ.get(TOKEN, ""))
        self.state: Any = None

    @staticmethod
    def parse_argument(text: str) -> str:
        """Check the address and return it.

        Raises:
            ValueError: for anything else, or where no token is set.
        """
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(
                f"the mind remote is written remote:URL, such as remote:http://127.0.0.1:9000, got {text!r}"
            )
        if "@" in parts.netloc:
            raise ValueError(f"the address of a remote mind must hold no password; put a token into {TOKEN}")
        if not os.environ.get(TOKEN):
            raise ValueError(f"the mind remote needs the token that {text} expects in the environment variable {TOKEN}")
        return text

    async def act(self, observation: Observation) -> Act:
        """Return the remote mind's answer.

        Raises:
            RemoteError: if it gives no usable answer within a minute.
        """
        sent = {"resident": self._context.name, "observation": observation.to_json(), "state": self.state}
        if history := self._context.history.lines():
            sent["history"] = history
        try:
            async with (
                open_session(self._url, headers=self._headers(), seconds=PATIENCE) as session,
                session.post(self._url, json=sent, allow_redirects=False) as response,
            ):
                if response.status != 200:
                    raise RemoteError(f"{self._url} answered with status {response.status}")
                content, too_long = await read_limited(response.content, LARGEST_ANSWER)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise RemoteError(f"{self._url} did not answer: {type(error).__name__}: {masked(str(error))}") from error
        if too_long:
            raise RemoteError(f"answered with more than {LARGEST_ANSWER:,} bytes")
        answer = _read(content)
        self.state = answer.get("state")
        return Act(
            action=answer["action"],
            thought=answer.get("thought", ""),
            goal=answer.get("goal", ""),
            plan=tuple(answer.get("plan", ())),
        )

    @staticmethod
    def _headers() -> dict[str, str]:
        return {"Authorization": f"Bearer {os.environ.get(TOKEN, '')}"}

    def get_state(self) -> dict[str, Any]:
        """Return the state that the remote mind sent last."""
        return {"state": self.state}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state`."""
        self.state = state["state"]


def _read(content: bytes) -> Mapping[str, Any]:
    """Parse an answer as a mapping with the key "action".

    Raises:
        RemoteError: for anything else.
    """
    try:
        answer = read_body(content, "").answer
    except NoAnswer as error:
        raise RemoteError(f"answered {error}; it must be an object with the key 'action'") from None
    if "action" not in answer:
        raise RemoteError(f"answered {quote(repr(answer))}; it must be an object with the key 'action'")
    for key in answer:
        if key not in _KEYS:
            raise RemoteError(f"answered an unknown key {quote(key)}{did_you_mean(key, _KEYS)}")
    return answer
