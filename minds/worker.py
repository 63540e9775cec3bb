"""Process in which one foreign mind lives: requests of the run come in as lines of JSON, answers go out.

What the mind prints goes to standard error, and its standard input is empty. ``minds.contained`` is the other end.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import re
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from irollan_env.world.observation import Observation
from language_models.protocol import ModelError, ModelUnavailable, PromptTooLong, Refused
from minds.contained import LARGEST_MESSAGE, MEMORY
from minds.decision import MindError, describe_error
from minds.history import History
from minds.mind_host import ClassError, MindHost, find_class
from minds.model_client import ModelClient, StepClosed, TooManyCalls

_LONGEST_SILENCE = 3600
"""Seconds after which a mind that is at work ends its process where it hears nothing from the run, which has ended."""

_ERRORS: Mapping[str, type[Exception]] = {
    one.__name__: one
    for one in (ModelError, Refused, ModelUnavailable, PromptTooLong, StepClosed, TooManyCalls, ValueError, TypeError)
}


def _end_after(seconds: int) -> None:
    """End this process after some seconds, even in the midst of a computation in C; 0 lets it live."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


class _Channel:
    """Pipes to the run, which stay open while the mind closes whatever it knows of."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self.requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._in, self._out = requests, answers
        self._lock = threading.Lock()
        self._asked = 0
        self._waiting: dict[int, Callable[[dict[str, Any]], None]] = {}
        threading.Thread(target=self._read, name="requests", daemon=True).start()

    def _read(self) -> None:
        """Sort what the run sends until it ends, and then end at once, whatever the mind does."""
        with suppress(Exception):
            for line in self._in:
                _end_after(_LONGEST_SILENCE)
                message = json.loads(line)
                if (number := message.get("reply")) is None:
                    self.requests.put(message)
                elif (settle := self._waiting.pop(number, None)) is not None:
                    settle(message)
        os._exit(0)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message.

        Raises:
            ValueError: for one that is too long.
        """
        line = json.dumps(message).encode() + b"\n"
        if len(line) > LARGEST_MESSAGE:
            raise ValueError(f"a message to the run must have at most {LARGEST_MESSAGE:,} bytes, got {len(line):,}")
        with self._lock:
            self._out.write(line)
            self._out.flush()

    def ask(self, call: str, arguments: Mapping[str, Any], settle: Callable[[dict[str, Any]], None]) -> None:
        """Send a model call, whose reply is given to ``settle`` in another thread."""
        with self._lock:
            self._asked += 1
            number = self._asked
        self._waiting[number] = settle
        try:
            self.send({"ask": number, "call": call, "arguments": arguments})
        except BaseException:
            del self._waiting[number]
            raise


class _PipedModelClient(ModelClient):
    """Has the run make the calls."""

    def __init__(self, channel: _Channel) -> None:
        super().__init__()
        self._channel = channel

    def begin_step(self) -> None:
        """Forget the errors of the last step."""
        self._failed = []

    async def _call(self, kind: str, **arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[dict[str, Any]] = loop.create_future()

        def set_result(message: dict[str, Any]) -> None:
            if not done.done():
                done.set_result(message)

        def settle(message: dict[str, Any]) -> None:
            # A mind that does not wait any more may have closed its loop.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(set_result, message)

        self._channel.ask(kind, arguments, settle)
        message = await done
        if "error" not in message:
            return message["result"]
        error = _ERRORS.get(message["error"], RuntimeError)(message["message"])
        if isinstance(error, ModelError):
            self._failed.append(error)
        raise error


class _Worker:
    """Answers the requests of the run, one after the other."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel
        self._client = _PipedModelClient(channel)
        self._host: MindHost | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a request says; whatever is raised is a failure."""
        source = ""
        try:
            match request["do"]:
                case "find":
                    source = request["source"]
                    find_class(request["name"], source)
                    return {}
                case "begin":
                    source = request["source"]
                    self._host = MindHost(
                        find_class(request["name"], source),
                        name=request["resident"],
                        source=source,
                        client=self._client,
                        history=History.from_json(request["history"]),
                        setting=request["setting"],
                    )
                    return {"generator": self._host.begin(request["first"], request["generator"], request["state"])}
                case "decide":
                    self._client.begin_step()
                    return asdict(self._begun().decide_alone(Observation.from_json(request["observation"])))
                case "answer":
                    return {"told": self._begun().answer()}
                case other:
                    raise MindError(f"cannot do {other!r}")
        except ClassError as error:
            # Its text names the mind, and the line of this package that raised it says nothing to who wrote the mind.
            return {"failure": describe_error(MindError(str(error))), "refused": True}
        except BaseException as error:
            return {"failure": describe_error(error, source)}

    def _begun(self) -> MindHost:
        if self._host is None:
            raise MindError("was not made")
        return self._host


def _take_pipes() -> _Channel:
    """Keep the pipes to the run for the channel alone, and put standard error in the place of standard output."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):
        # A copy of this process would answer in its place.
        os.register_at_fork(after_in_child=lambda: os.closerange(min(requests, answers), max(requests, answers) + 1))
    return _Channel(os.fdopen(requests, "rb"), os.fdopen(answers, "wb"))


def _limit() -> None:
    """Limit what the mind can allocate, where the system can; memory that is there already does not count."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = 0
        with suppress(OSError):
            found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())
            used = int(found.group(1)) << 10 if found else 0
        resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
        # A mind that crashes leaves no image of its memory in the working directory.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer requests until the run ends."""
    channel = _take_pipes()
    worker = _Worker(channel)
    _limit()
    while True:
        request = channel.requests.get()
        try:
            channel.send({"done": worker.answer(request)})
        except ValueError as error:
            channel.send({"done": {"failure": describe_error(MindError(f"answered too much: {error}"))}})
        _end_after(0)
