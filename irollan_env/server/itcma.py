"""The three endpoints of ITCMA's public client: one resident acts, the others follow a script.

That client plays ALFWorld over HTTP (arXiv:2403.20097). It posts to /reset and /get_info without a body, and to
/action with the form field ``actions``; it reads ``obs``, ``infos.admissible_commands``, ``infos.policy_commands`` (the
plan of an expert) and ``score``, which it adds up. Of the text that /reset answers, it takes the third line as what is
seen, and the line with "Your task is to: " as the goal.

The client knows no sessions: there is one game a server.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

from fastapi import FastAPI, Form, Response
from pydantic import BaseModel, Field

from irollan_env.environments.gymnasium_env import IrollanValleyEnv
from irollan_env.map.valley_map import ValleyMap
from irollan_env.server.responses import answer, problems
from irollan_env.server.schemas import Seed
from irollan_env.server.sessions import OutOfOrder
from irollan_env.world.world_classes import WorldClasses


class Commands(BaseModel):
    """Admissible actions, and the expert's plan."""

    admissible_commands: list[str]
    policy_commands: list[str] = Field(description="What an expert would do until the task is done; empty without one.")


class GameInfo(BaseModel):
    """The currently admissible actions."""

    infos: Commands


class GameAnswer(GameInfo):
    """The observation after a reset or an action."""

    obs: str
    score: float = Field(description="What this action added to the score.")
    done: bool


class Game:
    """Runs the episodes of one resident, one after the other."""

    def __init__(
        self,
        valley_map: ValleyMap,
        *,
        world: WorldClasses = (),
        resident: str | None,
        text_limit: int,
        task: str | None = None,
        split: str = "train",
    ) -> None:
        """Create a game; call ``reset`` before anything else.

        Args:
            valley_map: The valley.
            world: World classes, as of the environment.
            resident: The acting resident; the map's first when None.
            text_limit: Characters of one action.
            task: The family of its tasks; None for no task.
            split: The split of these tasks.

        Raises:
            ValueError: for an unknown resident, family of tasks or split.
        """
        self._env = IrollanValleyEnv(
            map=valley_map, world=world, resident=resident, task=task, split=split, expert_plan=True, percepts=False
        )
        self._text_limit = text_limit
        self._info: dict[str, Any] | None = None
        self._done = False

    def reset(self, seed: int | None = None) -> dict[str, Any]:
        """Start an episode.

        Args:
            seed: Seed of this and later episodes; None continues with the current generator.
        """
        _, self._info = self._env.reset(seed=seed)
        sentence = self._info["sentence"]
        self._done = False
        goal = self._info["goal"]
        lines = ["-= Welcome to IrollanValley! =-", "", sentence]
        return self._answer("\n".join([*lines, "", f"Your task is to: {goal}"] if goal else lines), 0.0)

    def info(self) -> dict[str, Any]:
        """Return the currently admissible actions.

        Raises:
            OutOfOrder: before the first reset.
        """
        return {"infos": self._commands(self._started("get_info"))}

    def action(self, text: str) -> dict[str, Any]:
        """Act, at the same time as all others.

        Raises:
            OutOfOrder: when no episode is running.
            ValueError: for too long a text.
        """
        before = self._started("action")
        if self._done:
            raise OutOfOrder("action was called after the episode had ended; post to /reset")
        if len(text) > self._text_limit:
            raise ValueError(f"actions has {len(text)} characters; at most {self._text_limit} are taken")
        _, _, terminated, truncated, self._info = self._env.step(text)
        self._done = terminated or truncated
        heard = [f'{message.sender} to {message.addressee}: "{message.text}"' for message in self._info["messages"]]
        done = [event.describe(self._env.resident, self._env.map.places) for event in self._info["events"]]
        text = "\n".join([self._info["result"], *done, *heard, self._info["sentence"]])
        return self._answer(text, self._info["score"] - before["score"])

    def _answer(self, obs: str, score: float) -> dict[str, Any]:
        return {**self.info(), "obs": obs, "score": score, "done": self._done}

    def _started(self, what: str) -> dict[str, Any]:
        if self._info is None:
            raise OutOfOrder(f"{what} was called before reset; post to /reset first")
        return self._info

    @staticmethod
    def _commands(info: dict[str, Any]) -> dict[str, Any]:
        return {
            "admissible_commands": info["admissible_actions"],
            "policy_commands": list(info["expert_plan"]),
        }


def add_itcma(app: FastAPI, game: Game) -> None:
    """Add the routes of ITCMA's client: reset, get_info, action."""
    tags: list[str | Enum] = ["ITCMA's public client"]

    @app.post("/reset", tags=tags, responses={200: {"model": GameAnswer}, **problems()})
    async def reset(
        seed: Annotated[Seed | None, Form(description="Of all chance; without one, the generator continues.")] = None,
    ) -> Response:
        """Start an episode of the server's one game."""
        return answer(game.reset(seed))

    @app.post("/get_info", tags=tags, responses={200: {"model": GameInfo}, **problems(409)})
    async def get_info() -> Response:
        """Return the currently admissible actions."""
        return answer(game.info())

    @app.post("/action", tags=tags, responses={200: {"model": GameAnswer}, **problems(409)})
    async def action(actions: Annotated[str, Form(description="One action.")]) -> Response:
        """Act, at the same time as the others, who follow a script."""
        return answer(game.action(actions))
