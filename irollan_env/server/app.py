"""The server as an ASGI application.

All requests are answered one after the other, on one thread: a step is never cut in two, and two sessions never meet.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from enum import Enum
from importlib import metadata

from fastapi import FastAPI, Response
from fastapi_offline import FastAPIOffline

from irollan_env.environments.parallel import IrollanValleyParallelEnv
from irollan_env.map.json_form import map_to_json
from irollan_env.map.valley_map import ValleyMap
from irollan_env.server.access import BodyLimit, Gate, check_token
from irollan_env.server.itcma import Game, add_itcma
from irollan_env.server.limits import Limits
from irollan_env.server.responses import answer, handle_errors, problems
from irollan_env.server.schemas import (
    ActRequest,
    Created,
    CreateRequest,
    Frame,
    Held,
    ResetRequest,
    RestoreRequest,
    Snapshot,
    Stepped,
    StepRequest,
)
from irollan_env.server.sessions import OutOfOrder, SessionStore, TooManySessions, UnknownSession
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.numbered_actions import NO_CLASSES, actions_of
from irollan_env.world.observation import Observation
from irollan_env.world.world_classes import WorldClasses, find_world_classes


def create_app(
    valley_map: ValleyMap | None = None,
    *,
    world: WorldClasses = (),
    resident: str | None = None,
    task: str | None = None,
    split: str = "train",
    token: str | None = None,
    limits: Limits | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> FastAPI:
    """Create the application, for any ASGI server.

    Args:
        valley_map: The valley of every session; the paper's when None.
        world: World classes of every session, as of the environments.
        resident: The resident that ITCMA's client controls; the map's first when None.
        task: The family of its tasks, or ``"random"`` for any; None for no task. Sessions say what theirs are.
        split: The split of these tasks.
        token: The token that requests must carry; None admits only programs on this machine.
        limits: Resource limits.
        clock: A monotonic clock in seconds, for idle times.

    Raises:
        ValueError: for a token that cannot be sent in a header, an unknown resident, family, split or world class.
    """
    valley_map = ValleyMap.default() if valley_map is None else valley_map
    check_token(token)
    limits = Limits() if limits is None else limits
    store = SessionStore(limits, clock)
    classes = find_world_classes(world)
    game = Game(valley_map, world=classes, resident=resident, text_limit=limits.text, task=task, split=split)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        sweeper = asyncio.create_task(_sweep(store, min(limits.idle, 60.0)))
        yield
        sweeper.cancel()
        with suppress(asyncio.CancelledError):
            await sweeper

    app: FastAPI = FastAPIOffline(
        redoc_url=None,
        title="IrollanValley",
        version=metadata.version("irollan-valley"),
        summary="A text valley of several residents, driven over HTTP.",
        lifespan=lifespan,
    )
    app.add_middleware(BodyLimit, longest=limits.body)
    app.add_middleware(Gate, token=token)
    handle_errors(app, {UnknownSession: 404, OutOfOrder: 409, TooManySessions: 429, MechanicError: 500})
    add_sessions(app, store, valley_map, limits, classes)
    add_itcma(app, game)
    if token is not None:
        description = app.openapi()
        description["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        description["security"] = [{"token": []}]
    return app


async def _sweep(store: SessionStore, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        store.close_idle()


_TAGS: list[str | Enum] = ["sessions"]


def add_sessions(
    app: FastAPI,
    store: SessionStore,
    valley_map: ValleyMap,
    limits: Limits,
    classes: Mapping[str, type[Mechanic]] = NO_CLASSES,
) -> None:
    """Add the session routes: create, reset, observe, act, step, snapshot, restore, close.

    Handlers do not await anything, which makes them atomic. The routes are the application's own: every request
    would have to search through an included router.

    Args:
        app: The application.
        store: The session store.
        valley_map: The valley of every session.
        limits: Resource limits.
        classes: World classes of every session, by name.
    """
    _add_keeping(app, store, valley_map, limits, classes)
    _add_playing(app, store)


def _add_keeping(
    app: FastAPI,
    store: SessionStore,
    valley_map: ValleyMap,
    limits: Limits,
    classes: Mapping[str, type[Mechanic]],
) -> None:
    """Add the routes that create, close, snapshot and restore sessions, and the map's."""
    the_map = map_to_json(valley_map)
    further = [str(action) for action in actions_of(classes, valley_map)]

    @app.post("/sessions", tags=_TAGS, status_code=201, responses={201: {"model": Created}, **problems(429)})
    async def create(request: CreateRequest = CreateRequest()) -> Response:  # noqa: B008  (never changed)
        """Create a session. Its identifier cannot be guessed, and nothing lists the identifiers."""
        env = IrollanValleyParallelEnv(map=valley_map, world=classes, actions="text", **request.options())
        session = store.create(env)
        created = Created(
            session=session.identifier,
            residents=session.residents,
            max_steps=request.max_steps,
            idle_seconds=limits.idle,
            actions=further,
        )
        return answer(created.model_dump(), 201)

    @app.delete("/sessions/{session}", tags=_TAGS, status_code=204, responses=problems(404))
    async def close(session: str) -> Response:
        """Close a session."""
        store.close(session)
        return Response(status_code=204)

    @app.get("/sessions/{session}/map", tags=_TAGS, responses={200: {"model": ValleyMap}, **problems(404)})
    async def read_map(session: str) -> Response:
        """Return the valley's map."""
        store.get(session)
        return answer(the_map)

    @app.get("/sessions/{session}/snapshot", tags=_TAGS, responses={200: {"model": Snapshot}, **problems(404, 409)})
    async def snapshot(session: str) -> Response:
        """Return the complete state of the valley, generators included."""
        return answer({"state": store.get(session).snapshot()})

    @app.post("/sessions/{session}/restore", tags=_TAGS, responses={200: {"model": Frame}, **problems(404)})
    async def restore(session: str, request: RestoreRequest) -> Response:
        """Restore a snapshot of this or another session on the same map."""
        return answer(store.get(session).restore(request.state))


