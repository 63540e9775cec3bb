"""Speed of the valley compared with TextWorld, and of towns and HTTP compared with the valley.

All sides play random admissible actions in alternating rounds, so that other load on the machine affects them alike.
HTTP play uses a server in another process of this machine, with one request per step. Ratios are formed within each
round; the median over the rounds is reported.
"""

from __future__ import annotations

import gc
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Any

import gymnasium as gym
import typer

from benchmarks.reporting import AsJson, Measurement, machine, progress, show
from benchmarks.valley.server_process import running_server
from irollan_env import IrollanValleyParallelEnv, generate_towns, parallel_env
from irollan_env.actions import Action
from irollan_env.client import RemoteParallelEnv
from irollan_env.world.special_things import grow
from irollan_env.world.transitions import admissible
from irollan_env.world.world import World

ALONE = ("idle", "scripted")
"""Behaviour of the other residents when one resident plays alone."""

SLOTS = 64
"""Slots of the action space in towns, whose actions are too many to enumerate."""

TOWNS = {1000: 1 / 2, 10_000: 1 / 3}
"""Goal of each town's speed as a share of that with six residents, by number of residents."""

BUSY_TOWNS = {1000: 8000}
"""Goal in agent-steps per second for towns in which everybody has a task, by number of residents."""

STEPS = {"6": 1500, "tasks": 500, "http": 300, "alone": 1500}
"""Steps per round of each side; towns take as many as give about equal agent-steps."""

TOWN_AGENT_STEPS = 20_000
REPEATS = 50
"""Number of times that saving, restoring and copying are timed."""

_FOREVER = 10**9
_INSTALL = "TextWorld is not installed; python -m pip install textworld"


def command(
    rounds: Annotated[int, typer.Option(metavar="N", help="How often each side has its turn.")] = 5,
    towns: Annotated[
        list[int], typer.Option(metavar="N", help="How many residents the towns have; give it again for more towns.")
    ] = list(TOWNS),  # noqa: B006  (never changed)
    as_json: AsJson = False,
) -> None:
    """Measure the environment: agent-steps per second beside TextWorld, in towns and over HTTP; saving and copying."""
    measurements, where = measure(rounds, progress("env"), towns)
    show(measurements, where, as_json=as_json)


