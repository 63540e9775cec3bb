"""Pausing and single-stepping of a run from the viewer page."""

from __future__ import annotations

import threading
from collections.abc import Callable

from evaluation.runs.progress import THINKING, Progress
from evaluation.runs.society import Step


class Gate:
    """Blocks a run between its steps while it is paused; initially open."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self._one = False

    @property
    def paused(self) -> bool:
        """Whether the run is paused, or will pause after the current step."""
        return not self._open.is_set()

    def pause(self) -> None:
        """Pause after the current step."""
        self._one = False
        self._open.clear()

    def go_on(self) -> None:
        """Resume the run."""
        self._one = False
        self._open.set()

    def let_one_through(self) -> None:
        """Let one step run, then pause again."""
        self._one = True
        self._open.set()

    def pass_through(self) -> None:
        """Block until the gate is open, while still handling signals."""
        while not self._open.wait(0.1):
            pass
        if self._one:
            self.pause()


class WatchedProgress:
    """Forwards to another progress, and waits at a gate after each step.

    The wait does not affect the results: a step is saved before its progress is shown.
    """

    def __init__(self, shown: Progress, gate: Gate, on_start: Callable[[], None]) -> None:
        """Wrap a progress.

        Args:
            shown: The wrapped progress.
            gate: Gate at which the run waits.
            on_start: Called before the first step.
        """
        self._shown, self._gate, self._on_start = shown, gate, on_start
        self._steps = 0

    def say(self, text: str) -> None:
        """Show a message and open the gate, since Ctrl-C announces the stop with a message."""
        self._shown.say(text)
        self._gate.go_on()

    def begin(self, done: int, steps: int, *, meanwhile: str = THINKING) -> None:
        """Forward the number of steps, and report the start."""
        self._steps = steps
        self._on_start()
        self._shown.begin(done, steps, meanwhile=meanwhile)

    def act(self, name: str) -> None:
        """Forward that a resident has decided."""
        self._shown.act(name)

    def step(self, step: Step) -> None:
        """Forward a completed step, then wait at the gate unless it was the last."""
        self._shown.step(step)
        if step.time + 1 < self._steps:
            self._gate.pass_through()

    def end(self) -> None:
        """Forward the end of the run."""
        self._shown.end()