def _add_playing(app: FastAPI, store: SessionStore) -> None:
    """Add the routes that reset, observe, act and step."""

    @app.post("/sessions/{session}/reset", tags=_TAGS, responses={200: {"model": Frame}, **problems(404)})
    async def reset(session: str, request: ResetRequest = ResetRequest()) -> Response:  # noqa: B008
        """Start an episode, with everyone at home."""
        return answer(store.get(session).reset(request.seed, request.options()))

    @app.get("/sessions/{session}/observations", tags=_TAGS, responses={200: {"model": Frame}, **problems(404, 409)})
    async def observe_all(session: str) -> Response:
        """Return the current observations of all residents."""
        return answer(store.get(session).frame())

    @app.get(
        "/sessions/{session}/observations/{resident}",
        tags=_TAGS,
        responses={200: {"model": Observation}, **problems(404, 409)},
    )
    async def observe(session: str, resident: str) -> Response:
        """Return the current observation of one resident."""
        return answer(store.get(session).observe(resident).to_json())

    @app.post("/sessions/{session}/act", tags=_TAGS, responses={200: {"model": Held}, **problems(404, 409)})
    async def act(session: str, request: ActRequest) -> Response:
        """Store one resident's action for the next step; a later action of the same resident replaces it."""
        return answer(store.get(session).act(request.resident, request.action))

    @app.post("/sessions/{session}/step", tags=_TAGS, responses={200: {"model": Stepped}, **problems(404, 409)})
    async def step(session: str, request: StepRequest = StepRequest()) -> Response:  # noqa: B008
        """Let all residents act once: as given here, else as stored; residents without an action wait."""
        return answer(store.get(session).step(request.actions, request.time))
