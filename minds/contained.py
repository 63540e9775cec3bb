"""Foreign minds in processes of their own, with deadlines, a limit of memory, and no keys of the run.

This contains mistakes, not malicious code: the code of a mind can still do to the machine what its user can.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from irollan_env.random_streams import restored_generator
from irollan_env.world.observation import Observation
from language_models.masking import masked
from minds.decision import Decision, MindError, act_of, checked_state, plain_answer
from minds.history import History
from minds.in_thread import patiently
from minds.mind_host import ClassError, check_source
from minds.model_client import LocalModelClient, printable

MEMORY = 2 << 30
"""Bytes that a foreign mind may allocate, where the system can limit that."""

LARGEST_MESSAGE = 64_000_000
"""Most bytes of one message between a run and a mind."""

START = 60.0
"""Seconds in which a mind must be imported, made, put into a state, or answer an interview."""

MOST_PRINTED = 100_000
"""Characters that a mind may print on standard error."""

_CALLS = ("generate", "generate_json", "choose", "embed")

_ENVIRONMENT = re.compile(
    "PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|TMP|TEMP"
    "|LANG|LANGUAGE|LC_(ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER)"
    "|LC_(TELEPHONE|TIME)|PYTHON[A-Z]+|PYTHON_(COLORS|CPU_COUNT|GIL|JIT)|VIRTUAL_ENV|CONDA_PREFIX"
    "|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_(FALLBACK_)?LIBRARY_PATH|SSL_CERT_(FILE|DIR)|(CURL|REQUESTS)_CA_BUNDLE"
    "|XDG_(CACHE|CONFIG|DATA|RUNTIME|STATE)_(HOME|DIR)|MPLBACKEND|MPLCONFIGDIR|IROLLAN_CACHE"
    "|HF_(HOME|HUB_CACHE|HUB_OFFLINE)|TRANSFORMERS_(CACHE|OFFLINE)|TORCH_HOME|TOKENIZERS_PARALLELISM"
    "|[A-Z]+_(NUM|MAX|MAXIMUM)_THREADS|CUDA_(HOME|PATH|DEVICE_ORDER)|(CUDA|HIP|ROCR)_VISIBLE_DEVICES"
    # Windows, where Python has all names in capitals.
    "|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA"
    r"|PROGRAMDATA|PROGRAMFILES(\(X86\))?|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS"
)
"""Names of the environment variables that a mind sees: what Python, the system and libraries need, and no keys."""

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from minds.worker import main; main()"


_processes: set[subprocess.Popen[bytes]] = set()
"""Those that have not ended."""


class Worker:
    """A process with one mind, and the pipes to it.

    A thread reads what it sends and another one writes, so that neither the event loop nor a mind that
    does not read can block the other.
    """

    def __init__(self, client: LocalModelClient | None) -> None:
        """Start the process.

        Args:
            client: Makes the mind's model calls; None for a process that makes none.
        """
        self._client = client
        self._lock = threading.Lock()
        self._done: Future[dict[str, Any]] | None = None
        self._calls: set[Future[None]] = set()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.end = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
        _processes.add(self.process)
        self._printing = threading.Thread(target=self._print, name="mind", daemon=True)
        self._printing.start()
        for work in (self._read, self._write):
            threading.Thread(target=work, name="mind", daemon=True).start()

    def request(self, do: str, **what: Any) -> Future[dict[str, Any]]:
        """Send a request, and return its answer to come.

        The answer raises a ``MindError`` if the process ends, or the mind fails in a way that is no decision.
        """
        done: Future[dict[str, Any]] = Future()
        # A request that nobody waits for any more cannot be cancelled.
        done.set_running_or_notify_cancel()
        with self._lock:
            if self.end:
                done.set_exception(MindError(self.end))
                return done
            self._done = done
        self._send({"do": do, **what})
        return done

    def cancel_calls(self) -> None:
        """Cancel the model calls that the mind no longer waits for."""
        for call in list(self._calls):
            call.cancel()

    def kill(self) -> None:
        """End the process at once, with what it started, after passing on what it printed."""
        end_process(self.process)
        self._printing.join(timeout=1)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._outgoing.put(json.dumps(message).encode() + b"\n")

    def _write(self) -> None:
        pipe = _pipe(self.process.stdin)
        with suppress(OSError, ValueError):
            while (line := self._outgoing.get()) is not None:
                pipe.write(line)
                pipe.flush()
        with suppress(OSError):
            pipe.close()

    def _read(self) -> None:
        """Take what the process sends until it ends, or sends something that is no message."""
        pipe = _pipe(self.process.stdout)
        end = ""
        try:
            while (line := pipe.readline(LARGEST_MESSAGE)).endswith(b"\n"):
                self._take(json.loads(line))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            end = "sent something that is no message"
        ended = _has_ended(self.process)
        end_process(self.process)
        _processes.discard(self.process)
        if not end:
            end = _how_it_ended(self.process.returncode) if ended else "closed its connection to the run"
        with self._lock:
            self.end, done, self._done = end, self._done, None
        self._outgoing.put(None)
        if done is not None:
            done.set_exception(MindError(end))
        pipe.close()

    def _take(self, message: Mapping[str, Any]) -> None:
        if "ask" in message:
            self._ask(message["ask"], message["call"], message["arguments"])
            return
        found = _error_or_answer(message["done"])
        with self._lock:
            done, self._done = self._done, None
        if done is None:
            return
        if isinstance(found, Exception):
            done.set_exception(found)
        else:
            done.set_result(found)

    def _ask(self, number: int, call: str, arguments: Mapping[str, Any]) -> None:
        """Make a model call in the event loop of the run."""
        client = self._client

        async def ask() -> None:
            try:
                if client is None or call not in _CALLS:
                    raise ValueError(f"there is no call {call!r}")
                result = await getattr(client, call)(**arguments)
                reply = {"result": result.tolist() if isinstance(result, np.ndarray) else result}
            except Exception as error:
                reply = {"error": type(error).__name__, "message": str(error)}
            self._send({"reply": number, **reply})

        if client is not None and (loop := client.loop) is not None:
            with suppress(RuntimeError):
                made = asyncio.run_coroutine_threadsafe(ask(), loop)
                self._calls.add(made)
                made.add_done_callback(self._calls.discard)
                return
        late = "a model can be called in act alone" if client is None else str(client.closed())
        self._send({"reply": number, "error": "StepClosed", "message": late})

    def _print(self) -> None:
        """Print what the mind prints, on standard error, up to a limit."""
        left = MOST_PRINTED
        with suppress(OSError, ValueError):
            for line in iter(lambda: _pipe(self.process.stderr).readline(4096), b""):
                if left <= 0:
                    continue
                text = printable(line.decode("utf-8", "replace"))[:left]
                left -= len(text)
                with suppress(Exception):
                    sys.stderr.write(text if left else f"{text}\nirollan: what else this mind prints is left out\n")
                    sys.stderr.flush()
            _pipe(self.process.stderr).close()


class Contained:
    """A mind in a process of its own, which is started again where it ended or was ended."""

    def __init__(
        self,
        *,
        name: str,
        source: str,
        resident: str,
        client: LocalModelClient,
        history: History,
        setting: str,
        patience: float,
    ) -> None:
        """Set what the mind is made from; ``begin`` makes it.

        Args:
            name: The mind's name.
            source: ``module:Class``.
            resident: The resident's name.
            client: Makes its model calls.
            history: Who the resident was before.
            setting: What it lives in.
            patience: Seconds that it may take to decide without a model call.
        """
        self._made_from = {
            "name": name,
            "source": source,
            "resident": resident,
            "history": asdict(history),
            "setting": setting,
        }
        self._client = client
        self._patience = patience
        self._worker: Worker | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None

    @property
    def lives(self) -> bool:
        """Whether there is a process."""
        return self._worker is not None and not self._worker.end

    def begin(self, first: Mapping[str, Any], generator: Mapping[str, Any] | None, state: Any) -> dict[str, Any]:
        """Make the mind, as ``MindHost.begin``.

        Raises:
            MindError: if it cannot be made, or takes too long.
        """
        return _read_generator(self._wait(self._begin(first, generator, state)).get("generator"))

    async def begin_again(
        self, first: Mapping[str, Any], generator: Mapping[str, Any] | None, state: Any
    ) -> dict[str, Any]:
        """Make the mind without blocking the event loop, as ``begin``."""
        found = await self._await(self._begin(first, generator, state), lambda: False, START)
        return _read_generator(found.get("generator"))

    async def decide(self, observation: Observation) -> Decision:
        """Let the mind decide.

        Raises:
            MindError: if its process ended, or it sent something that is no decision.
            Hung: if it did not answer in time, in which case its process is ended.
        """
        worker = self._started()
        asked = worker.request("decide", observation=observation.to_json())
        try:
            found = await self._await(asked, self._client.was_heard, self._patience)
        finally:
            worker.cancel_calls()
        return _read_decision(found)

    def answer(self) -> list[str] | None:
        """Return what the mind answers to an interview; None for one that has no ``answer``.

        Raises:
            MindError: if it raises, takes too long, or answers something that is no text.
        """
        told = self._wait(self._started().request("answer")).get("told")
        if told is not None and not (isinstance(told, list) and all(isinstance(line, str) for line in told)):
            raise MindError("told something that is no text")
        return told

    def close(self) -> None:
        """End the process."""
        if self._finalizer is not None:
            self._finalizer.detach()
        if self._worker is not None:
            self._worker.kill()
        self._worker = None

    def _started(self) -> Worker:
        if self._worker is None or not self.lives:
            self.close()
            self._worker = Worker(self._client)
            self._finalizer = weakref.finalize(self, end_process, self._worker.process)
        return self._worker

    def _begin(self, first: Mapping[str, Any], generator: Any, state: Any) -> Future[dict[str, Any]]:
        request = {**self._made_from, "first": first, "generator": generator, "state": state}
        return self._started().request("begin", **request)

    async def _await(
        self, done: Future[dict[str, Any]], was_heard: Callable[[], bool], patience: float
    ) -> dict[str, Any]:
        try:
            return await patiently(done, was_heard, patience)
        except MindError:
            raise
        except BaseException:
            # A mind that hangs, or that nobody waits for any more, would answer this in the place of what comes next.
            self.close()
            raise

    def _wait(self, done: Future[dict[str, Any]]) -> dict[str, Any]:
        try:
            return done.result(timeout=START)
        except FutureTimeoutError:
            self.close()
            raise MindError(f"gave no answer for {START:g} s") from None


@lru_cache(maxsize=100)
def _found(name: str, source: str, folder: Path) -> None:
    worker = Worker(None)
    try:
        worker.request("find", name=name, source=source).result(timeout=START)
    except FutureTimeoutError:
        raise ClassError(f"the mind {name!r} cannot be imported: it gave no answer for {START:g} s") from None
    except MindError as error:
        raise ClassError(f"the mind {name!r} cannot be imported: its module {error}") from None
    finally:
        worker.kill()


def check_class(name: str, source: str) -> None:
    """Check in a process of its own that ``module:Class`` is a mind; once for each working directory.

    Raises:
        ClassError: if it is none, or cannot be imported.
    """
    check_source(name, source)
    _found(name, source, Path.cwd())


def environment() -> dict[str, str]:
    """Return the environment of a mind: what Python and libraries need of the run's, without its secrets."""
    kept = {
        name: value for name, value in os.environ.items() if _ENVIRONMENT.fullmatch(name) and masked(value) == value
    }
    # Fixes the iteration order of sets, so that runs can be repeated.
    return {"PYTHONHASHSEED": "0", **kept}


