"""A remote valley is used like a local one."""

import socket
import warnings
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from live_server import running
from pettingzoo.test import parallel_api_test

import irollan_env
from irollan_env import ValleyMap
from irollan_env.actions import Action
from irollan_env.client import RemoteParallelEnv, SessionClosed
from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits
from irollan_env.tasks import Deliver


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(create_app(limits=Limits(sessions=3))) as served:
        yield served


@pytest.fixture
def remote(address: str) -> Iterator[RemoteParallelEnv]:
    with RemoteParallelEnv(address) as env:
        yield env


def same(remote: Any, local: Any) -> None:
    """Equal, arrays and types included."""
    assert type(remote) is type(local) or {type(remote), type(local)} == {str, Action}
    if isinstance(local, dict):
        assert list(remote) == list(local)
        for key, value in local.items():
            same(remote[key], value)
    elif isinstance(local, tuple):
        for one, other in zip(remote, local, strict=True):
            same(one, other)
    elif isinstance(local, np.ndarray):
        assert remote.dtype == local.dtype
        np.testing.assert_array_equal(remote, local)
    else:
        assert remote == local


DELIVER = Deliver(kind="book", person="WM")


@pytest.mark.parametrize(
    "way",
    [
        {"percepts": True},
        {"task": {"AY": "find", "LL": DELIVER}, "split": "test_unseen", "reward": "dense", "expert_plan": True},
    ],
)
def test_steps_are_those_of_the_local_environment(address: str, way: dict[str, Any]) -> None:
    local = irollan_env.parallel_env(map=ValleyMap.default(), max_steps=15, **way)
    with RemoteParallelEnv(address, max_steps=15, **way) as remote:
        assert remote.possible_agents == local.possible_agents
        assert remote.map == local.map
        for agent in local.possible_agents:
            assert remote.observation_space(agent) == local.observation_space(agent)
            assert remote.action_space(agent) == local.action_space(agent)
            local.action_space(agent).seed(0)
        here, there = local.reset(seed=11), remote.reset(seed=11)
        for number in range(24):
            same(there, here)
            assert remote.agents == local.agents
            if not local.agents:
                here, there = local.reset(), remote.reset()
                continue
            actions: dict[str, Any] = {
                agent: local.action_space(agent).sample(here[0][agent]["action_mask"]) for agent in local.agents
            }
            if number % 3 == 0:
                actions = {agent: local.catalogue.actions[action] for agent, action in actions.items()}
            actions["AY"] = (None, "wait", "chat with SG: 你好", "go to outside")[number % 4]
            here, there = local.step(actions), remote.step(actions)


def test_parallel_conformance(remote: RemoteParallelEnv) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(remote, num_cycles=40)


def test_state_goes_from_one_to_the_other(address: str, remote: RemoteParallelEnv) -> None:
    remote.reset(seed=2)
    remote.step({"AY": "go to outside", "LL": "take food 2 from foodshelf 2"})
    with RemoteParallelEnv(address) as other:
        observations, infos = other.set_state(remote.get_state())
        assert infos["AY"]["place"] == "outside"
        assert observations["AY"]["observation"] == remote.observe("AY").sentence
        local = irollan_env.parallel_env()
        local.set_state(remote.get_state())
        assert other.state() == remote.state() == local.state()
        same(other.step({"AY": "go to LL's Home"}), remote.step({"AY": "go to LL's Home"}))
        state = other.get_state()
        state["world"]["people"]["outside"].append("AY")
        with pytest.raises(ValueError, match=r"state\.people: 'AY' is in"):
            other.set_state(state)


def test_a_task_is_solved_from_afar(address: str) -> None:
    with RemoteParallelEnv(address, task={"LL": DELIVER}, expert_plan=True) as env:
        _, infos = env.reset(seed=3, options={"reward": "dense"})
        total, terminations = 0.0, {"LL": False}
        while env.agents:
            _, rewards, terminations, _, infos = env.step({"LL": infos["LL"]["expert_plan"][0]})
            total += rewards["LL"]
        assert total == pytest.approx(1.0)
        assert (terminations["LL"], infos["LL"]["score"]) == (True, 1.0)
        _, infos = env.reset(options={"task": {"AY": DELIVER}})
        assert (infos["AY"]["goal"], infos["LL"]["goal"]) == ("Bring a book to WM.", None)
    with pytest.raises(ValueError, match="a task needs a resident that has it"):
        RemoteParallelEnv(address, task=DELIVER)  # type: ignore[arg-type]


