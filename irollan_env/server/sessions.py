"""Sessions: valleys driven by clients, each with an unguessable identifier."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

from irollan_env.environments.info import IN_OTHER_WORLDS, observation_from
from irollan_env.environments.parallel import IrollanValleyParallelEnv
from irollan_env.hints import check_known, quote
from irollan_env.server.limits import Limits
from irollan_env.world.observation import Observation

_IN_OBSERVATION = frozenset(
    (
        *("time", "place", "sentence", "percepts", "messages", "events", "goal", "doing", "outcome", "result"),
        *("resident", "admissible_actions", "action_mask"),
        *IN_OTHER_WORLDS,
    )
)


class UnknownSession(LookupError):
    """Raised for a session that does not exist, or was closed."""


class TooManySessions(RuntimeError):
    """Raised when the server has reached its limit of sessions."""


class OutOfOrder(RuntimeError):
    """Raised for a call before the first reset, or after the episode's end."""


class Session:
    """One valley driven by requests.

    Attributes:
        identifier: The session's identifier in request URLs.
        used: Time of its last use, in seconds of the store's clock.
    """

    def __init__(self, identifier: str, env: IrollanValleyParallelEnv, text_limit: int) -> None:
        """Create a session; call ``reset`` before anything else.

        Args:
            identifier: The session's identifier in request URLs.
            env: The valley, with actions as text.
            text_limit: Characters of one action.
        """
        self.identifier = identifier
        self.used = 0.0
        self._env = env
        self._text_limit = text_limit
        self._held: dict[str, str | None] = {}
        self._seen: dict[str, Observation] = {}
        self._infos: dict[str, dict[str, Any]] = {}
        self._last: tuple[int, dict[str, str | None], dict[str, Any]] | None = None

    @property
    def residents(self) -> list[str]:
        """The residents of the valley."""
        return list(self._env.possible_agents)

    def reset(self, seed: int | None, options: dict[str, Any]) -> dict[str, Any]:
        """Start an episode; stored actions are dropped.

        Args:
            seed: Seed of this and later episodes, at least 0; None continues with the current generator.
            options: The options of the environment's reset.
        """
        _, infos = self._env.reset(seed=seed, options=options)
        self._keep(infos)
        return self.frame()

    def act(self, resident: str, action: str | None) -> dict[str, Any]:
        """Store one resident's action for the next step; a later one replaces it.

        Args:
            resident: Its name.
            action: A primitive; None waits.

        Raises:
            OutOfOrder: when no episode is running.
            ValueError: for an unknown resident, or too long a text.
        """
        self._need_running("act")
        self._known(resident)
        self._check_text("action", action)
        self._held[resident] = action
        return {"held": [name for name in self._env.agents if name in self._held]}

    def step(self, actions: Mapping[str, str | None], time: int | None = None) -> dict[str, Any]:
        """Let all residents act: as given here, else as stored; residents without an action wait.

        Args:
            actions: By resident.
            time: The expected time before the step; None for any. If the last step was at this time with these
                actions, its response is returned again.

        Raises:
            OutOfOrder: when no episode is running, or it is at another time.
            ValueError: for an unknown resident, or too long a text; nothing has changed then.
        """
        if time is not None and self._last is not None and self._last[:2] == (time, dict(actions)):
            return self._last[2]
        self._need_running("step")
        now = self._env.world.time
        if time is not None and time != now:
            raise OutOfOrder(
                f"a step at time {time} was asked for, and the session is at {now}; observe, and step then"
            )
        for name, action in actions.items():
            self._check_text(f"actions[{quote(name)}]", action)
        _, rewards, terminations, truncations, infos = self._env.step({**self._held, **actions})
        self._keep(infos)
        stepped = {**self.frame(), "rewards": rewards, "terminations": terminations, "truncations": truncations}
        self._last = now, dict(actions), stepped
        return stepped

    def frame(self) -> dict[str, Any]:
        """Return all current observations, the residents that still act, and the other infos of each.

        Raises:
            OutOfOrder: before the first reset.
        """
        self._need_started("observe")
        return {
            "agents": list(self._env.agents),
            "observations": {name: seen.to_json() for name, seen in self._seen.items()},
            "infos": self._infos,
        }

    def observe(self, resident: str) -> Observation:
        """Return one resident's current observation.

        Raises:
            OutOfOrder: before the first reset.
            ValueError: for an unknown resident.
        """
        self._need_started("observe")
        return self._seen[self._known(resident)]

    def snapshot(self) -> dict[str, Any]:
        """Return the environment's state, without the stored actions.

        Raises:
            OutOfOrder: before the first reset.
        """
        self._need_started("snapshot")
        return self._env.get_state()

    def restore(self, state: Any) -> dict[str, Any]:
        """Restore a snapshot of this or another session on the same map; stored actions are dropped.

        Raises:
            ValueError: for an invalid state, saying where; nothing has changed then.
        """
        self._env.set_state(state)
        _, infos = self._env.observe()
        self._keep(infos)
        return self.frame()

    def _keep(self, infos: Mapping[str, dict[str, Any]]) -> None:
        self._seen = {name: observation_from(name, info) for name, info in infos.items()}
        self._infos = {
            name: {key: value for key, value in info.items() if key not in _IN_OBSERVATION}
            for name, info in infos.items()
        }
        self._held, self._last = {}, None

    def _known(self, resident: str) -> str:
        return check_known("resident", resident, self._env.possible_agents)

    def _check_text(self, where: str, text: str | None) -> None:
        if text is not None and len(text) > self._text_limit:
            raise ValueError(f"{where} has {len(text)} characters; at most {self._text_limit} are taken")

    def _need_started(self, what: str) -> None:
        if not self._seen:
            raise OutOfOrder(f"{what} was called before reset; reset the session first")

    def _need_running(self, what: str) -> None:
        self._need_started(what)
        if not self._env.agents:
            raise OutOfOrder(f"{what} was called after the episode had ended; reset the session")


class SessionStore:
    """The open sessions of a server; sessions idle for too long are closed."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without sessions.

        Args:
            limits: Limits on sessions, idle time and text length.
            clock: A monotonic clock in seconds.
        """
        self._limits = limits
        self._clock = clock
        self._sessions: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def create(self, env: IrollanValleyParallelEnv) -> Session:
        """Create a session.

        Raises:
            TooManySessions: when the limit of sessions is reached.
        """
        self.close_idle()
        if len(self._sessions) >= self._limits.sessions:
            raise TooManySessions(
                f"the server holds {self._limits.sessions} sessions, as many as it may; close one, or start the "
                "server with more --max-sessions"
            )
        session = Session(secrets.token_urlsafe(24), env, self._limits.text)
        session.used = self._clock()
        self._sessions[session.identifier] = session
        return session

    def get(self, identifier: str) -> Session:
        """Return a session and mark it as used.

        Raises:
            UnknownSession: when there is none.
        """
        self.close_idle()
        if identifier not in self._sessions:
            raise UnknownSession(
                f"there is no session {quote(identifier)}; it was closed, or was idle for more than "
                f"{self._limits.idle:g} s, or never was; create one"
            )
        session = self._sessions[identifier]
        session.used = self._clock()
        return session

    def close(self, identifier: str) -> None:
        """Delete a session.

        Raises:
            UnknownSession: when there is none.
        """
        del self._sessions[self.get(identifier).identifier]

    def close_idle(self) -> None:
        """Delete sessions that have been idle for too long."""
        oldest = self._clock() - self._limits.idle
        for identifier in [key for key, session in self._sessions.items() if session.used < oldest]:
            del self._sessions[identifier]