def measure(
    rounds: int, tell: Callable[[str], None], towns: Sequence[int] = tuple(TOWNS)
) -> tuple[list[Measurement], dict[str, Any]]:
    """Run the measurements, and return them with a description of the machine.

    Args:
        rounds: Number of rounds.
        tell: Takes a line about the progress.
        towns: Number of residents of each town that is measured.

    Raises:
        ValueError: for less than one round, or an impossible number of residents.
        RuntimeError: when the server does not start.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    tell("making the maps")
    maps = {residents: generate_towns(residents, seed=0) for residents in towns}
    sides = {
        "6": _Play(parallel_env(max_steps=_FOREVER), steps=STEPS["6"]),
        "bare": _Play(_without_hooks(parallel_env(max_steps=_FOREVER)), steps=STEPS["6"]),
        "tasks": _Play(parallel_env(max_steps=_FOREVER, task="random"), steps=STEPS["tasks"]),
    }
    alone = {others: _PlayAlone(others) for others in ALONE}
    for residents, town in maps.items():
        env = parallel_env(map=town, slots=SLOTS, max_steps=_FOREVER)
        sides[str(residents)] = _Play(env, steps=max(3, TOWN_AGENT_STEPS // residents))
        if residents in BUSY_TOWNS:
            busy = parallel_env(map=town, slots=SLOTS, max_steps=_FOREVER, task="random")
            sides[f"{residents} tasks"] = _Play(busy, steps=max(3, TOWN_AGENT_STEPS // residents))
    with (
        running_server() as address,
        RemoteParallelEnv(address, max_steps=_FOREVER) as remote,
        _textworld() as game,
    ):
        sides["http"] = _Play(remote, steps=STEPS["http"])
        everybody: dict[str, Callable[[], float]] = {**sides, **alone}
        rates: dict[str, list[float]] = {name: [] for name in ("textworld", *everybody)}
        for number in range(1, rounds + 1):
            tell(f"round {number} of {rounds}")
            if game is not None:
                rates["textworld"].append(game())
            for name, side in everybody.items():
                rates[name].append(side())
    tell("saving, restoring and copying")
    return [*_rates(rates, towns), *_state_times()], {"rounds": rounds, **machine()}


def _rates(rates: dict[str, list[float]], towns: Sequence[int]) -> Iterator[Measurement]:
    unit = "agent-steps/s"
    if rates["textworld"]:
        speed, ratio = median(rates["textworld"]), _ratio(rates["6"], rates["textworld"])
        yield Measurement(name="TextWorld, a small generated game", value=speed, unit="steps/s")
        yield Measurement(name="6 residents", value=median(rates["6"]), unit=unit)
        yield Measurement(name="6 residents / TextWorld", value=ratio, unit="times", goal=100, aim=300)
    else:
        yield Measurement(name="TextWorld, a small generated game", value=None, unit="steps/s", note=_INSTALL)
        yield Measurement(name="6 residents", value=median(rates["6"]), unit=unit)
        yield Measurement(name="6 residents / TextWorld", value=None, unit="times", goal=100, aim=300, note=_INSTALL)
    hooks = _ratio(rates["6"], rates["bare"])
    yield Measurement(name="6 residents / the same without hooks of mechanics", value=hooks, unit="times", goal=0.95)
    yield Measurement(name="6 residents, each with a task", value=median(rates["tasks"]), unit=unit)
    for residents in towns:
        seen = rates[str(residents)]
        share, goal = _ratio(seen, rates["6"]), TOWNS.get(residents)
        yield Measurement(name=f"{residents} residents in towns", value=median(seen), unit=unit)
        yield Measurement(name=f"{residents} residents / 6 residents", value=share, unit="times", goal=goal)
        if residents in BUSY_TOWNS:
            name, speed = f"{residents} residents in towns, each with a task", median(rates[f"{residents} tasks"])
            yield Measurement(name=name, value=speed, unit=unit, goal=BUSY_TOWNS[residents])
    for others in ALONE:
        name = f"one resident through Gymnasium, five others {others}"
        yield Measurement(name=name, value=median(rates[others]), unit="steps/s", goal=10_000)
    yield Measurement(name="6 residents over HTTP", value=median(rates["http"]), unit=unit, goal=2000)


def _ratio(ones: list[float], others: list[float]) -> float:
    return median(one / other for one, other in zip(ones, others, strict=True))


class _BareWorld(World):
    """A world that asks no mechanic for anything, which a world without mechanics is to be as fast as."""

    def begin_step(self) -> None:
        """Do nothing."""

    def _end_step(self) -> None:
        self._state.forget_step()
        self._state.time += 1
        grow(self._state)

    def _admissible(self, resident: int) -> Sequence[Action]:
        return admissible(self._state, resident)


def _without_hooks(env: IrollanValleyParallelEnv) -> IrollanValleyParallelEnv:
    """Return an environment in the middle of an episode, in a world without hooks."""
    env.reset(seed=0)
    env.world.__class__ = _BareWorld
    return env


class _Play:
    """Random admissible play with sentences, admissible actions and masks; a call returns agent-steps per second."""

    def __init__(self, env: IrollanValleyParallelEnv | RemoteParallelEnv, *, steps: int) -> None:
        self._env, self._steps = env, steps
        self._random = random.Random(0)
        if isinstance(env, IrollanValleyParallelEnv) and env.agents:
            _, self._infos = env.observe()
        else:
            _, self._infos = env.reset(seed=0)
        self(steps=max(1, steps // 5))

    def __call__(self, steps: int | None = None) -> float:
        count = self._steps if steps is None else steps
        env, infos = self._env, self._infos
        gc.collect()
        begin = perf_counter()
        for _ in range(count):
            actions = {name: _any(info["admissible_actions"], self._random) for name, info in infos.items()}
            _, _, _, _, infos = env.step(actions)
            if not env.agents:  # all tasks are solved
                _, infos = env.reset()
        seconds = perf_counter() - begin
        self._infos = infos
        return count * len(infos) / seconds


class _PlayAlone:
    """Random admissible play of one resident in the Gymnasium environment; a call returns steps per second."""

    def __init__(self, others: str) -> None:
        self._env = gym.make("irollan_env:IrollanValley-v0", others=others, percepts=False, max_steps=_FOREVER)
        self._random = random.Random(0)
        _, self._info = self._env.reset(seed=0)
        self()

    def __call__(self) -> float:
        env, info = self._env, self._info
        gc.collect()
        begin = perf_counter()
        for _ in range(STEPS["alone"]):
            _, _, _, _, info = env.step(_any(info["admissible_actions"], self._random))
        self._info = info
        return STEPS["alone"] / (perf_counter() - begin)


def _any(actions: Any, generator: random.Random) -> Any:
    return actions[int(generator.random() * len(actions))]


@contextmanager
def _textworld() -> Iterator[Callable[[], float] | None]:
    """Yield a function that plays a generated TextWorld game for half a second; None without TextWorld."""
    if find_spec("textworld") is None:
        yield None
        return
    import textworld
    import textworld.gym

    with tempfile.TemporaryDirectory() as folder:
        options = textworld.GameOptions()
        options.seeds, options.nb_rooms, options.nb_objects = 1234, 8, 20
        options.path = str(Path(folder) / "game.z8")
        path = textworld.generator.compile_game(textworld.generator.make_game(options), options)
        wanted = textworld.EnvInfos(description=True, inventory=True, admissible_commands=True)
        env = textworld.gym.make(textworld.gym.register_game(path, wanted, max_episode_steps=_FOREVER))
        generator = random.Random(0)
        infos = env.reset()[1]

        def play() -> float:
            nonlocal infos
            steps, begin = 0, perf_counter()
            while (seconds := perf_counter() - begin) < 0.5:
                _, _, done, infos = env.step(_any(infos["admissible_commands"], generator))
                steps += 1
                if done:
                    infos = env.reset()[1]
            return steps / seconds

        play()
        yield play
        env.close()


def _state_times() -> Iterator[Measurement]:
    env = parallel_env(max_steps=_FOREVER)
    _Play(env, steps=75)
    state = env.get_state()
    for name, goal, do in (
        ("get_state", 1.0, env.get_state),
        ("set_state", 1.0, lambda: env.set_state(state)),
        ("copy", 0.5, env.copy),
    ):
        times = []
        for _ in range(REPEATS):
            begin = perf_counter()
            do()
            times.append(perf_counter() - begin)
        yield Measurement(name=f"{name}, 6 residents", value=1000 * median(times), unit="ms", goal=goal, at_least=False)