def test_misuse_raises_what_it_means(remote: RemoteParallelEnv) -> None:
    with pytest.raises(ResetNeeded, match="before reset"):
        remote.step({})
    with pytest.raises(ResetNeeded, match="before reset"):
        remote.observe("AY")
    with pytest.raises(ValueError, match=r"body\.max_step: unknown key"):
        remote.reset(options={"max_step": 3})
    remote.reset(seed=0, options={"max_steps": 1})
    with pytest.raises(ValueError, match="unknown resident 'XX'"):
        remote.step({"XX": 0})
    with pytest.raises(ValueError, match="unknown resident 'XX'"):
        remote.observe("XX")
    with pytest.raises(ValueError, match="an action's number must lie in"):
        remote.step({"AY": -1})
    with pytest.raises(TypeError, match=r"the action of 'AY' must be a number, a string or None, got b'wait'"):
        remote.step({"AY": b"wait"})  # type: ignore[dict-item]
    assert all(remote.step({})[3].values())
    assert remote.step({}) == ({}, {}, {}, {}, {})


def test_a_closed_session_says_so(address: str) -> None:
    env = RemoteParallelEnv(address)
    env.reset(seed=0)
    httpx.delete(f"{address}/sessions/{env.session}")
    with pytest.raises(SessionClosed, match="there is no session"):
        env.step({})
    env.close()
    env.close()
    with pytest.raises(SessionClosed, match="this environment was closed"):
        env.reset()


def test_a_full_server_says_so(address: str) -> None:
    opened = [RemoteParallelEnv(address) for _ in range(3)]
    with pytest.raises(RuntimeError, match="the server holds 3 sessions"):
        RemoteParallelEnv(address)
    for env in opened:
        env.close()


def test_a_server_that_is_not_there_or_ends_meanwhile() -> None:
    with running(create_app()) as address:
        env = RemoteParallelEnv(address)
        env.reset(seed=0)
    with pytest.raises(ConnectionError):
        env.step({})
    env.close()
    with pytest.raises(ConnectionError, match=f"no server answers at {address}.*irollan serve"):
        RemoteParallelEnv(address)


def test_an_answer_that_takes_too_long() -> None:
    # It takes connections and says nothing.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(TimeoutError, match="did not answer in time"):
            RemoteParallelEnv(f"http://127.0.0.1:{port}", timeout=0.1)


def test_the_token_comes_from_the_argument_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(create_app(token="open-sesame"), token="open-sesame") as address:
        with pytest.raises(PermissionError, match=r"the token is missing or wrong.*set IROLLAN_TOKEN or token="):
            RemoteParallelEnv(address)
        with pytest.raises(PermissionError):
            RemoteParallelEnv(address, token="close-sesame")
        RemoteParallelEnv(address, token="open-sesame").close()
        monkeypatch.setenv("IROLLAN_TOKEN", "open-sesame")
        RemoteParallelEnv(address).close()


def test_a_step_after_a_timeout_is_taken_once(remote: RemoteParallelEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server takes the step, and its answer does not arrive."""
    remote.reset(seed=0)
    request = httpx.Client.request

    def lost(*arguments: Any, **named: Any) -> httpx.Response:
        request(*arguments, **named)
        raise httpx.ReadTimeout("lost")

    with monkeypatch.context() as lossy:
        lossy.setattr(httpx.Client, "request", lost)
        with pytest.raises(TimeoutError):
            remote.step({"AY": "go to outside"})
    _, _, _, _, infos = remote.step({"AY": "go to outside"})
    assert (infos["AY"]["time"], infos["AY"]["place"], infos["AY"]["result"]) == (1, "outside", "You go to outside.")
