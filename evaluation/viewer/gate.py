"""A gate between the steps of a run that somebody watches: it can be shut, and let one step through."""

from __future__ import annotations

import threading
from collections.abc import Callable

from evaluation.runs.progress import Progress
from evaluation.runs.society import Step


class Gate:
    """Open until somebody pauses the run."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self._one = False

    @property
    def paused(self) -> bool:
        """Whether the run waits, or will when its step is done."""
        return not self._open.is_set()

    def pause(self) -> None:
        """Let the step that goes on end, and no other begin."""
        self._one = False
        self._open.clear()

    def go_on(self) -> None:
        """Let all steps through."""
        self._one = False
        self._open.set()

    def let_one_through(self) -> None:
        """Let one step through, and pause again."""
        self._one = True
        self._open.set()

    def pass_through(self) -> None:
        """Wait until the gate is open. A signal is heeded meanwhile."""
        while not self._open.wait(0.1):
            pass
        if self._one:
            self.pause()


class WatchedProgress:
    """Shows what another progress shows, and waits at a gate after each step.

    That changes nothing in the run: a step is written down before its progress is shown.
    """

    def __init__(self, shown: Progress, gate: Gate, begun: Callable[[], None]) -> None:
        """Wrap a progress.

        Args:
            shown: Shows it.
            gate: Where the run waits.
            begun: Called when the first step begins.
        """
        self._shown, self._gate, self._begun = shown, gate, begun
        self._steps = 0

    def say(self, text: str) -> None:
        """Show one line. Whoever is told to stop waits no longer: Ctrl-C is told so."""
        self._shown.say(text)
        self._gate.go_on()

    def begin(self, done: int, steps: int) -> None:
        """The steps begin."""
        self._steps = steps
        self._begun()
        self._shown.begin(done, steps)

    def act(self, name: str) -> None:
        """A resident has decided."""
        self._shown.act(name)

    def step(self, step: Step) -> None:
        """A step is done: wait, unless it is the last."""
        self._shown.step(step)
        if step.time + 1 < self._steps:
            self._gate.pass_through()

    def end(self) -> None:
        """No step follows."""
        self._shown.end()
