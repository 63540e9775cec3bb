"""HTTP client: a remote valley with the interface of the local environment (examples in ``docs/server.md``)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, ClassVar, NoReturn

try:
    import httpx
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        "the client needs the package httpx, which is not installed; install it with: "
        "python -m pip install 'irollan-valley[server]'",
        name="httpx",
    ) from _error

from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from irollan_env.environments.action_numbers import AgentAction
from irollan_env.environments.agent_interface import AgentInterface, ParallelObservation, Shown, Stepped
from irollan_env.environments.info import MAX_STEPS, check_render_mode, only_resident, picture
from irollan_env.environments.parallel import IrollanValleyParallelEnv
from irollan_env.environments.settings import EpisodeSettings, Tasks, tasks_to_json
from irollan_env.environments.shown_text import Content, check_content
from irollan_env.hints import check_known
from irollan_env.map.catalogue import Catalogue
from irollan_env.map.json_form import map_from_json
from irollan_env.tasks.episode import AssignedTasks
from irollan_env.world.numbered_actions import catalogue_of
from irollan_env.world.observation import Observation

TOKEN_VARIABLE = "IROLLAN_TOKEN"
"""The environment variable that holds the token, for the server and for its clients."""


class SessionClosed(RuntimeError):
    """Raised when the session was closed or timed out."""


class RemoteParallelEnv(ParallelEnv[str, ParallelObservation, AgentAction]):  # type: ignore[misc]
    """The environment of ``irollan_env.parallel_env``, running on a server that ``irollan serve`` started.

    Spaces, observations, rewards, episode end and info are those of ``IrollanValleyParallelEnv``, for the same seed the
    same. A step is one request. As a context manager it closes its session at the end.

    Attributes:
        session: The session's identifier; anyone who knows it can control the session.
        map: The server's map.
        catalogue: Its numbered actions.

    Errors besides those of the local environment: ``ConnectionError`` when no server answers, ``TimeoutError`` when it
    does not in time, ``PermissionError`` for a wrong token, ``SessionClosed`` when the session is gone, and
    ``ValueError`` with the server's message for rejected requests.
    """

    metadata: ClassVar[dict[str, Any]] = {**IrollanValleyParallelEnv.metadata, "render_modes": ["ansi"]}
    state_space: ClassVar[spaces.Text] = IrollanValleyParallelEnv.state_space

    def __init__(
        self,
        address: str = "http://127.0.0.1:8000",
        *,
        token: str | None = None,
        max_steps: int = MAX_STEPS,
        task: Tasks = None,
        split: str = "train",
        reward: str = "sparse",
        credit: str = "own",
        expert_plan: bool = False,
        observation: Content | None = None,
        percepts: bool = False,
        render_mode: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        """Open a session.

        Args:
            address: The server's address, as the server prints it.
            token: The server's token; by default the environment's IROLLAN_TOKEN, if set.
            max_steps: Steps until all residents are truncated.
            task: The task assignment, as for ``IrollanValleyParallelEnv``.
            split: ``"train"``, ``"validation"``, ``"test_seen"`` or ``"test_unseen"``.
            reward: ``"sparse"`` or ``"dense"``.
            credit: ``"own"``, ``"team"`` or ``"both"``.
            expert_plan: True adds ``infos[name]["expert_plan"]``.
            observation: ``"full"``, ``"sentence"``, or None for full where there is a task.
            percepts: True fills "percepts" and "events" of infos, at several times the cost of a step.
            render_mode: None or ``"ansi"``.
            timeout: Seconds that one request may take.

        Raises:
            ValueError: for an invalid argument.
            ConnectionError: when no server answers there.
            PermissionError: when the token is wrong.
            RuntimeError: when the server has reached its limit of sessions.
        """
        self.render_mode = check_render_mode(render_mode, ("ansi",))
        asked = EpisodeSettings(
            max_steps=max_steps, task=task, split=split, reward=reward, credit=credit, expert_plan=expert_plan
        )
        self.session: str | None = None
        self._seen: dict[str, Observation] = {}
        self._server = _Server(address, token, timeout)
        try:
            of_drawn_valleys = ("instance", "difficulty")  # which a server with one map has not
            body = {key: value for key, value in asked.to_json().items() if key not in of_drawn_valleys}
            body |= {"expert_plan": expert_plan, "percepts": percepts}
            created = self._server.call("POST", "/sessions", body)
            self.session = created["session"]
            self.map = map_from_json(self._session_call("GET", "/map"))
        except BaseException:
            self.close()
            raise
        self.catalogue = catalogue_of(self.map)
        if created["actions"]:
            self.catalogue = Catalogue(self.map.tables, [*self.catalogue.actions, *created["actions"]])
        full = check_content(observation, tasks=task is not None)
        self._interface = AgentInterface(
            self.map, full=full, actions="numbers", slots=None, catalogue=lambda: self.catalogue
        )
        self.possible_agents: list[str] = created["residents"]
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Dict | spaces.Text:
        """Return a resident's observation space: text and action mask."""
        return self._interface.spaces.observation(agent)

    def action_space(self, agent: str) -> spaces.Discrete | spaces.Text:
        """Return a resident's action space: the numbers of ``env.catalogue``."""
        return self._interface.spaces.action(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Shown:
        """Start an episode, as ``IrollanValleyParallelEnv.reset``.

        Args:
            seed: Seed of this and later episodes, at least 0; None continues with the current generator.
            options: As for ``IrollanValleyParallelEnv.reset``.
        """
        # "options" is the key with which PettingZoo's conformance test checks that reset takes options.
        given = {key: tasks_to_json(value) for key, value in (options or {}).items() if key != "options"}
        return self._keep(self._session_call("POST", "/reset", {**given, "seed": None if seed is None else int(seed)}))

    def step(self, actions: Mapping[str, AgentAction]) -> Stepped:
        """Let all residents act once, in one request, as ``IrollanValleyParallelEnv.step``.

        After a ``TimeoutError`` the step can be requested again; it is taken only once.
        """
        if self._seen and not self.agents:
            return {}, {}, {}, {}, {}
        texts = self._interface.texts(actions)
        now = next((seen.time for seen in self._seen.values()), None)
        answer = self._session_call("POST", "/step", {"actions": texts, "time": now})
        observations, infos = self._keep(answer)
        return observations, answer["rewards"], answer["terminations"], answer["truncations"], infos

    def observe(self, agent: str) -> Observation:
        """Request one resident's current observation from the server."""
        check_known("resident", agent, self.possible_agents)
        return Observation.from_json(self._session_call("GET", "/observations")["observations"][agent])

    def get_state(self) -> dict[str, Any]:
        """Return the complete state of the remote valley as JSON-ready data."""
        state: dict[str, Any] = self._session_call("GET", "/snapshot")["state"]
        return state

    def state(self) -> str:
        """Return the whole state as JSON, as the local environment does."""
        state = self.get_state()
        return json.dumps({"world": state["world"], "tasks": state["tasks"]})

    def set_state(self, state: Mapping[str, Any]) -> Shown:
        """Restore a state from ``get_state``, in this or another session on the same map.

        Returns:
            Observations and infos, as ``reset`` gives them.

        Raises:
            ValueError: for an invalid state, saying where; nothing has changed then.
        """
        return self._keep(self._session_call("POST", "/restore", {"state": state}))

    def observation_of(self, resident: str | None = None) -> Observation:
        """Return a resident's current observation; ``irollan_env.observation_of`` calls this.

        Raises:
            ResetNeeded: before the first reset.
            ValueError: for an unknown resident, None where there are several, or a session without percepts.
        """
        name = only_resident(resident, self.possible_agents)
        if not self._seen:
            raise ResetNeeded("there is no episode yet; call reset first")
        if not self._seen[name].percepts:
            raise ValueError("this session has no percepts; make the environment with percepts=True")
        return self._seen[name]

    def render(self) -> str | None:
        """Render the latest observations of all residents as text, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(picture(seen) for seen in self._seen.values())

    def close(self) -> None:
        """Close the session and the connection. Closing twice does nothing."""
        session, self.session = self.session, None
        try:
            if session is not None:
                self._server.call("DELETE", f"/sessions/{session}")
        except (ConnectionError, TimeoutError, SessionClosed):
            # The server or the session is gone already, which closing was meant to achieve.
            pass
        finally:
            self._server.close()

    def __enter__(self) -> RemoteParallelEnv:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _keep(self, frame: dict[str, Any]) -> Shown:
        self.agents = frame["agents"]
        self._seen = {name: Observation.from_json(data) for name, data in frame["observations"].items()}
        observations, infos = self._interface.show(self._seen, AssignedTasks(), expert_plan=False)
        for name, info in infos.items():
            more = frame["infos"][name]
            if "expert_plan" in more:
                more["expert_plan"] = tuple(more["expert_plan"])
            info.update(more)
        return observations, infos

    def _session_call(self, method: str, path: str, body: Any = None) -> Any:
        if self.session is None:
            raise SessionClosed("this environment was closed; make a new one")
        return self._server.call(method, f"/sessions/{self.session}{path}", body)


class _Server:
    """A connection to a server that sends JSON requests and raises Python exceptions for the server's errors."""

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        url = httpx.URL(address)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError(f"the address must look like http://127.0.0.1:8000, got {address!r}")
        token = os.environ.get(TOKEN_VARIABLE) if token is None else token
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        # A proxy from the environment cannot reach this machine's loopback address.
        near = url.host in ("localhost", "127.0.0.1", "::1")
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, trust_env=not near)
        self._urls: dict[str, httpx.URL] = {}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return the response body; None for an empty one."""
        content = None if body is None else json.dumps(body).encode("ascii")
        try:
            response = self._http.request(method, self._url(path), content=content)
        except httpx.ConnectError as error:
            raise ConnectionError(
                f"no server answers at {self._http.base_url} ({error}); start one with: irollan serve"
            ) from error
        except httpx.TimeoutException as error:
            raise TimeoutError(f"{self._http.base_url} did not answer in time ({error!r})") from error
        except httpx.TransportError as error:
            raise ConnectionError(f"the connection to {self._http.base_url} broke: {error!r}") from error
        if not response.is_success:
            _refuse(response)
        return response.json() if response.content else None

    def _url(self, path: str) -> httpx.URL:
        """Return the parsed URL of a path, cached because parsing is a large part of a request's cost."""
        if path not in self._urls:
            self._urls[path] = httpx.URL(f"{str(self._http.base_url).rstrip('/')}{path}")
        return self._urls[path]

    def close(self) -> None:
        """End the connection."""
        self._http.close()


def _refuse(response: httpx.Response) -> NoReturn:
    """Raise the exception for an unsuccessful response."""
    try:
        detail = str(response.json()["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"HTTP status {response.status_code} without a reason; is this a server that irollan serve started?"
    if response.status_code in (401, 403):
        raise PermissionError(f"the server at {response.url.host} refused: {detail}; set {TOKEN_VARIABLE} or token=")
    if response.status_code == 404:
        raise SessionClosed(detail)
    if response.status_code == 409:
        raise ResetNeeded(detail)
    if response.status_code in (400, 413, 422):
        raise ValueError(detail)
    raise RuntimeError(detail)