def kill_all() -> None:
    """Kill the processes of all minds without waiting for their end, as in a handler of a signal."""
    for process in list(_processes):
        _kill(process)


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End a process at once, with the group of processes that it started, and wait for its end."""
    _kill(process)
    process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    # Once it has been waited for, its number may be that of another process.
    if process.returncode is None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.kill()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process that closed its pipe ends within a second, without waiting for it."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        if process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return process.poll() is not None
        with suppress(ChildProcessError):
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
        time.sleep(0.002)
    return False


def _how_it_ended(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return f"ended its process by {signal.Signals(-code).name}"
    return f"ended its process with exit status {code}"


def _error_or_answer(found: Any) -> dict[str, Any] | ClassError | MindError:
    if not isinstance(found, dict) or ("failure" not in found and found.get("refused")):
        return MindError("sent something that is no answer")
    if found.get("refused"):
        return ClassError(str(found["failure"]))
    if "failure" in found and "answer" not in found:
        return MindError(str(found["failure"]))
    return found


def _read_generator(state: Any) -> dict[str, Any]:
    try:
        restored_generator(state)
    except (TypeError, ValueError):
        raise MindError("has a generator of another kind") from None
    return dict(state)


def _read_decision(found: dict[str, Any]) -> Decision:
    """Read a decision; even if the mind has changed what writes it."""
    try:
        decision = Decision(**found)
        answer = {} if decision.failure else plain_answer(act_of(decision.answer, may_act=True))
    except (TypeError, ValueError, KeyError) as error:
        raise MindError("sent something that is no decision") from error
    return Decision(
        answer=answer,
        state=checked_state(decision.state),
        generator=_read_generator(decision.generator),
        failure=str(decision.failure),
        at_fault=bool(decision.at_fault),
    )


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
